"""Small JSON files: models, weights and notes → values that have been checked.

    read_json      path → value and SHA-256 of the file
    parse_json     bytes → value
    unique_keys    pairs of an object → the object
    check          value, shape → nothing, or a `ShapeError`

Such files are small and may come from anybody, so the reader is strict: a regular file of limited
size, decompressed; no key twice in an object; no NaN, no infinity. A shape says
what must be in a value:

>>> shape = Object({"name": Text(), "weights": List(Number(), least=1)})
>>> check({"name": "a", "weights": [0.5, 2]}, shape)
>>> check({"name": "a", "weights": [0.5, True]}, shape)
Traceback (most recent call last):
celab.base.json_files.ShapeError: weights[1] is True; it must be a number from -1e+100 to 1e+100
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

from celab.base import io
from celab.base.errors import InputError, LimitError
from celab.base.options import GREATEST
from celab.base.text.escapes import escape_controls

MAX_BYTES = 1 << 24  # decompressed
_MAX_SHOWN = 40  # characters of a value in a message


class JsonError(ValueError):
    """Bytes that are not JSON, or that are nested too deeply."""


class RepeatedKeyError(JsonError):
    """An object that has a key twice."""


class ShapeError(ValueError):
    """A value that does not have its shape."""


# ---- files ----


def read_json(path: io.AnyPath, name: str, expected: str) -> tuple[Any, str]:
    """Return the value in a file, `-` being standard input, and the SHA-256 of its bytes.

    Raises `InputError`; `JsonError` if it is not JSON, so that the caller can say what it must be.
    """
    with io.reading(name, InputError, expected):
        if os.fspath(path) == "-":
            if sys.stdin is None:
                raise InputError("standard input is closed; give the path of a file instead of -")
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            io.check_regular(path, name, InputError, expected)
            with io.open_binary(path) as file:
                data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise LimitError(
            f"{name} has more than {MAX_BYTES >> 20} MiB, which is the limit; it must be {expected}"
        )
    return parse_json(data), hashlib.sha256(data).hexdigest()


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text; `JsonError` if it is not one.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json('{"a": NaN}')
    Traceback (most recent call last):
    celab.base.json_files.JsonError: NaN is not a number of JSON
    """
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        return _DECODER.decode(data.decode("utf-8-sig"))
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise JsonError(f"it is not JSON ({where})") from None
    except RecursionError:
        raise JsonError("it is nested too deeply") from None
    except ValueError:  # no UTF-8, or a number of thousands of digits
        raise JsonError("it is not JSON in UTF-8") from None


def refuse_constant(name: str) -> float:
    """Raise `JsonError`: for `parse_constant` of `json`, which would take NaN and infinity."""
    raise JsonError(f"{name} is not a number of JSON")


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these pairs; `RepeatedKeyError` if a key occurs twice.

    For `object_pairs_hook` of `json`, which would keep the last of them.
    """
    value = dict(pairs)
    if len(value) < len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise RepeatedKeyError(f"the key {_abbreviate(key)} occurs twice in an object")
            keys.add(key)
    return value


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, object_pairs_hook=unique_keys)


# ---- shapes ----


def check(value: object, shape: Shape, place: str = "") -> None:
    """Raise `ShapeError` unless the value has the shape; `place` is where it stands."""
    shape.check(value, place)


class Shape(ABC):
    """A condition that a value must meet."""

    @abstractmethod
    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value has the shape."""


class Anything(Shape):
    """Any JSON."""

    def check(self, value: object, place: str) -> None:
        """Accept every value."""


@dataclass(frozen=True, eq=False, repr=False)
class Text(Shape):
    """A string, which may have to match a pattern."""

    pattern: str = ""
    right: str = "a string"

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is a string that matches."""
        if not isinstance(value, str) or not re.fullmatch(self.pattern or "(?s:.*)", value):
            raise _wrong(value, place, self.right)


@dataclass(frozen=True, eq=False, repr=False)
class Number(Shape):
    """A finite number."""

    least: float = -GREATEST
    most: float = GREATEST

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is a number within the limits."""
        if not _is_number(value, int | float) or not self.least <= value <= self.most:  # type: ignore[operator]
            raise _wrong(value, place, f"a number from {self.least:g} to {self.most:g}")


@dataclass(frozen=True, eq=False, repr=False)
class Whole(Shape):
    """A whole number."""

    least: int = 0
    most: int = (1 << 63) - 1

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is a number within the limits."""
        if not _is_number(value, int) or not self.least <= value <= self.most:  # type: ignore[operator]
            raise _wrong(value, place, f"a whole number from {self.least} to {self.most}")


class SegmentKey(Shape):
    """The name of a segment: a whole number or a text."""

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is a whole number or a text."""
        if not isinstance(value, str):
            Whole().check(value, place)


@dataclass(frozen=True, eq=False, repr=False)
class Optional(Shape):
    """A value that may be null."""

    shape: Shape

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is null or has the shape."""
        if value is not None:
            self.shape.check(value, place)


@dataclass(frozen=True, eq=False, repr=False)
class List(Shape):
    """A list of values of one shape."""

    shape: Shape
    least: int = 0
    most: int = 1 << 24

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is a list of values of the shape."""
        if not isinstance(value, list):
            raise _wrong(value, place, "a list")
        if not self.least <= len(value) <= self.most:
            valid = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
            raise ShapeError(f"{_at(place)} has {len(value)} values; it must have {valid}")
        for number, item in enumerate(value):
            self.shape.check(item, f"{place}[{number}]")


@dataclass(frozen=True, eq=False, repr=False)
class Dictionary(Shape):
    """An object with any keys, whose values have one shape."""

    shape: Shape

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the value is an object with values of the shape."""
        if not isinstance(value, dict):
            raise _wrong(value, place, "an object")
        for key, item in value.items():
            self.shape.check(item, _below(place, key))


@dataclass(frozen=True, eq=False, repr=False)
class Object(Shape):
    """An object with these keys, of which some may be missing.

    `others` is the shape of the values of all other keys; None if there may be none.
    """

    shapes: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)
    others: Shape | None = None

    def check(self, value: object, place: str) -> None:
        """Raise `ShapeError` unless the object has all required keys, and no unknown ones."""
        if not isinstance(value, dict):
            raise _wrong(value, place, "an object")
        for key in self.shapes:
            if key not in value:
                raise ShapeError(f"{_at(place)} has no {key}")
        shapes = {**self.shapes, **self.optional}
        for key, item in value.items():
            shape = shapes.get(key, self.others)
            if shape is None:
                raise ShapeError(f"{_at(place)} has the key {_abbreviate(key)}, which is unknown")
            shape.check(item, _below(place, key))


def _is_number(value: object, kind: type | UnionType) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _wrong(value: object, place: str, expected: str) -> ShapeError:
    return ShapeError(f"{_at(place)} is {_abbreviate(value)}; it must be {expected}")


def _at(place: str) -> str:
    return place or "it"


def _below(place: str, key: str) -> str:
    name = key if key.isidentifier() and len(key) <= _MAX_SHOWN else f"[{_abbreviate(key)}]"
    return f"{place}.{name}" if place else name


def _abbreviate(value: object) -> str:
    # Lists and objects may be large, and showing all of them takes time.
    if isinstance(value, Sequence | Mapping) and not isinstance(value, str):
        return "a list" if isinstance(value, Sequence) else "an object"
    if isinstance(value, int) and abs(value) > GREATEST:
        return f"a number of {len(str(abs(value)))} digits"
    text = repr(value[: _MAX_SHOWN + 1] if isinstance(value, str) else value)
    text = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
    return escape_controls(text)
