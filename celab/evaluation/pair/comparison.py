"""Two systems by every metric: both scores → the difference, its significance, and where it is.

All figures are of the segments that have a proved score for both systems; the others are counted.
For each metric:

- difference: A's score minus B's, in the metric's units, with a 95% interval: the 25th smallest and
  the 25th greatest difference of 1,000 paired bootstrap resamples of the segments;
- p, two-sided. With `test="bootstrap"` it comes from the same resamples, and p < 0.05 if and only
  if the interval does not hold 0. With `test="randomization"`, or where fewer than 100 segments
  differ, it comes from approximate randomization, and may disagree with the interval; `remark` then
  says so. Where fewer than 20 segments differ, p is exact (`test` is then "exact"): the share of
  all exchanges of the two systems' outputs that give at least the observed difference. With fewer
  than 20 segments in all no difference is called significant, which `remark` says;
- wins, ties and losses: segments on which A's score is better than B's, equal to within `TIE`, or
  worse;
- the segments with the greatest differences either way;
- examples: the same, but without segments whose reference is shorter than `EXAMPLE_LENGTH`, unless
  all are, and without near-duplicates: of two segments whose references share half of their
  character bigrams (Jaccard index), the one with the smaller difference is left out;
- outputs: the difference and p without the segments in which an output of either system is no
  translation (`celab.evaluation.checks`), by the first metric, if there are any;
- both scores by length of the reference, by document and by domain. Length is the number of
  characters without white space, the mean over the references that a segment has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from celab.base import offered
from celab.base.arrays import F64, I64
from celab.base.dicts import JsonObject
from celab.base.errors import LONGER, InputError, OptionError, SolverError
from celab.base.frozen import dataclass
from celab.base.result import DataFrame, Level, Result
from celab.base.signature import Signature
from celab.base.text.sequences import items_of
from celab.base.view import cells
from celab.base.view.cells import p_text, shown
from celab.base.view.frames import Column, check_level, frame, name_column
from celab.base.view.renderers import RENDERERS
from celab.base.view.tables import NORMAL, View, ViewOptions
from celab.corpus.model import SegmentName
from celab.evaluation.judges.disagreement import Disagreement, disagreements, judge_pairs
from celab.evaluation.tables import Findings
from celab.metrics.comparable import check_comparable
from celab.metrics.judge_score import is_testable
from celab.metrics.registry import digits_of
from celab.metrics.scores import Score
from celab.statistics import resampling
from celab.statistics.significance import (
    DISAGREE,
    FEWEST_SEGMENTS,
    LEVEL,
    SIGNIFICANT,
    TIE,
    TOO_FEW,
    Test,
    check_test,
    paired_test,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from celab.corpus import Corpus
    from celab.evaluation.checks.outputs import Outputs
    from celab.evaluation.judges.spans import SpanReport
    from celab.evaluation.references.looks import ReferenceCopies

LENGTHS = (10, 20, 40, 80, 160)  # the longest references of each bucket but the last
MOST_DIFFERENT = 5  # segments shown either way
EXAMPLE_LENGTH = 10  # characters of the reference of the shortest example
NEAR_DUPLICATE = 0.5  # Jaccard index of the character bigrams of two references
# Fields that plain data has only if there is anything in them.
_IF_ANY = ("disagreements", "spans", "references")


@dataclass(frozen=True, slots=True)
class Bucket:
    """A subset of the segments, with its size and the scores of both systems on it."""

    label: str
    n_segments: int
    a: float
    b: float

    @property
    def difference(self) -> float:
        """A − B."""
        return self.a - self.b


@dataclass(frozen=True, slots=True)
class SegmentDifference:
    """A segment, by its name, with both scores and all texts."""

    segment: SegmentName
    document: str
    a: float
    b: float
    difference: float
    texts: tuple[str, str]
    references: tuple[str, ...]  # without absent ones


@dataclass(frozen=True, slots=True, repr=False)
class MetricDifference(Result):
    """Comparison of two systems by one metric. The module's docstring defines the figures."""

    name: str  # the metric's usual name
    signature: Signature
    higher_is_better: bool
    a: float  # scores of the two systems
    b: float
    difference: float
    interval: tuple[float, float]
    p: float
    sides: str  # "two-sided"
    test: str  # that p comes from: "bootstrap", "randomization" or "exact"
    n_resamples: int
    seed: int
    wins: int  # segments on which A is better
    ties: int
    losses: int
    n_segments: int
    n_different: int  # segments on which the statistics of both differ
    n_skipped: int
    a_better: tuple[SegmentDifference, ...]  # the greatest differences first
    b_better: tuple[SegmentDifference, ...]
    by_length: tuple[Bucket, ...]
    by_document: tuple[Bucket, ...]  # empty without documents
    by_domain: tuple[Bucket, ...]  # empty without domains
    examples: tuple[tuple[SegmentDifference, ...], tuple[SegmentDifference, ...]]  # for A, for B
    segments: F64 = field(compare=False)  # segments × 2: the scores of both
    unscored: str = Score.unscored  # why segments are left out
    own_digits: int | None = None  # decimals to show, if they are not those of a metric of ours
    _omitted: ClassVar = frozenset({"by_domain", "examples", "segments", "unscored", "own_digits"})

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_of(self.signature.name) if self.own_digits is None else self.own_digits

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the comparison by this metric alone."""
        n_segments = self.n_segments + self.n_skipped
        return PairComparison(("A", "B"), n_segments, {self.name: self}).view(options)

    @property
    def is_tested(self) -> bool:
        """Whether there is a test; there is none if only the scores of systems are known."""
        return self.n_segments > 0

    @property
    def significant(self) -> bool:
        """Return whether p < 0.05; with fewer than 20 segments no difference is significant."""
        return self.p < SIGNIFICANT and not self.too_few

    @property
    def too_few(self) -> bool:
        """Whether there are too few segments to call the difference significant."""
        return self.is_tested and self.n_segments < FEWEST_SEGMENTS

    @property
    def better(self) -> int | None:
        """0 if the first system has the better score, 1 if the second, None if they are equal."""
        if self.a == self.b or np.isnan(self.difference):
            return None
        return int((self.a > self.b) != self.higher_is_better)

    @property
    def remark(self) -> str:
        """A note if segments are too few, or if p and the interval disagree."""
        if self.too_few:
            return TOO_FEW
        low, high = self.interval
        if self.significant == (low > 0 or high < 0):
            return ""
        return DISAGREE

    def __repr__(self) -> str:
        a, b = (shown(cells.score(value, self.digits)) for value in (self.a, self.b))
        difference = shown(cells.difference(self.difference, self.digits))
        interval = shown(cells.interval(self.interval, self.digits, signed=True))
        return (
            f"<{self.name}: {a} and {b}, difference {difference} {interval},"
            f" p {p_text(self.p)} ({self.sides})>"
        )


@dataclass(frozen=True, slots=True)
class WithoutOutputs:
    """The comparison by one metric without the segments in which an output is not a translation.

    Attributes:
        metric: the metric, which is the first.
        kinds: for each system the names of the segments of each kind.
        n_segments: number of segments that are left; the figures are NaN if none is.
        difference, interval, p, test: as in `MetricDifference`.
    """

    metric: str
    kinds: dict[str, dict[str, list[SegmentName]]]
    n_segments: int
    difference: float
    interval: tuple[float, float]
    p: float
    test: str

    @property
    def n_outputs(self) -> int:
        """Number of outputs of both systems that are not translations."""
        return sum(len(segments) for kinds in self.kinds.values() for segments in kinds.values())


@dataclass(frozen=True, slots=True, repr=False)
class PairComparison(Result):
    """Comparison of two systems by every metric, which are its items; `print` shows a summary.

    >>> import celab
    >>> celab.compare(["买雨伞", "去北京"], ["买伞", "到了"], ["买雨伞", "去北京"], "chrf")
    <A against B by 1 metric on 2 segments: chrF2 ...>
    """

    names: tuple[str, str]
    n_segments: int  # with those skipped
    metrics: dict[str, MetricDifference]
    outputs: WithoutOutputs | None = None  # None if every output is a translation, or unchecked
    # Where the first metric and each other judge disagree most, by judge; empty without any.
    disagreements: dict[str, tuple[Disagreement, ...]] = field(default_factory=dict)
    spans: SpanReport | None = None  # errors that people have marked, if they are known
    references: tuple[ReferenceCopies, ...] = ()  # that were probably made from a system
    segment_names: Sequence[SegmentName] = field(default=(), repr=False, compare=False)
    # What is said about one system, but not about the other in the same segment.
    findings: Findings | None = field(default=None, repr=False, compare=False)
    _omitted: ClassVar = frozenset({"segment_names", "findings"})

    def to_dict(self) -> JsonObject:
        """Return the comparison as plain data; what other judges add only if there are any."""
        values = Result.to_dict(self)
        if self.findings:
            values["findings"] = {name: self.findings.segments(name) for name in self.names}
        return {k: v for k, v in values.items() if v or k not in _IF_ANY}

    def __getitem__(self, metric: str) -> MetricDifference:
        """Return the figures of one metric."""
        return self.metrics[metric]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics, as over those of a dict."""
        return iter(self.metrics)

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    def __len__(self) -> int:
        return len(self.metrics)

    def to_dataframe(self, library: str | None = None, *, level: Level = "system") -> DataFrame:
        """Return a data frame with a row per metric, or per metric and segment.

        Its columns are metric, the scores of both systems under their names, and their difference;
        at the level of systems also low and high (95% interval), p, wins, ties and losses, and at
        that of segments segment (its name).

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system" or "segment".
        """
        from celab.evaluation.pair.record import ALL, record_of, record_rows

        check_level(level)
        if level == "segment":
            return frame(self._segments(), library)
        names = ("metric", "a", "b", "difference", "low", "high", "p", "wins", "ties", "losses")
        rows = [row for row in record_rows(self) if row.bucket == ALL]
        return record_of(self.names).frame(rows, names, library)

    def _segments(self) -> dict[str, Column]:
        a, b = self.names
        n = self.n_segments
        scores = np.concatenate([metric.segments for metric in self.metrics.values()])
        return {
            "metric": [name for name in self.metrics for _ in range(n)],
            "segment": name_column([*self.segment_names] * len(self.metrics)),
            a: scores[:, 0],
            b: scores[:, 1],
            "difference": scores[:, 0] - scores[:, 1],
        }

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the figures of all metrics, and as much more as the options ask for."""
        from celab.evaluation.pair.view import view_of

        return view_of(self, options)

    def plot(self, metric: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw A's segment scores against B's by matplotlib; return the axes.

        `metric` is the first by default; `ax` are the axes to draw on, new ones by default.
        """
        return offered.plot(self, metric=metric, ax=ax)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view(ViewOptions(detail="summary")))

    def __repr__(self) -> str:
        n = len(self.metrics)
        differences = ", ".join(
            f"{metric.name} {shown(cells.difference(metric.difference, metric.digits))}"
            f" (p {p_text(metric.p)}, {metric.sides})"
            for metric in self.metrics.values()
        )
        return (
            f"<{' against '.join(self.names)} by {n} metric{'s' * (n > 1)} on"
            f" {self.n_segments} segments: {differences}>"
        )


