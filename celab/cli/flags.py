"""The options of a command → flags of its parser; the values of the flags → its request.

A command is a dataclass: its fields are options of its own, made by `option`, and groups of options
that several commands have, made by `part`. Flags, their help, values and completion come from the
fields, and so do the checks that `celab.cli.requests` makes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeVar

from celab.base.dicts import Arguments
from celab.base.errors import Setting
from celab.base.frozen import dataclass
from celab.base.numbers import decimal, whole_number
from celab.base.options import GroupOptions, Options, Spec
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


def integer(text: str) -> int:
    """Return a whole number, as a type for argparse; stricter than Python's `int`."""
    if (value := whole_number(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is given; it must be a whole number")
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


@dataclass(frozen=True)
class Flag:
    """An option of a command, with the facts about it that hold for the command."""

    name: str  # among parsed arguments
    path: tuple[str, ...]  # the fields of the request that lead to its value
    facts: Mapping[str, Any]

    @property
    def spelled(self) -> str:
        """The option as messages spell it."""
        return flag(self.name)

    @property
    def is_word(self) -> bool:
        """Whether it is a word of the command line, without a flag."""
        return "words" in self.facts

    @property
    def may_be_read(self) -> bool:
        """Whether its value may be the name of a file to read."""
        has_names = not self.facts["choices"] and "each" not in self.facts
        return has_names and self.facts.get("file", "input") == "input"

    def value_in(self, request: object) -> Any:
        """Return its value in a request."""
        for name in self.path:
            request = getattr(request, name)
        return request


def _specs_of(kind: type) -> list[tuple[str, Spec]]:
    """Return the options of a dataclass with their names, and its groups of options."""
    specs = (spec for spec in fields(kind) if "part" in spec.metadata or "help" in spec.metadata)
    return [(spec.metadata.get("dest") or spec.name, spec) for spec in specs]


def _walk(kind: type, path: tuple[str, ...] = ()) -> Iterator[GroupOptions | Flag]:
    """Yield the options of a dataclass and of its groups, and groups that make flags themselves."""
    heading = getattr(kind, "heading", "")
    for name, spec in _specs_of(kind):
        own_path, part = (*path, spec.name), spec.metadata.get("part")
        if part is None:
            group = spec.metadata["group"] or heading
            yield Flag(name, own_path, {**spec.metadata, "group": group})
        elif makes_flags(part.group):
            yield part
        else:
            members = list(_walk(part.group, own_path))
            _check_part(part, [member.path[-1] for member in members if isinstance(member, Flag)])
            for member in members:
                if isinstance(member, GroupOptions):
                    yield member
                elif _is_taken(part, member.path[-1]):
                    changes = part.changes.get(member.path[-1], {})
                    yield Flag(member.name, member.path, {**member.facts, **changes})


def makes_flags(group: type) -> bool:
    """Return whether a group makes its flags itself, or is one of options that metrics have."""
    return hasattr(group, "add_flags") or issubclass(group, Options)


def _check_part(part: GroupOptions, known: Collection[str]) -> None:
    for name in (*part.only, *part.without, *part.changes):
        if name not in known:
            raise TypeError(f"{part.group.__name__} has no option that is called {name}")


def _is_taken(part: GroupOptions, name: str) -> bool:
    return name not in part.without and (not part.only or name in part.only)


_members: dict[type, list[GroupOptions | Flag]] = {}


def _members_of(kind: type) -> list[GroupOptions | Flag]:
    """Return what `_walk` yields; raise `TypeError` if two options have the same name."""
    if kind not in _members:
        members = list(_walk(kind))
        names = [member.name for member in members if isinstance(member, Flag)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise TypeError(f"{kind.__name__} has two options that are called {twice[0]}")
        _members[kind] = members
    return _members[kind]


def flags_of(kind: type) -> dict[str, Flag]:
    """Return the options of a command by name, but for those of metrics and limits."""
    return {member.name: member for member in _members_of(kind) if isinstance(member, Flag)}


def given_flags(request: object) -> dict[str, Flag]:
    """Return the options of a request that have a value, by name; 0 is a value."""
    flags = flags_of(type(request))
    values = ((name, member, member.value_in(request)) for name, member in flags.items())
    return {
        name: member
        for name, member, value in values
        if value is not None and value is not False and value != ()
    }


def add_flags(parser: Parser, kind: type, layout: str = "") -> None:
    """Add the options of a dataclass to a parser, in the order of its fields.

    `layout` (default: that of the dataclass) has lines with a heading of the help, a colon and
    names of options, for options that have another place. Raises `TypeError` if two options have a
    name in common.
    """
    names_by_heading = _headings(layout or getattr(kind, "layout", ""))
    heading_of = {name: heading for heading, names in names_by_heading.items() for name in names}
    flags = flags_of(kind)
    groups: dict[str, Any] = {"": parser}
    added: set[str] = set()
    for member in _members_of(kind):
        if isinstance(member, GroupOptions):
            _add_group(parser, member)
        elif member.name not in added:
            heading = heading_of.get(member.name, "" if member.is_word else member.facts["group"])
            if heading not in groups:
                groups[heading] = parser.add_argument_group(heading)
            names = names_by_heading[heading] if member.name in heading_of else [member.name]
            for name in names:
                _add_flag(parser, groups[heading], flags[name])
            added.update(names)


def _headings(layout: str) -> dict[str, list[str]]:
    """Return the names of options by heading.

    >>> _headings("Check: lang strict\\nOutput: json\\n    quiet")
    {'Check': ['lang', 'strict'], 'Output': ['json', 'quiet']}
    """
    names_by_heading: dict[str, list[str]] = {}
    heading = ""
    for line in filter(None, map(str.strip, layout.splitlines())):
        before, colon, after = line.partition(": ")
        heading, names = (before, after) if colon else (heading, line)
        names_by_heading.setdefault(heading, []).extend(names.split())
    return names_by_heading


def _add_group(parser: Parser, part: GroupOptions) -> None:
    if hasattr(part.group, "add_flags"):
        part.group.add_flags(parser, **part.settings)
    else:
        add_options(parser, part.group, part.settings["heading"])


def _check_name(parser: Parser, name: str) -> None:
    if any(action.dest == name for action in parser._actions):
        raise TypeError(f"{parser.prog} has two options that are called {name}")


def _add_flag(parser: Parser, group: Any, member: Flag) -> None:
    facts = member.facts
    _check_name(parser, member.name)
    if "each" in facts:
        for value, title in facts["each"].items():
            help, action = facts["help"].format(title), "append_const"
            group.add_argument(flag(value), help=help, action=action, const=value, dest=member.name)
        return
    names = [member.name] if member.is_word else facts["flags"] or [member.spelled]
    settings = _settings(facts)
    if not member.is_word:
        settings["dest"] = member.name
    action = group.add_argument(*names, **settings)
    action.names = facts.get("names")  # which `complete` looks at


def _settings(facts: Mapping[str, Any]) -> Arguments:
    """Return the settings of an option for argparse."""
    default, metavar, help = facts["default"], facts["metavar"], facts["help"]
    if default is False:
        return {"action": "store_true", "help": help or argparse.SUPPRESS}
    is_number = isinstance(default, int | float)
    settings: Arguments = {
        "help": f"{help} (default: {default})" if is_number else help,
        "choices": facts["choices"],
    }
    if default != ():
        settings["default"] = default
    if metavar:
        settings["metavar"] = metavar.removesuffix("...")
        if metavar.endswith("..."):
            settings["nargs"] = "+"
    if facts.get("words"):
        settings["nargs"] = facts["words"]
    if facts.get("required"):
        settings["required"] = True
    if facts["repeats"]:
        settings["action"] = "append"
    if convert := facts.get("convert") or (
        integer_between(*facts["between"]) if facts["between"] else None
    ):
        settings["type"] = convert
    return settings


def build(kind: type[T], values: Mapping[str, Any], **more: Any) -> T:
    """Return a dataclass of options with the values of flags, by name; `more` are other fields.

    A flag that was not given leaves the default of the field.
    """
    arguments: Arguments = dict(more)
    for name, spec in _specs_of(kind):
        if part := spec.metadata.get("part"):
            if hasattr(part.group, "of_flags"):
                arguments[spec.name] = part.group.of_flags(values, **part.settings)
            else:
                arguments[spec.name] = build(part.group, values)
        elif values.get(name) is not None:
            arguments[spec.name] = values[name]
    return kind(**arguments)


def add_options(
    parser: Parser,
    options: type[Options] | Mapping[str, Sequence[type[Options]]],
    title: str,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Add a flag for each field of a dataclass, or of the dataclasses of several metrics.

    Fields of the same metrics make a group. `renamed` maps fields to flags with another name. The
    dataclass has the defaults and refuses wrong values, as in Python.
    """
    specs: dict[str, dict[str, Spec]] = {}
    defaults: dict[tuple[str, str], str] = {}  # by owner and field
    for owner, kinds in (options if isinstance(options, Mapping) else {"": (options,)}).items():
        for kind in kinds:
            for name, spec in _specs_of(kind):
                specs.setdefault(name, {})[owner] = spec
                default = spec.metadata["default"]
                text = f" (default: {default}{kind.other_defaults(spec.name)})"
                defaults[owner, name] = "" if default is False or default is None else text
    groups: dict[str, Any] = {}
    for name, by_owner in specs.items():
        spec, owners = next(iter(by_owner.values())), join_names(list(by_owner))
        helps = {
            owner: spec.metadata["help"] + defaults[owner, name] for owner, spec in by_owner.items()
        }
        is_same_help = len(set(helps.values())) == 1
        texts = list(helps.values())[:1] if is_same_help else map(": ".join, helps.items())
        if owners not in groups:
            spelled = f"{title[:1].upper()}{title[1:]} {owners}".rstrip()
            groups[owners] = parser.add_argument_group(spelled)
        _check_name(parser, name)
        action = groups[owners].add_argument(
            *(spec.metadata["flags"] or [renamed.get(name, flag(name))]),
            dest=name,
            default=argparse.SUPPRESS,  # the dataclass has the default
            help="; ".join(texts).replace("%", "%%"),
            **_value_of(spec),
        )
        choices = spec.metadata["choices"]
        action.completer = lambda choices=choices, **_: choices or ()  # for shells


def _value_of(spec: Spec) -> Arguments:
    """Return the settings of an option's value for argparse."""
    choices, type_of_value = spec.metadata["choices"], spec.metadata["type"]
    if type_of_value is bool:
        return {"action": "store_true"}
    metavar = f"{{{','.join(choices)}}}" if choices else type_of_value.__name__.upper()
    return {"type": _converter(spec), "metavar": spec.metadata["metavar"] or metavar}


def _converter(spec: Spec) -> Callable[[str], object]:
    # Python's own int and float would also read 1_0 and ٣.
    strict: dict[type, Callable[[str], object]] = {int: whole_number, float: decimal}
    kind = spec.metadata["type"]
    converter = strict.get(kind, kind)

    def convert(text: str) -> object:
        try:
            value = converter(text)
        except ValueError:
            value = None
        return text if value is None else value  # the dataclass reports the error

    return convert
