"""Solvers that lie, fail, crash, hang and chatter, for the benchmark to catch."""

from __future__ import annotations

import os
import time
from itertools import count

import numpy as np

from celab.base.errors import SolverError
from celab.benchmark.solvers import highs

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
    if next(_CALLS) > 12:  # the warm-up and the first round, of 6 pairs each
        raise SolverError("tired")
    time.sleep(0.02)  # so long that no round is repeated
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