def compare_pair(
    scores: Mapping[str, tuple[Score, Score]],
    corpus: Corpus,
    names: tuple[str, str],
    *,
    documents: Sequence[str] | None = None,
    test: Test = "bootstrap",
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    most_different: int = MOST_DIFFERENT,
    outputs: Outputs | None = None,
    spans: SpanReport | None = None,
    findings: Findings | None = None,
) -> PairComparison:
    """Compare two systems, from their scores by each metric; the corpus has the texts.

    `findings` are those about both systems, of any producers.
    """
    check_test(test)
    if not isinstance(most_different, int) or most_different < 0:
        raise OptionError("most_different", most_different, "it must be 0 or more")
    if isinstance(documents, str):
        raise OptionError("documents", documents, "it must be a list with a name for each segment")
    n = len(corpus.segments)
    if documents is None:
        documents = [segment.document for segment in corpus.segments]
    documents = items_of(documents, "documents")
    if len(documents) != n:
        raise InputError(
            f"there are {len(documents)} documents and {n} segments; give one for each segment"
        )
    differences = {}
    for metric, (a, b) in scores.items():
        check_comparable(dict(zip(names, (a, b), strict=True)))
        if len(a.segments) != n:
            raise InputError(
                f"the scores by {metric} have {len(a.segments)} segments, the texts {n}; they must"
                " be of the same test set"
            )
        if not is_testable(dict(zip(names, (a, b), strict=True))):
            differences[metric] = _without_test(a, b, n_resamples, seed)
            continue
        both = np.flatnonzero(a.segments.scored & b.segments.scored)
        if not len(both):
            raise SolverError(
                f"no segment has a proved score by {metric} for both systems, so they cannot be"
                " compared",
                hint=LONGER,
            )
        differences[metric] = _compare_by_metric(
            a,
            b,
            both,
            corpus,
            names,
            list(map(str, documents)),
            test,
            n_resamples,
            seed,
            most_different,
        )
    metric, pair = next(iter(scores.items()))
    without = (
        None
        if outputs is None or not is_testable(dict(zip(names, pair, strict=True)))
        else (without_outputs(metric, pair, names, outputs, n_resamples, test, seed))
    )
    by_judge = {judge: dict(zip(names, pair, strict=True)) for judge, pair in scores.items()}
    disagreed = {
        second: disagreements(by_judge[first], by_judge[second], corpus.segments)
        for first, second in judge_pairs(by_judge)
    }
    of_pair = None if spans is None else spans.of_systems(names)
    copies = () if outputs is None else outputs.references
    return PairComparison(
        *(names, n, differences, without, disagreed, of_pair, copies),
        segment_names=corpus.names,
        findings=None if findings is None else findings.of_one(*names),
    )


