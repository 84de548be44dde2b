"""Correlations across translations, on every resample: two lists and their segments in.

A resample that has a segment w times has its translations w times. Nothing is copied; with the
weight w_i of a translation, that of its segment,

- Pearson's r follows from the weighted sums of x, y, x², y² and xy;
- Spearman's ρ is the same of weighted ranks: those of x are Σ_{x_j < x_i} w_j plus half of
  1 + Σ_{x_j = x_i} w_j, the mean of the ranks that the copies of equal scores would share;
- Kendall's τ-b is a quotient of quadratic forms. With A_ij and B_ij the signs of x_i − x_j and
  y_i − y_j, it is w'(A∘B)w / √(w'(A∘A)w · w'(B∘B)w). Copies of one translation tie, as they should,
  since A_ii is 0. Weights are of segments, so the matrices are first summed to segments × segments.

Each result has a number a resample, NaN where there is no spread.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    I64 = NDArray[np.int64]

AT_ONCE = 2**21  # numbers of a block
NO_SPREAD = 1e-12  # of the variance that is expected: less is rounding


def pearson(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """`segment[i]` is the column of `weights`, resamples × segments, that holds w_i."""
    a, b = x - x.mean(), y - y.mean()
    powers = (np.ones_like(a), a, b, a * a, b * b, a * b)
    n_segments = weights.shape[1]
    by_segment = [np.bincount(segment, power, n_segments) for power in powers]
    sums = list((weights @ np.stack(by_segment, axis=1)).T)
    return _correlation(sums, (a * a).mean(), (b * b).mean())


def spearman(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """The same of ranks."""
    first, second = _Groups(x), _Groups(y)
    found = np.empty(len(weights))
    for rows in _blocks(len(weights), len(x)):
        w = weights[rows][:, segment]
        n = w.sum(axis=1)
        middle = (n[:, None] + 1) / 2
        a, b = first.ranks(w) - middle, second.ranks(w) - middle
        sums = [n, *((w * power).sum(axis=1) for power in (a, b, a * a, b * b, a * b))]
        found[rows] = _correlation(sums, 1.0, 1.0)  # unequal ranks vary by much more than rounding
    return found


def kendall(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """τ-b, by sums over all pairs."""
    order = np.argsort(segment, kind="stable")
    present, starts = np.unique(segment[order], return_index=True)
    drawn = weights[:, present]
    sides = [np.unique(side[order], return_inverse=True)[1].astype(np.int32) for side in (x, y)]
    ends = np.append(starts[1:], len(order))
    sums = np.zeros((3, len(weights)))
    size = max(1, AT_ONCE // len(order) * len(present) // len(order))
    for begin in range(0, len(present), size):
        some = slice(begin, begin + size)
        rows = slice(starts[some][0], ends[some][-1])
        a, b = (_signs(side[rows], side) for side in sides)
        for total, signs in zip(sums, (a * b, a * a, b * b), strict=True):
            by_row = np.add.reduceat(signs, starts, axis=1, dtype=np.int32)
            by_segment = np.add.reduceat(by_row, starts[some] - rows.start, axis=0)
            total += (drawn[:, some] * (drawn @ by_segment.T.astype(np.float64))).sum(axis=1)
    surplus, apart_x, apart_y = sums
    scale = np.sqrt(apart_x) * np.sqrt(apart_y)
    found = np.full(len(weights), np.nan)
    np.divide(surplus, scale, out=found, where=scale > 0)
    return found


class _Groups:
    """Equal scores, and where they stand in order."""

    def __init__(self, x: F64) -> None:
        self.order = np.argsort(x, kind="stable")
        ordered = x[self.order]
        self.starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        self.group = np.unique(x, return_inverse=True)[1]

    def ranks(self, weights: F64) -> F64:
        """Weighted ranks, in the order of the list, for each row of weights."""
        each = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        rank = np.cumsum(each, axis=1) - each / 2 + 0.5
        return np.asarray(rank[:, self.group])


def _signs(some: NDArray[np.int32], all_of_them: NDArray[np.int32]) -> NDArray[np.int8]:
    above = (some[:, None] > all_of_them).view(np.int8)
    return above - (some[:, None] < all_of_them).view(np.int8)


def _correlation(sums: list[F64], expected_a: float, expected_b: float) -> F64:
    """From Σw, Σwa, Σwb, Σwa², Σwb² and Σwab; the variances say what is no more than rounding."""
    n, a, b, aa, bb, ab = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_a, variance_b = aa / n - (a / n) ** 2, bb / n - (b / n) ** 2
        found = (ab / n - a * b / n**2) / np.sqrt(variance_a * variance_b)
    spread = (variance_a > NO_SPREAD * expected_a) & (variance_b > NO_SPREAD * expected_b)
    return np.where(spread, np.clip(found, -1.0, 1.0), np.nan)


def _blocks(n_rows: int, width: int) -> Iterator[slice]:
    size = max(1, AT_ONCE // width)
    yield from (slice(first, first + size) for first in range(0, n_rows, size))
