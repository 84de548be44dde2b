"""Files of `celab score --json` → columns of comparable scores → changes between versions, tested.

A column has one metric on one test set. Scores with other references, or with other settings (by
the rule of `compare --baseline`), have a column of their own, whose name says what differs.

A change is the score of a version minus the score of the version before it, or of the version that
all are compared with. It is tested on the common segments (`paired_test`), if both files have their
scores, or for metrics such as BLEU their counts. With fewer than 20 segments there is no test,
unless all scores are identical. All tests of a board are corrected together, by Holm's method
(1979): a difference is marked if it is significant at 0.05 after the correction. The number of
resamples is so large that the least p-value passes even the first step of the correction.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.signature import Signature
from celab.metrics.formulas import formula_of
from celab.metrics.registry import METRICS, metric_class
from celab.statistics import resampling
from celab.statistics.difference import MIN_SEGMENTS, Difference, holm
from celab.statistics.documents import SIGNATURE_KEY
from celab.statistics.resampling import Aggregate, mean
from celab.statistics.significance import paired_test
from celab.systems import stored

HINT = "a board is made of JSON of `celab score --json`"
UNKNOWN = "there are no segments, which celab score --json --segments stores"
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StoredScore:
    """The score of a system on a test set by a metric, from a file.

    Attributes:
        file: name of the file, for messages.
        test_set: digest of the references.
        set, version: names of the test set and of the version, from the labels of the file.
        labels: all labels of the file.
        interval: both ends of the 95% interval; None if the file has none.
        statistics: segments × k, NaN for a segment without a score; None if they are not stored.
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
    labels = data.get("labels", {})
    judges = {row["metric"]: row for row in data.get("judge", ())}
    for label in labels:
        if known := stored.misspelt_label(label):
            raise InputError(
                f"its label {label!r} differs from {known!r} by case or a letter",
                hint=f"rename it to {known}, or choose a clearly different name",
                place=file,
            )
    for system in stored.systems_of(data):
        for metric, values in system.scores.items():
            if values["score"] is None:
                continue
            is_judge = metric in judges
            statistics, aggregate, unknown = _statistics(system, metric, file, is_judge=is_judge)
            signature = Signature.of(values["signature"])
            yield StoredScore(
                file=file,
                test_set=data["test_set"],
                set=labels.get("set", ""),
                system=system.name,
                version=labels.get("version", system.name),
                metric=metric,
                labels=labels,
                score=values["score"],
                interval=_interval(values),
                signature=Signature(signature.name)
                if is_judge
                else signature.without("skipped", SIGNATURE_KEY),
                higher_is_better=_higher_is_better(metric, judges),
                statistics=statistics,
                aggregate=aggregate,
                unknown=unknown,
            )


def _interval(values: JsonObject) -> tuple[float, float] | None:
    low, high = values.get("low"), values.get("high")
    return None if low is None or high is None else (float(low), float(high))


def _higher_is_better(metric: str, judges: Mapping[str, Any]) -> bool:
    if metric in judges:
        return bool(judges[metric].get("higher_is_better", True))
    return metric not in METRICS or metric_class(metric).higher_is_better


def _statistics(
    system: stored.StoredSystem, metric: str, file: str, *, is_judge: bool
) -> tuple[F64 | None, Aggregate, str]:
    """Return the statistics of segments, their aggregate, and the reason if there are none."""
    values, rows = system.scores[metric], system.segments.get(metric)
    signature = Signature.of(values["signature"])
    formula = mean if is_judge or stored.is_mean(signature) else formula_of(signature)
    if formula is None:
        return None, mean, "the score does not follow from segments"
    if formula is not mean:
        counts = system.statistics.get(metric)
    elif rows is not None:
        counts = [[np.nan if row["score"] is None else row["score"]] for row in rows]
    else:
        counts = None
    if counts is None:
        return None, formula, UNKNOWN
    try:
        statistics = np.array(counts, np.float64)
        known = statistics[~np.isnan(statistics).any(axis=1)]
        if not len(known):
            return None, formula, UNKNOWN
        score = float(formula(known.sum(axis=0), len(known)))
    except (ValueError, IndexError):  # the metric has another number of counts
        score = np.nan
    if not abs(score - values["score"]) <= _ROUNDING * max(1.0, values["score"]):
        if is_judge:  # a judge's system score need not be the mean of its segment scores
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


_Identity: TypeAlias = tuple[str, str, int]  # references, settings, number of segments or 0


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """Comparable scores by system, in the order of their versions."""

    set: str
    metric: str
    scores: tuple[StoredScore, ...]


