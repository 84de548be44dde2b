"""The order of every two systems on every segment: scores in, signs out.

Scores no further apart than `SAME` are a tie: a mean of three judgements, or a linear program's
value, may differ from its equal in the last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from celab.errors import InputError

F64: TypeAlias = NDArray[np.float64]

SAME = 1e-9


def orders(scores: F64, tolerance: float = SAME) -> Iterator[F64]:
    """For each system but the last, a row for each later one: 1 above it, −1 below it, 0 a tie.

    NaN where one of the two has no score. One system at a time, so that memory stays bounded.
    """
    for i in range(len(scores) - 1):
        yield sign(scores[i] - scores[i + 1 :], tolerance)


def sign(difference: F64, tolerance: float = SAME) -> F64:
    """Its sign, 0 within the tolerance; NaN stays NaN."""
    return np.where(np.abs(difference) <= tolerance, 0.0, np.sign(difference))


def judged_scores(scores: ArrayLike, name: str) -> F64:
    """People's scores, systems × segments, finite or NaN; `InputError` otherwise."""
    checked = np.asarray(scores, dtype=np.float64)
    if checked.ndim != 2 or 0 in checked.shape:
        raise InputError(f"{name} have the shape {checked.shape}; it must be systems × segments")
    if np.isinf(checked).any():
        raise InputError(f"{name} hold an infinite score; each must be finite, or NaN if absent")
    return checked


def metric_scores(scores: ArrayLike, shape: tuple[int, ...] | None = None) -> F64:
    """A metric's scores, systems × segments, all finite; `InputError` otherwise."""
    checked = np.asarray(scores, dtype=np.float64)
    if checked.ndim != 2 or 0 in checked.shape or (shape is not None and checked.shape != shape):
        wanted = "systems × segments" if shape is None else f"{shape}, that of people's scores"
        raise InputError(f"metric scores have the shape {checked.shape}; it must be {wanted}")
    if not np.isfinite(checked).all():
        system, segment = np.argwhere(~np.isfinite(checked))[0].tolist()
        raise InputError(
            f"the metric score of system {system + 1}, segment {segment + 1}, is"
            f" {checked[system, segment]}; a metric must score every segment"
        )
    return checked
