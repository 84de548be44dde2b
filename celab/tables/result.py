"""Base class of all results, with their output as text, JSON, data frames and notebooks.

A result yields its tables by `tables`; columns are declared once (`celab.tables.table`). Pages
and plots are made by `celab.report`, which imports the results; their methods that make pages and
plots import it when they are called.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.errors import OptionError, suggest
from celab.base.text.escapes import dump_json
from celab.tables.formats import render
from celab.tables.table import Part, Table
from celab.tables.view import Detail, line

JSON_FORMAT = 2
Level = Literal["system", "segment"]  # what a row of a data frame is
_PLAIN = frozenset({str, int, bool, type(None)})
DataFrame: TypeAlias = Any  # a data frame of pandas or polars


class Result:
    """Base class of results: a subclass defines `tables`, and inherits all other methods."""

    __slots__ = ()
    _omitted: ClassVar[frozenset[str]] = frozenset()  # fields that plain data leaves out

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield tables, and lines beside them, in the order in which people read them."""
        yield [line(repr(self))]

    def facts(self) -> JsonObject:
        """Return the part of the JSON that is not in tables, such as signatures and settings."""
        return {}

    # ---- for programs ----

    def level_table(self, name: str | None = None) -> Table:
        """Return a table by its name (default: the first one that programs get)."""
        stored = [x for x in self.tables("full") if isinstance(x, Table) and x.is_stored]
        names = [table.name for table in stored]
        if not stored:
            raise OptionError(f"{type(self).__name__} has no tables of figures")
        if name is None:
            return stored[0]
        if name not in names:
            raise OptionError("level", name, suggest(str(name), names))
        return stored[names.index(name)]

    def to_dict(self, *, level: str | None = None) -> JsonObject:
        """Return the result as plain data: its facts, and the rows of each table under its name.

        Parameters:
            level: name of a table that is written only on request, such as "segment".
        """
        if type(self).tables is Result.tables and type(self).facts is Result.facts:
            return plain_fields(self, self._omitted)
        tables = {
            table.name: plain(table.records())
            for table in self.tables("full")
            if isinstance(table, Table)
            and table.is_stored
            and (not table.on_request or table.name == level)
        }
        return {"format": JSON_FORMAT, **plain(self.facts()), **tables}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return `to_dict` as JSON; NaN becomes null."""
        return dump_json(self.to_dict(), indent=indent)[:-1]

    def to_dataframe(self, library: str | None = None, *, level: str | None = None) -> DataFrame:
        """Return a table as a data frame, with the columns of TSV and JSON.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: name of the table (default: the first one).
        """
        return self.level_table(level).frame(library)

    # ---- for people ----

    def render(
        self,
        format: str = "text",
        *,
        detail: Detail = "normal",
        level: str | None = None,
        digits: int | None = None,
    ) -> str:
        """Return the result as "text", "tsv", "markdown" or "latex".

        Parameters:
            format: TSV is one table with all digits; other formats are for people.
            detail: level of detail.
            level: name of the only table to show, with all rows.
            digits: decimals of figures (default: by column).
        """
        parts = self.tables(detail) if level is None else [self.shown_level(level, format)]
        return render(parts, format, digits, all_rows=detail == "full")

    def shown_level(self, level: str, format: str) -> Table:
        """Return the table to show alone: for TSV that of programs, else that of people, if any."""
        stored = self.level_table(level)
        tables = (x for x in self.tables("full") if isinstance(x, Table) and x.name == level)
        shown = next((table for table in tables if table.is_shown), stored)
        return stored if format == "tsv" else shown.whole()

    def _repr_html_(self) -> str:
        # Called by notebooks, which alone need templates.
        from celab.tables.templating import notebook_html

        return notebook_html(self.tables("full"))


class PrintedResult(Result):
    """Base class of results that `print` shows as text."""

    __slots__ = ()

    def __str__(self) -> str:
        return render(self.tables()).rstrip("\n")


def plain(value: object) -> Any:
    """Return a value of a result in types of JSON.

    >>> plain({"a": (1.0, float("nan")), "b": np.arange(2)})
    {'a': [1.0, None], 'b': [0, 1]}
    """
    kind = type(value)
    if kind in _PLAIN:  # fast path for most values
        return value
    if kind is list or kind is tuple:
        return [plain(item) for item in cast("Sequence[object]", value)]
    # A result names its JSON format, but not where it is a part of another result.
    if isinstance(value, Result):
        data = value.to_dict()
        data.pop("format", None)
        return data
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value, getattr(value, "_omitted", frozenset()))
    if hasattr(value, "_asdict"):  # a named tuple
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def plain_fields(value: Any, omitted: frozenset[str] = frozenset()) -> JsonObject:
    """Return the fields of a dataclass as plain data."""
    names = (spec.name for spec in fields(value) if spec.name not in omitted)
    return {name: plain(getattr(value, name)) for name in names}
