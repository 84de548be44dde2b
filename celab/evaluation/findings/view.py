"""Findings → a table of systems by kinds, and rows of a table of segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import Table
from celab.corpus import Segment
from celab.evaluation.findings.rules import FILTERS, KINDS, MarkupFinding

_SEPARATOR = " "


def counted_findings(findings: Sequence[MarkupFinding], systems: Sequence[str]) -> Table:
    """Return the number of outputs of each system with each kind of finding."""
    counts = Counter((finding.system, finding.kind) for finding in findings)
    filters = [name for name in FILTERS if any(finding.kind == name for finding in findings)]
    kinds = [*KINDS, *filters]
    rows: list[list[Cell]] = [
        [cells.name(system), *(cells.count(counts[system, kind]) for kind in kinds)]
        for system in systems
    ]
    return Table(["system", *kinds], rows, right=range(1, len(kinds) + 1))


def with_findings(
    table: Table, findings: Sequence[MarkupFinding], segments: Sequence[Segment] = ()
) -> Table:
    """Return a table of system, segment, kind and text, with what is lost and added as columns.

    If the files have ids, `segments` has them, and they are columns, too.
    """
    rows: list[list[Cell | str]] = [[*row, "", ""] for row in table.rows]
    rows += [
        [
            cells.name(finding.system),
            str(finding.segment),
            finding.kind,
            "",
            _SEPARATOR.join(finding.lost),
            _SEPARATOR.join(finding.added),
        ]
        for finding in findings
    ]
    headings = [*table.headings, "lost", "added"]
    if segments:
        headings += ["document", "id"]
        keys = (segments[int(str(row[1])) - 1] for row in rows)
        rows = [[*row, key.document, key.id] for row, key in zip(rows, keys, strict=True)]
    return Table(headings, rows, right=(1,))
