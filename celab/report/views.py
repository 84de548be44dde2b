"""A result → its view: tables and lines, which any of `celab.report.renderers` draws.

To show a new kind of result, register its view here. Results with many figures have modules of
their own: `systems`, `pair`, `terms` and `agreement`; explanations are drawn as alignments.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from celab.base import cells
from celab.base.cells import Cell
from celab.base.result import Result
from celab.documents.alignment import Alignment
from celab.evaluation.comparison import MetricDifference, PairComparison
from celab.evaluation.gate import Gate
from celab.evaluation.judges.spans import SpanReport
from celab.evaluation.meta.agreement import Evaluation
from celab.evaluation.outputs import Outputs
from celab.evaluation.scored import Comparison, Scored
from celab.evaluation.significance import Difference
from celab.evaluation.suggestions import Suggestions
from celab.evaluation.term_results import TermResult
from celab.family.reranking.tuning import Choice, Tuned
from celab.metrics.explanation import (
    AnyExplanation,
    Explanation,
    MeanExplanation,
    SegmentExplanation,
    WordExplanation,
)
from celab.metrics.registry import digits_of
from celab.metrics.scores import Score, Segments, SegmentScore
from celab.report import agreement, judges, outputs, pair, systems, terms
from celab.report.alignment import combined_title, figures_of, view_of
from celab.report.tables import Line, Output, Part, Table, View, line

MOST_ROWS = 20  # of segments in a table; the first and the last are shown
RATES = ("score", "precision", "recall")


@singledispatch
def view(result: Result, output: Output) -> View:
    """Return the view of a result; a kind that is not registered has its `repr`."""
    return View([[line(repr(result))]])


@view.register
def _(scored: Scored, output: Output) -> View:
    if not scored.scores:
        return View([[line(repr(scored))]])
    return systems.view_of(scored, output)


@view.register
def _(comparison: Comparison, output: Output) -> View:
    n = comparison.digits if output.digits is None else output.digits
    table = systems.comparison_table(comparison, "score", n)
    return View([table, [line(systems.test_remark(comparison))]])


@view.register
def _(compared: PairComparison, output: Output) -> View:
    return pair.view_of(compared, output)


@view.register
def _(by_metric: MetricDifference, output: Output) -> View:
    n_segments = by_metric.n_segments + by_metric.n_skipped
    metrics = {by_metric.name: by_metric}
    return pair.view_of(PairComparison(("A", "B"), n_segments, metrics), output)


@view.register
def _(spans: SpanReport, output: Output) -> View:
    return judges.span_view(spans)


@view.register
def _(checked: Outputs, output: Output) -> View:
    return outputs.view_of(checked, output)


@view.register
def _(gate: Gate, output: Output) -> View:
    outcome = "failed" if gate.failed else "passed"
    return View([[Line((f"{outcome}: {gate.reason}",), "verdict")]])


@view.register
def _(evaluation: Evaluation, output: Output) -> View:
    return agreement.view_of(evaluation, output)


@view.register
def _(result: TermResult, output: Output) -> View:
    return terms.view_of(result, output)


@view.register
def _(score: Score, output: Output) -> View:
    n = score.digits if output.digits is None else output.digits
    rates = [] if score.precision is None else [score.precision, score.recall]
    values = [cells.score(value, n) for value in (score.score, *rates)]
    headings = [score.name, *RATES[1 : len(values)]]
    table = Table(headings, [values], right=range(len(values)))
    about = Line((f"{len(score.segments)} segments; {score.signature}",), "signature")
    return View([table, [about]])


@view.register
def _(segment: SegmentScore, output: Output) -> View:
    rows = [_rates("segment", segment, segment.digits)]
    rows += [_rates(f"reference {r.index + 1}", r, segment.digits) for r in segment.references]
    return View([Table(["", *RATES], rows, right=(1, 2, 3))])


def _rates(name: str, scored: object, digits: int) -> list[Cell | str]:
    return [name, *(cells.score(getattr(scored, rate), digits) for rate in RATES)]


@view.register
def _(segments: Segments, output: Output) -> View:
    names = RATES[: segments.figures.shape[1]]
    half = MOST_ROWS // 2
    places = list(range(len(segments)))
    is_cut = len(places) > MOST_ROWS
    chosen = places[:half] + places[-half:] if is_cut else places
    rows: list[list[Cell | str]] = [
        [str(i + 1), *(cells.score(x, segments.digits) for x in segments.figures[i].tolist())]
        for i in chosen
    ]
    if is_cut:
        rows.insert(half, ["…"] * (1 + len(names)))
    table = Table(["segment", *names], rows, right=range(1 + len(names)))
    return View([table, [line(f"{len(segments)} segments")]])


@view.register
def _(result: Difference, output: Output) -> View:
    n = result.digits if output.digits is None else output.digits
    figures = [
        cells.difference(result.difference, n),
        cells.interval(result.interval, n, signed=True),
        cells.p_value(result.p),
    ]
    headings = ["difference", "95% interval", f"p ({result.sides})"]
    remark = f"{result.n_segments} segments, {result.test}"
    return View([Table(headings, [figures], right=range(3)), [line(remark)]])


@view.register
def _(suggestions: Suggestions, output: Output) -> View:
    rows = [
        [
            cells.name(x.ref),
            cells.name(x.hyp),
            cells.score(x.gain, 6),
            cells.count(x.n_outputs),
            cells.count(x.segment),
            cells.name(x.system),
        ]
        for x in suggestions.pairs
    ]
    headings = ["reference", "hypothesis", "gain", "outputs", "first segment", "of"]
    signature = Line((suggestions.signature,), "signature")
    tried = f"{suggestions.n_tried:,} of {suggestions.n_candidates:,} candidates tried"
    return View([Table(headings, rows, right=(2, 3, 4)), [line(tried), signature]])


@view.register
def _(alignment: Alignment, output: Output) -> View:
    n = 4 if output.digits is None else output.digits
    rows = [
        [
            cells.name(document.name or "all"),
            cells.count(len(document.lines)),
            cells.count(sum(not line for line in document.lines)),
            cells.score(document.coverage, n),
        ]
        for document in alignment.documents
    ]
    headings = ["document", "segments", "without text", "coverage"]
    parts: list[Part] = [Table(headings, rows, right=(1, 2, 3))]
    if alignment.blank:
        numbers = ", ".join(map(str, alignment.blank[:MOST_ROWS]))
        more = ", …" * (len(alignment.blank) > MOST_ROWS)
        parts.append([line(f"segments without text: {numbers}{more}")])
    return View(parts)


@view.register
def _(choice: Choice, output: Output) -> View:
    return View([_choices({"": choice}, "score", 4)])


@view.register
def _(tuned: Tuned, output: Output) -> View:
    weights = [[cells.name(name), cells.difference(w, 6)] for name, w in tuned.weights.items()]
    choices = {"first candidates": tuned.before, "chosen by the weights": tuned.after}
    gained = _choices(choices, tuned.metric, digits_of(tuned.signature.name))
    signature = Line((tuned.signature,), "signature")
    return View([Table(["feature", "weight"], weights, right=[1]), gained, [signature]])


def _choices(choices: dict[str, Choice], metric: str, digits: int) -> Table:
    rows: Iterable[list[Cell | str]] = (
        [name, cells.score(choice.score, digits), cells.score(choice.length, 2)]
        for name, choice in choices.items()
    )
    return Table(["", metric, "tokens"], [*rows], right=(1, 2))


@view.register(Explanation)
@view.register(WordExplanation)
@view.register(MeanExplanation)
def _(explanation: AnyExplanation, output: Output) -> View:
    return View([[_title("hypothesis against the reference")], view_of(explanation)])


@view.register
def _(segment: SegmentExplanation, output: Output) -> View:
    parts: list[Part] = []
    for index, explanation in zip(segment.index, segment.against, strict=True):
        parts += [[_title(f"hypothesis against reference {index + 1}")], view_of(explanation)]
    if len(segment.index) > 1:
        parts.append([line(f"{combined_title(segment)}: {figures_of(segment).text}")])
    return View(parts)


def _title(text: str) -> Line:
    return Line((text,), "title")
