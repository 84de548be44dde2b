"""Tables, lines and drawings → text, TSV, Markdown or LaTeX."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from celab.base.text.escapes import escape_controls, visible
from celab.tables.table import Part, Table
from celab.tables.view import TABLES, Drawing, Line, Mark

_GAP = "  "
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


def render(
    parts: Iterable[Part],
    format: str = "text",
    digits: int | None = None,
    *,
    all_rows: bool = False,
) -> str:
    """Return all parts in a format; of TSV the first table that programs get, with every digit.

    Parameters:
        parts: tables, drawings and lines, in the order in which they are read.
        format: "text", "tsv", "markdown" or "latex".
        digits: decimals of figures (default: those of each table).
        all_rows: whether tables are shown with more rows than people see of them otherwise.
    """
    if format == "tsv":
        stored = (part for part in parts if isinstance(part, Table) and part.is_stored)
        return next(map(tsv, stored), "")
    written_table, written_line = _WRITERS[format]
    written = []
    for part in parts:
        if isinstance(part, Drawing):
            written.append(part.text() if format == "text" else "")
        elif isinstance(part, Table):
            if not part.is_shown or part.on_request:
                continue
            if part.text:
                written.append(part.text if format == "text" else "")
                continue
            title = f"{written_line(Line((part.title,), 'title'))}\n" if part.title else ""
            notes = "".join(map(written_line, part.notes))
            written.append(title + written_table(part, digits, all_rows=all_rows) + notes)
        else:
            written.append("".join(map(written_line, part)))
    return "\n".join(filter(None, written))


# ---- tables ----


def text(table: Table, digits: int | None = None, *, all_rows: bool = False) -> str:
    """Return columns padded by the cells of a terminal; Chinese characters take two."""
    from rich.cells import cell_len

    columns, rows = table.shown_columns, table.shown_rows(all_rows=all_rows)
    lines = [[visible(column.heading) for column in columns]]
    lines += [[*map(visible, table.texts(row, digits))] for row in rows]
    marks = [[column.marks(row) for column in columns] for row in rows]
    size = max(
        (len(f"({cluster})") for of_row in marks for _, cluster in of_row if cluster), default=0
    )
    for i, of_column in enumerate(zip(*marks, strict=True)):
        if any(best or cluster for best, cluster in of_column):
            for cells, mark in zip(lines[1:], of_column, strict=True):
                cells[i] += _text_marks(mark, size)
    widths = [max(map(cell_len, cells)) for cells in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    rules = table.rules(rows)
    written = []
    for number, cells in enumerate(lines, -1):
        written += [rule] if number in rules else []
        padded = []
        for cell, width, column in zip(cells, widths, columns, strict=True):
            padding = " " * (width - cell_len(cell))
            padded.append(padding + cell if column.kind.right else cell + padding)
        written.append(_GAP.join(padded).rstrip())
    return "\n".join(written) + "\n"


def tsv(table: Table) -> str:
    """Return TSV with every digit; tabs and line ends in it become spaces, controls escapes."""
    values = table.values()
    rows = zip(*([_exact(x) for x in column] for column in values.values()), strict=True)
    return "".join("\t".join(map(_flat, cells)) + "\n" for cells in (values, *rows))


def markdown(table: Table, digits: int | None = None, *, all_rows: bool = False) -> str:
    """Return a pipe table."""
    columns = table.shown_columns
    lines = [
        [_escaped(column.heading, MARKDOWN) for column in columns],
        ["---:" if column.kind.right else "---" for column in columns],
        *(
            _marked(table, row, digits, MARKDOWN, "**{}**", "<sup>{}</sup>")
            for row in table.shown_rows(all_rows=all_rows)
        ),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(table: Table, digits: int | None = None, *, all_rows: bool = False) -> str:
    """Return a `tabular` with the rules of the package booktabs, which its first line names."""
    columns, rows = table.shown_columns, table.shown_rows(all_rows=all_rows)
    sides = "".join("r" if column.kind.right else "l" for column in columns)
    rules = {0, *table.rules(rows)}
    written = [
        rf"\begin{{tabular}}{{{sides}}}  % \usepackage{{booktabs}}",
        r"\toprule",
        " & ".join(_escaped(column.heading, LATEX) for column in columns) + r" \\",
    ]
    for number, row in enumerate(rows):
        written += [r"\midrule"] if number in rules else []
        cells = _marked(table, row, digits, LATEX, r"\textbf{{{}}}", "$^{{{}}}$")
        written.append(" & ".join(cells) + r" \\")
    return "\n".join([*written, r"\bottomrule", r"\end{tabular}", ""])


def _text_marks(mark: tuple[bool, int | str], size: int) -> str:
    best, cluster = mark
    # Spaces stand for an asterisk or a digit that others of the column have, so that points align.
    return ("*" if best else " ") + (f" {f'({cluster})':<{size}}" if cluster else "")


def _marked(
    table: Table, row: Any, digits: int | None, signs: dict[str, str], bold: str, superscript: str
) -> list[str]:
    """Return the texts of a row, escaped, with the marks of the best and of clusters."""
    written = []
    for column, cell in zip(table.shown_columns, table.texts(row, digits), strict=True):
        best, cluster = column.marks(row)
        escaped = _escaped(cell, signs)
        marked = bold.format(escaped) if best else escaped
        written.append(marked + (superscript.format(cluster) if cluster else ""))
    return written


def _exact(value: Any) -> str:
    """Return a value as TSV has it, with every digit."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else ""
    return str(value)


# ---- lines ----


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


def _flat(text: str) -> str:
    return escape_controls(" ".join(text.replace("\t", " ").splitlines()))


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in _flat(text))


_WRITERS: dict[str, tuple[Callable[..., str], Callable[[Line], str]]] = {
    "text": (text, text_line),
    "markdown": (markdown, markdown_line),
    "latex": (latex, latex_line),
}
FORMATS = ("text", *TABLES)
