"""Rows of a terminal: texts over their marks, within its width.

Chinese characters are two cells wide, so all padding counts cells.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from celab.base.frozen import dataclass

NARROWEST = 48  # the legend must fit
LABEL = 5  # cells for "ref", "hyp", "1" and so on, before the text


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text and the marks that go under it."""

    text: str
    marks: str
    color: str

    @classmethod
    def marked(cls, text: str, mark: str, color: str) -> MarkedText:
        """Return a text with its mark all along under it."""
        return cls(text, mark * cell_len(text), color)

    @property
    def size(self) -> int:
        """Width in cells of the terminal."""
        return max(cell_len(self.text), len(self.marks))


class Page:
    """The text that a terminal of some width shows."""

    def __init__(self, width: int, color: bool) -> None:
        self.width = max(width, NARROWEST)
        self._written = io.StringIO()
        self._console = Console(
            file=self._written,
            width=self.width,
            height=25,  # without one, a dumb terminal's width would replace ours
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
        """Return all of it, without spaces at the ends of lines."""
        lines = self._written.getvalue().split("\n")[:-1]
        return "".join(f"{line.rstrip()}\n" for line in lines)


def in_rows(
    labels: Sequence[str], columns: Iterable[Sequence[Sequence[MarkedText]]], width: int
) -> Iterator[Text]:
    """Yield sentences over their marks, in as many rows as the width needs.

    A column holds cells of each sentence, which stand over each other. One that is wider than a
    row is cut, and its sides then run on below each other. Two sentences have their labels again
    in every row.
    """
    rows, is_empty = _labeled(labels), [True] * len(labels)
    for column in columns:
        left = [[part for cell in cells for part in _split(cell, width)] for cells in column]
        is_empty = [empty and not cells for empty, cells in zip(is_empty, left, strict=True)]
        while any(left):
            free = width + 1 - max(row.cell_len for row in rows)  # a trailing space may overflow
            fits = [_cells_that_fit(cells, free) for cells in left]
            if rows[0].cell_len > LABEL and fits != left:
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
            upper.truncate(LABEL)
            upper.append("(empty)")
        yield from (upper,) if empty else (upper, lower)


def _labeled(labels: Sequence[str]) -> list[Text]:
    return [Text(f"{text:<{LABEL}}") for label in labels for text in (label, "")]


def _cells_that_fit(cells: list[MarkedText], free: int) -> list[MarkedText]:
    used = accumulate(cell.size + 1 for cell in cells)
    return cells[: sum(1 for _ in takewhile(lambda end: end <= free, used))]


def _split(cell: MarkedText, width: int) -> Iterator[MarkedText]:
    """Yield the cell itself, or if it is wider than a row, row-wide parts of it."""
    if cell_len(cell.text) <= width - LABEL:
        yield cell
    else:
        for part in chop_cells(cell.text, width - LABEL):
            yield MarkedText(part, cell.marks[:1] * cell_len(part), cell.color)
