"""The columns of a meta-evaluation: a row for each figure of a metric."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.base.signature import Signature
from celab.base.view.record import Field, Record, fields
from celab.evaluation.meta.figures import FIGURES, Figure

if TYPE_CHECKING:
    from celab.evaluation.meta.results import Evaluation


class FigureRow(NamedTuple):
    """A row of the record."""

    metric: str
    level: str
    name: str
    figure: Figure
    signature: Signature


def record_rows(evaluation: Evaluation) -> list[FigureRow]:
    """Return all figures of all metrics, also those that are not defined."""
    return [
        FigureRow(metric, level, name, agreement.figures[name], agreement.signature)
        for metric, agreement in evaluation.metrics.items()
        for level, names in FIGURES.items()
        for name in names
    ]


def _end(place: int) -> Callable[[FigureRow], float | None]:
    return lambda row: None if row.figure.interval is None else row.figure.interval[place]


RECORD = Record(
    *fields("text", "metric", "level"),
    Field("figure", "text", attrgetter("name")),
    Field("value", "number", attrgetter("figure.value")),
    Field("error", "number", attrgetter("figure.error")),
    Field("low", "number", _end(0)),
    Field("high", "number", _end(1)),
    Field("p", "number", attrgetter("figure.p")),
    Field("signature", "text"),
)
