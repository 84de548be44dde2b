"""Which differences between systems are more than chance? Resampled scores in, p-values out.

All pairs are tested on the same draws. With Δ the difference of two systems' observed scores and
Δ_b that on resample b of B:

- `paired_bootstrap`, centred, the default: p = (c + 1) / (B + 1), where c counts the resamples with
  |Δ_b| − mean |Δ_b| ≥ |Δ|. Centring makes the resamples stand for systems that do not differ
  (Riezler and Maxwell 2005). This is the statistic of sacreBLEU 2, so p-values can be compared.
  Since |Δ_b| is centred, and not Δ_b, only one tail is counted once the systems are well apart:
  read p as one-sided. It stays near 0.4 where the order is open.
- `paired_bootstrap`, reversed (Koehn 2004): the share of resamples in which the better system is
  not better; one-sided, and without the added ones. Where Δ is 0, p is 1.
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

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from celab.errors import InputError, OptionError
from celab.statistics.resampling import (
    N_RESAMPLES,
    SEED,
    Aggregate,
    Resampled,
    applied,
    checked_statistics,
    mean,
    sums,
    swaps,
    whole,
)

F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]

ROUNDING = 1e-12  # of the greatest score: differences within it are rounding
AT_ONCE = 2**20  # scores of exchanged systems computed at a time


def intervals(resampled: Resampled, level: float = 0.95) -> F64:
    """Percentile intervals: a row a system, its lower and its upper end.

    Of a level of 0.95 they are the 2.5th and the 97.5th percentile of the resampled scores, between
    two of them by linear interpolation.
    """
    tail = _tail(level)
    return np.quantile(resampled.scores, [tail, 1 - tail], axis=0).T


def rank_ranges(resampled: Resampled, level: float = 0.95) -> I64:
    """A row a system: the best and the worst rank it takes over the resamples, tails cut off.

    Rank 1 is the best; systems that tie share the better rank. The range holds at least `level`
    of the resamples' ranks.
    """
    tail = _tail(level)
    slack = _slack(resampled.observed)
    scores = np.where(np.isnan(resampled.scores), -np.inf, resampled.scores)
    ranks = np.empty(scores.shape, dtype=np.int64)
    for i in range(scores.shape[1]):
        ranks[:, i] = 1 + (scores > scores[:, i : i + 1] + slack).sum(axis=1)
    best = np.quantile(ranks, tail, axis=0, method="lower")
    worst = np.quantile(ranks, 1 - tail, axis=0, method="higher")
    return np.stack((best, worst), axis=1).astype(np.int64)


def paired_bootstrap(resampled: Resampled, rule: str = "centred") -> F64:
    """p-values of all pairs, systems × systems, symmetric, 1 on the diagonal.

    `rule` is "centred" (sacreBLEU's) or "reversed" (Koehn's), see above.
    """
    if rule not in ("centred", "reversed"):
        raise OptionError(f"rule is {rule!r}; it must be 'centred' or 'reversed'")
    observed, scores = resampled.observed, resampled.scores
    n_resamples, n_systems = scores.shape
    slack = _slack(observed)
    p_values = np.ones((n_systems, n_systems))
    for i in range(n_systems - 1):
        apart = observed[i] - observed[i + 1 :]
        drawn = scores[:, i : i + 1] - scores[:, i + 1 :]
        if rule == "centred":
            size = np.abs(drawn)
            chance = ~(size - size.mean(axis=0) < np.abs(apart) - slack)  # so that NaN is chance
            p = (chance.sum(axis=0) + 1) / (n_resamples + 1)
        else:
            p = (~(drawn * np.sign(apart) > slack)).mean(axis=0)
        p_values[i, i + 1 :] = p_values[i + 1 :, i] = p
    return p_values


def paired_randomization(
    statistics: ArrayLike,
    aggregate: Aggregate = mean,
    n_trials: int = N_RESAMPLES,
    seed: int = SEED,
) -> F64:
    """p-values of all pairs by approximate randomization, systems × systems, as above.

    >>> paired_randomization([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    checked = checked_statistics(statistics)
    k, n_systems, n_segments = checked.shape
    whole(n_trials, "n_trials", 1)
    total = checked.sum(axis=-1)[:, :, None]
    observed = applied(aggregate, total[:, :, 0], n_segments)
    least = np.abs(observed[:, None] - observed) - _slack(observed)
    counts = np.zeros((n_systems, n_systems), dtype=np.int64)
    size = max(1, AT_ONCE // (n_systems * k))
    for chosen in swaps(n_segments, n_trials, seed):
        exchanged = sums(checked, chosen)
        for first in range(0, len(chosen), size):
            part = exchanged[:, :, first : first + size]
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
    if scores.ndim != 1 or p.shape != (len(scores), len(scores)):
        raise InputError(
            f"there are scores of shape {scores.shape} and p-values of shape {p.shape};"
            " they must be n and n × n"
        )
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
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise InputError(
            f"the figures have the shapes {a.shape} and {b.shape}; each must have one a resample"
        )
    return float(np.mean(~(a > b + _slack(b))))


def stars(p: float) -> str:
    """`**` for p < 0.01, `*` for p < 0.05, as in the TESLA-CELAB paper's tables (2012).

    >>> [stars(p) for p in (0.004, 0.01, 0.04, 0.05)]
    ['**', '*', '*', '']
    """
    return "**" if p < 0.01 else "*" if p < 0.05 else ""


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise OptionError(f"level is {level!r}; it must lie between 0 and 1, such as 0.95")
    return (1 - level) / 2


def _slack(observed: F64) -> float:
    return ROUNDING * float(np.fmax.reduce(np.abs(observed), initial=0.0))  # NaN left out
