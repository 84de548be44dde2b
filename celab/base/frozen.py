"""Frozen objects: their decorator, and the one place that writes to them while they are made.

A constructor completes what it was given: a path becomes absolute, a lexicon is loaded. Afterwards
nothing changes; another value needs another object.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from functools import cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar, cast

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, init=True, **options):
        """Make a class a dataclass, as the decorator of the same name in `dataclasses` does.

        That one compiles six methods for each frozen class. Here all classes share five of them,
        and the constructor is compiled when it is first called, because a command that scores a
        small file makes 80 classes and objects of half of them.
        """

        def decorate(made):
            if not frozen:
                return dataclasses.dataclass(made, eq=eq, repr=repr, init=init, **options)
            own = vars(made)
            if eq and own.get("__hash__") is None:  # Python sets None beside a class's own `__eq__`
                made.__hash__ = _hash
            if eq and "__eq__" not in own:
                made.__eq__ = _equals
            if repr and "__repr__" not in own:
                made.__repr__ = _represent
            made.__setattr__, made.__delattr__ = _refuse_to_assign, _refuse_to_delete
            if options.get("slots"):
                made.__getstate__, made.__setstate__ = _get_state, _set_state
            has_constructor = "__init__" in own
            made = dataclasses.dataclass(made, eq=False, repr=False, init=False, **options)
            if init and not has_constructor:
                made.__init__ = _Constructor(made)
            return made

        return decorate if cls is None else decorate(cls)


class _Constructor:
    """The constructor of a class, which is compiled and put in its place when it is needed."""

    def __init__(self, made: type) -> None:
        self.made = made

    def __get__(self, instance: object, owner: type) -> Any:
        constructor = _compile_constructor(self.made)
        self.made.__init__ = constructor  # type: ignore[misc]
        return constructor if instance is None else MethodType(constructor, instance)


class _Factory:
    """The default of a parameter whose value is made for each object."""

    def __repr__(self) -> str:
        return "<factory>"


def _compile_constructor(made: Any) -> FunctionType:
    names: dict[str, Any] = {"_set": object.__setattr__, "_factory": _Factory()}
    names["__name__"] = made.__module__  # warnings look for the first caller outside the package
    positional, keywords, body = ["self"], ["*"], []
    for field in dataclasses.fields(made):
        parameter = value = field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{field.name}"] = field.default_factory
            parameter += "=_factory"
            value = f"_make_{field.name}()"
            if field.init:
                value += f" if {field.name} is _factory else {field.name}"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{field.name}"] = field.default
            parameter += f"=_default_{field.name}"
            value = field.name if field.init else f"_default_{field.name}"
        elif not field.init:
            continue  # its value is set later
        if field.init:
            (keywords if field.kw_only else positional).append(parameter)
        body.append(f"_set(self, {field.name!r}, {value})")
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(positional + keywords * (len(keywords) > 1))
    lines = [f"def __init__({parameters}):", *(body or ["pass"])]
    exec("\n ".join(lines), names)
    constructor: FunctionType = names["__init__"]
    types = {field.name: field.type for field in dataclasses.fields(made) if field.init}
    constructor.__annotations__ = types | {"return": None}
    constructor.__module__ = made.__module__
    constructor.__qualname__ = f"{made.__qualname__}.__init__"
    return constructor


def complete(new: T, **attributes: object) -> T:
    """Set attributes of a frozen object, which its constructor has not returned yet."""
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def copy_with(original: T, **attributes: object) -> T:
    """Return a copy with other attributes, without running the constructor again."""
    return complete(object.__new__(type(original)), **vars(original) | attributes)


def _refuse_to_assign(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> dict[str, object]:
    return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


def _set_state(self: object, state: dict[str, object]) -> None:
    complete(self, **state)


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
