"""What a page shows without a script: tables and charts of a campaign or of meta-evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.pair import LEVEL, SIGNIFICANT
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


@dataclass(frozen=True, slots=True)
class Against:
    """One metric against human scores: (name, human score, metric score) of each system."""

    name: str
    systems: Sequence[tuple[str, float, float]]
    higher_is_better: bool = True


def of_campaign(campaign: Campaign, browsed: dict[str, Any]) -> dict[str, Any]:
    """The variables of the template; `browsed` is the data of the script."""
    metrics = [
        _metric(campaign.scores[of_data["key"]], campaign.comparisons.get(of_data["key"]), of_data)
        for of_data in browsed["metrics"]
    ]
    level = {"level": f"{LEVEL:.0%}", "significant": f"{SIGNIFICANT:.2g}"}
    return {
        "metrics": metrics,
        "corpus": campaign.corpus,
        "documents": browsed["documents"],
    } | level


def _metric(
    of_metric: dict[str, Score], comparison: Comparison | None, data: dict[str, Any]
) -> dict[str, Any]:
    across = None
    if comparison is not None:
        of_metric = {name: of_metric[name] for name in comparison.systems}  # the best first
        across = axis(comparison.intervals.ravel().tolist(), 8, INTERVAL_WIDTH - 8)
    explained = data["explained"]
    return data | {
        "of_system": of_metric,
        "comparison": comparison,
        "axis": across,
        "width": INTERVAL_WIDTH,
        "n_explained": None if explained is None else sum(map(len, explained)),
        "n_pairs": sum(map(len, data["scores"])),
        "distributions": _distributions(of_metric, data["digits"]),
    }


def _distributions(of_metric: dict[str, Score], n_digits: int) -> dict[str, Any]:
    width, height = HISTOGRAM
    scores = [score.segments.scores for score in of_metric.values()]
    across = axis(np.concatenate(scores).tolist(), 6, width - 6)
    drawn = []
    for name, row, bars in zip(of_metric, scores, histograms(scores, across, height), strict=True):
        quartiles = np.quantile(row, (0.25, 0.5, 0.75)).tolist()
        low, median, high = (f"{value:.{n_digits}f}" for value in quartiles)
        drawn.append({"name": name, "bars": bars, "quartiles": [*map(across.place, quartiles)],
                      "median": median, "low": low, "high": high})  # fmt: skip
    return {"rows": drawn, "axis": across.labels, "width": width, "height": height}


def scatter(metric: Against) -> dict[str, Any]:
    """The drawing of one metric."""
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
