"""Rules of options: which exclude or need each other, and which work in which mode.

A request states them with its own fields:

    @staticmethod
    def rules(r: ScoreRequest) -> Iterator[Rule]:
        yield conflict(r.brief, r.output.json, r.segments)
        yield needs(r.label, r.output.json)

`rules` is called once, where the command is defined, with a stand-in for the request: a name that
is not an option of the command is a `TypeError` when the module is imported, and mypy reports it.
The rules of a request are checked in their order, after its values are known and before any file
is looked at. `short_forms` says in the same way which options are short for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from celab.base.errors import OptionError
from celab.cli.flags import CommandLine, Flag, flags_of


class Parsed(Protocol):
    """A request as rules see it: the options that the user has set."""

    @property
    def command_line(self) -> CommandLine:
        """The options of the command, and the values that were set."""


R = TypeVar("R", bound=Parsed)


class Option:
    """An option of a command, or a group of options, as a rule names it.

    It has no value: rules are made once, before there is a request. Its attributes are the options
    of the group, so its own names begin with an underscore.
    """

    def __init__(
        self,
        owner: str,
        flags: Sequence[Flag],
        path: tuple[str, ...] = (),
        values: tuple[object, ...] = (),
    ) -> None:
        self._owner, self._flags, self._path, self._values = owner, flags, path, values
        # Flags of the group, by the field of the group that leads to them.
        self._members: dict[str, list[Flag]] = {}
        for member in flags:
            if len(member.path) > len(path):
                self._members.setdefault(member.path[len(path)], []).append(member)

    def __getattr__(self, name: str) -> Option:
        path = (*self._path, name)
        if name not in self._members:
            raise TypeError(f"{self._owner} has no option {'.'.join(path)}, which a rule names")
        return Option(self._owner, self._members[name], path)

    def __repr__(self) -> str:
        return f"{self._owner}.{'.'.join(self._path)}"

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self!r} has no value while rules are made; use conflict, needs or refuse"
        )

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"{self!r} has no value while rules are made; use value({self!r}, …)")

    __hash__ = None  # type: ignore[assignment]


class Rule(NamedTuple):
    """A rule of options.

    Attributes:
        made_by: name of the function that made it.
        options: the options that it is about.
        problem: returns what is wrong with a request, or "".
    """

    made_by: str
    options: tuple[Option, ...]
    problem: Callable[[Parsed], str]


def value(option: object, *values: object) -> Any:
    """Return an option limited to these values, for a rule about, say, `--level segment`."""
    named = cast(Option, option)
    return Option(named._owner, named._flags, named._path, values)


def conflict(option: object, *others: object, because: str = "choose one of them") -> Rule:
    """Return the rule that an option cannot be given with any of the others."""
    first, *rest = options = cast("tuple[Option, ...]", (option, *others))

    def problem(request: Parsed) -> str:
        names = typed(first, request.command_line.values)
        other_names = [name for other in rest for name in typed(other, request.command_line.values)]
        pairs = (f"{a} and {b}" for a in names for b in other_names if a != b)
        both = next(pairs, "")
        return f"{both} are both given; {because}" if both else ""

    return Rule("conflict", options, problem)


def needs(option: object, *others: object) -> Rule:
    """Return the rule that an option is of use only with one of the others."""
    first, *rest = options = cast("tuple[Option, ...]", (option, *others))
    *names, last = (name for other in rest for name in spellings(other))
    either = " or ".join(filter(None, [", ".join(names), last]))

    def problem(request: Parsed) -> str:
        if any(typed(other, request.command_line.values) for other in rest):
            return ""
        name = first_given([first], request)
        return f"{name} needs {either}" if name else ""

    return Rule("needs", options, problem)


def takes(way: object, *options: object, because: str = "") -> Rule:
    """Return the rule that with one option, such as `--engine dask`, only these are taken."""
    first, *rest = all_options = cast("tuple[Option, ...]", (way, *options))
    why = f", because {because}" if because else ""

    def problem(request: Parsed) -> str:
        name = first_given([first], request)
        other = next(not_taken(rest, request), "") if name else ""
        return f"{name} does not take {other}{why}; leave one of them out" if other else ""

    return Rule("takes", all_options, problem)


class ShortForm(NamedTuple):
    """An option that is short for others, which get its values."""

    option: Option
    others: tuple[Option, ...]


def means(option: object, *others: object) -> ShortForm:
    """Return that an option is short for others; `value` says which values they get."""
    return ShortForm(cast(Option, option), cast("tuple[Option, ...]", others))


def with_meanings(
    short_forms: Iterable[ShortForm], flags: Mapping[str, Flag], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of options after short forms have set the options that they stand for.

    It is an error if the user has set such an option to another value.
    """
    values = dict(values)
    # Name of an option → the short form that was typed for it.
    causes: dict[str, str] = {}
    for short in short_forms:
        set_so_far = values_set(flags, values)
        names = typed(short.option, set_so_far)
        for option in short.others if names else ():
            cause = causes.get(members(short.option)[0].name, names[0])
            (member,) = members(option)
            causes.setdefault(member.name, cause)
            meant = option._values[0] if option._values else True
            if member.info.value_flags:
                values[member.name] = (*values.get(member.name, ()), *option._values)
            elif set_so_far.get(member.name, meant) != meant:
                other = f"{member.typed} {set_so_far[member.name]}"
                raise OptionError(f"{cause} and {other} are both given; choose one of them")
            else:
                values[member.name] = meant
    return values


