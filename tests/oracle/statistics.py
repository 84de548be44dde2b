"""Resampling, significance and agreement by plain loops over lists, one segment and pair at a time.

Matrices are lists of rows: a row a system, a number a segment; `None` where people gave no score.
"""

import math
from itertools import combinations, product

SAME = 1e-9
ROUNDING = 1e-12


def weights(draws, n_segments):
    """How often each draw has each segment."""
    return [[list(row).count(s) for s in range(n_segments)] for row in draws]


def summed(statistics, chosen):
    """Sums of one system's segment statistics (a list of k numbers each) over chosen segments."""
    return [sum(statistics[s][i] for s in chosen) for i in range(len(statistics[0]))]


def centered_p(observed, scores):
    """sacreBLEU's paired bootstrap: two observed scores, and a pair of scores a resample."""
    apart = abs(observed[0] - observed[1])
    sizes = [abs(a - b) for a, b in scores]
    middle = math.fsum(sizes) / len(sizes)
    slack = ROUNDING * max(map(abs, observed))
    count = sum(size - middle >= apart - slack for size in sizes)
    return (count + 1) / (len(scores) + 1)


def randomization_p(first, second, trials, aggregate):
    """Two systems' statistics; each trial has a 1 for every segment that changes places."""
    return (n_beyond(first, second, trials, aggregate) + 1) / (len(trials) + 1)


def exact_p(first, second, aggregate):
    """The share of all exchanges of segments that give at least the observed difference."""
    trials = list(product((0, 1), repeat=len(first)))
    return n_beyond(first, second, trials, aggregate) / len(trials)


def n_beyond(first, second, trials, aggregate):
    """The number of trials whose difference is at least the observed one."""
    n = len(first)
    observed = [aggregate(summed(side, range(n)), n) for side in (first, second)]
    slack = ROUNDING * max(map(abs, observed))
    count = 0
    for trial in trials:
        one = [b if swap else a for a, b, swap in zip(first, second, trial, strict=True)]
        other = [a if swap else b for a, b, swap in zip(first, second, trial, strict=True)]
        apart = aggregate(summed(one, range(n)), n) - aggregate(summed(other, range(n)), n)
        count += abs(apart) >= abs(observed[0] - observed[1]) - slack
    return count


def two_sided_p(scores):
    """The two-sided paired bootstrap: a pair of scores a resample."""
    tails = sum(a <= b for a, b in scores), sum(a >= b for a, b in scores)
    return min(1.0, 2 * (min(tails) + 1) / (len(scores) + 1))


def rank_range(observed, p_values, system, level):
    """Best and worst rank of a system, by who is significantly better and worse."""
    best, worst = 1, len(observed)
    for other, score in enumerate(observed):
        if p_values[system][other] < level:
            best += score > observed[system]
            worst -= score < observed[system]
    return [best, worst]


def clusters(observed, p_values, level):
    """Cluster of each system: grown from the best down, closed where all below are worse."""
    order = sorted(range(len(observed)), key=lambda i: -observed[i])
    numbers, number = [0] * len(observed), 1
    for place, system in enumerate(order):
        numbers[system] = number
        above, below = order[: place + 1], order[place + 1 :]
        if all(p_values[a][b] < level for a in above for b in below):
            number += 1
    return numbers


def pearson(x, y):
    n = len(x)
    if n < 2 or len(set(x)) == 1 or len(set(y)) == 1:
        return math.nan
    mean_x, mean_y = math.fsum(x) / n, math.fsum(y) / n
    both = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    squares = [math.fsum((a - m) ** 2 for a in side) for side, m in ((x, mean_x), (y, mean_y))]
    return both / math.sqrt(squares[0]) / math.sqrt(squares[1])


def ranks(x):
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def kendall(x, y):
    surplus = apart_x = apart_y = 0
    for i, j in combinations(range(len(x)), 2):
        surplus += order(x[i], x[j]) * order(y[i], y[j])
        apart_x += order(x[i], x[j]) != 0
        apart_y += order(y[i], y[j]) != 0
    return surplus / math.sqrt(apart_x * apart_y) if apart_x and apart_y else math.nan


def pairwise_accuracy(metric, human):
    pairs = [(i, j) for i, j in combinations(range(len(human)), 2) if order(human[i], human[j])]
    right = sum(order(metric[i], metric[j]) == order(human[i], human[j]) for i, j in pairs)
    return right / len(pairs) if pairs else math.nan


def order(a, b, same=SAME):
    """1, −1, or 0 for a tie."""
    return 0 if abs(a - b) <= same else 1 if a > b else -1


