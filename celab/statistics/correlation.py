"""How well two lists of scores agree: pairs of lists in, one number each out.

With x and y of length n, and over pairs i < j:

- Pearson: Σ (x_i − x̄)(y_i − ȳ) / √(Σ (x_i − x̄)² · Σ (y_i − ȳ)²);
- Spearman: Pearson's of the ranks, where equal scores share the mean of their ranks;
- Kendall's τ-b (Kendall 1945): (C − D) / √((P − X) · (P − Y)), where C pairs have the same order in
  both lists and D the opposite one, P = n (n − 1) / 2, and X and Y are equal in x and in y;
- pairwise accuracy (Kocmi et al. 2021): of the pairs of systems that people tell apart, the share
  that the metric puts in the same order. Where it ties it predicts nothing, so it is not right.

The last axis holds a list and the axes before it are kept, so resamples can be handed over as rows.
Without a spread there is no correlation: a constant list, fewer than two scores, a NaN among them,
or no pair that people tell apart, gives NaN.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from celab.errors import InputError

F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]

FEW = 64  # lists no longer than this are compared pair by pair, all rows at once


def pearson(x: ArrayLike, y: ArrayLike) -> F64:
    """Pearson's r along the last axis.

    >>> float(pearson([1, 2, 3], [2, 4, 6]))
    1.0
    """
    a, b = _lists(x, y)
    defined = _has_spread(a) & _has_spread(b)
    a, b = _centred(a), _centred(b)
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return _quotient((a * b).sum(axis=-1), scale, defined)


def spearman(x: ArrayLike, y: ArrayLike) -> F64:
    """Spearman's ρ along the last axis.

    >>> round(float(spearman([1, 2, 3, 4], [1, 10, 100, 50])), 4)
    0.8
    """
    a, b = _lists(x, y)
    known = ~(np.isnan(a).any(axis=-1) | np.isnan(b).any(axis=-1))
    return np.where(known, pearson(ranks(a), ranks(b)), np.nan)


def kendall(x: ArrayLike, y: ArrayLike) -> F64:
    """Kendall's τ-b along the last axis.

    >>> round(float(kendall([1, 2, 3, 4], [1, 3, 2, 4])), 4)
    0.6667
    """
    a, b = _lists(x, y)
    if a.shape[-1] <= FEW:
        surplus, apart_a, apart_b = _by_pairs(a, b)
    else:
        rows = zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]), strict=True)
        counted = np.array([_by_sorting(*row) for row in rows]).reshape(*a.shape[:-1], 3)
        surplus, apart_a, apart_b = np.moveaxis(counted, -1, 0)
    scale = np.sqrt(apart_a) * np.sqrt(apart_b)
    return _quotient(surplus, scale, _has_spread(a) & _has_spread(b))


def pairwise_accuracy(metric: ArrayLike, human: ArrayLike) -> F64:
    """The share of pairs ordered as by people, along the last axis.

    >>> float(pairwise_accuracy([0.3, 0.2, 0.2], [70, 60, 50]))
    0.6666666666666666
    """
    a, b = _lists(metric, human)
    i, j = np.triu_indices(a.shape[-1], 1)
    people = np.sign(b[..., i] - b[..., j])
    right = (np.sign(a[..., i] - a[..., j]) * people > 0).sum(axis=-1)
    counted = (people != 0).sum(axis=-1)
    known = ~(np.isnan(a).any(axis=-1) | np.isnan(b).any(axis=-1))
    return _quotient(right, counted, known & (counted > 0))


def ranks(x: ArrayLike) -> F64:
    """Ranks from 1, the least, along the last axis; equal scores share the mean of theirs.

    >>> ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    values = np.asarray(x, dtype=np.float64)
    order = np.argsort(values, axis=-1, kind="stable")
    placed = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    begins = np.ones(values.shape, dtype=bool)
    begins[..., 1:] = placed[..., 1:] != placed[..., :-1]
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    backwards = np.where(ends, place, values.shape[-1])[..., ::-1]
    last = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    found = np.empty(values.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    return found


def _by_pairs(a: F64, b: F64) -> tuple[F64, F64, F64]:
    """C − D, P − X and P − Y, of all rows at once, by looking at every pair."""
    i, j = np.triu_indices(a.shape[-1], 1)
    first, second = np.sign(a[..., i] - a[..., j]), np.sign(b[..., i] - b[..., j])
    surplus = (first * second).sum(axis=-1)
    return surplus, np.abs(first).sum(axis=-1), np.abs(second).sum(axis=-1)


def _by_sorting(a: F64, b: F64) -> tuple[int, int, int]:
    """The same of one row in n log² n steps (Knight 1966: with x sorted, D is y's inversions)."""
    order = np.lexsort((b, a))
    first = a[order]
    second = np.unique(b[order], return_inverse=True)[1].astype(np.int64)
    n_pairs = len(a) * (len(a) - 1) // 2
    equal_a, equal_b = _equal_pairs(first), _equal_pairs(np.sort(second))
    # Sorted by both, so pairs that are equal in both lie side by side.
    new = np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1]))
    equal_both = _equal_pairs(np.cumsum(new))
    surplus = n_pairs - equal_a - equal_b + equal_both - 2 * _inversions(second)
    return surplus, n_pairs - equal_a, n_pairs - equal_b


def _equal_pairs(ordered: NDArray[np.generic]) -> int:
    """Pairs of equal values in a sorted list."""
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    runs = np.diff(np.append(begins, len(ordered)))
    return int((runs * (runs - 1) // 2).sum())


def _inversions(values: I64) -> int:
    """Pairs of whole numbers, at least 0, of which the first is the greater.

    The highest bit in which two numbers differ decides. So the numbers are sorted by one bit more
    at a time, and each 0 counts the 1s that stand before it among equal higher bits.
    """
    total = 0
    for bit in reversed(range(int(values.max()).bit_length())):
        ones = (values >> bit) & 1
        before = np.cumsum(ones) - ones
        group = values >> (bit + 1)
        begins = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        before -= np.repeat(before[begins], np.diff(np.append(begins, len(values))))
        total += int(before[ones == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return total


def _lists(x: ArrayLike, y: ArrayLike) -> tuple[F64, F64]:
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not a.ndim or not b.ndim or a.shape[-1] != b.shape[-1]:
        raise InputError(
            f"the scores have the shapes {a.shape} and {b.shape}; the last axes must be as long"
        )
    one, other = np.broadcast_arrays(a, b)
    return one, other


def _has_spread(x: F64) -> NDArray[np.bool_]:
    """False for constant lists, for those that hold NaN, and for short ones."""
    if x.shape[-1] < 2:
        return np.zeros(x.shape[:-1], dtype=bool)
    return np.asarray(x.max(axis=-1) > x.min(axis=-1))


def _centred(x: F64) -> F64:
    """Deviations from the mean, scaled so that their squares neither overflow nor vanish."""
    deviations = x - x.mean(axis=-1, keepdims=True) if x.shape[-1] else x
    greatest = np.abs(deviations).max(axis=-1, keepdims=True, initial=0.0)
    scaled = np.zeros_like(deviations)
    np.divide(deviations, greatest, out=scaled, where=greatest > 0)
    return scaled


def _quotient(above: ArrayLike, below: ArrayLike, defined: NDArray[np.bool_]) -> F64:
    """Their quotient, within ±1, or NaN where it is not defined."""
    found = np.full(np.shape(defined), np.nan)
    np.divide(above, below, out=found, where=defined)
    return np.asarray(np.clip(found, -1.0, 1.0))
