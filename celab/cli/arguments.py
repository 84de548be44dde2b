"""argv → namespace. Flags of a metric come from the fields of its options, and from nowhere else.

A value is converted to the type of the field's default and checked by the dataclass, so that the
command line and the API refuse the same values in the same words.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from typing import Any, NoReturn

from celab.errors import OptionError
from celab.version import __version__


class Answered(Exception):
    """The arguments ask for a text (help, version) and for no work."""


class Parser(argparse.ArgumentParser):
    """Raises where argparse would print and exit, so that there is one way out of a command."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, add_help=False, allow_abbrev=False, **settings)
        general = self.add_argument_group("about the command")
        general.add_argument("-h", "--help", action=_Answer, help="show this help")
        general.add_argument("--version", action=_Answer, help="show the version")

    def error(self, message: str) -> NoReturn:
        """What argparse found wrong, as one of our own errors."""
        raise OptionError(f"{message}; see {self.prog} --help")


class _Answer(argparse.Action):
    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        asks_help = "--help" in self.option_strings
        raise Answered(parser.format_help() if asks_help else f"{parser.prog} {__version__}\n")


def add_options(
    parser: argparse.ArgumentParser, options: type[Any], title: str, shared: type[Any] | None = None
) -> None:
    """One flag for each field of the dataclass `options` that `shared` does not have already."""
    group = parser.add_argument_group(title)
    known = {spec.name for spec in fields(shared)} if shared else set()
    for spec in fields(options):
        if spec.name in known:
            continue
        choices = spec.metadata["choices"]
        group.add_argument(
            f"--{spec.name.replace('_', '-')}",
            type=_converter(spec),
            default=argparse.SUPPRESS,  # the dataclass has the default
            metavar=f"{{{','.join(choices)}}}" if choices else type(spec.default).__name__.upper(),
            help=f"{spec.metadata['help']} (default: {spec.default})".replace("%", "%%"),
        )


def chosen_options(arguments: argparse.Namespace, options: type[Any]) -> dict[str, Any]:
    """Those fields of `options` that were given as flags."""
    given = vars(arguments)
    return {spec.name: given[spec.name] for spec in fields(options) if spec.name in given}


def refuse_together(arguments: argparse.Namespace, *pairs: Sequence[str]) -> None:
    """Raises if both flags of a pair are given; they ask for different output."""
    for pair in pairs:
        values = [getattr(arguments, flag) for flag in pair]
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
