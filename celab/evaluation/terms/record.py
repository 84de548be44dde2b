"""The columns of systems and references that follow a glossary."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.base.view.record import Field, FieldType, Record

if TYPE_CHECKING:
    from celab.evaluation.terms.results import TermFigures, TermResult


class SystemRow(NamedTuple):
    """A row of the record."""

    kind: str
    figures: TermFigures


def system_rows(result: TermResult) -> list[SystemRow]:
    """Return the systems, the highest accuracy first, then the references."""
    rows = [SystemRow("system", figures) for figures in result.systems]
    return rows + [SystemRow("reference", figures) for figures in result.references]


def _figure(name: str, type: FieldType, column: str | None = None) -> Field:
    return Field(name, type, attrgetter(f"figures.{column or name}"), column)


SYSTEMS = Record(
    Field("system", "name", attrgetter("figures.name")),
    Field("kind", "text"),
    _figure("accuracy", "number"),
    Field("low", "number", lambda row: row.figures.interval[0]),
    Field("high", "number", lambda row: row.figures.interval[1]),
    _figure("p", "number"),
    _figure("right", "integer"),
    _figure("of", "integer", "occurrences"),
    _figure("forbidden", "integer"),
    _figure("consistency", "number"),
    _figure("repeated", "integer"),
    _figure("varied", "integer"),
)
