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
from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls, visible
from celab.corpus.model import SegmentName
from celab.evaluation.checks.outputs import counted
from celab.evaluation.judges.ranks import Disagreement, compare_ranks, disagreement_table
from celab.evaluation.judges.spans import SpanReport
from celab.evaluation.references import ReferenceCopies
from celab.evaluation.tables import Findings, Gate
from celab.metrics.scores import Score
from celab.statistics.difference import (
    DISAGREE,
    EXACT,
    MIN_SEGMENTS,
    NO_VERDICT,
    SIGNIFICANT,
    Difference,
)
from celab.statistics.significance import FEWEST, LEVEL, TEST_NAMES, TIE
from celab.tables import cells
from celab.tables.cells import Cell, quantity, shown
from celab.tables.palette import inked
from celab.tables.record import (
    Column,
    Field,
    Record,
    check_level,
    fields,
    frame,
    name_column,
    with_index,
)
from celab.tables.result import DataFrame, Level, Result, plain
from celab.tables.view import (
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
class MetricComparison(Result):
    """Two systems by one metric. The docstring of `celab.evaluation.pair` defines the figures.

    Attributes:
        name: the metric's usual name.
        difference: both scores, their difference, its interval and p.
        wins, ties, losses: number of segments on which A is better, equal or worse.
        n_skipped: number of segments without a proved score of both, which are left out.
        unscored: why segments are left out.
        a_better, b_better: segments with the largest differences, the largest first.
        by_length, by_document, by_domain: scores of subsets; empty without documents or domains.
        examples: segments to show, first those on which A is better, then those of B.
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
    _omitted: ClassVar = frozenset({"by_domain", "examples", "segments", "unscored"})

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return self.difference.digits

    def to_dict(self) -> JsonObject:
        """Return the comparison as plain data, with the figures of the difference among its own."""
        values = Result.to_dict(self)
        of_metric = {name: values.pop(name) for name in ("name", "signature")}
        difference = self.difference
        figures = {
            "higher_is_better": difference.higher_is_better,
            "a": plain(difference.a),
            "b": plain(difference.b),
            **values.pop("difference"),
        }
        return {**of_metric, **figures, **values}

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the comparison by this metric alone."""
        n_segments = self.difference.n_segments + self.n_skipped
        pair = PairComparison(names=("A", "B"), n_segments=n_segments, metrics={self.name: self})
        return pair.view(options)

    def __repr__(self) -> str:
        difference, digits = self.difference, self.digits
        a, b = (shown(cells.score(value, digits)) for value in (difference.a, difference.b))
        apart, interval, _ = map(shown, difference.cells())
        return (
            f"<{self.name}: {a} and {b}, difference {apart} {interval},"
            f" p {difference.p_text} ({difference.sides})>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutOutputs(Result):
    """Two systems by the first metric, without segments in which an output is not a translation.

    Attributes:
        metric: name of the metric.
        kinds: for each system the places of the segments of each kind, from 0.
        difference: on the segments that are left; both scores are NaN if none is.
    """

    metric: str
    kinds: dict[str, dict[str, list[int]]]
    difference: Difference

    def to_dict(self) -> JsonObject:
        """Return the comparison as plain data, with the figures of the difference."""
        difference = self.difference
        figures = difference.to_dict()
        return {
            "metric": self.metric,
            "kinds": plain(self.kinds),
            **{
                name: figures[name]
                for name in ("n_segments", "difference", "interval", "p", "test")
            },
            "note": NO_VERDICT if self.too_few else None,
        }

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
    n_segments: int  # with those skipped
    metrics: dict[str, MetricComparison]
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
            f"{metric.name} {shown(metric.difference.cells()[0])}"
            f" (p {metric.difference.p_text}, {metric.difference.sides})"
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
                cells.score(metric.difference.a, n),
                cells.score(metric.difference.b, n),
                *metric.difference.cells(),
                f"{metric.wins}/{metric.ties}/{metric.losses}" * metric.difference.is_tested,
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
    for metric in compared.metrics.values():
        verdict = metric.difference.verdict(*map(Name, compared.names))
        yield Line((f"{metric.name}: ", *verdict.parts), "verdict")


def _ranks(compared: PairComparison) -> Iterator[Line]:
    """Yield a line per judge that orders the systems otherwise than the first metric."""
    for remark in pair_rank_lines(compared):
        yield Line((remark,), "verdict")


def _signatures(compared: PairComparison) -> Iterator[Line]:
    for metric in compared.metrics.values():
        yield Line((metric.signature,), "signature")


def _legend(compared: PairComparison) -> Iterator[Line]:
    """Yield lines that explain the figures of the summary."""
    a, b = map(Name, compared.names)
    first = next(iter(compared.metrics.values()))
    drawn = f"; interval: {first.difference.n_resamples} paired bootstrap resamples"
    yield line("diff: ", a, " - ", b, drawn)
    yield from _tests(compared)
    than = f" scores better, the same (to within {TIE:g}), worse"
    yield line("W/T/L: segments on which ", a, than)
    for metric in compared.metrics.values():
        if not metric.difference.higher_is_better:
            yield line(f"{metric.name}: lower is better")
        if metric.n_skipped:
            left_out = f"{metric.n_skipped} of {compared.n_segments} segments"
            yield line(f"{metric.name}: {left_out} left out, because {metric.unscored}")
        if metric.difference.remark == DISAGREE:
            yield line(f"{metric.name}: {DISAGREE}")


def _tests(compared: PairComparison) -> Iterator[Line]:
    """Yield a line on each test that p-values come from: metrics may have skipped segments."""
    by_test: dict[str, list[MetricComparison]] = {}
    for metric in compared.metrics.values():
        if metric.difference.test is not None:
            by_test.setdefault(metric.difference.test, []).append(metric)
    for test, metrics in by_test.items():
        first = metrics[0].difference
        of = f" ({', '.join(metric.name for metric in metrics)})" * (len(by_test) > 1)
        drawn = "" if test == EXACT else f", seed {first.seed}"
        star = "" if first.too_few else f"; *: p < {SIGNIFICANT}"
        yield line(f"p{of}: {first.sides}, {TEST_NAMES[test]}{drawn}{star}")
        if first.n_different < FEWEST.get(test, 0) and not first.too_few:
            yield line(f"{TEST_NAMES[test]}: fewer than {FEWEST[test]} segments differ")


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
    if without.too_few and without.difference.n_segments:
        yield Line((f"{start}: {NO_VERDICT}",), "verdict")


def _difference_without(compared: PairComparison, relation: str, label: str = "") -> str:
    without = compared.outputs
    assert without is not None
    if not without.difference.n_segments:
        return "no segment is left"
    metric = compared.metrics[without.metric]
    after, before = (
        shown(cells.difference(x.value, metric.digits))
        for x in (without.difference, metric.difference)
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


def _fold(metric: MetricComparison) -> str:
    return f"{metric.name}: segments and buckets"


def _extreme_documents(names: Sequence[str], metric: MetricComparison) -> Table:
    """Return the documents with the largest differences either way."""
    sign = 1 if metric.difference.higher_is_better else -1
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


def _segments(compared: PairComparison, metric: MetricComparison) -> Iterator[Listing]:
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
        difference = metric.difference
        low, high = difference.interval or (None, None)
        rows.append(
            {
                **{"metric": name, "bucket": ALL, "value": "", "segments": difference.n_segments},
                **{"a": difference.a, "b": difference.b, "difference": difference.value},
                **{"low": low, "high": high, "p": difference.p, "sides": difference.sides},
                "test": difference.test,
                **{"wins": metric.wins, "ties": metric.ties, "losses": metric.losses},
                "signature": metric.signature,
            }
        )
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
