"""Tables: records with fields → parts.

TSV: one segment per line, columns separated by tabs; quotation marks are text, unless the whole
file is quoted as CSV is (`quoting`). If all fields are given by number there is no header; if one
is given by name, or none at all, the first line is the header. All lines must have as many columns
as the first. CSV: likewise, separated by commas and quoted as Python's `csv` module does it; a cell
has no line break, because a segment is a line. A CSV file of one column may lack a header.
JSON Lines: one object per line; blank lines are skipped. References may be a list of texts. A text
may be a list of its sentences, as in `"hyp": ["One.", "Two."]` and `"ref": [["One.", "Two."]]`;
line breaks join them. JSON: an array of such objects, or of texts.

Fields that the caller does not name have one of the names in `_DEFAULT_NAMES`. If the records have
ids, these join the segments; if they have documents alone, a segment's id is its number in the
document; else records are identified by their order, as lines are. One reference or system has the
name of the file, several have those of their fields.
"""

from __future__ import annotations

import csv as csv_module
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.numbers import is_digits
from celab.corpus.formats.quoting import Row, rows_of
from celab.corpus.model import FilePart, Kind, Segment, TextFile, gather_parts

_DEFAULT_NAMES = {
    "reference": ("ref", "reference", "references"),
    "system": ("hyp", "hypothesis", "translation", "mt"),
    "source": ("src", "source"),
    "document": ("doc", "document"),
    "id": ("id", "seg"),
}
_TEXT_NAMES = _DEFAULT_NAMES["reference"] + _DEFAULT_NAMES["system"]
_LISTED_NAMES = f"{', '.join(_TEXT_NAMES[:-1])} or {_TEXT_NAMES[-1]}"
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_ARRAY = re.compile(r'\s*\[\s*["{\]]')
_MAX_LISTED = 12  # fields that a message lists
_MOST_COLUMNS = 10_000
_MOST_REFERENCES = 1000  # in a list
_HALF = re.compile("[\ud800-\udfff]")


class _Record(NamedTuple):
    where: str  # the file and the line
    values: Mapping[str, Any]


