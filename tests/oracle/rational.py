"""Small linear programs in exact arithmetic.

    maximize  sum_j gain[j] x[j]   subject to   sum_j rows[i][j] x[j] <= limit[i],   x >= 0

with every limit >= 0, so that x = 0 is feasible. Numbers are int or Fraction, never float.

`simplex` is the textbook tableau with Bland's rule, which cannot cycle; it trusts nothing and
proves each answer by linear programming duality: if x is feasible, y >= 0 has
sum_i y[i] rows[i][j] >= gain[j]  for all j, and the two objectives agree, then no feasible point
does better than x.
"""

import math
from fractions import Fraction
from typing import NamedTuple


class Program(NamedTuple):
    gain: list
    rows: list[list]
    limit: list


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True) if p and q)


def is_feasible(program: Program, x) -> bool:
    """Whether x satisfies every row and is nonnegative."""
    rows_hold = all(
        dot(row, x) <= limit for row, limit in zip(program.rows, program.limit, strict=True)
    )
    return rows_hold and all(value >= 0 for value in x)


def proves(program: Program, x, y) -> bool:
    """Whether the dual solution y proves x optimal."""
    n = len(program.gain)
    bounds = [0] * n  # what y pays for one unit of each column
    for price, row in zip(y, program.rows, strict=True):
        if price:
            bounds = [b + price * a for b, a in zip(bounds, row, strict=True)]
    return (
        is_feasible(program, x)
        and all(price >= 0 for price in y)
        and all(b >= g for b, g in zip(bounds, program.gain, strict=True))
        and dot(program.gain, x) == dot(program.limit, y)
    )


def _whole(row):
    """The row in whole numbers without a common factor: a positive multiple means the same."""
    scale = math.lcm(*(a.denominator for a in row))
    row = [int(a * scale) for a in row]
    factor = math.gcd(*row) or 1
    return [a // factor for a in row]


def _ratio(a, b):
    """a / b; whole numbers stay int."""
    return Fraction(a, b) if a % b else a // b


def _without(row, column, other):
    """A positive multiple of `row`, less what of `other` makes its column 0."""
    factor, pivot = row[column], other[column]
    if not factor:
        return row
    row = [pivot * a - factor * b for a, b in zip(row, other, strict=True)]
    common = math.gcd(*row)
    return [a // common for a in row] if common > 1 else row


def simplex(program: Program) -> tuple[Fraction, list]:
    """(optimum, an optimal x), proved."""
    n, m = len(program.gain), len(program.rows)
    assert all(limit >= 0 for limit in program.limit), "x = 0 must be feasible"
    # One column per variable, one per row's slack, the right-hand side, and one by which the gains
    # are multiplied. Whole numbers, and any multiple of a row, because Fractions are slow.
    table = [
        _whole([*row, *(int(i == k) for k in range(m)), limit, 0])
        for i, (row, limit) in enumerate(zip(program.rows, program.limit, strict=True))
    ]
    gain = _whole([*program.gain, *[0] * m, 0, 1])
    basic = [n + i for i in range(m)]
    while True:
        entering = next((j for j in range(n + m) if gain[j] > 0), None)
        if entering is None:
            break
        ratios = [
            (_ratio(row[-2], row[entering]), basic[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0
        ]
        assert ratios, "unbounded program"
        leaving = min(ratios)[2]  # of equal ratios the smallest variable: Bland's rule
        pivot_row = table[leaving]
        for i, row in enumerate(table):
            if i != leaving:
                table[i] = _without(row, entering, pivot_row)
        gain = _without(gain, entering, pivot_row)
        basic[leaving] = entering

    x = [0] * n
    for row, variable in zip(table, basic, strict=True):
        if variable < n:
            x[variable] = _ratio(row[-2], row[variable])
    y = [_ratio(-price, gain[-1]) for price in gain[n:-2]]
    assert proves(program, x, y)
    return Fraction(dot(program.gain, x)), x
