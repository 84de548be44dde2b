"""TSV text → rows of cells, with the quotation marks of CSV taken off if the file has them.

Most TSV files have none: a quotation mark is text. But pandas, spreadsheets and the `csv` module
quote a cell that holds a tab, a line break or a quotation mark, and double the marks inside. That
is undone only if the whole file follows these rules, so that no translation in quotation marks
loses them:

- each cell with a quotation mark begins and ends with one, and has pairs of them between;
- all rows have as many cells as the first;
- quoting shows: a quoted cell has a pair of marks inside, or the lines without quoting would not
  make a table, or all cells are quoted, or all that are not numbers;
- no quoted cell goes over several lines that make a table by themselves;
- unless all cells are quoted, or all that are not numbers, each quoted cell needs its marks: it
  holds a mark, a tab, a line break or nothing, or a comma if no other cell has one (spreadsheets).

Where most cells follow the rules and others do not, and where nothing shows, marks are text, and a
warning names the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from celab.base import io
from celab.base.messages import warn
from celab.base.options import decimal

Row = tuple[int, list[str]]  # number of its first line, and its cells
_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^\t\n"]*))(\t|\n)')
_PAIRED = re.compile(r'"[^"]*(?:""[^"]*)+"')  # a quoted cell with marks inside
_NEEDY = re.compile('["\t\n\r]|^$')


def rows_of(text: str, name: str) -> Iterator[Row]:
    """Return the rows of a table; warn if it is unclear whether `name`, its file, quotes cells."""
    lines = io.split_lines(text)
    if '"' in text:
        joined = "\n".join([*lines, ""])
        problem = _quoting_problem(joined, lines)
        if problem is None:
            return _unquoted(joined)
        if problem:
            warn(
                f"{name}, {problem}, so quotation marks are read as text; if they quote cells as in"
                " CSV, convert the file to JSON Lines"
            )
    return ((number, line.split("\t")) for number, line in enumerate(lines, 1))


@dataclass(slots=True, kw_only=True)
class _Evidence:
    """Evidence for quoting in the cells of a table."""

    paired: bool = False  # a quoted cell has marks inside
    bare: bool = False  # a cell is not quoted
    bare_words: bool = False  # and is not a number
    bare_comma: bool = False
    broken: int = 0  # line of the first quoted cell with a line break
    needless: int = 0  # line of the first quoted cell that needs no quoting
    comma: int = 0  # and of the first that needs it for a comma only


def _cells(text: str) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Yield each cell with its line number; None, as the last, for one that breaks the rules."""
    number, position = 1, 0
    while position < len(text):
        cell = _CELL.match(text, position)
        yield number, cell
        if cell is None:
            return
        number += cell[0].count("\n")
        position = cell.end()


def _quoting_problem(text: str, lines: list[str]) -> str | None:
    """Return None if the table is quoted, "" if its marks are text, else a warning."""
    evidence, first_width, width = _Evidence(), 0, 0
    for number, cell in _cells(text):
        width, is_ragged = width + 1, False
        if cell is not None and cell[3] == "\n":
            first_width = first_width or width
            width, is_ragged = 0, width != first_width
        if cell is None or is_ragged:
            quoted_line = _find_quoted(lines)
            return (
                f"line {number}: it is not quoted as line {quoted_line} is" if quoted_line else ""
            )
        _inspect(evidence, cell, number)
    is_table = len({line.count("\t") for line in lines}) == 1
    if evidence.broken and is_table:
        return f"line {evidence.broken}: a quoted cell would go on in the next line"
    if not evidence.bare or not evidence.bare_words:
        return None
    needless = evidence.needless or (evidence.comma if evidence.bare_comma else 0)
    if (evidence.paired or not is_table) and not needless:
        return None
    first = needless or evidence.comma or next(k for k, line in enumerate(lines, 1) if '"' in line)
    return f"line {first}: a cell is in quotation marks that it may not need"


def _find_quoted(lines: list[str]) -> int:
    """Return a line with a quoted cell that has marks inside, if half of the marked cells do, or 0.

    Fewer are text: the outputs of some systems have remains of CSV here and there.
    """
    marked = [
        (number, cell)
        for number, line in enumerate(lines, 1)
        if '"' in line
        for cell in line.split("\t")
        if '"' in cell
    ]
    paired = [number for number, cell in marked if _PAIRED.fullmatch(cell)]
    return paired[0] if paired and 2 * len(paired) >= len(marked) else 0


def _inspect(evidence: _Evidence, cell: re.Match[str], number: int) -> None:
    quoted, bare = cell[1], cell[2]
    if quoted is not None and "\n" in quoted:
        evidence.broken = evidence.broken or number
    if quoted is None:
        evidence.bare = True
        evidence.bare_words |= bool(bare) and decimal(bare) is None
        evidence.bare_comma |= "," in bare
    elif '""' in quoted:
        evidence.paired = True
    elif not _NEEDY.search(quoted):
        if "," in quoted:
            evidence.comma = evidence.comma or number
        else:
            evidence.needless = evidence.needless or number


def _unquoted(text: str) -> Iterator[Row]:
    first, row = 1, list[str]()
    for number, cell in _cells(text):
        assert cell is not None  # `_quoting_problem` has seen them all
        quoted, bare, end = cell.groups()
        first = first if row else number
        row.append(bare if quoted is None else quoted.replace('""', '"'))
        if end == "\n":
            yield first, row
            row = []
