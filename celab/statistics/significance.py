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

What counts is how many segments differ in any of their statistics: where only a few do, the
bootstrap calls too many differences significant (`bench/false_positives.py`). So the p-value that
`paired_test` gives a pair is exact if fewer than 20 segments differ, comes from approximate
randomization if fewer than 100 do, and else from the chosen test.

With fewer than `MIN_SEGMENTS` segments in all, nothing is called significant either: all systems
are in one group and have all ranks.

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

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from celab.base.arrays import F64, I64, Bools, Strings
from celab.base.errors import OptionError
from celab.base.run import batches
from celab.statistics import resampling
from celab.statistics.difference import EXACT, MIN_SEGMENTS, Difference
from celab.statistics.documents import ResampleBy, group_statistics
from celab.statistics.resampling import Aggregate, Resampled, applied

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


Test = Literal["bootstrap", "randomization"]
TESTS: tuple[Test, ...] = ("bootstrap", "randomization")
TEST_NAMES = {
    "bootstrap": "paired bootstrap",
    "randomization": "approximate randomization",
    EXACT: "exact randomization",
}
# A test with a number here replaces the chosen test if fewer segments differ.
MIN_DIFFERENT_SEGMENTS = {EXACT: 20, "randomization": 100}
CONFIDENCE = 0.95
TIE_TOLERANCE = 1e-9  # segment scores that differ by no more are equal
# Share of the greatest score; smaller differences of scores come from rounding.
ROUNDING_TOLERANCE = 1e-12
MAX_SCORES_AT_ONCE = 2**17  # they fit a processor's cache


def check_test(test: str) -> None:
    """Raise `OptionError` if there is no such test."""
    if test not in TESTS:
        raise OptionError("test", test, f"choose from {', '.join(TESTS)}")


def name_tests(tests: Iterable[str], resample_by: str = "segment") -> str:
    """Return the names of the tests of some pairs, and when each but the first is used.

    >>> name_tests(["exact", "bootstrap", "exact"])
    'paired bootstrap, exact randomization if < 20 segments differ'
    >>> name_tests(["exact", "bootstrap", "randomization"])
    'paired bootstrap, approximate or exact randomization if < 100 or < 20 segments differ'
    """
    used = set(tests)
    first, *others = (test for test in TEST_NAMES if test in used)
    if not others:
        return TEST_NAMES[first]
    named = " or ".join(TEST_NAMES[test] for test in others).replace(" randomization or", " or")
    numbers = " or ".join(f"< {MIN_DIFFERENT_SEGMENTS[test]}" for test in others)
    return f"{TEST_NAMES[first]}, {named} if {numbers} {resample_by}s differ"


@dataclass(frozen=True, kw_only=True)
class PairedTest:
    """Systems that were tested against each other on the same draws.

    Attributes:
        resampled: scores of the systems on each resample.
        p_values: systems × systems, symmetric, 1 on the diagonal.
        tests: test that each p-value comes from: "bootstrap", "randomization" or `EXACT`.
        n_different: number of segments, or documents, on which two systems have different
            statistics.
        test: the chosen test; `EXACT` if there are fewer than `MIN_SEGMENTS` segments.
        n_segments: number of all segments.
        n_resamples, seed: as they were given.
        resample_by: unit that was drawn and exchanged.
    """

    resampled: Resampled
    p_values: F64
    tests: Strings
    n_different: I64
    test: str
    n_segments: int
    n_resamples: int
    seed: int
    resample_by: ResampleBy = "segment"

    def difference(
        self, i: int = 0, j: int = 1, *, higher_is_better: bool = True, digits: int = 4
    ) -> Difference:
        """Return the difference of two systems, with its 95% interval and p.

        Parameters:
            i, j: rows of both systems.
            higher_is_better: whether the system with the higher score is better.
            digits: number of decimals to show.
        """
        a, b = (float(self.resampled.observed[k]) for k in (i, j))
        return Difference(
            a=a,
            b=b,
            interval=pair_interval(self.resampled, i, j, CONFIDENCE),
            p=float(self.p_values[i, j]),
            test=str(self.tests[i, j]),
            n_resamples=self.n_resamples,
            seed=self.seed,
            n_segments=self.n_segments,
            n_different=int(self.n_different[i, j]),
            resample_by=self.resample_by,
            higher_is_better=higher_is_better,
            digits=digits,
        )


