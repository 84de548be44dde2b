"""Scores → data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from importlib.util import find_spec
from typing import Any, TypeAlias, get_args

import numpy as np

from celab.base.arrays import Numbers
from celab.base.errors import OptionError, suggest
from celab.base.result import DataFrame, Level, Result
from celab.documents.alignment import Alignment
from celab.evaluation.campaign import Campaign
from celab.evaluation.comparison import PairComparison
from celab.evaluation.judges.spans import SeenSpan, SpanCounts, SpanReport
from celab.evaluation.meta.agreement import FIGURES as OF_LEVEL
from celab.evaluation.meta.agreement import Evaluation
from celab.evaluation.outputs import Outputs
from celab.evaluation.scored import Comparison
from celab.evaluation.term_results import LEVELS as TERM_LEVELS
from celab.evaluation.term_results import TermResult
from celab.metrics.scores import Score, Segments

LIBRARIES = ("pandas", "polars")
FIGURES = ("score", "precision", "recall")
LEVELS = get_args(Level)
Column: TypeAlias = Sequence[Any] | Numbers


@singledispatch
def frame_of(result: Result, **options: object) -> DataFrame:
    """Return a result as a data frame."""
    raise NotImplementedError(f"no data frame of {type(result).__name__}")


@frame_of.register
def _(score: Score, *, system: str, library: str | None, level: str) -> DataFrame:
    """Return the segments of one system, or the system."""
    return frame(_columns(score, system, level), library)


@frame_of.register
def _(campaign: Campaign, *, library: str | None, level: str) -> DataFrame:
    """Return the segments of all systems by all metrics; several metrics have a column."""
    parts = []
    for metric, of_system in campaign.scores.items():
        for system, score in of_system.items():
            if level == "segment" and not score.segments.scored.any():
                continue  # only the score of the system is known
            columns = _columns(score, system, level)
            if level == "segment" and campaign.outputs is not None:
                columns["output"] = campaign.outputs.by_segment(system)
            parts.append(columns | {"metric": [metric] * len(columns["system"])})
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if len(campaign.scores) == 1:
        del columns["metric"]
    return frame(columns, library)


@frame_of.register
def _(alignment: Alignment, *, library: str | None) -> DataFrame:
    """Return the segments, with their places in the text of their document."""
    starts, last = [], dict.fromkeys(alignment.names, 0)
    for name, cut in zip(alignment.names, alignment.cuts, strict=True):
        starts.append(last[name])
        last[name] = cut
    columns: dict[str, Column] = {
        "document": alignment.names,
        "segment": np.arange(1, len(alignment) + 1),
        "text": alignment.lines,
        "start": np.array(starts),
        "end": np.array(alignment.cuts),
    }
    return frame(columns, library)


@frame_of.register
def _(comparison: Comparison, *, library: str | None, level: str) -> DataFrame:
    """Return the systems of a comparison, with intervals, ranks and groups."""
    _check_level(level)
    if level == "segment":
        raise OptionError("level", level, "a comparison of systems has no segments; use 'system'")
    intervals, ranks = comparison.intervals, comparison.ranks
    columns: dict[str, Column] = {
        "system": list(comparison.systems),
        "score": comparison.scores,
        "low": intervals[:, 0],
        "high": intervals[:, 1],
        "best_rank": ranks[:, 0],
        "worst_rank": ranks[:, 1],
        "group": comparison.groups,
    }
    return frame(columns, library)


@frame_of.register
def _(pair: PairComparison, *, library: str | None, level: str) -> DataFrame:
    """Return the differences of two systems by metric, or by metric and segment."""
    _check_level(level)
    a, b = pair.names
    by_metric = list(pair.metrics.items())
    if level == "segment":
        n = pair.n_segments
        scores = np.concatenate([metric.segments for _, metric in by_metric])
        columns: dict[str, Column] = {
            "metric": [name for name, _ in by_metric for _ in range(n)],
            "segment": list(range(1, n + 1)) * len(by_metric),
            a: scores[:, 0],
            b: scores[:, 1],
            "difference": scores[:, 0] - scores[:, 1],
        }
        return frame(columns, library)
    metrics = [metric for _, metric in by_metric]
    columns = {
        "metric": [name for name, _ in by_metric],
        a: [metric.a for metric in metrics],
        b: [metric.b for metric in metrics],
        "difference": [metric.difference for metric in metrics],
        "low": [metric.interval[0] for metric in metrics],
        "high": [metric.interval[1] for metric in metrics],
    }
    columns |= {
        name: [getattr(metric, name) for metric in metrics]
        for name in ("p", "wins", "ties", "losses")
    }
    return frame(columns, library)


@frame_of.register
def _(report: SpanReport, *, library: str | None, level: str) -> DataFrame:
    """Return the spans, or their counts by category and severity."""
    _check_level(level)
    rows: Sequence[Any] = report.spans if level == "segment" else report.counts
    names = [spec.name for spec in fields(SeenSpan if level == "segment" else SpanCounts)]
    numbers = ("start", "end", "cost")
    columns = {
        name: np.array(
            [getattr(row, name) for row in rows], np.float64 if name in numbers else None
        )
        for name in names
    }
    return frame(columns, library)


@frame_of.register
def _(evaluation: Evaluation, *, library: str | None, level: str) -> DataFrame:
    """Return the figures of one level, by metric."""
    _check_level(level)
    rows = [
        (metric, name, agreement.figures[name])
        for metric, agreement in evaluation.metrics.items()
        for name in OF_LEVEL[level]
        if name in agreement.figures
    ]
    columns: dict[str, Column] = {
        "metric": [metric for metric, _, _ in rows],
        "figure": [name for _, name, _ in rows],
        "value": np.array([figure.value for _, _, figure in rows], np.float64),
        "error": np.array([figure.error for _, _, figure in rows], np.float64),
    }
    return frame(columns, library)


@frame_of.register
def _(outputs: Outputs, *, library: str | None, level: str) -> DataFrame:
    """Return the outputs that are no translations, then those of filters; or their numbers."""
    _check_level(level)
    if level == "system":
        names = list(outputs.systems)
        counts = [outputs.counts(name) for name in names]
        kinds: dict[str, Column] = {
            kind: [of_system[kind] for of_system in counts] for kind in counts[0]
        }
        return frame({"system": names, **kinds}, library)
    rows = [
        (system, output)
        for by_system in (outputs.systems, outputs.filtered)
        for system, flagged in by_system.items()
        for output in flagged
    ]
    columns: dict[str, Column] = {
        "system": [system for system, _ in rows],
        "segment": np.array([output.segment for _, output in rows], np.int64),
        "kind": [output.kind for _, output in rows],
        "text": [output.text for _, output in rows],
        "refusal": np.array([output.is_refusal for _, output in rows], np.bool_),
    }
    return frame(columns, library)


@frame_of.register
def _(result: TermResult, *, library: str | None, level: str) -> DataFrame:
    """Return systems and references, or terms, documents or misses by system."""
    if level not in TERM_LEVELS:
        raise OptionError("level", level, suggest(str(level), TERM_LEVELS))
    return frame(_TERM_COLUMNS[level](result), library)


def _term_systems(result: TermResult) -> dict[str, Column]:
    kinds = ["system"] * len(result.systems) + ["reference"] * len(result.references)
    rows = [*result.systems, *result.references]
    names = ("right", "occurrences", "forbidden", "consistency", "repeated", "varied")
    columns: dict[str, Column] = {
        "system": [row.name for row in rows],
        "kind": kinds,
        "accuracy": [row.accuracy for row in rows],
        "low": [row.interval[0] for row in rows],
        "high": [row.interval[1] for row in rows],
        "p": np.array([row.p for row in rows], np.float64),
    }
    return columns | {name: [getattr(row, name) for row in rows] for name in names}


def _term_rows(result: TermResult) -> dict[str, Column]:
    rows = [(row, name, counts) for row in result.terms for name, counts in row.systems.items()]
    return {
        "term": [row.source for row, _, _ in rows],
        "targets": ["|".join(row.targets) for row, _, _ in rows],
        "system": [name for _, name, _ in rows],
        "right": [counts.right for _, _, counts in rows],
        "occurrences": [row.occurrences for row, _, _ in rows],
        "forbidden": [counts.forbidden for _, _, counts in rows],
        "renderings": [len(counts.renderings) for _, _, counts in rows],
    }


def _term_documents(result: TermResult) -> Mapping[str, Column]:
    names = ("system", "document", "term", "share")
    columns = {name: [getattr(row, name) for row in result.documents] for name in names}
    return columns | {"renderings": [len(row.renderings) for row in result.documents]}


def _term_misses(result: TermResult) -> Mapping[str, Column]:
    names = ("system", "segment", "document", "id", "term", "found")
    columns = {name: [getattr(miss, name) for miss in result.misses] for name in names}
    return columns | {
        "targets": ["|".join(miss.targets) for miss in result.misses],
        "forbidden": [miss.forbidden or "" for miss in result.misses],
        "instead": [miss.instead or "" for miss in result.misses],
    }


_TERM_COLUMNS: dict[str, Callable[[TermResult], Mapping[str, Column]]] = {
    "system": _term_systems,
    "term": _term_rows,
    "document": _term_documents,
    "miss": _term_misses,
}


def figures(segments: Segments) -> dict[str, Column]:
    """Return score, precision and recall of all segments; NaN where there is none."""
    n_columns = segments.figures.shape[1]
    absent = np.full(len(segments), np.nan)
    return {
        name: segments.figures[:, i] if i < n_columns else absent for i, name in enumerate(FIGURES)
    }


def frame(columns: Mapping[str, Column], library: str | None = None) -> DataFrame:
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


def _columns(score: Score, system: str, level: str) -> dict[str, Column]:
    _check_level(level)
    if level == "system":
        values = np.array([[getattr(score, name)] for name in FIGURES], np.float64)
        return {"system": [system]} | dict(zip(FIGURES, values, strict=True))
    n = len(score.segments)
    numbers: dict[str, Column] = {"system": [system] * n, "segment": list(range(1, n + 1))}
    return numbers | figures(score.segments)


def _check_level(level: str) -> None:
    if level not in LEVELS:
        raise OptionError("level", level, suggest(str(level), LEVELS))
