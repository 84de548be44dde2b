"""Cells of a terminal: texts over their marks, in rows that fit its width.

Chinese characters are two cells wide, so all padding counts cells.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from celab.explanation import Span

if TYPE_CHECKING:  # rich takes longer to import than a small corpus to score
    from rich.console import Console
    from rich.text import Text

NARROWEST = 48  # the legend must fit
LABEL = 5  # cells for "ref", "hyp", "1" and so on, before the text


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and the marks that go under it."""

    text: str
    marks: str
    colour: str

    @property
    def size(self) -> int:
        """Cells of the terminal."""
        from rich.cells import cell_len

        return max(cell_len(self.text), len(self.marks))


def visible(text: str) -> str:
    """The text with what a terminal would obey or hide written as an escape.

    The zero-width joiner stays, as it holds an emoji sequence together. A lone combining mark
    gets the dotted circle, so that it has a cell to stand in.
    """
    from rich.cells import cell_len

    shown = "".join(
        char if char.isprintable() or char == "\u200d" else char.encode("unicode_escape").decode()
        for char in text
    )
    return shown if not text or cell_len(shown) else f"\u25cc{shown}"


def spelled(tokens: Sequence[str], span: Span) -> str:
    """The n-gram as one would write it: a space only where its tokens would run together."""
    shown = [visible(token) for token in tokens[slice(*span)]]
    text = shown[0]
    for before, after in pairwise(shown):
        one_character_each = len(before) == len(after) == 1
        text += after if one_character_each and not (before + after).isascii() else f" {after}"
    return text


def on_page(page: io.StringIO, width: int, colour: bool) -> Console:
    """A console that writes to `page` as if it were a terminal of that width."""
    from rich.console import Console

    return Console(
        file=page,
        width=width,
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


def append(cells: list[Cell], upper: Text, lower: Text, size: int) -> None:
    """Puts the cells at the end of a row and of its marks, and fills up to `size`."""
    from rich.cells import set_cell_size

    for cell in cells:
        upper.append(set_cell_size(cell.text, cell.size), cell.colour).append(" ")
        lower.append(f"{cell.marks:<{cell.size}}", cell.colour).append(" ")
    rest = size - sum(cell.size + 1 for cell in cells)
    upper.append(" " * rest)
    lower.append(" " * rest)


def in_rows(label: str, cells: Iterator[Cell], width: int) -> Iterator[Text]:
    """Pairs of rows, text over marks, as many pairs as the width asks for."""
    from rich.text import Text

    upper, lower = Text(f"{label:<{LABEL}}"), Text(" " * LABEL)
    empty = True
    for cell in (part for whole in cells for part in fitting(whole, width - LABEL)):
        if not empty and upper.cell_len + cell.size > width:
            yield from (upper, lower)
            upper, lower = Text(" " * LABEL), Text(" " * LABEL)
        append([cell], upper, lower, cell.size + 1)
        empty = False
    yield from (upper.append("(empty)"),) if empty else (upper, lower)


def fitting(cell: Cell, room: int) -> Iterator[Cell]:
    """The cell itself, or if it is wider than a row, row-wide parts of it."""
    from rich.cells import cell_len, chop_cells

    if cell_len(cell.text) <= room:
        yield cell
    else:
        for part in chop_cells(cell.text, room):
            yield Cell(part, cell.marks[:1] * cell_len(part), cell.colour)
