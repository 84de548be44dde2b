"""The columns of outputs that are not translations: of each of them, and of systems by kinds."""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.base.view.records import Field, Record
from celab.evaluation.checks.rules import FILTERS, KINDS

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import FlaggedOutput, Outputs

HEADINGS = ("system", *KINDS, "not translations")  # of systems by kinds


class FlaggedRow(NamedTuple):
    """A row of the record of segments."""

    system: str
    output: FlaggedOutput


FLAGGED = Record(
    Field("system", "name"),
    Field("segment", "segment", attrgetter("output.segment")),
    Field("kind", "text", attrgetter("output.kind")),
    Field("text", "text", attrgetter("output.text")),
    Field("form", "text", attrgetter("output.form")),
)
COUNTS = Record(  # of each system, by heading
    Field("system", "name", itemgetter("system")),
    *(Field(name, "count", itemgetter(name)) for name in (*HEADINGS[1:], *FILTERS)),
)


def flagged_rows(checked: Outputs) -> list[FlaggedRow]:
    """Return the outputs that are not translations, then those that a filter flags."""
    return [
        FlaggedRow(system, output)
        for by_system in (checked.systems, checked.filtered)
        for system, flagged in by_system.items()
        for output in flagged
    ]
