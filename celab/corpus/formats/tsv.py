"""Tab-separated values: one segment a line, tabs alone part the columns, and quotes are text.

If all fields are given by number there is no header; if one is given by name, or none at all, the
first line is the header. All lines must have as many columns as the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from celab.corpus.files import lines_of, suffix_of
from celab.corpus.formats.tables import Record, parts
from celab.corpus.model import Part, TextFile
from celab.errors import InputError


def recognises(file: TextFile) -> bool:
    """Whether the suffix says so and fields are given; plain text may hold tabs too."""
    return suffix_of(file.path) == ".tsv" and bool(file.fields)


def read(file: TextFile) -> list[Part]:
    """One part a column that is wanted."""
    rows = [line.split("\t") for line in lines_of(file.text)]
    columns = {str(number): number - 1 for number in range(1, len(rows[0]) + 1)}
    has_header = not file.fields or any(
        not str(field).isdecimal()
        for field in (*file.fields.ref, *file.fields.hyp, file.fields.source,
                      file.fields.document, file.fields.id)
        if field is not None
    )  # fmt: skip
    if has_header:
        _check_header(file, rows[0])
        columns = {name: place for place, name in enumerate(rows[0])} | columns
    return parts(file, columns, _records(file, rows, columns, has_header))


def _check_header(file: TextFile, header: list[str]) -> None:
    name, count = Counter(header).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"{file.name}, line 1: column {name!r} is there {count} times; "
            "each must have a name of its own, or be given by number"
        )


def _records(
    file: TextFile, rows: list[list[str]], columns: dict[str, int], has_header: bool
) -> Iterator[Record]:
    for line, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InputError(
                f"{file.name}, line {line}: {len(row)} column{'s' * (len(row) != 1)}, "
                f"line 1 has {len(rows[0])}; they must agree"
            )
        if line > 1 or not has_header:
            yield Record(line, {name: row[place] for name, place in columns.items()})
