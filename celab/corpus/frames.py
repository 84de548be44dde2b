"""Columns of data frames of pandas or polars, and of data sets of Hugging Face `datasets`.

A dot leads into a column of objects, as in `translation.zh`. A row may have a list of references.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from celab.base.errors import InputError
from celab.base.text import sequences
from celab.base.text.sequences import is_missing, items_of
from celab.corpus.formats.json_text import value_at

_RIGHT = "it must be a data frame of pandas or polars, or a datasets.Dataset"


class Frame(Protocol):
    """A mapping of names to columns."""

    def __getitem__(self, name: str, /) -> Iterable[object]:
        """Return a column."""


def column_names(frame: Frame) -> list[str]:
    """Return the names of the columns."""
    kind = type(frame).__name__
    if kind == "DatasetDict":
        raise InputError(f"the data set is a {kind}; give one of its splits, such as ['test']")
    if kind == "LazyFrame":
        raise InputError(f"the data frame is a {kind}; give its collect()")
    names = sequences.column_names(frame)
    if names is None or not hasattr(frame, "__len__"):
        raise InputError(f"the data frame is of type {kind}; {_RIGHT}")
    return [str(name) for name in names]


def text_column(frame: Frame, name: str) -> list[str | None]:
    """Return the texts of a column; None where it has no value."""
    texts: list[str | None] = []
    for row, value in enumerate(_values(frame, name), start=1):
        if value is not None and not isinstance(value, str):
            raise _type_error(name, row, value, "a str")
        texts.append(value)
    return texts


def full_column(frame: Frame, name: str, what: str = "translation") -> list[str]:
    """Return the texts of a column, none of which may be absent; messages call one `what`."""
    texts = text_column(frame, name)
    for row, text in enumerate(texts, start=1):
        if text is None:
            raise InputError(
                f"column {name!r}, row {row}: the {what} is absent",
                hint='fill the column first: fillna("") in pandas, fill_null("") in polars',
            )
    return [text or "" for text in texts]


def reference_columns_of(frame: Frame, names: Iterable[str]) -> list[list[str | None]]:
    """Return one list for each reference in the columns, whose values may be lists."""
    sides: list[list[str | None]] = []
    for name in names:
        rows = [_references(name, row, value) for row, value in enumerate(_values(frame, name), 1)]
        n_references = max(map(len, rows), default=1)
        sides += [
            [row[place] if place < len(row) else None for row in rows]
            for place in range(max(1, n_references))
        ]
    return sides


def _references(name: str, row: int, value: object) -> list[str | None]:
    values = list(value) if isinstance(value, Iterable) and _is_list(value) else [value]
    texts: list[str | None] = []
    for text in values:
        if text is not None and not isinstance(text, str):
            raise _type_error(name, row, text, "a str, or a list of them")
        texts.append(text)
    return texts


def _is_list(value: object) -> bool:
    is_array = type(value).__name__ in ("ndarray", "Series")  # of pandas, and of polars
    return is_array or (isinstance(value, Sequence) and not isinstance(value, str))


def _values(frame: Frame, name: str) -> list[object]:
    names = column_names(frame)
    column, _, path = (name, "", "") if name in names else name.partition(".")
    if column not in names:
        raise InputError(f"the data frame has no column {name!r}; it has {', '.join(names)}")
    values = items_of(frame[column], f"column {column!r}")
    if path:
        values = [value_at(row, path) for row in values]
    return [None if is_missing(value) else value for value in values]


def _type_error(name: str, row: int, value: object, right: str) -> InputError:
    kind = type(value).__name__
    return InputError(f"column {name!r}, row {row}: {kind} is not text; it must be {right}")
