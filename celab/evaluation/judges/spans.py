"""Did the metric see the errors that people have marked?

A character of a translation is unmatched if its token is matched against none of the references,
as an explanation of the score shows it. An error span is *seen* if it has an unmatched character.
What it costs is the precision that the n-grams which touch it lack: Σ (1 - cover) · weight over
these n-grams, divided by the weight of all of its n-grams; the mean over the references.
An n-gram that touches two spans counts for both. A run of unmatched characters, with nothing but
white space between them, is *explained* if a span touches it.

Only outputs that were judged count. A span without a place in the translation, such as an omission,
cannot be seen; these are counted apart.
"""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.options import LIMITS, Limits
from celab.base.signature import Signature
from celab.corpus import Corpus
from celab.corpus.model import SegmentName
from celab.evaluation.judges.annotations import POINTS, UTF16, annotations_in, code_points
from celab.evaluation.judges.places import find_systems, place, same
from celab.evaluation.score_tables import ErrorSpan, Judgment
from celab.evaluation.tables import Finding, FindingKind, Needs, Producer
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import AnyExplanation, Explanation, MeanExplanation
from celab.tables import cells
from celab.tables.cells import Cell
from celab.tables.record import Field, Record, check_level, frame, with_index
from celab.tables.record import fields as record_fields
from celab.tables.result import DataFrame, PrintedResult
from celab.tables.view import NORMAL, Table, View, ViewOptions, line

FORMATS = "MQM TSV, .seg.rating, Appraise CSV, Pearmut or WMT25 JSON Lines, XCOMET JSON, or TSV"


def read_spans(
    path: io.AnyPath, corpus: Corpus, limits: Limits = LIMITS, count_from: int | None = None
) -> list[Judgment]:
    """Read judgments with error spans, and find their systems and segments in a corpus.

    Places are code points of the outputs. `count_from` is as in `places.first_number`.
    """
    name = io.display_name(path)
    annotations = annotations_in(io.read_text(path, limits=limits), path)
    if annotations is None:
        raise InputError(
            f"{name} has no error spans; it must be {FORMATS} with the columns system, segment,"
            " start, end, severity, category"
        )
    is_rating, by_units = annotations.kind == "rating", annotations.kind in UTF16
    judgments = annotations.judgments
    if not any(judgment.score is not None or not is_rating for judgment in judgments):
        raise InputError(f"{name} has no judgment")
    systems = find_systems([judgment.system for judgment in judgments], corpus, name)
    placed = place(judgments, systems, corpus, annotations.numbering, name, count_from)
    return [
        replace(judgment, spans=tuple(_spans_in(corpus, judgment, by_units)))
        for judgment in placed
        if judgment.score is not None or not is_rating  # else nobody has judged it
    ]


def _spans_in(corpus: Corpus, judgment: Judgment, by_units: bool) -> Iterator[ErrorSpan]:
    """Yield the errors of a judgment with their places in the output of the corpus."""
    output = corpus.systems[judgment.system][judgment.segment or 0]
    for error in judgment.spans:
        try:
            ends = error.place and _in_text(error.place, judgment.text, output, by_units)
        except InputError as problem:
            raise InputError(f"{error.where or judgment.where}: {problem}") from None
        yield error._replace(place=ends)


