"""Solve: the solution of a program by HiGHS, in floating point, or `SolverError`.

`celab.exact.proof` then proves in exact numbers that it is optimal. HiGHS has a time limit for each
program, and polls for signals if the program is large enough to take long. Each thread keeps one
solver; presolve is off, because it costs more than it saves on programs of this size.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from celab._native import cover as native
from celab._native.watch import Poll, check
from celab.base.arrays import F64, I32
from celab.base.errors import SolverError
from celab.base.run import TIME_LIMIT, out_of_time

# A program is a linear program as arrays in HiGHS's order. Several programs can be solved as the
# blocks of one:
#
#     maximize  cost · x   subject to   A x <= row_upper,   0 <= x <= column_upper
#
# All numbers are whole, no bound is negative, and A is stored by rows (`row_start, index, value`).
# The kernel `celab._native.cover` builds the paper's program, whose columns `program.pxi` lists,
# and the small ones.


def _zero() -> I32:
    return np.zeros(1, np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The arrays of a program, or of several as its blocks.

    Block b has the columns from `block_column[b]` on, and the rows from `block_row[b]` on, to the
    next block's. The default is one block.
    """

    cost: F64
    column_upper: F64
    row_upper: F64
    row_start: I32
    index: I32
    value: F64
    block_column: I32 = field(default_factory=_zero)
    block_row: I32 = field(default_factory=_zero)
    block_owner: I32 = field(default_factory=_zero)

    @classmethod
    def of(cls, built: native.Program) -> Program:
        """Return the arrays of a program that a kernel built."""
        return cls(**built.take())

    def block(self, b: int) -> Program:
        """Return block b as a program of its own."""
        columns = np.append(self.block_column, len(self.cost))
        rows = np.append(self.block_row, len(self.row_upper))
        starts = np.append(self.row_start, len(self.index))
        column, row = slice(columns[b], columns[b + 1]), slice(rows[b], rows[b + 1])
        entry = slice(starts[row.start], starts[row.stop])
        return Program(
            cost=self.cost[column],
            column_upper=self.column_upper[column],
            row_upper=self.row_upper[row],
            row_start=self.row_start[row] - np.int32(entry.start),
            index=self.index[entry] - self.block_column[b],
            value=self.value[entry],
            block_owner=self.block_owner[b : b + 1],
        )


_ROWWISE, _MAXIMIZE = 2, -1
# HiGHS polls for interrupts at each iteration only for programs with more entries: polling would
# slow down the small ones.
_MIN_POLLED_ENTRIES = 100_000
_thread = threading.local()
# HiGHS's numbers for variables in the basis and for those at their upper bound.
BASIC, UPPER = 1, 2


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution by HiGHS: a vertex, a price for each row, and the basis.

    `basis` gives the status of each column and of each row. HiGHS is asked for it only then, so it
    must be called before the thread solves another program.
    """

    x: F64
    y: F64
    basis: Callable[[], tuple[list[int], list[int]]]


def solve(
    program: Program,
    what: str,
    time_limit: float = TIME_LIMIT,
    presolve: str = "off",
    algorithm: str = "simplex",
) -> Solution:
    """Return HiGHS's solution of the program; `what` names the program in errors."""
    import highspy  # here, so that callers who need no solver don't pay for it

    check()
    solver: Any = getattr(_thread, "solver", None)
    if solver is None:
        # The plain core object: the Python subclass shares locks between all solvers.
        solver = highspy._core._Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
    _thread.solver = None  # an interrupt may leave it in any state; it is kept after a regular end
    solver.setOptionValue("presolve", presolve)
    solver.setOptionValue("solver", algorithm)
    n_columns, n_rows = len(program.cost), len(program.row_upper)
    # Its tolerances are absolute, so large costs are scaled down, without rounding.
    scale = 2.0 ** min(0.0, 20.0 - np.ceil(np.log2(program.cost.max(initial=1.0))))
    status = solver.passModel(
        n_columns,
        n_rows,
        len(program.index),
        _ROWWISE,
        _MAXIMIZE,
        0.0,
        program.cost * scale,
        np.zeros(n_columns),
        program.column_upper,
        np.full(n_rows, -highspy.kHighsInf),
        program.row_upper,
        program.row_start,
        program.index,
        program.value,
        np.zeros(n_columns, np.int32),  # every column is continuous
    )
    if status == highspy.HighsStatus.kError:
        raise SolverError("HiGHS rejected the program", place=what)
    check()
    # The solver's clock is not reset between programs, so the limit is added to its present time.
    solver.setOptionValue("time_limit", solver.getRunTime() + time_limit)
    poll = Poll()
    if len(program.index) >= _MIN_POLLED_ENTRIES:
        _set_callback(solver, poll)
    # HiGHS keeps one scheduler per thread. If other code started it with another number of threads,
    # a run with ours fails at once; 0 takes the scheduler as it is.
    if solver.run() == highspy.HighsStatus.kError:
        solver.setOptionValue("threads", 0)
        solver.run()
        solver.setOptionValue("threads", 1)
    if len(program.index) >= _MIN_POLLED_ENTRIES:
        _set_callback(solver, None)
    if poll.error is not None:
        raise poll.error
    _thread.solver = solver
    outcome = solver.getModelStatus()
    if outcome == highspy.HighsModelStatus.kTimeLimit:
        raise out_of_time(what, time_limit)
    if outcome != highspy.HighsModelStatus.kOptimal:
        description = solver.modelStatusToString(outcome)
        raise SolverError(f"HiGHS ended with '{description}', not with an optimum", place=what)
    solution = solver.getSolution()

    def basis() -> tuple[list[int], list[int]]:
        statuses = solver.getBasis()
        return [*map(int, statuses.col_status)], [*map(int, statuses.row_status)]

    y = np.asarray(solution.row_dual, np.float64) / scale
    return Solution(np.asarray(solution.col_value, np.float64), y, basis)


def _set_callback(solver: Any, poll: Poll | None) -> None:
    from highspy._core.cb import HighsCallbackType

    if poll is not None:
        solver.setCallback(poll, None)
    for kind in ("kCallbackSimplexInterrupt", "kCallbackIpmInterrupt"):
        (solver.startCallback if poll else solver.stopCallback)(getattr(HighsCallbackType, kind))
