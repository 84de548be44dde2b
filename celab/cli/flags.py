"""The options of a command → flags of its parser; the values of the flags → its request.

A request is a dataclass: its fields are options of the command's own, made by `option`, and groups
of options that several commands have, made by `option_group`. Flags, their help, values and
completion come from the fields, and so do the checks that `celab.cli.command` makes.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from celab.base.arguments import Arguments
from celab.base.errors import Setting
from celab.base.options import (
    OptionGroup,
    OptionInfo,
    Options,
    Spec,
    decimal,
    flag_name,
    info_of,
    whole_number,
)
from celab.cli.arguments import Parser

T = TypeVar("T")


def integer_between(low: int, high: int) -> Callable[[str], int]:
    """Return a type for argparse: whole numbers in this range."""

    def convert(text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,20}", text) and low <= int(text) <= high:
            return int(text)
        valid = f"a whole number from {low} to {high}"
        raise argparse.ArgumentTypeError(f"{text!r} is given; it must be {valid}")

    return convert


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
    if isinstance(value, list):
        return " ".join([name, *map(shlex.quote, value)])
    text = str(value)
    return f"{name} {shlex.quote(text) if ' ' in text else text}"


def join_names(names: Sequence[str]) -> str:
    """Return the names as a phrase.

    >>> join_names(["celab", "tesla-m", "tesla-s"])
    'celab, tesla-m and tesla-s'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


class Flag(NamedTuple):
    """An option of a command, with what holds for it in the command.

    Attributes:
        name: its name among parsed arguments.
        path: the fields of the request that lead to its value.
        info: its help, values and so on.
    """

    name: str
    path: tuple[str, ...]
    info: OptionInfo

    @property
    def typed(self) -> str:
        """The option as it is typed: its first long flag, or the name of an argument."""
        if self.info.is_argument:
            return self.info.metavar or self.name.upper()
        flags = self.info.flags
        return next((name for name in flags if name.startswith("--")), flags[0])

    @property
    def spellings(self) -> list[str]:
        """All its flags."""
        return [f"--{name}" for name in self.info.value_flags or ()] or [*self.info.flags]

    @property
    def may_be_read(self) -> bool:
        """Whether the value may name an input file."""
        info = self.info
        is_closed = info.choices or info.completions or info.value_flags
        return not is_closed and info.file == "input"


class CommandLine(NamedTuple):
    """The options of a command, and the values that the user has set, by name.

    Values are in the fields of the request. This says which of them the user has set, for rules
    between options, for messages, and for the files that a command reads and writes. `words` are
    those of the command line.
    """

    flags: Mapping[str, Flag]
    values: Mapping[str, Any]
    words: tuple[str, ...] = ()  # the words that were typed

    @property
    def output_files(self) -> dict[str, str]:
        """The files that the command writes, by flag."""
        return {
            flag(name): path
            for name, path in self.values.items()
            if self.flags[name].info.file == "output"
        }

    @property
    def possible_inputs(self) -> dict[str, tuple[str, ...]]:
        """Values of options that may name files to read.

        They are derived from all flags, so that no file is forgotten when outputs are checked
        against inputs.
        """
        named = {}
        for name, value in self.values.items():
            if self.flags[name].may_be_read and not is_text(name, self.values):
                values = value if isinstance(value, tuple) else (value,)
                if paths := tuple(path for path in values if isinstance(path, str)):
                    named[name] = paths
        return named


def is_text(name: str, values: Mapping[str, Any]) -> bool:
    """Return whether the values of an option are texts, because of `--text`."""
    return values.get("text") is True and name in ("files", "references", "systems")


def flag_table(flags: Sequence[Flag]) -> Mapping[str, Any]:
    """Return a dataclass field for the values of flags that are not fields of their own.

    It maps the names of those that the user sets to their values.
    """
    mapping: Mapping[str, Any] = field(default_factory=dict, metadata={"flags": tuple(flags)})
    return mapping


def flags_of(cls: type) -> dict[str, Flag]:
    """Return the options of a dataclass and of its groups by name, in the order of their fields.

    The `heading` of a class holds for all of its options that have no `group`. Raises `TypeError`
    if two options have the same name.
    """
    return _flags_of(cls)  # mypy takes no class of dataclasses as argument of a cached function


@cache
def _flags_of(cls: type) -> dict[str, Flag]:
    members: list[Flag] = []
    for spec in fields(cls):
        if "group" in spec.metadata:
            members += _flags_of_group(spec.name, spec.metadata["group"])
        elif "flags" in spec.metadata:
            members += spec.metadata["flags"]
        elif "option" in spec.metadata:
            info = flag_info(cls, spec, heading=getattr(cls, "heading", ""))
            members.append(Flag(flag_name(spec), (spec.name,), info))
    flags = {member.name: member for member in members}
    for member in members:
        if flags[member.name] is not member:
            raise TypeError(f"{cls.__name__} has two options that are called {member.name}")
    return flags


def _flags_of_group(name: str, group: OptionGroup) -> Iterator[Flag]:
    """Yield the flags of a group, which is in a field of this name, as a command has them."""
    members = [flag for flag in flags_of(group.cls).values() if flag.path[0] in group.names]
    own_names = {member.path[-1] for member in members}
    if unknown := {*group.changes} - own_names:
        raise TypeError(f"{group.cls.__name__} has no option that is called {min(unknown)}")
    direct = {member.path[0] for member in members if len(member.path) == 1}
    for member in members:
        *outer, own_name = member.path
        # A change is of the option itself before an option of a group in the group.
        is_meant = not outer or own_name not in direct
        changes = group.changes.get(own_name) if is_meant else None
        info = member.info._replace(**changes) if changes else member.info
        yield Flag(member.name, (name, *member.path), info)


