"""Spreadsheets in Office Open XML (`.xlsx`): a sheet of a workbook, a table as CSV is.

It is the first visible sheet, unless another is chosen. The row below titles names the columns,
unless it has none (`headers`); a cell may have line breaks, and rows without text are skipped.
Numbers are taken as the file writes them, dates as the numbers they are, formulas as the results
that the file has. `sheet_text` makes a text of the bytes, one JSON array per row, which begins with
its number; a formula without a result is null.
"""

from __future__ import annotations

import json
import posixpath
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element
from zipfile import BadZipFile, ZipFile

from celab.base import io
from celab.base.errors import InputError, LimitError, Setting, Text, suggest
from celab.base.messages import warn
from celab.base.options import LIMITS, Limits, is_digits
from celab.corpus.formats import records
from celab.corpus.formats.elements import Document
from celab.corpus.formats.headers import (
    MAX_SAMPLE_ROWS,
    are_alike,
    count_titles,
)
from celab.corpus.formats.json_text import dump_rows, known_name
from celab.corpus.formats.quoting import Row
from celab.corpus.formats.record_values import Uncalculated
from celab.corpus.model import FilePart, TextFile

if TYPE_CHECKING:
    from pyarrow import DataType


_WORKBOOK, _LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_COLUMN = re.compile("([A-Za-z]{1,3})[0-9]*")
_MAX_COLUMNS = 16_384  # limit of the format
_ESCAPE = re.compile("_x(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")  # not of half a character


def sheet_text(data: bytes, name: str, limits: Limits = LIMITS, sheet: str | None = None) -> str:
    """Return the rows of a sheet of a workbook as text; `InputError` for other files.

    The sheet is chosen by its name or its number (default: the first that is visible).
    """
    return Workbook(data, name, limits).text(sheet)


class Workbook:
    """The sheets of a workbook, whose rows are read when they are asked for."""

    def __init__(self, data: bytes, name: str, limits: Limits) -> None:
        if not data.startswith(io.ZIP):
            io.refuse_binary(data, name)
        self.name, self._limits = name, limits
        self._members = _unpack(data, name, limits)
        # Title → the member with the rows, in the order of the workbook.
        self._sheets, self._hidden = _sheets_of(self._members, name)
        self._headers: dict[str, list[str]] = {}
        if not self.visible:
            raise InputError(f"{name} has no sheet that can be read; save it again as .xlsx")

    @property
    def visible(self) -> list[str]:
        """The titles of the sheets that are not hidden."""
        return [title for title in self._sheets if title not in self._hidden]

    @cached_property
    def _shared(self) -> list[str]:
        strings = self._members.get(_STRINGS)
        root = () if strings is None else Document(strings, self.name).root
        return [_unescaped(_text(string)) for string in root]

    def find(self, sheet: str | None) -> str:
        """Return the title of a sheet, from its title or its number; by default of the first."""
        if sheet is None:
            return self.visible[0]
        title = known_name(sheet, self._sheets)
        if title is None and is_digits(sheet) and 0 < int(sheet) <= len(self.visible):
            title = self.visible[int(sheet) - 1]
        if title is None:
            raise InputError(
                f"{self.name} has no sheet {sheet!r}", hint=suggest(sheet, self._sheets)
            )
        return title

    def rows(self, title: str) -> Iterator[tuple[int, list[str | None]]]:
        """Yield the rows of a sheet that have text, with their numbers."""
        root = Document(self._members[self._sheets[title]], self.name).root
        return _rows(root, self.name, self._shared)

    def text(self, sheet: str | None = None) -> str:
        """Return the rows of a sheet as text."""
        title = self.find(sheet)
        rows = ([number, *cells] for number, cells in self.rows(title))
        lines = dump_rows(rows, self.name, self._limits)
        if not lines:
            where = "in its first sheet" if sheet is None else f"in the sheet {title}"
            raise InputError(f"{self.name} has no text {where}", hint=self._other_hint(title))
        return "\n".join(lines)

    def others(self, title: str) -> list[str]:
        """Return the titles of the other visible sheets that have text."""
        return [other for other in self.visible if other != title and self._names(other)]

    def _other_hint(self, title: str) -> Text:
        others = self.others(title)
        return (
            ("choose another: ", Setting("sheet", others[0])) if others else "put the table there"
        )

    def warn_of_others(self, title: str) -> None:
        """Warn if other visible sheets have the columns of the one that is read."""
        names = self._names(title)
        alike = [other for other in self.others(title) if are_alike(names, self._names(other))]
        if alike:
            have = "has" if len(alike) == 1 else "have"
            sheets = f"{'sheet' if len(alike) == 1 else 'sheets'} {', '.join(alike)}"
            text = (
                f"{self.name}: the sheet {title} is read, and the {sheets} {have} the same columns"
            )
            warn((text, "; choose one: ", Setting("sheet", alike[0])))

    def _names(self, title: str) -> list[str]:
        """Return the first row of the table in a sheet, below titles."""
        if title not in self._headers:
            rows = islice(self.rows(title), MAX_SAMPLE_ROWS)
            head = [[cell or "" for cell in cells] for _, cells in rows]
            self._headers[title] = head[count_titles(head)] if head else []
        return self._headers[title]