def without_outputs(
    metric: str,
    scores: tuple[Score, Score],
    names: tuple[str, str],
    outputs: Outputs,
    n_resamples: int,
    test: Test,
    seed: int,
) -> WithoutOutputs | None:
    """Compare two systems by one metric where both have a translation; None if that is everywhere.

    The segments are left out for both systems.
    """
    kinds = {name: outputs.kinds(name) for name in names}
    if not any(kinds.values()):
        return None
    scored = np.logical_and.reduce([score.segments.scored for score in scores])
    left = outputs.translations(*names)
    left = left[scored[left]]
    if not len(left):
        unknown = (np.nan, np.nan)
        return WithoutOutputs(metric, kinds, 0, np.nan, unknown, np.nan, test)
    statistics = np.stack([score.statistics[left] for score in scores])
    result = paired_test(
        statistics, scores[0].aggregate, test=test, n_resamples=n_resamples, seed=seed
    )
    a, b = (score.of_segments(left) for score in scores)
    interval, p = result.interval(level=LEVEL), float(result.p_values[0, 1])
    return WithoutOutputs(metric, kinds, len(left), a - b, interval, p, str(result.tests[0, 1]))


def _compare_by_metric(
    a: Score,
    b: Score,
    both: I64,
    corpus: Corpus,
    names: tuple[str, str],
    documents: list[str],
    test: Test,
    n_resamples: int,
    seed: int,
    most: int,
) -> MetricDifference:
    statistics = np.stack([a.statistics[both], b.statistics[both]])
    result = paired_test(statistics, a.aggregate, test=test, n_resamples=n_resamples, seed=seed)
    segments = np.stack((a.segments.scores, b.segments.scores), axis=1)
    differences = segments[:, 0] - segments[:, 1]
    gain = (differences if a.higher_is_better else -differences)[both]  # of A over B
    order = both[np.argsort(-gain, kind="stable")]
    wins, losses = int((gain > TIE).sum()), int((gain < -TIE).sum())
    texts, segment_names = [corpus.systems[name] for name in names], corpus.names

    def segment_difference(i: int) -> SegmentDifference:
        refs = tuple(side[i] for side in corpus.refs if side[i].strip())
        score_a, score_b = segments[i].tolist()
        outputs = (texts[0][i], texts[1][i])
        return SegmentDifference(
            segment_names[i], documents[i], score_a, score_b, score_a - score_b, outputs, refs
        )

    def bucket(label: str, members: I64) -> Bucket:
        return Bucket(label, len(members), a.of_segments(members), b.of_segments(members))

    complete = len(both) == len(corpus.segments)
    score_a, score_b = (side.score if complete else side.of_segments(both) for side in (a, b))
    lengths = length_buckets(corpus)[both]

    def buckets(labels: Sequence[str]) -> tuple[Bucket, ...]:
        members: dict[str, list[int]] = {}
        for i in both.tolist():
            members.setdefault(labels[i], []).append(i)
        return tuple(
            bucket(label, np.array(rows)) for label, rows in members.items() if any(labels)
        )

    ranked = (order[:wins].tolist(), order[::-1][:losses].tolist())
    examples = [tuple(map(segment_difference, rows)) for rows in _examples(corpus, ranked, most)]
    return MetricDifference(
        name=a.name,
        signature=a.signature.without("skipped"),
        higher_is_better=a.higher_is_better,
        a=score_a,
        b=score_b,
        difference=score_a - score_b,
        interval=result.interval(level=LEVEL),
        p=float(result.p_values[0, 1]),
        sides="two-sided",
        test=str(result.tests[0, 1]),
        n_resamples=n_resamples,
        seed=seed,
        wins=wins,
        ties=len(both) - wins - losses,
        losses=losses,
        n_segments=len(both),
        n_different=int(result.n_different[0, 1]),
        n_skipped=len(corpus.segments) - len(both),
        a_better=tuple(map(segment_difference, order[: min(most, wins)].tolist())),
        b_better=tuple(map(segment_difference, order[::-1][: min(most, losses)].tolist())),
        by_length=tuple(
            bucket(length_label(k), both[lengths == k]) for k in np.unique(lengths).tolist()
        ),
        by_document=buckets(documents),
        by_domain=buckets([segment.domain for segment in corpus.segments]),
        examples=(examples[0], examples[1]),
        segments=segments,
        unscored=a.unscored,
        own_digits=a.digits,
    )


