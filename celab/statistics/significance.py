"""Which differences between systems are more than chance? Resampled scores in, p-values out.

All pairs are tested on the same draws. With Δ the difference of two systems' observed scores and
Δ_b that on resample b of B:

- `paired_bootstrap`: p = (c + 1) / (B + 1), where c counts the resamples with
  |Δ_b| − mean |Δ_b| ≥ |Δ|. Centring makes the resamples stand for systems that do not differ
  (Riezler and Maxwell 2005). This is the statistic of sacreBLEU 2, so p-values can be compared.
  Since |Δ_b| is centred, and not Δ_b, only one tail is counted once the systems are well apart:
  read p as one-sided. It stays near 0.4 where the order is open.
- `paired_randomization` (Noreen 1989; Riezler and Maxwell 2005): p = (c + 1) / (B + 1), where c
  counts the trials whose |Δ_b| ≥ |Δ|; two-sided. With T the trial's sum of what is exchanged, the
  sums of systems i and j become S_i − T_i + T_j and S_j − T_j + T_i: one product gives all pairs.

Where sacreBLEU asks for more than |Δ|, we ask for at least |Δ|, give or take rounding: identical
systems then have p = 1, and not the least p there is. A score that is NaN ranks last, and differs
from no other significantly.

Clusters are those of the WMT shared tasks: systems in order of score, with a line wherever each
system above is significantly better than each below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from celab.arrays import F64, I64
from celab.run import batches
from celab.statistics import resampling
from celab.statistics.resampling import Aggregate, Resampled, applied

ROUNDING = 1e-12  # of the greatest score: differences within it are rounding
AT_ONCE = 2**20  # scores of exchanged systems computed at a time


def intervals(resampled: Resampled, level: float = 0.95) -> F64:
    """A row a system: the lower and the upper end of its percentile interval, interpolated."""
    tail = (1 - level) / 2
    return np.quantile(resampled.scores, [tail, 1 - tail], axis=0).T


def rank_ranges(resampled: Resampled, level: float = 0.95) -> I64:
    """A row a system: the best and the worst rank it takes over the resamples, tails cut off.

    Rank 1 is the best; systems that tie share the better rank. The range holds at least `level`
    of the resamples' ranks.
    """
    tail = (1 - level) / 2
    slack = _slack(resampled.observed)
    scores = np.where(np.isnan(resampled.scores), -np.inf, resampled.scores)
    ranks = np.empty(scores.shape, dtype=np.int64)
    for i in range(scores.shape[1]):
        ranks[:, i] = 1 + (scores > scores[:, i : i + 1] + slack).sum(axis=1)
    best = np.quantile(ranks, tail, axis=0, method="lower")
    worst = np.quantile(ranks, 1 - tail, axis=0, method="higher")
    return np.stack((best, worst), axis=1).astype(np.int64)


def paired_bootstrap(resampled: Resampled) -> F64:
    """p-values of all pairs, systems × systems, symmetric, 1 on the diagonal."""
    observed, scores = resampled.observed, resampled.scores
    n_resamples, n_systems = scores.shape
    slack = _slack(observed)
    p_values = np.ones((n_systems, n_systems))
    for i in range(n_systems - 1):
        apart = np.abs(observed[i] - observed[i + 1 :])
        size = np.abs(scores[:, i : i + 1] - scores[:, i + 1 :])
        chance = ~(size - size.mean(axis=0) < apart - slack)  # so that NaN is chance
        p = (chance.sum(axis=0) + 1) / (n_resamples + 1)
        p_values[i, i + 1 :] = p_values[i + 1 :, i] = p
    return p_values


def paired_randomization(
    statistics: ArrayLike,
    aggregate: Aggregate = resampling.mean,
    n_trials: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> F64:
    """The same by approximate randomization.

    >>> paired_randomization([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    checked = resampling.checked_statistics(statistics)
    k, n_systems, n_segments = checked.shape
    total = checked.sum(axis=-1)[:, :, None]
    observed = applied(aggregate, total[:, :, 0], n_segments)
    least = np.abs(observed[:, None] - observed) - _slack(observed)
    counts = np.zeros((n_systems, n_systems), dtype=np.int64)
    for chosen in resampling.swaps(n_segments, n_trials, seed):
        exchanged = resampling.sums(checked, chosen)
        for rows in batches(len(chosen), max(1, AT_ONCE // (n_systems * k))):
            part = exchanged[:, :, rows]
            for i in range(n_systems - 1):
                move = part[:, i + 1 :] - part[:, i : i + 1]
                one = applied(aggregate, total[:, i : i + 1] + move, n_segments)
                other = applied(aggregate, total[:, i + 1 :] - move, n_segments)
                chance = ~(np.abs(one - other) < least[i, i + 1 :, None])
                counts[i, i + 1 :] += chance.sum(axis=1)
    p_values = (counts + counts.T + 1) / (n_trials + 1)
    np.fill_diagonal(p_values, 1.0)
    return p_values


def clusters(observed: ArrayLike, p_values: ArrayLike, level: float = 0.05) -> I64:
    """The number of each system's cluster, from 1, the best; significant is p < `level`.

    >>> clusters([0.3, 0.5, 0.4], [[1, 0.01, 0.2], [0.01, 1, 0.01], [0.2, 0.01, 1]]).tolist()
    [2, 1, 2]
    """
    scores, p = np.asarray(observed, dtype=np.float64), np.asarray(p_values, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    below = p[np.ix_(order, order)] < level
    lines = [bool(below[:cut, cut:].all()) for cut in range(1, len(order))]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = 1 + np.cumsum([False, *lines])[: len(order)]
    return numbers


def difference(of_a: ArrayLike, of_b: ArrayLike) -> float:
    """The share of resamples in which A's figure is not greater than B's (Koehn 2004); one-sided.

    Each argument has one figure a resample, such as a correlation with people, and row b of both
    comes from the same resample. A figure that is NaN is not greater.

    >>> difference([0.7, 0.8, 0.6, 0.9], [0.5, 0.8, 0.5, 0.5])
    0.25
    """
    a, b = np.asarray(of_a, dtype=np.float64), np.asarray(of_b, dtype=np.float64)
    return float(np.mean(~(a > b + _slack(b))))


def _slack(observed: F64) -> float:
    return ROUNDING * float(np.fmax.reduce(np.abs(observed), initial=0.0))  # NaN left out
