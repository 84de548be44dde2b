"""Two systems compared: the result, its tables, verdicts and texts in lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.options import complete
from celab.base.result import DataFrame, Level, Result
from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls, visible
from celab.base.view import cells
from celab.base.view.cells import Cell, p_text, quantity, shown
from celab.base.view.palette import inked
from celab.base.view.record import (
    Column,
    Field,
    Record,
    check_level,
    fields,
    frame,
    name_column,
    with_index,
)
from celab.base.view.tables import (
    NORMAL,
    OVERLAP,
    RENDERERS,
    Line,
    Listing,
    Name,
    Part,
    Table,
    View,
    ViewOptions,
    line,
)
from celab.corpus.model import SegmentName
from celab.evaluation.checks.outputs import counted
from celab.evaluation.judges.ranks import Disagreement, compare_ranks, disagreement_table
from celab.evaluation.references import ReferenceCopies
from celab.evaluation.tables import Findings, Gate
from celab.metrics.registry import digits_of
from celab.metrics.scores import Score
from celab.statistics.significance import (
    DISAGREE,
    EXACT,
    FEWEST,
    FEWEST_SEGMENTS,
    LEVEL,
    SIGNIFICANT,
    TEST_NAMES,
    TIE,
    TOO_FEW,
    least_p,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from celab.evaluation.judges.spans import SpanReport

NO_VERDICT = f"fewer than {FEWEST_SEGMENTS} segments, no verdict"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDifference:
    """A segment, by its name, with both scores and all texts; `place` is its place, from 0."""

    segment: SegmentName
    document: str
    a: float
    b: float
    difference: float
    texts: tuple[str, str]
    references: tuple[str, ...]  # without absent ones
    place: int = 0
    _omitted: ClassVar = frozenset({"place"})


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
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
        return PairComparison(
            names=("A", "B"), n_segments=n_segments, metrics={self.name: self}
        ).view(options)

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

    @property
    def least_p(self) -> float:
        """The least p that the test gives."""
        return least_p(self.test, self.n_resamples)

    @property
    def p_text(self) -> str:
        """P with its relation, for a sentence."""
        return p_text(self.p, self.least_p)

    def __repr__(self) -> str:
        a, b = (shown(cells.score(value, self.digits)) for value in (self.a, self.b))
        difference = shown(cells.difference(self.difference, self.digits))
        interval = shown(cells.interval(self.interval, self.digits, signed=True))
        return (
            f"<{self.name}: {a} and {b}, difference {difference} {interval},"
            f" p {self.p_text} ({self.sides})>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOutputs:
    """The comparison by one metric without the segments in which an output is not a translation.

    Attributes:
        metric: the metric, which is the first.
        kinds: for each system the places of the segments of each kind, from 0.
        n_segments: number of segments that are left; the figures are NaN if none is.
        difference, interval, p, test: as in `MetricDifference`.
        note: that too few segments are left for a verdict, or None.
    """

    metric: str
    kinds: dict[str, dict[str, list[int]]]
    n_segments: int
    difference: float
    interval: tuple[float, float]
    p: float
    test: str
    note: str | None = field(init=False)

    def __post_init__(self) -> None:
        complete(self, note=NO_VERDICT if self.too_few else None)

    @property
    def too_few(self) -> bool:
        """Whether too few segments are left to call the difference significant."""
        return self.n_segments < FEWEST_SEGMENTS

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
    n_segments: int  # with those skipped
    metrics: dict[str, MetricDifference]
    outputs: WithoutOutputs | None = None  # None if every output is a translation, or unchecked
    # Where the first metric and each other judge disagree most, by judge; empty without any.
    disagreements: dict[str, tuple[Disagreement, ...]] = field(default_factory=dict)
    spans: SpanReport | None = None  # errors that people have marked, if they are known
    references: tuple[ReferenceCopies, ...] = ()  # that were probably made from a system
    segment_names: Sequence[SegmentName] = field(default=(), repr=False, compare=False)
    # Labels of the segments in a data frame that they are from; None without one.
    index: Sequence[Any] | None = field(default=None, repr=False, compare=False)
    # What is said about one system, but not about the other in the same segment.
    findings: Findings | None = field(default=None, repr=False, compare=False)
    _omitted: ClassVar = frozenset({"segment_names", "index", "findings"})

    def to_dict(self) -> JsonObject:
        """Return the comparison as plain data; what other judges add only if there are any.

        Segments of `outputs` are called by their names.
        """
        values = Result.to_dict(self)
        if self.outputs is not None:
            values["outputs"]["kinds"] = {
                system: {
                    kind: [self.segment_names[place] for place in places]
                    for kind, places in kinds.items()
                }
                for system, kinds in self.outputs.kinds.items()
            }
        if self.findings:
            values["findings"] = {name: self.findings.segments(name) for name in self.names}
        return {k: v for k, v in values.items() if v or k not in _IF_ANY}

    def gate(self, kinds: Sequence[str]) -> Gate:
        """Return the gate that fails if only the second system has a finding of these kinds.

        >>> import celab
        >>> celab.compare(["买雨伞"], [""], ["买雨伞"], "chrf").gate(["empty"]).reason
        '1 finding: B 1 empty, where A has none of that kind'
        """
        a, b = self.names
        if self.findings is None:
            raise InputError(f"the outputs of {a} were not checked, so nothing is known about them")
        findings = self.findings.where(system=b)
        return findings.gate(kinds, f", where {a} has none of that kind")

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
        that of segments index (from 0, or that of the data frame that the texts are from) and
        segment (its name).

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system" or "segment".
        """
        check_level(level)
        if level == "segment":
            return frame(self._segments(), library)
        names = ("metric", "a", "b", "difference", "low", "high", "p", "wins", "ties", "losses")
        rows = [row for row in record_rows(self) if row["bucket"] == ALL]
        return record_of(self.names).frame(rows, names, library)

    def _segments(self) -> dict[str, Column]:
        a, b = self.names
        n = self.n_segments
        scores = np.concatenate([metric.segments for metric in self.metrics.values()])
        columns: dict[str, Column] = {
            "metric": [name for name in self.metrics for _ in range(n)],
            "segment": name_column([*self.segment_names] * len(self.metrics)),
        }
        places = [*range(n)] * len(self.metrics)
        return with_index(columns, places, self.index) | {
            a: scores[:, 0],
            b: scores[:, 1],
            "difference": scores[:, 0] - scores[:, 1],
        }

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the figures of all metrics, and as much more as the options ask for."""
        return view_of(self, options)

    def plot(self, metric: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw A's segment scores against B's by matplotlib; return the axes.

        `metric` is the first by default; `ax` are the axes to draw on, new ones by default.
        """
        from celab.report.plots import plot_pair

        return plot_pair(self, metric, ax)

    def __str__(self) -> str:
        return RENDERERS["text"](self.view(ViewOptions(detail="summary")))

    def __repr__(self) -> str:
        n = len(self.metrics)
        differences = ", ".join(
            f"{metric.name} {shown(cells.difference(metric.difference, metric.digits))}"
            f" (p {metric.p_text}, {metric.sides})"
            for metric in self.metrics.values()
        )
        return (
            f"<{' against '.join(self.names)} by {quantity(n, 'metric')} on"
            f" {self.n_segments} segments: {differences}>"
        )


