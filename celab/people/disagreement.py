"""Where a metric and another judge, such as people, disagree: on ranks of systems, and on segments.

Only systems that both have scored are ranked. Systems with equal scores share a rank, and a pair of
systems is ordered differently if each judge prefers another one of the two.

Judges have scales of their own, so each segment score is replaced by its *percentile* among all
outputs that both have scored: 0 for the lowest, 1 for the highest; equal scores share the mean of
their percentiles. Two outputs of a segment that the judges order differently differ by d in the
percentiles of one judge and by -e in those of the other; d + e, up to 2, is the size of the
disagreement. The size of a segment is the mean over its pairs of outputs, where a pair in the same
order counts 0. With only one system, it is the difference of the output's two percentiles.

For ranks without broken outputs (those that are not translations), each system is scored on the
segments of which it has a translation, so that systems are scored on different segments. Segments
whose references are copies are left out for all systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

import numpy as np

from celab.base.arrays import F64, Bools
from celab.corpus import Segment
from celab.corpus.model import SegmentName, names_of
from celab.findings.references import References
from celab.findings.translations.outputs import Outputs
from celab.metrics.judge_score import JudgeScore
from celab.metrics.scores import Score
from celab.statistics.difference import Difference
from celab.tables import sentences
from celab.tables.cells import Phrase
from celab.tables.table import NAME, SCORE, SEGMENT, TEXT, Column, Kind, Table, segment_columns

PEOPLE = "human"  # the judge of `--human`


@dataclass(frozen=True, slots=True, kw_only=True)
class RankComparison:
    """The first system by a metric and the first by another judge.

    Attributes:
        metric, judge: display names of the metric and the judge.
        first, judge_first: the system that the metric, or the judge, ranks first; the same system
            if the judge ranks none above the metric's first.
        rank: the rank of `first` by the judge.
        n_apart: number of pairs of systems that the two order differently.
        n_pairs: number of all pairs.
        rival: the system that `judge_first` is compared with: `first` or, if they are the same,
            the system that the judge ranks second.
        difference: difference of `judge_first` and `rival` in the judge's scores; None if it is not
            tested.
        disagreed: indices of the segments on which the two disagree most, each with the system that
            the metric prefers on it.
    """

    metric: str
    judge: str
    first: str
    judge_first: str
    rank: int
    n_apart: int
    n_pairs: int
    rival: str = ""
    difference: Difference | None = None
    disagreed: Sequence[tuple[int, str]] = ()

    @property
    def agrees(self) -> bool:
        """Whether the judge ranks no system above the metric's first."""
        return self.rank == 1

    @property
    def line(self) -> str:
        """The sentence for a terminal, on the ranks of two systems."""
        judge = "Human scores" if self.judge == PEOPLE else f"{self.judge} scores"
        p_text = "" if self.difference is None else self.difference.p_text
        p = f" (p {p_text})" if p_text else ""
        ranks = f"{judge} rank {self.judge_first} first and {self.first}"
        if self.n_pairs == 1:
            return f"{ranks} second{p}; {self.metric} ranks {self.first} first."
        return (
            f"{ranks} at {self.rank}{p}; {self.metric} ranks {self.first} first"
            f" ({self.n_apart} of {self.n_pairs} pairs reversed)."
        )


def compare_ranks(
    names: tuple[str, str],
    metric: Mapping[str, float],
    judge: Mapping[str, float],
    *,
    higher_is_better: tuple[bool, bool] = (True, True),
) -> RankComparison | None:
    """Return the ranks of systems by a metric and a judge; None unless both rank two systems.

    Parameters:
        names: display names of the metric and of the judge.
        metric, judge: scores of systems.
        higher_is_better: for the metric and for the judge.

    >>> ranks = compare_ranks(("chrF2", "human"), {"A": 50, "B": 40}, {"A": 80, "B": 90})
    >>> print(ranks.line)
    Human scores rank B first and A second; chrF2 ranks A first.
    """
    systems = [name for name in metric if name in judge]
    if len(systems) < 2:
        return None
    signs = [1 if is_higher else -1 for is_higher in higher_is_better]
    own = {name: signs[0] * metric[name] for name in systems}
    theirs = {name: signs[1] * judge[name] for name in systems}
    first = max(systems, key=own.__getitem__)
    rank = 1 + sum(theirs[name] > theirs[first] for name in systems)
    pairs = list(combinations(systems, 2))
    n_apart = sum((own[x] - own[y]) * (theirs[x] - theirs[y]) < 0 for x, y in pairs)
    judge_first = first if rank == 1 else max(systems, key=theirs.__getitem__)
    others = [name for name in systems if name != first]
    rival = first if rank > 1 else max(others, key=theirs.__getitem__)
    return RankComparison(
        metric=names[0],
        judge=names[1],
        first=first,
        judge_first=judge_first,
        rank=rank,
        n_apart=n_apart,
        n_pairs=len(pairs),
        rival=rival,
    )


