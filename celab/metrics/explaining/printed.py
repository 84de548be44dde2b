"""Drawings of explanations as text for a terminal: sentences over their marks, links, n-grams.

Marks under the text repeat what the colors show. Chinese characters are two cells wide, so all
padding counts cells. This module imports rich, which takes longer to load than a small corpus to
score, so it is imported only to draw.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from celab.base.text.escapes import visible
from celab.metrics.explaining.drawing import (
    AnyDrawing,
    CellPart,
    DrawnSentence,
    LinkTable,
    MeanDrawing,
    NgramRow,
    PairDrawing,
    ngram_rows,
    ngram_title,
    pairs_of,
)
from celab.tables.palette import MARKS, OF_EDITS, SHOWN, shown_state
from celab.tables.view import Drawing

# Rows of a terminal: texts over their marks, within its width.
#
# Chinese characters are two cells wide, so all padding counts cells.

MIN_WIDTH = 48  # the legend must fit
LABEL_CELLS = 5  # "ref", "hyp", "1" and so on, before the text


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text and the marks that go under it."""

    text: str
    marks: str
    color: str

    @classmethod
    def marked(cls, text: str, mark: str, color: str) -> MarkedText:
        """Return a text with its mark repeated below its whole width."""
        return cls(text, mark * cell_len(text), color)

    @property
    def size(self) -> int:
        """Width in cells of the terminal."""
        return max(cell_len(self.text), len(self.marks))


class PrintedPage:
    """The text that a terminal of some width shows."""

    def __init__(self, width: int, color: bool) -> None:
        self.width = max(width, MIN_WIDTH)
        self._written = io.StringIO()
        self._console = Console(
            file=self._written,
            width=self.width,
            # rich ignores our width in a dumb terminal unless there is a height, too.
            height=25,
            force_terminal=color,
            force_jupyter=False,
            force_interactive=False,
            legacy_windows=False,
            color_system="256" if color else None,
            no_color=not color,
            markup=False,  # text is data: neither [red] nor :smile: means anything
            emoji=False,
            highlight=False,
        )

    def show(self, *parts: str | Text | Table) -> None:
        """Add lines, which are not wrapped, and tables."""
        for part in parts:
            self._console.print(part, soft_wrap=not isinstance(part, Table))

    def show_wrapped(self, sentence: str) -> None:
        """Add a sentence, wrapped where the line ends."""
        self._console.print(sentence)

    def text(self) -> str:
        """Return the text of the page, without spaces at the ends of lines."""
        lines = self._written.getvalue().split("\n")[:-1]
        return "".join(f"{line.rstrip()}\n" for line in lines)


def in_rows(
    labels: Sequence[str], columns: Iterable[Sequence[Sequence[MarkedText]]], width: int
) -> Iterator[Text]:
    """Yield sentences over their marks, in as many rows as the width needs.

    A column holds the cells of each sentence, one above the other. A column that is wider than a
    row is cut. If there are two sentences, every row repeats their labels.
    """
    rows, is_empty = _labeled(labels), [True] * len(labels)
    for column in columns:
        left = [[part for cell in cells for part in _split(cell, width)] for cells in column]
        is_empty = [empty and not cells for empty, cells in zip(is_empty, left, strict=True)]
        while any(left):
            free = width + 1 - max(row.cell_len for row in rows)  # a trailing space may overflow
            fits = [_cells_that_fit(cells, free) for cells in left]
            if rows[0].cell_len > LABEL_CELLS and fits != left:
                yield from rows
                rows = _labeled(labels if len(labels) > 1 else [""])
                continue
            size = max(sum(cell.size + 1 for cell in cells) for cells in fits)
            for cells, upper, lower in zip(fits, rows[::2], rows[1::2], strict=True):
                for cell in cells:
                    upper.append(set_cell_size(cell.text, cell.size), cell.color).append(" ")
                    lower.append(f"{cell.marks:<{cell.size}}", cell.color).append(" ")
                rest = " " * (size - sum(cell.size + 1 for cell in cells))
                upper.append(rest)
                lower.append(rest)
            left = [cells[len(shown) :] for cells, shown in zip(left, fits, strict=True)]
    for empty, upper, lower in zip(is_empty, rows[::2], rows[1::2], strict=True):
        if empty:
            upper.truncate(LABEL_CELLS)
            upper.append("(empty)")
        yield from (upper,) if empty else (upper, lower)


