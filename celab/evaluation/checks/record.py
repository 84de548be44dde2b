"""The columns of outputs that are not translations: of each of them, and of systems by kinds."""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from celab.base.view.record import Field, Record, fields
from celab.evaluation.checks.rules import FILTERS, KINDS

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import FlaggedOutput, Outputs
    from celab.evaluation.findings.rules import MarkupFinding

HEADINGS = ("system", *KINDS, "not translations")  # of systems by kinds


class FlaggedRow(NamedTuple):
    """A row of the record of segments: a flagged output, or a finding about an output."""

    system: str
    output: FlaggedOutput | MarkupFinding

    @property
    def form(self) -> str:
        """The form of a wrapped output."""
        return getattr(self.output, "form", "")

    @property
    def lost(self) -> str:
        """What a finding says is lost."""
        return " ".join(getattr(self.output, "lost", ()))

    @property
    def added(self) -> str:
        """What a finding says is added."""
        return " ".join(getattr(self.output, "added", ()))


FLAGGED = Record(
    Field("system", "name"),
    Field("segment", "segment", attrgetter("output.segment")),
    Field("kind", "text", attrgetter("output.kind")),
    Field("text", "text", attrgetter("output.text")),
    *fields("text", "form", "lost", "added"),
)
COUNTS = Record(  # of each system, by heading
    Field("system", "name", itemgetter("system")),
    *(Field(name, "count", itemgetter(name)) for name in (*HEADINGS[1:], *FILTERS)),
)


def names_of(checked: Outputs) -> list[str]:
    """Return the columns of a table of segments; findings have further ones, if there are any."""
    return [name for name in FLAGGED.fields if checked.findings or name not in ("lost", "added")]


def finding_rows(checked: Outputs) -> list[FlaggedRow]:
    """Return the findings about outputs."""
    return [FlaggedRow(finding.system, finding) for finding in checked.findings]


def flagged_rows(checked: Outputs) -> list[FlaggedRow]:
    """Return the outputs that are not translations, then those that a filter flags."""
    return [
        FlaggedRow(system, output)
        for by_system in (checked.systems, checked.filtered)
        for system, flagged in by_system.items()
        for output in flagged
    ]


def sorted_rows(checked: Outputs) -> list[FlaggedRow]:
    """Return flagged outputs by system and segment, then the findings."""
    rows = [
        (FlaggedRow(system, output), output.place)
        for system, flagged in checked.systems.items()
        for output in (*flagged, *checked.filtered.get(system, ()))
    ]
    order = {system: place for place, system in enumerate(checked.systems)}
    rows.sort(key=lambda row: (order[row[0].system], row[1]))
    return [*(row for row, _ in rows), *finding_rows(checked)]
