"""A process that answers long requests, so that it can be limited in memory and killed.

Standard input has a task on each line, `[name in celab.serve.answers, arguments]`, and standard
output the answer, `[HTTP status, answer or error]`, both in JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
import warnings

from celab.base.dicts import Arguments, JsonObject
from celab.base.errors import CelabError, LimitError, MismatchError, SolverError
from celab.base.run import TooLong
from celab.base.text.escapes import dump_json
from celab.serve import answers

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

BUG = "an error in celab; the server has printed where"
NICENESS = 5  # short answers come first


def refusal(error: CelabError, time_limit: float) -> tuple[int, JsonObject]:
    """Return the HTTP status and the answer to an error of celab."""
    message = answers.message_of(error)
    if isinstance(error, TooLong):
        return 422, {"error": f"too long: {message}"}
    if isinstance(error, SolverError):
        return 422, {"error": f"too long: no optimum was proved in {time_limit:g} s"}
    if isinstance(error, MismatchError) and error.can_align:
        return 400, {"error": message, "can_align": True}
    return 413 if isinstance(error, LimitError) else 400, {"error": message}


def main(memory: int) -> None:
    """Answer tasks within that many bytes of address space, until the server ends."""
    _limit(memory)
    warnings.simplefilter("ignore")  # they are in the answers
    with os.fdopen(os.dup(1), "wb", buffering=0) as output, contextlib.suppress(BrokenPipeError):
        os.dup2(2, 1)  # a library that prints must not write into the answer
        for task in sys.stdin.buffer:
            work, arguments = json.loads(task)
            answer = _answer(work, arguments, memory)
            left = memoryview(dump_json(answer).encode("utf-8", "replace"))
            while left:
                left = left[output.write(left) :]


def _answer(work: str, arguments: Arguments, memory: int) -> tuple[int, object]:
    try:
        return 200, getattr(answers, work)(**arguments)
    except CelabError as error:
        return refusal(error, arguments.get("time_limit", 0))
    except MemoryError:
        message = f"this needs more than {memory >> 20:,} MiB of memory; try less text"
        return 413, {"error": message}
    except Exception as error:
        traceback.print_exception(error)  # a bug keeps its trace
        return 500, {"error": BUG}


def _limit(memory: int) -> None:
    if resource is not None:
        with contextlib.suppress(OSError, ValueError):  # macOS has no such limit
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if hasattr(os, "nice"):
        os.nice(NICENESS)
