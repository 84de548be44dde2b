"""The order in which segments are worth reading: long references with a great loss come first.

A score of 0 against a reference of two characters only shows that one word has a synonym. So
segments are sorted by their loss times the length of their reference, and segments with short
references come last. Short references are also left out where people and a metric are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from celab.base.arrays import F64, I64, Bools

MIN_LETTERS = 10  # a shorter reference may match any output
# Addresses, names of users and topics are copied rather than translated.
_COPIED = re.compile(r"(?:https?:|www\.|[@#])[^\s，。！？、]*")


def count_letters(text: str) -> int:
    """Return the number of letters and digits outside addresses, users and topics.

    >>> count_letters("@user33 哇！"), count_letters("这有意义吗？")
    (1, 5)
    """
    return sum(map(str.isalnum, _COPIED.sub("", text)))


def reference_lengths(refs: Sequence[Sequence[str | None]]) -> I64:
    """Return the number of letters of the longest reference of each segment."""
    return np.array(
        [
            max(count_letters(ref or "") for ref in of_segment)
            for of_segment in zip(*refs, strict=True)
        ],
        np.int64,
    )


def are_telling(refs: Sequence[Sequence[str | None]]) -> Bools:
    """Return which segments have a reference of at least `MIN_LETTERS`; all, if none has.

    >>> are_telling([["三分之一", "他昨天买了一把新雨伞。"]]).tolist()
    [False, True]
    >>> are_telling([["三分之一", "买伞"]]).tolist()
    [True, True]
    """
    telling: Bools = reference_lengths(refs) >= MIN_LETTERS
    return telling if telling.any() else np.ones_like(telling)


def order_by_loss(
    scores: F64,
    refs: Sequence[Sequence[str | None]],
    *,
    top: float | None = None,
    higher_is_better: bool = True,
) -> list[int]:
    """Return the indices of segments, sorted by loss.

    The loss of a segment is the distance of its score from `top` times the letters of its longest
    reference. Segments with short references follow, sorted likewise; segments without a score are
    left out.

    Parameters:
        scores: scores of the segments; of several systems in rows, whose mean is taken.
        top: the best possible score (default: the highest of these scores, or 0 of an error rate).

    >>> refs = [["三分之一", "他昨天买了一把新雨伞。", "我们明天坐火车去北京旅行。"]]
    >>> order_by_loss(np.array([0.0, 0.9, 0.2]), refs, top=1)
    [2, 1, 0]
    """
    rows = np.atleast_2d(scores)
    known = ~np.isnan(rows)
    counts = known.sum(axis=0)
    means = np.where(known, rows, 0.0).sum(axis=0) / np.maximum(counts, 1)
    if top is None:
        top = float(means[counts > 0].max(initial=0.0)) if higher_is_better else 0.0
    lost = np.abs(top - means) * reference_lengths(refs)
    telling = are_telling(refs)
    order = sorted(np.flatnonzero(counts > 0).tolist(), key=lambda k: (not telling[k], -lost[k]))
    return [int(place) for place in order]
