"""The view of a result: tables, and lines beside them; and its output formats.

A view has all that is shown of a result, in the order in which it is read: the result makes it
(`Result.view`), and a renderer in `RENDERERS` only lays it out. Figures become text in
`celab.tables.cells`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from celab.base.text.escapes import escape_controls, visible

Detail = Literal["score", "line", "brief", "summary", "normal", "full"]

GAP = "  "
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # Signs of our own that a font for text need not have.
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "−": "$-$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
}
MARKDOWN = {sign: f"\\{sign}" for sign in "\\|*_`<~$"}

# Said wherever systems are compared.
OVERLAP = "Scores measure overlap with the references, not quality."


class Name(str):
    """Text from outside, such as the name of a system, which must not reorder what is beside it."""

    __slots__ = ()


class Mark(str):
    """The mark of a cell, in words of a legend: a sign in plain text, else a kind of type."""

    __slots__ = ("sign",)
    sign: str

    def __new__(cls, word: str, sign: str) -> Mark:  # noqa: D102
        mark = super().__new__(cls, word)
        mark.sign = sign
        return mark


BEST_MARK, RANKS_MARK = Mark("bold", "*"), Mark("superscript", "(n)")


class Cell(NamedTuple):
    """The text of a figure, whether it is the best, and its cluster or range of ranks."""

    text: str
    best: bool = False
    cluster: int | str = 0


def shown(cell: Cell | str) -> str:
    """Return the text of a cell."""
    return cell if isinstance(cell, str) else cell.text


class Line(NamedTuple):
    """A line beside tables: its parts, of which some are names, and what it says."""

    parts: tuple[str, ...]
    role: Literal["title", "verdict", "note", "signature"] = "note"

    @property
    def text(self) -> str:
        """The line without its parts told apart."""
        return "".join(self.parts)


def line(*parts: str) -> Line:
    """Return a note."""
    return Line(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleTable:
    """Headings, and rows of as many cells.

    Attributes:
        headings, rows: cells, or ready-made texts.
        right: numbers of the columns that are aligned to the right.
        rules: numbers of the rows that have a line above them, which TSV and Markdown do not have.
        title: a line above the table.
        below: lines right under it.
        fold: a title, if a notebook shows only this until its reader asks for more.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    right: Collection[int] = ()
    rules: Collection[int] = ()
    title: str = ""
    below: Sequence[Line] = ()
    fold: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.headings):
                raise ValueError(f"row {number} has {len(row)} cells, not {len(self.headings)}")

    def cells(self, written: Callable[[Cell | str], str]) -> list[list[str]]:
        """Return headings and rows, with each cell as it is `written`."""
        return [[written(cell) for cell in row] for row in (self.headings, *self.rows)]

    def aligned(self, left: str, right: str) -> list[str]:
        """Return `left` or `right` for each column, by its alignment."""
        return [right if i in self.right else left for i in range(len(self.headings))]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Listing:
    """Segments with their texts: lines for a terminal, a table for a notebook, not for papers."""

    text: str
    table: VisibleTable | None = None


