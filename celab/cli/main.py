"""`celab`: runs the subcommand that the first word names, and imports only its module.

`celab score …` and `celab-score …` print the same, except for the name in remarks and errors.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from celab.base import io
from celab.base.errors import OptionError, install_command, nearest, suggest
from celab.base.version import __version__
from celab.cli import terminal
from celab.cli.arguments import Parser, complete
from celab.cli.terminal import Outcome
from celab.metrics.registry import METRICS, canonical_name

COMMAND = "celab"
THREAD_SECONDS = 0.5  # how long threads may go on after a signal
# The commands by groups, as `celab --help` shows them.
COMMAND_GROUPS = {
    "Every day": {
        "score": "score one system or many against references",
        "compare": "compare two systems in detail",
        "explain": "show where the score of a segment comes from",
        "check": "find outputs that may not be translations",
    },
    "Files and gates": {
        "align": "cut text into the segments of a reference",
        "terms": "check whether systems follow a glossary",
        "board": "show results of many test sets and versions together",
        "serve": "serve a playground in the browser, and JSON for programs",
    },
    "Research": {
        "meta": "correlate metrics with human judgments",
        "lexicon": "build synonym lexicons and show what is in them",
        "mbr": "choose a candidate from each n-best list (minimum Bayes risk)",
        "train": "train TESLA-F, DICOMER or CREMER on human judgments",
        "para": "score paraphrases by meaning, difference and fluency (PEM)",
        "tune": "tune feature weights of n-best lists",
        "pivot": "build pivot tables (phrases and translations) and inspect them",
        "stream": "score candidates from standard input as they come",
    },
}
COMMANDS = {name: text for group in COMMAND_GROUPS.values() for name, text in group.items()}
_MAX_WORDS = 8  # words of a command line that a hint repeats
PROGRAMS = (COMMAND, "celab-score")
SHELLS = ("bash", "zsh", "fish")
PACKAGES = {"HiGHS": "highspy", "OpenCC": "opencc", "NumPy": "numpy", "sacreBLEU": "sacrebleu"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the first word names; return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" in os.environ:  # a shell asks: about our own words, or a command's
        words = _completion_words()
        if not words:
            complete(_parser())
    if words[:1] == ["help"] and words[1:2] and words[1] in COMMANDS:
        words = [*words[1:], "--help"]
    if words and words[0] in COMMANDS:
        command = f"{COMMAND} {words[0]}"
        try:
            module = importlib.import_module(f"celab.cli.{words[0]}")
        except Exception as error:  # a damaged installation, or a bug
            return terminal.report_bug(command, error)
        code: int = module.main(words[1:], command)
        if code > 128 and _is_busy():
            os._exit(code)
        return code
    return terminal.run(COMMAND, _run, words)


def _is_busy() -> bool:
    """Return whether a thread still works, such as loading a lexicon; Python would wait for it."""
    end = time.monotonic() + THREAD_SECONDS
    threads = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    for thread in threads:
        if not thread.daemon:
            thread.join(max(0.0, end - time.monotonic()))
    return any(thread.is_alive() and not thread.daemon for thread in threads)


def _completion_words() -> list[str]:
    """Return the command whose words a shell completes, if any; argcomplete then skips it."""
    n_before = int(os.environ["_ARGCOMPLETE"])  # words of the program's name
    typed = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", 0))]
    command = f"{typed}.".split()[:-1][n_before:][:1]  # the last word is not whole yet
    if command and command[0] in COMMANDS:
        os.environ["_ARGCOMPLETE"] = str(n_before + 1)
        return command
    return []


def _parser() -> Parser:
    width = max(map(len, COMMANDS))
    commands = ""
    for heading, group in COMMAND_GROUPS.items():
        rows = "".join(f"  {name:<{width}}  {summary}\n" for name, summary in group.items())
        commands += f"{heading}:\n{rows}\n"
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} COMMAND [options]\n\n"
        "Evaluates machine translation by the TESLA metrics and by BLEU, chrF and TER.\n\n"
        f"{commands}Example: {COMMAND} score ref.zh hyp.zh",
        epilog=f"{COMMAND} COMMAND --help shows the options of a command. Without a command, this"
        " help is shown and the exit code is 2.",
    )
    parser.add_argument_group("Shell completion").add_argument(
        "--completion",
        help="print the code that makes a shell complete commands and options",
        choices=SHELLS,
    )
    parser.add_argument("command", nargs="?", choices=[*COMMANDS], help=argparse.SUPPRESS)
    return parser


def _run(words: Sequence[str]) -> Outcome:
    """Return the output if the first word is not a command."""
    parser = _parser()
    if not words:
        return Outcome(parser.format_help(), code=2)
    if words[0] == "help" and words[1:] and not words[1].startswith("-"):
        words = words[1:]
    if words[0] in ("help", "-help"):
        return Outcome(parser.format_help())
    if len(words) == 1 and words[0] in ("version", "--version", "-version", "-v", "-V"):
        return Outcome(_versions())
    from celab.cli import hints

    first = io.readable(words[0])
    first = hints.flag_in_ascii(first, parser.flags) or hints.in_ascii(first)
    if not first.startswith("-"):
        raise OptionError(f"{words[0]!r} is not a command of celab; {_command_hint(words)}")
    if first.partition("=")[0] not in parser.flags:
        close = nearest(first, parser.flags)
        if close and not COMMANDS.keys() & words:
            raise OptionError(f"{words[0]} is not an option of celab; did you mean {close}?")
        command = next((word for word in words if word in COMMANDS), "score")
        others = [word for word in words if word != command]
        raise OptionError(f"options follow the command: {_typed(command, others)}")
    arguments = parser.parse_args(words)
    if arguments.completion is None:
        raise OptionError(f"options follow the command: {COMMAND} {arguments.command} {words[0]}")
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        needed = "--completion needs the package argcomplete, which is not installed"
        raise OptionError(f"{needed}: {install_command('completion')}") from None
    return Outcome(shellcode([*PROGRAMS], shell=arguments.completion))


def _command_hint(words: Sequence[str]) -> str:
    """Return the command that was probably meant by words that begin with none."""
    from celab.cli import hints

    is_file = os.path.exists(words[0]) or re.search(r"[./]", words[0])
    name = words[0].lower()
    if canonical_name(name) in METRICS:
        return f"to score by it, use {_typed('score', ['-m', name, *words[1:]])}"
    if name in ("lookup", "list", "fetch", "build"):
        return f"did you mean {COMMAND} lexicon {name}?"
    if not is_file and (hint := hints.command_hint(name, COMMANDS)):
        return hint
    if is_file or any(map(os.path.exists, words)):
        return f"to score files, use {_typed('score', words)}"
    return suggest(words[0], COMMANDS)


def _typed(command: str, words: Sequence[str]) -> str:
    more = " ..." if len(words) > _MAX_WORDS else ""
    return f"{COMMAND} {command} {shlex.join(words[:_MAX_WORDS])}{more}"


def _versions() -> str:
    """Return the versions of celab, Python, packages and lexicons, one per line."""
    return "".join(f"{line}\n" for line in _version_lines())


def _version_lines() -> Iterator[str]:
    import platform
    from importlib import metadata

    from celab.lexicon import catalog

    yield f"celab {__version__}"
    yield f"Python {platform.python_version()} ({platform.system()} {platform.machine()})"
    for name, package in PACKAGES.items():
        try:
            yield f"{name} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            yield f"{name} is not installed"
    for name in catalog.bundled_names():
        yield f"lexicon {catalog.locate(name).signature_id} (bundled)"
    for name in catalog.EXTERNAL_LEXICONS:
        if catalog.installed_path(name) is not None:
            yield f"lexicon {catalog.locate(name).signature_id} (installed)"


if __name__ == "__main__":
    sys.exit(main())
