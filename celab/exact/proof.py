"""Proof: the exact optima of programs in whole numbers.

HiGHS computes in floating point, so its solution is only a starting point. The optimum of

    maximize  c · x   subject to   A x <= b,   0 <= x <= u      (A, b, c, u whole; b, u >= 0)

is proved by rational x and y with

    A x <= b,   0 <= x <= u,   y >= 0,   c · x = b · y + u · (c - Aᵀy)⁺

in exact arithmetic: since c · x' = y · A x' + (c - Aᵀy) · x', the right-hand side is a bound for
every feasible x'. Such x and y are searched for

1. as the whole numbers nearest to those of HiGHS, in all blocks of a program at once;
2. as rationals near them, with a common denominator from continued fractions;
3. in HiGHS's basis, solved exactly;
4. by exact pivots from there.

Every number that leaves this module has passed the check, however it was computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from celab._native.watch import check
from celab.base.arrays import F64, I32, Bools, Numbers
from celab.base.errors import SolverError
from celab.base.run import TIME_LIMIT, out_of_time
from celab.exact.solve import BASIC, UPPER, Program, Solution, solve

Indices = Numbers
# int64, or Python integers where the numbers may be larger.
Integers = Numbers
# x and y, each as numerators and a common denominator.
Candidate = tuple[Integers, int, Integers, int]
# Whole numbers stay int, because sums of Fraction are slow.
Exact = int | Fraction

# A number this close to a whole one is rounded to it, because the check decides in any case.
_ROUNDING_TOLERANCE = 1e-5
# Continued fractions look for denominators up to these; their product has a limit, too.
_MAX_FRACTION_DENOMINATORS = (64, 4096)
_MAX_DENOMINATOR = 10**7
# Numbers in a tableau: with more, a pivot takes seconds.
_MAX_TABLEAU_CELLS = 2**22


def proved_values(
    program: Program,
    what: Callable[[int], str],
    time_limit: float = TIME_LIMIT,
    *,
    skip: bool = False,
) -> list[Exact | None]:
    """Return the optimum of each block of the program; it does not depend on the other blocks.

    `what` names a block in errors, by its owner. If HiGHS does not solve them
    together, each is solved by itself. A block without a proof is an error, or None with `skip`.
    """
    data = _Data.of(program)
    values: list[Exact | None] = [None] * data.n_blocks
    todo: Sequence[int] = range(data.n_blocks)
    together: Solution | None = None
    try:
        together = solve(program, "the blocks", time_limit)
    except SolverError:
        pass
    else:
        is_proved, amounts = _nearest_whole(data, together)
        values = amounts.tolist()
        todo = np.flatnonzero(~is_proved).tolist()
    for b in todo:
        name = what(int(program.block_owner[b]))
        columns, rows = data.members(b)
        part = data.part(columns, rows)
        try:
            if together:
                solution = _part(together, columns, rows)
            else:
                solution = solve(program.block(b), name, time_limit)
            x, d = _rational(part, solution, name, time_limit)
            values[b] = Fraction(int(part.cost @ x), d)
        except SolverError:
            if not skip:
                raise
            values[b] = None
    return values


def proved_solution(program: Program, what: str, time_limit: float = TIME_LIMIT) -> list[Exact]:
    """Return a proved optimal x of the program; `what` names the program in errors."""
    solution = solve(program, what, time_limit)
    data = _Data.of(program)
    is_proved, _ = _nearest_whole(data, solution)
    if not is_proved.all():
        # Small parts have small denominators and are quick to solve.
        data = data.in_components()
        is_proved, _ = _nearest_whole(data, solution)
    near = np.rint(np.where(is_proved[data.column_block], solution.x, 0.0))
    x: list[Exact] = near.astype(np.int64).tolist()
    for b in np.flatnonzero(~is_proved).tolist():
        columns, rows = data.members(b)
        part = data.part(columns, rows)
        numerators, d = _rational(part, _part(solution, columns, rows), what, time_limit)
        for j, numerator in zip(columns.tolist(), numerators, strict=True):
            x[j] = Fraction(numerator, d)
    return x


def _part(solution: Solution, columns: Indices, rows: Indices) -> Solution:
    def basis() -> tuple[list[int], list[int]]:
        of_columns, of_rows = solution.basis()
        return [of_columns[j] for j in columns], [of_rows[i] for i in rows]

    return Solution(solution.x[columns], solution.y[rows], basis)


# ---- the check ----


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """A program in integers, with the row and the column of each entry."""

    cost: Integers
    column_upper: Integers
    row_upper: Integers
    value: Integers
    row: Indices
    column: Indices
    # Block of each column and row.
    column_block: Indices
    row_block: Indices
    n_blocks: int
    max_magnitude: float  # largest magnitude of the numbers that are not costs; at least 1
    max_cost: float  # largest magnitude of the costs; at least 1

    @classmethod
    def of(cls, program: Program) -> _Data:
        n, m = len(program.cost), len(program.row_upper)
        numbers = np.concatenate(
            (program.cost, program.column_upper, program.row_upper, program.value)
        )
        max_cost = float(np.abs(program.cost).max(initial=1.0))
        max_magnitude = float(np.abs(numbers[n:]).max(initial=1.0))
        if not max(max_magnitude, max_cost) < 2.0**53 or (numbers != np.rint(numbers)).any():
            raise ValueError("every number of a program must be whole, and below 2^53")
        if (numbers[n : 2 * n + m] < 0).any():
            raise ValueError("no bound of a program may be negative")
        integers = numbers.astype(np.int64)
        return cls(
            cost=integers[:n],
            column_upper=integers[n : 2 * n],
            row_upper=integers[2 * n : 2 * n + m],
            value=integers[2 * n + m :],
            row=_owners(program.row_start, len(program.index)),
            column=program.index.astype(np.intp),
            column_block=_owners(program.block_column, n),
            row_block=_owners(program.block_row, m),
            n_blocks=len(program.block_owner),
            max_magnitude=max_magnitude,
            max_cost=max_cost,
        )

    def members(self, b: int) -> tuple[Indices, Indices]:
        """Return the columns and the rows of block b."""
        return np.flatnonzero(self.column_block == b), np.flatnonzero(self.row_block == b)

    def part(self, columns: Indices, rows: Indices) -> _Data:
        """Return these columns and rows, which share no entry with others, as Python integers."""
        entries = np.flatnonzero(np.isin(self.row, rows))
        return _Data(
            cost=self.cost[columns].astype(object),
            column_upper=self.column_upper[columns].astype(object),
            row_upper=self.row_upper[rows].astype(object),
            value=self.value[entries].astype(object),
            row=np.searchsorted(rows, self.row[entries]),
            column=np.searchsorted(columns, self.column[entries]),
            column_block=np.zeros_like(columns),
            row_block=np.zeros_like(rows),
            n_blocks=1,
            max_magnitude=self.max_magnitude,
            max_cost=self.max_cost,
        )

    def in_components(self) -> _Data:
        """Return the program with its connected components as blocks."""
        n = len(self.cost)
        parent = list(range(n + len(self.row_upper)))

        def root(k: int) -> int:
            while parent[k] != k:
                parent[k] = k = parent[parent[k]]
            return k

        for j, i in zip(self.column.tolist(), self.row.tolist(), strict=True):
            parent[root(j)] = root(n + i)
        roots, block = np.unique([root(k) for k in range(len(parent))], return_inverse=True)
        return replace(self, column_block=block[:n], row_block=block[n:], n_blocks=len(roots))

    def certify(self, x: Integers, d: int, y: Integers, e: int) -> tuple[Bools, Integers]:
        """Return whether x / d and y / e prove the optimum of each block, and d times its value."""
        used = _sums(self.row, self.value * x[self.column], len(self.row_upper))
        paid = _sums(self.column, self.value * y[self.row], len(self.cost))
        over = self.column_upper * np.maximum(e * self.cost - paid, 0)
        amounts = _sums(self.column_block, self.cost * x, self.n_blocks)
        bounds = _sums(self.column_block, over, self.n_blocks)
        bounds = bounds + _sums(self.row_block, self.row_upper * y, self.n_blocks)
        proved = np.asarray(e * amounts == d * bounds, np.bool_)
        proved[self.column_block[(x < 0) | (x > d * self.column_upper)]] = False
        proved[self.row_block[(y < 0) | (used > d * self.row_upper)]] = False
        return proved, amounts


def _owners(start: I32, n: int) -> Indices:
    # Index of the range containing each of 0…n−1.
    ends = np.append(start[1:], np.int32(n))
    return np.repeat(np.arange(len(start)), ends - start)


def _sums(place: Indices, amounts: Integers, n: int) -> Integers:
    # Sum of the amounts at each of n places.
    if amounts.dtype == np.int64 and np.abs(amounts).sum(dtype=np.float64) < 2.0**52:
        return np.bincount(place, amounts, n).astype(np.int64)  # much faster, and rounds nothing
    sums = np.zeros(n, amounts.dtype)
    np.add.at(sums, place, amounts)
    return sums


def _nearest_whole(data: _Data, solution: Solution) -> tuple[Bools, Integers]:
    # Step 1: whether each block is proved, and its value.
    largest = np.abs(np.concatenate((solution.x, solution.y))).max(initial=1.0)
    size = len(data.cost) + len(data.row_upper) + len(data.value)
    # No number in `certify` is larger than this; comparing NaN gives False.
    bound = 4.0 * size * data.max_magnitude * largest * (data.max_cost + size * data.max_magnitude)
    if not bound < 2.0**62:
        return np.zeros(data.n_blocks, np.bool_), np.zeros(data.n_blocks, np.int64)
    x, y = np.rint(solution.x).astype(np.int64), np.rint(solution.y).astype(np.int64)
    return data.certify(x, 1, y, 1)


# ---- rational numbers ----


def _rational(
    data: _Data, solution: Solution, what: str, time_limit: float
) -> tuple[Integers, int]:
    # Steps 2 to 4: an optimal x as numerators and denominator.
    for x, d, y, e in _candidates(data, solution, what, time_limit):
        if data.certify(x, d, y, e)[0].all():
            return x, d
    raise SolverError(
        "the exact pivots ended without a proof", place=what, hint="this is a bug in celab"
    )


def _candidates(
    data: _Data, solution: Solution, what: str, time_limit: float
) -> Iterator[Candidate]:
    for most in _MAX_FRACTION_DENOMINATORS:
        yield *_near(solution.x, most), *_near(solution.y, most)
    deadline = time.monotonic() + time_limit

    m, n = len(data.row_upper), len(data.cost)
    if (m + 1) * (n + 1) > _MAX_TABLEAU_CELLS:
        raise SolverError(
            f"the rest, {m:,} rows and {n:,} columns, is too large for exact pivots", place=what
        )

    def check_time() -> None:
        check()
        if time.monotonic() > deadline:
            raise out_of_time(what, time_limit)

    tableau = _Tableau(data, check_time)
    tableau.enter(*solution.basis())
    yield tableau.solution()
    if not tableau.is_feasible():
        tableau = _Tableau(data, check_time)
    tableau.optimize()
    yield tableau.solution()


def _near(values: F64, most: int) -> tuple[Integers, int]:
    # Numerators over a common denominator d. It is extended by continued fractions of the number
    # that is farthest from a multiple of 1 / d, until all numbers are multiples.
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    d = factor = 1
    while d * factor <= _MAX_DENOMINATOR and len(values):
        d *= factor
        rest = values * d - np.rint(values * d)
        farthest = rest[np.argmax(np.abs(rest))]
        factor = Fraction(farthest).limit_denominator(most).denominator
        if abs(farthest) < _ROUNDING_TOLERANCE or factor == 1:
            break
    return np.array([round(Fraction(value) * d) for value in values.tolist()], object), d


# ---- exact pivots ----


class _Tableau:
    """A simplex tableau in whole numbers over a common denominator, d > 0.

    The variables are x and the slacks of the rows, numbered in this order, and after them the
    distance of each from its upper bound; every one of them is at least 0. A line says

        d · basic[i] + Σ_j table[i, j] · nonbasic[j] = table[i, -1],   where nonbasic[j] = 0,

    and the last one says it of the objective. A pivot multiplies by the new denominator and
    divides by the old one, which leaves no remainder (Edmonds 1967, Bareiss 1968).
    """

    def __init__(self, data: _Data, check_time: Callable[[], None]) -> None:
        self.n, m = len(data.cost), len(data.row_upper)
        self.size = self.n + m
        self.table: Integers = np.zeros((m + 1, self.n + 1), object)
        np.add.at(self.table, (data.row, data.column), data.value)
        self.table[:m, -1] = data.row_upper
        self.table[m, :-1] = -data.cost
        # A slack has a bound that it cannot reach.
        slack = np.abs(self.table[:m, :-1]) @ data.column_upper + data.row_upper + 1
        self.upper: list[int] = [*data.column_upper.tolist(), *slack.tolist()]
        self.d = 1
        self.nonbasic = list(range(self.n))
        self.basic = list(range(self.n, self.size))
        self.check_time = check_time

    def enter(self, columns: list[int], rows: list[int]) -> None:
        """Pivot from x = 0 to the basis with these statuses, or as near to it as possible."""
        for j, status in enumerate(columns):
            if status == UPPER:
                self._complement_column(j)
        leaving = {i for i, status in enumerate(rows) if status != BASIC}
        for j, status in enumerate(columns):
            pivots = [i for i in leaving if self.table[i, j]] if status == BASIC else []
            if pivots:
                # A small pivot keeps the denominator small.
                i = min(pivots, key=lambda i: (abs(self.table[i, j]), self.table[i, j] < 0, i))
                leaving.remove(i)
                self._pivot(i, j)

    def is_feasible(self) -> bool:
        """Return whether all basic variables are within their bounds."""
        return all(
            0 <= amount <= self.d * self.upper[variable % self.size]
            for variable, amount in zip(self.basic, self.table[:-1, -1], strict=True)
        )

    def optimize(self) -> None:
        """Pivot from a feasible basis to an optimal one.

        The variable that enters, and the one that leaves, is the first that may: by Bland's rule
        no basis comes twice.
        """
        while (better := np.flatnonzero(self.table[-1, :-1] < 0)).size:
            q = min(better.tolist(), key=self.nonbasic.__getitem__)
            entering = self.nonbasic[q]
            # When a variable reaches its bound, its distance from the bound leaves the basis.
            leaving = [(Fraction(self.upper[entering % self.size]), self._other(entering), -1)]
            for i in np.flatnonzero(self.table[:-1, q]).tolist():
                slope, amount, variable = self.table[i, q], self.table[i, -1], self.basic[i]
                if slope > 0:
                    leaving.append((Fraction(amount, slope), variable, i))
                else:
                    rest = self.upper[variable % self.size] * self.d - amount
                    leaving.append((Fraction(rest, -slope), self._other(variable), i))
            _, variable, i = min(leaving)
            if i < 0:
                self._complement_column(q)
                continue
            if variable != self.basic[i]:
                self._complement_row(i)
            self._pivot(i, q)

    def solution(self) -> Candidate:
        """Return x and y of this basis."""
        amounts = dict.fromkeys(self.nonbasic, 0)
        amounts.update(zip(self.basic, self.table[:-1, -1], strict=True))
        x = [
            amounts[j] if j in amounts else self.upper[j] * self.d - amounts[self._other(j)]
            for j in range(self.n)
        ]
        prices = dict(zip(self.nonbasic, self.table[-1, :-1], strict=True))
        y = [prices.get(variable, 0) for variable in range(self.n, self.size)]
        return np.array(x, object), self.d, np.array(y, object), self.d

    def _other(self, variable: int) -> int:
        # A variable's distance from its upper bound, and the reverse.
        return (variable + self.size) % (2 * self.size)

    def _complement_column(self, j: int) -> None:
        variable = self.nonbasic[j]
        self.table[:, -1] -= self.table[:, j] * self.upper[variable % self.size]
        self.table[:, j] *= -1
        self.nonbasic[j] = self._other(variable)

    def _complement_row(self, i: int) -> None:
        variable = self.basic[i]
        self.table[i] *= -1
        self.table[i, -1] += self.upper[variable % self.size] * self.d
        self.basic[i] = self._other(variable)

    def _pivot(self, i: int, j: int) -> None:
        self.check_time()
        table, pivot = self.table, self.table[i, j]
        row, column = table[i].copy(), table[:, j].copy()
        rows, columns = np.flatnonzero(column), np.flatnonzero(row)
        product = np.outer(column[rows], row[columns])
        if pivot == self.d:  # nothing else changes
            table[np.ix_(rows, columns)] -= product // self.d
        else:
            table *= pivot
            table[np.ix_(rows, columns)] -= product
            table //= self.d
        table[:, j] = -column
        table[i] = row
        table[i, j] = self.d
        self.d = abs(pivot)
        if pivot < 0:
            table *= -1
        self.basic[i], self.nonbasic[j] = self.nonbasic[j], self.basic[i]
