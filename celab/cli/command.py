"""A command: a function from its request to an outcome, with what its help says.

    @command(AlignRequest, "align", usage="[options] REF TEXT...", example="{0} ref.zh output.txt")
    def main(request: AlignRequest) -> Outcome: ...

makes `main` the command: called with words, it parses them, makes the request, runs the function,
writes what it returns, and returns the exit code. `{0}` is the name of the program.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from celab.base import io, messages
from celab.base.arguments import Arguments
from celab.base.errors import OptionError
from celab.base.languages import language_code, split_pair
from celab.cli import output_files, terminal
from celab.cli.arguments import Advice, Parser, RemovedOption, complete
from celab.cli.flags import CommandLine, Flag, add_flags, build, flags_of, is_text
from celab.cli.metrics import METRIC_FLAGS, join_metric_names
from celab.cli.option_groups import MAX_DIGITS
from celab.cli.requests import Request
from celab.cli.rules import rules_of, values_set, with_meanings
from celab.cli.terminal import Outcome

R = TypeVar("R", bound=Request)


def make(cls: type[R], arguments: argparse.Namespace, typed: Sequence[str] = ()) -> R:
    """Return the request for arguments that a parser has understood, in the words `typed`.

    What an option is short for is added here and nowhere else, and then all rules are checked.
    """
    flags, (short_forms, rules) = flags_of(cls), rules_of(cls)
    values = _read(flags, vars(arguments))
    values = _with_language(flags, values)
    values = _with_digits(flags, values)
    values = with_meanings(short_forms, flags, values)
    command_line = CommandLine(flags, values_set(flags, values), tuple(typed))
    request = build(cls, values, program=values["program"], command_line=command_line)
    for rule in rules:
        if problem := rule.problem(request):
            raise OptionError(problem)
    if command_line.output_files:
        output_files.check(request.output_files, request)
    messages.choose(strict=request.is_set("strict"), quiet=request.quiet)
    return request


def _read(flags: Mapping[str, Flag], arguments: Mapping[str, Any]) -> Arguments:
    """Return the values of options, of which words that are no files are read as UTF-8."""
    values: Arguments = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in arguments.items()
    }
    for name in flags.keys() & values.keys():
        if values[name] and is_text(name, values):
            values[name] = _checked_texts(values[name])
        elif flags[name].info.file == "none":
            values[name] = _readable(values[name])
    return values


def _readable(value: object) -> object:
    """Return the value of an option that is no file, read as UTF-8."""
    if isinstance(value, tuple):
        return tuple(map(_readable, value))
    return io.readable(value) if isinstance(value, str) else value


def _checked_texts(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of `--text`, read as UTF-8; `OptionError` if they are not."""
    for word in words:
        try:
            os.fsencode(word).decode()
        except UnicodeEncodeError:  # Python code has given it, not a shell
            pass
        except UnicodeDecodeError:
            raise OptionError(
                f"{os.fsencode(word)[:40]!r} is not UTF-8; texts on the command line must be, and"
                " files may have another --encoding"
            ) from None
    return tuple(map(io.readable, words))


def _with_digits(flags: Mapping[str, Flag], values: Arguments) -> Arguments:
    """Return the values, with the digits of sacreBLEU's `--width N`; celab's takes fold or keep."""
    width = str(values.get("width"))
    if "digits" not in flags or width not in map(str, range(MAX_DIGITS + 1)):
        return values
    if values.get("digits") not in (None, int(width)):
        raise OptionError(
            f"--digits {values['digits']} and --width {width} are both given; choose one of them"
        )
    return values | {"digits": int(width), "width": None}


def _with_language(flags: Mapping[str, Flag], values: Arguments) -> Arguments:
    """Return the values, with the language that a language pair names."""
    # The pair chooses files of a folder that `celab meta` reads.
    if "language_pair" not in flags or values.get("dataset"):
        return values
    pair, test_set = values.get("language_pair"), values.get("test_set")
    if pair is None and test_set is None:
        return values
    if pair is None:
        raise OptionError(f"-t {test_set} is given without -l; add one, such as -l en-zh")
    from celab.corpus.testsets import target_of

    is_tag = re.fullmatch("[A-Za-z]{2,3}([-_][A-Z][A-Za-z]+)*", pair)
    is_language = test_set is None and is_tag and not split_pair(pair)[0]
    target = pair if is_language else target_of(pair)
    lang = values.get("lang")
    if language_code(lang) not in (None, language_code(target)):
        raise OptionError(f"--lang is {lang}, but -l is {pair}; leave one of them out")
    return values | {"lang": target}


