"""An explanation → a view for the terminal: both sentences, their links, and every n-gram.

Marks under the text repeat what the colours show: `=` equal, `~` synonym, `+` covered by a
longer link, `.` unmatched. Words (TESLA-M) are drawn by `explain_words`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.table import Table
from rich.text import Text

from celab.metrics.explanation import (
    AnyExplanation,
    Explanation,
    Link,
    MeanExplanation,
    Ngram,
    SegmentExplanation,
    WordExplanation,
)
from celab.report import explain_words
from celab.report.alignment import (
    FULL,
    MARKS,
    WORD_MARKS,
    MarkedSentence,
    columns,
    marked,
    sums,
)
from celab.report.cells import (
    COLOURS,
    LABEL,
    Cell,
    Page,
    chained,
    in_rows,
    legend,
    plain_table,
    spelled,
    visible,
)

# The n-grams of longer sentences are counted, not listed.
LISTED_TOKENS = 40


def view(title: str, explanation: AnyExplanation, *, width: int, colour: bool) -> str:
    """The whole view of one hypothesis against one reference."""
    page = Page(width, colour)
    page.show(visible(title), "")
    _draw(page, explanation)
    return page.text()


def stack(
    title: str,
    by_system: Mapping[str, AnyExplanation],
    *,
    width: int,
    colour: bool,
    links: bool = False,
) -> str:
    """One reference, and below it every system: its figures, its sentence over the marks.

    With `links`, what was linked follows each sentence.
    """
    page = Page(width, colour)
    page.show(visible(title), "")
    _stack(page, by_system, links)
    return page.text()


def _stack(page: Page, by_system: Mapping[str, AnyExplanation], links: bool) -> None:
    first = next(iter(by_system.values()))
    if isinstance(first, MeanExplanation):
        for k in range(len(first.parts)):
            page.show(_part(first, k), "")
            parts = {x: e.parts[k] for x, e in by_system.items() if isinstance(e, MeanExplanation)}
            _stack(page, parts, links)
            page.show("")
        page.show(f"mean of {len(first.parts)} parts")
        page.show(*(f"{visible(name)}  {_numbers(one)}" for name, one in by_system.items()))
        return
    page.show(*_unmarked("ref", _tokens(first, "ref"), page.width))
    for name, one in by_system.items():
        page.show("", f"{visible(name)}  {_numbers(one)}")
        cells = ([[cell]] for cell in _cells_of(one))
        page.show(*in_rows(["hyp"], cells, page.width))
        if links and isinstance(one, WordExplanation):
            explain_words.draw_links(page, one)
        elif links and isinstance(one, Explanation):
            page.show("", _link_table(one) if one.links else "no links")


def footer(of: AnyExplanation, *, width: int, colour: bool) -> str:
    """What the marks of stacks mean, and the signature of the metric."""
    page = Page(width, colour)
    parts = of.parts if isinstance(of, MeanExplanation) else [of]
    by_words = dict.fromkeys(isinstance(part, WordExplanation) for part in parts)
    page.show(*(legend(WORD_MARKS if words else MARKS) for words in by_words))
    page.show(visible(of.signature))
    return page.text()


def _part(of: MeanExplanation, k: int) -> str:
    return f"part {k + 1} of {len(of.parts)}: {visible(of.parts[k].signature)}"


def _tokens(of: AnyExplanation, side: str) -> Sequence[str]:
    if isinstance(of, WordExplanation):
        return [word.form for word in getattr(of, f"{side}_words")]
    tokens: Sequence[str] = getattr(of, f"{side}_tokens")
    return tokens


def _cells_of(of: AnyExplanation) -> Sequence[Cell]:
    # The hypothesis over its marks.
    if isinstance(of, Explanation):
        return _cells(marked(of)[1])
    return explain_words.cells(of, "hyp") if isinstance(of, WordExplanation) else []


def _unmarked(label: str, tokens: Sequence[str], width: int) -> Iterator[Text]:
    cells = ([[Cell(visible(token), "", "")]] for token in tokens)
    return (row for row in in_rows([label], cells, width) if row.plain.strip())


def printed(of: AnyExplanation | SegmentExplanation) -> str:
    """What `print` shows of an explanation, on 80 columns without colours."""
    if not isinstance(of, SegmentExplanation):
        return view("hypothesis against the reference", of, width=80, colour=False)
    views = [
        view(f"hypothesis against reference {r + 1}", one, width=80, colour=False)
        for r, one in zip(of.index, of.against, strict=True)
    ]
    return "\n".join([*views, *([together(of)] if len(views) > 1 else [])])


def together(segment: SegmentExplanation) -> str:
    """The line that follows the views if there are several references."""
    what = "best" if segment.combine == "max" else "mean"
    return f"{what} of {len(segment.index)} references: {_numbers(segment)}\n"


def _numbers(of: AnyExplanation | SegmentExplanation) -> str:
    return f"score {of.score:.4f}  precision {of.precision:.4f}  recall {of.recall:.4f}"


def _draw(page: Page, explanation: AnyExplanation) -> None:
    if isinstance(explanation, MeanExplanation):
        for k, part in enumerate(explanation.parts, 1):
            page.show(f"part {k} of {len(explanation.parts)}", "")
            _draw(page, part)
            page.show("")
        page.show(f"mean of {len(explanation.parts)} parts")
    elif isinstance(explanation, WordExplanation):
        explain_words.draw(page, explanation)
        page.show("")
    else:
        _draw_links(page, explanation)
        page.show("")
    page.show(_numbers(explanation), visible(explanation.signature))


def _draw_links(page: Page, explanation: Explanation) -> None:
    sentences = marked(explanation)
    page.show(*_aligned(explanation, sentences, page.width), legend(MARKS), "")
    page.show(_link_table(explanation) if explanation.links else "no links")
    for sentence in sentences:
        covered, total = sums(sentence.ngrams)
        weights = f", with weights; {covered:.4f} of {total:.4f} covered"
        heading = f"n-grams of {sentence.label}{weights if sentence.weighted else ''}"
        page.show("", heading, *_ngrams(sentence, page.width))


def _aligned(
    explanation: Explanation, sentences: Sequence[MarkedSentence], width: int
) -> Iterator[Text]:
    """Both sentences over their marks, what is aligned in the same columns."""
    cells = [_cells(sentence) for sentence in sentences]
    aligned = (
        [side[slice(*span)] for side, span in zip(cells, spans, strict=True)]
        for spans in columns(explanation)
    )
    return in_rows([sentence.label for sentence in sentences], aligned, width)


def _cells(sentence: MarkedSentence) -> list[Cell]:
    return [
        Cell.of(visible(token), state, MARKS[state])
        for token, state in zip(sentence.tokens, sentence.states, strict=True)
    ]


def _ngrams(sentence: MarkedSentence, width: int) -> Iterator[Text]:
    """Order by order: each n-gram over its mark, or how many have each mark."""
    for order, ngrams in groupby(sentence.ngrams, key=lambda n: n.span[1] - n.span[0]):
        if len(sentence.tokens) <= LISTED_TOKENS:
            cells = ([[_ngram(sentence, ngram)]] for ngram in ngrams)
            yield from in_rows([str(order)], cells, width)
        else:
            count = Counter(ngram.state for ngram in ngrams)
            parts = [Text(f"{m} {count[state]}", COLOURS[state]) for state, m in MARKS.items()]
            yield Text(f"{order:<{LABEL}}").append_text(Text("  ").join(parts))


def _ngram(sentence: MarkedSentence, ngram: Ngram) -> Cell:
    text, mark = spelled(sentence.tokens, ngram.span), MARKS[ngram.state]
    weight = f"{ngram.weight:.2f}" if sentence.weighted else ""
    if 0 < ngram.cover < FULL:
        marks = f"{mark}{ngram.cover:.2f}{'·' if weight else ''}{weight}"
        return Cell(text, marks, COLOURS[ngram.state])
    if weight:
        return Cell(text, f"{mark}{weight}", COLOURS[ngram.state])
    return Cell.of(text, ngram.state, mark)


def pieces(e: Explanation, link: Link) -> Text:
    """The pieces of a link, such as `个=个 女儿~闺女 [cilin Ah14A01=]`, reference first."""
    pairs = ((spelled(e.ref_tokens, p.ref), spelled(e.hyp_tokens, p.hyp)) for p in link.pieces)
    shown = zip(link.pieces, pairs, strict=True)
    return chained((MARKS[p.kind].join(pair), p.kind, p.labels) for p, pair in shown)


def _link_table(e: Explanation) -> Table:
    table = plain_table("weight", "reference", "hypothesis", "pieces", "covers")
    for link in e.links:
        table.add_row(
            f"{link.weight:.3f}",
            Text(spelled(e.ref_tokens, link.ref), COLOURS[link.kind]),
            Text(spelled(e.hyp_tokens, link.hyp), COLOURS[link.kind]),
            pieces(e, link),
            f"{len(link.covers_ref)} ref, {len(link.covers_hyp)} hyp",
        )
    return table