def add_flags(parser: Parser, cls: type) -> None:
    """Add the options of a dataclass to a parser, under their headings."""
    headings: dict[str, Any] = {"": parser}
    for member in flags_of(cls).values():
        info = member.info
        if info.is_argument:
            action = parser.file_arguments.add_argument(member.name, **_settings(info))
        else:
            if info.group not in headings:
                headings[info.group] = parser.add_argument_group(info.group)
            heading = headings[info.group]
            if info.value_flags:
                _add_value_flags(heading, member.name, info)
                continue
            action = heading.add_argument(*info.flags, dest=member.name, **_settings(info))
        parser.infos[action] = info


def _add_value_flags(heading: Any, name: str, info: OptionInfo) -> None:
    """Add a flag for each value of an option."""
    for value, title in (info.value_flags or {}).items():
        heading.add_argument(
            f"--{value}",
            help=info.help.format(title),
            action="append_const",
            const=value,
            dest=name,
            default=argparse.SUPPRESS,
        )


def _settings(info: OptionInfo) -> Arguments:
    """Return the settings of an option for argparse, which sets only what is typed.

    So a value that is typed counts as given, also if it is the default, which the request has.
    """
    default, metavar, help = info.default, info.metavar, info.help.replace("%", "%%")
    if info.value_type is bool:
        shown = help or argparse.SUPPRESS
        return {"action": "store_true", "default": argparse.SUPPRESS, "help": shown}
    is_number = isinstance(default, int | float)
    settings: Arguments = {
        "help": f"{help} (default: {default})" if is_number else help,
        "choices": info.choices,
        "metavar": metavar,
    }
    if not info.is_argument:  # argparse needs a value of an argument without words
        settings["default"] = argparse.SUPPRESS
    if info.repeats:
        # A converter that returns several values adds all of them.
        settings["action"] = "extend" if info.convert else "append"
    if info.nargs:
        settings["nargs"] = info.nargs
        if not info.is_argument:
            settings["action"] = "extend"  # -s A -s B is -s A B; argparse would keep the last
    if info.required:
        settings["required"] = True
    if info.convert:
        settings["type"] = info.convert
    return settings


def flag_info(cls: type, spec: Spec, heading: str = "") -> OptionInfo:
    """Return the flag of an option of a dataclass.

    `Options` classes validate their own values, so the parser accepts any, and Python and the
    command line give the same errors. An option without a group is under the heading.
    """
    info = info_of(spec)
    shared: Arguments = {
        "flags": info.flags or (flag(flag_name(spec)),),
        "group": info.group or heading,
    }
    if not issubclass(cls, Options):
        _refuse_unread_number(cls, spec)
        if info.between and info.convert is None:
            shared["convert"] = integer_between(*map(int, info.between))
        return info._replace(**shared)
    default, choices = info.default, info.choices
    has_default = default is not None and default is not False
    shown = f" (default: {default}{cls.other_defaults(spec.name)})" if has_default else ""
    metavar = f"{{{','.join(choices)}}}" if choices else info.value_type.__name__.upper()
    return info._replace(
        default=None,
        help=info.help + shown,
        metavar=info.metavar or metavar,
        choices=None,
        completions=choices,
        convert=_converter(info.value_type),
        **shared,
    )


def _refuse_unread_number(cls: type, spec: Spec) -> None:
    """Raise `TypeError` if the parser would leave a number as text, which fails only when used.

    `between` makes it read a whole number, so that a number with decimals needs `convert`.
    """
    info, annotation = info_of(spec), str(spec.type)
    if info.convert is None and re.search(r"\bfloat\b", annotation):
        raise TypeError(f"{cls.__name__}.{spec.name} is a float, so it needs convert=number")
    if info.convert is None and info.between is None and re.search(r"\bint\b", annotation):
        raise TypeError(f"{cls.__name__}.{spec.name} is an int, so it needs between=(least, most)")


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


def build(cls: type[T], values: Mapping[str, Any], **extra_fields: Any) -> T:
    """Return a dataclass of options with the values of flags, by name.

    A flag that was not given leaves the default of the field, and so does a group without any.
    """
    return cls(**_arguments(cls, values), **extra_fields)


def _arguments(
    cls: type, values: Mapping[str, Any], names: Sequence[str] | None = None
) -> Arguments:
    """Return the fields of a dataclass whose values are not their defaults.

    `names` are those of the options that a command takes (default: all).
    """
    arguments: Arguments = {}
    for spec in fields(cls):
        if names is not None and spec.name not in names:
            continue
        if group := spec.metadata.get("group"):
            if members := _arguments(group.cls, values, group.names):
                default: Any = spec.default
                arguments[spec.name] = replace(default, **members)
        elif flags := spec.metadata.get("flags"):
            in_table = [member.name for member in flags]
            table = {name: values[name] for name in in_table if values.get(name) is not None}
            if table:
                arguments[spec.name] = MappingProxyType(table)
        elif "option" in spec.metadata:
            value = values.get(flag_name(spec))
            if value is not None and value is not spec.default:
                arguments[spec.name] = value
    return arguments