def paired_test(
    statistics: ArrayLike,
    aggregate: Aggregate = resampling.mean,
    *,
    test: str = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    pairs: Bools | None = None,
    documents: ArrayLike | None = None,
) -> PairedTest:
    """Test pairs of systems; every p-value of the package comes from here.

    `statistics` are those of systems × segments, or of systems × segments × k. `test` is
    "bootstrap" or "randomization"; where few segments differ, another takes its place. Intervals
    always come from the bootstrap. `pairs[i, j]`, i < j, says whether a pair is tested (default:
    all are). With `documents`, the number of that of each segment, documents are drawn and
    exchanged in place of segments, and counted in `n_different`.

    >>> tested = paired_test([[0.9, 0.8, 0.7], [0.1, 0.2, 0.3]], n_resamples=200)
    >>> round(tested.difference().value, 4), tested.test, float(tested.p_values[0, 1])
    (0.6, 'exact', 0.25)
    """
    n_segments = resampling.checked_statistics(statistics).shape[2]
    statistics, aggregate = group_statistics(statistics, aggregate, documents)
    checked = resampling.checked_statistics(statistics)
    n_systems = checked.shape[1]
    chosen = _all_pairs(n_systems) if pairs is None else pairs
    resampled = resampling.scores_of(statistics, aggregate, n_resamples, seed)
    n_different = np.zeros((n_systems, n_systems), np.int64)
    for i, others in _rows(chosen):
        differs = (checked[:, others] != checked[:, i : i + 1]).any(axis=0)
        n_different[i, others] = n_different[others, i] = differs.sum(axis=1)
    is_short = [n_different < fewest for fewest in MIN_DIFFERENT_SEGMENTS.values()]
    tests = np.select(is_short, list(MIN_DIFFERENT_SEGMENTS), test)
    functions: dict[str, Callable[[Bools], F64]] = {
        "bootstrap": lambda pairs: paired_bootstrap(resampled, pairs),
        "randomization": lambda pairs: paired_randomization(
            statistics, aggregate, n_resamples, seed, pairs
        ),
        EXACT: lambda pairs: exact_randomization(statistics, aggregate, pairs),
    }
    p_values = np.ones((n_systems, n_systems))
    for name, function in functions.items():
        if (of_test := chosen & (tests == name)).any():
            p_values = np.where(of_test | of_test.T, function(of_test), p_values)
    return PairedTest(
        resampled=resampled,
        p_values=p_values,
        tests=tests,
        n_different=n_different,
        test=EXACT if n_segments < MIN_SEGMENTS else test,
        n_segments=n_segments,
        n_resamples=n_resamples,
        seed=seed,
        resample_by="segment" if documents is None else "document",
    )


def _all_pairs(n_systems: int) -> Bools:
    return np.triu(np.ones((n_systems, n_systems), np.bool_), 1)


def _rows(pairs: Bools) -> Iterator[tuple[int, I64]]:
    """Yield each system, and the later systems that it is tested against, unless there are none."""
    for i, row in enumerate(pairs):
        if row.any():
            yield i, np.flatnonzero(row)


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


