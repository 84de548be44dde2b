"""The options of a command → flags of its parser; the values of the flags → its request.

A command is a dataclass: its fields are options of its own, made by `option`, and groups of options
that several commands have, made by `part`. Flags, their help, values and completion come from the
fields, and so do the checks that `celab.cli.command` makes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from celab.base.arguments import Arguments
from celab.base.errors import Setting
from celab.base.options import GroupOptions, Options, Spec, decimal, flag_name, whole_number
from celab.cli.arguments import Parser

T = TypeVar("T")


def integer_between(low: int, high: int) -> Callable[[str], int]:
    """Return a type for argparse: whole numbers in this range."""

    def number(text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,20}", text) and low <= int(text) <= high:
            return int(text)
        valid = f"a whole number from {low} to {high}"
        raise argparse.ArgumentTypeError(f"{text!r} is given; it must be {valid}")

    return number


def number(text: str) -> float:
    """Return a decimal number, as a type for argparse; stricter than Python's `float`."""
    if (value := decimal(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is given; it must be a number, such as 0.5")
    return value


# Flags whose names differ from the parameters.
FLAG_NAMES = {"n_resamples": "resamples", "pivots": "pivot"}


def flag(name: str) -> str:
    """Return an option as the command line spells it."""
    return f"--{FLAG_NAMES.get(name, name).replace('_', '-')}"


def as_flag(setting: Setting) -> str:
    """Return a setting in a message as the command line spells it.

    >>> as_flag(Setting("time_limit")), as_flag(Setting("lexicon", None))
    ('--time-limit', '--lexicon none')
    >>> as_flag(Setting("encoding", {"hyp": "gb18030"}))
    '--encoding hyp=gb18030'
    """
    name = flag(setting.flag or setting.name)
    if not setting.has_value or setting.value is True:
        return name
    if setting.name == "fields":  # one parameter, but several flags
        return str(getattr(setting.value, "flags", setting.value))
    value = "none" if setting.value is None else setting.value
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={of_key}" for key, of_key in value.items())
    return f"{name} {value}"


def join_names(names: Sequence[str]) -> str:
    """Return the names as a phrase.

    >>> join_names(["celab", "tesla-m", "tesla-s"])
    'celab, tesla-m and tesla-s'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


class Flag(NamedTuple):
    """An option of a command, with the facts about it that hold for the command."""

    name: str  # among parsed arguments
    path: tuple[str, ...]  # the fields of the request that lead to its value
    facts: Mapping[str, Any]

    @property
    def typed(self) -> str:
        """The option as it is typed: its first long flag, or the name of a word."""
        if "words" in self.facts:
            return str(self.facts["metavar"] or self.name.upper())
        flags = self.facts["flags"]
        return str(next((name for name in flags if name.startswith("--")), flags[0]))

    @property
    def spellings(self) -> list[str]:
        """All its flags."""
        return [f"--{name}" for name in self.facts.get("each", ())] or [*self.facts["flags"]]

    @property
    def may_be_read(self) -> bool:
        """Whether its value may be the name of a file to read."""
        is_closed = self.facts["choices"] or self.facts.get("completions") or "each" in self.facts
        return not is_closed and self.facts.get("file", "input") == "input"


def flags_of(kind: type) -> dict[str, Flag]:
    """Return the options of a dataclass and of its groups by name, in the order of their fields.

    A class that has `more_flags` adds these, whose values are in its field `given`. Its `heading`
    holds for all of its options that have no `group`. Raises `TypeError` if two options have the
    same name.
    """
    return _flags_of(kind)  # mypy takes no class of dataclasses as argument of a cached function


@cache
def _flags_of(kind: type) -> dict[str, Flag]:
    members: list[Flag] = []
    for spec in fields(kind):
        if "part" in spec.metadata:
            members += _flags_of_part(spec.name, spec.metadata["part"])
        elif "help" in spec.metadata:
            facts = facts_of(kind, spec)
            facts["group"] = facts["group"] or getattr(kind, "heading", "")
            members.append(Flag(flag_name(spec), (spec.name,), facts))
    members += getattr(kind, "more_flags", ())
    flags = {member.name: member for member in members}
    for member in members:
        if flags[member.name] is not member:
            raise TypeError(f"{kind.__name__} has two options that are called {member.name}")
    return flags


def _flags_of_part(field: str, part: GroupOptions) -> Iterator[Flag]:
    """Yield the flags of a group, as a command has them."""
    members = flags_of(part.group).values()
    known = {member.path[-1] for member in members}
    if unknown := {*part.changes} - known:
        raise TypeError(f"{part.group.__name__} has no option that is called {min(unknown)}")
    for member in members:
        name = member.path[-1]
        facts = {**member.facts, **part.changes.get(name, {})}
        yield Flag(member.name, (field, *member.path), facts)


def add_flags(parser: Parser, kind: type) -> None:
    """Add the options of a dataclass to a parser, under their headings."""
    groups: dict[str, Any] = {"": parser}
    for member in flags_of(kind).values():
        facts, heading = member.facts, member.facts["group"]
        if "words" not in facts and heading not in groups:
            groups[heading] = parser.add_argument_group(heading)
        if "each" in facts:
            for value, title in facts["each"].items():
                groups[heading].add_argument(
                    f"--{value}",
                    help=facts["help"].format(title),
                    action="append_const",
                    const=value,
                    dest=member.name,
                )
            continue
        if "words" in facts:
            action: Any = parser.words.add_argument(member.name, **_settings(facts))
        else:
            settings = _settings(facts)
            action = groups[heading].add_argument(*facts["flags"], dest=member.name, **settings)
        action.names = facts.get("names")  # for shells, as `completer`
        if completions := facts.get("completions"):
            action.completer = lambda completions=completions, **_: completions


def _settings(facts: Mapping[str, Any]) -> Arguments:
    """Return the settings of an option for argparse."""
    default, metavar, help = facts["default"], facts["metavar"], facts["help"].replace("%", "%%")
    if facts["type"] is bool:
        return {"action": "store_true", "default": default, "help": help or argparse.SUPPRESS}
    is_number = isinstance(default, int | float)
    settings: Arguments = {
        "help": f"{help} (default: {default})" if is_number else help,
        "choices": facts["choices"],
        "metavar": metavar,
    }
    if default != ():
        settings["default"] = default
    if facts["repeats"]:
        settings["action"] = "append"
    elif metavar and metavar.endswith("..."):
        settings |= {"nargs": "+", "metavar": metavar.removesuffix("...")}
    if facts.get("words"):
        settings["nargs"] = facts["words"]
    if facts.get("required"):
        settings["required"] = True
    if convert := facts.get("convert"):
        settings["type"] = convert
    return settings


def facts_of(kind: type, spec: Spec) -> dict[str, Any]:
    """Return the facts of an option as a flag has them.

    Where its dataclass has the default and refuses wrong values (`Options`), the parser takes any
    value, so that errors are those of Python.
    """
    facts, default = dict(spec.metadata), spec.metadata["default"]
    facts["flags"] = facts["flags"] or (flag(flag_name(spec)),)
    if not issubclass(kind, Options):
        if facts["between"]:
            facts.setdefault("convert", integer_between(*facts["between"]))
        return facts
    choices, value_type = facts["choices"], facts["type"]
    shown = f" (default: {default}{kind.other_defaults(spec.name)})"
    metavar = f"{{{','.join(choices)}}}" if choices else value_type.__name__.upper()
    return {
        **facts,
        "default": None,
        "help": facts["help"] + ("" if default is False or default is None else shown),
        "metavar": facts["metavar"] or metavar,
        "choices": None,
        "completions": choices,
        "convert": _converter(value_type),
    }


def _converter(value_type: type) -> Callable[[str], object]:
    # Python's own int and float would also read 1_0 and ٣.
    strict: dict[type, Callable[[str], object]] = {int: whole_number, float: decimal}
    converter = strict.get(value_type, value_type)

    def convert(text: str) -> object:
        try:
            value = converter(text)
        except ValueError:
            value = None
        return text if value is None else value  # the dataclass reports the error

    return convert


def build(kind: type[T], values: Mapping[str, Any], **more: Any) -> T:
    """Return a dataclass of options with the values of flags, by name; `more` are other fields.

    A flag that was not given leaves the default of the field, and so does a group without any.
    """
    return kind(**_arguments(kind, values), **more)


def _arguments(kind: type, values: Mapping[str, Any]) -> Arguments:
    """Return the fields of a dataclass whose values are not their defaults."""
    arguments: Arguments = {}
    for spec in fields(kind):
        if part := spec.metadata.get("part"):
            if of_part := _arguments(part.group, values):
                group: Any = spec.default
                arguments[spec.name] = replace(group, **of_part)
        elif "help" in spec.metadata:
            value = values.get(spec.metadata["dest"] or spec.name)
            if value is not None and value is not spec.default:
                arguments[spec.name] = value
    names = (member.name for member in getattr(kind, "more_flags", ()))
    if given := {name: values[name] for name in names if values.get(name) is not None}:
        arguments["given"] = MappingProxyType(given)
    return arguments
