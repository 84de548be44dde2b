"""Minimum error rate training by brute force: Fractions, all pairs of lines, all intervals.

A list is one sentence: its candidates' features, first to last. Ties go to the earlier candidate.
"""

from fractions import Fraction
from itertools import combinations, pairwise
from math import inf

DECIMALS = 10


def chosen(lists, weights):
    """The place of the candidate with the greatest product, in each list."""
    products = [
        [sum(Fraction(w) * Fraction(x) for w, x in zip(weights, one, strict=True)) for one in some]
        for some in lists
    ]
    return [some.index(max(some)) for some in products]


def intervals(lists, start, direction):
    """Where t makes the same choices: (low, high, choices), from all crossings of any two lines."""
    crossings = set()
    for some in lists:
        lines = [(dot(start, one), dot(direction, one)) for one in some]
        crossings |= {Fraction(a - c, d - b) for (a, b), (c, d) in combinations(lines, 2) if b != d}
    found = []
    for low, high in pairwise([-inf, *sorted(crossings), inf]):
        t = middle(low, high)
        choices = chosen(lists, [v + t * d for v, d in zip(start, direction, strict=True)])
        if found and found[-1][2] == choices:
            low = found.pop()[0]
        found.append((low, high, choices))
    return found


def line_search(lists, statistics, start, direction, score_of):
    """The middle of the best interval, of several the nearest to 0, of these the first; its score.

    Scores that agree to 10 decimals are equal.
    """
    scored = [
        (low, high, round(score_of(picked(statistics, choices)), DECIMALS))
        for low, high, choices in intervals(lists, start, direction)
    ]
    best = max(score for _, _, score in scored)
    low, high, _ = min(
        (one for one in scored if one[2] == best), key=lambda one: max(one[0], -one[1], 0)
    )
    return middle(low, high), best


def best_on_grid(lists, statistics, score_of, radius):
    """The best score of two weights on the edge of a square grid.

    Grid points are a little off whole numbers, so that small whole features make no ties.
    """
    edge = range(-radius, radius + 1)
    points = [
        (x + Fraction(1, 97), y + Fraction(1, 89))
        for x in edge
        for y in edge
        if max(abs(x), abs(y)) == radius
    ]
    return max(score_of(picked(statistics, chosen(lists, point))) for point in points)


def picked(statistics, choices):
    return [some[i] for some, i in zip(statistics, choices, strict=True)]


def middle(low, high):
    if low == -inf:
        return 0 if high == inf else high - 1
    return low + 1 if high == inf else (low + high) / 2


def dot(a, b):
    return sum(Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True))
