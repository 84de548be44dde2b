"""Significance of differences between systems: resampled scores in, p-values out.

All pairs are tested on the same draws. With Δ the difference of two systems' observed scores and
Δ_b that on resample b of B:

- `paired_bootstrap`: p = 2 · (c + 1) / (B + 1), at most 1, where c counts the resamples with
  Δ_b ≤ 0 or those with Δ_b ≥ 0, whichever are fewer; two-sided. p < 0.05 if and only if the 95%
  interval of the difference (`difference_interval`, from the same resamples) does not hold 0.
- `paired_randomization` (Noreen 1989; Riezler and Maxwell 2005): p = (c + 1) / (B + 1), where c
  counts the trials whose |Δ_b| ≥ |Δ|; two-sided. With T the trial's sum of what is exchanged, the
  sums of systems i and j become S_i − T_i + T_j and S_j − T_j + T_i: one product gives all pairs.

- `exact_randomization`: the same, over all 2^n exchanges of n segments instead of B drawn ones. The
  observed one is among them, so p is the share of those with |Δ_b| ≥ |Δ|, and at least 2 / 2^n.

With fewer than `FEWEST_SEGMENTS` segments, the bootstrap of a few segments would find almost any
difference significant. `paired_test` then gives the exact p-values, whichever test is asked for,
and nothing is called significant: all systems are in one group and have all ranks.

Where sacreBLEU requires more than |Δ|, we require at least |Δ|, up to rounding: identical
systems then have p = 1, and not the least p there is. A score that is NaN differs from no other
significantly.

Ranks and clusters follow from the p-values, so that they cannot contradict them. The best rank of a
system is 1 + the number of systems that are significantly better, and its worst is the number of
systems that are not significantly worse, itself among them. Clusters are those of the WMT shared
tasks: systems in order of score, with a line wherever each system above is significantly better
than each below.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from celab.base.errors import OptionError
from celab.base.frozen import dataclass
from celab.base.run import batches
from celab.statistics import resampling
from celab.statistics.resampling import Aggregate, Resampled, applied

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from celab.base.arrays import F64, I64

FEWEST_SEGMENTS = 20  # with fewer, p-values are exact and no difference is called significant
TOO_FEW = f"fewer than {FEWEST_SEGMENTS} segments: no difference is called significant"
EXACT = "exact"  # the test of so few segments
Test = Literal["bootstrap", "randomization"]
TESTS: tuple[Test, ...] = ("bootstrap", "randomization")
TEST_NAMES = {
    "bootstrap": "paired bootstrap",
    "randomization": "approximate randomization",
    EXACT: "exact randomization",
}
LEVEL, SIGNIFICANT = 0.95, 0.05
TIE = 1e-9  # scores of a segment that differ by no more are equal
ROUNDING = 1e-12  # of the greatest score: differences within it are rounding
AT_ONCE = 2**20  # scores of exchanged systems computed at a time


def check_test(test: str) -> None:
    """Raise `OptionError` if there is no such test."""
    if test not in TESTS:
        raise OptionError("test", test, f"choose from {', '.join(TESTS)}")


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Systems that were tested against each other on the same draws."""

    resampled: Resampled
    p_values: F64  # systems × systems, symmetric, 1 on the diagonal
    test: str  # that the p-values come from: "bootstrap", "randomization" or `EXACT`

    def difference(self, first: int = 0, second: int = 1) -> float:
        """Return the observed score of the first system minus that of the second."""
        return float(self.resampled.observed[first] - self.resampled.observed[second])

    def interval(self, first: int = 0, second: int = 1, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference, by `difference_interval`."""
        return pair_interval(self.resampled, first, second, level)


def paired_test(
    statistics: ArrayLike,
    aggregate: Aggregate = resampling.mean,
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> PairedTest:
    """Test all pairs of systems; every p-value of the package comes from here.

    `statistics` are those of systems × segments, or of systems × segments × k. `test` is
    "bootstrap" or "randomization"; with fewer than `FEWEST_SEGMENTS` segments the p-values are
    exact instead. Intervals always come from the bootstrap.

    >>> tested = paired_test([[0.9, 0.8, 0.7], [0.1, 0.2, 0.3]], n_resamples=200)
    >>> round(tested.difference(), 4), tested.test, float(tested.p_values[0, 1])
    (0.6, 'exact', 0.25)
    """
    values = np.asarray(statistics, np.float64)
    resampled = resampling.scores_of(values, aggregate, n_resamples, seed)
    if values.shape[1] < FEWEST_SEGMENTS:
        return PairedTest(resampled, exact_randomization(values, aggregate), EXACT)
    if test == "bootstrap":
        return PairedTest(resampled, paired_bootstrap(resampled), test)
    p_values = paired_randomization(values, aggregate, n_resamples, seed)
    return PairedTest(resampled, p_values, test)


def rank_ranges(observed: ArrayLike, p_values: ArrayLike, level: float = 0.05) -> I64:
    """Return one row per system: its best and its worst rank; significant is p < `level`.

    >>> rank_ranges([0.3, 0.5, 0.4], [[1, 0.01, 0.2], [0.01, 1, 0.2], [0.2, 0.2, 1]]).tolist()
    [[2, 3], [1, 2], [1, 3]]
    """
    scores = np.asarray(observed, dtype=np.float64)
    significant = np.asarray(p_values) < level
    better = (significant & (scores > scores[:, None])).sum(axis=1)
    worse = (significant & (scores < scores[:, None])).sum(axis=1)
    return np.stack((1 + better, len(scores) - worse), axis=1).astype(np.int64)


def paired_bootstrap(resampled: Resampled) -> F64:
    """Return two-sided p-values of all pairs, systems × systems, symmetric, 1 on the diagonal."""
    n_resamples, n_systems = resampled.scores.shape
    slack = _slack(resampled.observed)
    p_values = np.ones((n_systems, n_systems))
    for i in range(n_systems - 1):
        apart = resampled.scores[:, i : i + 1] - resampled.scores[:, i + 1 :]
        tails = [(~(side * apart > slack)).sum(axis=0) for side in (1, -1)]  # NaN is in both
        p = np.minimum(1.0, 2 * (np.minimum(*tails) + 1) / (n_resamples + 1))
        p_values[i, i + 1 :] = p_values[i + 1 :, i] = p
    return p_values


def difference_interval(resampled: Resampled, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the first system's score minus the second's, by its sorted resamples.

    With B resamples the k-th smallest and the k-th greatest difference, where k is the greatest
    number for which k < (1 − `level`) / 2 · (B + 1): for 1,000 resamples and 95% the 25th. It holds
    0 if and only if `paired_bootstrap` gives p ≥ 1 − `level`.
    """
    apart = resampled.scores[:, 0] - resampled.scores[:, 1]
    if np.isnan(apart).any():
        return np.nan, np.nan
    k = int(np.ceil((1 - level) / 2 * (len(apart) + 1) - 1e-9)) - 1
    if k < 1:
        raise OptionError(
            "n_resamples",
            len(apart),
            f"an interval of {level:.0%} needs {int(2 / (1 - level) + 1e-9)} or more",
        )
    apart[np.abs(apart) <= _slack(resampled.observed)] = 0.0
    apart.sort()
    return float(apart[k - 1]), float(apart[-k])


def pair_interval(
    resampled: Resampled, first: int, second: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of one system's score minus another's, by `difference_interval`."""
    chosen = [first, second]
    pair = Resampled(resampled.observed[chosen], resampled.scores[:, chosen])
    return difference_interval(pair, level)


def paired_randomization(
    statistics: ArrayLike,
    aggregate: Aggregate = resampling.mean,
    n_trials: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
) -> F64:
    """Return two-sided p-values of all pairs by approximate randomization.

    >>> paired_randomization([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    exact = resampling.summable(resampling.checked_statistics(statistics))
    k, n_systems, n_segments = exact.shape
    total = exact.sum(axis=-1)[:, :, None]
    observed = applied(aggregate, total[:, :, 0], n_segments)
    least = np.abs(observed[:, None] - observed) - _slack(observed)
    counts = np.zeros((n_systems, n_systems), dtype=np.int64)
    for chosen in resampling.swaps(n_segments, n_trials, seed):
        exchanged = resampling.sums(exact, chosen)
        for rows in batches(len(chosen), max(1, AT_ONCE // (n_systems * k))):
            part = exchanged[:, :, rows]
            for i in range(n_systems - 1):
                move = part[:, i + 1 :] - part[:, i : i + 1]
                first = applied(aggregate, total[:, i : i + 1] + move, n_segments)
                second = applied(aggregate, total[:, i + 1 :] - move, n_segments)
                chance = ~(np.abs(first - second) < least[i, i + 1 :, None])
                counts[i, i + 1 :] += chance.sum(axis=1)
    p_values = (counts + counts.T + 1) / (n_trials + 1)
    np.fill_diagonal(p_values, 1.0)
    return p_values


def exact_randomization(statistics: ArrayLike, aggregate: Aggregate = resampling.mean) -> F64:
    """Return two-sided p-values of all pairs, by all 2^n exchanges of the n segments.

    Segments on which both systems have the same statistics are exchanged without effect, and an
    exchange of all others mirrors the difference, so that 2^(m - 1) sums are enough for the m
    segments that differ.

    >>> exact_randomization([[0.9, 0.8, 0.7], [0.1, 0.2, 0.7]])[0].tolist()
    [1.0, 0.5]
    """
    checked = resampling.checked_statistics(statistics)
    k, n_systems, n_segments = checked.shape
    total = checked.sum(axis=-1)
    observed = applied(aggregate, total, n_segments)
    slack = _slack(observed)
    p_values = np.ones((n_systems, n_systems))
    for i, j in combinations(range(n_systems), 2):
        moves = checked[:, j] - checked[:, i]
        moves = moves[:, (moves != 0).any(axis=0)]
        least = abs(observed[i] - observed[j]) - slack
        exchanged = _subset_sums(moves[:, 1:])
        n_beyond = 0
        for rows in batches(exchanged.shape[1], max(1, AT_ONCE // k)):
            part = exchanged[:, rows]
            first = applied(aggregate, total[:, i, None] + part, n_segments)
            second = applied(aggregate, total[:, j, None] - part, n_segments)
            n_beyond += int((~(np.abs(first - second) < least)).sum())  # NaN counts
        p_values[i, j] = p_values[j, i] = n_beyond / exchanged.shape[1]
    return p_values


def _subset_sums(columns: F64) -> F64:
    """Return the sums of all subsets of the columns, one column for each subset."""
    sums = np.zeros((len(columns), 1))
    for column in columns.T:
        sums = np.concatenate((sums, sums + column[:, None]), axis=1)
    return sums


def clusters(observed: ArrayLike, p_values: ArrayLike, level: float = 0.05) -> I64:
    """Return the number of each system's cluster, from 1, the best; significant is p < `level`.

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
    """Return the share of resamples in which A is not greater than B (Koehn 2004); one-sided.

    Each argument has one figure per resample, such as a correlation; row b of both
    comes from the same resample. A figure that is NaN is not greater.

    >>> difference([0.7, 0.8, 0.6, 0.9], [0.5, 0.8, 0.5, 0.5])
    0.25
    """
    a, b = np.asarray(of_a, dtype=np.float64), np.asarray(of_b, dtype=np.float64)
    return float(np.mean(~(a > b + _slack(b))))


def _slack(observed: F64) -> float:
    return ROUNDING * float(np.fmax.reduce(np.abs(observed), initial=0.0))  # NaN left out
