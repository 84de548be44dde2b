"""Files of `celab score --json` → stored scores, with the labels that say what they are of."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.dicts import JsonObject
from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.base.signature import Signature
from celab.evaluation.systems import stored
from celab.metrics.formulas import formula_of
from celab.metrics.registry import METRICS, metric_class
from celab.statistics.resampling import Aggregate, mean

HINT = "a board is made of JSON of `celab score --json`"
KNOWN_LABELS = ("set", "version", "lang", "report")  # all others are filters
UNKNOWN = "there are no segments, which celab score --json --segments stores"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class StoredScore:
    """The score of a system on a test set by a metric, from a file.

    Attributes:
        file: the file, as messages name it.
        test_set: digest of the references.
        set, version: names, by the labels of the file.
        labels: all labels of the file.
        interval: both ends of the 95% interval; None if the file has none.
        statistics: segments × k, NaN where there is none; None if they are not known.
        aggregate: sums of the statistics → the score.
        unknown: why the statistics are not known; empty if they are.
    """

    file: str
    test_set: str
    set: str
    system: str
    version: str
    metric: str
    labels: Mapping[str, str]
    score: float
    interval: tuple[float, float] | None
    signature: Signature
    higher_is_better: bool
    statistics: F64 | None
    aggregate: Aggregate
    unknown: str


def read(paths: Iterable[io.AnyPath]) -> list[StoredScore]:
    """Return all scores in files and in the JSON files of folders."""
    scores = [score for path in paths for file in _files(path) for score in _scores(file)]
    if not scores:
        raise InputError("there are no scores", hint=HINT)
    return _with_set_names(scores)


def _files(path: io.AnyPath) -> list[str]:
    files = io.expand(path)
    if not os.path.isdir(path):
        return files
    json_files = [file for file in files if re.search(r"\.json(\.gz|\.xz|\.bz2)?$", file)]
    if not json_files:
        raise InputError("no JSON files in this folder", hint=HINT, place=os.fspath(path))
    return json_files


def _scores(path: str) -> Iterator[StoredScore]:
    file = io.display_name(path)
    data = stored.read(path, HINT)
    labels, judges = data.get("labels", {}), data.get("judges", {})
    for system in data["systems"]:
        for metric, values in system["metrics"].items():
            if values["score"] is None:
                continue
            is_judge = metric in judges
            signature = Signature.of(values["signature"])
            yield StoredScore(
                file,
                data["test_set"],
                labels.get("set", ""),
                system["name"],
                labels.get("version", system["name"]),
                metric,
                labels,
                values["score"],
                _interval(values),
                Signature(signature.name) if is_judge else signature.without("skipped"),
                _higher_is_better(metric, judges),
                *_statistics(values, metric, file, is_judge=is_judge),
            )


def _interval(values: JsonObject) -> tuple[float, float] | None:
    ends = values.get("interval")
    if not isinstance(ends, list) or len(ends) != 2 or None in ends:
        return None
    return float(ends[0]), float(ends[1])


def _higher_is_better(metric: str, judges: Mapping[str, Any]) -> bool:
    if metric in judges:
        return bool(judges[metric].get("higher_is_better", True))
    is_ours = metric in METRICS
    return not is_ours or bool(metric_class(metric).higher_is_better)


def _statistics(
    values: JsonObject, metric: str, file: str, *, is_judge: bool
) -> tuple[F64 | None, Aggregate, str]:
    """Return the statistics of segments, how sums of them become a score, or why there are none."""
    signature, rows = Signature.of(values["signature"]), values.get("segments")
    formula = mean if is_judge or stored.is_mean(signature) else formula_of(signature)
    if formula is None:
        return None, mean, "the score does not follow from segments"
    if formula is not mean:
        rows = values.get("statistics")
    if rows is None:
        return None, formula, UNKNOWN
    if formula is mean:
        rows = [[np.nan if row["score"] is None else row["score"]] for row in rows]
    try:
        statistics = np.array(rows, np.float64)
        known = statistics[~np.isnan(statistics).any(axis=1)]
        if not len(known):
            return None, formula, UNKNOWN
        score = float(formula(known.sum(axis=0), len(known)))
    except (ValueError, IndexError):  # another number of counts than the metric has
        score = np.nan
    if not abs(score - values["score"]) <= _ROUNDING * max(1.0, values["score"]):
        if is_judge:  # its score of the system need not be the mean
            return None, formula, "the score of the system is not the mean of its segments"
        whole = "the mean" if formula is mean else "that of the counts"
        raise InputError(
            f"its score by {metric} is not {whole} of its segments",
            hint="make it anew",
            place=file,
        )
    return statistics, formula, ""


def _with_set_names(scores: list[StoredScore]) -> list[StoredScore]:
    """Name sets without a label by the first file that has their references."""
    first_files: dict[str, str] = {}
    for score in scores:
        stem = os.path.basename(score.file).partition(".")[0]
        first_files.setdefault(score.test_set, stem)
    return [
        score
        if score.set
        else replace(score, set=f"{first_files[score.test_set]}@{score.test_set}")
        for score in scores
    ]
