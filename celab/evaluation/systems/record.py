"""The columns of scores: of systems with all figures, and of their segments or documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject
from celab.base.view.record import Field, Record, fields
from celab.base.view.tables import Table
from celab.corpus.model import names_of
from celab.evaluation.systems.judged import compared_score

if TYPE_CHECKING:
    from celab.evaluation.lengths import Lengths
    from celab.evaluation.systems.scored import Scored
    from celab.metrics.scores import Score

RATES = ("precision", "recall")
FIGURES = ("score", *RATES)
RANKS = ("best_rank", "worst_rank", "group")


# ---- systems ----


def system_record(systems: Sequence[str] = ()) -> Record:
    """Return the columns of systems, with p-values against these."""
    return Record(
        Field("metric", "text"),
        Field("system", "name"),
        *fields("number", "score", *RATES, "low", "high"),
        *fields("integer", *RANKS),
        *fields("number", *(f"p {name}" for name in systems)),
        Field("signature", "text"),
        Field("length_ratio", "number"),
    )


def system_rows(scored: Scored) -> Iterator[JsonObject]:
    """Yield a row per metric and system; the best system is first if they were compared."""
    lengths = scored.lengths
    for metric, of_metric in scored.scores.items():
        comparison = scored.comparisons.get(metric)
        for i, name in enumerate(comparison.systems if comparison else of_metric):
            score, interval = of_metric[name], scored.interval(metric, name) or (None, None)
            row: JsonObject = {
                **{"metric": metric, "system": name, "score": compared_score(scored, metric, name)},
                **{rate: getattr(score, rate) for rate in RATES},
                **dict(zip(("low", "high"), interval, strict=True)),
                "signature": score.signature,
                "length_ratio": None if lengths is None else lengths.ratio(name),
            }
            if comparison:
                ranks = (*comparison.ranks[i].tolist(), int(comparison.groups[i]))
                row |= dict(zip(RANKS, ranks, strict=True))
                p_values = zip(comparison.systems, comparison.p_values[i].tolist(), strict=True)
                row |= {f"p {other}": p for other, p in p_values}
            yield row


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


UNITS = Record(
    *fields("text", "metric", "system", "document", "segment"),
    Field("name", "segment", column="segment"),
    *(Field(name, "number", digits=6) for name in FIGURES),
    Field("output", "text"),
    Field("length_ratio", "number", digits=6),
)


def unit_rows(scored: Scored, level: str) -> Iterator[JsonObject]:
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


def _documents(scored: Scored, metric: str, system: str, score: Score) -> Iterator[JsonObject]:
    for name, places in scored.by_document().items():
        about = {"metric": metric, "system": system, "document": name}
        yield about | _known([score.of_segments(places)])


def _segments(
    scored: Scored, metric: str, system: str, score: Score, lengths: Lengths | None
) -> Iterator[JsonObject]:
    names, figures = names_of(scored.segments), score.segments.figures.tolist()
    absent = [None] * len(names)
    outputs = absent if scored.outputs is None else scored.outputs.by_segment(system)
    ratios = absent if lengths is None else lengths.ratios(system)
    for segment, name, numbers, kind, ratio in zip(
        scored.segments, names, figures, outputs, ratios, strict=True
    ):
        yield {
            **{"metric": metric, "system": system, "document": segment.document},
            **{"segment": segment.id, "name": name, "output": kind, "length_ratio": ratio},
            **_known(numbers),
        }


def _known(numbers: Sequence[float]) -> JsonObject:
    """Return score, precision and recall, without those that are not known."""
    named = zip(FIGURES, numbers, strict=False)
    return {name: number for name, number in named if not math.isnan(number)}


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
