"""Results → fragments of HTML for notebooks: tables, and the report's view of a segment.

A fragment needs no script and no style sheet. Colours are those of the report, as tints and lines
that can be read on light and dark pages; marks repeat what the colours show. All text is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Any

from celab.analysis.model import Word
from celab.base.text.escapes import escaped
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
from celab.report.alignment import (
    MARKS,
    WORD_MARKS,
    MarkedSentence,
    columns,
    marked,
    sums,
    word_states,
)
from celab.report.cells import spelled, visible
from celab.report.explain import pieces
from celab.report.explain_words import feature_table
from celab.report.systems import compared, tested
from celab.report.tables import Table

MOST_ROWS = 20  # of segments in a table; the first and the last are shown
TINTS = {
    "equal": "0,158,115",
    "synonym": "230,140,0",
    "covered": "60,150,220",
    "tag": "60,150,220",
    "unmatched": "140,145,155",
}
RULES = {
    "equal": "solid",
    "synonym": "double",
    "covered": "dashed",
    "tag": "dashed",
    "unmatched": "dotted",
}
_SMALL = "font-size:.85em;opacity:.8;overflow-wrap:anywhere;margin:.3em 0"
_CJK = (
    "'Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','PingFang SC','Microsoft YaHei',"
    "sans-serif"
)


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: object, style: str = "") -> Html:
    """An element; children that are not `Html` are escaped.

    >>> tag("b", "1 < 2", tag("i", "&"))
    '<b>1 &lt; 2<i>&amp;</i></b>'
    """
    inner = "".join(
        child if isinstance(child, Html) else html.escape(escaped(str(child))) for child in children
    )
    styled = f' style="{html.escape(style)}"' if style else ""
    return Html(f"<{name}{styled}>{inner}</{name}>")


@singledispatch
def fragment(result: Any) -> str:
    """The HTML that a notebook shows for a result."""
    return tag("pre", repr(result))


@fragment.register
def _(score: Score) -> str:
    return tag(
        "div",
        _table(_figures(score.name, score.digits, [score])),
        _note(f"{len(score.segments)} segments; {score.signature}"),
    )


@fragment.register
def _(segment: SegmentScore) -> str:
    rows: list[tuple[str, float | None, float | None, float | None]]
    rows = [("segment", segment.score, segment.precision, segment.recall)]
    rows += [
        (f"reference {r.index + 1}", r.score, r.precision, r.recall) for r in segment.references
    ]
    n = 4 if segment.precision is not None else 2
    cells = [[name, *(_number(x, n) for x in numbers)] for name, *numbers in rows]
    return tag("div", _table(Table(["", "score", "precision", "recall"], cells, right=(1, 2, 3))))


@fragment.register
def _(segments: Segments) -> str:
    n = 4 if segments.figures.shape[1] > 1 else 2
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
            parts.append(_table(_figures(first.name, n, of_system.values(), names)))
        parts.append(_note(first.signature.without("skipped")))
    return tag("div", *parts)


@fragment.register
def _(comparison: Comparison) -> str:
    return tag("div", _comparison(comparison, "score", 4 if comparison.scores.max() <= 1 else 2))


@fragment.register
def _(both: PairComparison) -> str:
    said = [pair.verdict(both.names, one) for one in both.metrics.values()]
    parts = [_table(pair.summary(both))]
    parts += [_note(line) for line in (*said, *pair.notes(both))]
    for one in both.metrics.values():
        parts.append(_details(f"{one.name}: segments and buckets", _differences(both.names, one)))
    return tag("div", *parts)


@fragment.register
def _(one: MetricDifference) -> str:
    return fragment(PairComparison(("A", "B"), one.n_segments + one.n_skipped, {one.name: one}))


@fragment.register
def _(found: Difference) -> str:
    low, high = found.interval
    cells = [f"{found.difference:+.4f}", f"[{low:+.4f}, {high:+.4f}]", f"{found.p:.4f}"]
    table = Table(["difference", "95% interval", f"p ({found.sides})"], [cells], right=range(3))
    return tag("div", _table(table), _note(f"{found.n_segments} segments, {found.test}"))


@fragment.register
def _(evaluation: Evaluation) -> str:
    parts: list[Html] = []
    for title, table in agreement.titled_tables(evaluation):
        parts += [_note(title), _table(table)]
    return tag("div", *parts, *(_note(line) for line in agreement.remarks(evaluation)))


@fragment.register(Explanation)
@fragment.register(WordExplanation)
@fragment.register(MeanExplanation)
def _(e: AnyExplanation) -> str:
    return tag("div", *_explained(e), style="line-height:1.5")


@fragment.register
def _(segment: SegmentExplanation) -> str:
    parts: list[Html] = []
    for r, one in zip(segment.index, segment.against, strict=True):
        if len(segment.against) > 1:
            parts.append(tag("p", tag("b", f"Reference {r + 1}"), style="margin:.8em 0 .2em"))
        parts += _explained(one)
    if len(segment.against) > 1:
        what = "Best" if segment.combine == "max" else "Mean"
        parts.append(tag("p", f"{what} of {len(segment.against)} references: ", _values(segment)))
    return tag("div", *parts, style="line-height:1.5")


def _explained(e: AnyExplanation) -> list[Html]:
    if isinstance(e, Explanation):
        return _explained_links(e)
    if isinstance(e, WordExplanation):
        return _explained_words(e)
    parts: list[Html] = []
    for k, part in enumerate(e.parts, 1):
        title = f"Part {k} of {len(e.parts)}"
        parts += [tag("p", tag("b", title), style="margin:.8em 0 .2em"), *_explained(part)]
    title = f"Mean of {len(e.parts)} parts: "
    return [*parts, tag("p", title, _values(e)), _note(e.signature)]


def _explained_links(e: Explanation) -> list[Html]:
    ref, hyp = marked(e)
    parts = [_column(_name("ref"), _name("hyp"))]
    for (r0, r1), (h0, h1) in columns(e):
        parts.append(_column(_side(ref, r0, r1), _side(hyp, h0, h1)))
    links = [
        [
            f"{link.weight:.3f}",
            spelled(e.ref_tokens, link.ref),
            spelled(e.hyp_tokens, link.hyp),
            pieces(e, link).plain,
        ]
        for link in e.links
    ]
    table = Table(["weight", "reference", "hypothesis", "pieces"], links, right=[0])
    return [
        _aligned(parts),
        _legend(MARKS),
        _values(e),
        _note(e.signature),
        _details(f"{len(links)} link{'s' * (len(links) != 1)}", [_table(table, cjk=True)]),
        _details("n-grams", [_table(_ngrams(ref, hyp))]),
    ]


def _explained_words(e: WordExplanation) -> list[Html]:
    return [
        _words(e, "ref", e.ref_words),
        _words(e, "hyp", e.hyp_words),
        _legend(WORD_MARKS),
        _values(e),
        _note(e.signature),
        _details("orders and similarities", [_table(feature_table(e))]),
    ]


def _words(e: WordExplanation, side: str, words: Sequence[Word]) -> Html:
    states = zip(words, word_states(e, side), strict=True)
    tokens = (_token(word.form, state, WORD_MARKS[state]) for word, state in states)
    return _aligned([_column(_name(side)), *tokens])


def _side(sentence: MarkedSentence, start: int, stop: int) -> Html:
    pairs = zip(sentence.tokens[start:stop], sentence.states[start:stop], strict=True)
    return Html("".join(_token(token, state, MARKS[state]) for token, state in pairs))


def _token(text: str, state: str, mark: str) -> Html:
    tint, rule = TINTS[state], RULES[state]
    background = f"background:rgba({tint},.18);" if state != "unmatched" else ""
    shown = tag("span", visible(text), style=f"border-bottom:3px {rule} rgb({tint})")
    under = tag("span", mark, style="font:700 .7em monospace")
    return tag(
        "span",
        shown,
        under,
        style="display:inline-flex;flex-direction:column;align-items:center;margin:0 1px;"
        f"padding:0 2px;border-radius:3px;{background}unicode-bidi:isolate",
    )


def _name(name: str) -> Html:
    return tag("span", name, style="opacity:.7;font-size:.75em;padding-right:.4em")


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


def _legend(marks: Any) -> Html:
    named = (f"{mark} {'tag only' if of == 'tag' else of}" for of, mark in marks.items())
    tints = (TINTS[of] for of in marks)
    return tag(
        "div",
        *(
            tag("span", text, style=f"border-bottom:2px solid rgb({tint});margin-right:1em")
            for text, tint in zip(named, tints, strict=True)
        ),
        style="font-size:.85em;margin:.3em 0",
    )


def _values(of: AnyExplanation | SegmentExplanation) -> Html:
    return tag(
        "span",
        tag("b", f"score {of.score:.4f}"),
        f"  precision {of.precision:.4f}  recall {of.recall:.4f}",
        style="white-space:pre-wrap",
    )


def _ngrams(ref: MarkedSentence, hyp: MarkedSentence) -> Table:
    rows = []
    orders = {n.span[1] - n.span[0] for side in (ref, hyp) for n in side.ngrams}
    for order in sorted(orders):
        row = [str(order)]
        for side in (ref, hyp):
            some = [n for n in side.ngrams if n.span[1] - n.span[0] == order]
            row += [f"{amount:.3g}" for amount in sums(some)]
        rows.append(row)
    headings = ["order", "covered in ref", "of", "covered in hyp", "of"]
    return Table(headings, rows, right=range(5))


def _differences(names: Sequence[str], one: MetricDifference) -> Iterator[Html]:
    n = one.digits
    for name, some in zip(names, (one.a_better, one.b_better), strict=True):
        if some:
            rows = [
                [
                    str(x.segment),
                    f"{x.a:.{n}f}",
                    f"{x.b:.{n}f}",
                    f"{x.difference:+.{n}f}",
                    " / ".join(x.references),
                    *x.texts,
                ]
                for x in some
            ]
            headings = ["segment", *names, "diff", "reference", *names]
            yield _note(f"Segments with the largest advantage for {name}")
            yield _table(Table(headings, rows, right=range(4)), cjk=True)
    for table in pair.bucket_tables(names, one):
        yield _table(table)


def _comparison(comparison: Comparison, name: str, n: int) -> Html:
    return Html(_table(compared(comparison, name, n)) + _note(tested(comparison)))


def _figures(
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
    made = tag(
        "table",
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        style=f"border-collapse:collapse;margin:.4em 0;color:inherit{fonts}",
    )
    return tag("div", made, style="overflow-x:auto")


def _note(text: str) -> Html:
    return tag("p", visible(text), style=_SMALL)


def _details(title: str, inner: Iterable[Html]) -> Html:
    return tag("details", tag("summary", title), *inner, style="margin:.3em 0")
