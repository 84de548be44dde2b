"""One set of resamples for all systems: segment statistics in, scores of every resample out.

The bootstrap (Efron 1979; for translation, Koehn 2004) draws N segments out of N with replacement.
All that matters of a draw is how often it has each segment, w_s, because a score depends on sums
over segments alone:

    score = aggregate(Σ_s w_s · statistics_s, N)

So B resamples are a matrix W of counts, B × N, and one product gives all sums. They are exact
(`summable`), because those that a BLAS rounds depend on the processor and its threads. An
`Aggregate` gets sums, with the k statistics on the last axis and any axes before it, and the number
of segments, and gives one score for each: `mean` for a metric whose system score is the mean of
its segment scores, `ratio` for shares, others for BLEU and its like.

Approximate randomization (Noreen 1989) exchanges the two systems' outputs of a segment or leaves
them, each with probability 1/2; a trial is a row of zeros and ones (`swaps`).

Random numbers come from PCG64, seeded with the given number (0 or more). The same seed
gives the same resamples, for whichever systems and statistics, and however the rows are cut into
chunks. With the default seed they are those of sacreBLEU's bootstrap with its own default seed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from celab._native.draws import Draws
from celab.base.arrays import F64, Bools
from celab.base.errors import InputError, OptionError
from celab.base.options import N_RESAMPLES as N_RESAMPLES
from celab.base.options import RESAMPLES
from celab.base.options import SEED as SEED
from celab.base.run import batches

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


# Means that are rounded once, so that neither order nor batches of the values can move a bit.
#
# The exact sum of the values is kept in full, and what the quotient leaves of it is divided again.
# So the mean of equal values is that value, which `sum(values) / n` does not give: 0.1 + 0.1 + 0.1
# over 3 is 0.10000000000000002.

_SPLITTER = 2.0**27 + 1  # Veltkamp's, which halves the digits of a double
_MIN_SLICED_VALUES = 64  # slices are slower for fewer values
_MAX_SLICED_VALUE = 2.0**900


def mean_of(values: F64, n: int | None = None) -> float:
    """Return the mean of all values; NaN if there are none.

    `n` is their number if `values` are sums of some of them.

    >>> mean_of(np.array([0.1, 0.1, 0.1]))
    0.1
    """
    numbers, n = values.tolist(), len(values) if n is None else n
    if n < 2:
        return float(numbers[0]) if n else math.nan
    quotient = math.fsum(numbers) / n
    if not math.isfinite(quotient):
        return quotient
    high, low = _halves(np.float64(quotient))
    left = math.fsum([*numbers, -n * float(high), -n * float(low)])  # both products are exact
    return quotient + left / n


def column_means(rows: F64) -> list[float]:
    """Return `mean_of` of each column.

    >>> column_means(np.array([[0.1, 1.0]] * 3))
    [0.1, 1.0]
    """
    n = len(rows)
    if n < _MIN_SLICED_VALUES or not np.abs(rows).max() < _MAX_SLICED_VALUE:  # also if it is NaN
        return [mean_of(column) for column in rows.T]
    return [mean_of(sums, n) for sums in np.transpose(_slice_sums(rows))]


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


Aggregate: TypeAlias = "Callable[[F64, int], F64]"

MAX_CHUNK_WEIGHTS = 2**21  # 16 MB
_MIN_EXPONENT = -1074  # every double is a multiple of 2 to this power


def mean(sums: F64, n_segments: int) -> F64:
    """Return the mean of the first statistic over the segments."""
    return np.asarray(sums[..., 0] / n_segments)


def ratio(sums: F64, n_segments: int) -> F64:
    """Return the sum of the first statistic over that of the second; NaN where that is 0."""
    return quotient(sums[..., 0], sums[..., 1])


def quotient(above: ArrayLike, below: ArrayLike) -> F64:
    """Return one over the other, NaN where the second is 0."""
    result = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=result, where=np.asarray(below) != 0)
    return result


class Resampled(NamedTuple):
    """`observed`: one score per system; `scores`: resamples as rows, systems as columns."""

    observed: F64
    scores: F64


def scores_of(
    statistics: ArrayLike,
    aggregate: Aggregate = mean,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> Resampled:
    """Return scores of all systems, as they are and on each resample.

    `statistics` is systems × segments × k, or systems × segments if k is 1.

    >>> drawn = scores_of([[0.2, 0.4, 0.9], [0.1, 0.4, 0.7]], n_resamples=500, seed=0)
    >>> drawn.observed.round(3).tolist(), drawn.scores.shape
    ([0.5, 0.4], (500, 2))
    """
    checked = checked_statistics(statistics)
    n, exact = checked.shape[2], summable(checked)
    scores = [
        applied(aggregate, sums(exact, weights), n).T for weights in chunks(n, n_resamples, seed)
    ]
    return Resampled(applied(aggregate, checked.sum(axis=-1), n), np.concatenate(scores))


def intervals(resampled: Resampled, level: float = 0.95) -> F64:
    """Return one row per system: both ends of its percentile interval, interpolated.

    The ends are those of `np.quantile`, which would load `numpy.ma` for them, and that takes longer
    than the resamples of a small corpus.

    >>> intervals(Resampled(np.array([0.5]), np.arange(41.0)[:, None] / 40)).round(3).tolist()
    [[0.025, 0.975]]
    """
    tail = (1 - level) / 2
    ordered = np.sort(resampled.scores, axis=0)  # NaN is last
    ends = []
    for share in (tail, 1 - tail):
        position = share * (len(ordered) - 1)
        below, weight = int(position), position % 1
        low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
        # Interpolate from the nearer of the two values, as NumPy does.
        end = low + (high - low) * weight if weight < 0.5 else high - (high - low) * (1 - weight)
        ends.append(end)
    has_nan = np.isnan(ordered[-1])
    return np.where(has_nan, np.nan, np.stack(ends)).T


def chunks(n_segments: int, n_resamples: int, seed: int) -> Iterator[F64]:
    """Yield the rows of W in chunks, so that memory stays bounded."""
    for draws, n_rows in _draws(n_segments, n_resamples, "n_resamples", seed):
        weights = np.empty((n_rows, n_segments))
        draws.count(weights)
        yield weights


def swaps(n_segments: int, n_trials: int, seed: int) -> Iterator[F64]:
    """Yield chunks of rows of zeros and ones: 1 where a trial exchanges the segment's outputs."""
    n_words = -(-n_segments // 32)  # whole words a row, so that chunks do not matter
    for draws, n_rows in _draws(n_segments, n_trials, "n_trials", seed):
        words = np.empty((n_rows, n_words), np.uint32)
        draws.fill(words)
        bits = words.astype("<u4").view(np.uint8)
        yield np.unpackbits(bits, axis=1, count=n_segments).astype(np.float64)


def summable(statistics: F64) -> F64:
    """Return statistics, k × systems × segments, rounded so that sums over resamples are exact.

    The weights of n segments sum to n, so no sum is beyond 2^e > n · max|x|, and multiples of
    2^(e − 53) up to there are floating-point numbers, whatever the order of summation.

    >>> first, second, third = summable(np.array([[[0.1, 0.2, 0.3]]])).ravel().tolist()
    >>> first + second + third == third + second + first, 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    (True, False)
    """
    greatest = np.abs(statistics).max(axis=(1, 2), keepdims=True)
    exponent = np.frexp(greatest * statistics.shape[2])[1]
    step = np.ldexp(1.0, np.maximum(exponent - 53, _MIN_EXPONENT))
    return np.asarray(np.rint(statistics / step) * step)


def sums(statistics: F64, weights: F64) -> F64:
    """Return k × systems × rows of weights, from k × systems × segments: one product for all."""
    k, n_systems, n_segments = statistics.shape
    flat = weights @ statistics.reshape(k * n_systems, n_segments).T
    return np.ascontiguousarray(flat.T).reshape(k, n_systems, len(weights))


def applied(aggregate: Aggregate, by_statistic: F64, n_segments: int) -> F64:
    """Return the aggregate of sums that have their k statistics on the first axis.

    It sees them on the last, but in memory each statistic stays together: long loops are faster.
    """
    return np.asarray(aggregate(np.moveaxis(by_statistic, 0, -1), n_segments))


def checked_statistics(statistics: ArrayLike) -> F64:
    """Return the statistics as k × systems × segments; NaN and infinities are an `InputError`."""
    checked = np.asarray(statistics, dtype=np.float64)
    if checked.ndim == 2:
        checked = checked[:, :, None]
    if checked.ndim != 3 or 0 in checked.shape:
        raise InputError(
            f"statistics have the shape {np.shape(statistics)};"
            " it must be systems × segments × k, each at least 1"
        )
    if not np.isfinite(checked).all():
        system, segment, _ = np.argwhere(~np.isfinite(checked))[0].tolist()
        raise InputError(
            f"a statistic of system {system + 1}, segment {segment + 1}, is"
            f" {checked[system, segment].tolist()}; all must be finite"
        )
    return np.ascontiguousarray(np.moveaxis(checked, -1, 0))


def _draws(n_segments: int, n_rows: int, name: str, seed: int) -> Iterator[tuple[Draws, int]]:
    """Yield the generator with this seed, and how many rows to draw from it at a time."""
    least_rows, most_rows = RESAMPLES
    valid_rows = f"from {least_rows} to {most_rows}"
    for option, value, least, most, valid in (
        ("seed", seed, 0, math.inf, "of 0 or more"),
        (name, n_rows, least_rows, most_rows, valid_rows),
    ):
        is_whole = hasattr(value, "__index__") and not isinstance(value, bool | type)
        if not is_whole or not least <= value <= most:
            raise OptionError(option, value, f"it must be a whole number {valid}")
    draws = Draws(operator.index(seed))
    for rows in batches(operator.index(n_rows), max(1, MAX_CHUNK_WEIGHTS // n_segments)):
        yield draws, rows.stop - rows.start