WIDTH, LEAST_WIDTH = 80, 20  # cells of a line, and of the text in it
MOST_LABEL = 16  # cells of a system's name before an example
CONTEXT = 6  # characters before the first difference of two outputs
MOST_DOCUMENTS = 5  # documents shown either way
PRINTED = 2  # examples shown either way by `print`


def view_of(compared: PairComparison, output: ViewOptions) -> View:
    """Return the scores by every metric, then the buckets, then segments if all is shown."""
    record = record_of(compared.names).table(record_rows(compared))
    if output.detail == "brief":
        return View([*_brief(compared, output.color)], record)
    if output.detail == "summary":
        return View([*_summary_of(compared)], record)
    metrics = compared.metrics.values()
    parts: list[Part] = [summary(compared), [*notes(compared)]]
    parts += [table for metric in metrics for table in bucket_tables(compared.names, metric)]
    parts += [*_disagreements(compared), *_spans(compared)]
    if output.detail == "full":
        parts += _findings(compared)
        parts += [part for metric in metrics for part in _segments(compared, metric)]
    return View(parts, record)


def _summary_of(compared: PairComparison) -> Iterator[Part]:
    """Yield what `print` shows, in less than 40 lines by the usual metrics."""
    yield summary(compared)
    yield [*notes(compared)]
    yield Listing(_examples(compared, PRINTED))