def values_set(flags: Mapping[str, Flag], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that the user has set, by name of the option; defaults that are typed, too.

    Positional arguments that are not given are None or (), and are left out.
    """
    names = [name for name in flags if values.get(name) not in (None, ())]
    return {name: values[name] for name in names}


def refuse(problem: Callable[[R], str]) -> Rule:
    """Return the rule of a function that returns an error text about a request, or ""."""
    return Rule("refuse", (), cast("Callable[[Parsed], str]", problem))


class RequestRules(NamedTuple):
    """What a request says of its options: short forms, and rules in their order."""

    short_forms: list[ShortForm]
    rules: list[Rule]


def rules_of(cls: type[R]) -> RequestRules:
    """Return the rules of a request; `TypeError` if one names an option that it does not have."""
    return _rules_of(cast("type", cls))  # see `flags_of`


@cache
def _rules_of(cls: Any) -> RequestRules:
    options = stand_in(cls)
    return RequestRules(list(cls.short_forms(options)), list(cls.rules(options)))


def options_listed_by(function: Callable[[R], Iterable[object]], cls: type[R]) -> list[Option]:
    """Return the options of a request that a function lists, called with `stand_in`."""
    return cast("list[Option]", list(function(stand_in(cls))))


def first_given(options: Iterable[Option], request: Parsed) -> str:
    """Return the first of the options that the user has set, as it is typed, or ""."""
    for option in options:
        if names := typed(option, request.command_line.values):
            return names[0]
    return ""


def not_taken(options: Iterable[Option], request: Parsed) -> Iterator[str]:
    """Yield the options that the user has set, other than these, as typed.

    A default value is always taken.
    """
    taken = [*options]
    for name, value in request.command_line.values.items():
        member = request.command_line.flags[name]
        if value == member.info.default:
            continue
        same = [option for option in taken if any(name == flag.name for flag in members(option))]
        if any(_allows(option, value) for option in same):
            continue
        allowed = [each for option in same for each in option._values]
        if member.info.value_flags:
            yield next(f"--{each}" for each in value if each not in allowed)
        elif same:
            yield f"{member.typed} {value}, only {' or '.join(map(str, allowed))}"
        else:
            yield member.typed


def _allows(option: Option, value: object) -> bool:
    """Return whether an option stands for any of its values, or for this one."""
    values = value if isinstance(value, tuple) else (value,)
    return not option._values or all(each in option._values for each in values)


def stand_in(cls: type[R]) -> Any:
    """Return an `Option` in place of a request: its attributes are the options, not values."""
    return Option(cls.__name__, [*flags_of(cls).values()])


def members(option: Option) -> Sequence[Flag]:
    """Return the flags of an option, or of a group of options."""
    return option._flags


def spellings(option: Option) -> list[str]:
    """Return all forms of an option, or of the options of a group, that can be typed."""
    names: list[str] = []
    for member in members(option):
        if member.info.value_flags:
            names += [f"--{each}" for each in option._values or member.info.value_flags]
        elif option._values:
            names += [f"{member.typed} {each}" for each in option._values]
        else:
            names.append(member.typed)
    return names


def typed(option: Option, values: Mapping[str, Any]) -> list[str]:
    """Return the forms of an option, or of the options of a group, that the user has set."""
    names: list[str] = []
    for member in members(option):
        if member.name not in values:
            continue
        value = values[member.name]
        if member.info.value_flags:
            names += [
                f"--{name}"
                for name in dict.fromkeys(value)
                if not option._values or name in option._values
            ]
        elif not option._values:
            names.append(member.typed)
        elif value in option._values:
            names.append(f"{member.typed} {value}")
    return names
