"""Scores of one metric → which pairs of a system and a segment are explained.

All of them if they are few enough. Otherwise every system has the same share: half of it goes to
the segments on which the systems differ most, the rest to the system's worst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]


def chosen(scores: F64, most: int, higher_is_better: bool) -> list[list[int]]:
    """For each system, a row of `scores`, the places of its segments, in their order.

    >>> chosen(np.array([[0.1, 0.5, 0.9, 0.5], [0.2, 0.6, 0.3, 0.4]]), 4, True)
    [[0, 2], [0, 2]]
    """
    n_systems, n_segments = scores.shape
    if n_systems * n_segments <= most:
        return [list(range(n_segments)) for _ in range(n_systems)]
    share = most // n_systems
    spread = np.ptp(scores, axis=0)
    differing = np.argsort(-spread, kind="stable")[: share // 2 if n_systems > 1 else 0].tolist()
    worst_first = np.argsort(scores if higher_is_better else -scores, axis=1, kind="stable")
    return [
        sorted(list(dict.fromkeys([*differing, *of_system]))[:share])
        for of_system in worst_first.tolist()
    ]
