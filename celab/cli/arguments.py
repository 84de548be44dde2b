"""argv → namespace. Flags of a metric come from the fields of its options, and from nowhere else.

A value is converted to the type of the field's default and checked by the dataclass, so that the
command line and the API refuse the same values in the same words.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, NoReturn

from celab.errors import OptionError
from celab.options import Limits
from celab.version import __version__


class Answered(Exception):
    """The arguments ask for a text (help, version) and for no work."""


class Parser(argparse.ArgumentParser):
    """Raises where argparse would print and exit, so that there is one way out of a command."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, add_help=False, allow_abbrev=False, **settings)
        add = self.group("about the command")
        add("-h --help", "show this help", action=_Answer)
        add("--version", "show the version", action=_Answer)

    def group(self, title: str) -> Callable[..., None]:
        """What adds flags to a new group: `add("-o --output FILE", "output file")`.

        A flag without a value is a switch, `FILE...` takes several, and one with `between` takes a
        whole number. What `add_argument` knows may follow.
        """
        group = self.add_argument_group(title)

        def add(spelled: str, help: str, **settings: Any) -> None:
            words = spelled.split()
            names = [word for word in words if word.startswith("-")]
            if len(words) > len(names):
                settings["metavar"] = words[-1].removesuffix("...")
                if words[-1].endswith("..."):
                    settings["nargs"] = "+"
            elif not settings:
                settings["action"] = "store_true"
            if between := settings.pop("between", None):
                settings["type"] = whole(*between)
            if isinstance(settings.get("default"), int):
                help += f" (default: {settings['default']})"
            group.add_argument(*names, help=help, **settings)

        return add

    def error(self, message: str) -> NoReturn:
        """What argparse found wrong, as one of our own errors."""
        raise OptionError(f"{message}; see {self.prog} --help")


class _Answer(argparse.Action):
    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        asks_help = "--help" in self.option_strings
        raise Answered(parser.format_help() if asks_help else f"{parser.prog} {__version__}\n")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A type for argparse: whole numbers in this range, whether the command uses them or not."""

    def number(text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,20}", text) and least <= int(text) <= most:
            return int(text)
        right = f"a whole number from {least} to {most}"
        raise argparse.ArgumentTypeError(f"{text!r} is given; it must be {right}")

    return number


def flag(name: str) -> str:
    """An option as the command line spells it."""
    return f"--{name.replace('_', '-')}"


def add_options(
    parser: argparse.ArgumentParser,
    options: type[Any] | Mapping[str, Sequence[type[Any]]],
    title: str,
    otherwise: Callable[[str], str] = lambda name: "",
) -> None:
    """One flag for each field of a dataclass, or of those that each of several metrics has.

    Fields that the same metrics have make a group. `otherwise` says in which cases the default of
    a field is another one.
    """
    specs: dict[str, dict[str, Field[Any]]] = {}
    for owner, some in (options if isinstance(options, Mapping) else {"": (options,)}).items():
        for spec in (spec for one in some for spec in fields(one)):
            specs.setdefault(spec.name, {})[owner] = spec
    groups: dict[str, Any] = {}
    for name, by_owner in specs.items():
        spec, owners = next(iter(by_owner.values())), " and ".join(by_owner)
        told = {
            owner: f"{one.metadata['help']} (default: {one.default}{otherwise(name)})"
            for owner, one in by_owner.items()
        }
        alike = len(set(told.values())) == 1
        texts = list(told.values())[:1] if alike else map(": ".join, told.items())
        choices = spec.metadata["choices"]
        if owners not in groups:
            groups[owners] = parser.add_argument_group(f"{title} {owners}".rstrip())
        groups[owners].add_argument(
            flag(name),
            type=_converter(spec),
            default=argparse.SUPPRESS,  # the dataclass has the default
            metavar=f"{{{','.join(choices)}}}" if choices else type(spec.default).__name__.upper(),
            help="; ".join(texts).replace("%", "%%"),
        )


def chosen_options(arguments: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """Those fields of `options` that were given as flags."""
    given = vars(arguments)
    return {spec.name: given[spec.name] for spec in fields(options) if spec.name in given}


def add_limits(parser: argparse.ArgumentParser) -> None:
    """`--max-line` and `--max-file`, for every command that reads text."""
    add_options(parser, Limits, "limits, such as 64M (K, M, G or T)")


def limits_of(arguments: argparse.Namespace) -> Limits:
    """What they were set to."""
    return Limits(**chosen_options(arguments, Limits))


def refuse_together(arguments: argparse.Namespace, *pairs: Sequence[str]) -> None:
    """Raises if both flags of a pair are given; they ask for different output."""
    for pair in pairs:
        values = [getattr(arguments, name) for name in pair]
        if all(value is not None and value is not False for value in values):  # 0 is given
            raise OptionError(f"--{pair[0]} and --{pair[1]} are both given; choose one of them")


def _converter(spec: Field[Any]) -> Callable[[str], Any]:
    kind: Callable[[str], Any] = type(spec.default)

    def convert(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            return text  # the dataclass will say what is wrong with it

    return convert
