"""A process that answers one request, so that it can be limited in memory and killed.

It reads a task, one line of JSON, from standard input, and writes the HTTP status on a line and
the body of the answer to standard output. Standard input stays open as long as the server lives.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import traceback
from threading import Thread
from typing import Any

from celab.errors import CelabError, LimitError, SolverError
from celab.escapes import dumped
from celab.run import TooLong
from celab.serve import answers

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

BUG = "an error in celab; the server has printed where"
NICENESS = 5  # short answers come first


def refusal(error: CelabError, time_limit: float) -> tuple[int, str]:
    """Return the HTTP status and the message of an error of celab."""
    if isinstance(error, TooLong):
        return 422, f"too long: {error}"
    if isinstance(error, SolverError):
        return 422, f"too long: no optimum was proved in {time_limit:g} s"
    return 413 if isinstance(error, LimitError) else 400, str(error)


def main() -> None:
    """Answer the task on standard input, and end the process."""
    task = json.loads(sys.stdin.buffer.readline())
    Thread(target=_end_with_server, args=(task["folder"],), daemon=True).start()
    _limit(task["memory"])
    output = os.dup(1)
    os.dup2(2, 1)  # a library that prints must not write into the answer
    status, body = _answer(task)
    left = memoryview(f"{status}\n{body}".encode("utf-8", "replace"))
    while left:
        left = left[os.write(output, left) :]
    os._exit(0)  # the thread is still waiting


def _answer(task: dict[str, Any]) -> tuple[int, str]:
    try:
        answer = getattr(answers, task["work"])(**task["arguments"])
        return 200, answer if isinstance(answer, str) else dumped(answer)
    except CelabError as error:
        return refusal(error, task["arguments"]["time_limit"])
    except MemoryError:
        return 413, f"this needs more than {task['memory'] >> 20:,} MiB of memory; try less text"
    except Exception as error:
        traceback.print_exception(error)  # a bug keeps its trace
        return 500, BUG


def _limit(memory: int) -> None:
    if resource is not None:
        with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _end_with_server(folder: str | None) -> None:
    # The server closes standard input only by ending, perhaps killed, before it could clean up.
    os.read(0, 1)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
