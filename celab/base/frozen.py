"""Frozen objects: their decorator, and the one place that writes to them while they are made.

A constructor completes what it was given: a path becomes absolute, a lexicon is loaded. Afterwards
nothing changes; another value needs another object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, **options):
        """Make a class a dataclass, as the decorator of the same name in `dataclasses` does.

        That one compiles `==`, `hash` and `repr` for each frozen class. Here all classes share
        them, because a command that scores a small file makes 70 classes.
        """

        def decorate(made):
            if not frozen:
                return dataclasses.dataclass(made, eq=eq, repr=repr, **options)
            own = vars(made)
            if eq and own.get("__hash__") is None:  # Python sets None beside a class's own `__eq__`
                made.__hash__ = _hash
            if eq and "__eq__" not in own:
                made.__eq__ = _equals
            if repr and "__repr__" not in own:
                made.__repr__ = _represent
            return dataclasses.dataclass(made, frozen=True, eq=False, repr=False, **options)

        return decorate if cls is None else decorate(cls)


def complete(new: T, **attributes: object) -> T:
    """Set attributes of a frozen object, which its constructor has not returned yet."""
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def copy_with(original: T, **attributes: object) -> T:
    """Return a copy with other attributes, without running the constructor again."""
    return complete(object.__new__(type(original)), **vars(original) | attributes)


def _equals(self: object, other: object) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _compared(self) == _compared(other)


def _hash(self: object) -> int:
    return hash(_compared(self))


def _represent(self: Any) -> str:
    shown = _names(self.__class__, "repr")
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _compared(instance: Any) -> tuple[object, ...]:
    return tuple(getattr(instance, name) for name in _names(instance.__class__, "compare"))


@cache
def _names(made: Hashable, purpose: str) -> tuple[str, ...]:
    """Return the fields of a class that are for a purpose: "compare" or "repr"."""
    fields = dataclasses.fields(cast(Any, made))
    return tuple(field.name for field in fields if getattr(field, purpose))
