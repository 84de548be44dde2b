"""Findings → a table of systems by kinds, and rows of a table of segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import Table
from celab.evaluation.findings.rules import FILTERS, KINDS, MarkupFinding


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
