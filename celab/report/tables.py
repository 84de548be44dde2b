"""Tables → text for a terminal, TSV, Markdown or LaTeX.

Cells are ready-made strings; this module only lays them out and escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from celab.base.errors import OptionError
from celab.base.text.escapes import escaped, visible

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
    "−": "$-$",
    "τ": r"$\tau$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
}
MARKDOWN = {sign: f"\\{sign}" for sign in "\\|*_`<~$"}

# Said wherever systems are compared.
OVERLAP = "Scores measure overlap with the references, not quality: docs/reading-scores.md"


class Name(str):
    """Text from outside, such as the name of a system, which must not reorder what is beside it."""

    __slots__ = ()


class Figure(str):
    """A number in a column of scores: whether it is the highest, and its cluster, 0 if none.

    Text marks the highest with an asterisk and has the cluster in brackets; Markdown and LaTeX have
    bold type and a superscript; TSV has the number alone.
    """

    __slots__ = ("cluster", "is_highest")
    cluster: int
    is_highest: bool

    def __new__(cls, number: str, is_highest: bool = False, cluster: int = 0) -> Figure:  # noqa: D102
        figure = super().__new__(cls, number)
        figure.is_highest, figure.cluster = is_highest, cluster
        return figure


@dataclass(frozen=True, slots=True)
class Table:
    """Headings, and rows of as many cells.

    `right` has the numbers of the columns that are aligned to the right, `rules` those of the rows
    that have a line above them, which TSV and Markdown do not have.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()
    rules: Collection[int] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.headings):
                raise ValueError(f"row {number} has {len(row)} cells, not {len(self.headings)}")

    def cells(self, shown: Callable[[str], str]) -> list[list[str]]:
        """Return headings and rows, with each cell as `shown` gives it."""
        return [[shown(cell) for cell in row] for row in (self.headings, *self.rows)]

    def aligned(self, left: str, right: str) -> list[str]:
        """Return `left` or `right` for each column, by its alignment."""
        return [right if i in self.right else left for i in range(len(self.headings))]


def p_text(p: float) -> str:
    """Return a p-value with its relation, for a sentence; all reports round it in this way.

    >>> p_text(496 / 1001), p_text(0.0004)
    ('= 0.496', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def p_cell(p: float) -> str:
    """Return a p-value for a table.

    >>> p_cell(496 / 1001), p_cell(0.0004)
    ('0.496', '<0.001')
    """
    return p_text(p).removeprefix("= ").replace(" ", "")


def write(table: Table, kind: str) -> str:
    """Return the table in one of the formats of `KINDS`, ending in a line end."""
    if kind not in KINDS:
        raise OptionError(f"table format is {kind!r}; choose from {', '.join(KINDS)}")
    return KINDS[kind](table)


def text(table: Table) -> str:
    """Return columns padded by the cells of a terminal; Chinese characters take two."""
    from rich.cells import cell_len

    clusters = [cell.cluster for row in table.rows for cell in row if isinstance(cell, Figure)]
    size = len(f"({max(clusters, default=0)})")
    lines = table.cells(lambda cell: _as_text(cell, size))
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + len(GAP) * (len(widths) - 1))
    written = []
    for number, cells in enumerate(lines, -1):
        written += [rule] * (number in table.rules)
        padded = []
        for cell, width, side in zip(cells, widths, table.aligned("<", ">"), strict=True):
            padding = " " * (width - cell_len(cell))
            padded.append(padding + cell if side == ">" else cell + padding)
        written.append(GAP.join(padded).rstrip())
    return "\n".join(written) + "\n"


def tsv(table: Table) -> str:
    """Return TSV; tabs and line ends inside a cell become spaces, other controls escapes."""
    return "".join("\t".join(cells) + "\n" for cells in table.cells(_flat))


def markdown(table: Table) -> str:
    """Return a pipe table."""
    headings, *rows = table.cells(
        lambda cell: _marked(cell, _escaped(cell, MARKDOWN), "**{}**", "<sup>{}</sup>")
    )
    lines = (headings, table.aligned("---", "---:"), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(table: Table) -> str:
    """Return a `tabular` with rules of plain LaTeX."""
    written = [rf"\begin{{tabular}}{{{''.join(table.aligned('l', 'r'))}}}", r"\hline"]
    lines = table.cells(
        lambda cell: _marked(cell, _escaped(cell, LATEX), r"\textbf{{{}}}", "$^{{{}}}$")
    )
    for number, cells in enumerate(lines, -1):
        written += [r"\hline"] * (number == 0 or number in table.rules)
        written.append(" & ".join(cells) + r" \\")
    return "\n".join([*written, r"\hline", r"\end{tabular}", ""])


def note(remark: str, kind: str) -> str:
    """Return a line beside a table; TSV has none."""
    if kind == "markdown":
        return f"{_escaped(remark, MARKDOWN)}\n\n"
    line = _flat(remark)
    return {"text": f"{line}\n", "latex": f"% {line}\n"}.get(kind, "")


def _as_text(cell: str, size: int) -> str:
    # Spaces stand for an asterisk or a digit that others of the column have, so that points align.
    shown = visible(cell)
    if not isinstance(cell, Figure):
        return shown
    mark = f" {f'({cell.cluster})':<{size}}" if cell.cluster else ""
    return shown + "* "[not cell.is_highest] + mark


def _marked(cell: str, shown: str, bold: str, superscript: str) -> str:
    if not isinstance(cell, Figure):
        return shown
    marked = bold.format(shown) if cell.is_highest else shown
    return marked + (superscript.format(cell.cluster) if cell.cluster else "")


def _flat(cell: str) -> str:
    return escaped(" ".join(cell.replace("\t", " ").splitlines()))


def _escaped(cell: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in _flat(cell))


KINDS = {"text": text, "tsv": tsv, "markdown": markdown, "latex": latex}
