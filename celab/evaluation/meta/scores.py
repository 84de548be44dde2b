"""Scores in TSV files, and scores of all systems by our metrics or by external ones.

A file has a header that names its columns, `score` among them; other columns are ignored. Or it
has no header and two columns, system and score, as in the WMT metrics tasks: a system that has
several lines then has one per segment, in the order of the segments. A missing score is `None`,
`nan` or empty; any other score is a decimal number from -1e100 to 1e100.

An external metric has scores of every segment of every system, counted from 0 or from 1,
or of systems only. Without a column `system` they are of the only system there is. A system may
also be named by the path of its output. If there is a column `metric`, as `celab-score --segments`
has for several metrics, rows of the given name are taken. A metric of which only the scores of
systems are known cannot be resampled: its figures have no error and no significance.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.base import io
from celab.base.arrays import F64, Bools
from celab.base.errors import InputError
from celab.base.numbers import decimal
from celab.base.options import LIMITS, Limits
from celab.base.progress import Progress
from celab.base.signature import Signature
from celab.corpus.formats.json_text import json_object
from celab.corpus.formats.quoting import rows_of
from celab.corpus.formats.tables import csv_rows
from celab.evaluation.campaign import Campaign
from celab.statistics.resampling import Aggregate, mean

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.metrics.base import Metric

JUDGES = ("judge", "rater", "annotator")  # names of the column of judges
ABSENT = ("none", "nan", "")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A line of a score table; "" or None where the file has no such column."""

    where: str  # file and line
    system: str
    segment: int | None
    score: float | None
    judge: str = ""
    metric: str = ""

    def error(self, message: str) -> InputError:
        """Return an error that names this line."""
        return InputError(f"{self.where}: {message}")


class Preference(NamedTuple):
    """A line of pairs.tsv: a judge preferred one system to another on this segment."""

    segment: int
    better: str
    worse: str


def read_pairs(
    path: str | os.PathLike[str], n_segments: int, limits: Limits = LIMITS
) -> list[Preference]:
    """Read pairs.tsv, a judgment per line; without a header, columns are in the order of fields."""
    preferences: list[Preference] = []
    for where, cells in table_lines(path, limits):
        if not preferences and [cell.lower() for cell in cells] == list(Preference._fields):
            continue
        if len(cells) != 3:
            raise InputError(f"{where}: {len(cells)} columns; there must be segment, better, worse")
        segment, better, worse = cells
        if not re.fullmatch("[0-9]{1,18}", segment) or int(segment) >= n_segments:
            raise InputError(
                f"{where}: segment is {segment[:40]!r}; it must be from 0 to {n_segments - 1}"
            )
        if better == worse or not better or not worse:
            raise InputError(
                f"{where}: better is {better!r} and worse is {worse!r}; they must be two systems"
            )
        preferences.append(Preference(int(segment), better, worse))
    if not preferences:
        raise InputError(f"{io.display_name(path)} has no pair; it must have at least one")
    return preferences


def table_lines(
    path: str | os.PathLike[str], limits: Limits, separator: str | None = "\t"
) -> list[tuple[str, list[str]]]:
    """Return the place (file and line) and cells of each non-empty line.

    A file called .csv is CSV; one called .jsonl has an object per line, and its first row are the
    names of the fields. Without a separator, cells are separated by white space.
    """
    name, text = io.display_name(path), io.read_text(path, limits=limits)
    rows: Iterable[tuple[int, list[str]]]
    suffix = io.suffix_of(os.fspath(path))
    if suffix == ".csv":
        rows = csv_rows(text, name)
    elif suffix == ".jsonl":
        rows = _object_rows(text, name)
    elif separator == "\t":
        rows = rows_of(text, name)
    else:
        rows = ((k, line.split(separator)) for k, line in enumerate(io.split_lines(text), 1))
    stripped = ((number, [cell.strip() for cell in cells]) for number, cells in rows)
    return [(f"{name}, line {number}", cells) for number, cells in stripped if any(cells)]


def _object_rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    fields: list[str] = []
    for number, line in enumerate(io.split_lines(text), 1):
        if not line.strip():
            continue
        values = json_object(line)
        if values is None:
            raise InputError(f"{name}, line {number}: {line[:30]!r} is not a JSON object")
        if not fields:
            fields = list(values)
            yield number, fields
        if values.keys() != set(fields):
            raise InputError(
                f"{name}, line {number}: the fields are {', '.join(values) or 'none'}, but the"
                f" first line has {', '.join(fields)}"
            )
        yield number, [str(values[field]) for field in fields]


