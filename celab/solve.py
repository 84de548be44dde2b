"""Solve: a program in, its proved optimum out, or `SolverError`. The only room that knows HiGHS.

Only HiGHS's status *optimal* counts as a proof, and it has so many seconds to find one. Each thread
keeps one solver; presolve is off, because it costs more than it saves on programs of this size.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.errors import SolverError
from celab.options import TIME_LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.program import Program

    F64 = NDArray[np.float64]

_ROWWISE, _MAXIMISE = 2, -1
# A block's value is a sum of costs times columns, each right to the solver's 1e-7 or far better.
# The optimum is a vertex, with a small denominator: 1 as good as always, 2, 3 and 9 in random text.
# So near a multiple of 1 / 2520, which has all denominators to 10, it is that multiple.
_PARTS = 2520
_NEAR = 1e-6
_thread = threading.local()


def _solver() -> Any:
    # Imported here so that who needs no solver does not wait for it.
    import highspy

    if not hasattr(_thread, "solver"):
        # The plain core object: the Python subclass shares locks between all solvers.
        solver = highspy._core._Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            solver.setOptionValue(name, value)
        _thread.solver = solver
    return _thread.solver


def solve(program: Program, what: str, time_limit: float = TIME_LIMIT) -> F64:
    """An optimal vertex of the program; `what` names it if there is an error to report."""
    import highspy

    solver = _solver()
    n_columns, n_rows = len(program.cost), len(program.row_upper)
    status = solver.passModel(
        n_columns,
        n_rows,
        len(program.index),
        _ROWWISE,
        _MAXIMISE,
        0.0,
        program.cost,
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
        raise SolverError(f"{what}: HiGHS refused the program")
    # The solver's clock goes on from one program to the next, and the limit is a time on it.
    solver.setOptionValue("time_limit", solver.getRunTime() + time_limit)
    # HiGHS keeps one scheduler a thread. If somebody else set it up with another number of
    # threads, a run with ours fails at once; 0 takes the scheduler as it is.
    if solver.run() == highspy.HighsStatus.kError:
        solver.setOptionValue("threads", 0)
        solver.run()
        solver.setOptionValue("threads", 1)
    reached = solver.getModelStatus()
    if reached == highspy.HighsModelStatus.kTimeLimit:
        raise SolverError(
            f"{what}: no optimum was proved in {time_limit:g} s; it takes a longer time_limit, or"
            " on_error='skip' to leave such segments out"
        )
    if reached != highspy.HighsModelStatus.kOptimal:
        seen = solver.modelStatusToString(reached)
        raise SolverError(f"{what}: HiGHS ended with '{seen}', not with a proved optimum")
    return np.asarray(solver.getSolution().col_value, np.float64)


def exact(values: F64) -> F64:
    """Sums of proved values, freed of what floating point did to them."""
    multiples = _multiples(values)
    return np.where(np.abs(values - multiples) <= _NEAR, multiples, values)


def _multiples(values: F64) -> F64:
    return np.asarray(np.rint(values * _PARTS) / _PARTS, np.float64)


def block_values(
    program: Program,
    what: str | Callable[[int], str],
    time_limit: float = TIME_LIMIT,
    *,
    skip: bool = False,
) -> F64:
    """The optimal value of each block, the same whatever blocks stand beside it.

    `what` names them, all or by owner. If they are not solved together, each is by itself, so that
    an error can name one; with `skip`, such a one is NaN.
    """

    def alone(b: int) -> float:
        owner, block = int(program.block_owner[b]), program.block(b)
        try:
            name = what if isinstance(what, str) else what(owner)
            return float(block.cost @ solve(block, name, time_limit))
        except SolverError:
            if not skip:
                raise
            return np.nan

    try:
        gains = program.cost * solve(program, "the blocks", time_limit)
    except SolverError:
        return exact(np.array([alone(b) for b in range(len(program.block_column))]))
    values = np.add.reduceat(gains, program.block_column)
    for b in np.flatnonzero(np.abs(values - _multiples(values)) > _NEAR):
        values[b] = alone(int(b))
    return exact(values)