def _labeled(labels: Sequence[str]) -> list[Text]:
    return [Text(f"{text:<{LABEL_CELLS}}") for label in labels for text in (label, "")]


def _cells_that_fit(cells: list[MarkedText], free: int) -> list[MarkedText]:
    used = accumulate(cell.size + 1 for cell in cells)
    return cells[: sum(1 for _ in takewhile(lambda end: end <= free, used))]


def _split(cell: MarkedText, width: int) -> Iterator[MarkedText]:
    """Yield the cell itself, or if it is wider than a row, row-wide parts of it."""
    if cell_len(cell.text) <= width - LABEL_CELLS:
        yield cell
    else:
        for part in chop_cells(cell.text, width - LABEL_CELLS):
            yield MarkedText(part, cell.marks[:1] * cell_len(part), cell.color)


PRINTED_WIDTH = 80  # columns of `print(explanation)`


def explanation(
    title: str, drawing: AnyDrawing, *, width: int, color: bool, ngrams: bool = False
) -> str:
    """Return one hypothesis against one reference, with all links, and all n-grams if asked."""
    page = PrintedPage(width, color)
    page.show(visible(title), "")
    _draw(page, drawing, ngrams)
    return page.text()


def stack(
    title: str,
    by_system: Mapping[str, AnyDrawing],
    *,
    width: int,
    color: bool,
    links: bool = False,
) -> str:
    """Return one reference, and below it the figures and the marked sentence of every system.

    With `links`, tables of links follow each sentence.
    """
    page = PrintedPage(width, color)
    page.show(visible(title))
    _stack(page, {visible(name): drawing for name, drawing in by_system.items()}, links)
    return page.text()


def footer(drawings: Iterable[AnyDrawing], *, width: int, color: bool) -> str:
    """Return the legend of the marks of stacks, and the signature of the metric.

    The legend has the marks that occur in any of the drawings, one line for each set of marks.
    """
    page = PrintedPage(width, color)
    occurring: dict[Sequence[str], set[str]] = {}
    signature = ""
    for drawing in drawings:
        signature = drawing.signature
        for pair in pairs_of(drawing):
            of_pair = occurring.setdefault(tuple(pair.states), set())
            # In a stack, only edits are drawn on both sides; other references have no marks.
            for sentence in pair.sentences[pair.states != OF_EDITS :]:
                of_pair.update(sentence.states)
    for states, of_pairs in occurring.items():
        page.show(*_legend([state for state in states if state in of_pairs]))
    page.show(visible(signature))
    return page.text()


@dataclass(frozen=True, slots=True)
class Drawn(Drawing):
    """A drawing as a part of a view."""

    content: AnyDrawing

    def text(self) -> str:
        """Return the text that `print` shows, on 80 columns without colors."""
        page = PrintedPage(PRINTED_WIDTH, color=False)
        _draw(page, self.content)
        return page.text()


def _draw(page: PrintedPage, view: AnyDrawing, ngrams: bool = False) -> None:
    if isinstance(view, MeanDrawing):
        n_parts = len(view.parts)
        for k, part in enumerate(view.parts, 1):
            page.show(f"part {k} of {n_parts}", "")
            _draw(page, part, ngrams)
            page.show("")
        page.show(f"mean of {n_parts} parts", view.figures.text)
    else:
        page.show(view.figures.text)
        page.show_wrapped(view.summary)
        page.show("")
        page.show(*_sentences(view, page.width))
        page.show(*_legend([state for state in view.states if state in _drawn(view, ngrams)]))
        _draw_links(page, view)
        for sentence in view.sentences:
            if ngrams and sentence.ngrams:
                page.show("", ngram_title(sentence), *_ngrams(sentence, page.width))
        page.show("")
    page.show(visible(view.signature))


def _stack(page: PrintedPage, views: Mapping[str, AnyDrawing], links: bool) -> None:
    first = next(iter(views.values()))
    if isinstance(first, MeanDrawing):
        n_parts = len(first.parts)
        for k, part in enumerate(first.parts):
            page.show("", f"part {k + 1} of {n_parts}: {visible(part.signature)}")
            of_systems = {
                name: view.parts[k] for name, view in views.items() if isinstance(view, MeanDrawing)
            }
            _stack(page, of_systems, links)
        page.show("", f"mean of {n_parts} parts")
        page.show(*(f"{name}  {view.figures.text}" for name, view in views.items()))
        return
    has_edits = first.states == OF_EDITS  # some edits are in the reference
    if not has_edits:
        page.show("", *_unmarked(first.sentences[0], page.width))
    for name, view in views.items():
        page.show("", f"{name}  {view.figures.text}")
        if isinstance(view, PairDrawing):
            hyp = view.sentences[1]
            page.show(*(_sentences(view, page.width) if has_edits else _marked(hyp, page.width)))
            if links:
                _draw_links(page, view)