def read_rows(
    path: str | os.PathLike[str],
    needed: Sequence[str],
    unique: Sequence[str],
    score: str = "score",
    n_segments: int | None = None,
    limits: Limits = LIMITS,
    separator: str | None = "\t",
) -> list[ScoreRow]:
    """Read all rows; a header must name the `needed` columns and `score`, that of the numbers.

    The columns `unique` identify a row: no two rows may agree in all of them. `n_segments` is the
    number of segments, if the rows are scores of segments.
    """
    name = io.display_name(path)
    lines = table_lines(path, limits, separator)
    header = tuple(cell.lower() for cell in lines[0][1]) if lines else ()
    if score not in header:
        header = ()
    for column in needed:
        if header and column not in header:
            raise InputError(f"{name} has the columns {', '.join(header)}; it must have {column}")
    rows = [_row(where, header, cells, score) for where, cells in lines[bool(header) :]]
    if not rows:
        raise InputError(f"{name} has no line with a score; it must have at least one")
    if not header:
        rows = _number_segments(rows, name, n_segments)
    keys = set()
    for row in rows:
        key = tuple(getattr(row, column) for column in unique)
        if key in keys:
            pairs = zip(unique, key, strict=True)
            known = [(column, value) for column, value in pairs if value not in ("", None)]
            shown = ", ".join(f"{column} {value}" for column, value in known)
            without_judges = "judge" in unique and set(JUDGES).isdisjoint(header)
            hint = ", or add a column judge" * without_judges
            raise row.error(f"{shown} occurs again; each must occur once{hint}")
        keys.add(key)
        if n_segments is not None and (row.segment or 0) >= n_segments:
            raise row.error(f"segment is {row.segment}; it must be from 0 to {n_segments - 1}")
    return rows


def _number_segments(rows: list[ScoreRow], name: str, n_segments: int | None) -> list[ScoreRow]:
    """Give the rows of each system numbers from 0, unless they are scores of whole systems."""
    n_lines = Counter(row.system for row in rows)
    if n_segments is None and len(n_lines) == len(rows):
        return rows
    for system, n in n_lines.items():
        if n_segments not in (None, n):
            raise InputError(
                f"{name} has {n} line{'s' * (n != 1)} of system {system}; without"
                f" a header, each system must have {n_segments}, one per segment"
            )
    numbers: defaultdict[str, count[int]] = defaultdict(count)
    return [replace(row, segment=next(numbers[row.system])) for row in rows]


def _row(where: str, header: Sequence[str], cells: list[str], score: str) -> ScoreRow:
    columns = header or ("system", "score")
    if header and len(cells) != len(header):
        raise InputError(f"{where}: {len(cells)} columns, but the header has {len(header)}")
    if len(cells) != len(columns) or score not in columns:
        raise InputError(
            f"{where}: {len(cells)} columns and no header that names {score}; there"
            f" must be one{', or two columns, system and score' * (score == 'score')}"
        )

    def cell(*names: str) -> str:
        return next((cells[columns.index(column)] for column in names if column in columns), "")

    segment, number = cell("segment"), cell(score)
    if "segment" in columns and not re.fullmatch("[0-9]{1,18}", segment):
        raise InputError(f"{where}: segment is {segment[:40]!r}; it must be a whole number")
    value = decimal(number)
    if value is None and number.lower() not in ABSENT:
        raise InputError(
            f"{where}: {score} is {number[:40]!r}; it must be a number such as -1.5, from"
            " -1e100 to 1e100, or None if absent"
        )
    index = int(segment) if segment else None
    return ScoreRow(where, cell("system"), index, value, cell(*JUDGES), cell("metric"))


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores of all systems by one metric, in the order of the corpus, in the metric's own units.

    A segment that was skipped for a system, because its score was not proved, is NaN there. A
    metric that is known only by its scores of systems has no segments and no statistics. One whose
    scores of systems come from a file of their own is not resampled at that level: how they follow
    from the segments is not known.
    """

    name: str
    signature: Signature
    systems: F64  # one score each
    segments: F64 | None  # systems × segments
    statistics: F64 | None = field(repr=False)  # systems × segments × k
    aggregate: Aggregate = mean
    higher_is_better: bool = True
    systems_from_file: bool = False

    @property
    def sign(self) -> float:
        """Factor that makes higher scores better: 1 or -1."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def proved(self) -> Bools | bool:
        """Mask of the segments that have a score for every system."""
        return self.segments is None or np.asarray(~np.isnan(self.segments).any(axis=0))

    def of(self, rows: Sequence[int]) -> MetricScores:
        """Return the scores of the systems at these indices."""
        segments, statistics = (
            None if matrix is None else matrix[list(rows)]
            for matrix in (self.segments, self.statistics)
        )
        return replace(
            self, systems=self.systems[list(rows)], segments=segments, statistics=statistics
        )

    def select(self, mask: Bools) -> MetricScores:
        """Return the scores on the segments mask; unchanged if only system scores are known.

        Scores of systems from a file are of all segments, so means of the segments replace them.
        """
        if self.segments is None or self.statistics is None:
            return self
        statistics = self.statistics[:, mask]
        systems = self.aggregate(statistics.sum(axis=1), int(mask.sum()))
        return replace(
            self,
            systems=systems,
            segments=self.segments[:, mask],
            statistics=statistics,
            systems_from_file=False,
        )


