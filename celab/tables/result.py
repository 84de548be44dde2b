"""Methods of all results: plain data, JSON, views and what is made of them.

A result says by `view` what is shown of it. Pages and plots are made by `celab.report`, which
imports the results; their methods that make pages and plots import it when they are called.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.text.escapes import dump_json
from celab.tables.view import NORMAL, RENDERERS, View, ViewOptions, line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Level = Literal["system", "segment"]  # of a data frame
_PLAIN = frozenset({str, int, bool, type(None)})
DataFrame: TypeAlias = Any  # of pandas or polars, by the name of the library or what is installed


class Result:
    """Base class of results: the methods that they share."""

    __slots__ = ()
    _omitted: ClassVar[frozenset[str]] = frozenset()  # fields that are not data to keep

    def to_dict(self) -> JsonObject:
        """Return the result as dicts, lists, strings and numbers; None stands for NaN."""
        return _fields(cast("DataclassInstance", self), self._omitted)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return `to_dict` as JSON; NaN becomes null."""
        return dump_json(self.to_dict(), indent=indent)[:-1]

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return what is shown of the result: tables, and lines beside them."""
        return View([[line(repr(self))]])

    def _repr_html_(self) -> str:
        # Called by notebooks, which alone need templates.
        from celab.tables.templating import rendered

        return rendered(self.view(ViewOptions(detail="full")))


class PrintedResult(Result):
    """Base class of results that `print` shows as text."""

    __slots__ = ()

    def __str__(self) -> str:
        return RENDERERS["text"](self.view()).rstrip("\n")


def plain(value: object) -> Any:
    """Return anything in a result as what JSON can hold.

    >>> plain({"a": (1.0, float("nan")), "b": np.arange(2)})
    {'a': [1.0, None], 'b': [0, 1]}
    """
    kind = type(value)
    if kind in _PLAIN:  # most values, and what follows takes long
        return value
    if kind is list or kind is tuple:
        return [plain(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value, getattr(value, "_omitted", frozenset()))
    if hasattr(value, "_asdict"):  # a named tuple
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def _fields(value: DataclassInstance, omitted: frozenset[str] = frozenset()) -> JsonObject:
    names = (spec.name for spec in fields(value) if spec.name not in omitted)
    return {name: plain(getattr(value, name)) for name in names}
