"""Columns → the change of each version, its p-value, and whether it is marked.

A change is the score of a version minus that of the version before it, or of one version that all
are compared with. It is tested by a paired bootstrap over the segments that both have, if both
files have segments and the score is their mean. All tests of a board are corrected together, by
Holm's method (1979): a difference is marked if it is significant at 0.05 after the correction. The
number of resamples, max(1,000, 40 × tests), lets the least p-value pass even the first step of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from celab.base.arrays import F64
from celab.evaluation.board.reading import StoredScore
from celab.evaluation.board.set_columns import Column
from celab.statistics import resampling
from celab.statistics.resampling import Resampled
from celab.statistics.significance import (
    FEWEST_SEGMENTS,
    SIGNIFICANT,
    exact_randomization,
    paired_bootstrap,
)

Marked = Literal["better", "worse"]


class Change(NamedTuple):
    """A version against another: the difference, its p-value if it was tested, and its mark.

    All are None if there is no other version.
    """

    difference: float | None
    p: float | None
    mark: Marked | None


class _Pair(NamedTuple):
    """A score, that of the other version, and the segments of both that both have."""

    score: StoredScore
    other: StoredScore
    segments: F64 | None  # two rows

    @property
    def difference(self) -> float:
        if self.segments is None:
            return self.score.score - self.other.score
        first, second = self.segments.mean(axis=1).tolist()
        return float(first - second)

    @property
    def is_tested(self) -> bool:
        return self.segments is not None and self.segments.shape[1] >= FEWEST_SEGMENTS


def changes_of(
    columns: Sequence[Column],
    *,
    by_system: bool,
    against: str | None = None,
    seed: int = resampling.SEED,
) -> tuple[dict[StoredScore, Change], int]:
    """Return the change of each score that has another to be compared with; and how many tests."""
    pairs = [pair for column in columns for pair in _pairs(column, by_system, against)]
    tested = [pair for pair in pairs if pair.is_tested]
    p_values = _bootstrap_p_values(tested, max(1000, 40 * len(tested)), seed)
    significant = dict(zip(map(id, tested), holm(p_values), strict=True))
    by_pair = dict(zip(map(id, tested), p_values, strict=True))
    changes = {}
    for pair in pairs:
        p = by_pair.get(id(pair))
        if p is None and pair.segments is not None:
            p = float(exact_randomization(pair.segments)[0, 1])
        mark: Marked | None = None
        if significant.get(id(pair)):
            is_better = (pair.difference > 0) == pair.score.higher_is_better
            mark = "better" if is_better else "worse"
        changes[pair.score] = Change(pair.difference, p, mark)
    return changes, len(tested)


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
                yield _Pair(score, other, _shared_segments(score, other))


def _shared_segments(score: StoredScore, other: StoredScore) -> F64 | None:
    if score.segments is None or other.segments is None:
        return None
    both = np.stack((score.segments, other.segments))
    shared: F64 = both[:, ~np.isnan(both).any(axis=0)]
    return shared if shared.shape[1] else None


def _bootstrap_p_values(pairs: Sequence[_Pair], n_resamples: int, seed: int) -> list[float]:
    """Return the p-value of each pair; pairs with as many segments share their resamples."""
    by_size: defaultdict[int, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        assert pair.segments is not None
        by_size[pair.segments.shape[1]].append(place)
    p_values = [1.0] * len(pairs)
    for places in by_size.values():
        rows: dict[bytes, int] = {}  # most versions are in two pairs
        in_rows = []
        for place in places:
            both = np.ascontiguousarray(pairs[place].segments)
            in_rows.append([rows.setdefault(row.tobytes(), len(rows)) for row in both])
        statistics = np.array([np.frombuffer(row) for row in rows])
        drawn = resampling.scores_of(statistics, n_resamples=n_resamples, seed=seed)
        for place, chosen in zip(places, in_rows, strict=True):
            resampled = Resampled(drawn.observed[chosen], drawn.scores[:, chosen])
            p_values[place] = float(paired_bootstrap(resampled)[0, 1])
    return p_values
