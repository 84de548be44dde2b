"""Runs of equal units by recursion and by sets of places: the slow twins of the runs kernel."""

from functools import cache

NEW_RUN = 2
MOVABLE = 2


def heaviest_runs(x, weights, y):
    """The heaviest runs, from the last match to the first: (start in x, start in y, length)."""
    places = []
    i, j, is_inside = len(x), len(y), False
    best, run = _weights(x, weights, y)
    while i and j:
        if is_inside or run(i, j) > max(best(i - 1, j), best(i, j - 1)):
            is_inside = run(i - 1, j - 1) >= best(i - 1, j - 1) - NEW_RUN
            i, j = i - 1, j - 1
            places.append((i, j))
        elif best(i - 1, j) >= best(i, j - 1):
            i -= 1
        else:
            j -= 1
    return joined(places[::-1])


def _weights(x, weights, y):
    @cache
    def best(i, j):
        return max(best(i - 1, j), best(i, j - 1), run(i, j)) if i and j else 0

    @cache
    def run(i, j):
        if not (i and j and x[i - 1] == y[j - 1]):
            return float("-inf")
        return weights[i - 1] + max(run(i - 1, j - 1), best(i - 1, j - 1) - NEW_RUN)

    return best, run


def joined(places):
    """Matched places, as runs."""
    runs = []
    for i, j in places:
        if runs and (i, j) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs


def moved_runs(x, y, counts, places):
    """The moved runs in the order of y."""
    free_x = {i for (start, stop), _ in places for i in range(start, stop)}
    free_y = {j for _, (start, stop) in places for j in range(start, stop)}
    runs = []
    for j in range(len(y)):
        lengths = {}
        for i in range(len(x)):
            n = 0
            while i + n in free_x and j + n in free_y and x[i + n] == y[j + n]:
                n += 1
            lengths[i] = n
        start = max(lengths, key=lengths.get, default=0)  # the first of the longest
        n = lengths.get(start, 0)
        if sum(counts[j : j + n]) >= MOVABLE:
            runs.append((start, j, n))
            free_x -= {*range(start, start + n)}
            free_y -= {*range(j, j + n)}
    return runs
