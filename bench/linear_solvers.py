"""Solvers: a linear program → an optimal point of it, one function a solver.

They get arrays that are ready (`celab.exact.solve`), so what is timed is to hand them over in the
form that the package wants, to solve, and to read the solution. All use one thread, and raise
`SolverError` if they end without an optimum. Each function imports its package itself, because
some cannot be loaded in one process.
"""

from __future__ import annotations

import ctypes
import math
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from subprocess import TimeoutExpired, run
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from celab import SolverError
from celab.base.arrays import F64, I32, I64, Numbers
from celab.exact.solve import Program, solve

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A way to solve whole programs."""

    name: str
    package: str
    solve: Callable[[Program], F64]
    how: str
    helpers: tuple[str, ...] = ()  # other packages that it needs
    n_blocks: int = 1  # pairs in one program

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed; nothing is imported to find out."""
        return [name for name in (self.package, *self.helpers) if find_spec(name) is None]


def choose(names: str | None) -> list[Solver]:
    """Return the solvers that a list with commas names; None: all whose packages are installed."""
    if names is None:
        return [solver for solver in SOLVERS.values() if not solver.missing]
    unknown = set(names.split(",")) - SOLVERS.keys()
    if unknown:
        raise ValueError(f"unknown solver {min(unknown)!r}; choose from {', '.join(SOLVERS)}")
    solvers = [SOLVERS[name] for name in dict.fromkeys(names.split(","))]
    for solver in solvers:
        if solver.missing:
            raise ValueError(f"solver {solver.name} needs {' '.join(solver.missing)}")
    return solvers


def stacked(programs: Sequence[Program]) -> Program:
    """Return programs as blocks of one, each owned by its place."""
    columns, rows, entries = (
        np.cumsum([0, *(len(getattr(program, name)) for program in programs[:-1])], dtype=np.int32)
        for name in ("cost", "row_upper", "index")
    )
    names = ("cost", "column_upper", "row_upper", "row_start", "index", "value")
    joined = {
        name: np.concatenate([getattr(program, name) for program in programs]) for name in names
    }
    joined["row_start"] += np.repeat(entries, [len(program.row_start) for program in programs])
    joined["index"] += np.repeat(columns, [len(program.index) for program in programs])
    owners = np.arange(len(programs), dtype=np.int32)
    return Program(**joined, block_column=columns, block_row=rows, block_owner=owners)


def highs(program: Program, presolve: str = "off", algorithm: str = "simplex") -> F64:
    """Solve by HiGHS; by default as the reduction uses it."""
    return solve(program, "the whole program", math.inf, presolve, algorithm).x


def scipy_linprog(program: Program) -> F64:
    """Solve by `scipy.optimize.linprog` with its default method."""
    from scipy.optimize import linprog

    bounds = np.stack((np.zeros(len(program.cost)), program.column_upper), axis=1)
    result = linprog(-program.cost, _matrix(program), program.row_upper, bounds=bounds)
    _require(result.status == 0, result.message)
    return np.asarray(result.x, np.float64)


def glop(program: Program) -> F64:
    """Solve by the simplex of OR-tools."""
    from ortools.linear_solver.python import model_builder_helper as ortools

    n_columns, n_rows = len(program.cost), len(program.row_upper)
    model: Any = ortools.ModelBuilderHelper()
    model.fill_model_from_sparse_data(
        np.zeros(n_columns),
        program.column_upper,
        program.cost,
        np.full(n_rows, -np.inf),
        program.row_upper,
        _matrix(program),
    )
    model.set_maximize(True)
    solver = ortools.ModelSolverHelper("glop")
    solver.solve(model)
    _require(solver.status() == ortools.SolveStatus.OPTIMAL, solver.status())
    return np.asarray(solver.variable_values(), np.float64)


def glpk(program: Program) -> F64:
    """Solve by GLPK through its C interface, whose arrays count from 1."""
    import swiglpk as lib

    def filled(kind: Any, numbers: Numbers) -> Any:
        # By address: one by one takes longer than to solve, and swiglpk's own helper is broken.
        array = kind(len(numbers) + 1)
        address = int(array.cast()) + numbers.itemsize
        ctypes.memmove(address, numbers.ctypes.data, numbers.nbytes)
        return array

    lib.glp_term_out(lib.GLP_OFF)
    model = lib.glp_create_prob()
    try:
        lib.glp_set_obj_dir(model, lib.GLP_MAX)
        lib.glp_add_cols(model, len(program.cost))
        lib.glp_add_rows(model, len(program.row_upper))
        columns = zip(program.column_upper.tolist(), program.cost.tolist(), strict=True)
        for j, (upper, cost) in enumerate(columns, 1):
            lib.glp_set_col_bnds(model, j, lib.GLP_DB, 0.0, upper)
            lib.glp_set_obj_coef(model, j, cost)
        for i, upper in enumerate(program.row_upper.tolist(), 1):
            lib.glp_set_row_bnds(model, i, lib.GLP_UP, 0.0, upper)
        lib.glp_load_matrix(
            model,
            len(program.index),
            filled(lib.intArray, _row_numbers(program) + np.int32(1)),
            filled(lib.intArray, program.index + np.int32(1)),
            filled(lib.doubleArray, program.value),
        )
        failed = lib.glp_simplex(model, None)
        status = lib.glp_get_status(model)
        _require(not failed and status == lib.GLP_OPT, f"return {failed}, status {status}")
        return np.array(lib.get_col_primals(model), np.float64)
    finally:
        lib.glp_delete_prob(model)


