"""Solvers: a program in, an optimal vertex (or point) of it out; one function a solver.

Each function of the table makes a solver, once a process; the solver takes arrays that are ready
(`celab.program`), so that what is timed is to hand them over in the form that the package wants,
to solve, and to read the solution. All use one thread. Whoever ends without an optimum raises
`SolverError`. Packages are imported by who needs them, because some cannot be in one process.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.errors import OptionError, SolverError
from celab.program import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    Solve = Callable[[Program], F64]


@dataclass(frozen=True, slots=True)
class Solver:
    """A way to solve whole programs."""

    name: str
    needs: tuple[str, ...]  # packages; the version is of the first
    make: str  # module:function
    how: str
    n_blocks: int = 1  # pairs in one program

    @property
    def package(self) -> str:
        """Which it is of."""
        return self.needs[0]

    @property
    def version(self) -> str:
        """Of its package."""
        return importlib.metadata.version(self.package)

    @property
    def is_installed(self) -> bool:
        """Whether what it needs can be found; nothing is imported."""
        return not self.lacking

    @property
    def lacking(self) -> list[str]:
        """What it needs and cannot be found."""
        return [name for name in self.needs if find_spec(name) is None]


def _ours(name: str, needs: str, make: str, how: str, n_blocks: int = 1) -> Solver:
    return Solver(name, tuple(needs.split()), f"{__name__}:{make}", how, n_blocks)


SOLVERS = {
    solver.name: solver
    for solver in (
        _ours("highs", "highspy", "highs", "dual simplex, no presolve"),
        _ours("highs-presolve", "highspy", "highs_presolve", "presolve, dual simplex"),
        _ours("highs-ipm", "highspy", "highs_ipm", "presolve, interior point, crossover"),
        _ours("highs-batch", "highspy", "highs", "as highs, 8 pairs in one program", 8),
        _ours("scipy", "scipy", "scipy_linprog", "optimize.linprog, which calls its own HiGHS"),
        _ours("glop", "ortools scipy", "glop", "OR-tools' simplex"),
        _ours("glpk", "swiglpk", "glpk", "primal simplex, no presolve"),
        _ours("cvxopt", "cvxopt", "cvxopt_lp", "interior point, as the authors used"),
        _ours("clarabel", "clarabel scipy", "clarabel_lp", "interior point"),
    )
}


def installed() -> list[Solver]:
    """Those whose packages are there."""
    return [solver for solver in SOLVERS.values() if solver.is_installed]


def chosen(names: str) -> list[Solver]:
    """Those that a list with commas names."""
    found = []
    for name in dict.fromkeys(names.split(",")):
        if name not in SOLVERS:
            raise OptionError(f"solver is {name!r}; it must be one of: {', '.join(SOLVERS)}")
        solver = SOLVERS[name]
        if not solver.is_installed:
            lacking = " ".join(solver.lacking)
            raise OptionError(
                f"solver {name} needs {lacking}; pip install celab[solvers] brings it"
            )
        found.append(solver)
    return found


# ---- HiGHS ----


def highs() -> Solve:
    """Dual simplex, as `celab.solve` has it."""
    return _highs(presolve="off", solver="simplex")


def highs_presolve() -> Solve:
    """Dual simplex on what presolve leaves."""
    return _highs(presolve="on", solver="simplex")


def highs_ipm() -> Solve:
    """Interior point and crossover, on what presolve leaves."""
    return _highs(presolve="on", solver="ipm")


def _highs(**options: str) -> Solve:
    import highspy

    solver: Any = highspy._core._Highs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        solver.setOptionValue(name, value)
    rowwise, maximise = 2, -1

    def solve(program: Program) -> F64:
        n_columns, n_rows = len(program.cost), len(program.row_upper)
        solver.passModel(
            n_columns, n_rows, len(program.index), rowwise, maximise, 0.0,
            program.cost, np.zeros(n_columns), program.column_upper,
            np.full(n_rows, -highspy.kHighsInf), program.row_upper,
            program.row_start, program.index, program.value, np.zeros(n_columns, np.int32),
        )  # fmt: skip
        solver.run()
        status = solver.getModelStatus()
        _want(status == highspy.HighsModelStatus.kOptimal, solver.modelStatusToString(status))
        return np.asarray(solver.getSolution().col_value, np.float64)

    return solve


def scipy_linprog() -> Solve:
    """`scipy.optimize.linprog` with its default method."""
    from scipy.optimize import linprog

    def solve(program: Program) -> F64:
        upper = program.column_upper
        bounds = np.stack((np.zeros_like(upper), upper), axis=1)
        found = linprog(-program.cost, _rows(program), program.row_upper, bounds=bounds)
        _want(found.status == 0, found.message)
        return np.asarray(found.x, np.float64)

    return solve


# ---- other simplex codes ----


def glop() -> Solve:
    """GLOP of OR-tools."""
    from ortools.linear_solver.python import model_builder_helper as ortools

    def solve(program: Program) -> F64:
        n_columns, n_rows = len(program.cost), len(program.row_upper)
        model: Any = ortools.ModelBuilderHelper()
        model.fill_model_from_sparse_data(
            np.zeros(n_columns), program.column_upper, program.cost,
            np.full(n_rows, -np.inf), program.row_upper, _rows(program),
        )  # fmt: skip
        model.set_maximize(True)
        solver = ortools.ModelSolverHelper("glop")
        solver.solve(model)
        _want(solver.status() == ortools.SolveStatus.OPTIMAL, solver.status())
        return np.asarray(solver.variable_values(), np.float64)

    return solve


def glpk() -> Solve:
    """GLPK through its C interface, whose arrays count from 1."""
    import swiglpk

    swiglpk.glp_term_out(swiglpk.GLP_OFF)
    settings = swiglpk.glp_smcp()
    swiglpk.glp_init_smcp(settings)

    def filled(kind: Any, numbers: NDArray[Any], dtype: Any) -> Any:
        # By address: one by one takes longer than to solve, and swiglpk's own helper is broken.
        array = kind(len(numbers) + 1)
        numbers = np.ascontiguousarray(numbers, dtype)
        address = int(array.cast()) + numbers.itemsize
        ctypes.memmove(address, numbers.ctypes.data, numbers.nbytes)
        return array

    def solve(program: Program) -> F64:
        model = swiglpk.glp_create_prob()
        try:
            return solved(model, program)
        finally:
            swiglpk.glp_delete_prob(model)

    def solved(model: Any, program: Program) -> F64:
        n_columns, n_rows = len(program.cost), len(program.row_upper)
        swiglpk.glp_set_obj_dir(model, swiglpk.GLP_MAX)
        swiglpk.glp_add_cols(model, n_columns)
        swiglpk.glp_add_rows(model, n_rows)
        for j, upper in enumerate(program.column_upper.tolist(), 1):
            swiglpk.glp_set_col_bnds(model, j, swiglpk.GLP_DB, 0.0, upper)
        for j, cost in enumerate(program.cost.tolist(), 1):
            swiglpk.glp_set_obj_coef(model, j, cost)
        for i, upper in enumerate(program.row_upper.tolist(), 1):
            swiglpk.glp_set_row_bnds(model, i, swiglpk.GLP_UP, 0.0, upper)
        rows = np.repeat(np.arange(1, n_rows + 1), _lengths(program))
        swiglpk.glp_load_matrix(
            model, len(program.index),
            filled(swiglpk.intArray, rows, np.int32),
            filled(swiglpk.intArray, program.index + 1, np.int32),
            filled(swiglpk.doubleArray, program.value, np.float64),
        )  # fmt: skip
        failed = swiglpk.glp_simplex(model, settings)
        status = swiglpk.glp_get_status(model)
        _want(not failed and status == swiglpk.GLP_OPT, f"return {failed}, status {status}")
        return np.array(swiglpk.get_col_primals(model), np.float64)

    return solve


# ---- interior points: 0 <= x and x <= column_upper are rows as any others ----


def cvxopt_lp() -> Solve:
    """`cvxopt.solvers.lp`, its own interior point."""
    import cvxopt

    # Half of what is asked of a value. At less, it gives up on some programs: their matrices
    # become singular before it has come so near. All else is as it comes.
    settings = {"show_progress": False, "reltol": 5e-7}

    def solve(program: Program) -> F64:
        n_columns, n_rows = len(program.cost), len(program.row_upper)
        columns = np.arange(n_columns)
        matrix = cvxopt.spmatrix(
            np.concatenate((program.value, np.ones(n_columns), -np.ones(n_columns))),
            np.concatenate((
                np.repeat(np.arange(n_rows), _lengths(program)),
                n_rows + columns,
                n_rows + n_columns + columns,
            )),
            np.concatenate((program.index, columns, columns)),
            (n_rows + 2 * n_columns, n_columns),
        )  # fmt: skip
        upper = np.concatenate((program.row_upper, program.column_upper, np.zeros(n_columns)))
        found = cvxopt.solvers.lp(
            cvxopt.matrix(-program.cost), matrix, cvxopt.matrix(upper), options=settings
        )
        _want(found["status"] == "optimal", found["status"])
        return np.array(found["x"], np.float64).reshape(-1)

    return solve


def clarabel_lp() -> Solve:
    """Clarabel, with the nonnegative cone."""
    import clarabel
    from scipy import sparse

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1

    def solve(program: Program) -> F64:
        n_columns = len(program.cost)
        unit = sparse.identity(n_columns, format="csr")
        rows = sparse.vstack((_rows(program), unit, -unit), format="csc")
        upper = np.concatenate((program.row_upper, program.column_upper, np.zeros(n_columns)))
        found = clarabel.DefaultSolver(
            sparse.csc_matrix((n_columns, n_columns)), -program.cost, rows, upper,
            [clarabel.NonnegativeConeT(len(upper))], settings,
        ).solve()  # fmt: skip
        _want(found.status == clarabel.SolverStatus.Solved, found.status)
        return np.asarray(found.x, np.float64)

    return solve


# ---- what several share ----


def _rows(program: Program) -> Any:
    from scipy import sparse

    start = np.append(program.row_start, len(program.index))
    shape = (len(program.row_upper), len(program.cost))
    return sparse.csr_matrix((program.value, program.index, start), shape=shape)


def _lengths(program: Program) -> NDArray[np.int64]:
    return np.diff(program.row_start, append=len(program.index))


def _want(optimal: bool, seen: object) -> None:
    if not optimal:
        raise SolverError(f"ended with '{seen}', not with an optimum")
