"""Worker: one solver, timed in its own process, so that its crashes do not affect the others."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from functools import partial
from itertools import chain, repeat
from subprocess import PIPE, Popen
from typing import Any, TypeVar

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
    """The worker gives no more answers; its arguments are the state of the solver, and why."""


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


def answers(
    solver: Solver, programs: Sequence[Program], timeout: float
) -> Generator[Answer, None, None]:
    """Let all programs be solved for each answer; raise `WorkerError` if there is none.

    The process is started for the first answer, which includes a warm-up that is not timed, and
    killed when the generator is closed. All answers together may take `timeout` seconds.
    """
    # The process finds the packages that this one has found, even if they are not installed.
    path = os.pathsep.join(filter(None, sys.path))
    settings = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}
    left = timeout
    with (
        tempfile.TemporaryFile() as log,
        Popen(_COMMAND, stdin=PIPE, stdout=PIPE, stderr=log, env=settings) as process,
    ):
        stdin: Any = process.stdin
        stdout: Any = process.stdout
        try:
            for question in chain([(solver, programs)], repeat(None)):
                began = time.monotonic()
                killer = threading.Timer(left, process.kill)
                killer.start()
                try:
                    pickle.dump(question, stdin)
                    stdin.flush()
                    answer: Answer | str = pickle.load(stdout)
                finally:
                    killer.cancel()
                    left = max(left - (time.monotonic() - began), 0.0)
                if isinstance(answer, str):
                    raise WorkerError("failed", answer)
                yield answer
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            if not left:
                raise WorkerError("timed out", f"after {timeout:g} s") from None
            how = (
                f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            )
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip().split("\n")[-1]
            raise WorkerError("crashed", f"{how}: {said}" if said else how) from None
        finally:
            process.kill()
            process.communicate()  # closes the pipes, whatever is still in them


def _serve() -> None:
    # In the new process. What a package prints by itself must not come between the answers.
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    solver, programs = pickle.load(stdin)
    if (k := solver.n_blocks) > 1:
        programs = [stacked(programs[i : i + k]) for i in range(0, len(programs), k)]
    warm_up = programs[:_WARM_UP]
    while True:
        try:
            _values(solver, warm_up)
            warm_up = []
            answer: Answer | str = timed(partial(_values, solver, programs))
        except SolverError as error:
            answer = str(error)
        pickle.dump(answer, stdout)
        stdout.flush()
        pickle.load(stdin)


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
    _serve()
