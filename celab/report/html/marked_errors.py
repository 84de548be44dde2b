"""Errors that people have marked → a section: systems by severity, and what the metric saw."""

from __future__ import annotations

from collections import Counter

from celab.base.arguments import Variables
from celab.people.error_spans import SpanReport
from celab.systems.campaign import Campaign
from celab.tables import cells

SEVERITIES = ("critical", "major", "minor")  # the gravest first
MIN_SPANS_OF_ROW = 5
PER_OUTPUTS = 100


def severity_of(name: str) -> str:
    """Return the severity that a name stands for, or "other".

    >>> severity_of("Major"), severity_of("undecided")
    ('major', 'other')
    """
    return next((level for level in SEVERITIES if level in name.lower()), "other")


def marks_view(campaign: Campaign, metric: Variables) -> Variables | None:
    """Return the table of marked errors by system and severity; None without errors.

    A system has its marks for 100 judged outputs, too; all of its outputs count as judged if the
    file lists errors alone, as in the terminal. Kinds with fewer than five marks have no
    row, and a column that would be empty is left out.
    """
    report: SpanReport | None = campaign.spans
    if report is None or not report.spans:
        return None
    counts = Counter((span.system, severity_of(span.severity)) for span in report.spans)
    levels = [x for x in (*SEVERITIES, "other") if sum(counts[s, x] for s in report.systems)]
    names = metric["names"]
    ranked = [name for name in metric["of_system"] if name in report.systems]
    greatest = {level: max(counts[name, level] for name in ranked) or 1 for level in levels}
    rows = [
        {
            "name": name,
            "number": names.index(name),
            "n_rated": f"{report.systems[name].n_rated:,}",
            "cells": [
                _cell(counts[name, x], greatest[x], report.systems[name].n_rated, x) for x in levels
            ],
        }
        for name in ranked
    ]
    kinds = [(i, row) for i, row in enumerate(report.counts) if row.spans >= MIN_SPANS_OF_ROW]
    return {
        "levels": levels,
        "rows": rows,
        "kinds": kinds,
        "has_categories": any(row.category for _, row in kinds),
        "n_marks": len(report.spans),
        "n_without_place": report.n_without_place,
        "n_seen": report.n_seen,
        "n_spans": report.n_spans,
        "lists_errors_alone": report.lists_errors_alone,
        "n_outputs": report.n_outputs,
        "n_runs": report.n_runs,
        "n_unexplained": report.n_unexplained,
        "metric": report.metric,
    }


def _cell(count: int, greatest: int, n_rated: int, level: str) -> Variables:
    return {
        "level": level,
        "count": f"{count:,}",
        "rate": cells.score(PER_OUTPUTS * count / max(1, n_rated), 1),
        "width": round(60 * count / greatest, 1),
    }