def score(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    progress: Progress | None = None,
) -> list[MetricScores]:
    """Return the scores of every system by every metric; `progress` is as in `Campaign.score`."""
    if not metrics:
        return []
    metric_scores = []
    for name, by_system in Campaign(corpus).score(metrics, progress=progress).scores.items():
        scores = list(by_system.values())
        segments = np.stack([system.segments.scores for system in scores])
        # The first system's count of skipped segments is replaced by that over all systems.
        signature = scores[0].signature.without("skipped")
        if n_skipped := int(np.isnan(segments).any(axis=0).sum()):
            signature = signature.with_part("skipped", n_skipped)
        systems = np.array([system.score for system in scores])
        statistics = np.stack([system.statistics for system in scores])
        metric_scores.append(
            MetricScores(
                name,
                signature,
                systems,
                segments,
                statistics,
                scores[0].aggregate,
                scores[0].higher_is_better,
            )
        )
    return metric_scores


def as_wmt_files(
    metric: MetricScores, systems: Sequence[str], references: Sequence[str], pair: str
) -> dict[str, str]:
    """Return the text of each file, by path, in mt-metrics-eval's layout for submissions.

    Where lower scores are better, they are negated. A score that was not proved is `None`.
    """
    for system in systems:
        if len(system.split()) != 1:
            raise InputError(f"system {system!r} has white space in its name; rename its file")
    refs = ".".join(ref if ref.startswith("ref") else f"ref{ref}" for ref in references)
    levels = {"sys": metric.systems[:, None]}
    if metric.segments is not None:
        levels["seg"] = metric.segments
    return {
        f"metric-scores/{pair}/{metric.name}-{refs}.{level}.score": "".join(
            f"{system}\t{'None' if math.isnan(score) else repr(metric.sign * score)}\n"
            for system, scores in zip(systems, matrix.tolist(), strict=True)
            for score in scores
        )
        for level, matrix in levels.items()
    }


WMT25_COLUMNS = (
    "doc_id",
    "segment_id",
    "source_lang",
    "target_lang",
    "set_id",
    "system_id",
    "domain_name",
    "method",
    "overall",
)


def as_wmt25_rows(
    metric: MetricScores,
    systems: Sequence[str],
    pair: str,
    set_id: str,
    labels: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return the lines of WMT25's segments.tsv for one metric, without a header.

    `labels` may have the domain and document of each segment. Segments are numbered from 0 in the
    set. Where lower scores are better, they are negated. A score that was not proved is `None`.
    """
    if metric.segments is None:
        return []
    source, _, target = pair.rpartition("-")
    n_segments = metric.segments.shape[1]
    documents, domains = (labels.get(kind, [""] * n_segments) for kind in ("document", "domain"))
    return [
        "\t".join(
            [
                documents[i],
                str(i),
                source,
                target,
                set_id,
                system,
                domains[i],
                metric.name,
                "None" if math.isnan(score) else repr(metric.sign * score),
            ]
        )
        for system, scores in zip(systems, metric.segments.tolist(), strict=True)
        for i, score in enumerate(scores)
    ]


def read(
    name: str,
    path: str | os.PathLike[str],
    systems: Sequence[str],
    n_segments: int,
    higher_is_better: bool = True,
    limits: Limits = LIMITS,
    separator: str | None = "\t",
) -> MetricScores:
    """Read the scores of these systems from a file; other systems in it are ignored."""
    needed = ("system",) if len(systems) > 1 else ()
    unique = ("metric", "system", "segment")
    rows = read_rows(path, needed, unique, limits=limits, separator=separator)
    file = io.display_name(path)
    names = dict.fromkeys(row.metric for row in rows)
    if len(names) > 1 and name not in names:
        raise InputError(f"{file} has no metric {name}; it has {', '.join(names)}")
    by_system: dict[str, dict[int, float]] = {system: {} for system in systems}
    for row in rows:
        stem = os.path.basename(row.system).partition(".txt")[0]  # systems may be named by path
        system = row.system if row.system in by_system else stem if row.system else systems[0]
        if system not in by_system or (len(names) > 1 and row.metric != name):
            continue
        if row.score is None:
            raise row.error("the score is missing; a metric must score every segment")
        segment = row.segment or 0
        if segment in by_system[system]:
            raise row.error(f"system {system} occurs again under another name; it must occur once")
        by_system[system][segment] = row.score
    systems_only = rows[0].segment is None  # then no row has a segment
    for system, scores in by_system.items():
        if not scores:
            raise InputError(f"{file} has no score for system {system}; add one")
        first = min(scores)
        complete = first <= 1 and scores.keys() == set(range(first, first + n_segments))
        if not systems_only and not complete:
            raise InputError(
                f"{file} has {len(scores)} segments of system {system}; it must have all"
                f" {n_segments}, numbered from 0 or from 1"
            )
    matrix = np.array([[scores[s] for s in sorted(scores)] for scores in by_system.values()])
    signature = Signature(name, [("given", os.path.basename(file))])
    segments, statistics = (None, None) if systems_only else (matrix, matrix[:, :, None])
    means = matrix.mean(axis=1)
    return MetricScores(name, signature, means, segments, statistics, mean, higher_is_better)
