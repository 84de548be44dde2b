"""The columns of scores: of systems with all figures, and of their segments or documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.base.view.record import Field, Record, fields
from celab.base.view.tables import Table
from celab.corpus.model import SegmentName, names_of
from celab.evaluation.systems.judged import compared_score

if TYPE_CHECKING:
    from celab.evaluation.lengths import Lengths
    from celab.evaluation.systems.scored import Scored
    from celab.metrics.scores import Score

RATES = ("precision", "recall")
RANKS = ("best_rank", "worst_rank", "group")


# ---- systems ----


class SystemRow(NamedTuple):
    """A system by a metric; `ranks` and `p_values` are empty unless they were compared."""

    metric: str
    system: str
    value: float  # of the segments that are compared
    score: Score
    interval: Sequence[float]
    ranks: Sequence[int]  # the best, the worst, and the group
    p_values: Mapping[str, float]  # against the other systems
    length_ratio: float | None


def system_record(systems: Sequence[str] = ()) -> Record:
    """Return the columns of systems, with p-values against these."""
    return Record(
        Field("metric", "text"),
        Field("system", "name"),
        Field("score", "number", attrgetter("value")),
        *(Field(name, "number", attrgetter(f"score.{name}")) for name in RATES),
        *(Field(name, "number", _item("interval", i)) for i, name in enumerate(("low", "high"))),
        *(Field(name, "integer", _item("ranks", i)) for i, name in enumerate(RANKS)),
        *(Field(f"p {name}", "number", _p_value(name)) for name in systems),
        Field("signature", "text", attrgetter("score.signature")),
        Field("length_ratio", "number"),
    )


def _item(name: str, place: int) -> Callable[[SystemRow], float | None]:
    def item(row: SystemRow) -> float | None:
        items = getattr(row, name)
        return items[place] if items else None

    return item


def _p_value(system: str) -> Callable[[SystemRow], float | None]:
    return lambda row: row.p_values.get(system)


def system_rows(scored: Scored) -> Iterator[SystemRow]:
    """Yield a row per metric and system; the best system is first if they were compared."""
    lengths = scored.lengths
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for i, name in enumerate(comparison.systems if comparison else of_metric):
            ranks: list[int] = []
            p_values: dict[str, float] = {}
            if comparison:
                ranks = [*comparison.ranks[i].tolist(), int(comparison.groups[i])]
                p_values = dict(
                    zip(comparison.systems, comparison.p_values[i].tolist(), strict=True)
                )
            value = compared_score(scored, metric, name)
            interval = scored.interval(metric, name) or ()
            ratio = None if lengths is None else lengths.ratio(name)
            yield SystemRow(metric, name, value, of_metric[name], interval, ranks, p_values, ratio)


def system_table(scored: Scored) -> Table:
    """Return all figures of all systems."""
    names = sorted(scored.system_names) if scored.comparisons else []
    record = system_record(names)
    left_out = set() if scored.comparisons else {*RANKS}
    if not (scored.comparisons or scored.intervals):
        left_out |= {"low", "high"}
    if scored.lengths is None:
        left_out.add("length_ratio")
    shown = [name for name in record.fields if name not in left_out]
    return replace(record.table([*system_rows(scored)], shown), right=())


# ---- segments and documents ----


class UnitRow(NamedTuple):
    """A segment or a document of a system by a metric."""

    metric: str
    system: str
    document: str
    id: str  # of a segment
    name: SegmentName  # by which it is told from those of other documents
    numbers: Sequence[float | None]  # score, precision and recall; None if it was skipped
    output: str | None = None  # what it is instead of a translation
    length_ratio: float | None = None


def _number(place: int) -> Callable[[UnitRow], float | None]:
    return lambda row: row.numbers[place] if place < len(row.numbers) else None


UNITS = Record(
    *fields("text", "metric", "system", "document"),
    Field("segment", "text", attrgetter("id")),
    Field("name", "segment", column="segment"),
    *(Field(x, "number", _number(i), digits=6) for i, x in enumerate(("score", *RATES))),
    Field("output", "text"),
    Field("length_ratio", "number", digits=6),
)


def unit_rows(scored: Scored, level: str) -> Iterator[UnitRow]:
    """Yield a row per metric, system, and document or segment."""
    lengths = scored.lengths if level == "segment" else None
    for metric, of_metric in scored.scores.items():
        for system, score in of_metric.items():
            if not score.segments.scored.any():  # only the score of the system is known
                continue
            if level == "document":
                yield from _documents(scored, metric, system, score)
            else:
                yield from _segments(scored, metric, system, score, lengths)


def _documents(scored: Scored, metric: str, system: str, score: Score) -> Iterator[UnitRow]:
    for name, places in scored.by_document().items():
        yield UnitRow(metric, system, name, "", "", _known([score.of_segments(places)]))


def _segments(
    scored: Scored, metric: str, system: str, score: Score, lengths: Lengths | None
) -> Iterator[UnitRow]:
    names, figures = names_of(scored.segments), score.segments.figures.tolist()
    absent = [None] * len(names)
    outputs = absent if scored.outputs is None else scored.outputs.by_segment(system)
    ratios = absent if lengths is None else lengths.ratios(system)
    for segment, name, numbers, kind, ratio in zip(
        scored.segments, names, figures, outputs, ratios, strict=True
    ):
        known = _known(numbers)
        yield UnitRow(metric, system, segment.document, segment.id, name, known, kind, ratio)


def _known(numbers: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers]


def unit_table(scored: Scored, level: str) -> Table:
    """Return a row per document or segment; several metrics or systems have a column."""
    is_segment = level == "segment"
    all_scores = [score for of in scored.scores.values() for score in of.values()]
    has_column = {
        "metric": len(scored.scores) > 1,
        "system": len(scored.system_names) > 1,
        "document": not is_segment or any(s.document for s in scored.segments[:1]),
        "segment": is_segment,
        "score": True,
        **dict.fromkeys(RATES, is_segment and any(x.precision is not None for x in all_scores)),
        "output": is_segment and scored.outputs is not None,
        "length_ratio": is_segment and scored.lengths is not None,
    }
    shown = [name for name, has in has_column.items() if has]
    return replace(UNITS.table([*unit_rows(scored, level)], shown), right=())