def _brief(compared: PairComparison, color: bool) -> Iterator[Part]:
    first = next(iter(compared.metrics.values()))
    without = [*_brief_outputs(compared), *_ranks(compared)]
    yield [*_verdicts(compared), *without]
    yield replace(summary(compared), below=[*_legend(compared)])
    yield Listing(_examples(compared, color=color))
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
        replace(table, title="Findings in segments where the other system has none of that kind")
    ]


def _spans(compared: PairComparison) -> Sequence[Part]:
    return [] if compared.spans is None else compared.spans.view().parts


def summary(compared: PairComparison) -> Table:
    """Return a table with a row per metric."""
    a, b = compared.names
    rows: list[list[Cell | str]] = []
    for metric in compared.metrics.values():
        n = metric.digits
        rows.append(
            [
                metric.name,
                cells.score(metric.a, n),
                cells.score(metric.b, n),
                cells.difference(metric.difference, n),
                cells.interval(metric.interval if metric.is_tested else None, n, signed=True),
                cells.p_value(
                    metric.p if metric.is_tested else None,
                    metric.least_p,
                    "*" * metric.significant,
                ),
                f"{metric.wins}/{metric.ties}/{metric.losses}" * metric.is_tested,
            ]
        )
    headings = ["metric", a, b, "diff", f"{LEVEL:.0%} interval", "p", "W/T/L"]
    return Table(headings=headings, rows=rows, right=range(1, 7))


def notes(compared: PairComparison) -> Iterator[Line]:
    """Yield the results of the tests, then notes that explain the figures, line by line."""
    yield from _verdicts(compared)
    yield from _outputs(compared)
    yield from _ranks(compared)
    yield from _legend(compared)
    yield line(OVERLAP)
    yield from _signatures(compared)


def _verdicts(compared: PairComparison) -> Iterator[Line]:
    names = tuple(map(Name, compared.names))
    for metric in compared.metrics.values():
        yield Line(_verdict(names, metric), "verdict")


