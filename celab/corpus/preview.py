"""The columns of a table, before its texts are read.

The playground shows them, so that a user can choose the columns that are not recognized.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from celab.base import io
from celab.base.options import LIMITS, Limits
from celab.corpus import formats
from celab.corpus.formats import quoting, records
from celab.corpus.formats.fields import KNOWN_NAMES, guess_roles
from celab.corpus.formats.headers import MAX_SAMPLE_ROWS, clean_name, count_titles, has_header
from celab.corpus.formats.quoting import Row
from celab.corpus.formats.sheets import unpadded_rows
from celab.corpus.model import Fields, Role, TextFile


class ColumnPreview(NamedTuple):
    """A column, by the cells of the first two rows."""

    name: str
    text: str
    role: Role | None  # role of the texts that it seems to have


class TablePreview(NamedTuple):
    """The columns of a table; none if the file is not a table."""

    columns: list[ColumnPreview]
    has_names: bool  # whether the first row seems to name the columns


def columns_of(path: str, lang: str | None = None, limits: Limits = LIMITS) -> TablePreview:
    """Return the columns of a workbook, a CSV or a TSV file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> with open(path, "w", encoding="utf-8") as file:
    ...     _ = file.write("原文,参考译文,译文\\nAn umbrella.,雨伞。,伞。\\n")
    >>> [column.role for column in columns_of(path).columns]
    ['source', 'reference', 'system']
    """
    file = formats.read_file(
        TextFile(path="", name="", text="", role=None, fields=Fields(), lang=lang),
        path,
        None,
        limits,
    )
    rows = [cells for _, cells in islice(_table_rows(file), MAX_SAMPLE_ROWS)]
    if not rows:
        return TablePreview([], False)
    rows = rows[count_titles(rows) :]
    first, second = rows[0], rows[1] if len(rows) > 1 else []
    has_names = has_header(rows)
    if has_names:
        first = [*map(clean_name, first)]
    names = first if has_names else [str(number) for number in range(1, len(first) + 1)]
    sample = [dict(zip(names, row, strict=False)) for row in rows[has_names:]]
    roles = guess_roles(names, sample, lang)
    texts = second + [""] * (len(first) - len(second))
    columns = [
        ColumnPreview(cell, text, roles.get(name))
        for cell, text, name in zip(first, texts, names, strict=False)
    ]
    return TablePreview(columns, has_names)


def _table_rows(file: TextFile) -> Iterator[Row]:
    """Return the rows of a table, or none."""
    suffix, first = io.suffix_of(file.path), file.text.partition("\n")[0]
    if file.format == "xlsx":
        return unpadded_rows(file.text)
    if suffix == ".csv":
        return records.csv_rows(file.text, file.name, records.separator_of(file.text, KNOWN_NAMES))
    is_table = suffix == ".tsv" and ("\t" in first or formats.recognize(file) == "tsv")
    return quoting.rows_of(file.text, file.name) if is_table else iter(())