def pair_counts(human, metric):
    """For each segment: concordant, discordant, tied by the metric only, tied by people only."""
    found = []
    for s in range(len(human[0])):
        counts = [0, 0, 0, 0]
        for i, j in combinations(range(len(human)), 2):
            if human[i][s] is None or human[j][s] is None:
                continue
            people, ours = order(human[i][s], human[j][s]), order(metric[i][s], metric[j][s])
            if people and ours:
                counts[people != ours] += 1
            elif people:
                counts[2] += 1
            elif ours:
                counts[3] += 1
        found.append(counts)
    return found


def ranking_agreement(judges):
    """Cases in which two judges agree on two systems, and all cases; what one ties is none."""
    cases = []
    for one, other in combinations(judges, 2):
        for i, j in combinations(range(len(one)), 2):
            for s in range(len(one[0])):
                if None in (one[i][s], one[j][s], other[i][s], other[j][s]):
                    continue
                cases.append((order(one[i][s], one[j][s]), order(other[i][s], other[j][s])))
    cases = [case for case in cases if 0 not in case]
    return sum(a == b for a, b in cases), len(cases)


def order_p(first, second, trials):
    """One-sided: how often exchanged scores put the first system as far ahead; ties count half."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    observed = math.fsum(a - b for a, b in pairs)
    count = 0
    for trial in trials:
        kept = [
            swap
            for swap, a, b in zip(trial, first, second, strict=True)
            if a is not None and b is not None
        ]
        apart = math.fsum(
            b - a if swap else a - b for (a, b), swap in zip(pairs, kept, strict=True)
        )
        count += 0.5 if abs(apart - observed) <= SAME else apart > observed
    return count / len(trials)


def soft_pairwise_accuracy(human, metric, trials):
    """Systems × segments; the metric counts where people scored both systems."""
    errors = []
    for i, j in combinations(range(len(human)), 2):
        both = [a is not None and b is not None for a, b in zip(human[i], human[j], strict=True)]
        if any(both):
            ours = [
                [x if b else None for x, b in zip(metric[k], both, strict=True)] for k in (i, j)
            ]
            errors.append(abs(order_p(human[i], human[j], trials) - order_p(*ours, trials)))
    return 1 - sum(errors) / len(errors) if errors else math.nan


def calibrated_accuracy(human, metric):
    """The greatest mean over segments, and the least threshold of ties that gives it."""
    n_systems, n_segments = len(human), len(human[0])
    sizes = {0.0}
    for s in range(n_segments):
        for i, j in combinations(range(n_systems), 2):
            sizes.add(round(abs(metric[i][s] - metric[j][s]), 9))
    best = None
    for epsilon in sorted(sizes):
        means = []
        for s in range(n_segments):
            right = [
                order(metric[i][s], metric[j][s], epsilon + SAME) == order(human[i][s], human[j][s])
                for i, j in combinations(range(n_systems), 2)
                if human[i][s] is not None and human[j][s] is not None
            ]
            if right:
                means.append(sum(right) / len(right))
        if means and (best is None or sum(means) / len(means) > best[0] + SAME):
            best = sum(means) / len(means), epsilon
    return best


def exchange_p(first, second, trials):
    """One-sided: how often exchanged shares put the first metric as far ahead."""
    count = 0
    for trial in trials:
        apart = sum(
            b - a if swap else a - b for a, b, swap in zip(first, second, trial, strict=True)
        )
        count += apart >= sum(first) - sum(second) - SAME
    return (count + 1) / (len(trials) + 1)


def exchange_cells_p(first, second, people, trials, figure):
    """The same for standardized scores of translations; a trial is a matrix."""

    def standardized(matrix):
        cells = [x for row in matrix for x in row]
        mean = math.fsum(cells) / len(cells)
        spread = math.sqrt(math.fsum((x - mean) ** 2 for x in cells) / len(cells))
        return [[(x - mean) / spread if spread else 0.0 for x in row] for row in matrix]

    def apart(a, b):
        sides = [[math.fsum(row) / len(row) for row in side] for side in (a, b)]
        return figure(sides[0], people) - figure(sides[1], people)

    a, b = standardized(first), standardized(second)
    count = 0
    for trial in trials:
        mixed = [
            [
                [y if swap else x for x, y, swap in zip(*rows, strict=True)]
                for rows in zip(*sides, trial, strict=True)
            ]
            for sides in ((a, b), (b, a))
        ]
        count += not apart(*mixed) < apart(a, b) - SAME
    return (count + 1) / (len(trials) + 1)


def metric_clusters(values, p_values, level):
    """In order of the value; a new cluster where one of the present is significantly better."""
    numbers, current, number = [0] * len(values), [], 1
    for metric in sorted(range(len(values)), key=lambda i: -values[i]):
        if any(p_values[one][metric] <= level for one in current):
            number, current = number + 1, []
        current.append(metric)
        numbers[metric] = number
    return numbers