def _in_text(
    ends: tuple[int, int], judged: str | None, hyp: str, by_units: bool
) -> tuple[int, int] | None:
    """Return the range of a span in the output, which the judged text may differ from in spaces.

    None if it has no character there; `InputError` if it is not inside.
    """
    text = hyp if judged is None else judged
    if ends[0] == ends[1] <= len(text):
        return None
    span = code_points(ends, text) if by_units else ends
    if span is None or not 0 <= span[0] < span[1] <= len(text):
        first, last = ends if not by_units else (ends[0], ends[1] - 1)
        length = len(text.encode("utf-16-le")) // 2 if by_units else len(text)
        unit = "UTF-16 units" if by_units else "characters"
        raise InputError(
            f"an error goes from {first} to {last}, but the translation has {length} {unit};"
            " the texts must be those that were judged"
        )
    if text == hyp or not same(text, hyp):
        return span
    # Tools strip white space: the same characters of the output.
    places = [i for i, char in enumerate(hyp) if not char.isspace()]
    before = sum(not char.isspace() for char in text[: span[0]])
    inside = sum(not char.isspace() for char in text[span[0] : span[1]])
    if not inside:
        return None
    return places[before], places[before + inside - 1] + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSpan:
    """An error span with whether the metric saw it, and what it cost.

    Both are None if it has no place in the output. `segment` is the name of the segment, and
    `place` its place, from 0.
    """

    system: str
    segment: SegmentName
    start: int | None
    end: int | None
    severity: str
    category: str
    text: str
    seen: bool | None
    cost: float | None
    place: int = 0
    _omitted: ClassVar = frozenset({"place"})

    @property
    def ends(self) -> tuple[int, int] | None:
        """Where it is in the output, if it has a place there."""
        return None if self.start is None or self.end is None else (self.start, self.end)


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """Spans of one category and severity: how many, how many were seen, mean cost of one."""

    category: str
    severity: str
    spans: int
    seen: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpans:
    """Judged outputs, spans with a place and unmatched runs of one system, as in `SpanReport`."""

    n_outputs: int
    n_spans: int
    n_seen: int
    n_without_place: int
    n_runs: int
    n_unexplained: int


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SpanReport(PrintedResult):
    """Which error spans a metric saw. The module's docstring defines the figures.

    Attributes:
        metric, signature: the metric, whose explanations say what is unmatched.
        file: name of the file of spans.
        n_outputs: number of outputs that were judged.
        counts: spans by category and severity, most spans first; without those of no place.
        n_spans, n_seen: their sums.
        n_without_place: omissions and errors in the source.
        n_runs, n_unexplained: unmatched runs of the judged outputs, and those that no span touches.
        spans: all spans.
        systems: the numbers of each system.
        index: labels of the segments in a data frame that they are from; None without one.
    """

    metric: str
    signature: Signature
    file: str
    n_outputs: int
    counts: tuple[SpanCounts, ...]
    n_spans: int
    n_seen: int
    n_without_place: int
    n_runs: int
    n_unexplained: int
    spans: tuple[SeenSpan, ...]
    systems: dict[str, SystemSpans]
    index: Sequence[Any] | None = field(default=None, compare=False)
    _omitted: ClassVar = frozenset({"index"})

    @classmethod
    def make(
        cls,
        metric: str,
        signature: Signature,
        file: str,
        spans: Iterable[SeenSpan],
        systems: Mapping[str, SystemSpans],
        index: Sequence[Any] | None = None,
    ) -> SpanReport:
        """Return the report of spans, and of the numbers of each system."""
        spans = tuple(spans)
        groups: dict[tuple[str, str], list[SeenSpan]] = {}
        for span in spans:
            if span.seen is not None:
                groups.setdefault((span.category, span.severity), []).append(span)
        counts = [
            SpanCounts(
                *kind,
                len(members),
                sum(bool(span.seen) for span in members),
                float(np.mean([span.cost for span in members])),
            )
            for kind, members in groups.items()
        ]
        counts.sort(key=lambda x: (-x.spans, x.category, x.severity))
        sums = {
            spec.name: sum(getattr(numbers, spec.name) for numbers in systems.values())
            for spec in fields(SystemSpans)
        }
        return cls(
            metric=metric,
            signature=signature,
            file=file,
            counts=tuple(counts),
            spans=spans,
            systems=dict(systems),
            index=index,
            **sums,
        )

    def of_systems(self, names: Collection[str]) -> SpanReport:
        """Return what is known of some systems."""
        spans = (span for span in self.spans if span.system in names)
        systems = {name: numbers for name, numbers in self.systems.items() if name in names}
        return SpanReport.make(self.metric, self.signature, self.file, spans, systems, self.index)

    @property
    def findings(self) -> Iterator[Finding]:
        """The errors as findings, whose kinds are severities."""
        for span in self.spans:
            yield Finding(
                system=span.system,
                segment=span.place,
                check="people",
                kind=f"marked {span.severity or 'error'}",
                span=span.ends,
                text=span.text,
                note=span.category,
                value=span.cost,
            )

    @property
    def page_rows(self) -> Iterator[Finding]:
        """The errors by category: `note` is the severity, `value` whether it was seen, and cost."""
        for span, row in zip(self.spans, self.findings, strict=True):
            value = span.seen, None if span.cost is None else round(span.cost, 6)
            yield row._replace(kind=span.category, text="", note=span.severity, value=value)

    def to_dataframe(self, library: str | None = None, *, level: str = "segment") -> DataFrame:
        """Return a data frame with a row per span, or per category and severity.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment" for spans, or "system" for their counts.
        """
        check_level(level)
        if level == "segment":
            columns = SPANS.columns(self.spans)
            places = [span.place for span in self.spans]
            return frame(with_index(columns, places, self.index), library)
        return COUNTS.frame(self.counts, library=library)

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return spans by category and severity, and lines about them."""
        rows: list[list[Cell | str]] = [
            [
                cells.name(row.category or "–"),
                cells.name(row.severity or "–"),
                cells.count(row.spans),
                cells.count(row.seen),
                cells.score(100 * row.seen / row.spans, 0),
                cells.score(row.cost, 4),
            ]
            for row in self.counts
        ]
        headings = ["category", "severity", "spans", "seen", "% seen", "cost"]
        title = f"Error spans of {os.path.basename(self.file)}, seen by {self.metric}"
        lines = [
            line(
                f"{self.n_seen} of {self.n_spans} spans have an unmatched character; cost:"
                " precision that the n-grams touching one lack, on average"
            ),
            line(
                f"{self.n_unexplained} of {self.n_runs} unmatched runs in {self.n_outputs} judged"
                " outputs are in no span"
            ),
        ]
        if self.n_without_place:
            lines.append(
                line(
                    f"{self.n_without_place} more: omissions and errors in the source, which have"
                    " no place in the output"
                )
            )
        return View(
            [Table(headings=headings, rows=rows, right=range(2, len(headings)), title=title), lines]
        )

    def __repr__(self) -> str:
        return (
            f"<{self.n_seen} of {self.n_spans} spans seen by {self.metric},"
            f" {self.n_unexplained} of {self.n_runs} unmatched runs unexplained>"
        )


SPANS = Record(
    Field("system", "text"),
    Field("segment", "segment"),
    *record_fields("number", "start", "end"),
    *record_fields("text", "severity", "category", "text", "seen"),
    Field("cost", "number"),
)
COUNTS = Record(
    *record_fields("text", "category", "severity"),
    *record_fields("integer", "spans", "seen"),
    Field("cost", "number"),
)
_ABOUT = "an error that people marked"
PRODUCER = Producer(
    name="people",
    title="Marked by people",
    kinds={
        name: FindingKind(name=name, meaning=_ABOUT, needs=Needs.SPANS, verdict=False)
        for name in (f"marked {severity}" for severity in POINTS)
    },  # and other severities that a file has
    find=lambda subject: subject.spans.findings,
    about=_ABOUT,
    page=lambda subject: subject.spans.page_rows,
)


def seen_spans(
    judgments: Iterable[Judgment], file: str, corpus: Corpus, metrics: dict[str, Metric]
) -> SpanReport:
    """Return which errors of judgments the first metric with links between tokens saw.

    `file` is the file of the judgments, as messages name it.
    """
    linked = (name for name, metric in metrics.items() if metric.explained_by == "links")
    name = next(linked, None)
    if name is None:
        raise OptionError(
            f"error spans need a metric with links between words, such as celab; there is"
            f" {', '.join(metrics) or 'none'}"
        )
    scorer = metrics[name].scorer(corpus.refs)
    by_output: dict[tuple[str, int], list[ErrorSpan]] = {}
    for judgment in judgments:
        by_output.setdefault((judgment.system, judgment.segment or 0), []).extend(judgment.spans)
    rows: list[SeenSpan] = []
    names = corpus.names
    systems = {system: Counter[str]() for system, _ in by_output}
    for (system, index), errors in by_output.items():
        hyp = corpus.systems[system][index]
        explained = scorer.explain(hyp, [side[index] for side in corpus.refs])
        output = _Output(hyp, [_with_tokens(part, name) for part in explained.against])
        seen = [_seen(error, output, system, index, names[index]) for error in errors]
        rows += seen
        runs = [*output.runs()]
        places = [error.place for error in errors if error.place is not None]
        systems[system].update(
            n_outputs=1,
            n_spans=len(places),
            n_seen=sum(bool(row.seen) for row in seen),
            n_without_place=len(errors) - len(places),
            n_runs=len(runs),
            n_unexplained=sum(not any(_touch(run, place) for place in places) for run in runs),
        )
    numbers = {system: SystemSpans(**counted) for system, counted in systems.items()}
    return SpanReport.make(name, scorer.signature, file, rows, numbers, corpus.index)


def _seen(
    error: ErrorSpan, output: _Output, system: str, index: int, name: SegmentName
) -> SeenSpan:
    start, end = error.place or (None, None)
    return SeenSpan(
        system=system,
        segment=name,
        start=start,
        end=end,
        severity=error.severity,
        category=error.category,
        text="" if error.place is None else output.hyp[start:end],
        seen=None if error.place is None else bool(output.is_unmatched[start:end].any()),
        cost=None if error.place is None else output.cost(error.place),
        place=index,
    )


class _Output:
    """A judged output, and what an explanation says of its characters."""

    def __init__(self, hyp: str, against: list[Explanation]) -> None:
        self.hyp, self.against = hyp, against
        self.places = [token_places(hyp, part.hyp_tokens) for part in against]
        self.is_unmatched = np.ones(len(hyp), np.bool_)
        for part, places in zip(against, self.places, strict=True):
            free = np.zeros(len(hyp), np.bool_)
            for ngram, ends in zip(part.hyp_ngrams, places, strict=False):  # single tokens first
                if ngram.state == "unmatched" and ngram.weight > 0 and ends is not None:
                    free[slice(*ends)] = True
            self.is_unmatched &= free

    def cost(self, place: tuple[int, int]) -> float:
        """Return the precision that the n-grams touching a place lack."""
        costs = []
        for part, places in zip(self.against, self.places, strict=True):
            touched = {i for i, ends in enumerate(places) if ends and _touch(ends, place)}
            total = sum(ngram.weight for ngram in part.hyp_ngrams)
            lost = sum(
                (1 - ngram.cover) * ngram.weight
                for ngram in part.hyp_ngrams
                if not touched.isdisjoint(range(*ngram.span))
            )
            costs.append(lost / total if total else 0.0)
        return float(np.mean(costs))

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the runs of unmatched characters."""
        start = stop = -1
        for i, char in enumerate(self.hyp):
            if self.is_unmatched[i]:
                if start < 0:
                    start = i
                stop = i + 1
            elif start >= 0 and not char.isspace():
                yield start, stop
                start = -1
        if start >= 0:
            yield start, stop


