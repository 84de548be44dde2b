"""Results → fragments of HTML for notebooks: tables, and views of explanations.

A fragment needs no script and no style sheet. Its colours can be read on light and on dark pages,
and marks repeat what they show. All text is escaped, and names are isolated.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Any

from celab.base.text.escapes import escaped, visible
from celab.evaluation.campaign import Campaign, Comparison
from celab.evaluation.comparison import MetricDifference, PairComparison
from celab.evaluation.meta.agreement import Evaluation
from celab.evaluation.significance import Difference
from celab.metrics.explanation import (
    AnyExplanation,
    Explanation,
    MeanExplanation,
    SegmentExplanation,
    WordExplanation,
)
from celab.metrics.scores import Score, Segments, SegmentScore
from celab.report import agreement, pair
from celab.report.palette import MATCHES
from celab.report.systems import comparison_table, test_remark
from celab.report.tables import Name, Table
from celab.report.view import (
    Figures,
    LinkTable,
    MeanView,
    PairView,
    Sentence,
    View,
    combined_title,
    coverage_table,
    figures_of,
    view_of,
)

MOST_ROWS = 20  # of segments in a table; the first and the last are shown
_SMALL = "font-size:.85em;opacity:.8;overflow-wrap:anywhere;margin:.3em 0"
_CJK = (
    "'Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','PingFang SC','Microsoft YaHei',"
    "sans-serif"
)


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


def tag(name: str, *children: object, style: str = "") -> Html:
    """Return an element; children that are not `Html` are escaped, and names are isolated.

    >>> tag("b", "1 < 2", tag("i", "&"))
    '<b>1 &lt; 2<i>&amp;</i></b>'
    """
    inner = "".join(map(_inner, children))
    styled = f' style="{html.escape(style)}"' if style else ""
    return Html(f"<{name}{styled}>{inner}</{name}>")


def _inner(child: object) -> str:
    if isinstance(child, Html):
        return child
    text = html.escape(escaped(str(child)))
    return f"<bdi>{text}</bdi>" if isinstance(child, Name) else text


@singledispatch
def fragment(result: Any) -> str:
    """Return the HTML that a notebook shows for a result."""
    return tag("pre", repr(result))


@fragment.register
def _(score: Score) -> str:
    return tag(
        "div",
        _table(_scores(score.name, score.digits, [score])),
        _note(f"{len(score.segments)} segments; {score.signature}"),
    )


@fragment.register
def _(segment: SegmentScore) -> str:
    rows: list[tuple[str, float | None, float | None, float | None]]
    rows = [("segment", segment.score, segment.precision, segment.recall)]
    rows += [
        (f"reference {r.index + 1}", r.score, r.precision, r.recall) for r in segment.references
    ]
    cells = [[name, *(_number(x, segment.digits) for x in numbers)] for name, *numbers in rows]
    return tag("div", _table(Table(["", "score", "precision", "recall"], cells, right=(1, 2, 3))))


@fragment.register
def _(segments: Segments) -> str:
    n = segments.digits
    names = ("score", "precision", "recall")[: segments.figures.shape[1]]
    half = MOST_ROWS // 2
    places = list(range(len(segments)))
    cut = len(places) > MOST_ROWS
    shown = places[:half] + places[-half:] if cut else places
    rows = [[str(i + 1), *(_number(x, n) for x in segments.figures[i].tolist())] for i in shown]
    if cut:
        rows.insert(half, ["…"] * (1 + len(names)))
    table = Table(["segment", *names], rows, right=range(1 + len(names)))
    return tag("div", _table(table), _note(f"{len(segments)} segments"))


@fragment.register
def _(campaign: Campaign) -> str:
    if not campaign.scores:
        return tag("div", _note(repr(campaign)))
    parts = []
    for metric, of_system in campaign.scores.items():
        first = next(iter(of_system.values()))
        if metric in campaign.comparisons:
            comparison = campaign.comparisons[metric]
            parts.append(_comparison(comparison, first.name, first.digits))
        else:
            names = list(of_system)
            n = first.digits
            parts.append(_table(_scores(first.name, n, of_system.values(), names)))
        parts.append(_note(first.signature.without("skipped")))
    return tag("div", *parts)


@fragment.register
def _(comparison: Comparison) -> str:
    return tag("div", _comparison(comparison, "score", comparison.digits))


@fragment.register
def _(comparison: PairComparison) -> str:
    parts = [_table(pair.summary(comparison))]
    parts += [_note(*line) for line in pair.notes(comparison)]
    for by_metric in comparison.metrics.values():
        differences = _differences(comparison.names, by_metric)
        parts.append(_details(f"{by_metric.name}: segments and buckets", differences))
    return tag("div", *parts)


@fragment.register
def _(by_metric: MetricDifference) -> str:
    n_segments = by_metric.n_segments + by_metric.n_skipped
    return fragment(PairComparison(("A", "B"), n_segments, {by_metric.name: by_metric}))


@fragment.register
def _(difference: Difference) -> str:
    n, (low, high) = difference.digits, difference.interval
    cells = [
        f"{difference.difference:+.{n}f}",
        f"[{low:+.{n}f}, {high:+.{n}f}]",
        f"{difference.p:.4f}",
    ]
    headings = ["difference", "95% interval", f"p ({difference.sides})"]
    remark = f"{difference.n_segments} segments, {difference.test}"
    return tag("div", _table(Table(headings, [cells], right=range(3))), _note(remark))


@fragment.register
def _(evaluation: Evaluation) -> str:
    parts: list[Html] = []
    for title, table in agreement.titled_tables(evaluation):
        parts += [_note(title), _table(table)]
    return tag("div", *parts, *(_note(line) for line in agreement.remarks(evaluation)))


@fragment.register(Explanation)
@fragment.register(WordExplanation)
@fragment.register(MeanExplanation)
def _(explanation: AnyExplanation) -> str:
    return tag("div", *_view(view_of(explanation)), style="line-height:1.5")


@fragment.register
def _(segment: SegmentExplanation) -> str:
    parts: list[Html] = []
    several = len(segment.against) > 1
    for index, explanation in zip(segment.index, segment.against, strict=True):
        parts += [_heading(f"Reference {index + 1}")] * several
        parts += _view(view_of(explanation))
    if several:
        title = combined_title(segment)
        parts.append(tag("p", f"{title[0].upper()}{title[1:]}: ", _figures(figures_of(segment))))
    return tag("div", *parts, style="line-height:1.5")


def _view(view: View) -> list[Html]:
    parts: list[Html] = []
    if isinstance(view, MeanView):
        for k, part in enumerate(view.parts, 1):
            parts += [_heading(f"Part {k} of {len(view.parts)}"), *_view(part)]
        mean = tag("p", f"Mean of {len(view.parts)} parts: ", _figures(view.figures))
        return [*parts, mean, _note(view.signature)]
    parts = [
        tag("p", _figures(view.figures), tag("br"), view.summary),
        *_sentences(view),
        _legend(view.states),
        _note(view.signature),
    ]
    if view.features is not None:
        parts.append(_details("orders and similarities", [_table(view.features)]))
    parts += map(_links, view.links)
    if view.unmatched is not None:
        parts.append(_unmatched(view.unmatched))
    if view.features is None:
        parts.append(_details("n-grams", [_table(coverage_table(view.sentences))]))
    return parts


def _heading(text: str) -> Html:
    return tag("p", tag("b", text), style="margin:.8em 0 .2em")


def _sentences(view: PairView) -> Iterator[Html]:
    ref, hyp = view.sentences
    if view.columns is None:
        for sentence in view.sentences:
            yield _aligned([_column(_label(sentence)), *_tokens(sentence)])
        return
    columns = [_column(_label(ref), _label(hyp))]
    for of_ref, of_hyp in view.columns:
        sides = (Html("".join(_tokens(*side))) for side in ((ref, *of_ref), (hyp, *of_hyp)))
        columns.append(_column(*sides))
    yield _aligned(columns)


def _tokens(sentence: Sentence, start: int = 0, stop: int | None = None) -> list[Html]:
    pairs = zip(sentence.tokens[start:stop], sentence.states[start:stop], strict=True)
    return [_token(token, state) for token, state in pairs]


def _token(text: str, state: str) -> Html:
    match = MATCHES[state]
    colour = ",".join(map(str, match.neutral))
    background = f"background:rgba({colour},.18);" if match.light_tint != "transparent" else ""
    shown = tag("span", visible(text), style=f"border-bottom:3px {match.line} rgb({colour})")
    under = tag("span", match.mark, style="font:700 .7em monospace")
    return tag(
        "span",
        shown,
        under,
        style="display:inline-flex;flex-direction:column;align-items:center;margin:0 1px;"
        f"padding:0 2px;border-radius:3px;{background}unicode-bidi:isolate",
    )


def _label(sentence: Sentence) -> Html:
    return tag("span", sentence.label, style="opacity:.7;font-size:.75em;padding-right:.4em")


def _column(*sides: Html) -> Html:
    rows = [tag("span", side, style="display:flex;min-height:2.3em") for side in sides]
    return tag(
        "span",
        *rows,
        style="display:inline-flex;flex-direction:column;gap:.35em;padding-left:.2em;"
        "border-left:1px dotted rgba(128,128,128,.5)",
    )


def _aligned(parts: Iterable[Html]) -> Html:
    style = "display:flex;flex-wrap:wrap;gap:.6em .3em;font-size:1.15em;margin:.4em 0"
    return tag("div", *parts, style=f"{style};font-family:{_CJK}")


def _legend(states: Sequence[str]) -> Html:
    entries = []
    for match in (MATCHES[state] for state in states):
        colour = ",".join(map(str, match.neutral))
        style = f"border-bottom:2px solid rgb({colour});margin-right:1em"
        entries.append(tag("span", f"{match.mark} {match.title}", style=style))
    return tag("div", *entries, style="font-size:.85em;margin:.3em 0")


def _figures(figures: Figures) -> Html:
    score = tag("b", f"score {figures.score}")
    return tag("span", score, f"  {figures.rates}", style="white-space:pre-wrap")


def _unmatched(words: LinkTable) -> Html:
    rows = [["".join(part.text for part in cell) for cell in row] for row in words.rows]
    return _details(words.title, [_table(Table(words.headings, rows, right=[2]), cjk=True)])


def _links(links: LinkTable) -> Html:
    n = len(links.rows)
    title = f"{n} link{'s' * (n != 1)}"
    rows = [["".join(part.text for part in cell) for cell in row] for row in links.rows]
    table = Table(links.headings, rows, right=[0])
    return _details(f"{links.title}: {title}" if links.title else title, [_table(table, cjk=True)])


def _differences(names: Sequence[str], by_metric: MetricDifference) -> Iterator[Html]:
    n = by_metric.digits
    for name, segments in zip(names, (by_metric.a_better, by_metric.b_better), strict=True):
        if segments:
            rows = [
                [
                    str(x.segment),
                    f"{x.a:.{n}f}",
                    f"{x.b:.{n}f}",
                    f"{x.difference:+.{n}f}",
                    " / ".join(x.references),
                    *x.texts,
                ]
                for x in segments
            ]
            headings = ["segment", *names, "diff", "reference", *names]
            yield _note("Segments with the largest advantage for ", Name(name))
            yield _table(Table(headings, rows, right=range(4)), cjk=True)
    for table in pair.bucket_tables(names, by_metric):
        yield _table(table)


def _comparison(comparison: Comparison, name: str, n: int) -> Html:
    return Html(_table(comparison_table(comparison, name, n)) + _note(test_remark(comparison)))


def _scores(
    metric: str, n: int, scores: Iterable[Score], systems: Sequence[str] | None = None
) -> Table:
    rows = [[_number(x, n) for x in (s.score, s.precision, s.recall)] for s in scores]
    headings = [metric, "precision", "recall"]
    if all(row[1] == "" for row in rows):
        rows, headings = [row[:1] for row in rows], headings[:1]
    if systems is not None:
        rows = [[name, *row] for name, row in zip(systems, rows, strict=True)]
        headings = ["system", *headings]
    return Table(headings, rows, right=range(systems is not None, len(headings)))


def _number(value: float | None, n: int) -> str:
    return "" if value is None else "–" if math.isnan(value) else f"{value:.{n}f}"


def _table(table: Table, *, cjk: bool = False) -> Html:
    line = "border-bottom:1px solid rgba(128,128,128,.4);padding:.25em .7em"

    def cell(name: str, text: str, side: str, more: str = "") -> Html:
        return tag(name, text, style=f"{line};text-align:{side};background:transparent{more}")

    sides = table.aligned("left", "right")
    head = (cell("th", t, s, ";opacity:.8") for t, s in zip(table.headings, sides, strict=True))
    body = (
        tag(
            "tr",
            *(cell("td", t, s) for t, s in zip(row, sides, strict=True)),
            style="background:transparent",
        )
        for row in table.rows
    )
    fonts = f";font-family:{_CJK}" if cjk else ""
    drawn = tag(
        "table",
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        style=f"border-collapse:collapse;margin:.4em 0;color:inherit{fonts}",
    )
    return tag("div", drawn, style="overflow-x:auto")


def _note(*parts: str) -> Html:
    return tag("p", *parts, style=_SMALL)


def _details(title: str, inner: Iterable[Html]) -> Html:
    return tag("details", tag("summary", title), *inner, style="margin:.3em 0")
