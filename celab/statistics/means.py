"""Means that are rounded once, so that neither order nor batches of the values can move a bit.

The exact sum of the values is kept in full, and what the quotient leaves of it is divided again. So
the mean of equal values is that value, which `sum(values) / n` does not give: 0.1 + 0.1 + 0.1 over
3 is 0.10000000000000002.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from celab.base.arrays import F64, Bools


_SPLITTER = 2.0**27 + 1  # Veltkamp's, which halves the digits of a double
_FEWEST_SLICED = 64  # values from which on slices are faster
_LARGEST_SLICED = 2.0**900


def mean_of(values: F64) -> float:
    """Return the mean of all values; NaN if there are none.

    >>> mean_of(np.array([0.1, 0.1, 0.1]))
    0.1
    """
    numbers, n = values.tolist(), len(values)
    if n < 2:
        return float(numbers[0]) if n else math.nan
    return _quotient(numbers, n)


def column_means(rows: F64) -> list[float]:
    """Return `mean_of` of each column.

    >>> column_means(np.array([[0.1, 1.0]] * 3))
    [0.1, 1.0]
    """
    n = len(rows)
    if n < _FEWEST_SLICED or not np.abs(rows).max() < _LARGEST_SLICED:  # also if it is NaN
        return [mean_of(column) for column in rows.T]
    return [_quotient(numbers, n) for numbers in np.transpose(_slice_sums(rows)).tolist()]


def _slice_sums(rows: F64) -> list[F64]:
    # A few sums of each column that together are its exact sum. A slice has the leading digits of
    # all values down to one place, and so few of them that no partial sum is rounded (Rump, Ogita
    # and Oishi 2008).
    rest = np.ascontiguousarray(rows.T)
    sums = [np.zeros(len(rest))]
    while largest := float(np.abs(rest).max(initial=0.0)):
        grid = math.ldexp(1.0, math.frexp(largest)[1] + (len(rows) + 2).bit_length())
        leading = (rest + grid) - grid
        sums.append(leading.sum(axis=1))
        rest = rest - leading
    return sums


def _quotient(numbers: list[float], n: int) -> float:
    # The sum of the numbers by n.
    quotient = math.fsum(numbers) / n
    if not math.isfinite(quotient):
        return quotient
    high, low = _halves(np.float64(quotient))
    numbers = [*numbers, -n * float(high), -n * float(low)]  # both exact
    return quotient + math.fsum(numbers) / n


def mean_along(rows: Sequence[F64] | F64, present: Sequence[Bools] | Bools | None = None) -> F64:
    """Return the mean of arrays of one shape, place by place; NaN where none of them is present.

    >>> mean_along([np.array([0.1, 1.0])] * 3).tolist()
    [0.1, 1.0]
    """
    arrays = [np.asarray(row, np.float64) for row in rows]
    n: F64 = np.full(arrays[0].shape, float(len(arrays)))
    if present is not None:
        arrays = [np.where(there, row, 0.0) for row, there in zip(arrays, present, strict=True)]
        n = np.broadcast_to(np.sum(np.stack([*present]), axis=0, dtype=np.float64), arrays[0].shape)
    # Knuth's sum of two doubles without loss: `rest` has what rounding `total` leaves out.
    total, rest = np.zeros_like(arrays[0]), np.zeros_like(arrays[0])
    for row in arrays:
        following = total + row
        added = following - total
        rest += (total - (following - added)) + (row - added)
        total = following
    with np.errstate(invalid="ignore"):  # 0 / 0 where nothing is present
        quotient = (total + rest) / n
        high, low = _halves(quotient)
        left = ((total - n * high) - n * low) + rest
        return np.asarray(quotient + left / n, np.float64)


def _halves(number: F64 | np.float64) -> tuple[F64, F64]:
    # The first half of the digits and the second, so that products with small numbers are exact.
    scaled = _SPLITTER * number
    high = scaled - (scaled - number)
    return np.asarray(high), np.asarray(number - high)