def read_sheet(data: bytes, template: TextFile, name: str, limits: Limits) -> TextFile:
    """Return a workbook as a file whose text has the rows of a sheet."""
    book = Workbook(data, name, limits)
    title, text = book.find(template.sheet), book.text(template.sheet)
    if template.sheet is None:
        book.warn_of_others(title)
    others = tuple(book.others(title))
    return template._replace(name=name, text=text, format="xlsx", sheet=title, other_sheets=others)


# Workbooks are ZIP archives. The sizes that an archive declares are checked before anything is
# unpacked, and no member gives more than its declared size.


def _unpack(data: bytes, name: str, limits: Limits) -> dict[str, str]:
    """Return the texts of the members that are needed, by name.

    An archive without the member by which a workbook is known is an `InputError`.
    """
    if len(data) > limits.max_file:
        raise _too_large(name, limits)
    if _WORKBOOK.encode() not in data:
        io.refuse_binary(data, name)
    try:
        with ZipFile(BytesIO(data)) as archive:
            texts = _member_texts(archive, name, limits)
            if _WORKBOOK not in texts:
                raise BadZipFile(f"it has no {_WORKBOOK}")
            return texts
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        # ValueError: bytes that are no text; RuntimeError: an encrypted member, or a new method.
        why = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be unpacked ({why}); save it again") from None


def _member_texts(archive: ZipFile, name: str, limits: Limits) -> dict[str, str]:
    members = [member for member in archive.infolist() if _is_needed(member.filename)]
    if sum(member.file_size for member in members) > limits.max_file:
        raise _too_large(name, limits)
    return {x.filename: archive.read(x).decode("utf-8-sig") for x in members}


def _too_large(name: str, limits: Limits) -> LimitError:
    return LimitError(
        f"more than {limits.max_file} bytes when it is unpacked",
        place=name,
        hint=("split the file, or use a greater ", Setting("max_file")),
    )


def rows_of(text: str) -> Iterator[Row]:
    """Yield the rows that `sheet_text` has written, with their numbers, as long as the first."""
    width = 0
    for number, cells in unpadded_rows(text):
        width = width or len(cells)
        yield number, cells + [""] * (width - len(cells))


def unpadded_rows(text: str) -> Iterator[Row]:
    """Yield the rows that `sheet_text` has written, with their numbers."""
    for line in text.split("\n"):
        number, *cells = json.loads(line)
        yield number, [Uncalculated() if cell is None else cell for cell in cells]


