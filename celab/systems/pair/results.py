"""Two systems compared: the result, its tables, verdicts and texts in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls, visible
from celab.corpus.model import SegmentName
from celab.findings.finding import Findings, Gate
from celab.findings.references import ReferenceCopies, copies_table
from celab.findings.translations.outputs import describe_counts
from celab.metrics.scores import Score
from celab.people.disagreement import (
    Disagreement,
    compare_ranks,
    disagreement_rows,
    disagreement_table,
)
from celab.people.error_spans import SpanReport
from celab.statistics.difference import (
    DISAGREE,
    EXACT,
    MIN_SEGMENTS,
    NO_VERDICT,
    SIGNIFICANT,
    Difference,
    difference_columns,
)
from celab.statistics.significance import (
    MIN_DIFFERENT_SEGMENTS,
    TEST_NAMES,
    TIE_TOLERANCE,
)
from celab.systems.worth import worth_by_signature
from celab.tables import cells
from celab.tables.cells import quantity
from celab.tables.palette import inked
from celab.tables.result import Result
from celab.tables.sentences import OVERLAP
from celab.tables.table import (
    COUNT,
    DELTA,
    NAME,
    RATIO,
    SCORE,
    SEGMENT,
    TEXT,
    Column,
    Kind,
    Part,
    Table,
    for_people,
    segment_columns,
)
from celab.tables.view import Detail, Line, Name, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Fields that JSON has only if they are not empty.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDifference:
    """A segment, by its name, with both scores and all texts; `place` is its index."""

    segment: SegmentName
    document: str
    a: float
    b: float
    difference: float
    texts: tuple[str, str]
    references: tuple[str, ...]  # absent references are left out
    place: int = 0
    _omitted: ClassVar = frozenset({"place"})


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class MetricComparison(Result):
    """Two systems by one metric. The docstring of `celab.systems.pair` defines the figures.

    Attributes:
        name: display name of the metric.
        difference: both scores, their difference, its interval and p.
        wins, ties, losses: number of segments on which A scores higher, equally or lower (the other
            way round for error rates).
        n_skipped: number of segments without a proved score of both, which are left out.
        unscored: the reason why segments are left out.
        a_better, b_better: segments with the largest differences in favor of A, and of B.
        by_length, by_document, by_domain: scores of subsets; empty without documents or domains.
        examples: segments to show, in favor of A, and of B.
        segments: segments × 2, the scores of both systems.
    """

    name: str
    signature: Signature
    difference: Difference
    wins: int
    ties: int
    losses: int
    n_skipped: int
    a_better: tuple[SegmentDifference, ...]
    b_better: tuple[SegmentDifference, ...]
    by_length: tuple[Bucket, ...]
    by_document: tuple[Bucket, ...]
    by_domain: tuple[Bucket, ...]
    examples: tuple[tuple[SegmentDifference, ...], tuple[SegmentDifference, ...]]
    segments: F64 = field(compare=False)
    unscored: str = Score.unscored

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return self.difference.digits

    def _alone(self) -> PairComparison:
        n_segments = self.difference.n_segments + self.n_skipped
        return PairComparison(names=("A", "B"), n_segments=n_segments, metrics={self.name: self})

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the tables of the comparison by this metric alone."""
        return self._alone().tables(detail)

    def facts(self) -> JsonObject:
        """Return the facts of the comparison by this metric alone."""
        return self._alone().facts()

    def __repr__(self) -> str:
        difference, digits = self.difference, self.digits
        a, b = (cells.score(value, digits) for value in (difference.a, difference.b))
        interval = cells.interval(difference.interval, digits, signed=True)
        return (
            f"<{self.name}: {a} and {b}, difference {difference.value_text} {interval},"
            f" p {difference.p_text} ({difference.sides})>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOutputs:
    """Two systems by the first metric, without segments whose output may not be a translation.

    Attributes:
        metric: name of the metric.
        kinds: for each system, kind → indices of the segments.
        difference: difference on the remaining segments; both scores are NaN without any.
    """

    metric: str
    kinds: dict[str, dict[str, list[int]]]
    difference: Difference

    @property
    def too_few(self) -> bool:
        """Whether too few segments are left to call the difference significant."""
        return self.difference.n_segments < MIN_SEGMENTS

    @property
    def n_outputs(self) -> int:
        """Number of outputs of both systems that are not translations."""
        return sum(len(segments) for kinds in self.kinds.values() for segments in kinds.values())


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PairComparison(Result):
    """Comparison of two systems by every metric, which are its items; `print` shows a summary.

    >>> import celab
    >>> celab.compare(["买雨伞", "去北京"], ["买伞", "到了"], ["买雨伞", "去北京"], "chrf")
    <A against B by 1 metric on 2 segments: chrF2 ...>
    """

    names: tuple[str, str]
    n_segments: int  # skipped segments are counted
    metrics: dict[str, MetricComparison]
    outputs: WithoutOutputs | None = None  # None if every output is a translation, or unchecked
    # Judge → segments on which the first metric and this judge disagree most.
    disagreements: dict[str, tuple[Disagreement, ...]] = field(default_factory=dict)
    spans: SpanReport | None = None  # errors that people have marked, if they are known
    references: tuple[ReferenceCopies, ...] = ()  # references probably made from a system
    segment_names: Sequence[SegmentName] = field(default=(), repr=False, compare=False)
    # Labels of the segments, if the texts come from a data frame.
    index: Sequence[Any] | None = field(default=None, repr=False, compare=False)
    # Findings that only one system has in the same segment.
    findings: Findings | None = field(default=None, repr=False, compare=False)

    def facts(self) -> JsonObject:
        """Return the names of the systems, A and B, and the number of segments."""
        return {"names": [*self.names], "n_segments": self.n_segments}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the tables and lines for people, and the tables for programs.

        `metric` has a row per metric, `bucket` one per length, document and domain, `advantage` one
        per segment with the largest differences, and `segment` one per metric and segment. If there
        are any, `without_outputs`, `output` and `finding` are about outputs, `disagreement` and
        `span` about other judges, and `reference_copies` about references.
        """
        yield from program_tables(self)
        if detail == "summary":
            yield [*notes(self)]
            yield from _examples(self, PRINTED)
        else:
            yield from _parts(self, has_all=detail == "full")

    def gate(self, kinds: Sequence[str]) -> Gate:
        """Return the gate that fails if only the second system has a finding of these kinds.

        >>> import celab
        >>> celab.compare(["买雨伞"], [""], ["买雨伞"], "chrf").gate(["empty"]).reason
        '1 finding: B 1 empty, where A has none of that kind'
        """
        a, b = self.names
        if self.findings is None:
            raise InputError(f"the outputs of {a} were not checked, so nothing is known about them")
        findings = replace(self.findings.where(system=b), systems=(b,))
        return findings.gate(kinds, f", where {a} has none of that kind")

    def __getitem__(self, metric: str) -> MetricComparison:
        """Return the figures of one metric."""
        return self.metrics[metric]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics, as over those of a dict."""
        return iter(self.metrics)

    def __contains__(self, metric: object) -> bool:
        return metric in self.metrics

    def __len__(self) -> int:
        return len(self.metrics)

    def plot(self, metric: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw A's segment scores against B's by matplotlib; return the axes.

        `metric` is the first by default; `ax` are the axes to draw on, new ones by default.
        """
        from celab.report.plots import plot_pair

        return plot_pair(self, metric, ax)

    def __str__(self) -> str:
        return self.render(detail="summary")

    def __repr__(self) -> str:
        n = len(self.metrics)
        differences = ", ".join(
            f"{metric.name} {metric.difference.value_text}"
            f" (p {metric.difference.p_text}, {metric.difference.sides})"
            for metric in self.metrics.values()
        )
        return (
            f"<{' against '.join(self.names)} by {quantity(n, 'metric')} on"
            f" {self.n_segments} segments: {differences}>"
        )


WIDTH, MIN_TEXT_WIDTH = 80, 20  # cells of a line, and of the text in it
MAX_LABEL_CELLS = 16  # width of a system's name before an example
CONTEXT = 6  # characters before the first difference of two outputs
# Documents with the greatest differences in favor of A, and as many in favor of B.
MAX_DOCUMENTS_SHOWN = 5
MIN_DOCUMENT_SEGMENTS = 5
PRINTED = 2  # examples that `print` shows in favor of A, and of B


def _parts(compared: PairComparison, *, has_all: bool) -> Iterator[Part]:
    """Yield what people see below the figures: notes, buckets and, if all is shown, segments."""
    metrics = compared.metrics.values()
    yield [*notes(compared)]
    for metric in metrics:
        yield from bucket_tables(compared.names, metric)
    yield from _disagreements(compared)
    yield from _spans(compared)
    if has_all:
        yield from _findings(compared)
        for metric in metrics:
            yield from _segments(compared, metric)


def brief_parts(compared: PairComparison, *, color: bool = False) -> Iterator[Part]:
    """Yield the verdicts, the figures and examples, which all fit one screen.

    Parameters:
        compared: two systems.
        color: whether examples have colors for a terminal.
    """
    first = next(iter(compared.metrics.values()))
    without = [*_brief_outputs(compared), *_ranks(compared)]
    yield [*_verdicts(compared), *without]
    yield replace(metric_table(compared), notes=[*_legend(compared)])
    yield from _examples(compared, color=color)
    yield from [*_disagreements(compared)][:1]
    yield from _spans(compared)
    if first.by_document:
        yield _extreme_documents(compared.names, first)
    if first.by_domain:
        yield _buckets(compared.names, first, "domain", first.by_domain)
    more = line("More: --details (references, lengths), --segments K, --html FILE, --json")
    # All of it fits one screen, so that one line takes the place of another.
    yield [*([] if without else [more]), line(OVERLAP), *_signatures(compared)]


def _disagreements(compared: PairComparison) -> Iterator[Table]:
    """Yield the segments on which the first metric and other judges disagree most."""
    first = next(iter(compared.metrics.values()))
    for name, rows in compared.disagreements.items():
        second = compared.metrics[name]
        if rows:
            yield disagreement_table((first.name, second.name), (first.digits, second.digits), rows)


def _findings(compared: PairComparison) -> list[Part]:
    """Return the number of findings of each kind that only one of the systems has."""
    findings = compared.findings
    if not findings:
        return []
    seen = findings.count("kind")
    table = findings.table(check.name for check in findings.checks if seen[check.name])
    return [
        replace(
            table.for_people(),
            title="Findings in segments where the other system has none of that kind",
        )
    ]


def _spans(compared: PairComparison) -> Sequence[Part]:
    return [] if compared.spans is None else for_people(compared.spans.tables())


def notes(compared: PairComparison) -> Iterator[Line]:
    """Yield the results of the tests, then notes that explain the figures, line by line."""
    yield from _verdicts(compared)
    yield from _outputs(compared)
    yield from _ranks(compared)
    yield from _legend(compared)
    yield line(OVERLAP)
    yield from _signatures(compared)


def _verdicts(compared: PairComparison) -> Iterator[Line]:
    for metric in compared.metrics.values():
        verdict = metric.difference.verdict(*map(Name, compared.names))
        yield Line((f"{metric.name}: ", *verdict.parts), "verdict")
        n_references = metric.signature.part("refs")
        if n_references is not None:
            signature = metric.signature.without("refs")
            worth = worth_by_signature(metric.difference, signature, int(n_references))
            if worth is not None:
                yield Line((worth,), "verdict")


def _ranks(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per judge that ranks the two systems in another order than the first metric."""
    for remark in pair_rank_lines(compared):
        yield Line((remark,), "verdict")


def _signatures(compared: PairComparison) -> Iterator[Line]:
    for metric in compared.metrics.values():
        yield Line((metric.signature,), "signature")


def _legend(compared: PairComparison) -> Iterator[Line]:
    """Yield lines that explain the figures of the summary."""
    a, b = map(Name, compared.names)
    first = next(iter(compared.metrics.values()))
    of_units = "" if first.difference.resample_by == "segment" else " of documents"
    drawn = f"; interval: {first.difference.n_resamples} paired bootstrap resamples{of_units}"
    yield line("diff: ", a, " - ", b, drawn)
    yield from _tests(compared)
    ties = f" wins, ties (scores equal to within {TIE_TOLERANCE:g}) and loses"
    yield line("W/T/L: segments that ", a, ties)
    for metric in compared.metrics.values():
        if not metric.difference.higher_is_better:
            yield line(f"{metric.name}: lower is better")
        if metric.n_skipped:
            left_out = f"{metric.n_skipped} of {compared.n_segments} segments"
            yield line(f"{metric.name}: {left_out} left out, because {metric.unscored}")
        if metric.difference.remark == DISAGREE:
            yield line(f"{metric.name}: {DISAGREE}")


def _tests(compared: PairComparison) -> Iterator[Line]:
    """Yield a line on each test; metrics that skipped segments may have another test."""
    by_test: dict[str, list[MetricComparison]] = {}
    for metric in compared.metrics.values():
        if metric.difference.test is not None:
            by_test.setdefault(metric.difference.test, []).append(metric)
    for test, metrics in by_test.items():
        first = metrics[0].difference
        of = f" ({', '.join(metric.name for metric in metrics)})" if len(by_test) > 1 else ""
        drawn = "" if test == EXACT else f", seed {first.seed}"
        star = "" if first.too_few else f"; *: p < {SIGNIFICANT}"
        of_units = "" if first.resample_by == "segment" else " of documents"
        yield line(f"p{of}: {first.sides}, {TEST_NAMES[test]}{of_units}{drawn}{star}")
        if first.n_different < MIN_DIFFERENT_SEGMENTS.get(test, 0) and not first.too_few:
            yield line(
                f"{TEST_NAMES[test]}: fewer than {MIN_DIFFERENT_SEGMENTS[test]}"
                f" {first.resample_by}s differ"
            )


def _outputs(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per system with broken outputs, and a line on the difference without them."""
    without = compared.outputs
    if without is None:
        return
    for name, kinds in without.kinds.items():
        if kinds:
            yield Line((Name(name), f": {describe_counts(kinds, compared.n_segments)}"), "verdict")
    them = "it" if without.n_outputs == 1 else "them"
    start = f"{compared.metrics[without.metric].name} without {them}"
    yield Line(
        (f"{start}: {_difference_without(compared, 'instead of', 'difference ')}",), "verdict"
    )
    yield from _too_few(start, without)


def _brief_outputs(compared: PairComparison) -> Iterator[Line]:
    """Yield a line on broken outputs of both systems, and a line if too few segments remain."""
    without = compared.outputs
    if without is None:
        return
    start, them = "1 output may not be a translation", "without it"
    if without.n_outputs > 1:
        start, them = f"{without.n_outputs} outputs may not be translations", "without them"
    yield Line((f"{start}; {them} {_difference_without(compared, 'not')}",), "verdict")
    yield from _too_few(them, without)


def _too_few(start: str, without: WithoutOutputs) -> Iterator[Line]:
    if without.too_few and without.difference.n_segments:
        yield Line((f"{start}: {NO_VERDICT}",), "verdict")


def _difference_without(compared: PairComparison, relation: str, label: str = "") -> str:
    without = compared.outputs
    assert without is not None
    if not without.difference.n_segments:
        return "no segment is left"
    metric = compared.metrics[without.metric]
    after, before = (
        cells.difference(x.value, metric.digits) for x in (without.difference, metric.difference)
    )
    separator = "" if relation == "instead of" else ","
    p = f" (p {without.difference.p_text})"
    return f"{label}{after}{separator} {relation} {before}{'' if without.too_few else p}"


def bucket_tables(names: Sequence[str], metric: MetricComparison) -> Iterator[Table]:
    """Yield tables of both scores by length, and by document and domain if there are any."""
    for title, buckets in (
        ("reference characters", metric.by_length),
        ("document", metric.by_document),
        ("domain", metric.by_domain),
    ):
        if buckets:
            yield _buckets(names, metric, title, buckets)


def _buckets(
    names: Sequence[str], metric: MetricComparison, title: str, buckets: Sequence[Bucket]
) -> Table:
    a, b = names
    columns = [
        Column(f"{metric.name} by {title}", NAME, attrgetter("label")),
        Column("segments", COUNT, attrgetter("n_segments")),
        Column(a, SCORE, attrgetter("a")),
        Column(b, SCORE, attrgetter("b")),
        Column("diff", DELTA, attrgetter("difference")),
    ]
    return Table(columns=columns, rows=buckets, digits=metric.digits, fold=_fold(metric))


def _fold(metric: MetricComparison) -> str:
    return f"{metric.name}: segments and buckets"


def _extreme_documents(names: Sequence[str], metric: MetricComparison) -> Table:
    """Return the documents with the largest differences in favor of A, and of B."""
    sign = 1 if metric.difference.higher_is_better else -1
    ranked = sorted(metric.by_document, key=lambda bucket: -sign * bucket.difference)
    if len(ranked) <= 2 * MAX_DOCUMENTS_SHOWN:
        return _buckets(names, metric, "document", ranked)
    # The mean of a few segments says little about a document.
    long = [bucket for bucket in ranked if bucket.n_segments >= MIN_DOCUMENT_SEGMENTS]
    kept = long if len(long) >= 2 * MAX_DOCUMENTS_SHOWN else ranked
    chosen = [*kept[:MAX_DOCUMENTS_SHOWN], *kept[-MAX_DOCUMENTS_SHOWN:]]
    table = _buckets(names, metric, "document", chosen)
    short = (
        f" or with fewer than {MIN_DOCUMENT_SEGMENTS} segments" if len(kept) < len(ranked) else ""
    )
    n_left_out = len(ranked) - len(chosen)
    more = f"{n_left_out} documents in between{short} are left out; --details shows all"
    first = chosen[:MAX_DOCUMENTS_SHOWN]
    return replace(table, group=lambda bucket: bucket in first, notes=[line(more)])


def _examples(
    compared: PairComparison, most: int | None = None, *, color: bool = False
) -> Iterator[Table]:
    """Yield the examples of the first metric: both outputs, from where they differ."""
    metric, *_ = compared.metrics.values()
    way = "higher" if metric.difference.higher_is_better else "lower"
    lines = []
    for k, examples in enumerate(metric.examples):
        if examples:
            a, b = (compared.names[k], compared.names[1 - k])
            lines.append(
                f"{visible(a)} scores {way} than {visible(b)}, by {metric.name}"
                " (segment, difference)\n"
            )
            lines += [
                _example(compared.names, example, metric.digits, color)
                for example in examples[:most]
            ]
    if lines:
        rows = [example for examples in metric.examples for example in examples[:most]]
        yield _text_table(compared.names, metric, rows, "".join(lines))


def _example(names: Sequence[str], example: SegmentDifference, n: int, color: bool) -> str:
    from rich.cells import cell_len, set_cell_size

    labels = [*names, *["ref"] * bool(example.references)]
    size = min(MAX_LABEL_CELLS, max(cell_len(visible(name)) for name in labels))
    name = visible(str(example.segment))
    head = f"  {name:>5}  {cells.difference(example.difference, n)}  "
    width = max(
        MIN_TEXT_WIDTH, WIDTH - len(head) - size - 2
    )  # a long name takes more than the line
    shown_texts = [*example.texts, *example.references[:1]]
    texts = _from_difference(tuple(map(visible, shown_texts)), width)
    texts = [*inked(texts[:2]), *texts[2:]] if color else texts
    heads = [head, *[" " * len(head)] * (len(texts) - 1)]
    rows = zip(heads, labels, texts, strict=True)
    return "".join(
        f"{lead}{set_cell_size(visible(name), size)}  {text}".rstrip() + "\n"
        for lead, name, text in rows
    )


def _from_difference(texts: Sequence[str], width: int) -> list[str]:
    """Return texts cut to the width, from shortly before the first two begin to differ."""
    from rich.cells import cell_len, chop_cells

    if max(map(cell_len, texts)) <= width:
        return [text or "(empty)" for text in texts]
    pairs = zip(*texts[:2], strict=False)
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = max(0, n_common - CONTEXT)
    cut = []
    for text in texts:
        rest = ("…" if start else "") + text[start:]
        if cell_len(rest) > width:
            rest = chop_cells(rest, width - 1)[0] + "…"
        cut.append(rest if text else "(empty)")
    return cut


def _segments(compared: PairComparison, metric: MetricComparison) -> Iterator[Table]:
    n, names = metric.digits, compared.names
    for name, segments in zip(names, (metric.a_better, metric.b_better), strict=True):
        if segments:
            title = f"{metric.name}: segments with the largest advantage for {name}"
            lines = [f"{escape_controls(title)}\n", *(_segment(names, x, n) for x in segments)]
            yield _text_table(names, metric, segments, "".join(lines), title)


def _text_table(
    names: Sequence[str],
    metric: MetricComparison,
    rows: Sequence[SegmentDifference],
    text: str,
    title: str = "",
) -> Table:
    """Return segments with their scores and texts; a terminal has the text instead."""
    a, b = names
    columns = [
        Column("segment", SEGMENT, attrgetter("segment")),
        Column(a, SCORE, attrgetter("a")),
        Column(b, SCORE, attrgetter("b")),
        Column("diff", DELTA, attrgetter("difference")),
        Column("reference", TEXT, lambda row: " / ".join(row.references)),
        Column(a, TEXT, lambda row: row.texts[0]),
        Column(b, TEXT, lambda row: row.texts[1]),
    ]
    return Table(
        columns=columns,
        rows=rows,
        digits=metric.digits,
        title=title,
        fold=_fold(metric),
        text=text,
    )


def _segment(names: Sequence[str], x: SegmentDifference, n: int) -> str:
    from rich.cells import cell_len, set_cell_size

    name, document = visible(str(x.segment)), visible(x.document)
    if document and not name.startswith(f"{document}:"):
        name += f" of {document}"
    a, b = (cells.score(score, n) for score in (x.a, x.b))
    difference = cells.difference(x.difference, n)
    head = f"  segment {name}: {a} and {b}, {difference}\n"
    labels = [*(["reference"] * len(x.references)), *map(visible, names)]
    size = max(cell_len(label) for label in labels)
    rows = zip(labels, (*x.references, *x.texts), strict=True)
    return head + "".join(_wrapped(set_cell_size(label, size), visible(t)) for label, t in rows)


def _wrapped(label: str, text: str) -> str:
    from rich.cells import cell_len, chop_cells

    before = 4 + cell_len(label) + 2
    parts = chop_cells(text or "(empty)", max(MIN_TEXT_WIDTH, WIDTH - before))
    lead = f"    {label}  "
    return "".join(
        f"{lead if i == 0 else ' ' * before}{part}".rstrip() + "\n" for i, part in enumerate(parts)
    )


def pair_rank_lines(compared: PairComparison) -> Iterator[str]:
    """Yield a line for each judge that orders two systems otherwise than the first metric."""
    first, *others = compared.metrics.values()
    for other in others:
        if other.signature.part("given") is None:
            continue  # a metric of celab
        ranks = compare_ranks(
            (first.name, other.name),
            dict(zip(compared.names, (first.difference.a, first.difference.b), strict=True)),
            dict(zip(compared.names, (other.difference.a, other.difference.b), strict=True)),
            higher_is_better=(
                first.difference.higher_is_better,
                other.difference.higher_is_better,
            ),
        )
        if ranks is not None and not ranks.agrees:
            yield replace(ranks, difference=other.difference).line


# ---- tables for programs ----


def program_tables(compared: PairComparison) -> Iterator[Table]:
    """Yield the tables that JSON, TSV and data frames have."""
    yield metric_table(compared)
    metrics = compared.metrics.items()
    kinds = ("length", "document", "domain")
    buckets = [
        (name, kind, bucket)
        for name, metric in metrics
        for kind in kinds
        for bucket in getattr(metric, f"by_{kind}")
    ]
    yield Table(name="bucket", columns=_BUCKETS, rows=buckets)
    advantages = [
        (name, system, x)
        for name, metric in metrics
        for system, rows in zip(compared.names, (metric.a_better, metric.b_better), strict=True)
        for x in rows
    ]
    places = segment_columns(
        lambda row: row[2].segment, lambda row: row[2].place, compared.index, heading=""
    )
    columns = [*_ADVANTAGES[:2], *places, *_ADVANTAGES[2:]]
    yield Table(name="advantage", columns=columns, rows=advantages)
    yield _segment_table(compared)
    if compared.outputs is not None:
        yield from _output_tables(compared, compared.outputs)
    yield from _judge_tables(compared)
    if compared.findings:
        yield compared.findings.listing()
    if compared.references:
        yield copies_table(compared.references).for_programs()


def metric_table(compared: PairComparison) -> Table:
    """Return a row per metric."""
    return Table(
        name="metric",
        columns=_metric_columns(*compared.names),
        rows=[*compared.metrics.items()],
        digits=lambda row: row[1].digits,
    )


def _segment_table(compared: PairComparison) -> Table:
    names = compared.segment_names

    def rows() -> list[tuple[str, int, float, float]]:
        scores = ((name, metric.segments.tolist()) for name, metric in compared.metrics.items())
        return [(name, i, *both) for name, of in scores for i, both in enumerate(of)]

    places = segment_columns(lambda row: names[row[1]], itemgetter(1), compared.index, heading="")
    columns = [
        Column("", TEXT, itemgetter(0), "metric"),
        *places,
        Column("", SCORE, itemgetter(2), "a"),
        Column("", SCORE, itemgetter(3), "b"),
        Column("", DELTA, lambda row: row[2] - row[3], "difference"),
    ]
    return Table(name="segment", columns=columns, rows=rows, on_request=True)


def _output_tables(compared: PairComparison, without: WithoutOutputs) -> Iterator[Table]:
    """Yield the comparison without outputs that may not be translations, and these outputs."""
    yield Table(name="without_outputs", columns=_WITHOUT, rows=[without])
    outputs = [
        (system, kind, place)
        for system, kinds in without.kinds.items()
        for kind, places in kinds.items()
        for place in places
    ]
    names = compared.segment_names
    columns = [
        Column("", NAME, itemgetter(0), "system"),
        *segment_columns(lambda row: names[row[2]], itemgetter(2), compared.index, heading=""),
        Column("", TEXT, itemgetter(1), "kind"),
    ]
    yield Table(name="output", columns=columns, rows=outputs)


def _judge_tables(compared: PairComparison) -> Iterator[Table]:
    """Yield segments on which judges disagree, and errors that people have marked."""
    first = next(iter(compared.metrics))
    rows = [(first, name, x) for name, of in compared.disagreements.items() for x in of]
    if rows:
        yield disagreement_rows(rows, compared.index)
    if compared.spans is not None:
        tables = (part for part in compared.spans.tables() if isinstance(part, Table))
        yield from (table.for_programs() for table in tables if table.is_stored)


def _metric_columns(a: str, b: str) -> list[Column]:
    """Return the columns of metrics, whose rows are (key, `MetricComparison`).

    People see neither where p comes from nor wins, ties and losses without a test.
    """

    def column(kind: Kind, attribute: str, name: str = "", heading: str = "") -> Column:
        value = attrgetter(attribute)
        return Column(
            heading, kind, lambda row: value(row[1]), name or attribute.rpartition(".")[2]
        )

    def counts(row: tuple[str, MetricComparison]) -> tuple[int, int, int]:
        return row[1].wins, row[1].ties, row[1].losses

    def shown_counts(row: tuple[str, MetricComparison]) -> tuple[int, int, int] | None:
        return counts(row) if row[1].difference.is_tested else None

    return [
        Column("", TEXT, itemgetter(0), "metric"),
        column(TEXT, "name", heading="metric"),
        column(COUNT, "difference.n_segments", "segments"),
        column(SCORE, "difference.a", heading=a),
        column(SCORE, "difference.b", heading=b),
        *difference_columns(lambda row: row[1].difference),
        column(TEXT, "difference.sides"),
        column(TEXT, "difference.test"),
        column(COUNT, "difference.n_resamples"),
        column(COUNT, "difference.seed"),
        column(COUNT, "difference.n_different"),
        column(TEXT, "difference.higher_is_better"),
        Column("W/T/L", RATIO, shown_counts, ("wins", "ties", "losses"), stored=counts),
        column(COUNT, "n_skipped"),
        column(TEXT, "signature"),
    ]


_BUCKETS = [
    Column("", TEXT, itemgetter(0), "metric"),
    Column("", TEXT, itemgetter(1), "bucket"),
    Column("", NAME, lambda row: row[2].label, "value"),
    Column("", COUNT, lambda row: row[2].n_segments, "segments"),
    Column("", SCORE, lambda row: row[2].a, "a"),
    Column("", SCORE, lambda row: row[2].b, "b"),
    Column("", DELTA, lambda row: row[2].difference, "difference"),
]
_ADVANTAGES = [
    Column("", TEXT, itemgetter(0), "metric"),
    Column("", NAME, itemgetter(1), "system"),
    Column("", NAME, lambda row: row[2].document, "document"),
    Column("", SCORE, lambda row: row[2].a, "a"),
    Column("", SCORE, lambda row: row[2].b, "b"),
    Column("", DELTA, lambda row: row[2].difference, "difference"),
    Column("", NAME, lambda row: row[2].texts[0], "output_a"),
    Column("", NAME, lambda row: row[2].texts[1], "output_b"),
    Column("", NAME, lambda row: next(iter(row[2].references), None), "reference"),
]
_WITHOUT = [
    Column("", TEXT, attrgetter("metric"), "metric"),
    Column("", COUNT, attrgetter("difference.n_segments"), "segments"),
    *(replace(column, heading="") for column in difference_columns(attrgetter("difference"))),
    Column("", TEXT, attrgetter("difference.test"), "test"),
    Column("", TEXT, lambda row: NO_VERDICT if row.too_few else None, "note"),
]
