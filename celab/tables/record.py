"""The columns of a result, for programs: each is written once, for TSV and for data frames.

A record says what its columns are; rows are whatever the columns take their values from. TSV and
data frames may have different columns of a record, and different rows.

>>> record = Record(*fields("name", "system"), Field("size", "number", column="n"))
>>> from collections import namedtuple
>>> row = namedtuple("Row", "system size")("A", 0.5)
>>> table = record.table([row])
>>> table.headings, table.rows[0][1].value
(['system', 'size'], 0.5)
>>> list(record.columns([row]))
['system', 'n']
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np

from celab.base.arrays import Numbers
from celab.base.errors import OptionError, suggest
from celab.tables import cells
from celab.tables.cells import Cell
from celab.tables.view import VisibleTable

# Columns of a result → a data frame of pandas or polars.

LIBRARIES = ("pandas", "polars")
LEVELS = ("system", "segment")
Column: TypeAlias = Sequence[Any] | Numbers


def frame(columns: Mapping[str, Column], library: str | None = None) -> Any:
    """Return a data frame; absent numbers are NaN in pandas and null in polars."""
    if library is None:
        library = next((name for name in LIBRARIES if find_spec(name)), None)
        if library is None:
            raise OptionError(
                "a data frame needs pandas or polars; neither is installed: pip install pandas"
            )
    if library not in LIBRARIES:
        raise OptionError("library", library, f"choose from {', '.join(LIBRARIES)}")
    if find_spec(library) is None:
        raise OptionError(f"library is {library!r}, which is not installed: pip install {library}")
    data_frame = importlib.import_module(library).DataFrame
    # Texts as lists: data frames do not use NumPy's string type, nor polars that of objects.
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    listed = {name: x.tolist() if x.dtype.kind in "UO" else x for name, x in arrays.items()}
    if library == "pandas":
        return data_frame(listed)
    return data_frame(listed, nan_to_null=True, strict=False)


def check_level(level: str, levels: Sequence[str] = LEVELS) -> None:
    """Raise unless a data frame has this level."""
    if level not in levels:
        raise OptionError("level", level, suggest(str(level), levels))


def name_column(names: Sequence[int | str]) -> Column:
    """Return the names of segments as a column: of numbers if all are, else of texts.

    >>> name_column([1, 3]).tolist(), name_column([1, "a:1"])
    ([1, 3], ['1', 'a:1'])
    """
    if all(isinstance(name, int) for name in names):
        return np.array(names, np.int64)
    return [str(name) for name in names]


def with_index(
    columns: Mapping[str, Column],
    places: Iterable[int | None],
    index: Sequence[Any] | None = None,
) -> dict[str, Column]:
    """Return columns with a column `index` before `segment`, from the places of rows, from 0.

    It has the places, or the labels at these places in the `index` of a data frame; a row about no
    segment has None.

    >>> with_index({"system": ["A"], "segment": [3]}, [2])
    {'system': ['A'], 'index': array([2]), 'segment': [3]}
    >>> with_index({"segment": [3, ""]}, [2, None], "abc")["index"].tolist()
    ['c', None]
    """
    labels = [place if place is None or index is None else index[place] for place in places]
    is_whole = all(type(label) is int for label in labels)
    # Each label is one item, also a tuple.
    column = np.fromiter(labels, np.int64 if is_whole else np.object_, len(labels))
    indexed: dict[str, Column] = {}
    for name, values in columns.items():
        indexed |= {"index": column} if name == "segment" else {}
        indexed[name] = values
    return indexed


# A name comes from outside; a segment is a number or an id; a count has commas in TSV.
FieldType = Literal["name", "text", "segment", "number", "integer", "count"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Field:
    """A column of a record.

    Attributes:
        name: its name in the record, and its heading in TSV.
        type: what its values are; all but a segment may be None, if they are absent.
        value: its value in a row (default: the attribute or the item of its name; an item that a
            row has not is absent).
        column: its name in a data frame (default: the same).
        digits: decimals of a number in TSV (default: every digit).
    """

    name: str
    type: FieldType
    value: Callable[[Any], Any] | None = None
    column: str | None = None
    digits: int | None = None

    def values(self, rows: Iterable[Any]) -> list[Any]:
        """Return the values of rows."""
        return [self.value(row) if self.value else _named(row, self.name) for row in rows]

    def cell(self, value: Any) -> Cell | str:
        """Return a value as a cell of a table."""
        if value is None:
            return ""
        if self.type == "count":
            return cells.count(value)
        if self.type in ("number", "integer"):
            return cells.score(value, self.digits)
        return cells.name(value) if self.type == "name" else str(value)

    def array(self, values: list[Any]) -> Column:
        """Return values as a column of a data frame; absent numbers are NaN."""
        if self.type == "number":
            return np.array(values, np.float64)
        return name_column(values) if self.type == "segment" else values


def _named(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, dict) else getattr(row, name)


def fields(type: FieldType, *names: str) -> list[Field]:
    """Return columns of one type, whose values are attributes of the rows."""
    return [Field(name, type) for name in names]


class Record:
    """The columns that a result has in TSV and in data frames."""

    def __init__(self, *columns: Field) -> None:
        self.fields = {column.name: column for column in columns}

    def table(self, rows: Sequence[Any], names: Iterable[str] | None = None) -> VisibleTable:
        """Return the table that TSV is written of, with the columns of these names."""
        chosen = self._chosen(names)
        columns = [[field.cell(value) for value in field.values(rows)] for field in chosen]
        right = [i for i, field in enumerate(chosen) if field.type not in ("name", "text")]
        headings = [field.name for field in chosen]
        return VisibleTable(
            headings=headings, rows=list(map(list, zip(*columns, strict=True))), right=right
        )

    def columns(self, rows: Sequence[Any], names: Iterable[str] | None = None) -> dict[str, Column]:
        """Return the columns of these names for a data frame."""
        chosen = self._chosen(names)
        return {field.column or field.name: field.array(field.values(rows)) for field in chosen}

    def frame(
        self, rows: Sequence[Any], names: Iterable[str] | None = None, library: str | None = None
    ) -> Any:
        """Return a data frame of pandas or polars, with the columns of these names."""
        return frame(self.columns(rows, names), library)

    def _chosen(self, names: Iterable[str] | None) -> list[Field]:
        return [self.fields[name] for name in (self.fields if names is None else names)]