def comparison_to_show(compared: Sequence[RankComparison]) -> RankComparison | None:
    """Return the comparison with people, or else with the first judge that ranks another first."""
    if not compared or compared[0].judge == PEOPLE:
        return next(iter(compared), None)
    return next((ranks for ranks in compared if not ranks.agrees), compared[0])


def non_translations(number: int) -> Phrase:
    """Return a number of outputs that look broken.

    >>> non_translations(1), non_translations(2)
    ('1 output that looks broken', '2 outputs that look broken')
    """
    if number == 1:
        return Phrase(sentences.ONE_BROKEN)
    return Phrase(sentences.BROKEN, str(number))


@dataclass(frozen=True, slots=True)
class TranslationRanks:
    """Ranks of systems by one metric, with all outputs and with translations alone.

    Attributes:
        counts: number of outputs that are not translations, of each system that has any.
        scores: for each system that has such outputs, its score without them.
        moved: for each system, the number of ranks that it gains without these outputs.
        passes: pairs of systems of which the first passes the second if these outputs are left out,
            in the order of the scores without them.
    """

    counts: dict[str, int]
    scores: dict[str, float]
    moved: dict[str, int]
    passes: tuple[tuple[str, str], ...]

    @property
    def n_outputs(self) -> int:
        """Number of outputs of all systems that are not translations."""
        return sum(self.counts.values())

    @property
    def sentence(self) -> Phrase:
        """The sentence on the ranks, with and without broken outputs."""
        outputs = non_translations(self.n_outputs)
        if not self.passes:
            return Phrase("Without {0}, every system keeps its rank.", outputs)
        first, second = self.passes[0]
        n_more = len(self.passes) - 1
        if not n_more:
            return Phrase("Without {0}, {1} passes {2}.", outputs, first, second)
        if n_more == 1:
            pattern = "Without {0}, {1} passes {2}, and another pair of systems changes places."
            return Phrase(pattern, outputs, first, second)
        return Phrase(
            "Without {0}, {1} passes {2}, and {3} other pairs of systems change places.",
            *(outputs, first, second, str(n_more)),
        )


def translation_ranks(scores: Mapping[str, Score], outputs: Outputs) -> TranslationRanks | None:
    """Return the ranks by one metric without broken outputs; None if there are none.

    A system without any translation keeps its score.
    """
    if not outputs.n_flagged or len(scores) < 2:
        return None
    sign = 1 if next(iter(scores.values())).higher_is_better else -1
    counts = outputs.flagged.count("system")
    without = {
        system: score.of_segments(outputs.translations(system))
        for system, score in scores.items()
        if counts[system]
    }
    without = {system: score for system, score in without.items() if not isnan(score)}
    before = {system: sign * score.score for system, score in scores.items()}
    after = before | {system: sign * score for system, score in without.items()}
    orders = [sorted(scores, key=values.__getitem__, reverse=True) for values in (before, after)]
    passes = tuple(
        (x, y)
        for x, y in combinations(orders[1], 2)
        if before[x] < before[y] and after[x] > after[y]
    )
    moved = {system: orders[0].index(system) - orders[1].index(system) for system in scores}
    return TranslationRanks(dict(counts), without, moved, passes)


@dataclass(frozen=True, slots=True)
class RankWithoutCopies:
    """A system whose outputs are in references, and its rank by one metric.

    Attributes:
        system: the system with the most copies.
        n_copies: number of segments whose reference is a copy or a close edit of its output.
        n_segments: number of all segments.
        rank: its rank with all segments.
        rank_without: its rank without the copies of any system; None if no segment is left.
    """

    system: str
    n_copies: int
    n_segments: int
    rank: int
    rank_without: int | None

    @property
    def sentence(self) -> Phrase:
        """The sentence on the rank of the system, with and without the copies."""
        copies = Phrase(
            sentences.COPIES_OF_SYSTEM,
            *(str(self.n_copies), str(self.n_segments), self.system),
        )
        if self.rank_without is None:
            return Phrase("{0}.", copies)
        if self.rank_without == self.rank:
            return Phrase(sentences.KEEPS_RANK, copies, str(self.rank))
        return Phrase(sentences.CHANGES_RANK, copies, str(self.rank_without), str(self.rank))


def rank_without_copies(
    scores: Mapping[str, Score], references: References, n_segments: int
) -> RankWithoutCopies | None:
    """Return the rank, by one metric, of the system that most references copy, or None."""
    if not references.copies or len(scores) < 2:
        return None
    places: dict[str, set[int]] = {}
    for row in references.copies:
        places.setdefault(row.system, set()).update(row.places)
    system = max(places, key=lambda name: len(places[name]))
    left = np.setdiff1d(np.arange(n_segments), references.copied_places)
    before = {name: score.score for name, score in scores.items()}
    after = {name: score.of_segments(left) for name, score in scores.items()} if len(left) else None
    sign = 1 if scores[system].higher_is_better else -1

    def rank(values: Mapping[str, float]) -> int:
        return 1 + sum(sign * value > sign * values[system] for value in values.values())

    return RankWithoutCopies(
        system=system,
        n_copies=len(places[system]),
        n_segments=n_segments,
        rank=rank(before),
        rank_without=None if after is None else rank(after),
    )


