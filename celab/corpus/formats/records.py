"""Tables: records with fields → parts.

TSV: one segment per line, columns separated by tabs; quotation marks are text, unless the whole
file is quoted as CSV is (`quoting`). If one field is given by name, or none at all, the first line
below titles is the header. If all are given by number there is none, unless one of these columns
has a name that is known; `headers` has the rest. All lines must have as many columns as the first.
CSV: likewise, separated by commas, or by semicolons or tabs if the first line has no commas
(`separator_of`), and quoted as Python's `csv` module does it, so that a quoted cell may have line
breaks. A CSV file of one column may lack a header, unless its first line may be one.
JSON Lines: one object per line; blank lines are skipped. References may be a list of texts. A text
may be a list of its sentences, as in `"hyp": ["One.", "Two."]` and `"ref": [["One.", "Two."]]`;
line breaks join them. JSON: an array of such objects, or of texts. `fields` says which are taken.
"""

from __future__ import annotations

import csv as csv_module
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.messages import warn
from celab.base.options import is_digits
from celab.corpus.formats.choices import TableColumns
from celab.corpus.formats.fields import KNOWN_NAMES, TEXT_NAMES, known_parts
from celab.corpus.formats.headers import MAX_SAMPLE_ROWS, find_header, may_be_name, refuse_ambiguous
from celab.corpus.formats.json_text import (
    JsonRecord,
    abbreviate,
    check_surrogates,
    items,
    known_name,
    paths_of,
    records_of_lines,
    value_at,
)
from celab.corpus.formats.quoting import Row, rows_of
from celab.corpus.model import FilePart, TextFile
from celab.tables.cells import quantity

_SEPARATORS = ",;\t|"
_QUOTED = r'(?:^|{0})"(?:[^"\n]|"")+"(?:{0}|\r?$)'  # a cell


def tsv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken."""
    return table(file, rows_of(file.text, file.name))


def csv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken; an only column may lack a name."""
    names = {*KNOWN_NAMES, *map(str, file.fields.named)}
    rows = csv_rows(file.text, file.name, separator_of(file.text, names))
    number, first = next(rows)
    if len(first) < 2 and not file.fields and not _may_be_header(first):
        return [_only_column(file, chain([(number, first)], rows))]
    filled = ((line, row) for line, row in chain([(number, first)], rows) if row)
    return table(file, filled)


def separator_of(text: str, names: Collection[str]) -> str:
    """Return the separator of the columns of a CSV file, whose header may have some of `names`.

    Spreadsheets write semicolons where a comma is in numbers.

    >>> separator_of("id;ref;hyp\\n1;雨伞;伞\\n", ["ref"]), separator_of("买伞；去\\n", ["ref"])
    (';', ',')
    """
    lines = io.split_lines(text)
    first = {mark: row for mark in _SEPARATORS if len(row := _cells(lines[0], mark)) > 1}
    for mark, row in first.items():
        if not {cell.strip().lower() for cell in row}.isdisjoint(names):
            return mark
    for mark, row in first.items():  # text may have semicolons, but hardly as many in each line
        if mark == "," or all(len(_cells(line, mark)) == len(row) for line in lines if line):
            return mark
    return ","


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv_module.reader([line], delimiter=separator), [])
    except csv_module.Error:
        return []


def csv_rows(text: str, name: str, separator: str = ",") -> Iterator[Row]:
    """Yield the rows of a CSV table, with the numbers of their lines; a blank line has no cell.

    A quoted cell may have line breaks, unless its lines would be rows by themselves and no other
    cell is quoted.
    """
    lines = io.split_lines(text)
    with_ends = (f"{line}\n" for line in lines)
    reader, last = csv_module.reader(with_ends, delimiter=separator, strict=True), 0
    while True:
        where = f"{name}, line {last + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv_module.Error as error:
            if "end of data" in str(error) or reader.line_num > last + 1:
                raise _open_quote(where) from None
            raise InputError(f"{where}: this is not valid CSV: {error}") from None
        own = lines[last : reader.line_num]
        are_rows = len(own) > 1 and all(line.count(separator) == len(cells) - 1 > 0 for line in own)
        if are_rows and not re.search(_QUOTED.format(re.escape(separator)), text, re.MULTILINE):
            raise _open_quote(where)
        yield last + 1, cells
        last = reader.line_num


