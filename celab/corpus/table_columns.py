"""The columns of a table, before its texts are read: names, and the text that each seems to have.

Nobody has to name columns that the reader knows; a page asks for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from celab.base import io
from celab.base.options import LIMITS, Limits
from celab.corpus import formats
from celab.corpus.formats.fields import KNOWN_NAMES, guess_kinds
from celab.corpus.formats.quoting import Row
from celab.corpus.formats.quoting import rows_of as tsv_rows
from celab.corpus.formats.records import csv_rows, may_be_name, separator_of
from celab.corpus.formats.sheets import rows_of as sheet_rows
from celab.corpus.model import Fields, Role, TextFile

_TRIED = 20  # rows whose cells tell what a column has
_LONGEST_NAME = 30  # characters
_ENDS = tuple("。！？….!?")  # of sentences


class Column(NamedTuple):
    """A column, by the cells of the first two rows."""

    name: str
    text: str
    kind: Role | None  # the text that it seems to have


class Columns(NamedTuple):
    """The columns of a table; none if the file is no table."""

    columns: list[Column]
    has_names: bool  # whether the first row seems to name them


def columns_of(path: str, lang: str | None = None, limits: Limits = LIMITS) -> Columns:
    """Return the columns of a workbook, a CSV or a TSV file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.csv")
    >>> with open(path, "w", encoding="utf-8") as file:
    ...     _ = file.write("原文,参考译文,译文\\nAn umbrella.,雨伞。,伞。\\n")
    >>> [column.kind for column in columns_of(path).columns]
    ['source', 'reference', 'system']
    """
    file = formats.read_file(TextFile("", "", "", None, Fields(), lang), path, None, limits)
    rows = [cells for _, cells in islice(_rows(file), _TRIED)]
    if not rows:
        return Columns([], False)
    first, second = rows[0], rows[1] if len(rows) > 1 else []
    has_names = _has_names(rows)
    names = first if has_names else [str(number) for number in range(1, len(first) + 1)]
    sample = [dict(zip(names, row, strict=False)) for row in rows[has_names:]]
    kinds = guess_kinds(names, sample, lang)
    texts = second + [""] * (len(first) - len(second))
    columns = [
        Column(cell, text, kinds.get(name))
        for cell, text, name in zip(first, texts, names, strict=False)
    ]
    return Columns(columns, has_names)


def _rows(file: TextFile) -> Iterator[Row]:
    """Return the rows of a table, or none."""
    suffix, first = io.suffix_of(file.path), file.text.partition("\n")[0]
    if file.format == "xlsx":
        return sheet_rows(file.text)
    if suffix == ".csv":
        return csv_rows(file.text, file.name, separator_of(file.text, KNOWN_NAMES))
    is_table = suffix == ".tsv" and ("\t" in first or formats.recognize(file) == "tsv")
    return tsv_rows(file.text, file.name) if is_table else iter(())


def _has_names(rows: list[list[str]]) -> bool:
    """Return whether the first row names columns: a name is known, or all cells may be names."""
    first, *others = rows
    if len({*first}) < len(first):
        return False
    if not KNOWN_NAMES.isdisjoint(map(str.lower, first)) or all(map(may_be_name, first)):
        return True
    are_short = all(
        cell.strip() and len(cell) <= _LONGEST_NAME and not cell.endswith(_ENDS) for cell in first
    )
    lengths = [sum(map(len, row)) for row in others]
    is_shorter = sum(map(len, first)) * len(lengths) < sum(lengths)
    have_sentences = any(cell.endswith(_ENDS) for row in others for cell in row)
    return are_short and (is_shorter or have_sentences)
