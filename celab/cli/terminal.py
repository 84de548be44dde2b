"""Output and exit code of a command: results to stdout, messages to stderr.

Standard error gets the warnings before the output, and the findings and notes after it, each as a
line `celab score: warning: ...`; an error is the only line.

The work is done before the first byte is written, so an error leaves stdout empty. Exit codes:
0 done, 1 a gate failed, 2 error (one line on stderr), 3 done, but segments were skipped, 70 a bug
in celab, 130 interrupted, 141 broken pipe, 143 terminated. The last three are the shell's codes for
SIGINT, SIGPIPE and SIGTERM; 70 is EX_SOFTWARE of sysexits.h.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from celab.base import io
from celab.base.errors import CelabError, InputError, InputWarning, describe
from celab.base.interrupt import IS_COMMAND, end
from celab.base.messages import Level, Message, Messages, listener, listening
from celab.base.text.escapes import escape_controls
from celab.cli.arguments import HelpRequested
from celab.cli.flags import as_flag


class Outcome(NamedTuple):
    """The result of a command: text for standard output, the exit code, and GitHub's annotation.

    GitHub reads the annotation on standard error. Other messages are in `celab.base.messages`.
    """

    text: str = ""
    code: int = 0
    annotation: str = ""


SHOW_TRACEBACK = "CELAB_DEBUG_TRACEBACK"  # environment variable
EXIT_BUG = 70
# Objects between two collections of garbage; modules alone make as many.
N_ALLOCATED = 50_000


class Colored(str):
    """Text whose only control characters are ours, for colors and line ends."""


def run(command: str, work: Callable[..., Outcome], *arguments: object) -> int:
    """Call `work`, print its output and the messages, and return the exit code.

    Every exception becomes one line. After a signal, any exception means that the command was
    interrupted; otherwise any but `CelabError` and `MemoryError` is a bug.
    """
    arrived: list[int] = []
    _prepare_process()
    try:
        with _signals(arrived), listening(as_flag) as messages, warnings.catch_warnings():
            _hear_python_warnings(messages)
            try:
                outcome = work(*arguments)
            except HelpRequested as help:
                outcome = Outcome(str(help))
            print_messages("warning", program=command)
            write(outcome.text)
            print_messages("finding", "note", program=command)
            if outcome.annotation:
                print_error(outcome.annotation)
            return outcome.code
    except BaseException as error:
        if arrived or isinstance(error, KeyboardInterrupt):
            number = arrived[0] if arrived else signal.SIGINT
            message = str(error) if isinstance(error, KeyboardInterrupt) else ""
            default = "interrupted" if number == signal.SIGINT else "terminated"
            print_error(f"{command}: {message or default}")
            return 128 + number
        if isinstance(error, CelabError):
            print_error(f"{command}: error: {_described(error, arguments)}")
            return 2
        if isinstance(error, MemoryError):
            print_error(f"{command}: error: not enough memory; score less text at once")
            return 2
        if isinstance(error, BrokenPipeError):
            return 141
        if not isinstance(error, Exception):  # such as SystemExit
            raise
        return report_bug(command, error)


def _hear_python_warnings(messages: Messages) -> None:
    """Turn Python's warnings, of packages and of threads that Dask starts, into messages."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        is_ours = isinstance(message, InputWarning)
        messages.add(Message("warning", describe(message, as_flag), is_hint=not is_ours))

    warnings.showwarning = show
    warnings.simplefilter("always", InputWarning)  # Messages says each once


def print_messages(*levels: Level, program: str) -> None:
    """Print what was said at these levels, and was not printed yet."""
    if (messages := listener()) is not None:
        for message in messages.take(*levels):
            place = f"{message.place}: " if message.place else ""
            print_error(f"{program}: {message.level}: {place}{message.text}")


def _described(error: CelabError, arguments: Sequence[object]) -> str:
    """Return the line of an error, or what to type if it is about full-width characters."""
    message = describe(error, as_flag)
    words = arguments[0] if arguments and arguments[0] is not None else sys.argv[1:]
    if message.isascii() or not isinstance(words, Sequence):
        return message
    from celab.cli import hints

    return hints.character_hint(message, [io.readable(str(word)) for word in words]) or message


