"""Findings → a table of systems by kinds, and the data of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from celab.base.dicts import JsonObject
from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import Table
from celab.evaluation.findings.marking import finding_spans
from celab.evaluation.findings.rules import FILTERS, KINDS, MarkupFinding


def counted_findings(findings: Sequence[MarkupFinding], systems: Sequence[str]) -> Table:
    """Return the number of outputs of each system with each kind of finding."""
    return count_table(Counter((x.system, x.kind) for x in findings), systems)


def count_table(counts: Mapping[tuple[str, str], int], systems: Sequence[str]) -> Table:
    """Return a table of numbers by system and kind; a filter that finds nothing has no column."""
    filters = [name for name in FILTERS if any(kind == name for _, kind in counts)]
    kinds = [*KINDS, *filters]
    rows: list[list[Cell]] = [
        [cells.name(system), *(cells.count(counts.get((system, kind), 0)) for kind in kinds)]
        for system in systems
    ]
    return Table(["system", *kinds], rows, right=range(1, len(kinds) + 1))


def page_data(
    findings: Sequence[MarkupFinding], systems: Sequence[str], source: Sequence[str] | None
) -> JsonObject:
    """Return what the script of a page needs of findings; nothing if there are none.

    `findings` has for each: numbers of system and segment, from 0, the kind, what is lost and what
    is added, and the places of both, in characters of source and output, or null.
    """
    if source is None or not findings:
        return {}
    numbers = {system: number for number, system in enumerate(systems)}
    rows = [
        [numbers[x.system], x.place, x.kind, x.lost, x.added, *finding_spans(x, source[x.place])]
        for x in findings
    ]
    return {"findings": rows}
