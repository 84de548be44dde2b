"""The edit alignment: where each end of a reference segment falls in the text.

RapidFuzz aligns two texts of up to `WHOLE` characters at once, in quadratic time. Longer ones are
first divided at anchors, so that time grows with the length: strings of `ANCHOR` characters that
each of the two has once, and that come in the same order in both. Where there is no anchor within
`WHOLE` characters, as in two texts that have nothing to do with each other, they are divided in
proportion.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from celab.base.arrays import I64

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcodes

WHOLE = 60_000
ANCHOR = 12
_BASE = 1_000_003  # of the hashes of anchors; odd, so that no character is lost


def edit_cuts(ref: str, ends: Sequence[int], text: str) -> I64:
    """Return the place in the text for each end of a segment in the reference, in order.

    >>> edit_cuts("买雨伞去北京", [3, 6], "买伞去东京").tolist()
    [2, 5]
    """
    from rapidfuzz.distance import Levenshtein  # here, for callers who align nothing

    cuts = np.zeros(len(ends), np.int64)
    places = np.asarray(ends, np.int64)
    for (start, begin), (stop, end) in _blocks(ref, text):
        inside = np.flatnonzero((places > start) & (places <= stop))
        steps = Levenshtein.opcodes(ref[start:stop], text[begin:end])
        cuts[inside] = begin + _follow(steps, places[inside] - start)
    return cuts


def _follow(steps: Opcodes, places: I64) -> I64:
    rows = [
        (step.src_end, step.dest_start, step.dest_end, step.src_start)
        for step in steps
        if step.tag != "insert"
    ]
    if not rows:
        return np.zeros(len(places), np.int64)
    ends, begins, stops, starts = np.array(rows).T
    step = np.searchsorted(ends, places)
    return np.asarray(np.minimum(begins[step] + places - starts[step], stops[step]))


def _blocks(ref: str, text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return blocks of both to align, each from one pair of places to another."""
    bounds = [(0, 0)]
    whole = (len(ref), len(text))
    if max(whole) > WHOLE:
        anchors = [*_anchors(ref, text), whole]
        for anchor, following in pairwise(anchors):
            if max(following[0] - bounds[-1][0], following[1] - bounds[-1][1]) > WHOLE:
                bounds.append(anchor)
    bounds.append(whole)
    blocks = []
    for (start, begin), (stop, end) in pairwise(bounds):
        parts = -(-max(stop - start, end - begin) // WHOLE)
        cuts = [
            (start + (stop - start) * part // parts, begin + (end - begin) * part // parts)
            for part in range(parts + 1)
        ]
        blocks += list(pairwise(cuts))
    return blocks


def _anchors(ref: str, text: str) -> list[tuple[int, int]]:
    """Return places in both with the same `ANCHOR` characters, in an order that both have."""
    sides = [_once(side) for side in (ref, text)]
    hashes, in_ref, in_text = np.intersect1d(sides[0][0], sides[1][0], return_indices=True)
    if not len(hashes):
        return []
    pairs = np.stack([sides[0][1][in_ref], sides[1][1][in_text]], axis=1)
    pairs = pairs[np.argsort(pairs[:, 0])]
    return [(int(i), int(j)) for i, j in pairs[_longest_increasing(pairs[:, 1])]]


def _once(side: str) -> tuple[I64, I64]:
    """Return the hashes of strings that occur once, and their places."""
    codes = np.frombuffer(side.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    n = len(codes) - ANCHOR + 1
    if n <= 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    hashes = np.zeros(n, np.uint64)
    for offset in range(ANCHOR):
        hashes = hashes * np.uint64(_BASE) + codes[offset : offset + n]
    values, places, counts = np.unique(hashes, return_index=True, return_counts=True)
    return values[counts == 1], places[counts == 1]


def _longest_increasing(values: I64) -> I64:
    """Return the indices of a longest increasing subsequence.

    >>> _longest_increasing(np.array([5, 1, 2, 9, 3])).tolist()
    [1, 2, 4]
    """
    lasts: list[int] = []  # smallest last value of a subsequence of each length
    rows: list[int] = []
    before = np.full(len(values), -1)
    for row, value in enumerate(values.tolist()):
        length = bisect_left(lasts, value)
        if length == len(lasts):
            lasts.append(value)
            rows.append(row)
        else:
            lasts[length], rows[length] = value, row
        before[row] = rows[length - 1] if length else -1
    chain, row = [], rows[-1] if rows else -1
    while row >= 0:
        chain.append(row)
        row = int(before[row])
    return np.array(chain[::-1], np.int64)