def _open_quote(where: str) -> InputError:
    return InputError(
        f"{where}: the quotation mark of a cell is not closed in its row",
        hint="close it, or, if it is text, quote the cell and double its marks",
    )


def _only_column(file: TextFile, rows: Iterable[Row]) -> FilePart:
    texts = []
    for line, row in rows:
        if len(row) > 1:
            raise InputError(
                f"{file.name}, line {line}: {len(row)} columns, but line 1 has 1",
                hint=("quote texts with commas, or give ", Setting("format", "plain")),
            )
        texts.append("".join(row))  # a blank line is a blank segment, as in plain text
    return FilePart(role=file.role or "reference", name=file.name, where=file.name, texts=texts)


def table(file: TextFile, rows: Iterator[Row], unit: str = "line") -> list[FilePart]:
    """Return one part for each column that is taken; `unit` is what messages call a row.

    Rows of a sheet end with their last text, so that shorter ones are filled.
    """
    head = list(islice(rows, MAX_SAMPLE_ROWS))
    if not head or not head[0][1]:  # CSV has no cell in a blank line
        raise InputError(
            f"{file.name} has only blank lines",
            hint=("it must have columns, or give ", Setting("format", "plain"), " for blank text"),
        )
    is_sheet = unit == "row"
    start, names = find_header(file, head, is_sheet=is_sheet)
    first, cells = head[start]
    width = len(cells)
    numbers = [str(number) for number in range(1, width + 1)]
    columns = {name: place for place, name in enumerate(names)}
    columns |= {number: place for place, number in enumerate(numbers) if number not in columns}

    def records() -> Iterator[JsonRecord]:
        for line, row in chain(head[start + bool(names) :], rows):
            where = f"{file.name}, {unit} {line}"
            filled = row + [""] * (width - len(row)) if is_sheet else row
            if len(filled) != width:
                columns_seen = quantity(len(row), "column")
                raise InputError(f"{where}: {columns_seen}, but {unit} {first} has {width}")
            yield JsonRecord(where, {name: filled[place] for name, place in columns.items()})

    known = TableColumns(file.name, names or numbers, columns)
    return known_parts(file, known, records(), "column")


def jsonl(file: TextFile) -> list[FilePart]:
    """Return one part for each field that is taken, and several for a list."""
    return _objects(file, lambda: records_of_lines(file))


def _objects(file: TextFile, records: Callable[[], Iterator[JsonRecord]]) -> list[FilePart]:
    # Each record is parsed twice, because what it holds may take far more memory than its text.
    available = dict.fromkeys(name for record in records() for name in paths_of(record.values))
    named = [name for name in map(str, file.fields.named) if known_name(name, available) is None]
    if named:  # an object, or an item of a list
        available |= dict.fromkeys(
            name for record in records() for name in named if value_at(record.values, name)
        )
    return known_parts(file, TableColumns(file.name, [*available], available), records(), "field")


def json_array(file: TextFile) -> list[FilePart]:
    """Return the texts of an array as one part, or the parts in the fields of its objects."""
    first = next(items(file), None)
    if first is None:
        raise InputError(f"{file.name} is an empty JSON array; it must have at least one item")
    if isinstance(first[1], dict):
        return _objects(file, lambda: _json_objects(file))
    if io.suffix_of(file.path) != ".json":
        warn(
            (
                f"{file.name} is read as a JSON array of texts, one segment each; give ",
                Setting("format", "plain"),
                " if it is plain text, or a name that ends in .json",
            )
        )
    texts = []
    for where, value in items(file):
        if not isinstance(value, str):
            raise InputError(f"{where}: {abbreviate(value)} is not a text, but the first item is")
        texts.append(check_surrogates(where, value))
    return [
        FilePart(
            role=file.role or "reference", name=file.name, where=file.name, texts=texts, unit="item"
        )
    ]


