"""Worker: one solver, timed in its own process, so that its crashes do not affect the others."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from subprocess import TimeoutExpired, run
from typing import TypeVar

import numpy as np

from celab.base.errors import SolverError
from celab.benchmark.solvers import Solver, stacked
from celab.exact.program import Program

_COMMAND = (sys.executable, "-m", "celab.benchmark.worker")
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
_WARM_UP = 8  # programs
_SHORTEST = 0.1  # seconds: shorter work is repeated
Answer = tuple[list[float], float, float]  # values, processor seconds, wall-clock seconds


T = TypeVar("T")


class WorkerError(Exception):
    """The worker gives no answer."""

    def __init__(self, state: str, why: str = "") -> None:
        super().__init__(why)
        self.state, self.why = state, why


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """Return the result, and mean processor and wall-clock seconds of as many calls as it takes."""
    n_calls, processor, wall = 0, 0.0, 0.0
    while wall < _SHORTEST:
        began, began_wall = time.process_time(), time.perf_counter()
        result = work()
        processor += time.process_time() - began
        wall += time.perf_counter() - began_wall
        n_calls += 1
    return result, processor / n_calls, wall / n_calls


def solve_all(solver: Solver, programs: Sequence[Program], timeout: float) -> Answer:
    """Solve all programs in a process of its own; raise `WorkerError` if that gives no answer."""
    # The process finds the packages that this one has found, even if they are not installed.
    path = os.pathsep.join(filter(None, sys.path))
    settings = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}
    task = pickle.dumps((solver, programs))
    try:
        done = run(_COMMAND, input=task, capture_output=True, env=settings, timeout=timeout)
    except TimeoutExpired:
        raise WorkerError("timed out") from None
    if code := done.returncode:
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        message = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise WorkerError("crashed", f"{how}: {message}" if message else how)
    answer: Answer | str = pickle.loads(done.stdout)
    if isinstance(answer, str):
        raise WorkerError("failed", answer)
    return answer


def main() -> None:
    """Answer the task on standard input, after a warm-up that is not timed."""
    # What a package prints by itself must not come into the answer.
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    solver, programs = pickle.load(sys.stdin.buffer)
    if (k := solver.n_blocks) > 1:
        programs = [stacked(programs[i : i + k]) for i in range(0, len(programs), k)]
    try:
        _values(solver, programs[:_WARM_UP])
        answer: Answer | str = timed(partial(_values, solver, programs))
    except SolverError as error:
        answer = str(error)
    with stdout:
        pickle.dump(answer, stdout)


def _values(solver: Solver, programs: Sequence[Program]) -> list[float]:
    values: list[float] = []
    for program in programs:
        try:
            gains = program.cost * solver.solve(program)
            if not np.isfinite(gains).all():  # NaN would pass every comparison
                raise SolverError("the solution has values that are not finite")
        except SolverError as error:
            raise error.within(f"pair {len(values) + 1}") from None
        values += np.add.reduceat(gains, program.block_column).tolist()
    return values


if __name__ == "__main__":
    main()
