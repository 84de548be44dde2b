"""Cells of a terminal: texts over their marks, in rows that fit its width.

Chinese characters are two cells wide, so all padding counts cells. This imports rich, which takes
longer to load than a small corpus to score; import it where something is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Any

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from celab.base.text.escapes import escaped
from celab.metrics.explanation import Span

COLOURS = {
    "equal": "green",
    "synonym": "yellow",
    "covered": "cyan",
    "tag": "cyan",
    "unmatched": "red",
}
NARROWEST = 48  # the legend must fit
LABEL = 5  # cells for "ref", "hyp", "1" and so on, before the text


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and the marks that go under it."""

    text: str
    marks: str
    colour: str

    @classmethod
    def of(cls, text: str, state: str, mark: str) -> Cell:
        """A text that is marked all along."""
        return cls(text, mark * cell_len(text), COLOURS[state])

    @property
    def size(self) -> int:
        """Cells of the terminal."""
        return max(cell_len(self.text), len(self.marks))


class Page:
    """What a terminal of some width would show, as text."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = max(width, NARROWEST)
        self._written = io.StringIO()
        self._console = Console(
            file=self._written,
            width=self.width,
            height=25,  # without one, a dumb terminal's width would replace ours
            force_terminal=colour,
            force_jupyter=False,
            force_interactive=False,
            legacy_windows=False,
            color_system="standard" if colour else None,
            no_color=not colour,
            markup=False,  # text is data: neither [red] nor :smile: means anything
            emoji=False,
            highlight=False,
        )

    def show(self, *parts: str | Text | Table) -> None:
        """Lines, which are not wrapped, and tables."""
        for part in parts:
            self._console.print(part, soft_wrap=not isinstance(part, Table))

    def text(self) -> str:
        """All of it, without spaces at the ends of lines."""
        lines = self._written.getvalue().split("\n")[:-1]
        return "".join(f"{line.rstrip()}\n" for line in lines)


def visible(text: str) -> str:
    """The text with control and invisible characters written as an escape.

    A lone combining mark gets a dotted circle, so that it has a cell, and a lone space is ␣.
    """
    shown = "␣" if text == " " else escaped(text)
    return shown if not text or cell_len(shown) else f"\u25cc{shown}"


def spelled(tokens: Sequence[str], span: Span) -> str:
    """The n-gram as one would write it: a space only where its tokens would run together."""
    shown = [visible(token) for token in tokens[slice(*span)]]
    if " " in tokens:  # they are letters
        return "".join(shown)
    text = shown[0]
    for before, after in pairwise(shown):
        one_character_each = len(before) == len(after) == 1
        text += after if one_character_each and not (before + after).isascii() else f" {after}"
    return text


def legend(marks: Mapping[Any, str]) -> Text:
    """What each mark means: the state, or kind, that it stands for."""
    named = [
        (f"{mark} {'tag only' if of == 'tag' else of}", COLOURS[of]) for of, mark in marks.items()
    ]
    return Text(" " * LABEL).append_text(Text("  ").join(Text(*name) for name in named))


def plain_table(*headings: str) -> Table:
    """A table without lines, whose cells are folded where they do not fit."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def chained(parts: Iterable[tuple[str, str, Sequence[str]]]) -> Text:
    """Pieces of a link: the text of each, its state and the lexicon groups that made it."""
    shown = Text()
    for text, state, groups in parts:
        shown.append(" " if shown else "").append(text, COLOURS[state])
        if groups:
            shown.append(f" [{visible(', '.join(groups))}]")
    return shown


def in_rows(
    labels: Sequence[str], columns: Iterable[Sequence[Sequence[Cell]]], width: int
) -> Iterator[Text]:
    """Sentences over their marks, in as many rows as the width needs.

    A column holds cells of each sentence, which stand over each other. One that is wider than a
    row is cut, and its sides then run on below each other. Two sentences have their labels again
    in every row.
    """
    rows, is_empty = _labelled(labels), [True] * len(labels)
    for column in columns:
        left = [[part for cell in cells for part in _fitting(cell, width)] for cells in column]
        is_empty = [empty and not cells for empty, cells in zip(is_empty, left, strict=True)]
        while any(left):
            free = width + 1 - max(row.cell_len for row in rows)  # a trailing space may overflow
            fits = [_that_fit(cells, free) for cells in left]
            if rows[0].cell_len > LABEL and fits != left:
                yield from rows
                rows = _labelled(labels if len(labels) > 1 else [""])
                continue
            size = max(sum(cell.size + 1 for cell in cells) for cells in fits)
            for cells, upper, lower in zip(fits, rows[::2], rows[1::2], strict=True):
                for cell in cells:
                    upper.append(set_cell_size(cell.text, cell.size), cell.colour).append(" ")
                    lower.append(f"{cell.marks:<{cell.size}}", cell.colour).append(" ")
                rest = " " * (size - sum(cell.size + 1 for cell in cells))
                upper.append(rest)
                lower.append(rest)
            left = [cells[len(shown) :] for cells, shown in zip(left, fits, strict=True)]
    for empty, upper, lower in zip(is_empty, rows[::2], rows[1::2], strict=True):
        if empty:
            upper.truncate(LABEL)
            upper.append("(empty)")
        yield from (upper,) if empty else (upper, lower)


def _labelled(labels: Sequence[str]) -> list[Text]:
    return [Text(f"{text:<{LABEL}}") for label in labels for text in (label, "")]


def _that_fit(cells: list[Cell], free: int) -> list[Cell]:
    used = accumulate(cell.size + 1 for cell in cells)
    return cells[: sum(1 for _ in takewhile(lambda end: end <= free, used))]


def _fitting(cell: Cell, width: int) -> Iterator[Cell]:
    """The cell itself, or if it is wider than a row, row-wide parts of it."""
    if cell_len(cell.text) <= width - LABEL:
        yield cell
    else:
        for part in chop_cells(cell.text, width - LABEL):
            yield Cell(part, cell.marks[:1] * cell_len(part), cell.colour)
