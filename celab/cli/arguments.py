"""argv → namespace: argparse, with our help, our errors and shell completion.

`celab.cli.flags` adds the flags, which are the fields of dataclasses.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from celab.base import io
from celab.base.errors import OptionError, suggest
from celab.base.options import COLUMNS, OptionInfo
from celab.base.version import __version__
from celab.metrics.options import lexicon_names

ANSWERS = ("-h", "--help", "--help-all", "--version")


# The first character of a word that begins with a hyphen and is not an option; no word of a command
# line has it.
NOT_OPTION = "\0"


def _without_mark(value: Any) -> Any:
    return value.removeprefix(NOT_OPTION) if isinstance(value, str) else value


class HelpRequested(Exception):
    """The arguments ask for help or the version only; the message is what to print."""


class Parser(argparse.ArgumentParser):
    """Raises where argparse would print and exit, so that there is one way out of a command.

    `common` has the options that `--help` shows, in this order, each with its help text up to the
    first semicolon and its default, and `example` follows them; `--help-all` shows everything.
    Without `common` both show everything. A parser that does not parse (`parses`) leaves its
    arguments as `words`, for a command whose module has a parser of its own.
    """

    def __init__(
        self,
        prog: str,
        common: str = "",
        example: str = "",
        *,
        parses: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(
            prog, add_help=False, allow_abbrev=False, formatter_class=_Formatter, **settings
        )
        self.common, self.example, self.parses = common.split(), example, parses
        # The properties of the options that `celab.cli.flags` has added.
        self.infos: dict[argparse.Action, OptionInfo] = {}
        # Advice on an option that celab does not have repeats the words of the command line.
        self.command_line: Sequence[str] = ()
        self._is_intermixed = False
        self._positionals.title, self._optionals.title = "Arguments", "Options"
        self.file_arguments = self._positionals
        # Errors show how the program is used.
        self.set_defaults(program=prog)
        group, help = self.add_argument_group("Help"), "show this help"
        answers = {
            ("-h", "--help"): "show the most common options" if common else help,
            ("--help-all",): "show all options",
            ("--version",): "show the version",
        }
        for flags, help in answers.items():
            group.add_argument(
                *flags, help=help, action=_HelpAction, nargs=0, default=argparse.SUPPRESS
            )

    @property
    def flags(self) -> Collection[str]:
        """All spellings of the options."""
        return self._option_string_actions

    def format_help(self) -> str:
        """Return help on all options."""
        self._list_kinds()
        return super().format_help()

    def _list_kinds(self) -> None:
        """Write the kinds of findings into help texts; to know them, all their rules are loaded."""
        for action, info in self.infos.items():
            if info.known_names and action.help and "{kinds}" in action.help:
                from celab.cli.names import grouped_kinds

                action.help = action.help.replace("{kinds}", grouped_kinds(info.known_names()))

    def short_help(self) -> str:
        """Return help on the most common options, in one screen."""
        if not self.common:
            return self.format_help()
        formatter = _Formatter(self.prog, brief=True)
        formatter.add_usage(self.usage, (), ())
        formatter.add_text(self.description)
        formatter.start_section("Common options")
        formatter.add_arguments([self._option_string_actions[name] for name in self.common])
        formatter.end_section()
        example = f"\nExample: {self.example}\n" if self.example else ""
        return f"{formatter.format_help()}{example}\n{self.prog} --help-all shows all options.\n"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, with our error for unknown options."""
        # A shell's completion needs the arguments of all commands, so argcomplete parses, too.
        if not self.parses and "_ARGCOMPLETE" not in os.environ:
            return argparse.Namespace(**self._defaults, words=args), []
        words = args if self._is_intermixed else self._with_values(args)
        known, unparsed = super().parse_known_args(words, namespace)
        if any(word[:1] == "-" for word in unparsed):
            self._reject_unknown(unparsed)
        return known, unparsed

    def parse_known_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words and options in any order, with our error for unknown options.

        Newer Pythons do not call `parse_known_args` here.
        """
        words = self._with_values(args)
        self._is_intermixed = True  # the words are looked at once, but parsed twice
        try:
            known, unparsed = super().parse_known_intermixed_args(
                self._with_marks(words), namespace
            )
        finally:
            self._is_intermixed = False
        for name, value in vars(known).items():
            if isinstance(value, list):
                value[:] = [_without_mark(item) for item in value]
            else:
                setattr(known, name, _without_mark(value))
        if any(word[:1] == "-" for word in unparsed):
            self._reject_unknown(unparsed)
        return known, unparsed

    def _with_values(self, args: Sequence[str] | None) -> list[str]:
        """Join values such as -1M to their option; argparse would take them for options.

        Raises for a word that is meant as an option, but would be read as something else.
        """
        args = sys.argv[1:] if args is None else args
        flags = self._option_string_actions
        words: list[str] = []
        for word in args:
            is_text = "--" in words or ("--text" in args and word[:1] != "-")
            if not is_text and word not in flags:
                word = self._checked(word, words[-1] if words else "")
                if self._is_next_field(words, word):
                    words[-1] += f",{word}"
                    continue
                self._check_list([*words, word])
            action = flags.get(words[-1]) if words else None
            is_value = action is not None and action.nargs is None and "--" not in words
            if is_value and re.match(r"-\.?[0-9]", word) and words[-1].startswith("--"):
                words[-1] += f"={word}"
            else:
                words.append(word)
        return words

    def _with_marks(self, words: list[str]) -> list[str]:
        """Return the words, with those after `--` that begin with a hyphen marked as no options.

        Python 3.11 forgets `--` when it parses the words again for files between options.
        """
        if "--" not in words:
            return words
        end = words.index("--")
        before, after = words[:end], words[end + 1 :]
        for word in after:
            is_file = os.path.lexists(word) or "--text" in before
            if word.partition("=")[0] in self._option_string_actions and not is_file:
                raise OptionError(self._unknown(word.partition("=")[0]))
        marked = [NOT_OPTION + word if word[:1] == "-" else word for word in after]
        return [*before, "--", *marked]

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return the readings of a word by argparse, without abbreviated flags (-n for -nr)."""
        readings: list[Any] = super()._get_option_tuples(option_string)
        return [reading for reading in readings if option_string.startswith(reading[1])]

    def _reject_unknown(self, unparsed: list[str]) -> None:
        for word in itertools.takewhile(lambda word: word != "--", unparsed):
            if re.match(r"-(?!\d+$)[^\s]", word):
                raise OptionError(self._unknown(word.partition("=")[0]))

    def _checked(self, word: str, before: str) -> str:
        """Return a word that is not a flag; raise if it is meant as one, but read otherwise.

        Dashes and full-width characters that word processors and input methods make, one hyphen in
        place of two, and `lang=zh` without hyphens, unless it is a value.
        """
        flags = self._option_string_actions
        plain, exists, action = word, os.path.lexists(word), flags.get(before)
        if not word.isascii() or word[:1] == "-":
            from celab.cli import hints

            plain = hints.flag_in_ascii(io.readable(word), flags) or word
        for answer in ANSWERS:
            if plain in (answer, answer.replace("--", "-")):  # also -help
                return answer
        if plain != word and not exists:
            raise OptionError(hints.not_ascii(io.readable(word), plain))
        name = re.split(r"[=\s]", word, maxsplit=1)[0]
        is_switch = action is not None and action.nargs == 0
        is_option = re.match(r"--?[A-Za-z]{2}", word) and name not in flags
        if is_option and hints.is_meant(name, flags):
            hint = hints.flag_hint(name, flags)
            raise OptionError(f"{name} is not an option of {self.prog}; {hint}")
        is_assigned = f"--{name}" in flags and re.match(r"[a-z-]+=.", word)
        if is_assigned and (action is None or is_switch) and not exists:
            raise OptionError(f"{word} is not a file; did you mean --{word}?")
        if before == "--segments" and is_switch and word.isdecimal() and not exists:
            raise OptionError(
                f"--segments takes no value, but {word} is given; to explain segment {word}, use"
                f" celab explain {word} REF... HYP"
            )
        return word

    def _is_next_field(self, words: Sequence[str], word: str) -> bool:
        """Return whether a word that is no file follows the columns of an option."""
        last = words[-1] if words else ""
        is_whole = last.startswith("--") and "=" in last
        flag = last.partition("=")[0] if is_whole else "".join(words[-2:-1])
        action = self._option_string_actions.get(flag)
        return self._items(action) == COLUMNS and _is_name(word)

    def _items(self, action: argparse.Action | None) -> str:
        """Return what the value of an option lists, separated by commas, or ""."""
        info = None if action is None else self.infos.get(action)
        return "" if info is None else info.items

    def _check_list(self, words: Sequence[str]) -> None:
        """Raise if the last word is no file, and follows a list that is separated by commas."""
        *before, last = words
        if before and "=" in before[-1]:
            before[-1:] = before[-1].split("=", 1)
        action = self._option_string_actions.get(before[-2]) if len(before) > 1 else None
        arguments = (info for info in self.infos.values() if info.is_argument)
        takes_words = any(info.file == "none" for info in arguments)
        if takes_words or not _is_name(last):
            return
        if (items := self._items(action)) and items != COLUMNS:
            value = shlex.quote(f"{before[-1]},{last}")
            raise OptionError(
                f"{last} is not a file; to give {before[-2]} several {items}, separate them by"
                f" commas, as in {before[-2]} {value}"
            )

    def _unknown(self, option: str) -> str:
        from celab.cli import hints

        actions = self._option_string_actions
        if option in actions:
            return f"{option} stands after --, which ends the options; put it before"
        refused = [flag for flag, action in actions.items() if isinstance(action, RemovedOption)]
        places = [action.dest for action in self._get_positional_actions()]
        hint = hints.flag_hint(option, actions, refused, places)
        if option[2:] in self._commands:
            hint = f"did you mean {self.prog} {option[2:]}?"
        return f"{option} is not an option of {self.prog}; {hint or f'see {self.prog} --help-all'}"

    @property
    def _commands(self) -> list[str]:
        subparsers = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        return [command for action in subparsers for command in action.choices]

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        if action.option_strings:
            problem = f"{action.option_strings[-1]} is {value!r}"
        else:
            if value == "help":
                raise HelpRequested(self.short_help())
            problem = f"{value!r} is not a command of {self.prog}"
            from celab.cli import hints

            if hint := hints.command_hint(str(value), map(str, action.choices)):
                raise OptionError(f"{problem}; {hint}")
        raise OptionError(f"{problem}; {suggest(str(value), map(str, action.choices))}")

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error as an `OptionError`."""
        if match := re.fullmatch(r"argument (\S+): ignored explicit argument '(.*)'", message):
            flag, value = match[1].rpartition("/")[2], match[2]
            can_write = "--output" in self._option_string_actions and "." in value
            advice = f"use {flag} -o {value}" if can_write else f"see {self.prog} --help"
            raise OptionError(f"{flag} takes no value, but {value!r} is given; {advice}")
        unread = re.fullmatch(r"unrecognized arguments: (\d+)", message)
        if unread and "--port" in self._option_string_actions:
            message += f"; did you mean --port {unread[1]}?"
            raise OptionError(message)
        raise OptionError(f"{message}; see {self.prog} --help")


def _is_name(word: str) -> bool:
    """Return whether a word is neither a flag, a file, what may be a path, nor segments."""
    if word == "-" or os.path.lexists(word):
        return False
    return not re.search(r"^--?[A-Za-z]|[/*?]|\.[A-Za-z]\w*$|^[\d,-]+$", word)


class _Formatter(argparse.HelpFormatter):
    """Writes `-o, --output FILE`, where argparse would write `-o FILE, --output FILE`."""

    def __init__(self, prog: str, brief: bool = False, **settings: Any) -> None:
        super().__init__(prog, max_help_position=28, **settings)
        self.brief = brief

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        names = action.option_strings[:2] if self.brief else action.option_strings
        return f"{', '.join(names)} {value}"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if action.nargs in ("+", "*") and isinstance(action.metavar, str):
            return f"{action.metavar}..."
        return super()._format_args(action, default_metavar)

    def _split_lines(self, text: str, width: int) -> list[str]:
        # Names such as celab-recommended stay in one piece.
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _expand_help(self, action: argparse.Action) -> str:
        text = super()._expand_help(action)
        if not self.brief or ";" not in text:
            return text
        start, default = text.partition(";")[0], re.search(r" \(default: [^()]*\)$", text)
        return start + (default[0] if default and "(default: " not in start else "")


class _HelpAction(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, Parser)
        if "--help" in self.option_strings:
            raise HelpRequested(parser.short_help())
        asks_all = "--help-all" in self.option_strings
        raise HelpRequested(parser.format_help() if asks_all else f"{parser.prog} {__version__}\n")


# For commands that score segments as they come.
NO_ALIGN = {"--align": "it scores segments as they come; celab align cuts a text into segments"}

# Advice on what to use instead of an option: a text, or a function of the command line's words.
Advice = str | Callable[[Sequence[str]], str]


class RemovedOption(argparse.Action):
    """An option that a command does not have; its constant is advice, not the nearest name."""

    def __call__(self, parser: Any, namespace: object, values: object, flag: Any = None) -> None:
        """Raise the error."""
        advice = self.const if isinstance(self.const, str) else self.const(parser.command_line)
        raise OptionError(f"{flag} is not an option of {parser.prog}: {advice}")


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell's completion request, and end the process."""
    try:
        import argcomplete
    except ModuleNotFoundError:  # uninstalled since the shell was set up
        sys.exit(0)
    pending: list[argparse.ArgumentParser] = [parser]
    while pending:
        current = pending.pop()
        for action in current._actions:
            if isinstance(action.choices, dict):  # commands with parsers of their own
                pending += action.choices.values()
            elif isinstance(current, Parser) and action in current.infos:
                info = current.infos[action]
                if info.known_names or info.completions:
                    # argcomplete reads this attribute.
                    action.completer = _Names(info)  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options=False)


class _Names:
    """Completes names, and for lexicons also paths."""

    def __init__(self, info: OptionInfo) -> None:
        self.info = info

    def __call__(self, prefix: str, action: argparse.Action, **_: object) -> list[str]:
        from argcomplete.completers import FilesCompleter

        files = FilesCompleter()(prefix) if self.info.known_names is lexicon_names else []
        names = self.info.known_names() if self.info.known_names else self.info.completions or ()
        return [*names, *files]
