"""Two systems compared → their view: tables, verdicts, and texts in lines of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from celab.base.text.escapes import escape_controls, visible
from celab.base.view import cells
from celab.base.view.cells import Cell, p_text, shown
from celab.base.view.ink import inked
from celab.base.view.tables import (
    OVERLAP,
    Line,
    Listing,
    Name,
    Part,
    Table,
    View,
    ViewOptions,
    line,
)
from celab.evaluation.checks.outputs import counted
from celab.evaluation.judges import view as judges
from celab.evaluation.judges.ranks import pair_remarks
from celab.evaluation.pair.record import record_of, record_rows
from celab.statistics.significance import (
    EXACT,
    FEWEST,
    FEWEST_SEGMENTS,
    LEVEL,
    SIGNIFICANT,
    TEST_NAMES,
    TIE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from celab.evaluation.pair.comparison import (
        Bucket,
        MetricDifference,
        PairComparison,
        SegmentDifference,
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
            yield judges.disagreement_table(
                (first.name, second.name), (first.digits, second.digits), rows
            )


def _findings(compared: PairComparison) -> list[Part]:
    """Return the number of findings of each kind that only one of the systems has."""
    found = compared.findings
    if not found:
        return []
    seen = found.count("kind")
    table = found.table(check.name for check in found.checks if seen[check.name])
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
                cells.p_value(metric.p if metric.is_tested else None, "*" * metric.significant),
                f"{metric.wins}/{metric.ties}/{metric.losses}" * metric.is_tested,
            ]
        )
    headings = ["metric", a, b, "diff", f"{LEVEL:.0%} interval", "p", "W/T/L"]
    return Table(headings, rows, right=range(1, 7))


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
    p = f"(p {p_text(metric.p)}, {metric.sides})"
    if metric.too_few:
        return (f"{metric.name}: fewer than {FEWEST_SEGMENTS} segments, no verdict {p}",)
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


def _brief_outputs(compared: PairComparison) -> list[Line]:
    """Return one line on both systems, or none."""
    without = compared.outputs
    if without is None:
        return []
    start = "1 output is not a translation; without it"
    if without.n_outputs > 1:
        start = f"{without.n_outputs} outputs are not translations; without them"
    return [Line((f"{start} {_difference_without(compared, 'not')}",), "verdict")]


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
    return f"{label}{after}{separator} {relation} {before} (p {p_text(without.p)})"


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
    return Table(headings, rows, right=range(1, 5), fold=_fold(metric))


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
        f"{lead}{set_cell_size(visible(name), size)}  {shown}".rstrip() + "\n"
        for lead, name, shown in rows
    )


def _from_difference(texts: Sequence[str], width: int) -> list[str]:
    """Return both texts cut to the width, from shortly before they begin to differ."""
    from rich.cells import cell_len, chop_cells

    if max(map(cell_len, texts)) <= width:
        return [text or "(empty)" for text in texts]
    n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(0, n_common - CONTEXT)
    shown = []
    for text in texts:
        rest = ("…" if start else "") + text[start:]
        if cell_len(rest) > width:
            rest = chop_cells(rest, width - 1)[0] + "…"
        shown.append(rest if text else "(empty)")
    return shown


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
            table = Table(headings, rows, range(4), title=heading, fold=_fold(metric))
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


def _wrapped(label: str, shown: str) -> str:
    from rich.cells import cell_len, chop_cells

    before = 4 + cell_len(label) + 2
    parts = chop_cells(shown or "(empty)", max(LEAST_WIDTH, WIDTH - before))
    lead = f"    {label}  "
    return "".join(
        f"{lead if i == 0 else ' ' * before}{part}".rstrip() + "\n" for i, part in enumerate(parts)
    )