class Drawing(ABC):
    """Base class of what is drawn of an explanation; see `celab.metrics.explaining.drawing`."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """Return the drawing for a terminal, on 80 columns without colors."""


VisiblePart = VisibleTable | Listing | Drawing | Sequence[Line]


@dataclass(frozen=True, slots=True)
class View:
    """All that is shown of a result.

    `record` is its table with every digit, for programs; TSV is nothing else.
    """

    parts: Sequence[VisiblePart]
    record: VisibleTable | None = None

    @property
    def tables(self) -> list[VisibleTable]:
        """All tables, without those of listings."""
        return [part for part in self.parts if isinstance(part, VisibleTable)]

    def lines(self, *roles: str) -> list[str]:
        """Return the lines that have one of these roles."""
        groups = [part for part in self.parts if isinstance(part, Sequence)]
        return [line.text for group in groups for line in group if line.role in roles]


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """The choice of what to show of a result.

    Attributes:
        detail: of a campaign only the scores, or a line for each; as much as fits one screen, what
            is asked for most, or all.
        level: systems, or the documents or segments of a campaign.
        digits: decimals of scores (default: those of the metric).
        color: whether texts of a comparison have colors for a terminal.
    """

    detail: Detail = "normal"
    level: str = ""
    digits: int | None = None
    color: bool = False


NORMAL = ViewOptions()


def text(table: VisibleTable) -> str:
    """Return columns padded by the cells of a terminal; Chinese characters take two."""
    from rich.cells import cell_len

    lines = table.cells(lambda cell: visible(shown(cell)))
    clusters = [_cluster(cell) for row in table.rows for cell in row]
    size = max((len(f"({cluster})") for cluster in clusters), default=0)
    for i, column in enumerate(zip(*table.rows, strict=True)):
        if any(map(_is_best, column)) or any(map(_cluster, column)):
            for cells, cell in zip(lines[1:], column, strict=True):
                cells[i] += _text_marks(cell, size)
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + len(GAP) * (len(widths) - 1))
    written = []
    for number, cells in enumerate(lines, -1):
        written += [rule] if number in table.rules else []
        padded = []
        for cell, width, side in zip(cells, widths, table.aligned("<", ">"), strict=True):
            padding = " " * (width - cell_len(cell))
            padded.append(padding + cell if side == ">" else cell + padding)
        written.append(GAP.join(padded).rstrip())
    return "\n".join(written) + "\n"


def tsv(table: VisibleTable) -> str:
    """Return TSV; tabs and line ends inside a cell become spaces, other controls escapes."""
    return "".join(
        "\t".join(cells) + "\n" for cells in table.cells(lambda cell: _flat(shown(cell)))
    )


def markdown(table: VisibleTable) -> str:
    """Return a pipe table."""
    headings, *rows = table.cells(
        lambda cell: _marked(cell, _escaped(shown(cell), MARKDOWN), "**{}**", "<sup>{}</sup>")
    )
    lines = (headings, table.aligned("---", "---:"), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(table: VisibleTable) -> str:
    """Return a `tabular` with the rules of the package booktabs, which its first line names."""
    columns = "".join(table.aligned("l", "r"))
    written = [rf"\begin{{tabular}}{{{columns}}}  % \usepackage{{booktabs}}", r"\toprule"]
    lines = table.cells(
        lambda cell: _marked(cell, _escaped(shown(cell), LATEX), r"\textbf{{{}}}", "$^{{{}}}$")
    )
    for number, cells in enumerate(lines, -1):
        written += [r"\midrule"] if number == 0 or number in table.rules else []
        written.append(" & ".join(cells) + r" \\")
    return "\n".join([*written, r"\bottomrule", r"\end{tabular}", ""])


def text_line(line: Line) -> str:
    """Return a line of a terminal."""
    parts = (part.sign if isinstance(part, Mark) else part for part in line.parts)
    return f"{_flat(''.join(parts))}\n"


def markdown_line(line: Line) -> str:
    """Return a paragraph; what follows a title leaves the space below it."""
    return f"{_escaped(line.text, MARKDOWN)}\n" + ("\n" if line.role != "title" else "")


def latex_line(line: Line) -> str:
    """Return a comment."""
    return f"% {_flat(line.text)}\n"


def _is_best(cell: Cell | str) -> bool:
    return isinstance(cell, Cell) and cell.best


def _cluster(cell: Cell | str) -> int | str:
    return cell.cluster if isinstance(cell, Cell) else 0


def _text_marks(cell: Cell | str, size: int) -> str:
    # Spaces stand for an asterisk or a digit that others of the column have, so that points align.
    cluster = _cluster(cell)
    mark = "*" if _is_best(cell) else " "
    return mark + (f" {f'({cluster})':<{size}}" if cluster else "")


def _marked(cell: Cell | str, written: str, bold: str, superscript: str) -> str:
    marked = bold.format(written) if _is_best(cell) else written
    return marked + (superscript.format(_cluster(cell)) if _cluster(cell) else "")


def _flat(text: str) -> str:
    return escape_controls(" ".join(text.replace("\t", " ").splitlines()))


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in _flat(text))


# Output formats: a view → text, TSV, Markdown or LaTeX.
#
# An output format of all results is a renderer in `RENDERERS`; a line in `TABLES` makes it a flag
# of the commands.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Format:
    """A renderer: how an output format writes a table, a line, a listing and a drawing."""

    table: Callable[[VisibleTable], str]
    line: Callable[[Line], str]
    listing: Callable[[Listing], str] = lambda listing: ""
    drawing: Callable[[Drawing], str] = lambda drawing: ""

    def __call__(self, view: View) -> str:
        """Return the whole view, ending in a line end."""
        written = []
        for part in view.parts:
            if isinstance(part, Listing):
                written.append(self.listing(part))
            elif isinstance(part, Drawing):
                written.append(self.drawing(part))
            elif isinstance(part, VisibleTable):
                title = f"{self.line(Line((part.title,), 'title'))}\n" if part.title else ""
                written.append(title + self.table(part) + self.lines(part.below))
            else:
                written.append(self.lines(part))
        return "\n".join(filter(None, written))

    def lines(self, lines: Sequence[Line]) -> str:
        """Return lines one below the other."""
        return "".join(map(self.line, lines))


def _record(view: View) -> str:
    table = view.record or next(iter(view.tables), None)
    return "" if table is None else tsv(table)


RENDERERS: dict[str, Callable[[View], str]] = {
    "text": Format(text, text_line, lambda listing: listing.text, lambda x: x.text()),
    "tsv": _record,
    "markdown": Format(markdown, markdown_line),
    "latex": Format(latex, latex_line),
}

# Formats of tables that have a flag of this name, and their names in help.
TABLES = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}
