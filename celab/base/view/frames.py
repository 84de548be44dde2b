"""Columns of a result → a data frame of pandas or polars."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from celab.base.arrays import Numbers
from celab.base.errors import OptionError, suggest

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
    # Texts as lists: data frames do not use NumPy's string type.
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    listed = {name: x.tolist() if x.dtype.kind == "U" else x for name, x in arrays.items()}
    return data_frame(listed) if library == "pandas" else data_frame(listed, nan_to_null=True)


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
