"""Rules of options: which exclude or need each other, and what a way to work takes.

A request states them with its own fields:

    @staticmethod
    def rules(r: ScoreRequest) -> Iterator[Rule]:
        yield conflict(r.brief, r.output.json, r.segments)
        yield needs(r.label, r.output.json)

`rules` is called once, where the command is defined, with a stand-in for the request: a name that
is not an option of the command is a `TypeError` when the module is imported, and mypy reports it.
The rules of a request are checked in their order, after its values are known and before any file
is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from celab.base.errors import OptionError
from celab.cli.flags import Flag, flags_of

if TYPE_CHECKING:
    # A circle: a request states its rules.
    from celab.cli.command import Request

R = TypeVar("R", bound="Request")
Given = Mapping[str, Any]  # the values of options, by name


class Option:
    """An option of a command, or a group of options: what stands for it while rules are made."""

    def __init__(
        self,
        owner: str,
        flags: Sequence[Flag],
        path: tuple[str, ...] = (),
        values: tuple[object, ...] = (),
    ) -> None:
        self._owner, self._flags, self._path, self._values = owner, flags, path, values
        self._members: dict[str, list[Flag]] = {}  # of a group, or of the request, by name
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
    """A rule: what is wrong with a request, or ""; and the options that it is about."""

    kind: str  # the function that made it
    options: tuple[Option, ...]
    problem: Callable[[Request], str]


def value(option: object, *values: object) -> Any:
    """Return an option with some of its values, in place of the option: `--level segment`."""
    of = cast(Option, option)
    return Option(of._owner, of._flags, of._path, values)


def conflict(option: object, *others: object, because: str = "choose one of them") -> Rule:
    """Return the rule that an option cannot be given with any of the others."""
    first, *rest = options = cast("tuple[Option, ...]", (option, *others))

    def problem(request: Request) -> str:
        names = typed(first, request.given)
        other_names = [name for other in rest for name in typed(other, request.given)]
        pairs = (f"{a} and {b}" for a in names for b in other_names if a != b)
        both = next(pairs, "")
        return both and f"{both} are both given; {because}"

    return Rule("conflict", options, problem)


def needs(option: object, *others: object) -> Rule:
    """Return the rule that an option is of use only with one of the others."""
    first, *rest = options = cast("tuple[Option, ...]", (option, *others))
    *names, last = (name for other in rest for name in spellings(other))
    either = " or ".join(filter(None, [", ".join(names), last]))

    def problem(request: Request) -> str:
        if any(typed(other, request.given) for other in rest):
            return ""
        name = first_given([first], request)
        return name and f"{name} needs {either}"

    return Rule("needs", options, problem)


def takes(way: object, *options: object, because: str = "") -> Rule:
    """Return the rule that a way to work, which an option asks for, takes only these options."""
    first, *rest = all_options = cast("tuple[Option, ...]", (way, *options))
    why = because and f", because {because}"

    def problem(request: Request) -> str:
        name = first_given([first], request)
        other = next(not_taken(rest, request), "") if name else ""
        return other and f"{name} does not take {other}{why}; leave one of them out"

    return Rule("takes", all_options, problem)


def means(option: object, *others: object) -> Rule:
    """Return the rule that an option is short for others, which get these values."""
    return Rule("means", cast("tuple[Option, ...]", (option, *others)), lambda request: "")


def with_meanings(
    rules: Iterable[Rule], flags: Mapping[str, Flag], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of options, with those of options that others are short for.

    An option that is given with another value than that is an error.
    """
    values = dict(values)
    causes: dict[str, str] = {}  # what was typed, by the name of the option that it is short for
    for rule in rules:
        given = given_of(flags, values)
        names = typed(rule.options[0], given) if rule.kind == "means" else []
        for option in rule.options[1:] if names else ():
            cause = causes.get(members(rule.options[0])[0].name, names[0])
            (member,) = members(option)
            causes.setdefault(member.name, cause)
            meant = option._values[0] if option._values else True
            if "each" in member.facts:
                values[member.name] = (*(values[member.name] or ()), *option._values)
            elif given.get(member.name, meant) != meant:
                other = f"{member.typed} {given[member.name]}"
                raise OptionError(f"{cause} and {other} are both given; choose one of them")
            else:
                values[member.name] = meant
    return values


def given_of(flags: Mapping[str, Flag], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options that are not at their defaults."""
    return {  # 0 is a value
        name: value
        for name, known in flags.items()
        if (value := values.get(name)) not in (None, (), known.facts["default"])
        and value is not False
    }


def refuse(problem: Callable[[R], str]) -> Rule:
    """Return the rule that a function states: it returns what is wrong with a request, or ""."""
    return Rule("refuse", (), cast("Callable[[Request], str]", problem))


def rules_of(kind: type[Request]) -> list[Rule]:
    """Return the rules of a request; `TypeError` if one names an option that it does not have."""
    return _rules_of(cast("type", kind))  # see `flags_of`


@cache
def _rules_of(kind: Any) -> list[Rule]:
    return list(kind.rules(stand_in(kind)))


def listed(kind: type[R], function: Callable[[R], Iterable[object]]) -> list[Option]:
    """Return the options of a request that a function lists; it gets a stand-in, as `rules` do."""
    return cast("list[Option]", list(function(stand_in(kind))))


def first_given(options: Iterable[Option], request: Request) -> str:
    """Return the first of the options that is given, as it is typed, or ""."""
    return next((name for option in options for name in typed(option, request.given)), "")


def not_taken(options: Iterable[Option], request: Request) -> Iterator[str]:
    """Yield the options that are given and are none of these, as they are typed."""
    taken = [*options]
    for name, given_value in request.given.items():
        member = request.flags[name]
        known = [option for option in taken if member in option._flags]
        if any(_allows(option, given_value) for option in known):
            continue
        if "each" in member.facts:
            allowed = {each for option in known for each in option._values}
            yield next(f"--{each}" for each in given_value if each not in allowed)
        elif known:
            only = " or ".join(str(each) for option in known for each in option._values)
            yield f"{member.typed} {given_value}, only {only}"
        else:
            yield member.typed


def _allows(option: Option, given_value: object) -> bool:
    each = given_value if isinstance(given_value, tuple) else (given_value,)
    return not option._values or all(part in option._values for part in each)


def stand_in(kind: type[R]) -> Any:
    """Return what stands for a request while its rules are made."""
    return Option(kind.__name__, [*flags_of(kind).values()])


def members(option: Option) -> Sequence[Flag]:
    """Return the flags of an option, or of a group of options."""
    return option._flags


def spellings(option: Option) -> list[str]:
    """Return all forms of an option, or of the options of a group, that can be typed."""
    names: list[str] = []
    for member in members(option):
        if "each" in member.facts:
            names += [f"--{each}" for each in option._values or member.facts["each"]]
        elif option._values:
            names += [f"{member.typed} {each}" for each in option._values]
        else:
            names.append(member.typed)
    return names


def typed(option: Option, given: Given) -> list[str]:
    """Return the forms of an option, or of the options of a group, that are given."""
    names: list[str] = []
    for member in members(option):
        if member.name not in given:
            continue
        of_member = given[member.name]
        if "each" in member.facts:
            each = dict.fromkeys(of_member)
            names += [f"--{name}" for name in each if not option._values or name in option._values]
        elif not option._values:
            names.append(member.typed)
        elif of_member in option._values:
            names.append(f"{member.typed} {of_member}")
    return names
