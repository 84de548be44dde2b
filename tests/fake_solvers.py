"""Solvers that lie, fail, crash, hang and chatter, for the benchmark to find out."""

from __future__ import annotations

import os
import time

import numpy as np

from celab.errors import SolverError


def liar():
    return lambda program: program.column_upper * 0.5


def liar_on_the_third():
    return _on_the_third(lambda x, program: x + (program.cost > 0) * 1e-3)


def nan_on_the_third():
    return _on_the_third(lambda x, program: x * np.nan)


def failing():
    def solve(program):
        raise SolverError("ended with 'unknown', not with an optimum")

    return solve


def raising():
    raise ZeroDivisionError("no solver today")


def crashing():
    return lambda program: os.abort()


def hanging():
    return lambda program: time.sleep(600)


def chattering():
    solve = _honest()

    def chatter(program):
        print("solved in 3 iterations")
        os.write(1, b'{"seconds": 0}\n')  # as a library in C would, past Python's stdout
        return solve(program)

    return chatter


def _on_the_third(spoil):
    solve, n_solved = _honest(), 0

    def spoilt(program):
        nonlocal n_solved
        n_solved += 1
        x = solve(program)
        return spoil(x, program) if n_solved % 3 == 0 else x

    return spoilt


def _honest():
    from celab.benchmark.solvers import highs

    return highs()