@cache
def _prepare_process() -> None:
    """Configure the process, once."""
    gc.set_threshold(N_ALLOCATED)
    # Python looks for garbage at its end, among all objects, though their memory is freed anyway.
    atexit.register(gc.freeze)


def report_bug(command: str, error: Exception) -> int:
    """Say in one line that celab has failed; return the exit code.

    The traceback is shown before it if `CELAB_DEBUG_TRACEBACK` is set.
    """
    if os.environ.get(SHOW_TRACEBACK):
        traceback.print_exception(error)
        advice = ""
    else:
        advice = f"; {SHOW_TRACEBACK}=1 shows the traceback, which the report needs"
    summary = " ".join(f"{type(error).__name__}: {error}".split())
    print_error(
        f"{command}: error: {summary}; this is a bug in celab, please report it in the project's"
        f" issue tracker{advice}"
    )
    return EXIT_BUG


@contextlib.contextmanager
def _signals(arrived: list[int]) -> Iterator[None]:
    """Let SIGINT and SIGTERM raise KeyboardInterrupt; append each that arrives to `arrived`.

    A second one is ignored, so that cleaning up is not disturbed; a third ends the process at once.
    Signals that the caller handles or ignores are left alone, and so is every thread but the main.
    """

    def interrupt(number: int, _: object) -> None:
        arrived.append(number)
        if len(arrived) == 1:
            raise KeyboardInterrupt
        if len(arrived) > 2:
            os._exit(128 + arrived[0])

    def unraisable(failure: sys.UnraisableHookArgs) -> None:
        if isinstance(failure.exc_value, KeyboardInterrupt) and arrived:
            # Python swallows exceptions of destructors, so a Ctrl-C that arrives in one is sent
            # again shortly after.
            threading.Timer(0.01, os.kill, (os.getpid(), arrived.pop())).start()
        else:
            previous_hook(failure)

    previous_handlers: dict[int, Any] = {}
    previous_hook = sys.unraisablehook
    if threading.current_thread() is threading.main_thread():
        replaceable = (signal.SIG_DFL, signal.default_int_handler, end)
        for signum in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(signum) in replaceable:
                previous_handlers[signum] = signal.signal(signum, interrupt)
        sys.unraisablehook = unraisable
    try:
        yield
    finally:
        for number, handler in previous_handlers.items():
            # The process of a command is about to end, and a signal then must not leave a trace.
            signal.signal(number, signal.SIG_DFL if IS_COMMAND else handler)
        sys.unraisablehook = previous_hook


def write(text: str) -> None:
    """Write to stdout in UTF-8, not in the locale's encoding, because the text is Chinese.

    Bytes of file names that are not UTF-8 are written as `\\udcXX`, which is valid in JSON too. A
    terminal gets control characters as escapes, except in `Colored` text; files and pipes get them
    unchanged.
    """
    if sys.stdout is None:
        raise InputError("standard output is closed; redirect it to a file")
    if sys.stdout.isatty() and not isinstance(text, Colored):
        text = escape_controls(text, keep="\n\t")
    try:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()  # earlier output of the caller comes first
            unwritten = memoryview(text.encode("utf-8", "backslashreplace"))
            while unwritten:  # under PYTHONUNBUFFERED a write may take only the first part
                unwritten = unwritten[sys.stdout.buffer.write(unwritten) or 0 :]
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        _abandon_stdout()
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"standard output cannot be written ({error.strerror})") from None


def print_error(text: str, end: str = "\n") -> None:
    """Print one line on standard error, with line ends and other control characters escaped."""
    if sys.stderr is not None:  # print would take None to mean stdout
        with contextlib.suppress(OSError):
            print(escape_controls(text), end=end, file=sys.stderr, flush=True)


def wants_color(choice: str) -> bool:
    """Return whether to color stdout: as chosen, or if it is a terminal that supports colors."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def _abandon_stdout() -> None:
    """Discard buffered output, because Python would fail again on it at exit."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
