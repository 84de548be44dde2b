"""Times of subtitles as bounds of cuts.

The cut between two segments of the reference is not before the end of a cue of the text that is
over when the first segment ends, nor after the start of a cue that begins when the second segment
has begun:

    reference   |---- 1 ----|    |---- 2 ----|
    text        |- a -|    |- b -|     |- c -|        the cut is in b, or at one of its ends

Two people who time a text differ by up to `SLACK` milliseconds, so both must have been true for so
long. In a pause between the segments, a cue that is over so soon after the first is before the cut,
and a cue that begins so shortly before the second is after it.
Where the first segment and a cue end at the same time, and the second segment and the next cue
start at the same time, the cut is there: one file was made from the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from celab.base.arrays import I64

SLACK = 1000
Span = tuple[int, int]  # start and end of a cue, in milliseconds


class TimedCues(NamedTuple):
    """The cues of a text, in the order of their starts."""

    spans: Sequence[Span]
    ends: Sequence[int]  # place at which each ends: characters that are not white space

    @classmethod
    def of(cls, texts: Sequence[str], spans: Sequence[Span]) -> TimedCues:
        """Return the cues with these texts."""
        return cls(spans, list(accumulate(len("".join(text.split())) for text in texts)))


class Bounds(NamedTuple):
    """The first and the last place of each cut."""

    low: I64
    high: I64

    @classmethod
    def of(cls, low: I64, high: I64) -> Bounds:
        """Return bounds in order; cues that overlap, or take no time, may leave some that cross."""
        low, high = np.maximum.accumulate(low), np.maximum.accumulate(high)
        return cls(low, np.maximum(low, high))

    def n_outside(self, cuts: Sequence[int]) -> int:
        """Return how many cuts are out of their bounds."""
        return int(np.count_nonzero((self.low > cuts) | (self.high < cuts)))


def time_bounds(refs: Sequence[Span], cues: TimedCues) -> Bounds | None:
    """Return the bounds of the cuts between segments; None if these are not in order of time.

    >>> cues = TimedCues.of(["一二", "三四五", "六"], [(0, 900), (900, 4000), (4000, 6000)])
    >>> [bound.tolist() for bound in time_bounds([(0, 2000), (2000, 6000)], cues)]
    [[2], [5]]
    """
    starts, stops = np.array(refs, np.int64).reshape(-1, 2).T
    if (np.diff(starts) < 0).any():
        return None
    begins, overs = np.array(cues.spans, np.int64).T
    places = np.array([0, *cues.ends], np.int64)
    by_end = np.argsort(overs, kind="stable")
    furthest = np.maximum.accumulate(np.concatenate([[0], places[1:][by_end]]))
    following = starts[1:]
    over = np.minimum(stops[:-1], following)  # segments may overlap
    before = np.maximum(over - SLACK, np.minimum(over + SLACK, following - SLACK))
    after = np.minimum(following + SLACK, np.maximum(over + SLACK, following - SLACK))
    low = furthest[np.searchsorted(overs[by_end], before, side="right")]
    high = places[np.searchsorted(begins, after, side="left")]
    return Bounds.of(low, high)


def narrow_bounds(bounds: Bounds, refs: Sequence[Span], cues: TimedCues) -> Bounds:
    """Return the bounds, where the times of segments and cues are the same with no choice left.

    >>> cues = TimedCues.of(["一二", "三四五", "六"], [(0, 900), (900, 4000), (4000, 6000)])
    >>> refs = [(0, 900), (900, 6000)]
    >>> bounds = time_bounds(refs, cues)
    >>> [bound.tolist() for bound in (*bounds, *narrow_bounds(bounds, refs, cues))]
    [[0], [5], [2], [2]]
    """
    borders = {
        (over, begin): place
        for ((_, over), (begin, _)), place in zip(pairwise(cues.spans), cues.ends, strict=False)
    }
    low, high = bounds.low.copy(), bounds.high.copy()
    for cut, ((_, over), (begin, _)) in enumerate(pairwise(refs)):
        low[cut] = borders.get((over, begin), low[cut])
        high[cut] = borders.get((over, begin), high[cut])
    return Bounds.of(low, high)
