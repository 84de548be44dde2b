"""Tables: records with fields → parts.

TSV: one segment per line, columns separated by tabs; quotation marks are text, unless the whole
file is quoted as CSV is (`quoting`). If all fields are given by number there is no header; if one
is given by name, or none at all, the first line is the header. All lines must have as many columns
as the first. CSV: likewise, separated by commas and quoted as Python's `csv` module does it; a cell
has no line break, because a segment is a line. A CSV file of one column may lack a header.
JSON Lines: one object per line; blank lines are skipped. References may be a list of texts. A text
may be a list of its sentences, as in `"hyp": ["One.", "Two."]` and `"ref": [["One.", "Two."]]`;
line breaks join them. JSON: an array of such objects, or of texts. `fields` says which are taken.
"""

from __future__ import annotations

import csv as csv_module
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.numbers import is_digits
from celab.corpus.formats.fields import (
    TEXT_NAMES,
    Record,
    abbreviate,
    check_surrogates,
    known_parts,
    paths_of,
)
from celab.corpus.formats.json_text import items, records_of_lines
from celab.corpus.formats.quoting import Row, rows_of
from celab.corpus.model import FilePart, TextFile

_MOST_COLUMNS = 10_000
_MOST_IN_HEADER = 1_000_000  # characters that are searched for names of columns


def tsv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken."""
    return _table(file, rows_of(file.text, file.name))


def csv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken; an only column may lack a name."""
    rows = csv_rows(file.text, file.name)
    number, first = next(rows)
    if len(first) < 2 and not file.fields and first not in ([name] for name in TEXT_NAMES):
        return [_only_column(file, chain([(number, first)], rows))]
    filled = ((line, row) for line, row in chain([(number, first)], rows) if row)
    return _table(file, filled)


def csv_rows(text: str, name: str) -> Iterator[Row]:
    """Yield the rows of a CSV table, with the numbers of their lines; a blank line has no cell."""
    reader, last = csv_module.reader(io.split_lines(text), strict=True), 0
    while True:
        where = f"{name}, line {last + 1}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv_module.Error as error:
            if "end of data" not in str(error) and reader.line_num == last + 1:
                raise InputError(f"{where}: this is not valid CSV: {error}") from None
            cells = None
        if cells is None or reader.line_num != last + 1:
            raise InputError(
                f"{where}: a quoted cell has a line break, or its quotation mark is not closed; a"
                " segment is one line"
            )
        last += 1
        yield last, cells


def _only_column(file: TextFile, rows: Iterable[Row]) -> FilePart:
    texts = []
    for line, row in rows:
        if len(row) > 1:
            raise InputError(
                f"{file.name}, line {line}: {len(row)} columns, but line 1 has 1",
                hint=("quote texts with commas, or give ", Setting("format", "plain")),
            )
        texts.append("".join(row))  # a blank line is a blank segment, as in plain text
    return FilePart(file.role or "reference", file.name, file.name, texts)


def _table(file: TextFile, rows: Iterator[Row]) -> list[FilePart]:
    _, first = next(rows, (0, []))
    if not first:  # CSV has no cell in a blank line
        raise InputError(
            f"{file.name} has only blank lines",
            hint=("it must have columns, or give ", Setting("format", "plain"), " for blank text"),
        )
    if len(first) > _MOST_COLUMNS:
        raise InputError(
            f"{file.name}, line 1: {len(first)} columns; at most {_MOST_COLUMNS} are allowed"
        )
    columns = {str(number): number - 1 for number in range(1, len(first) + 1)}
    has_header = not all(is_digits(str(field)) for field in file.fields.named or [""])
    if has_header:
        name, count = Counter(first).most_common(1)[0]
        if count > 1:
            raise InputError(
                f"{file.name}, line 1: column {name!r} occurs {count} times; "
                "give columns distinct names, or choose them by number"
            )
        columns = {name: place for place, name in enumerate(first)} | columns

    def records() -> Iterator[Record]:
        for line, row in chain([(1, first)], rows):
            where = f"{file.name}, line {line}"
            if len(row) != len(first):
                columns_seen = f"{len(row)} column{'s' * (len(row) != 1)}"
                raise InputError(f"{where}: {columns_seen}, but line 1 has {len(first)}")
            if line > 1 or not has_header:
                yield Record(where, {name: row[place] for name, place in columns.items()})

    return known_parts(file, columns, records(), "column")


def jsonl(file: TextFile) -> list[FilePart]:
    """Return one part for each field that is taken, and several for a list."""
    return _objects(file, lambda: records_of_lines(file))


def _objects(file: TextFile, records: Callable[[], Iterator[Record]]) -> list[FilePart]:
    # Each record is parsed twice, because what it holds may take far more memory than its text.
    available = dict.fromkeys(name for record in records() for name in paths_of(record.values))
    return known_parts(file, available, records(), "field")


def json_array(file: TextFile) -> list[FilePart]:
    """Return the texts of an array as one part, or the parts in the fields of its objects."""
    first = next(items(file), None)
    if first is None:
        raise InputError(f"{file.name} is an empty JSON array; it must have at least one item")
    if isinstance(first[1], dict):
        return _objects(file, lambda: _json_objects(file))
    texts = []
    for where, value in items(file):
        if not isinstance(value, str):
            raise InputError(f"{where}: {abbreviate(value)} is not a text, but the first item is")
        texts.append(check_surrogates(where, value))
    return [FilePart(file.role or "reference", file.name, file.name, texts, unit="item")]


def _json_objects(file: TextFile) -> Iterator[Record]:
    for where, value in items(file):
        if not isinstance(value, dict):
            raise InputError(
                f"{where}: {abbreviate(value)} is not an object, but the first item is"
            )
        yield Record(where, value)


def has_header(file: TextFile) -> bool:
    """Return whether the first line of a TSV file names a reference or a system."""
    return is_header(io.split_lines(file.text[:_MOST_IN_HEADER])[0])


def is_header(line: str) -> bool:
    """Return whether a line of TSV has the name of a reference or a system as a cell.

    >>> is_header("id\\tref\\thyp"), is_header("买伞\\t买雨伞")
    (True, False)
    """
    return any(cell.strip('"') in TEXT_NAMES for cell in line.split("\t"))