@dataclass(frozen=True, slots=True)
class BoardColumns:
    """All columns, the versions in order, and notes about columns that were kept apart."""

    columns: tuple[BoardColumn, ...]
    versions: tuple[str, ...]
    by_system: bool  # whether versions belong to systems
    notes: tuple[str, ...]


def columns_of(scores: Sequence[StoredScore], order: Sequence[str] | None = None) -> BoardColumns:
    """Return the columns of stored scores, with versions in natural order or in the given one."""
    _check_labels(scores)
    versions = _ordered_versions(scores, order)
    _check_cells(scores)
    systems: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for score in scores:
        systems[score.set, score.version].add(score.system)
    by_system = any(len(names) > 1 for names in systems.values())
    rank = {version: place for place, version in enumerate(versions)}
    ordered = sorted(
        scores, key=lambda score: (score.system if by_system else "", rank[score.version])
    )
    groups: defaultdict[tuple[str, str], list[StoredScore]] = defaultdict(list)
    for score in ordered:
        groups[score.set, score.metric].append(score)
    columns: list[BoardColumn] = []
    notes: list[str] = []
    for (set_name, metric), group in sorted(
        groups.items(), key=lambda item: io.natural_order(item[0][0])
    ):
        parts = _comparable(group)
        columns += [_column(set_name, metric, part, parts[0]) for part in parts]
        if len(parts) > 1:
            others = ", ".join(dict.fromkeys(score.file for part in parts[1:] for score in part))
            notes.append(
                f"{set_name}, {metric}: other references or settings in {others}, which are"
                " therefore in columns of their own"
            )
    return BoardColumns(tuple(columns), versions, by_system, tuple(notes))


def _check_labels(scores: Sequence[StoredScore]) -> None:
    """Raise if two files give a test set different languages."""
    first: dict[str, StoredScore] = {}
    for score in scores:
        if "lang" not in score.labels:
            continue
        other = first.setdefault(score.set, score)
        if other.labels["lang"] != score.labels["lang"]:
            raise InputError(
                f"{other.file} and {score.file}: the set {score.set} has the label"
                f" lang={other.labels['lang']} in the first and lang={score.labels['lang']} in the"
                " second; give one of them another set"
            )


def _check_cells(scores: Sequence[StoredScore]) -> None:
    """Raise if two files have the same set, system, version and metric with the same settings."""
    first: dict[tuple[str, ...], StoredScore] = {}
    for score in scores:
        cell = (score.set, score.system, score.version, score.metric, *_identity(score)[:2])
        other = first.setdefault(cell, score)
        if other is not score:
            raise InputError(
                f"{other.file} and {score.file} both have {score.system}, version"
                f" {score.version}, on {score.set} by {score.metric}; leave one of them out, or"
                " give them different labels"
            )


def _ordered_versions(
    scores: Sequence[StoredScore], order: Sequence[str] | None
) -> tuple[str, ...]:
    versions = {score.version for score in scores}
    if order is None:
        return tuple(sorted(versions, key=io.natural_order))
    if missing := sorted(versions - set(order), key=io.natural_order):
        raise InputError(
            f"the order of versions does not have {missing[0]}, which the results have; add it"
        )
    return tuple(version for version in dict.fromkeys(order) if version in versions)


def _identity(score: StoredScore) -> _Identity:
    n_segments = 0 if score.statistics is None else len(score.statistics)
    return score.test_set, str(score.signature), n_segments


def _comparable(group: Sequence[StoredScore]) -> list[list[StoredScore]]:
    """Return groups of comparable scores, the largest first."""
    parts: defaultdict[_Identity, list[StoredScore]] = defaultdict(list)
    for score in group:
        references, settings, n_segments = _identity(score)
        # A file without segments belongs to the others with its references and settings.
        known = next((key for key in parts if key[:2] == (references, settings)), None)
        if known is not None and 0 in (n_segments, known[2]):
            parts[known].append(score)
        else:
            parts[references, settings, n_segments].append(score)
    return sorted(parts.values(), key=len, reverse=True)


def _column(
    set_name: str, metric: str, part: Sequence[StoredScore], first: Sequence[StoredScore]
) -> BoardColumn:
    """Return a column, whose name has the differences from the first one of its set and metric."""
    here, there = part[0], first[0]
    if here.test_set != there.test_set:
        set_name += f" (references {here.test_set})"
    elif _identity(here)[2] != _identity(there)[2]:
        set_name += f" ({_identity(here)[2]} segments)"
    differences = there.signature.differences(here.signature)
    if differences:
        metric += f" ({', '.join(theirs for _, theirs in differences)})"
    return BoardColumn(set_name, metric, tuple(part))


Marked = Literal["better", "worse"]
NOT_COMPARABLE = "other versions have other references or settings"


