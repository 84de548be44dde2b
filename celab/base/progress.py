"""Progress of long work: how its callers follow it, and how it is added up from parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol


class Progress(Protocol):
    """Called with how much of a work is done and, if this is known, how much there is in total.

    All calls come from the thread that started the work, and the numbers never decrease.
    """

    def __call__(self, n_done: int, total: int | None = None, /) -> object:
        """Take note of the progress."""


def split(
    progress: Progress | None, total: int, shares: Sequence[int]
) -> list[Progress] | list[None]:
    """Return the progress of each part of a work of `total` units, done one after the other.

    `shares` are the sizes of the parts in relation to each other. A part may count in units of its
    own if it gives its total, else it counts in those of the whole.

    >>> first, second = split(print, 10, [1, 1])
    >>> first(1, 2)
    2 10
    >>> second(3)
    8 10
    """
    if progress is None:
        return [None] * len(shares)
    ends = [0, *accumulate(shares)]
    starts = [total * end // (ends[-1] or 1) for end in ends]
    return [_part(progress, total, *span) for span in pairwise(starts)]


def _part(progress: Progress, total: int, start: int, end: int) -> Progress:
    def report(n_done: int, n_part: int | None = None, /) -> None:
        n_units = n_done if n_part is None else (end - start) * n_done // max(1, n_part)
        progress(min(start + n_units, end), total)

    return report
