"""Errors that people have marked, and whether a metric detected them.

A character of a translation is unmatched if its token is matched against none of the references,
as an explanation of the score shows it. An error span is *seen* if it has an unmatched character.
Its *cost* is the precision that the output loses in the n-grams that touch the span:
Σ (1 - cover) · weight over these n-grams, divided by the weight of all n-grams of the output; the
mean over the references. An n-gram that touches two spans counts for both. A run of unmatched
characters, with nothing but white space between them, is *explained* if a span touches it.

Only outputs that were judged count. Errors without a place in the translation, such as omissions,
cannot be seen; they are counted apart.
"""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

import numpy as np

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import InputError, OptionError
from celab.base.options import LIMITS, Limits
from celab.base.signature import Signature
from celab.corpus import Corpus
from celab.corpus.model import SegmentName
from celab.findings.finding import Finding
from celab.findings.marked_errors import SEVERITIES
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import AnyExplanation, Explanation, MeanExplanation
from celab.people.annotations import UTF16, annotations_in, code_points
from celab.people.matching import find_systems, match_judgments, same
from celab.people.score_files import ErrorSpan, Judgment
from celab.tables.cells import quantity
from celab.tables.result import PrintedResult
from celab.tables.sentences import ERRORS_ALONE
from celab.tables.table import COUNT, NAME, SCORE, TEXT, Column, Part, Table, named, segment_columns
from celab.tables.view import Detail, line

PER_OUTPUTS = 100  # errors are counted per so many judged outputs, to compare systems
OF_SYSTEMS = ("n_rated", "errors")  # fields of `SystemSpans` without a sum in the whole report
MIN_SPANS_OF_ROW = 5  # a row is a category and a severity
FORMATS = "MQM TSV, .seg.rating, Appraise CSV, Pearmut or WMT25 JSON Lines, XCOMET JSON, or TSV"