def _without_test(a: Score, b: Score, n_resamples: int, seed: int) -> MetricDifference:
    """Return the difference of two scores of systems, of whose segments nothing is known."""
    return MetricDifference(
        name=a.name,
        signature=a.signature,
        higher_is_better=a.higher_is_better,
        a=a.score,
        b=b.score,
        difference=a.score - b.score,
        interval=(np.nan, np.nan),
        p=np.nan,
        sides="two-sided",
        test="none",
        n_resamples=n_resamples,
        seed=seed,
        wins=0,
        ties=0,
        losses=0,
        n_segments=0,
        n_different=0,
        n_skipped=0,
        a_better=(),
        b_better=(),
        by_length=(),
        by_document=(),
        by_domain=(),
        examples=((), ()),
        segments=np.stack((a.segments.scores, b.segments.scores), axis=1),
        unscored=a.unscored,
        own_digits=a.digits,
    )


def _examples(corpus: Corpus, ranked: Sequence[Sequence[int]], most: int) -> list[list[int]]:
    """Return the first `most` segments of each ranking that are neither short nor near-duplicates.

    A segment that resembles one of the other ranking is left out of the second ranking.
    """
    refs = [
        "".join(next(side[i] for side in corpus.refs if side[i].strip()).split())
        for i in range(len(corpus.segments))
    ]
    shortest = EXAMPLE_LENGTH if any(len(ref) >= EXAMPLE_LENGTH for ref in refs) else 0
    chosen: list[list[int]] = []
    seen: list[set[str]] = []
    for ranking in ranked:
        chosen.append([])
        for i in ranking:
            if len(chosen[-1]) == most:
                break
            bigrams = {refs[i][k : k + 2] for k in range(max(1, len(refs[i]) - 1))}
            is_new = all(
                len(bigrams & other) < NEAR_DUPLICATE * len(bigrams | other) for other in seen
            )
            if len(refs[i]) >= shortest and is_new:
                chosen[-1].append(i)
                seen.append(bigrams)
    return chosen


def length_buckets(corpus: Corpus) -> I64:
    """Return the index of each segment's bucket by length; see `length_label`."""
    counts = np.array([[len("".join(text.split())) for text in side] for side in corpus.refs])
    means = counts.sum(axis=0) / np.maximum((counts > 0).sum(axis=0), 1)
    return np.asarray(np.searchsorted(LENGTHS, means))


def length_label(k: int) -> str:
    """Return the range of a bucket, in characters of the reference.

    >>> length_label(1)
    '11-20'
    """
    low = LENGTHS[k - 1] + 1 if k else 1
    return f"{low}-{LENGTHS[k]}" if k < len(LENGTHS) else f"{low}+"