def _ranks(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per judge that orders the systems otherwise than the first metric."""
    for remark in pair_remarks(compared):
        yield Line((remark,), "verdict")


def _signatures(compared: PairComparison) -> Iterator[Line]:
    for metric in compared.metrics.values():
        yield Line((metric.signature,), "signature")


def _legend(compared: PairComparison) -> Iterator[Line]:
    """Yield lines that explain the figures of the summary."""
    a, b = map(Name, compared.names)
    first = next(iter(compared.metrics.values()))
    drawn = f"; interval: {first.n_resamples} paired bootstrap resamples"
    yield line("diff: ", a, " - ", b, drawn)
    yield from _tests(compared)
    than = f" scores better, the same (to within {TIE:g}), worse"
    yield line("W/T/L: segments on which ", a, than)
    for metric in compared.metrics.values():
        if not metric.higher_is_better:
            yield line(f"{metric.name}: lower is better")
        if metric.n_skipped:
            left_out = f"{metric.n_skipped} of {compared.n_segments} segments"
            yield line(f"{metric.name}: {left_out} left out, because {metric.unscored}")
        if metric.remark and not metric.too_few:  # the verdict says that segments are too few
            yield line(f"{metric.name}: {metric.remark}")


def _tests(compared: PairComparison) -> Iterator[Line]:
    """Yield a line on each test that p-values come from: metrics may have skipped segments."""
    by_test: dict[str, list[MetricDifference]] = {}
    for metric in compared.metrics.values():
        if metric.is_tested:
            by_test.setdefault(metric.test, []).append(metric)
    for test, metrics in by_test.items():
        first = metrics[0]
        of = f" ({', '.join(metric.name for metric in metrics)})" * (len(by_test) > 1)
        drawn = "" if test == EXACT else f", seed {first.seed}"
        star = "" if first.too_few else f"; *: p < {SIGNIFICANT}"
        yield line(f"p{of}: {first.sides}, {TEST_NAMES[test]}{drawn}{star}")
        if first.n_different < FEWEST.get(test, 0) and not first.too_few:
            yield line(f"{TEST_NAMES[test]}: fewer than {FEWEST[test]} segments differ")


def _verdict(names: Sequence[Name], metric: MetricDifference) -> tuple[str, ...]:
    """Return the parts of one sentence, the result of the test."""
    if not metric.is_tested:
        return (f"{metric.name}: no test, because it does not follow from scores of segments",)
    p = f"(p {metric.p_text}, {metric.sides})"
    if metric.too_few:
        return (f"{metric.name}: {NO_VERDICT} {p}",)
    if metric.better is None or not metric.significant:
        return (f"{metric.name}: no significant difference {p}",)
    better, other = names[metric.better], names[1 - metric.better]
    way = "higher" if metric.higher_is_better else "lower"
    return f"{metric.name}: ", better, f" scores significantly {way} than ", other, f" {p}"


def _outputs(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per system with such outputs, and one on the difference without them."""
    without = compared.outputs
    if without is None:
        return
    for name, kinds in without.kinds.items():
        if kinds:
            yield Line((Name(name), f": {counted(kinds, compared.n_segments)}"), "verdict")
    them = "it" if without.n_outputs == 1 else "them"
    start = f"{compared.metrics[without.metric].name} without {them}"
    yield Line(
        (f"{start}: {_difference_without(compared, 'instead of', 'difference ')}",), "verdict"
    )
    yield from _too_few(start, without)


def _brief_outputs(compared: PairComparison) -> Iterator[Line]:
    """Yield a line on both systems, and one if what is left is too few; nothing without any."""
    without = compared.outputs
    if without is None:
        return
    start, them = "1 output is not a translation", "without it"
    if without.n_outputs > 1:
        start, them = f"{without.n_outputs} outputs are not translations", "without them"
    yield Line((f"{start}; {them} {_difference_without(compared, 'not')}",), "verdict")
    yield from _too_few(them, without)


def _too_few(start: str, without: WithoutOutputs) -> Iterator[Line]:
    if without.note is not None and without.n_segments:
        yield Line((f"{start}: {without.note}",), "verdict")


def _difference_without(compared: PairComparison, relation: str, label: str = "") -> str:
    without = compared.outputs
    assert without is not None
    if not without.n_segments:
        return "no segment is left"
    metric = compared.metrics[without.metric]
    after, before = (
        shown(cells.difference(x, metric.digits)) for x in (without.difference, metric.difference)
    )
    separator = "" if relation == "instead of" else ","
    p = f" (p {p_text(without.p, least_p(without.test, metric.n_resamples))})"
    return f"{label}{after}{separator} {relation} {before}{'' if without.too_few else p}"


def bucket_tables(names: Sequence[str], metric: MetricDifference) -> Iterator[Table]:
    """Yield tables of both scores by length, and by document and domain if there are any."""
    for title, buckets in (
        ("reference characters", metric.by_length),
        ("document", metric.by_document),
        ("domain", metric.by_domain),
    ):
        if buckets:
            yield _buckets(names, metric, title, buckets)


def _buckets(
    names: Sequence[str], metric: MetricDifference, title: str, buckets: Sequence[Bucket]
) -> Table:
    n = metric.digits
    rows = [
        [
            cells.name(x.label),
            cells.count(x.n_segments),
            cells.score(x.a, n),
            cells.score(x.b, n),
            cells.difference(x.difference, n),
        ]
        for x in buckets
    ]
    headings = [f"{metric.name} by {title}", "segments", *names, "diff"]
    return Table(headings=headings, rows=rows, right=range(1, 5), fold=_fold(metric))


def _fold(metric: MetricDifference) -> str:
    return f"{metric.name}: segments and buckets"


def _extreme_documents(names: Sequence[str], metric: MetricDifference) -> Table:
    """Return the documents with the largest differences either way."""
    sign = 1 if metric.higher_is_better else -1
    ranked = sorted(metric.by_document, key=lambda bucket: -sign * bucket.difference)
    if len(ranked) <= 2 * MOST_DOCUMENTS:
        return _buckets(names, metric, "document", ranked)
    chosen = [*ranked[:MOST_DOCUMENTS], *ranked[-MOST_DOCUMENTS:]]
    table = _buckets(names, metric, "document", chosen)
    more = f"{len(ranked) - len(chosen)} documents in between are left out; --details shows all"
    return replace(table, rules=[MOST_DOCUMENTS], below=[line(more)])


def _examples(compared: PairComparison, most: int | None = None, *, color: bool = False) -> str:
    """Return the examples of the first metric: both outputs, from where they differ."""
    metric, *_ = compared.metrics.values()
    way = "higher" if metric.higher_is_better else "lower"
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
    return "".join(lines)


def _example(names: Sequence[str], example: SegmentDifference, n: int, color: bool) -> str:
    from rich.cells import cell_len, set_cell_size

    size = min(MOST_LABEL, max(cell_len(visible(name)) for name in names))
    name = visible(str(example.segment))
    head = f"  {name:>5}  {shown(cells.difference(example.difference, n))}  "
    width = max(LEAST_WIDTH, WIDTH - len(head) - size - 2)  # a long name takes more than the line
    texts = _from_difference(tuple(map(visible, example.texts)), width)
    texts = inked(texts) if color else texts
    rows = zip((head, " " * len(head)), names, texts, strict=True)
    return "".join(
        f"{lead}{set_cell_size(visible(name), size)}  {text}".rstrip() + "\n"
        for lead, name, text in rows
    )


def _from_difference(texts: Sequence[str], width: int) -> list[str]:
    """Return both texts cut to the width, from shortly before they begin to differ."""
    from rich.cells import cell_len, chop_cells

    if max(map(cell_len, texts)) <= width:
        return [text or "(empty)" for text in texts]
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, n_common - CONTEXT)
    cut = []
    for text in texts:
        rest = ("…" if start else "") + text[start:]
        if cell_len(rest) > width:
            rest = chop_cells(rest, width - 1)[0] + "…"
        cut.append(rest if text else "(empty)")
    return cut