MAX_SEGMENTS_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A segment on which two judges disagree.

    Attributes:
        segment: name of the segment.
        document: its document, or "".
        systems: the two systems that the judges order most differently: the first judge prefers the
            first, the second judge the second. One system if there are no others.
        first, second: scores of these systems by the first judge and by the second.
        size: size of the disagreement, as defined above.
        place: index of the segment.
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
    ordered = sorted(names, key=lambda name: name != PEOPLE)
    return [(first, name) for name in ordered] if has_segments else []


def disagreements(
    first: Mapping[str, Score],
    second: Mapping[str, Score],
    segments: Sequence[Segment],
    most: int = MAX_SEGMENTS_NAMED,
    telling: Bools | None = None,
) -> tuple[Disagreement, ...]:
    """Return the segments on which two judges disagree most, the greatest disagreement first.

    Only segments that the mask `telling` has are returned (default: all), such as those with long
    enough references (`celab.systems.segment_order`).
    """
    systems = [system for system in first if system in second]
    if not systems:
        return ()
    scores = [np.stack([of[s].segments.scores for s in systems]) for of in (first, second)]
    signs = [1 if next(iter(of.values())).higher_is_better else -1 for of in (first, second)]
    both = ~np.isnan(scores[0]) & ~np.isnan(scores[1])
    places = [_percentiles(sign * matrix, both) for sign, matrix in zip(signs, scores, strict=True)]
    sizes, pairs = _sizes(*places)
    if telling is not None:
        sizes = np.where(telling, sizes, 0.0)
    order = [i for i in np.argsort(-sizes, kind="stable").tolist() if sizes[i] > 0][:most]
    rows, names = [], names_of(segments)
    for i in order:
        chosen = pairs[i]
        rows.append(
            Disagreement(
                segment=names[i],
                document=segments[i].document,
                systems=tuple(systems[k] for k in chosen),
                first=tuple(float(scores[0][k, i]) for k in chosen),
                second=tuple(float(scores[1][k, i]) for k in chosen),
                size=float(sizes[i]),
                place=i,
            )
        )
    return tuple(rows)


def _percentiles(scores: F64, known: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> F64:
    """Return the percentile of each output among the outputs in `known`, 0 to 1; NaN for others."""
    values = scores[known]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    # Equal values share the mean of their positions in the sorted list.
    means = ends - (counts + 1) / 2
    places = np.full(scores.shape, np.nan)
    places[known] = means[inverse] / max(len(values) - 1, 1)
    return places


def _sizes(first: F64, second: F64) -> tuple[F64, list[tuple[int, ...]]]:
    """Return the size of the disagreement on each segment, and the systems that show it."""
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
    title = f"Segments that {names[0]} and {names[1]} rank most differently"
    judges = [*zip(("first", "second"), names, digits, strict=True)]

    def figure(heading: str, judge: str, k: int, n: int) -> Column:
        return Column(heading, SCORE, lambda row: getattr(row, judge)[k], digits=n)

    def system(heading: str, k: int) -> Column:
        return Column(heading, NAME, lambda row: row.systems[k])

    columns = [Column("segment", SEGMENT, attrgetter("segment"))]
    if len(rows[0].systems) == 1:
        columns.append(system("system", 0))
        columns += [figure(name, judge, 0, n) for judge, name, n in judges]
    else:
        columns += [system(f"preferred by {name}", k) for k, name in enumerate(names)]
        for judge, name, n in judges:
            columns += [figure(f"{name}: 1st", judge, 0, n), figure("2nd", judge, 1, n)]
    return Table(columns=columns, rows=rows, title=title, fold=title)


def disagreement_rows(
    rows: Sequence[tuple[str, str, Disagreement]], index: Sequence[Any] | None
) -> Table:
    """Return the table that programs get, of rows that begin with the names of both judges."""

    def of_both(kind: Kind, attribute: str, *names: str) -> Iterator[Column]:
        for k, name in enumerate(names):

            def value(row: Any, k: int = k) -> Any:
                items = getattr(row[2], attribute)
                return items[k] if k < len(items) else None

            yield Column("", kind, value, name)

    columns = [
        Column("", TEXT, itemgetter(0), "judge"),
        Column("", TEXT, itemgetter(1), "other_judge"),
        *segment_columns(lambda row: row[2].segment, lambda row: row[2].place, index, heading=""),
        Column("", NAME, lambda row: row[2].document, "document"),
        *of_both(NAME, "systems", "system", "other"),
        *of_both(SCORE, "first", "first", "first_other"),
        *of_both(SCORE, "second", "second", "second_other"),
        Column("", SCORE, lambda row: row[2].size, "size"),
    ]
    return Table(name="disagreement", columns=columns, rows=rows)
