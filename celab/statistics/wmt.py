"""Figures of the WMT metrics tasks, and tests of which metric is better.

- Soft pairwise accuracy (Thompson et al. 2024; WMT24, WMT25) is 1 − mean |p − q| over pairs of
  systems. p is the one-sided p-value that people find the first system better, q that the metric
  does, both by exchanging the systems' scores of a segment with probability 1/2, on the same
  draws: the share of trials in which the sum of differences is at least the observed one. Ties
  count half, so that the order of the systems does not matter. There are `N_TRIALS` trials, however
  many resamples there are, because the figure must not depend on the number of these. For a pair
  of systems, only segments on which people scored both count. On resamples of the segments the same
  p-value is Φ(−Σ d / √Σ d²), its limit for many segments.
- acc*eq (Deutsch et al. 2023; WMT23) is the mean over segments of the share of pairs of systems
  that the metric orders, or ties, as people do. The metric ties scores that are at most ε apart,
  where ε is chosen so that the figure is greatest. Each resample chooses its own ε, among all
  differences of scores, or among `MAX_THRESHOLDS` of them if there are more.

Metrics are compared by exchanging what both say, with probability 1/2 (Deutsch et al. 2021); the
one-sided p-value is (c + 1) / (B + 1), where c counts the trials of B whose difference is at least
the observed one. `exchange_cells` exchanges standardized scores of single translations (PERM-BOTH),
`exchange_shares` whatever a figure is a sum of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from celab.base.arrays import F64, I64
from celab.statistics import resampling
from celab.statistics.correlation import sign
from celab.statistics.documents import sum_documents

N_TRIALS = 1000  # exchanges behind soft pairwise accuracy, as in mt-metrics-eval
MAX_THRESHOLDS = 512
DIGITS = 9  # decimals of differences, as in `correlation.SAME`
ROUNDING = 1e-12
PLACES = 12  # decimals of standardized scores; systems that agree to these tie
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def order_p_values(scores: F64, people: F64, weights: F64, n_trials: int, seed: int) -> F64:
    """Return p-values: rows are rows of `weights`, columns are pairs of systems with human scores.

    All are systems × segments; the first row of weights must be ones. A p-value near 0 means that
    the first system of the pair is better.
    """
    known = ~np.isnan(people)
    apart = [
        np.where(known[i] & known[j], scores[i] - scores[j], 0.0)
        for i, j in combinations(range(len(scores)), 2)
        if (known[i] & known[j]).any()
    ]
    if not apart:
        return np.empty((len(weights), 0))
    d = np.array(apart)
    slack = ROUNDING * np.abs(d).sum(axis=1)
    counts = np.zeros(len(d))
    for chosen in resampling.swaps(d.shape[1], n_trials, seed):
        beyond = -2 * (chosen @ d.T)  # the trial's sum minus the observed one
        counts += (beyond > slack).sum(axis=0) + (np.abs(beyond) <= slack).sum(axis=0) / 2
    sums, squares = weights[1:] @ d.T, weights[1:] @ (d * d).T
    z = np.divide(sums, np.sqrt(squares), out=np.zeros_like(sums), where=squares > 0)
    return np.concatenate((counts[None] / n_trials, _erfc(z / math.sqrt(2)) / 2))


class Calibrated(NamedTuple):
    """acc*eq of each row of weights, the ε of the first, and its shares by segment."""

    drawn: F64
    epsilon: float
    shares: F64  # their sum is the figure


def calibrated_accuracy(human: F64, metric: F64, segment: I64, weights: F64) -> Calibrated | None:
    """Return the accuracy of scores, systems × items; an item is a segment as one judge saw it.

    `segment[i]` is the column of `weights` of item i, and the first row of weights must be ones.

    >>> human, metric = np.array([[1, 2, 2, 3, 4.0]]).T, np.array([[2, 1, 1.5, 5, 3]]).T
    >>> accuracy = calibrated_accuracy(human, metric, np.zeros(1, np.int64), np.ones((1, 1)))
    >>> accuracy.drawn.tolist(), accuracy.epsilon
    ([0.7], 0.5)
    """
    parts = []
    for i in range(len(human) - 1):
        theirs, ours = sign(human[i] - human[i + 1 :]), metric[i] - metric[i + 1 :]
        row, item = np.nonzero(~np.isnan(theirs))
        right = (theirs * ours)[row, item] > 0
        parts.append((item, np.abs(ours[row, item]), theirs[row, item] == 0, right))
    item, apart, tied, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not len(item):
        return None
    n_of_item = np.bincount(item, minlength=human.shape[1])
    share = 1 / n_of_item[item]
    n_segments = weights.shape[1]
    n_items = np.bincount(segment[n_of_item > 0], minlength=n_segments)
    known, group = np.unique(apart.round(DIGITS), return_inverse=True)
    at_zero = share * np.where(known[group] > 0, right, tied)
    gain = np.where(known[group] > 0, share * (tied * 1.0 - right), 0.0)
    curve = np.cumsum(np.bincount(group, gain)).round(DIGITS)
    best = int(np.argmax(curve))
    epsilon = float(known[best]) if curve[best] > 0 else 0.0
    ends = np.unique(
        np.append(np.linspace(0, len(known) - 1, MAX_THRESHOLDS).astype(np.int64), best)
    )
    where = segment[item]
    gains = np.bincount(
        np.searchsorted(ends, group) * n_segments + where, gain, len(ends) * n_segments
    ).reshape(len(ends), n_segments)
    start = np.bincount(where, at_zero, n_segments)
    most = np.maximum(0.0, np.cumsum(weights @ gains.T, axis=1).max(axis=1))
    drawn = resampling.quotient(weights @ start + most, weights @ n_items)
    correct = share * np.where(known[group] <= epsilon, tied, right)
    shares = np.bincount(where, correct, n_segments) / n_items.sum()
    drawn[0] = shares.sum()
    return Calibrated(drawn, epsilon, shares)


def exchange_shares(shares: ArrayLike, n_trials: int, seed: int) -> F64:
    """Return p-values that the row's metric is better than the column's; metrics × units.

    >>> exchange_shares([[1, 1, 1, 1, 1, 1, 1], [0] * 7, [0] * 7], 999, 1)[0, 1] < 0.05
    np.True_
    """
    each = np.asarray(shares, np.float64)
    slack = ROUNDING * np.abs(each).sum(axis=1).max()
    counts = np.zeros((len(each), len(each)))
    for chosen in resampling.swaps(each.shape[1], n_trials, seed):
        moved = chosen @ each.T  # an exchange takes 2 · (moved_i − moved_j) from the difference
        counts += (moved[:, :, None] - moved[:, None, :] <= slack).sum(axis=0)
    return _p_values(counts, n_trials)


def exchange_cells(
    scores: F64,
    people: F64,
    figures: Mapping[str, Callable[[F64, F64], F64]],
    n_trials: int,
    seed: int,
    documents: I64 | None = None,
) -> dict[str, F64]:
    """Return the p-values of figures of systems, from scores of metrics × systems × segments.

    A metric's score of a system is the mean of its standardized scores of the segments. With
    `documents`, the number of that of each segment, a system's documents are exchanged.
    """
    n_metrics, n_systems, n_segments = scores.shape
    spread = scores.std(axis=(1, 2), keepdims=True)
    centered = scores - scores.mean(axis=(1, 2), keepdims=True)
    z = np.divide(centered, spread, out=np.zeros_like(centered), where=spread > 0)
    means = z.mean(axis=2).round(PLACES)
    observed = {name: figure(means, people) for name, figure in figures.items()}
    counts = {name: np.zeros((n_metrics, n_metrics)) for name in figures}
    units = z if documents is None else sum_documents(z, documents)
    n_units = units.shape[2]
    by_system = np.ascontiguousarray(np.moveaxis(units, 0, 2))  # systems × units × metrics
    for chosen in resampling.swaps(n_systems * n_units, n_trials, seed):
        cells = np.moveaxis(chosen.reshape(-1, n_systems, n_units), 0, 1)
        moved = np.moveaxis(cells @ by_system, 0, 2) / n_segments  # trials × metrics × systems
        for i, j in combinations(range(n_metrics), 2):
            exchange = moved[:, j] - moved[:, i]
            for name, figure in figures.items():
                first = figure((means[i] + exchange).round(PLACES), people)
                second = figure((means[j] - exchange).round(PLACES), people)
                beyond = (first - second) - (observed[name][i] - observed[name][j])
                counts[name][i, j] += (~(beyond < -ROUNDING)).sum()
                counts[name][j, i] += (~(beyond > ROUNDING)).sum()
    return {name: _p_values(count, n_trials) for name, count in counts.items()}


def _p_values(counts: F64, n_trials: int) -> F64:
    p = np.asarray((counts + 1) / (n_trials + 1))
    np.fill_diagonal(p, 1.0)
    return p


def metric_clusters(figures: ArrayLike, p_values: ArrayLike, level: float = 0.05) -> I64:
    """Return the cluster of each metric, from 1, the best, as in tables of the WMT metrics tasks.

    In order of the figure, a cluster begins with a metric that some metric of the cluster above is
    significantly better than; `p_values[i, j]` is that of i being better than j.

    >>> metric_clusters([0.5, 0.7, 0.6], [[1, 0.9, 0.9], [0.01, 1, 0.3], [0.2, 0.7, 1]]).tolist()
    [2, 1, 1]
    """
    values, p = np.asarray(figures, np.float64), np.asarray(p_values, np.float64)
    order = np.argsort(-values, kind="stable")
    numbers, number, start = np.empty(len(order), np.int64), 1, 0
    for place, metric in enumerate(order):
        if (p[order[start:place], metric] <= level).any():
            number, start = number + 1, place
        numbers[metric] = number
    return numbers