def _segments(compared: PairComparison, metric: MetricDifference) -> Iterator[Listing]:
    n, names = metric.digits, compared.names
    for name, segments in zip(names, (metric.a_better, metric.b_better), strict=True):
        if segments:
            heading = f"{metric.name}: segments with the largest advantage for {name}"
            lines = [f"{escape_controls(heading)}\n", *(_segment(names, x, n) for x in segments)]
            rows: list[list[Cell | str]] = [
                [str(x.segment), *_scores(x, n), " / ".join(x.references), *x.texts]
                for x in segments
            ]
            headings = ["segment", *names, "diff", "reference", *names]
            table = Table(
                headings=headings, rows=rows, right=range(4), title=heading, fold=_fold(metric)
            )
            yield Listing("".join(lines), table)


def _scores(x: SegmentDifference, n: int) -> list[Cell]:
    return [cells.score(x.a, n), cells.score(x.b, n), cells.difference(x.difference, n)]


def _segment(names: Sequence[str], x: SegmentDifference, n: int) -> str:
    from rich.cells import cell_len, set_cell_size

    name, document = visible(str(x.segment)), visible(x.document)
    if document and not name.startswith(f"{document}:"):
        name += f" of {document}"
    a, b, difference = map(shown, _scores(x, n))
    head = f"  segment {name}: {a} and {b}, {difference}\n"
    labels = [*(["reference"] * len(x.references)), *map(visible, names)]
    size = max(cell_len(label) for label in labels)
    rows = zip(labels, (*x.references, *x.texts), strict=True)
    return head + "".join(_wrapped(set_cell_size(label, size), visible(t)) for label, t in rows)


