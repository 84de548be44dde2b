"""Arguments of public functions, checked by their types; and dicts with values of many types.

An argument of a wrong type is an `OptionError` of one line. What it may be is read from its
annotation, so that it is written once. Texts are left to `celab.base.text.sequences`, metrics to
`celab.metrics.factory`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeAlias, TypeVar

from celab.base.errors import OptionError, Setting

P = ParamSpec("P")
T = TypeVar("T")

# Dicts with values of many types, named by what they hold. JSON that is read is checked by its
# shape first (`celab.base.json_files`).

JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON, to be written, or read and checked."""

Arguments: TypeAlias = dict[str, Any]
"""Arguments of a call by name; the function that they are for checks them."""

Variables: TypeAlias = dict[str, Any]
"""Variables of a template by name; the template alone knows what it needs."""

_ALIASES = {
    "AnyPath": "str | PathLike[str]",
    "Spec": "str | PathLike[str]",
    "LexiconSpec": "str | PathLike[str] | Sequence[str | PathLike[str]] | None",
    "Test": "str",
    "Level": "str",
    "JudgeSpec": "str | PathLike[str] | Mapping",
}
_TYPES: dict[str, tuple[type, str]] = {
    "str": (str, "a str"),
    "PathLike": (os.PathLike, "a path"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "bool": (object, "True or False"),
    "None": (type(None), "None"),
    "Literal": (str, "a str"),
    "Mapping": (Mapping, "a dict"),
    "Sequence": (Collection, "a list"),
    "Collection": (Collection, "a list"),
    # Known by name, so that nothing is loaded.
    "Thesaurus": (object, "a result of open"),
    "Dataset": (object, "a data set"),
}


def checked(*texts: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check those arguments of a function that are numbers, words, paths, or lists of them.

    `texts` are the names of arguments that are texts, and left to the function.

    >>> @checked()
    ... def repeat(text: str, n: int = 2) -> str:
    ...     return text * n
    >>> repeat("伞", n="3")
    Traceback (most recent call last):
    celab.base.errors.OptionError: n is of type str; it must be a whole number
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        names = function.__code__.co_varnames
        kinds = {
            name: known
            for name, annotation in function.__annotations__.items()
            if name not in (*texts, "return") and (known := _kinds(str(annotation)))
        }
        defaults = function.__kwdefaults__ or {}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            for name, value in (*zip(names, args, strict=False), *kwargs.items()):
                if name in kinds and (name not in defaults or value is not defaults[name]):
                    _check(name, value, kinds[name])
            return function(*args, **kwargs)

        return call

    return decorate


def check_arguments(function: Callable[..., object], **arguments: object) -> None:
    """Check arguments of a function by its annotations, for functions that are not wrapped."""
    defaults = getattr(function, "__kwdefaults__", None) or {}
    for name, value in arguments.items():
        if name not in defaults or value is not defaults[name]:
            _check(name, value, _kinds(str(function.__annotations__[name])))


def _check(name: str, value: object, kinds: Sequence[tuple[str, str]]) -> None:
    if kinds and not any(_is_of(value, *kind) for kind in kinds):
        right = dict.fromkeys(_TYPES[kind][1] for kind, _ in kinds)
        raise OptionError(
            (Setting(name), f" is of type {type(value).__name__}"),
            hint=f"it must be {' or '.join(right)}",
        )


@cache
def _kinds(annotation: str) -> tuple[tuple[str, str], ...]:
    """Return each kind of an annotation, with what is in its brackets; none if one is unknown."""
    for alias, meaning in _ALIASES.items():
        annotation = re.sub(rf"(?:\bio\.)?\b{alias}\b", meaning, annotation)
    parts = re.findall(r"(?:\w+\.)?(\w+)(?:\[((?:[^\[\]]|\[[^\]]*\])*)\])?", annotation)
    return tuple(parts) if all(name in _TYPES for name, _ in parts) else ()


def _is_of(value: object, kind: str, inner: str) -> bool:
    has_rank = getattr(value, "ndim", 0) > 0  # arrays and frames have no truth value
    if kind in ("Sequence", "Collection"):
        if isinstance(value, Iterator):  # it can be read only once
            return True
        if not isinstance(value, Collection) or getattr(value, "ndim", 1) != 1:
            return False
        if isinstance(value, str | bytes | bytearray | Mapping):
            return False
        kinds = _kinds(inner)
        return all(any(_is_of(item, *kind) for kind in kinds) for item in value)
    if kind in ("Thesaurus", "Dataset"):
        return any(base.__name__ == kind for base in type(value).__mro__)
    if kind == "Mapping" and inner and isinstance(value, Mapping):
        annotations = inner.split(", ", 1)
        return all(
            any(_is_of(item, *kind) for kind in kinds)
            for items in value.items()
            for annotation, item in zip(annotations, items, strict=True)
            if (kinds := _kinds(annotation))
        )
    if kind in ("int", "float") and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[kind][0]) and not has_rank