def _json_objects(file: TextFile) -> Iterator[JsonRecord]:
    for where, value in items(file):
        if not isinstance(value, dict):
            raise InputError(
                f"{where}: {abbreviate(value)} is not an object, but the first item is"
            )
        yield JsonRecord(where, value)


def is_header(start: str) -> bool:
    """Return whether the first line of TSV has the name of a reference or a system as a cell.

    An only cell counts if it may be a name at all.

    >>> is_header("id\\tref\\thyp"), is_header("买伞\\t买雨伞"), is_header("text")
    (True, False, True)
    """
    line = start.partition("\n")[0].removesuffix("\r")
    cells = [cell.strip('"') for cell in line.split("\t")]
    if len(cells) == 1:  # separated by something else, if these are names
        others = [cell.strip(' "').lower() for cell in re.split("[,;|]", line)]
        return not KNOWN_NAMES.isdisjoint(others) or _may_be_header(cells)
    return any(cell.lower() in TEXT_NAMES for cell in cells)


def _may_be_header(cells: Sequence[str]) -> bool:
    """Return whether the first line of a table of one column may be its name."""
    return len(cells) == 1 and may_be_name(cells[0])


# A file with the document of each segment.
#
# One line per segment. A file with one column is a list of documents. In a table, TSV or CSV, the
# caller names or numbers the column, or the header calls it `document`, `doc`, `docid` or
# `doc_id`.

DOCUMENT_COLUMNS = ("document", "doc", "docid", "doc_id")


def documents_of(text: str, name: str, field: str | int | None = None) -> list[tuple[str, str]]:
    """Return the document of each segment, and its domain, "" without a column of that name.

    >>> documents_of("news.1\\nnews.1\\n", "docs.txt")
    [('news.1', ''), ('news.1', '')]
    >>> documents_of("domain\\tdocid\\nnews\\tnews.1\\n", "docs.tsv")
    [('news.1', 'news')]
    """
    rows = _rows(text, name)
    _, first = rows[0]
    known = (column for column in DOCUMENT_COLUMNS if column in first)
    column = next(known, None) if field is None else str(field)
    if column is not None:
        refuse_ambiguous(f"{name}, line 1", first, column)
    if column in first:
        place, start = first.index(column), 1
    elif field is None and len(first) == 1:
        place, start = 0, 0
    elif column is not None and is_digits(column) and 1 <= int(column) <= len(first):
        place, start = int(column) - 1, int(any(cell in DOCUMENT_COLUMNS for cell in first))
    elif field is None:
        raise InputError(
            f"{name} has {len(first)} columns, and none is called document; its document column"
            " must be given by number"
        )
    else:
        raise InputError(f"{name} has no column {column}; there are: {', '.join(first)}")
    documents = []
    domain = first.index("domain") if start and "domain" in first else len(first)
    for number, row in rows[start:]:
        if len(row) <= place or not row[place].strip():
            raise InputError(f"{name}, line {number}: no document; each line must have one")
        documents.append((row[place].strip(), "".join(row[domain : domain + 1]).strip()))
    return documents


def _rows(text: str, name: str) -> list[Row]:
    io.refuse_lone_cr(text, name)
    if io.suffix_of(name) == ".csv":
        return list(csv_rows(text, name, separator_of(text, DOCUMENT_COLUMNS)))
    if text.lstrip()[:1] in ("{", "<"):
        raise InputError(
            f"{name} is JSON or markup; documents must be a list, one per line, or a table"
        )
    return list(rows_of(text, name))