def xlsx(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken."""
    parts = records.table(file, unpadded_rows(file.text), "row")
    return [replace(part, sheet=file.sheet or "") for part in parts]


def _is_needed(member: str) -> bool:
    return member in (_WORKBOOK, _LINKS, _STRINGS) or member.startswith("xl/worksheets/")


def _sheets_of(members: dict[str, str], name: str) -> tuple[dict[str, str], set[str]]:
    """Return the member with the rows of each sheet, by title, and the titles of hidden ones."""
    links = Document(members[_LINKS], name).root if _LINKS in members else ()
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    sheets, hidden = dict[str, str](), set[str]()
    for sheet in Document(members[_WORKBOOK], name).root.iter("sheet"):
        id = next((value for key, value in sheet.items() if key.endswith(":id")), None)
        path = posixpath.normpath(posixpath.join("/xl", targets.get(id, "")))
        title = sheet.get("name") or str(len(sheets) + 1)
        if (member := path.removeprefix("/")) in members:  # a sheet with a chart alone has no rows
            sheets[title] = member
            if sheet.get("state", "visible") != "visible":
                hidden.add(title)
    return sheets, hidden


def _text(element: Element) -> str:
    """Return the text of a string or a cell, without `rPh`, which says how Japanese is read."""
    return "".join(
        _text(child) if child.tag in ("is", "r") else child.text or ""
        for child in element
        if child.tag in ("is", "r", "t", "v")
    )


def _rows(root: Element, name: str, shared: list[str]) -> Iterator[tuple[int, list[str | None]]]:
    number = 0
    for row in root.iter("row"):
        written = row.get("r", "")
        number = int(written) if is_digits(written) and len(written) < 9 else number + 1
        cells: list[str | None] = []
        for cell in row.iter("c"):
            where = f"{name}, row {number}"
            cells += [""] * (_place(cell.get("r", ""), len(cells), where) - len(cells))
            cells.append(_value(cell, shared, where))
        if width := max((k for k, cell in enumerate(cells, 1) if cell != ""), default=0):
            yield number, cells[:width]


def _place(reference: str, default: int, where: str) -> int:
    """Return the place of a cell, from 0, from its reference, such as `AB12`."""
    match = _COLUMN.fullmatch(reference)
    if match is None:
        return default
    place = 0
    for letter in match[1].upper():
        place = 26 * place + ord(letter) - ord("A") + 1
    if place > _MAX_COLUMNS or place <= default:
        raise InputError(f"{where}: the cell {reference} is out of order; save the file again")
    return place - 1


def _value(cell: Element, shared: list[str], where: str) -> str | None:
    """Return the text of a cell, None if it has a formula without a result."""
    kind, text = cell.get("t", "n"), _text(cell)
    # A result that is an empty text has the kind `str`; `e` is an error, such as #REF!.
    if kind == "e" or (not text and kind != "str" and cell.find("f") is not None):
        return None
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
    """Return a string with the characters that XML cannot hold.

    >>> _unescaped("AT&T_x000D_")
    'AT&T\\r'
    """
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


# Parquet files → JSON Lines, an object per row, whose number is that of its line.
#
# Columns of bytes, such as pictures, are left out. PyArrow reads the file; it is not a dependency.

_BATCH = 1000  # rows


def parquet_text(data: bytes, name: str, limits: Limits = LIMITS) -> str:
    """Return the rows of a Parquet file as JSON Lines."""
    lines = dump_rows(_parquet_rows(data, name), name, limits)
    if not lines:
        raise InputError(f"{name} has no rows; at least one is needed")
    return "\n".join(lines)


def _parquet_rows(data: bytes, name: str) -> Iterator[dict[str, object]]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"{name} is a Parquet file, which needs PyArrow",
            hint="pip install pyarrow, or write the file as JSON Lines",
        ) from None
    try:
        with ParquetFile(BytesIO(data)) as file:
            columns = [column.name for column in file.schema_arrow if not _is_binary(column.type)]
            for batch in file.iter_batches(_BATCH, columns=columns):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{name} cannot be read ({reason}); it must be a whole, undamaged Parquet file"
        ) from None


def _is_binary(kind: DataType) -> bool:
    from pyarrow import types

    if types.is_struct(kind):
        return any(_is_binary(field.type) for field in kind)
    return bool(types.is_binary(kind) or types.is_large_binary(kind))