def _wrapped(label: str, text: str) -> str:
    from rich.cells import cell_len, chop_cells

    before = 4 + cell_len(label) + 2
    parts = chop_cells(text or "(empty)", max(LEAST_WIDTH, WIDTH - before))
    lead = f"    {label}  "
    return "".join(
        f"{lead if i == 0 else ' ' * before}{part}".rstrip() + "\n" for i, part in enumerate(parts)
    )


def pair_remarks(compared: PairComparison) -> Iterator[str]:
    """Yield a line for each judge that orders two systems otherwise than the first metric."""
    first, *others = compared.metrics.values()
    for other in others:
        if other.signature.part("given") is None:
            continue  # a metric of celab
        ranks = compare_ranks(
            (first.name, other.name),
            dict(zip(compared.names, (first.a, first.b), strict=True)),
            dict(zip(compared.names, (other.a, other.b), strict=True)),
            higher_is_better=(first.higher_is_better, other.higher_is_better),
        )
        if ranks is not None and not ranks.agrees:
            p = other.p if other.is_tested else None
            yield replace(ranks, p=p, least_p=other.least_p).line


ALL = "all"  # in the column of buckets


def record_of(names: Sequence[str]) -> Record:
    """Return the columns; in a data frame scores have the names of the systems."""
    return Record(
        *fields("text", "metric", "bucket", "value"),
        Field("segments", "integer"),
        Field("a", "number", column=names[0]),
        Field("b", "number", column=names[1]),
        *fields("number", "difference", "low", "high", "p"),
        *fields("text", "sides", "test"),
        *fields("integer", "wins", "ties", "losses"),
        Field("signature", "text"),
    )


def record_rows(compared: PairComparison) -> list[JsonObject]:
    """Return a row per metric, below it those of its buckets, and last those of error spans.

    Only rows of all segments have a test.
    """
    rows: list[JsonObject] = []
    for name, metric in compared.metrics.items():
        low, high = metric.interval
        shared = ("a", "b", "difference", "p", "sides", "test", "wins", "ties", "losses")
        row = {column: getattr(metric, column) for column in (*shared, "signature")}
        all_segments = {"bucket": ALL, "value": "", "segments": metric.n_segments}
        rows.append({"metric": name, **all_segments, **row, "low": low, "high": high})
        for bucket, parts in (("length", metric.by_length), ("document", metric.by_document)):
            rows += [_row(name, bucket, x.label, x.n_segments, x.a, x.b) for x in parts]
    if compared.spans is not None:
        rows += _span_rows(compared.spans, compared.names)
    return rows


def _row(
    metric: str, bucket: str, value: str, segments: int, a: float | None, b: float | None
) -> JsonObject:
    difference = None if a is None or b is None else a - b
    return {
        **{"metric": metric, "bucket": bucket, "value": value, "segments": segments},
        **{"a": a, "b": b, "difference": difference},
    }


def _span_rows(spans: SpanReport, names: Sequence[str]) -> Iterator[JsonObject]:
    """Yield the number of spans, and the share of each system's that were seen, by their kind."""
    for counts in spans.counts:
        kind = (counts.category, counts.severity)
        shares: list[float | None] = []
        for name in names:
            seen = [
                bool(span.seen)
                for span in spans.spans
                if (span.category, span.severity) == kind
                and span.system == name
                and span.seen is not None
            ]
            shares.append(sum(seen) / len(seen) if seen else None)
        label = ", ".join(filter(None, kind))
        yield _row(spans.metric, "spans seen", label, counts.spans, *shares)