def _with_tokens(explanation: AnyExplanation, metric: str) -> Explanation:
    parts = explanation.parts if isinstance(explanation, MeanExplanation) else (explanation,)
    for part in parts:  # of a mean, the first that has links between tokens
        if isinstance(part, Explanation):
            return part
    raise OptionError(f"error spans need a metric with links between characters, not {metric}")


def _touch(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def token_places(text: str, tokens: Sequence[str]) -> list[tuple[int, int] | None]:
    """Return where each token is in a text, which normalization may have changed.

    >>> token_places("他 買３.5米", ["他", "买", "3.5", "米"])
    [(0, 1), (2, 3), (3, 6), (6, 7)]
    >>> token_places("ｶﾞﾗｽ", ["ガ", "ラ", "ス"])
    [(0, 2), (2, 3), (3, 4)]
    """
    raw = [i for i, char in enumerate(text) if not char.isspace()]
    flat = [(number, char) for number, token in enumerate(tokens) for char in token.strip()]
    owners: list[list[int]] = [[] for _ in tokens]
    if len(raw) == len(flat):  # each character stands for one, maybe another
        pairs: Iterator[tuple[int, int]] = zip(raw, (number for number, _ in flat), strict=True)
    else:
        pairs = _aligned(text, raw, flat)
    for position, number in pairs:
        owners[number].append(position)
    return [(min(own), max(own) + 1) if own else None for own in owners]


def _aligned(
    text: str, raw: Sequence[int], flat: Sequence[tuple[int, str]]
) -> Iterator[tuple[int, int]]:
    ours = [unicodedata.normalize("NFKC", text[i]).lower() for i in raw]
    theirs = [unicodedata.normalize("NFKC", char).lower() for _, char in flat]
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        n, m = a_end - a, b_end - b
        for k in range(max(n, m) if n and m else 0):
            yield raw[a + min(k, n - 1)], flat[b + min(k, m - 1)][0]
