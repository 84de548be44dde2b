"""Spreadsheets in Office Open XML (`.xlsx`): the first sheet, which is a table as CSV is.

The first row names the columns, unless they are chosen by number; a cell may have line breaks, and
rows without text are skipped. Numbers are taken as the file writes them, dates as the numbers they
are. `sheet_text` makes a text of the bytes, one JSON array per row, which begins with its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from celab.base import io
from celab.base.errors import InputError, LimitError, Setting
from celab.base.options import LIMITS, Limits
from celab.corpus.formats import records
from celab.corpus.formats.elements import Document
from celab.corpus.formats.markup import resolve_entities
from celab.corpus.formats.quoting import Row
from celab.corpus.model import FilePart, TextFile

_WORKBOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_COLUMN = re.compile("([A-Za-z]{1,3})[0-9]*")
_MOST_COLUMNS = 16_384  # of the format
_ESCAPE = re.compile("_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")  # not of half a character


def sheet_text(data: bytes, name: str, limits: Limits = LIMITS) -> str:
    """Return the rows of the first sheet of a workbook as text; `InputError` for other archives."""
    members = io.unpack(data, name, _WORKBOOK, _is_needed, limits)
    sheet, strings = _members(members, name)
    shared = list(_shared_strings(members.get(strings, ""), name))
    lines, size = [], 0
    for number, cells in _rows(members[sheet], name, shared):
        line = json.dumps([number, *cells], ensure_ascii=False)
        size += len(line)
        if size > limits.max_file:  # a string that is stored once may be in many cells
            raise LimitError(
                f"more than {limits.max_file} characters in the cells",
                place=name,
                hint=("split the file, or use a greater ", Setting("max_file")),
            )
        lines.append(line)
    if not lines:
        raise InputError(f"{name} has no text in its first sheet; put the table there")
    return "\n".join(lines)


def rows_of(text: str) -> Iterator[Row]:
    """Yield the rows that `sheet_text` has written, with their numbers, all equally long."""
    lines = text.split("\n")
    width = 0
    for line in lines:
        number, *cells = json.loads(line)
        width = width or len(cells)
        yield number, cells + [""] * (width - len(cells))


def xlsx(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken."""
    return records.table(file, rows_of(file.text), "row")


def _is_needed(member: str) -> bool:
    return member in (_WORKBOOK, _LINKS, "xl/sharedStrings.xml") or member.startswith(
        "xl/worksheets/sheet"
    )


def _members(members: dict[str, str], name: str) -> tuple[str, str]:
    """Return the names of the members with the first sheet and the shared strings."""
    sheets = [
        tag.attributes.get("r:id", "")
        for tag in Document(members.get(_WORKBOOK, ""), name).tags()
        if tag.name == "sheet" and tag.opens
    ]
    links = [
        tag.attributes
        for tag in Document(members.get(_LINKS, ""), name).tags()
        if tag.name == "Relationship" and tag.opens
    ]
    targets = {link.get("Id", ""): link.get("Target", "") for link in links}
    target = targets.get(sheets[0] if sheets else "", "worksheets/sheet1.xml")
    sheet = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    if sheet not in members:
        raise InputError(f"{name} has no sheet that can be read; save it again as .xlsx")
    return sheet, "xl/sharedStrings.xml"


def _shared_strings(text: str, name: str) -> Iterator[str]:
    pieces: list[str] = []
    for tag in Document(text, name).tags():
        if tag.name == "t" and tag.closes and not tag.opens and "rPh" not in tag.parents:
            pieces.append(tag.text)  # rPh: how Japanese is read
        elif tag.name == "si" and tag.closes:
            yield _unescaped("".join(pieces))
            pieces = []


def _rows(text: str, name: str, shared: list[str]) -> Iterator[Row]:
    cells: list[str] = []
    number, kind, pieces = 0, "", list[str]()
    for tag in Document(text, name).tags():
        if tag.name in ("t", "v") and tag.closes and not tag.opens and "rPh" not in tag.parents:
            pieces.append(tag.text)
        elif tag.name == "c":
            if tag.opens:
                attributes, pieces = tag.attributes, []
                kind = attributes.get("t", "n")
                place = _place(attributes.get("r", ""), len(cells), f"{name}, row {number}")
                cells += [""] * (place - len(cells))
            if tag.closes:
                cells.append(_value(kind, "".join(pieces), shared, f"{name}, row {number}"))
        elif tag.name == "row":
            if tag.opens:
                number, cells = number + 1, []
                row = tag.attributes.get("r", "")
                number = int(row) if row.isascii() and row.isdigit() and len(row) < 9 else number
            if tag.closes and any(cells):
                yield number, cells[: max(k for k, cell in enumerate(cells, 1) if cell)]


def _place(reference: str, default: int, where: str) -> int:
    """Return the place of a cell, from 0, from its reference, such as `AB12`."""
    match = _COLUMN.fullmatch(reference)
    if match is None:
        return default
    place = 0
    for letter in match[1].upper():
        place = 26 * place + ord(letter) - ord("A") + 1
    if place > _MOST_COLUMNS or place <= default:
        raise InputError(f"{where}: the cell {reference} is out of order; save the file again")
    return place - 1


def _value(kind: str, text: str, shared: list[str], where: str) -> str:
    if kind != "s":
        return _unescaped(text)
    try:
        return shared[int(text)]
    except (ValueError, IndexError):
        raise InputError(
            f"{where}: a cell has string number {text[:20]!r}, which the file does not have; save"
            " it again"
        ) from None


def _unescaped(text: str) -> str:
    """Return a string with entities resolved, and characters that XML cannot hold.

    >>> _unescaped("AT&amp;T_x000D_")
    'AT&T\\r'
    """
    text = resolve_entities(text)
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text
