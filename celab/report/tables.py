"""Tables → text for a terminal, TSV, Markdown or LaTeX.

Cells are strings, made by whoever knows what they mean; here they are only laid out and escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from celab.errors import OptionError

GAP = "  "
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # Signs of our own that a font for text need not have.
    "±": r"$\pm$", "×": r"$\times$", "−": "$-$", "τ": r"$\tau$", "κ": r"$\kappa$", "ρ": r"$\rho$",
}  # fmt: skip
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\|*_`<~$"}


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


def write(table: Table, kind: str) -> str:
    """The table as one of `KINDS`, ending in a line end."""
    if kind not in KINDS:
        raise OptionError(f"a table is wanted as {kind!r}; it must be one of: {', '.join(KINDS)}")
    return KINDS[kind](table)


def text(table: Table) -> str:
    """Columns padded by the cells of a terminal, of which Chinese characters take two."""
    from rich.cells import cell_len

    from celab.report.cells import visible

    lines = [[visible(cell) for cell in row] for row in (table.headings, *table.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> Iterator[str]:
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            yield space + cell if column in table.right else cell + space

    rule = "-" * (sum(widths) + len(GAP) * (len(widths) - 1))
    written = [GAP.join(line(lines[0])).rstrip()]
    for number, cells in enumerate(lines[1:]):
        written += [rule] * (number in table.rules)
        written.append(GAP.join(line(cells)).rstrip())
    return "\n".join(written) + "\n"


def tsv(table: Table) -> str:
    """Tabs and line ends inside a cell become spaces."""
    return "".join(
        "\t".join(" ".join(_flat(cell)) for cell in row) + "\n"
        for row in (table.headings, *table.rows)
    )


def markdown(table: Table) -> str:
    """A pipe table."""
    marks = ["---:" if column in table.right else "---" for column in range(len(table.headings))]
    lines = [[_escaped(cell, _MARKDOWN) for cell in row] for row in (table.headings, *table.rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (lines[0], marks, *lines[1:]))


def latex(table: Table) -> str:
    """A `tabular` with rules of plain LaTeX."""
    columns = "".join("r" if c in table.right else "l" for c in range(len(table.headings)))
    lines = [[_escaped(cell, _LATEX) for cell in row] for row in (table.headings, *table.rows)]
    written = [rf"\begin{{tabular}}{{{columns}}}", r"\hline"]
    for number, cells in enumerate(lines, -1):
        written += [r"\hline"] * (number == 0 or number in table.rules)
        written.append(" & ".join(cells) + r" \\")
    return "\n".join([*written, r"\hline", r"\end{tabular}", ""])


def note(remark: str, kind: str) -> str:
    """A line beside a table; as TSV none."""
    if kind == "markdown":
        return f"{_escaped(remark, _MARKDOWN)}\n\n"
    return {"text": f"{remark}\n", "latex": f"% {remark}\n"}.get(kind, "")


def _flat(cell: str) -> list[str]:
    return cell.replace("\t", " ").splitlines() or [""]


def _escaped(cell: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in " ".join(_flat(cell)))


KINDS: dict[str, Callable[[Table], str]] = {
    "text": text,
    "tsv": tsv,
    "markdown": markdown,
    "latex": latex,
}