def _sentences(view: PairDrawing, width: int) -> Iterator[Text]:
    """Yield both sentences over their marks; aligned tokens stand in the same columns."""
    if view.columns is None:
        for sentence in view.sentences:
            yield from _marked(sentence, width)
        return
    cells = [_cells(sentence) for sentence in view.sentences]
    aligned = (
        [side[slice(*span)] for side, span in zip(cells, spans, strict=True)]
        for spans in view.columns
    )
    yield from in_rows([sentence.label for sentence in view.sentences], aligned, width)


def _marked(sentence: DrawnSentence, width: int) -> Iterator[Text]:
    return in_rows([sentence.label], ([[cell]] for cell in _cells(sentence)), width)


def _unmarked(sentence: DrawnSentence, width: int) -> Iterator[Text]:
    cells = ([[MarkedText(visible(token), "", "")]] for token in sentence.tokens)
    return (row for row in in_rows([sentence.label], cells, width) if row.plain.strip())


def _cells(sentence: DrawnSentence) -> list[MarkedText]:
    pairs = zip(sentence.tokens, sentence.states, strict=True)
    return [_cell(visible(token), shown_state(state, sentence.label)) for token, state in pairs]


def _cell(text: str, state: str, mark: str | None = None) -> MarkedText:
    if mark is None:
        return MarkedText.marked(text, MARKS[state], SHOWN[state].terminal)
    return MarkedText(text, mark, SHOWN[state].terminal)


def _drawn(view: PairDrawing, ngrams: bool) -> set[str]:
    """Return the states whose marks are drawn, for the legend."""
    of_tokens = {state for sentence in view.sentences for state in sentence.states}
    of_ngrams = {ngram.state for sentence in view.sentences for ngram in sentence.ngrams}
    return of_tokens | of_ngrams if ngrams else of_tokens


def _legend(states: Sequence[str]) -> list[Text]:
    """Return the line that explains the marks of states; empty without states."""
    matches = [SHOWN[state] for state in states]
    titles = [Text(f"{match.mark} {match.title}", match.terminal) for match in matches]
    return [Text(" " * LABEL_CELLS).append_text(Text("  ").join(titles))] if titles else []


def _draw_links(page: PrintedPage, view: PairDrawing) -> None:
    if view.features is not None:
        features = _plain_table([column.heading for column in view.features.shown_columns])
        for row in view.features.shown_rows():
            features.add_row(*view.features.texts(row))
        page.show("", features)
    for links in view.links:
        page.show("", *([links.title] if links.title else []))
        page.show(_link_table(links) if links.rows else links.empty)
    if view.unmatched is not None:
        page.show("", view.unmatched.title)
        page.show(*([_link_table(view.unmatched)] if view.unmatched.rows else []))
        for text in view.unmatched.below:
            page.show_wrapped(text)


def _plain_table(headings: Sequence[str]) -> Table:
    """Return a table without lines, whose cells are folded where they do not fit."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _link_table(links: LinkTable) -> Table:
    table = _plain_table(links.headings)
    for row in links.rows:
        table.add_row(*map(_text, row))
    return table


def _text(parts: Sequence[CellPart]) -> Text:
    texts = [Text(text, SHOWN[state].terminal if state else "") for text, state in parts]
    return texts[0] if len(texts) == 1 else Text().join(texts)


def _ngrams(sentence: DrawnSentence, width: int) -> Iterator[Text]:
    for row in ngram_rows(sentence):
        if row.counts:
            yield _counts(row)
        else:
            cells = ([[_cell(*ngram)]] for ngram in row.ngrams)
            yield from in_rows([str(row.order)], cells, width)


def _counts(row: NgramRow) -> Text:
    counts = [Text(f"{MARKS[state]} {n}", SHOWN[state].terminal) for state, n in row.counts]
    return Text(f"{row.order:<{LABEL_CELLS}}").append_text(Text("  ").join(counts))
