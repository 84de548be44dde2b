"""Columns → the change of each version, its p-value, and whether it is marked.

A change is the score of a version minus that of the version before it, or of one version that all
are compared with. It is tested on the segments that both have (`paired_test`), if both files have
their scores, or the counts that BLEU and its like are made of. Fewer than 20 segments are no test,
unless both are the same. All tests of a board are corrected together, by Holm's method (1979): a
difference is marked if it is significant at 0.05 after the correction. There are so many resamples
that the least p-value passes even the first step of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from celab.base.arrays import F64
from celab.evaluation.board.reading import Column, StoredScore
from celab.statistics import resampling
from celab.statistics.significance import FEWEST_SEGMENTS, SIGNIFICANT, paired_test

Marked = Literal["better", "worse"]
TOO_FEW = f"fewer than {FEWEST_SEGMENTS} segments"
APART = "other versions have other references or settings"


class Change(NamedTuple):
    """A version against another; all are None if there is no other version.

    `test` is the one that p comes from, and `untested` says why there is none that counts.
    """

    difference: float | None = None
    p: float | None = None
    mark: Marked | None = None
    test: str | None = None
    untested: str | None = None


class _Pair(NamedTuple):
    """A score, that of the other version, and the statistics of the segments that both have."""

    score: StoredScore
    other: StoredScore
    statistics: F64  # 2 × segments × k

    @property
    def untested(self) -> str | None:
        """Why there is no test; None if there is one."""
        n_segments = self.statistics.shape[1]
        if not n_segments:
            unknown = (x.unknown for x in (self.score, self.other) if x.unknown)
            return next(unknown, "no segment has both scores")
        is_same = np.array_equal(*self.statistics)
        return None if is_same or n_segments >= FEWEST_SEGMENTS else TOO_FEW

    @property
    def difference(self) -> float:
        n_segments = self.statistics.shape[1]
        if not n_segments:
            return self.score.score - self.other.score
        sums = self.statistics.sum(axis=1)
        first, second = (float(self.score.aggregate(side, n_segments)) for side in sums)
        return first - second


def resamples_for(n_tests: int) -> int:
    """Return the number of resamples for a board with so many tests."""
    return max(1000, 40 * n_tests)


def changes_of(
    columns: Sequence[Column],
    versions: Sequence[str],
    *,
    by_system: bool,
    against: str | None = None,
    seed: int = resampling.SEED,
) -> tuple[dict[StoredScore, Change], int]:
    """Return the change of each score that has another to be compared with; and how many tests."""
    pairs = [pair for column in columns for pair in _pairs(column, by_system, against)]
    n_tests = sum(pair.untested is None for pair in pairs)
    tested = _p_values(pairs, resamples_for(n_tests), seed)
    counted = [pair for pair in pairs if pair.untested is None]
    significant = holm([tested[pair.score][0] for pair in counted])
    marked = {pair.score for pair, is_marked in zip(counted, significant, strict=True) if is_marked}
    changes = {}
    for pair in pairs:
        is_better = (pair.difference > 0) == pair.score.higher_is_better
        mark: Marked | None = ("better" if is_better else "worse") if pair.score in marked else None
        p, test = tested.get(pair.score, (None, None))
        changes[pair.score] = Change(pair.difference, p, mark, test, pair.untested)
    for scores in series_of(columns, versions, by_system):
        others = scores[:1] if against is None else [x for x in scores if x.version == against]
        for score in scores:
            if others and score not in (*others, *changes):
                changes[score] = Change(untested=APART)
    return changes, n_tests


def series_of(
    columns: Sequence[Column], versions: Sequence[str], by_system: bool
) -> list[list[StoredScore]]:
    """Return the scores of each set, metric and system, the oldest version first."""
    series: defaultdict[tuple[str, ...], list[StoredScore]] = defaultdict(list)
    for column in columns:
        for score in column.scores:
            series[score.set, score.metric, score.system if by_system else ""].append(score)
    rank = {version: place for place, version in enumerate(versions)}
    return [sorted(scores, key=lambda x: rank[x.version]) for scores in series.values()]


def holm(p_values: Sequence[float], level: float = SIGNIFICANT) -> list[bool]:
    """Return which p-values are significant after Holm's correction.

    >>> holm([0.04, 0.001, 0.02])
    [True, True, True]
    >>> holm([0.04, 0.03, 0.001])
    [False, False, True]
    """
    n, significant = len(p_values), [False] * len(p_values)
    for step, place in enumerate(sorted(range(n), key=p_values.__getitem__)):
        if not p_values[place] * (n - step) < level:
            break
        significant[place] = True
    return significant


def _pairs(column: Column, by_system: bool, against: str | None) -> Iterator[_Pair]:
    series: defaultdict[str, list[StoredScore]] = defaultdict(list)
    for score in column.scores:
        series[score.system if by_system else ""].append(score)
    for scores in series.values():
        if against is None:
            others: Sequence[StoredScore | None] = [None, *scores[:-1]]
        else:
            chosen = next((score for score in scores if score.version == against), None)
            others = [chosen] * len(scores)
        for score, other in zip(scores, others, strict=True):
            if other is not None and other is not score:
                yield _Pair(score, other, _shared_statistics(score, other))


def _shared_statistics(score: StoredScore, other: StoredScore) -> F64:
    if score.statistics is None or other.statistics is None:
        return np.empty((2, 0, 1))
    both = np.stack((score.statistics, other.statistics))
    return both[:, ~np.isnan(both).any(axis=(0, 2))]


def _p_values(
    pairs: Sequence[_Pair], n_resamples: int, seed: int
) -> dict[StoredScore, tuple[float, str]]:
    """Return p and the test of each pair; those with as many segments share their resamples."""
    groups: defaultdict[object, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.statistics.shape[1]:
            groups[pair.statistics.shape, pair.score.aggregate].append(pair)
    p_values = {}
    for group in groups.values():
        rows: dict[bytes, int] = {}  # most versions are in two pairs
        places = [
            [rows.setdefault(side.tobytes(), len(rows)) for side in pair.statistics]
            for pair in group
        ]
        shape = group[0].statistics.shape[1:]
        statistics = np.array([np.frombuffer(row).reshape(shape) for row in rows])
        chosen = np.zeros((len(rows), len(rows)), np.bool_)
        for first, second in places:
            chosen[min(first, second), max(first, second)] = first != second
        tested = paired_test(
            statistics, group[0].score.aggregate, n_resamples=n_resamples, seed=seed, pairs=chosen
        )
        for pair, (first, second) in zip(group, places, strict=True):
            p = float(tested.p_values[first, second])
            p_values[pair.score] = p, str(tested.tests[first, second])
    return p_values
