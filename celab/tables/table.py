"""Tables whose columns are declared once: for people, and for programs.

A column has a heading and a kind, by which people see its values, and names, by which programs get
them, with every digit. A table has columns and rows; a row is any object that a column's `value`
can take something from. A result yields its tables (`Result.tables` in `celab.tables.result`), and
all else follows from them: text, TSV, Markdown, LaTeX, JSON, data frames, notebooks and pages.

>>> from operator import attrgetter
>>> from typing import NamedTuple
>>> class Size(NamedTuple):
...     system: str
...     n_segments: int
...     length: float
...     interval: tuple[float, float]
>>> COLUMNS = [
...     Column("system", NAME, attrgetter("system"), "system"),
...     Column("segments", COUNT, attrgetter("n_segments"), "segments"),
...     Column("length", SCORE, attrgetter("length"), "length"),
...     Column("95% interval", INTERVAL, attrgetter("interval"), ("low", "high")),
... ]
>>> rows = [Size("GPT-4", 1200, 1.03125, (1.0, 1.0625)), Size("IKUN", 1200, 0.875, (0.75, 1.0))]
>>> table = Table(name="system", columns=COLUMNS, rows=rows, digits=2)
>>> from celab.tables.formats import text
>>> print(text(table), end="")
system  segments  length  95% interval
GPT-4      1,200    1.03  [1.00, 1.06]
IKUN       1,200    0.88  [0.75, 1.00]
>>> table.records()[0]
{'system': 'GPT-4', 'segments': 1200, 'length': 1.03125, 'low': 1.0, 'high': 1.0625}
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from importlib.util import find_spec
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from celab.base.arrays import Numbers
from celab.base.errors import OptionError
from celab.tables import cells
from celab.tables.cells import Look
from celab.tables.view import Drawing, Line, Name

FRAME_LIBRARIES = ("pandas", "polars")


class P(NamedTuple):
    """A p-value; `least_p` is the least p that its test can give, `mark` follows the figure."""

    p: float | None
    least_p: float = 0.0
    mark: str = ""


# ---- kinds ----


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Kind:
    """A kind of value: its text for people, and its values for programs.

    Attributes:
        show: value, number of decimals and look → text; never called with None.
        stored: value → value for programs, with a part for each name of the column.
        right: whether cells are aligned to the right.
        is_name: whether values are text from outside, which must not reorder text beside it.
        array: values → column of a data frame, if it is not a plain list.
        in_frames_only: whether only data frames have the column.
    """

    show: Callable[[Any, int, Look], str]
    stored: Callable[[Any], Any] | None = None
    right: bool = True
    is_name: bool = False
    array: Callable[[list[Any]], Sequence[Any] | Numbers] | None = None
    in_frames_only: bool = False


def _floats(values: list[Any]) -> Numbers:
    return np.array(values, np.float64)  # None becomes NaN


def _segment_names(values: list[Any]) -> Sequence[Any] | Numbers:
    """Return names of segments as numbers if all are, else as texts.

    >>> _segment_names([1, 3]).tolist(), _segment_names([1, "a:1"])
    ([1, 3], ['1', 'a:1'])
    """
    if all(isinstance(value, int) for value in values):
        return np.array(values, np.int64)
    return [*map(str, values)]


def _labels(values: list[Any]) -> Numbers:
    """Return labels of a data frame as an array; each is one item, also a tuple."""
    is_whole = all(type(value) is int for value in values)
    return np.fromiter(values, np.int64 if is_whole else np.object_, len(values))


def _estimate(value: tuple[float, float | None], digits: int, look: Look) -> str:
    figure, error = value
    return cells.estimate(figure, error, digits, look)


# Text from outside: the name of a system, a segment of a text, a term.
NAME = Kind(show=lambda x, n, look: str(x), right=False, is_name=True)
# Text of celab, such as the kind of a finding.
TEXT = Kind(show=lambda x, n, look: str(x), right=False)
# Figure that is text already.
FIGURE = Kind(show=lambda x, n, look: x)
# Name of a segment: a number or an id.
SEGMENT = Kind(show=lambda x, n, look: str(x), array=_segment_names)
# Label of a segment, if the texts come from a data frame, else its index.
INDEX = Kind(show=lambda x, n, look: str(x), array=_labels, in_frames_only=True)
# Number of things.
COUNT = Kind(show=lambda x, n, look: cells.count(x))
# Score, rate, accuracy or correlation.
SCORE = Kind(show=lambda x, n, look: cells.score(x, n, look), array=_floats)
# Score and its standard error.
ESTIMATE = Kind(show=_estimate, array=_floats)
# Difference, which has a sign.
DELTA = Kind(show=lambda x, n, look: cells.difference(x, n, look), array=_floats)
# Both ends of the interval of a score, and of a difference.
INTERVAL = Kind(show=lambda x, n, look: cells.interval(x, n, look), array=_floats)
DELTA_INTERVAL = Kind(
    show=lambda x, n, look: cells.interval(x, n, look, signed=True), array=_floats
)
# p-value: a `P` or a `Difference`; programs get p only.
P_VALUE = Kind(
    show=lambda x, n, look: cells.p_value(x.p, x.least_p) + x.mark,
    stored=attrgetter("p"),
    array=_floats,
)
# Best and worst rank.
RANKS = Kind(show=lambda x, n, look: cells.ranks(x, look))
# Several numbers with slashes between them, such as wins, ties and losses.
RATIO = Kind(show=lambda x, n, look: "/".join(map(str, x)))


# ---- columns ----


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A column of a table.

    Attributes:
        heading: heading for people; "" for a column that only programs get.
        kind: kind of its values.
        value: row → value; None if absent, NaN if unknown.
        names: name in TSV, JSON and data frames, or a name for each part of a value, such as
            `("low", "high")`; () for a column that only people see.
        stored: row → value for programs, if it differs.
        digits: fixed number of decimals (default: by the table and the options).
        usual_digits: number of decimals unless the options set another (default: by the table).
        mark: row → text behind the figure, such as stars of significance.
        best: row → whether the value is the best of the column.
        cluster: row → number of its cluster, or its range of ranks; 0 without either.
    """

    heading: str
    kind: Kind
    value: Callable[[Any], Any]
    names: str | tuple[str, ...] = ()
    _: KW_ONLY
    stored: Callable[[Any], Any] | None = None
    digits: int | None = None
    usual_digits: int | None = None
    mark: Callable[[Any], str] | None = None
    best: Callable[[Any], bool] | None = None
    cluster: Callable[[Any], int | str] | None = None

    def parts(self, rows: Sequence[Any]) -> dict[str, list[Any]]:
        """Return values for programs under each name; absent ones are None."""
        values = [*map(self.stored or self.value, rows)]
        if self.kind.stored is not None and self.stored is None:
            values = [None if value is None else self.kind.stored(value) for value in values]
        if isinstance(self.names, str):
            return {self.names: values}
        absent = (None,) * len(self.names)
        several = [absent if value is None else value for value in values]
        return {name: [value[k] for value in several] for k, name in enumerate(self.names)}

    def decimals(self, wanted: int | None, of_table: int) -> int:
        """Return the number of decimals, by the options (`wanted`) and the table."""
        if self.digits is not None:
            return self.digits
        if wanted is not None:
            return wanted
        return of_table if self.usual_digits is None else self.usual_digits

    def text(self, row: Any, digits: int) -> str:
        """Return what people see of a row, a `Name` if it is from outside."""
        value = self.value(row)
        if value is None:
            return ""
        written = self.kind.show(value, digits, "plain")
        if self.mark is not None:
            written += self.mark(row)
        return Name(written) if self.kind.is_name else written

    def marks(self, row: Any) -> tuple[bool, int | str]:
        """Return whether a row has the best value, and its cluster or range of ranks, if any."""
        is_best = self.best is not None and self.best(row)
        return is_best, 0 if self.cluster is None else self.cluster(row)


