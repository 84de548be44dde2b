"""Worker: `python -m celab.benchmark.worker MAKE FILE N`, one solver in a process of its own.

FILE holds the programs as blocks of one, N of them make one program for the solver. The worker
solves a few, says on stdout that it is ready, and does a round for each line on stdin:

    {"seconds": of the processor, "clock_seconds": …, "values": [of each block]}

or `{"error": …}` if the solver ended without an optimum.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.benchmark.programs import load, parts
from celab.errors import SolverError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.program import Program

    Solve = Callable[[Program], NDArray[np.float64]]

_WARM = 8  # programs
_SHORTEST = 0.1  # seconds that a round takes at least, by being repeated


def main(make: str, path: str, n_blocks: str) -> None:
    """Serves until stdin ends."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what a package prints by itself must not come between the answers
    module, _, function = make.partition(":")
    solve = getattr(importlib.import_module(module), function)()
    programs = parts(load(path), int(n_blocks))
    _tell(answers, _answer(solve, programs[:_WARM]))
    for _ in sys.stdin:
        _tell(answers, _round(solve, programs))


def _round(solve: Solve, programs: Sequence[Program]) -> dict[str, Any]:
    # The last answer, with the means of all times.
    spent: dict[str, float] = dict.fromkeys(("seconds", "clock_seconds"), 0.0)
    n_repeats = 0
    while spent["clock_seconds"] < _SHORTEST:
        answer = _answer(solve, programs)
        if "error" in answer:
            return answer
        n_repeats += 1
        for clock in spent:
            spent[clock] += answer[clock]
    return answer | {clock: seconds / n_repeats for clock, seconds in spent.items()}


def _answer(solve: Solve, programs: Sequence[Program]) -> dict[str, Any]:
    values: list[float] = []
    began, began_clock = time.process_time(), time.perf_counter()
    try:
        for program in programs:
            gains = program.cost * solve(program)
            if not np.isfinite(gains).all():  # it would differ from nothing
                raise SolverError("the solution holds what is not a number")
            values += np.add.reduceat(gains, program.block_column).tolist()
    except SolverError as error:
        return {"error": f"pair {len(values) + 1}: {error}"}
    return {
        "seconds": time.process_time() - began,
        "clock_seconds": time.perf_counter() - began_clock,
        "values": values,
    }


def _tell(answers: int, what: dict[str, Any]) -> None:
    line = memoryview(json.dumps(what).encode() + b"\n")
    while line:
        line = line[os.write(answers, line) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