def read_spans(
    path: io.AnyPath, corpus: Corpus, limits: Limits = LIMITS, count_from: int | None = None
) -> list[Judgment]:
    """Read judgments with error spans, and find their systems and segments in a corpus.

    Places are code points of the outputs. `count_from` is as in `matching.first_number`.
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
    matched = match_judgments(judgments, systems, corpus, annotations.numbering, name, count_from)
    return [
        replace(judgment, spans=tuple(_spans_in(corpus, judgment, by_units)))
        for judgment in matched
        if judgment.score is not None or not is_rating  # a rating without a score is no judgment
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
    """Return the range of a span in the output, whose white space may differ from the judged text.

    None if no character of the span is in the output; `InputError` if it goes beyond the text.
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
    # Tools strip white space, so the span is found by its other characters.
    places = [i for i, char in enumerate(hyp) if not char.isspace()]
    before = sum(not char.isspace() for char in text[: span[0]])
    inside = sum(not char.isspace() for char in text[span[0] : span[1]])
    if not inside:
        return None
    return places[before], places[before + inside - 1] + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSpan:
    """An error span, whether the metric saw it, and its cost.

    `seen` and `cost` are None if the error has no place in the output. `segment` is the name of the
    segment, and `place` its index.
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
        """Start and end in the output; None if the error has no place in it."""
        return None if self.start is None or self.end is None else (self.start, self.end)


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """Number of spans of a category and severity, number of seen ones, and mean cost of a span."""

    category: str
    severity: str
    spans: int
    seen: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpans:
    """Judged outputs, errors, spans with a place and unmatched runs of a system."""

    n_outputs: int  # outputs in the file; only those with errors if it lists errors alone
    n_spans: int
    n_seen: int
    n_without_place: int
    n_runs: int
    n_unexplained: int
    # Judged outputs, or all outputs of the system if the file lists errors alone: it then does not
    # say which outputs without errors were judged.
    n_rated: int
    errors: dict[str, int]  # number of errors of each severity, the gravest first

    def per_outputs(self, severity: str) -> float:
        """Return the number of errors of a severity in `PER_OUTPUTS` outputs."""
        return PER_OUTPUTS * self.errors.get(severity, 0) / self.n_rated


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SpanReport(PrintedResult):
    """Error spans that a metric saw, or not. The docstring of the module defines the figures.

    Attributes:
        metric, signature: the metric, whose explanations say what is unmatched.
        file: name of the file of spans.
        n_outputs: number of outputs that the file names as judged, or as having errors.
        counts: spans with a place by category and severity, most spans first.
        n_spans, n_seen: sums over `counts`.
        n_without_place: number of omissions and errors in the source.
        n_runs, n_unexplained: unmatched runs of these outputs, and runs that no span touches.
        spans: all spans.
        systems: the numbers of each system.
        index: labels of the segments, if the texts come from a data frame.
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
            if spec.name not in OF_SYSTEMS
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
        """Return the report on some of the systems."""
        spans = (span for span in self.spans if span.system in names)
        systems = {name: numbers for name, numbers in self.systems.items() if name in names}
        return SpanReport.make(self.metric, self.signature, self.file, spans, systems, self.index)

    @property
    def findings(self) -> Iterator[Finding]:
        """Yield the errors as findings, whose kinds are severities."""
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

    @property
    def severities(self) -> list[str]:
        """Severities of the errors, the gravest first."""
        named = {name for numbers in self.systems.values() for name in numbers.errors}
        return sorted(named, key=_gravity)

    @property
    def lists_errors_alone(self) -> bool:
        """Whether outputs without errors count as judged, because the file cannot name them."""
        return any(numbers.n_rated > numbers.n_outputs for numbers in self.systems.values())

    def facts(self) -> JsonObject:
        """Return the metric, the file, and the numbers of all systems together."""
        return {name: getattr(self, name) for name in _FACTS}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield errors by system, spans by category and severity, and lines about them.

        `span` has a row per span, `span_kind` one per category and severity, and `span_system` one
        per system.
        """
        columns = [*segment_columns(attrgetter("segment"), attrgetter("place"), self.index, "")]
        yield Table(name="span", columns=[_SPANS[0], *columns, *_SPANS[1:]], rows=self.spans)
        yield self._by_system()
        yield from self._by_kind()

    def _by_system(self) -> Table:
        counts = {
            severity: sum(numbers.errors.get(severity, 0) for numbers in self.systems.values())
            for severity in self.severities
        }
        severities = [name for name, n in counts.items() if n >= MIN_SPANS_OF_ROW] or [*counts]

        def errors(severity: str) -> Column:
            heading = (severity or "error") if severity in severities else ""
            name = f"errors {severity or 'error'}"
            return Column(heading, COUNT, lambda row: row[1].errors.get(severity, 0), name)

        def share(severity: str) -> Column:
            heading = f"{severity or 'error'}/{PER_OUTPUTS}"
            return Column(heading, SCORE, lambda row: row[1].per_outputs(severity), digits=1)

        columns = [*_OF_SYSTEM, *map(errors, counts), *map(share, severities)]
        notes = [line(f"/{PER_OUTPUTS}: errors in {PER_OUTPUTS} outputs")]
        if self.lists_errors_alone:
            notes.append(line(ERRORS_ALONE))
        if others := sum(counts.values()) - sum(counts[name] for name in severities):
            notes.append(line(f"{quantity(others, 'error')} of other severities"))
        title, rows = f"Errors of {os.path.basename(self.file)}", [*self.systems.items()]
        return Table(name="span_system", columns=columns, rows=rows, title=title, notes=notes)

    def _by_kind(self) -> Iterator[Part]:
        most = [row for row in self.counts if row.spans >= MIN_SPANS_OF_ROW] or [*self.counts]
        # A column without any value is left out.
        kinds = {name: any(getattr(row, name) for row in most) for name in ("category", "severity")}
        columns = [
            *(_kind_column(name, name if is_known else "") for name, is_known in kinds.items()),
            *named(COUNT, "spans", "seen"),
            Column("% seen", SCORE, lambda row: 100 * row.seen / row.spans, digits=0),
            Column("cost", SCORE, attrgetter("cost"), "cost"),
        ]
        title = f"Error spans of {os.path.basename(self.file)}, seen by {self.metric}"
        table = Table(name="span_kind", columns=columns, rows=self.counts, title=title)
        if most:
            yield replace(table.for_people(), rows=most)
        yield table.for_programs()
        outputs = f"{quantity(self.n_outputs, 'judged output')}"
        if self.lists_errors_alone:
            outputs = f"{quantity(self.n_outputs, 'output')} with errors"
        lines = [
            line(
                f"{self.n_seen} of {self.n_spans} spans have an unmatched character; cost:"
                " precision that the n-grams touching one lack, on average"
            ),
            line(
                f"{self.n_unexplained} of {self.n_runs} unmatched runs in {outputs} are in no span"
            ),
        ]
        if self.n_without_place:
            lines.append(
                line(
                    f"{self.n_without_place} more: omissions and errors in the source, which have"
                    " no place in the output"
                )
            )
        if others := sum(row.spans for row in self.counts) - sum(x.spans for x in most):
            lines.append(line(f"{others} more of kinds with fewer than {MIN_SPANS_OF_ROW} spans"))
        yield lines

    def __repr__(self) -> str:
        return (
            f"<{self.n_seen} of {self.n_spans} spans seen by {self.metric},"
            f" {self.n_unexplained} of {self.n_runs} unmatched runs unexplained>"
        )


def _kind_column(name: str, heading: str) -> Column:
    value = attrgetter(name)
    return Column(heading, NAME, lambda row: value(row) or "–", name, stored=value)


_FACTS = (
    *("metric", "signature", "file", "n_outputs", "n_spans", "n_seen"),
    *("n_without_place", "n_runs", "n_unexplained"),
)
_SPANS = [
    Column("", NAME, attrgetter("system"), "system"),
    Column("", COUNT, attrgetter("start"), "start"),
    Column("", COUNT, attrgetter("end"), "end"),
    Column("", NAME, attrgetter("severity"), "severity"),
    Column("", NAME, attrgetter("category"), "category"),
    Column("", NAME, attrgetter("text"), "text"),
    Column("", TEXT, attrgetter("seen"), "seen"),
    Column("", SCORE, attrgetter("cost"), "cost"),
]


def _number(name: str) -> Column:
    value = attrgetter(name)
    return Column("", COUNT, lambda row: value(row[1]), name)


_OF_SYSTEM = [
    Column("system", NAME, itemgetter(0), "system"),
    Column("outputs", COUNT, lambda row: row[1].n_rated, "n_rated"),
    *map(_number, ("n_outputs", "n_spans", "n_seen", "n_without_place", "n_runs", "n_unexplained")),
]


def seen_spans(
    judgments: Iterable[Judgment],
    file: str,
    corpus: Corpus,
    metrics: dict[str, Metric],
    n_segments: int | None = None,
) -> SpanReport:
    """Return the errors that the first metric with links between tokens saw, or missed.

    Parameters:
        file: name of the file of the judgments, for messages.
        n_segments: number of segments that the judgments may be of (default: all of the corpus).
    """
    linked = (name for name, metric in metrics.items() if metric.explained_by == "links")
    name = next(linked, None)
    if name is None:
        raise OptionError(
            f"error spans need a metric with links between words, such as celab; there is"
            f" {', '.join(metrics) or 'none'}"
        )
    scorer = metrics[name].scorer(corpus.refs)
    judgments = [*judgments]
    n_all = len(corpus.segments) if n_segments is None else n_segments
    lists_errors_alone = all(judgment.spans and judgment.score is None for judgment in judgments)
    by_output: dict[tuple[str, int], list[ErrorSpan]] = {}
    for judgment in judgments:
        by_output.setdefault((judgment.system, judgment.segment or 0), []).extend(judgment.spans)
    rows: list[SeenSpan] = []
    names = corpus.names
    systems = {system: Counter[str]() for system, _ in by_output}
    severities = {system: Counter[str]() for system in systems}
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
        severities[system].update(error.severity for error in errors)
    numbers = {
        system: SystemSpans(
            **counted,
            n_rated=n_all if lists_errors_alone else counted["n_outputs"],
            errors={
                name: severities[system][name] for name in sorted(severities[system], key=_gravity)
            },
        )
        for system in corpus.systems
        if (counted := systems.get(system)) is not None
    }
    return SpanReport.make(name, scorer.signature, file, rows, numbers, corpus.index)


def _gravity(severity: str) -> tuple[int, str]:
    """Return a key that sorts severities, the gravest first and unknown ones last."""
    known = severity in SEVERITIES
    return SEVERITIES.index(severity) if known else len(SEVERITIES), severity


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
    """A judged output, with the unmatched characters and n-grams of its explanations."""

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
        """Return the precision that the output loses in the n-grams that touch a span."""
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
    # A mean is represented by its first member with links between tokens.
    for part in parts:
        if isinstance(part, Explanation):
            return part
    raise OptionError(f"error spans need a metric with links between characters, not {metric}")


def _touch(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def token_places(text: str, tokens: Sequence[str]) -> list[tuple[int, int] | None]:
    """Return the span of each token in a text that was normalized before it was tokenized.

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
