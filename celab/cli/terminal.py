"""What a command says, and how it ends: scores to stdout, remarks to stderr, an exit code.

The work is done before the first byte is written, so an error leaves stdout empty. Exit codes:
0 done, 2 refused (one line on stderr says why), 3 done but for segments that were skipped, 130
interrupted, 141 the reader of stdout has left; the last two are what a shell makes of SIGINT and
SIGPIPE.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable

from celab.cli.arguments import Answered
from celab.cli.metrics import with_flags
from celab.errors import CelabError, InputError


def run(command: str, work: Callable[[], tuple[str, str] | tuple[str, str, int]]) -> int:
    """Does the work, which gives a text, a remark and maybe an exit code; writes; returns the code.

    Only `CelabError` becomes a line; any other exception is a fault of ours and keeps its trace.
    """
    try:
        try:
            text, about, *code = work()
        except Answered as answered:
            text, about, code = str(answered), "", []
        write(text)
    except CelabError as error:
        remark(f"{command}: error: {with_flags(error)}")
        return 2
    except KeyboardInterrupt as interrupt:
        remark(f"{command}: {str(interrupt) or 'interrupted'}")
        return 130
    except BrokenPipeError:
        return 141
    if about:
        remark(f"{command}: {about}")
    return code[0] if code else 0


def write(text: str) -> None:
    """To stdout, in UTF-8 whatever the locale says, because the text is Chinese.

    File names may hold bytes that are not UTF-8; these come out as `\\udcXX`, valid in JSON too.
    """
    if sys.stdout is None:
        raise InputError("standard output is closed; there is nowhere to write the score")
    try:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()  # what a caller printed comes first
            left = memoryview(text.encode("utf-8", "backslashreplace"))
            while left:  # under PYTHONUNBUFFERED a write may take only the first part
                left = left[sys.stdout.buffer.write(left) or 0 :]
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        _abandon_stdout()
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"standard output cannot be written ({error.strerror})") from None


def remark(text: str) -> None:
    """One line on stderr; a line end or any other control inside is shown as an escape."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if sys.stderr is not None:  # print would take None to mean stdout
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def wants_colour(choice: str) -> bool:
    """Whether to colour what goes to stdout: as told, or if a person looks and has not said no."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not plain and sys.stdout is not None and sys.stdout.isatty()


def _abandon_stdout() -> None:
    """Sends what is still buffered nowhere, or Python would fail on it again at exit."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