def tsv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken."""
    return _table(file, rows_of(file.text, file.name))


def csv(file: TextFile) -> list[FilePart]:
    """Return one part for each column that is taken; an only column may lack a name."""
    rows = csv_rows(file.text, file.name)
    number, first = next(rows)
    if len(first) < 2 and not file.fields and first not in ([name] for name in _TEXT_NAMES):
        return [_only_column(file, chain([(number, first)], rows))]
    filled = ((line, row) for line, row in chain([(number, first)], rows) if row)
    parts = _table(file, filled)
    if not parts:
        raise InputError(
            f"{file.name} has the columns {', '.join(first[:_MAX_LISTED])}, none of which is"
            f" {_LISTED_NAMES}",
            hint=("name its columns, or give ", Setting("format", "plain"), " to score its lines"),
        )
    return parts


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

    def records() -> Iterator[_Record]:
        for line, row in chain([(1, first)], rows):
            where = f"{file.name}, line {line}"
            if len(row) != len(first):
                columns_seen = f"{len(row)} column{'s' * (len(row) != 1)}"
                raise InputError(f"{where}: {columns_seen}, but line 1 has {len(first)}")
            if line > 1 or not has_header:
                yield _Record(where, {name: row[place] for name, place in columns.items()})

    return _parts(file, columns, records())


def jsonl(file: TextFile) -> list[FilePart]:
    """Return one part for each field that is taken, and several for a list."""
    lines = io.split_lines(file.text)

    def records() -> Iterator[_Record]:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            values = json_object(line)
            where = f"{file.name}, line {number}"
            if values is None:
                raise InputError(
                    f"{where}: {line[:30]!r} is not a JSON object; "
                    "each line must be one, or give the format"
                )
            yield _Record(where, values)

    return _objects(file, records)


def _objects(file: TextFile, records: Callable[[], Iterator[_Record]]) -> list[FilePart]:
    # Each record is parsed twice, because what it holds may take far more memory than its text.
    available = dict.fromkeys(name for record in records() for name in record.values)
    parts = _parts(file, available, records())
    if not parts:
        raise InputError(
            f"{file.name} has none of the fields {', '.join(_TEXT_NAMES)}; name its fields, or give"
            " the format plain to score its lines as text"
        )
    return parts


def json_array(file: TextFile) -> list[FilePart]:
    """Return the texts of an array as one part, or the parts in the fields of its objects."""
    first = next(_items(file), None)
    if first is None:
        raise InputError(f"{file.name} is an empty JSON array; it must have at least one item")
    if isinstance(first[1], dict):
        return _objects(file, lambda: _json_objects(file))
    texts = []
    for where, value in _items(file):
        if not isinstance(value, str):
            raise InputError(f"{where}: {_abbreviate(value)} is not a text, but the first item is")
        texts.append(_check_surrogates(_Record(where, {}), value))
    return [FilePart(file.role or "reference", file.name, file.name, texts, unit="item")]


def _json_objects(file: TextFile) -> Iterator[_Record]:
    for where, value in _items(file):
        if not isinstance(value, dict):
            raise InputError(
                f"{where}: {_abbreviate(value)} is not an object, but the first item is"
            )
        yield _Record(where, value)


def _items(file: TextFile) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each item of a JSON array, one after the other."""
    text, number = file.text, 0
    position = _skip_space(text, 0)
    if text[position : position + 1] != "[":
        raise InputError(f"{file.name} is not a JSON array; its first character must be [")
    position = _skip_space(text, position + 1)
    if text[position : position + 1] == "]":
        return
    while True:
        number += 1
        where = f"{file.name}, item {number}"
        try:
            value, position = _DECODER.raw_decode(text, position)
        except RecursionError:
            raise InputError(f"{where} is nested too deeply") from None
        except ValueError as error:
            line = text.count("\n", 0, getattr(error, "pos", position)) + 1
            problem = getattr(error, "msg", "a number has too many digits")
            raise InputError(
                f"{file.name}, line {line}: this is not valid JSON: {problem}"
            ) from None
        if not isinstance(value, str | dict):
            raise InputError(f"{where}: {_abbreviate(value)} is neither a text nor an object")
        yield where, value
        position = _skip_space(text, position)
        end = text[position : position + 1]
        if end == "]" and not text[position + 1 :].strip():
            return
        if end != ",":
            line = text.count("\n", 0, position) + 1
            raise InputError(f"{file.name}, line {line}: this is not valid JSON: expecting , or ]")
        position = _skip_space(text, position + 1)


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def is_json_array(file: TextFile) -> bool:
    """Return whether a file is a JSON array of texts or of objects.

    Plain text may begin with a bracket, too. A file whose name ends in .json need not be valid.
    """
    if not _ARRAY.match(file.text):
        return False
    if io.suffix_of(file.path) == ".json":
        return True
    try:
        return all(True for _ in _items(file))
    except InputError:
        return False


def is_csv(file: TextFile) -> bool:
    """Return whether a file is CSV, by its suffix."""
    return io.suffix_of(file.path) == ".csv"