class _Pair(NamedTuple):
    """A score, the score of another version, and the statistics of their common segments."""

    score: StoredScore
    other: StoredScore
    statistics: F64  # 2 × segments × k

    @property
    def untested(self) -> str:
        """The reason why there is no test, or ""."""
        if self.statistics.shape[1]:
            return ""
        unknown = (x.unknown for x in (self.score, self.other) if x.unknown)
        return next(unknown, "no segment has both scores")

    @property
    def is_corrected(self) -> bool:
        """Whether the test is one of those that are corrected.

        It has enough segments, or the scores of all segments are identical.
        """
        n_segments = self.statistics.shape[1]
        is_same = n_segments > 0 and np.array_equal(*self.statistics)
        return is_same or n_segments >= MIN_SEGMENTS


def differences_of(
    columns: BoardColumns, against: str | None = None, seed: int = resampling.SEED
) -> tuple[dict[StoredScore, Difference], set[StoredScore]]:
    """Return the differences of scores from other versions, and the scores that cannot have one.

    These are scores with other references or settings than the other versions. Tests are corrected
    for their number.
    """
    pairs = [
        pair for column in columns.columns for pair in _pairs(column, columns.by_system, against)
    ]
    n_resamples = max(1000, 40 * sum(pair.is_corrected for pair in pairs))
    differences = _tested(pairs, n_resamples, seed)
    for pair in pairs:
        if pair.untested:
            a, b, higher = pair.score.score, pair.other.score, pair.score.higher_is_better
            untested = Difference(a=a, b=b, higher_is_better=higher, untested=pair.untested)
            differences[pair.score] = untested
    counted = [pair.score for pair in pairs if pair.is_corrected]
    corrected = holm([differences[score] for score in counted])
    differences |= dict(zip(counted, corrected, strict=True))
    apart = set()
    for scores in series_of(columns):
        others = scores[:1] if against is None else [x for x in scores if x.version == against]
        if others:
            apart |= {score for score in scores if score not in (*others, *differences)}
    return differences, apart


def series_of(columns: BoardColumns) -> list[list[StoredScore]]:
    """Return the scores of each set, metric and system, the oldest version first."""
    series: defaultdict[tuple[str, ...], list[StoredScore]] = defaultdict(list)
    for column in columns.columns:
        for score in column.scores:
            series[score.set, score.metric, score.system * columns.by_system].append(score)
    versions = columns.versions
    return [sorted(scores, key=lambda x: versions.index(x.version)) for scores in series.values()]


def _pairs(column: BoardColumn, by_system: bool, against: str | None) -> Iterator[_Pair]:
    series: defaultdict[str, list[StoredScore]] = defaultdict(list)
    for score in column.scores:
        series[score.system if by_system else ""].append(score)
    for scores in series.values():
        if against is None:
            others: Sequence[StoredScore | None] = [None, *scores[:-1]]
        else:
            chosen = next((score for score in scores if score.version == against), None)
            others = [chosen] * len(scores)
        for score, other in zip(scores, others, strict=True):
            if other is not None and other is not score:
                yield _Pair(score, other, _shared_statistics(score, other))


def _shared_statistics(score: StoredScore, other: StoredScore) -> F64:
    if score.statistics is None or other.statistics is None:
        return np.empty((2, 0, 1))
    both = np.stack((score.statistics, other.statistics))
    return both[:, ~np.isnan(both).any(axis=(0, 2))]


def _tested(pairs: Sequence[_Pair], n_resamples: int, seed: int) -> dict[StoredScore, Difference]:
    """Return the tested difference of each pair that has segments.

    Pairs with equally many segments share their resamples.
    """
    groups: defaultdict[object, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.statistics.shape[1]:
            groups[pair.statistics.shape, pair.score.aggregate].append(pair)
    differences = {}
    for group in groups.values():
        rows: dict[bytes, int] = {}  # most versions are in two pairs
        places = [
            [rows.setdefault(side.tobytes(), len(rows)) for side in pair.statistics]
            for pair in group
        ]
        shape = group[0].statistics.shape[1:]
        statistics = np.array([np.frombuffer(row).reshape(shape) for row in rows])
        chosen = np.zeros((len(rows), len(rows)), np.bool_)
        for first, second in places:
            chosen[min(first, second), max(first, second)] = first != second
        tested = paired_test(
            statistics, group[0].score.aggregate, n_resamples=n_resamples, seed=seed, pairs=chosen
        )
        for pair, (first, second) in zip(group, places, strict=True):
            higher = pair.score.higher_is_better
            differences[pair.score] = tested.difference(first, second, higher_is_better=higher)
    return differences