def named(kind: Kind, *names: str) -> list[Column]:
    """Return columns of one kind, whose headings and names are names of attributes of the rows."""
    return [Column(name, kind, attrgetter(name), name) for name in names]


def text_columns(headings: Sequence[str], right: Collection[int] = ()) -> list[Column]:
    """Return columns of rows that are lists of ready-made texts.

    Parameters:
        headings: a heading for each text of a row.
        right: places of the columns that are aligned to the right, from 0.
    """
    return [
        Column(heading, FIGURE if i in right else TEXT, itemgetter(i))
        for i, heading in enumerate(headings)
    ]


def segment_columns(
    name: Callable[[Any], Any],
    place: Callable[[Any], int | None],
    index: Sequence[Any] | None = None,
    heading: str = "segment",
) -> list[Column]:
    """Return the column of a segment's name, after the column of its index for data frames.

    Parameters:
        name: row → name of the segment.
        place: row → index of the segment; None for a row without a segment.
        index: labels of the segments, if the texts come from a data frame (default: indices).
        heading: heading of the name for people; "" if only programs get it.
    """

    def label(row: Any) -> Any:
        at = place(row)
        return at if at is None or index is None else index[at]

    return [Column("", INDEX, label, "index"), Column(heading, SEGMENT, name, "segment")]


