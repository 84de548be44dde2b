"""Scores in files, and scores of all systems by our metrics or by external ones.

A file of an external metric has scores of every segment of every system, with segments counted from
0 or from 1, or of systems only. Without a column `system`, the corpus must have one system. A
system may also be named by the path of its output. If there is a column `metric`, as in the output
of `celab score --segments` with several metrics, the rows of the metric are taken. A metric of
which only system scores are known cannot be resampled: its figures have no error and no
significance.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from celab.base import io
from celab.base.arrays import F64, Bools
from celab.base.errors import InputError
from celab.base.options import LIMITS, Limits
from celab.base.run import Progress
from celab.base.signature import Signature
from celab.corpus import Corpus
from celab.metrics.base import Metric
from celab.people.matching import first_number
from celab.people.reading import read_judgments
from celab.people.score_files import table_lines, whole_number
from celab.statistics.resampling import Aggregate, mean
from celab.systems.campaign import Campaign


class Preference(NamedTuple):
    """A line of pairs.tsv: the system that a judge preferred on a segment, and the other one."""

    segment: int
    better: str
    worse: str


def read_pairs(
    path: str | os.PathLike[str],
    n_segments: int,
    limits: Limits = LIMITS,
    count_from: int | None = None,
) -> list[Preference]:
    """Read pairs.tsv, a judgment per line; columns without a header are segment, better, worse.

    Segments of the result are counted from 0; `count_from` is as in `matching.first_number`.
    """
    preferences: list[Preference] = []
    numbers: dict[int, str] = {}
    for where, cells in table_lines(path, limits):
        if not preferences and [cell.lower() for cell in cells] == list(Preference._fields):
            continue
        if len(cells) != 3:
            raise InputError(f"{where}: {len(cells)} columns; there must be segment, better, worse")
        segment, better, worse = cells
        number = whole_number(segment, where, "segment")
        if better == worse or not better or not worse:
            raise InputError(
                f"{where}: better is {better!r} and worse is {worse!r}; they must be two systems"
            )
        preferences.append(Preference(number, better, worse))
        numbers.setdefault(number, where)
    file = io.display_name(path)
    if not preferences:
        raise InputError(f"{file} has no pair; it must have at least one")
    first = first_number(numbers, n_segments, file, count_from)
    return [pair._replace(segment=pair.segment - first) for pair in preferences]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricScores:
    """Scores of all systems by one metric, in the order of the corpus, in the metric's own units.

    A score is NaN if it was skipped because it was not proved. A metric of which only system scores
    are known has no segments and no statistics. System scores from a file of their own are not
    resampled, because it is not known how they follow from the segments.
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
        """Mask of the segments that have a score for every system; True without segment scores."""
        return self.segments is None or np.asarray(~np.isnan(self.segments).any(axis=0))

    def select_systems(self, rows: Sequence[int]) -> MetricScores:
        """Return the scores of the systems at these indices."""
        segments, statistics = (
            None if matrix is None else matrix[list(rows)]
            for matrix in (self.segments, self.statistics)
        )
        return replace(
            self, systems=self.systems[list(rows)], segments=segments, statistics=statistics
        )

    def select(self, mask: Bools) -> MetricScores:
        """Return the scores on the segments of a mask; unchanged if only system scores are known.

        System scores from a file are of all segments, so means of segment scores replace them.
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
        # The first system's signature counts its own skipped segments, not those of all systems.
        signature = scores[0].signature.without("skipped")
        if n_skipped := int(np.isnan(segments).any(axis=0).sum()):
            signature = signature.with_part("skipped", n_skipped)
        systems = np.array([system.score for system in scores])
        statistics = np.stack([system.statistics for system in scores])
        metric_scores.append(
            MetricScores(
                name=name,
                signature=signature,
                systems=systems,
                segments=segments,
                statistics=statistics,
                aggregate=scores[0].aggregate,
                higher_is_better=scores[0].higher_is_better,
            )
        )
    return metric_scores


def wmt_file(metric: str, references: Sequence[str], pair: str, level: str) -> str:
    """Return the path of a metric's system (`sys`) or segment (`seg`) scores in a submission.

    >>> wmt_file("chrf", ["A", "refB"], "en-zh", "seg")
    'metric-scores/en-zh/chrf-refA.refB.seg.score'
    """
    refs = ".".join(ref if ref.startswith("ref") else f"ref{ref}" for ref in references)
    parts = (pair, f"{metric}-{refs}.{level}.score")
    return "/".join(["metric-scores", *(io.file_names([part])[part] for part in parts)])


def as_wmt_files(
    metric: MetricScores, systems: Sequence[str], references: Sequence[str], pair: str
) -> dict[str, str]:
    """Return the text of each file, by path, in mt-metrics-eval's layout for submissions.

    Where lower scores are better, they are negated. A score that was not proved is `None`.
    """
    for system in systems:
        if len(system.split()) != 1:
            raise InputError(f"system {system!r} has white space in its name; rename its file")
    levels = {"sys": metric.systems[:, None]}
    if metric.segments is not None:
        levels["seg"] = metric.segments
    return {
        wmt_file(metric.name, references, pair, level): "".join(
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
    corpus: Corpus,
    higher_is_better: bool = True,
    limits: Limits = LIMITS,
) -> MetricScores:
    """Read the scores of the systems of a corpus from a file; other systems in it are ignored."""
    judged = read_judgments(path, corpus, name=name, complete=True, limits=limits)
    file, means = io.display_name(path), judged.means
    for row in judged.rows:
        if row.score is None:
            raise row.error("the score is missing; a metric must score every segment")
    for system in corpus.systems:
        if system not in means:
            raise InputError(f"{file} has no score for system {system}; add one")
    systems_only = judged.rows[0].segment is None  # then no row has a segment
    keys = [None] if systems_only else range(len(corpus.segments))
    matrix = np.array([[means[system][key] for key in keys] for system in corpus.systems])
    signature = Signature(name, [("given", os.path.basename(file))])
    segments, statistics = (None, None) if systems_only else (matrix, matrix[:, :, None])
    of_systems = matrix.mean(axis=1)
    is_higher = higher_is_better and not judged.lower_is_better
    return MetricScores(
        name=name,
        signature=signature,
        systems=of_systems,
        segments=segments,
        statistics=statistics,
        aggregate=mean,
        higher_is_better=is_higher,
    )
