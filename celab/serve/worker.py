"""A process that answers long requests, so that it can be limited in memory and killed.

It reads tasks, each a line of JSON, from standard input. To standard output it writes for each a
line with the HTTP status and the size of the body in bytes, and the body. The end of standard input
is the end of the server.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import traceback
import warnings
from queue import SimpleQueue
from threading import Thread

from celab.base.dicts import JsonObject
from celab.base.errors import CelabError, LimitError, SolverError
from celab.base.run import TooLong
from celab.base.text.escapes import dump_json
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


def main(memory: int) -> None:
    """Answer tasks within that many bytes of address space, until the server ends."""
    _limit(memory)
    warnings.simplefilter("ignore")  # they are in the answers
    output = os.dup(1)
    os.dup2(2, 1)  # a library that prints must not write into the answer
    tasks: SimpleQueue[JsonObject] = SimpleQueue()
    reader = Thread(target=_read_tasks, args=(tasks,), daemon=True)
    reader.start()
    try:
        while True:
            status, text = _answer(tasks.get(), memory)
            body = text.encode("utf-8", "replace")
            left = memoryview(b"%d %d\n%b" % (status, len(body), body))
            while left:
                left = left[os.write(output, left) :]
    except BrokenPipeError:  # the server has ended; the reader cleans up and ends the process
        reader.join()


def _answer(task: JsonObject, memory: int) -> tuple[int, str]:
    try:
        answer = getattr(answers, task["work"])(**task["arguments"])
        # The page of a report comes after a line, because it is too long to be read as JSON again.
        page = answer.pop("html", "")
        return 200, dump_json(answer) + page
    except CelabError as error:
        return refusal(error, task["arguments"]["time_limit"])
    except MemoryError:
        return 413, f"this needs more than {memory >> 20:,} MiB of memory; try less text"
    except Exception as error:
        traceback.print_exception(error)  # a bug keeps its trace
        return 500, BUG


def _limit(memory: int) -> None:
    if resource is not None:
        with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _read_tasks(tasks: SimpleQueue[JsonObject]) -> None:
    folder = None
    for line in sys.stdin.buffer:
        task = json.loads(line)
        folder = task["folder"]
        tasks.put(task)
    # The server has ended, perhaps killed before it could clean up.
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
