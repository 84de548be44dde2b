"""Solvers that lie, fail, crash, hang and chatter, for the benchmark to catch."""

from __future__ import annotations

import os
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np

from celab import SolverError

sys.path.append(str(Path(__file__).parents[1] / "bench"))  # last: names of other modules are there

from linear_solvers import highs

_CALLS = count(1)


def liar(program):
    return program.column_upper * 0.5


def liar_on_the_third(program):
    return highs(program) + _on_the_third() * (program.cost > 0) * 1e-3


def nan_on_the_third(program):
    return highs(program) * (np.nan if _on_the_third() else 1)


def failing(program):
    raise SolverError("ended with 'unknown', not with an optimum")


def raising(program):
    raise ZeroDivisionError("no solver today")


def crashing(program):
    os.abort()


def leaving(program):
    os._exit(7)


def hanging(program):
    time.sleep(600)


def failing_after_a_lie(program):
    first_round = Path(os.environ["CELAB_FIRST_ROUND"])  # the process that makes this file
    if next(_CALLS) == 1 and first_round.exists():
        raise SolverError("tired")
    first_round.touch()
    return program.column_upper * 0.5


def chattering(program):
    print("solved in 3 iterations")
    os.write(1, b"solved\n")  # as a library in C would, past Python's stdout
    return highs(program)


def threads(program):
    """Agrees only where the number of threads is set to one."""
    return highs(program) * float(os.environ["OMP_NUM_THREADS"])


def _on_the_third():
    return next(_CALLS) % 3 == 0
