"""Checks of arguments that people get wrong; and dicts with values of many types.

A str in place of a list would be read by characters, and a negative number may count from the end.
Any other wrong type is Python's own error where the value is used.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias

from celab.base.errors import OptionError, Setting
from celab.base.options import AnyPath

# Dicts with values of many types, named by what they hold. JSON that is read is checked by its
# shape first (`celab.base.json_files`).

JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON, to be written, or read and checked."""

Arguments: TypeAlias = dict[str, Any]
"""Arguments of a call by name; the function that they are for checks them."""

Variables: TypeAlias = dict[str, Any]
"""Variables of a template by name; the template alone knows what it needs."""


_MAX_FLOAT = sys.float_info.max


def check_list(name: str, value: object) -> None:
    """Raise `OptionError` unless the value is a list or another collection of items.

    >>> check_list("order", "v1")
    Traceback (most recent call last):
    celab.base.errors.OptionError: order is of type str; it must be a list
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _wrong_type(name, value, "a list")


def check_path(name: str, value: object) -> None:
    """Raise `OptionError` unless the value is a path."""
    if not isinstance(value, str | os.PathLike):
        raise _wrong_type(name, value, "a path")


def list_paths(name: str, value: AnyPath | Iterable[AnyPath]) -> list[AnyPath]:
    """Return the paths of an argument that is one path or several; `OptionError` for others."""
    if isinstance(value, str | os.PathLike):
        return [value]
    check_list(name, value)
    paths = list(value)
    for path in paths:
        check_path(name, path)
    return paths


def check_number(
    name: str, value: object, least: float = -math.inf, *, whole: bool = False
) -> None:
    """Raise `OptionError` unless the value is a finite number, or integer, of `least` or more.

    >>> check_number("margin", -1, least=0)
    Traceback (most recent call last):
    celab.base.errors.OptionError: margin is -1; it must be a number of 0 or more
    """
    is_number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    # A whole number may be too large for a float.
    if not is_number or not max(least, -_MAX_FLOAT) <= value <= _MAX_FLOAT:  # type: ignore[operator]
        wanted = "a whole number" if whole else "a number"
        raise OptionError(
            name,
            value,
            f"it must be {wanted}" + (f" of {least:g} or more" if least > -math.inf else ""),
        )


def _wrong_type(name: str, value: object, wanted: str) -> OptionError:
    return OptionError(
        (Setting(name), f" is of type {type(value).__name__}"), hint=f"it must be {wanted}"
    )