class Command:
    """A command; `program` is its name in messages, and `help` has settings of `Parser`."""

    def __init__(
        self,
        request: type[Request],
        work: Callable[[Any], Outcome],
        program: str,
        usage: str,
        refused: Mapping[str, Advice],
        **help: Any,
    ) -> None:
        self.work, self.program, self.usage = work, program, usage
        self.refused, self.help = refused, help
        self.request = request
        self.flags = flags_of(self.request)
        rules_of(self.request)  # an error now if a rule names an option that the command lacks
        known = {name for member in self.flags.values() for name in member.spellings}
        if unknown := {*self.help.get("common", "").split()} - known:
            raise TypeError(f"{program} has no option {min(unknown)}, which `common` names")

    def __call__(self, argv: Sequence[str] | None = None, program: str = "") -> int:
        """Run a command line (default: that of the process); return the exit code."""
        return terminal.run(program or self.program, self.run, argv, program or self.program)

    def run(self, argv: Sequence[str] | None, program: str) -> Outcome:
        """Run the command line and return its output."""
        return self.work(self.read(sys.argv[1:] if argv is None else argv, program))

    def read(self, argv: Sequence[str], program: str = "") -> Request:
        """Return the request of a command line."""
        words, parser = list(argv), self.parser(program)
        parser.command_line = argv
        if "_ARGCOMPLETE" in os.environ:
            complete(parser)
        if any(word.partition("=")[0] in METRIC_FLAGS for word in words):
            words = join_metric_names(words, self.request.known_metrics(words))
        return make(self.request, parser.parse_intermixed_args(words), tuple(argv))

    def parser(self, program: str = "") -> Parser:
        """Return the parser, with a flag for each option of the request."""
        program = program or self.program
        usage = "\n       ".join(f"{program} {line}" for line in self.usage.splitlines())
        settings = self.help | {"example": self.help["example"].format(program)}
        parser = Parser(program, usage=usage, **settings)
        add_flags(parser, self.request)
        hidden = parser.add_argument_group()
        for flags, advice in self.refused.items():
            hidden.add_argument(
                *flags.split(),
                action=RemovedOption,
                nargs="?",
                const=advice.format(program) if isinstance(advice, str) else advice,
                help=argparse.SUPPRESS,
            )
        return parser


def command(
    request: type[R],
    name: str,
    *,
    usage: str,
    program: str = "",
    refused: Mapping[str, Advice] | None = None,
    **help: Any,
) -> Callable[[Callable[[R], Outcome]], Command]:
    """Return a decorator that makes a `Command` of a function; it is called with a request.

    Parameters:
        request: the class of the request.
        name: the words after `celab`.
        usage: a line for each way to use it, without the name of the program.
        program: its name, if it is also a program of its own.
        refused: flags that the command does not have, and what to use instead.
        help: `common`, `example`, `description` and `epilog`.
    """
    name = program or f"celab {name}"
    return lambda work: Command(request, work, name, usage, refused or {}, **help)


class CommandGroup:
    """A command whose first word names one of its own commands."""

    def __init__(self, name: str, description: str) -> None:
        self.program, self.description = f"celab {name}", description
        # Name → class of the request, function, help, and whether the function parses the words.
        self.commands: dict[str, tuple[type[Request], Callable[[Any], Outcome], str, bool]] = {}

    def command(
        self, request: type[R], help: str, *, parses: bool = True
    ) -> Callable[[Callable[[R], Outcome]], Callable[[R], Outcome]]:
        """Return a decorator that adds a function as a command of its name.

        Without `parses`, all words are left to the function.
        """

        def decorate(work: Callable[[R], Outcome]) -> Callable[[R], Outcome]:
            rules_of(request)  # an error now if a rule names an option that is not there
            self.commands[work.__name__.strip("_")] = request, work, help, parses
            return work

        return decorate

    def __call__(self, argv: Sequence[str] | None = None, program: str = "") -> int:
        """Run a command line (default: that of the process); return the exit code."""
        return terminal.run(program or self.program, self.run, argv, program or self.program)

    def run(self, argv: Sequence[str] | None, program: str) -> Outcome:
        """Run the command line and return its output."""
        parser = self.parser(program)
        if "_ARGCOMPLETE" in os.environ:
            complete(parser)
        arguments = parser.parse_args(argv)
        if arguments.run is None:
            raise OptionError(f"no command is given; see {program} --help")
        outcome: Outcome = arguments.run(make(arguments.request, arguments))
        return outcome

    def parser(self, program: str = "") -> Parser:
        """Return a parser whose first argument is a command."""
        program = program or self.program
        usage = f"{program} COMMAND [options]"
        parser = Parser(program, usage=usage, description=self.description)
        parser.set_defaults(run=None, request=None)
        subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=Parser, prog=program)
        for name, (request, work, help, parses) in self.commands.items():
            subparser = subparsers.add_parser(name, help=help, parses=parses)
            subparser.set_defaults(run=work, request=request, program=program)
            if parses:
                add_flags(subparser, request)
        return parser
