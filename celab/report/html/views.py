"""A campaign, or metrics against people → what a page shows without a script: tables, drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.campaign import LEVEL
from celab.errors import InputError
from celab.report.html.data import digits
from celab.report.html.drawings import Box, axis, histograms, named_points

if TYPE_CHECKING:
    from celab.campaign import Campaign, Comparison
    from celab.metrics.base import Score

INTERVAL_WIDTH = 240
HISTOGRAM = (280, 64)
SCATTER = (420, 360)
MARGIN = 46  # of a scatter, for the labels of its axes
TEXT = 11  # the size of letters in drawings
MOST_NAMED = 30  # points with their names always in sight
MOST_NUMBERED = 14  # systems whose p-values are always in sight
MOST_LEVEL = 8  # systems whose names stand level over their columns

# (row better, row worse) for p below the first number that fits.
SYMBOLS = ((0.01, "▲", "▼"), (0.05, "△", "▽"))
NEITHER = "·"


@dataclass(frozen=True, slots=True)
class Against:
    """One metric against people: of each system its name, the human score and the metric's."""

    name: str
    systems: Sequence[tuple[str, float, float]]
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a name and its values, as they are to be read."""

    caption: str
    columns: Sequence[str]  # the first is the heading of the names
    rows: Sequence[tuple[str, Sequence[str]]]
    notes: Sequence[str] = field(default=())


def of_campaign(campaign: Campaign, data: dict[str, Any]) -> dict[str, Any]:
    """What the template is told of a campaign; `data` is what the script will be given."""
    metrics = [
        _metric(key, of_metric, campaign.comparisons.get(key), of_data)
        for (key, of_metric), of_data in zip(campaign.scores.items(), data["metrics"], strict=True)
    ]
    corpus = campaign.corpus
    return {
        "metrics": metrics,
        "systems": list(corpus.systems),
        "overview": _overview(campaign, metrics),
        "n_segments": len(corpus.segments),
        "n_documents": len([name for name in data["documents"] if name]),
        "n_left_out": corpus.n_left_out,
        "references": corpus.ref_names,
        "level": f"{LEVEL:.0%}",
        "significant": f"{1 - LEVEL:.2g}",
        "has_documents": len(data["documents"]) > 1,
    }


def _metric(
    key: str, of_metric: dict[str, Score], comparison: Comparison | None, data: dict[str, Any]
) -> dict[str, Any]:
    first = next(iter(of_metric.values()))
    explained = data["explained"]
    return {
        "key": key,
        "name": first.name,
        "signature": first.signature,
        "higher": first.higher_is_better,
        "n_explained": None if explained is None else sum(map(len, explained)),
        "n_pairs": len(of_metric) * len(first.segments),
        "table": _systems(of_metric, comparison),
        "matrix": None if comparison is None else _matrix(comparison),
        "distributions": _distributions(of_metric, comparison),
        "comparison": comparison,
    }


def _systems(of_metric: dict[str, Score], comparison: Comparison | None) -> dict[str, Any]:
    n_digits = digits(next(iter(of_metric.values())))
    names = list(of_metric) if comparison is None else list(comparison.systems)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "score": f"{of_metric[name].score:.{n_digits}f}",
            "parts": _precision_recall(of_metric[name]),
            "rank": None,
            "new_group": False,
        }
        for name in names
    ]
    found: dict[str, Any] = {"rows": rows, "width": INTERVAL_WIDTH, "axis": None}
    if comparison is None:
        return found
    ends = comparison.intervals.tolist()
    across = axis([end for pair in ends for end in pair], 8, INTERVAL_WIDTH - 8)
    found["axis"] = across.labels
    groups = comparison.groups.tolist()
    for i, row in enumerate(rows):
        best, worst = comparison.ranks[i].tolist()
        row.update(
            rank=i + 1,
            ranks=str(best) if best == worst else f"{best}–{worst}",
            group=groups[i],
            new_group=i > 0 and groups[i] != groups[i - 1],
            interval="–".join(f"{end:.{n_digits}f}" for end in ends[i]),
            low=across.place(ends[i][0]),
            high=across.place(ends[i][1]),
            point=across.place(float(comparison.scores[i])),
        )
    return found


def _precision_recall(score: Score) -> tuple[str, str] | None:
    if score.precision is None or score.recall is None:
        return None
    return f"{score.precision:.4f}", f"{score.recall:.4f}"


def _overview(campaign: Campaign, metrics: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    # All metrics side by side, in the order of the first.
    if len(metrics) < 2:
        return []
    of_metric = [{row["name"]: row for row in metric["table"]["rows"]} for metric in metrics]
    names = list(of_metric[0])
    return [{"name": name, "cells": [rows[name] for rows in of_metric]} for name in names]


def _matrix(comparison: Comparison) -> dict[str, Any]:
    p_values = comparison.p_values.tolist()
    rows = []
    for i, row in enumerate(comparison.systems):
        cells: list[dict[str, str] | None] = []
        for j, column in enumerate(comparison.systems):
            if i == j:
                cells.append(None)
                continue
            p = p_values[i][j]
            better, other = (row, column) if i < j else (column, row)
            cells.append(
                {
                    "symbol": _symbol(p, row_better=i < j),
                    "p": "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0"),
                    "label": f"{better} better than {other}: p = {p:.4g}",
                }
            )
        rows.append({"name": row, "cells": cells})
    kinds = ("upright", len(rows) > MOST_LEVEL), ("many", len(rows) > MOST_NUMBERED)
    return {"rows": rows, "kinds": [kind for kind, applies in kinds if applies]}


def _symbol(p: float, *, row_better: bool) -> str:
    for below, better, worse in SYMBOLS:
        if p < below:
            return better if row_better else worse
    return NEITHER


def _distributions(of_metric: dict[str, Score], comparison: Comparison | None) -> dict[str, Any]:
    width, height = HISTOGRAM
    n_digits = digits(next(iter(of_metric.values())))
    names = list(of_metric) if comparison is None else list(comparison.systems)
    scores = [of_metric[name].segments.scores for name in names]
    across = axis(np.concatenate(scores).tolist(), 6, width - 6)
    drawn = []
    for name, row, bars in zip(names, scores, histograms(scores, across, height), strict=True):
        quartiles = np.quantile(row, (0.25, 0.5, 0.75)).tolist()
        low, median, high = (f"{value:.{n_digits}f}" for value in quartiles)
        drawn.append({"name": name, "bars": bars, "quartiles": [*map(across.place, quartiles)],
                      "median": median, "low": low, "high": high})  # fmt: skip
    return {"rows": drawn, "axis": across.labels, "width": width, "height": height}


def of_meta(metrics: Sequence[Against], tables: Sequence[Table], human: str) -> dict[str, Any]:
    """What the template is told of metrics against people."""
    for table in tables:
        for name, values in table.rows:
            if len(values) + 1 != len(table.columns):
                raise InputError(
                    f"row {name!r} of {table.caption!r} has {len(values)} values;"
                    f" it must have {len(table.columns) - 1}, one a column"
                )
    return {"scatters": [_scatter(metric) for metric in metrics], "tables": tables, "human": human}


def _scatter(metric: Against) -> dict[str, Any]:
    width, height = SCATTER
    across = axis((human for _, human, _ in metric.systems), MARGIN, width - 12)
    up = axis((score for _, _, score in metric.systems), height - MARGIN, 12)
    placed = [(n, across.place(human), up.place(score)) for n, human, score in metric.systems]
    points = named_points(placed, Box(MARGIN, 12, width - MARGIN - 12, height - MARGIN - 12), TEXT)
    for point, (_, human, score) in zip(points, metric.systems, strict=True):
        point.update(human=f"{human:.4g}", score=f"{score:.4g}")
    return {
        "name": metric.name,
        "higher": metric.higher_is_better,
        "points": points,
        "named": len(points) <= MOST_NAMED,
        "across": across.labels,
        "up": up.labels,
        "width": width,
        "height": height,
        "margin": MARGIN,
    }
