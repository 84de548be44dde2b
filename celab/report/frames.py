"""Scores → data frames of pandas or polars, whichever is installed: one row per segment."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.base.errors import OptionError

if TYPE_CHECKING:
    from celab.evaluation.campaign import Campaign
    from celab.metrics.scores import Score, Segments

LIBRARIES = ("pandas", "polars")
FIGURES = ("score", "precision", "recall")


def of_score(score: Score, system: str, library: str | None) -> Any:
    """Return the segments of one system."""
    return frame(_columns(score, system), library)


def of_campaign(campaign: Campaign, library: str | None) -> Any:
    """Return the segments of all systems by all metrics; several metrics have a column."""
    parts = [
        _columns(score, system) | {"metric": [metric] * len(score.segments)}
        for metric, of_system in campaign.scores.items()
        for system, score in of_system.items()
    ]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if len(campaign.scores) == 1:
        del columns["metric"]
    return frame(columns, library)


def figures(segments: Segments) -> dict[str, Any]:
    """Return score, precision and recall of all segments; NaN where there is none."""
    n_columns = segments.figures.shape[1]
    absent = np.full(len(segments), np.nan)
    return {
        name: segments.figures[:, i] if i < n_columns else absent for i, name in enumerate(FIGURES)
    }


def frame(columns: Mapping[str, Any], library: str | None = None) -> Any:
    """Return a data frame; absent numbers are NaN in pandas and null in polars."""
    if library is None:
        library = next((name for name in LIBRARIES if find_spec(name)), None)
        if library is None:
            raise OptionError(
                "a data frame needs pandas or polars; neither is installed: pip install pandas"
            )
    if library not in LIBRARIES:
        raise OptionError("library", library, f"choose from {', '.join(LIBRARIES)}")
    if find_spec(library) is None:
        raise OptionError(f"library is {library!r}, which is not installed: pip install {library}")
    data_frame = importlib.import_module(library).DataFrame
    # Texts as lists: data frames do not use NumPy's string type.
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    listed = {name: x.tolist() if x.dtype.kind == "U" else x for name, x in arrays.items()}
    return data_frame(listed) if library == "pandas" else data_frame(listed, nan_to_null=True)


def _columns(score: Score, system: str) -> dict[str, Any]:
    n = len(score.segments)
    numbers = {"system": [system] * n, "segment": list(range(1, n + 1))}
    return numbers | figures(score.segments)
