"""A command: a function from its request to an outcome, with what its help says.

    @command("align", usage="[options] REF TEXT...", example="{0} ref.zh output.txt")
    def main(request: AlignRequest) -> Outcome: ...

makes `main` the command: called with words, it parses them, makes the request, runs the function,
writes what it returns, and returns the exit code. `{0}` is the name of the program.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from celab.base.errors import OptionError
from celab.cli import requests, terminal
from celab.cli.arguments import Parser, Refused
from celab.cli.flags import add_flags
from celab.cli.metrics import join_metric_names
from celab.cli.outcome import Outcome
from celab.cli.requests import Request

R = TypeVar("R", bound=Request)


class Command:
    """A command; `program` is its name in messages, and `help` has settings of `Parser`."""

    def __init__(
        self,
        work: Callable[[Any], Outcome],
        program: str,
        usage: str,
        refused: Mapping[str, str],
        **help: Any,
    ) -> None:
        self.work, self.program, self.usage = work, program, usage
        self.refused, self.help = refused, help
        self.request: type[Request] = _request_of(work)

    def __call__(self, argv: Sequence[str] | None = None, program: str = "") -> int:
        """Run a command line (default: that of the process); return the exit code."""
        return terminal.run(program or self.program, self.run, argv, program or self.program)

    def run(self, argv: Sequence[str] | None, program: str) -> Outcome:
        """Return what a command line prints."""
        return self.work(self.read(sys.argv[1:] if argv is None else argv, program))

    def read(self, argv: Sequence[str], program: str = "") -> Request:
        """Return the request of a command line."""
        words = join_metric_names(argv, self.request.known_metrics(argv))
        return requests.make(self.request, self.parser(program).parse_intermixed_args(words))

    def parser(self, program: str = "") -> Parser:
        """Return the parser, with a flag for each option of the request."""
        program = program or self.program
        usage = "\n       ".join(f"{program} {line}" for line in self.usage.splitlines())
        settings = self.help | {"example": self.help["example"].format(program)}
        parser = Parser(program, usage=usage, **settings)
        add_flags(parser, self.request)
        for flags, advice in self.refused.items():
            parser.add_argument(*flags.split(), action=Refused, advice=advice.format(program))
        return parser


def command(
    name: str,
    *,
    usage: str,
    program: str = "",
    refused: Mapping[str, str] | None = None,
    **help: Any,
) -> Callable[[Callable[[R], Outcome]], Command]:
    """Return a decorator that makes a command of a function, whose request is its argument.

    Parameters:
        name: the words after `celab`.
        usage: a line for each way to use it, without the name of the program.
        program: its name, if it is also a program of its own.
        refused: flags of other tools, and what to use instead.
        help: `common`, `example`, `description` and `epilog`.
    """
    return lambda work: Command(work, program or f"celab {name}", usage, refused or {}, **help)


class CommandGroup:
    """A command whose first word names one of its own commands."""

    def __init__(self, name: str, description: str) -> None:
        self.program, self.description = f"celab {name}", description
        self.commands: dict[str, tuple[Callable[[Any], Outcome], str, bool]] = {}

    def command(
        self, help: str, *, parses: bool = True
    ) -> Callable[[Callable[[R], Outcome]], Callable[[R], Outcome]]:
        """Return a decorator that adds a function as a command of its name.

        Without `parses`, all words are left to the function.
        """

        def decorate(work: Callable[[R], Outcome]) -> Callable[[R], Outcome]:
            self.commands[work.__name__.strip("_")] = work, help, parses
            return work

        return decorate

    def __call__(self, argv: Sequence[str] | None = None, program: str = "") -> int:
        """Run a command line (default: that of the process); return the exit code."""
        return terminal.run(program or self.program, self.run, argv, program or self.program)

    def run(self, argv: Sequence[str] | None, program: str) -> Outcome:
        """Return what a command line prints."""
        arguments = self.parser(program).parse_args(argv)
        if arguments.run is None:
            raise OptionError(f"no command is given; see {program} --help")
        outcome: Outcome = arguments.run(requests.make(arguments.request, arguments))
        return outcome

    def parser(self, program: str = "") -> Parser:
        """Return a parser whose first argument is a command."""
        program = program or self.program
        usage = f"{program} COMMAND [options]"
        parser = Parser(program, usage=usage, description=self.description)
        parser.set_defaults(run=None, request=None)
        subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=Parser, prog=program)
        for name, (work, help, parses) in self.commands.items():
            request = _request_of(work)
            subparser = subparsers.add_parser(name, help=help, parses=parses)
            subparser.set_defaults(run=work, request=request, program=program)
            if parses:
                add_flags(subparser, request)
        return parser


def _request_of(work: Callable[[Any], Outcome]) -> type[Request]:
    request: type[Request] = inspect.get_annotations(work, eval_str=True)["request"]
    return request