# ---- tables ----


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Table:
    """Columns and rows; a row is any object that the columns take values from.

    A table without headings is for programs only, a table without names of columns for people only.

    Attributes:
        name: noun for a row, such as "system": its key in JSON, `level` of a data frame and
            `--level` of a command; "" for a table for people only.
        columns: the columns.
        rows: the rows, or a function that computes them when they are needed.
        digits: decimals of figures, or row → decimals.
        title: line above the table.
        notes: lines directly below the table.
        group: row → group; a rule is drawn above the first row of each group.
        most: number of rows that people see by default (default: all).
        on_request: whether the table is shown and written only if it is named.
        fold: title under which a notebook folds the table; "" to show it.
        text: lines that a terminal shows instead of columns, such as texts below each other; papers
            have neither.
    """

    name: str = ""
    columns: Sequence[Column]
    rows: Sequence[Any] | Callable[[], Sequence[Any]]
    digits: int | Callable[[Any], int] = 4
    title: str = ""
    notes: Sequence[Line] = ()
    group: Callable[[Any], object] | None = None
    most: int | None = None
    on_request: bool = False
    fold: str = ""
    text: str = ""

    def all_rows(self) -> Sequence[Any]:
        """Return the rows; if `rows` is a function, call it."""
        return self.rows() if callable(self.rows) else self.rows

    # ---- for programs ----

    def for_programs(self) -> Table:
        """Return the table for programs alone."""
        columns = [replace(column, heading="") for column in self.columns if column.names]
        return replace(self, columns=columns)

    @property
    def is_stored(self) -> bool:
        """Whether programs get the table."""
        return any(column.names for column in self.columns)

    def values(self) -> dict[str, list[Any]]:
        """Return the values of all rows under the names of the columns, with every digit."""
        rows = self.all_rows()
        return {
            name: values
            for column in self.columns
            if column.names and not column.kind.in_frames_only
            for name, values in column.parts(rows).items()
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a dict for each row, with all digits; absent values are None."""
        values = self.values()
        return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]

    def frame(self, library: str | None = None) -> Any:
        """Return a data frame of pandas or polars; absent figures are NaN in pandas."""
        rows = self.all_rows()
        arrays: dict[str, Any] = {}
        for column in self.columns:
            array = column.kind.array or list
            arrays |= {name: array(part) for name, part in column.parts(rows).items()}
        return _data_frame(arrays, library)

    # ---- for people ----

    def for_people(self) -> Table:
        """Return the table for people alone."""
        columns = [replace(column, names=()) for column in self.columns if column.heading]
        return replace(self, name="", columns=columns)

    @property
    def is_shown(self) -> bool:
        """Whether people see the table."""
        return any(column.heading for column in self.columns)

    @property
    def shown_columns(self) -> list[Column]:
        """The columns that people see."""
        return [column for column in self.columns if column.heading]

    def shown_rows(self, *, all_rows: bool = False) -> Sequence[Any]:
        """Return the rows that people see, or all."""
        return self.all_rows()[: None if all_rows else self.most]

    def texts(self, row: Any, digits: int | None = None) -> list[str]:
        """Return what people see of a row in each column.

        Parameters:
            row: one of the rows.
            digits: decimals of figures (default: those of the table).
        """
        of_row = self.digits(row) if callable(self.digits) else self.digits
        return [column.text(row, column.decimals(digits, of_row)) for column in self.shown_columns]

    def rules(self, rows: Sequence[Any]) -> list[int]:
        """Return the numbers of the rows above which a line is drawn."""
        groups = [] if self.group is None else [*map(self.group, rows)]
        return [i for i in range(1, len(groups)) if groups[i] != groups[i - 1]]

    def whole(self) -> Table:
        """Return the table with all rows and, if people do not see it otherwise, all columns."""
        columns = self.columns
        if not self.is_shown:
            columns = [
                replace(column, heading=column.heading or _name(column))
                for column in columns
                if not column.kind.in_frames_only
            ]
        return replace(self, columns=columns, most=None, on_request=False)


# Parts that a result yields: tables, drawings, and lines between them.
Part: TypeAlias = Table | Drawing | Sequence[Line]


def for_people(parts: Iterable[Part]) -> list[Part]:
    """Return the parts that people see; programs get none of these tables."""
    shown = (part for part in parts if not isinstance(part, Table) or part.is_shown)
    return [part.for_people() if isinstance(part, Table) else part for part in shown]


def _data_frame(columns: Mapping[str, Sequence[Any] | Numbers], library: str | None) -> Any:
    """Return columns as a data frame; absent numbers are NaN in pandas and null in polars."""
    if library is None:
        library = next((name for name in FRAME_LIBRARIES if find_spec(name)), None)
        if library is None:
            raise OptionError(
                "a data frame needs pandas or polars; neither is installed: pip install pandas"
            )
    if library not in FRAME_LIBRARIES:
        raise OptionError("library", library, f"choose from {', '.join(FRAME_LIBRARIES)}")
    if find_spec(library) is None:
        raise OptionError(f"library is {library!r}, which is not installed: pip install {library}")
    data_frame = importlib.import_module(library).DataFrame
    # Texts as lists: data frames do not use NumPy's string type, nor polars that of objects.
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    listed = {name: x.tolist() if x.dtype.kind in "UO" else x for name, x in arrays.items()}
    if library == "pandas":
        return data_frame(listed)
    return data_frame(listed, nan_to_null=True, strict=False)


def _name(column: Column) -> str:
    return column.names if isinstance(column.names, str) else ", ".join(column.names)
