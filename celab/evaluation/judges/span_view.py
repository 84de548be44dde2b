"""Error spans that people have marked, and those that a metric saw → tables and lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from celab.base.view import cells
from celab.base.view.cells import Cell
from celab.base.view.tables import Table, View, line

if TYPE_CHECKING:
    from celab.evaluation.judges.spans import SpanReport


def span_view(report: SpanReport) -> View:
    """Return the spans by category and severity, and what no span explains."""
    rows: list[list[Cell | str]] = [
        [
            cells.name(row.category or "–"),
            cells.name(row.severity or "–"),
            cells.count(row.spans),
            cells.count(row.seen),
            cells.score(100 * row.seen / row.spans, 0),
            cells.score(row.cost, 4),
        ]
        for row in report.counts
    ]
    headings = ["category", "severity", "spans", "seen", "% seen", "cost"]
    title = f"Error spans of {os.path.basename(report.file)}, seen by {report.metric}"
    lines = [
        line(
            f"{report.n_seen} of {report.n_spans} spans have an unmatched character; cost:"
            " precision that the n-grams touching one lack, on average"
        ),
        line(
            f"{report.n_unexplained} of {report.n_runs} unmatched runs in {report.n_outputs} judged"
            " outputs are in no span"
        ),
    ]
    if report.n_without_place:
        lines.append(
            line(
                f"{report.n_without_place} more: omissions and errors in the source, which have no"
                " place in the output"
            )
        )
    return View([Table(headings, rows, right=range(2, 6), title=title), lines])
