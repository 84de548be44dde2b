"""Where two judges disagree: the segments whose outputs they rank most differently.

Judges have scales of their own, so each score becomes its place among all outputs that both have
scored: 0 for the worst, 1 for the best, the mean of their places for equal ones. On a segment, two
outputs that the judges order differently differ by d in the places of one judge and by -e in those
of the other; d + e is the size of the disagreement, up to 2. The size of a segment is the mean over
its pairs of outputs, where a pair in the same order counts 0. If there is only one system, it is
the difference between the output's places by the two judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from celab.base.arrays import F64
from celab.base.frozen import dataclass
from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import Table
from celab.corpus import Segment
from celab.corpus.model import SegmentName, names_of
from celab.metrics.judge_score import JudgeScore
from celab.metrics.scores import Score

MOST = 10  # segments that are named


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A segment on which two judges disagree.

    Attributes:
        segment: its name.
        document: its document, or "".
        systems: the two systems that they order most differently: the first is better by the first
            judge, the second by the second judge. Only one if there are no others.
        first, second: scores of these systems by the first judge and by the second.
        size: how much they disagree.
        place: the place of the segment, from 0.
    """

    segment: SegmentName
    document: str
    systems: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    size: float
    place: int = 0
    _omitted: ClassVar = frozenset({"place"})


def judge_pairs(scores: Mapping[str, Mapping[str, Score]]) -> list[tuple[str, str]]:
    """Return the first metric with each other judge that has scored segments, people first."""
    names = [
        name
        for name, by_system in list(scores.items())[1:]
        if all(isinstance(score, JudgeScore) for score in by_system.values())
        and any(score.segments.scored.any() for score in by_system.values())
    ]
    first = next(iter(scores), "")
    has_segments = any(s.segments.scored.any() for s in scores.get(first, {}).values())
    ordered = sorted(names, key=lambda name: name != "human")
    return [(first, name) for name in ordered] if has_segments else []


def disagreements(
    first: Mapping[str, Score],
    second: Mapping[str, Score],
    segments: Sequence[Segment],
    most: int = MOST,
) -> tuple[Disagreement, ...]:
    """Return the segments on which two judges disagree most, the greatest disagreement first."""
    systems = [system for system in first if system in second]
    if not systems:
        return ()
    scores = [np.stack([of[s].segments.scores for s in systems]) for of in (first, second)]
    signs = [1 if next(iter(of.values())).higher_is_better else -1 for of in (first, second)]
    both = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
    places = [_places(sign * matrix, both) for sign, matrix in zip(signs, scores, strict=True)]
    sizes, pairs = _sizes(*places)
    order = [i for i in np.argsort(-sizes, kind="stable").tolist() if sizes[i] > 0][:most]
    rows, names = [], names_of(segments)
    for i in order:
        chosen = pairs[i]
        rows.append(
            Disagreement(
                names[i],
                segments[i].document,
                tuple(systems[k] for k in chosen),
                tuple(float(scores[0][k, i]) for k in chosen),
                tuple(float(scores[1][k, i]) for k in chosen),
                float(sizes[i]),
                i,
            )
        )
    return tuple(rows)


def _places(scores: F64, known: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> F64:
    """Return the place of each output among all that are known, from 0 to 1; NaN for others."""
    values = scores[known]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means = ends - (counts + 1) / 2  # of the places, from 0, that equal values take
    places = np.full(scores.shape, np.nan)
    places[known] = means[inverse] / max(len(values) - 1, 1)
    return places


def _sizes(first: F64, second: F64) -> tuple[F64, list[tuple[int, ...]]]:
    """Return the size of each segment's disagreement, and the systems that show it best."""
    n_systems, n_segments = first.shape
    if n_systems == 1:
        return np.nan_to_num(np.abs(first[0] - second[0])), [(0,)] * n_segments
    total, n_pairs = np.zeros(n_segments), np.zeros(n_segments)
    greatest = np.zeros(n_segments)
    pairs: list[tuple[int, ...]] = [(0, 1)] * n_segments
    for i, j in combinations(range(n_systems), 2):
        d, e = first[i] - first[j], second[i] - second[j]
        size = np.where(d * e < 0, np.abs(d) + np.abs(e), 0.0)
        total += size
        n_pairs += ~np.isnan(d)
        for s in np.flatnonzero(size > greatest).tolist():
            greatest[s] = size[s]
            pairs[s] = (i, j) if d[s] > 0 else (j, i)
    return total / np.maximum(n_pairs, 1), pairs


def disagreement_table(
    names: Sequence[str], digits: Sequence[int], rows: Sequence[Disagreement]
) -> Table:
    """Return the segments on which two judges disagree; the first system is the first's choice."""
    lines: list[list[Cell | str]] = []
    is_single = len(rows[0].systems) == 1
    for row in rows:
        both = zip((row.first, row.second), digits, strict=True)
        figures = [cells.score(value, n) for values, n in both for value in values]
        lines.append([str(row.segment), *map(cells.name, row.systems), *figures])
    title = f"Segments that {names[0]} and {names[1]} rank most differently"
    if is_single:
        headings = ["segment", "system", *names]
    else:
        systems = [f"better by {name}" for name in names]
        headings = ["segment", *systems, *(x for name in names for x in (f"{name}: 1st", "2nd"))]
    right = [0, *range(len(headings) - 2 * len(rows[0].systems), len(headings))]
    return Table(headings, lines, right=right, title=title, fold=title)