def cvxopt_lp(program: Program) -> F64:
    """Solve by `cvxopt.solvers.lp`, its own interior point."""
    import cvxopt

    # Half of the tolerance for a value. With less, it gives up on some programs, because their
    # matrices become singular before it gets there. All other settings are the defaults.
    settings = {"show_progress": False, "reltol": 5e-7}
    *entries, upper = _bounds_as_rows(program)
    cost, bounds = cvxopt.matrix(-program.cost), cvxopt.matrix(upper)
    result = cvxopt.solvers.lp(cost, cvxopt.spmatrix(*entries), bounds, options=settings)
    _require(result["status"] == "optimal", result["status"])
    return np.array(result["x"], np.float64).reshape(-1)


def clarabel_lp(program: Program) -> F64:
    """Solve by Clarabel, with the nonnegative cone."""
    import clarabel
    from scipy import sparse

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    value, row, column, upper = _bounds_as_rows(program)
    result = clarabel.DefaultSolver(
        sparse.csc_matrix((len(program.cost), len(program.cost))),
        -program.cost,
        sparse.csc_matrix((value, (row, column))),
        upper,
        [clarabel.NonnegativeConeT(len(upper))],
        settings,
    ).solve()
    _require(result.status == clarabel.SolverStatus.Solved, result.status)
    return np.asarray(result.x, np.float64)


def _matrix(program: Program) -> csr_matrix:
    from scipy import sparse

    start = np.append(program.row_start, len(program.index))
    shape = (len(program.row_upper), len(program.cost))
    return sparse.csr_matrix((program.value, program.index, start), shape=shape)


def _row_numbers(program: Program) -> I32:
    lengths = np.diff(program.row_start, append=len(program.index))
    return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)


def _bounds_as_rows(program: Program) -> tuple[F64, I64, I64, F64]:
    # 0 <= x <= column_upper as rows after the others: values, rows, columns, and bounds of rows.
    n_columns, n_rows = len(program.cost), len(program.row_upper)
    columns, ones = np.arange(n_columns), np.ones(n_columns)
    return (
        np.concatenate((program.value, ones, -ones)),
        np.concatenate((_row_numbers(program), n_rows + np.arange(2 * n_columns))),
        np.concatenate((program.index, columns, columns)),
        np.concatenate((program.row_upper, program.column_upper, np.zeros(n_columns))),
    )


def _require(optimal: bool, status: object) -> None:
    if not optimal:
        raise SolverError(f"ended with '{status}', not with an optimum")


_presolved, _ipm = (partial(highs, presolve="on", algorithm=name) for name in ("simplex", "ipm"))
SOLVERS = {
    solver.name: solver
    for solver in (
        Solver(name="highs", package="highspy", solve=highs, how="dual simplex, no presolve"),
        Solver(
            name="highs-presolve", package="highspy", solve=_presolved, how="presolve, dual simplex"
        ),
        Solver(
            name="highs-ipm",
            package="highspy",
            solve=_ipm,
            how="presolve, interior point, crossover",
        ),
        Solver(
            name="highs-batch",
            package="highspy",
            solve=highs,
            how="as highs, 8 pairs in one program",
            n_blocks=8,
        ),
        Solver(
            name="scipy",
            package="scipy",
            solve=scipy_linprog,
            how="optimize.linprog, which calls its own HiGHS",
        ),
        Solver(
            name="glop", package="ortools", solve=glop, how="OR-tools' simplex", helpers=("scipy",)
        ),
        Solver(name="glpk", package="swiglpk", solve=glpk, how="primal simplex, no presolve"),
        Solver(
            name="cvxopt",
            package="cvxopt",
            solve=cvxopt_lp,
            how="interior point, as the authors used",
        ),
        Solver(
            name="clarabel",
            package="clarabel",
            solve=clarabel_lp,
            how="interior point",
            helpers=("scipy",),
        ),
    )
}


# Worker: one solver, timed in its own process, so that its crashes do not affect the others.

_COMMAND = (sys.executable, str(Path(__file__).resolve()))
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