def json_object(line: str) -> dict[str, Any] | None:
    """Return the JSON object in a line, or None."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parts(
    file: TextFile, available: Collection[str], records: Iterable[_Record]
) -> list[FilePart]:
    """Return the parts in the fields of the records."""
    kinds: list[Kind] = ["source", "reference", "system"]
    taken = [kind for kind in kinds if file.wants(kind)]
    columns = [(kind, field) for kind in taken for field in _fields(file, kind, available)]
    document = next(iter(_fields(file, "document", available)), None)
    number = next(iter(_fields(file, "id", available)), None)
    by_line = document is None and number is None
    keys: list[Segment] = []
    in_document = Counter[str]()
    sides: dict[tuple[int, int], dict[int, str]] = {}  # by column, and place in a list in it
    for row, record in enumerate(records):
        name = "" if document is None else _id(record, document)
        in_document[name] += 1
        keys.append(
            Segment(name, str(in_document[name]) if number is None else _id(record, number))
        )
        for column, (kind, field) in enumerate(columns):
            for place, text in enumerate(_texts(record, kind, field)):
                if text is not None:
                    sides.setdefault((column, place), {})[row] = text
                elif kind == "system" and by_line:
                    raise InputError(
                        f"{record.where}: no {_field_name(field)}; each line must have it, or an id"
                    )
    n_sides = Counter(columns[column][0] for column, _ in sides)
    n_places = Counter(column for column, _ in sides)
    parts, segments = [], []
    for (column, place), texts in sorted(sides.items()):
        kind, field = columns[column]
        if n_sides[kind] == 1:
            name = file.name
        elif n_places[column] > 1:
            name = f"{field} {place + 1}"
        else:
            name = f"column {field}" if is_digits(field) else field
        if by_line:
            filled = [texts.get(row, "") for row in range(len(keys))]
            parts.append(FilePart(kind, name, file.name, filled, unit="record"))
        else:
            segments += [(kind, name, keys[row], text) for row, text in texts.items()]
    return parts or gather_parts(file, segments, keys)


def _fields(
    file: TextFile, purpose: Kind | Literal["document", "id"], available: Collection[str]
) -> list[str]:
    """Return the fields that the caller names for a purpose, else the first default name."""
    fields = file.fields
    chosen: dict[str, Sequence[str | int | None]] = {
        "reference": fields.ref,
        "system": fields.hyp,
        "source": [fields.source],
        "document": [fields.document],
        "id": [fields.id],
    }
    names = dict.fromkeys(str(field) for field in chosen[purpose] if field is not None)
    if not names:
        return [field for field in _DEFAULT_NAMES[purpose] if field in available][:1]
    missing = [field for field in names if field not in available]
    if missing and (purpose == "document" or purpose == "id" or file.requires(purpose)):
        known = ", ".join(list(available)[:_MAX_LISTED]) or "none"
        raise InputError(
            f"{file.name} has no {_field_name(missing[0])} for the {purpose}; there are: {known}"
        )
    return [field for field in names if field in available]


def _id(record: _Record, field: str) -> str:
    value = record.values.get(field)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return _check_surrogates(record, str(value).strip())
    raise _type_error(record, field, value, "a text or a whole number")


def _texts(record: _Record, kind: Kind, field: str) -> list[str | None]:
    value = record.values.get(field)
    texts: list[str | None] = []
    values = value if isinstance(value, list) and kind == "reference" else [value]
    if len(values) > _MOST_REFERENCES:
        raise InputError(
            f"{record.where}: {_field_name(field)} has {len(values)} texts; at most"
            f" {_MOST_REFERENCES} are allowed"
        )
    for text in values:
        if isinstance(text, list) and text and all(isinstance(sentence, str) for sentence in text):
            text = "\n".join(text)
        if text is not None and not isinstance(text, str):
            items = "texts" if kind == "reference" else "sentences"
            raise _type_error(record, field, text, f"a text or a list of {items}")
        texts.append(text and _check_surrogates(record, text))
    return texts


def _type_error(record: _Record, field: str, value: object, right: str) -> InputError:
    return InputError(
        f"{record.where}: {_field_name(field)} is {_abbreviate(value)}; it must be {right}"
    )


def _check_surrogates(record: _Record, text: str) -> str:
    # JSON can spell half a character, which no output could write.
    if _HALF.search(text):
        raise InputError(
            f"{record.where}: {_abbreviate(text)} has half of a surrogate pair; write both halves"
        )
    return text


def _field_name(field: str) -> str:
    return f"column {field}" if is_digits(field) else f"{field!r}"


def _abbreviate(value: object) -> str:
    shown = ascii(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