def paired_bootstrap(resampled: Resampled, pairs: Bools | None = None) -> F64:
    """Return two-sided p-values, systems × systems, symmetric; 1 where a pair is not tested."""
    n_resamples, n_systems = resampled.scores.shape
    slack = _slack(resampled.observed)
    p_values = np.ones((n_systems, n_systems))
    for i, others in _rows(_all_pairs(n_systems) if pairs is None else pairs):
        apart = resampled.scores[:, i : i + 1] - resampled.scores[:, others]
        tails = [(~(side * apart > slack)).sum(axis=0) for side in (1, -1)]  # NaN is in both
        p = np.minimum(1.0, 2 * (np.minimum(*tails) + 1) / (n_resamples + 1))
        p_values[i, others] = p_values[others, i] = p
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
    pairs: Bools | None = None,
) -> F64:
    """Return two-sided p-values by approximate randomization, as `paired_bootstrap` does.

    >>> paired_randomization([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    exact = resampling.summable(resampling.checked_statistics(statistics))
    k, n_systems, n_segments = exact.shape
    total = exact.sum(axis=-1)[:, :, None]
    observed = applied(aggregate, total[:, :, 0], n_segments)
    least = np.abs(observed[:, None] - observed) - _slack(observed)
    chosen_pairs = _all_pairs(n_systems) if pairs is None else pairs
    counts = np.where(chosen_pairs, 0, n_trials)
    for chosen in resampling.swaps(n_segments, n_trials, seed):
        exchanged = resampling.sums(exact, chosen)
        for rows in batches(len(chosen), max(1, MAX_SCORES_AT_ONCE // (n_systems * k))):
            part = exchanged[:, :, rows]
            for i, others in _rows(chosen_pairs):
                move = part[:, others] - part[:, i : i + 1]
                first = applied(aggregate, total[:, i : i + 1] + move, n_segments)
                second = applied(aggregate, total[:, others] - move, n_segments)
                chance = ~(np.abs(first - second) < least[i, others, None])
                counts[i, others] += chance.sum(axis=1)
    return np.asarray((np.where(chosen_pairs, counts, counts.T) + 1) / (n_trials + 1))


def exact_randomization(
    statistics: ArrayLike, aggregate: Aggregate = resampling.mean, pairs: Bools | None = None
) -> F64:
    """Return two-sided p-values by all 2^n exchanges of the n segments, as `paired_bootstrap` does.

    Segments on which both systems have the same statistics are exchanged without effect, and an
    exchange of all others mirrors the difference, so that 2^(m - 1) sums are enough for the m
    segments that differ.

    >>> exact_randomization([[0.9, 0.8, 0.7], [0.1, 0.2, 0.7]])[0].tolist()
    [1.0, 0.5]
    """
    checked = resampling.checked_statistics(statistics)
    _, n_systems, n_segments = checked.shape
    total = checked.sum(axis=-1)
    observed = applied(aggregate, total, n_segments)
    p_values = np.ones((n_systems, n_systems))
    for i, others in _rows(_all_pairs(n_systems) if pairs is None else pairs):
        for j in others.tolist():
            moves = checked[:, j] - checked[:, i]
            moves = moves[:, (moves != 0).any(axis=0)]
            least = abs(observed[i] - observed[j]) - _slack(observed)
            sides = total[:, i], total[:, j]
            if aggregate in (resampling.mean, resampling.ratio) and not moves[1:].any():
                scale = n_segments if aggregate is resampling.mean else sides[0][1]
                share = _share_of_sums(moves[0], sides[0][0] - sides[1][0], least * scale)
            else:
                share = _share_of_scores(moves, sides, least, aggregate, n_segments)
            p_values[i, j] = p_values[j, i] = share
    return p_values


def _share_of_sums(moves: F64, difference: float, least: float) -> float:
    """Return the share of exchanges with a difference of sums of at least `least`, either way.

    The sums of all subsets are those of one half of the moves plus those of the other, which are
    looked up in order, so that 2^(m / 2) steps count 2^m exchanges.
    """
    if not least > 0:  # also NaN
        return 1.0
    first, second = (_subset_sums(half[None])[0] for half in (moves[::2], moves[1::2]))
    second.sort()
    start = difference / 2 + first
    n_above = len(second) - np.searchsorted(second, least / 2 - start, "left")
    n_below = np.searchsorted(second, -least / 2 - start, "right")
    return float((n_above + n_below).sum() / (len(first) * len(second)))


def _share_of_scores(
    moves: F64, sides: tuple[F64, F64], least: float, aggregate: Aggregate, n_segments: int
) -> float:
    """Return the share of exchanges with a difference of scores of at least `least`, either way."""
    exchanged = _subset_sums(moves[:, 1:])
    n_beyond = 0
    for rows in batches(exchanged.shape[1], max(1, MAX_SCORES_AT_ONCE // len(moves))):
        part = exchanged[:, rows]
        first = applied(aggregate, sides[0][:, None] + part, n_segments)
        second = applied(aggregate, sides[1][:, None] - part, n_segments)
        n_beyond += int((~(np.abs(first - second) < least)).sum())  # NaN counts
    return n_beyond / int(exchanged.shape[1])


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


def share_not_greater(of_a: ArrayLike, of_b: ArrayLike) -> float:
    """Return the share of resamples in which A is not greater than B (Koehn 2004); one-sided.

    Each argument has one figure per resample, such as a correlation; row b of both
    comes from the same resample. A figure that is NaN is not greater.

    >>> share_not_greater([0.7, 0.8, 0.6, 0.9], [0.5, 0.8, 0.5, 0.5])
    0.25
    """
    a, b = np.asarray(of_a, dtype=np.float64), np.asarray(of_b, dtype=np.float64)
    return float(np.mean(~(a > b + _slack(b))))


def _slack(observed: F64) -> float:
    return ROUNDING_TOLERANCE * float(np.fmax.reduce(np.abs(observed), initial=0.0))  # NaN left out
