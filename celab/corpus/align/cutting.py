"""A text and the segments of a reference → the cuts of the text.

The cuts are the optimum of the objective. For subtitles, they are chosen within the bounds of their
times, unless text and reference were timed by different clocks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab.base.arrays import F64, I64
from celab.corpus.align.characters import (
    WORD_KINDS,
    Bounds,
    CharacterKind,
    Characters,
    Span,
    TimedCues,
    narrow_bounds,
    time_bounds,
)
from celab.corpus.align.objective import SEGMENT_FEATURES, Objective, weights_of

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcodes


# The exact optimum of the objective over candidate cuts, by dynamic programming.
#
# The candidates of a cut are near the cut of the edit alignment: all places within
# `NEAR_CHARACTERS`, and the `N_AFTER_MARKS` nearest places after punctuation on either side, within
# `FAR_CHARACTERS`. The first place at or after the edit alignment's cut is always among them, so
# there is always a solution. With bounds, the edit alignment's cut is moved into them, and no
# candidate is outside; the text may be cut at every bound.

NEAR_CHARACTERS, N_AFTER_MARKS, FAR_CHARACTERS = 16, 8, 400


def candidates(text: Characters, edit_cuts: I64, bounds: Bounds | None = None) -> list[I64]:
    """Return the candidates of each cut, in order."""
    places = np.flatnonzero(text.may_cut)
    if bounds is not None:
        places = np.unique(np.concatenate([places, *bounds]))
        edit_cuts = np.clip(edit_cuts, *bounds)
    inner = places[(places > 0) & (places < len(text))]
    marked = inner[text.kinds[inner - 1] > WORD_KINDS]
    columns = []
    for cut in edit_cuts.tolist():
        low, high = np.searchsorted(places, [cut - NEAR_CHARACTERS, cut + NEAR_CHARACTERS + 1])
        middle = int(np.searchsorted(marked, cut))
        marks = marked[max(0, middle - N_AFTER_MARKS) : middle + N_AFTER_MARKS]
        marks = marks[np.abs(marks - cut) <= FAR_CHARACTERS]
        following = places[np.searchsorted(places, cut)]
        columns.append(np.unique(np.concatenate([places[low:high], marks, [following]])))
    if bounds is None:
        return columns
    return [
        column[(column >= low) & (column <= high)]
        for column, low, high in zip(columns, *bounds, strict=True)
    ]


def best_cuts(objective: Objective, columns: Sequence[I64], weights: F64) -> list[int]:
    """Return the cuts of greatest value.

    Of equal ones, those with the earliest last cut, and so on.
    """
    n_segment = len(SEGMENT_FEATURES)
    starts, values = np.zeros(1, np.int64), np.zeros(1)
    steps = []
    for number, ends in enumerate([*columns, np.array([len(objective.text)])]):
        gains = _weigh(objective.segment(number, starts, ends), weights[:n_segment])
        totals = np.where(ends >= starts[:, None], values[:, None] + gains, -np.inf)
        best = totals.argmax(axis=0)
        values = totals[best, np.arange(len(ends))]
        if number < len(columns):
            values = values + _weigh(objective.cut(number, ends), weights[n_segment:])
        steps.append((best, starts))
        starts = ends
    cuts, row = [], 0
    for best, places in reversed(steps):
        row = int(best[row])
        cuts.append(int(places[row]))
    return cuts[-2::-1]


def _weigh(features: F64, weights: F64) -> F64:
    # Products and sums are exact, so their order does not matter.
    total = np.zeros(features.shape[1:])
    for weight, feature in zip(weights.tolist(), features, strict=True):
        total += weight * feature
    return total


# The edit alignment: where each end of a reference segment falls in the text.
#
# RapidFuzz aligns two texts of up to `MAX_CHARACTERS_AT_ONCE` characters at once, in quadratic
# time. Longer ones are first divided at anchors, so that time grows with the length: strings of
# `ANCHOR_CHARACTERS` characters that each of the two has once, and that come in the same order in
# both. Where there is no anchor within `MAX_CHARACTERS_AT_ONCE` characters, as in two texts that
# have nothing to do with each other, they are divided in proportion.

MAX_CHARACTERS_AT_ONCE = 60_000
ANCHOR_CHARACTERS = 12
_HASH_BASE = 1_000_003  # odd, so that no character of an anchor is lost


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
    """Return pairs of blocks to align, each between two pairs of positions."""
    bounds = [(0, 0)]
    whole = (len(ref), len(text))
    if max(whole) > MAX_CHARACTERS_AT_ONCE:
        anchors = [*_anchors(ref, text), whole]
        for anchor, following in pairwise(anchors):
            if (
                max(following[0] - bounds[-1][0], following[1] - bounds[-1][1])
                > MAX_CHARACTERS_AT_ONCE
            ):
                bounds.append(anchor)
    bounds.append(whole)
    blocks = []
    for (start, begin), (stop, end) in pairwise(bounds):
        parts = -(-max(stop - start, end - begin) // MAX_CHARACTERS_AT_ONCE)
        cuts = [
            (start + (stop - start) * part // parts, begin + (end - begin) * part // parts)
            for part in range(parts + 1)
        ]
        blocks += list(pairwise(cuts))
    return blocks


def _anchors(ref: str, text: str) -> list[tuple[int, int]]:
    """Return pairs of positions with the same `ANCHOR_CHARACTERS`, increasing in both texts."""
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
    n = len(codes) - ANCHOR_CHARACTERS + 1
    if n <= 0:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    hashes = np.zeros(n, np.uint64)
    for offset in range(ANCHOR_CHARACTERS):
        hashes = hashes * np.uint64(_HASH_BASE) + codes[offset : offset + n]
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


MIN_COVERAGE = 0.1  # a document with a smaller share of its reference is doubtful
# Times are of another clock if more of the cuts by the texts alone are out of bounds. In outputs of
# WMT24, 0 to 2% are out of bounds if the times are right, 20% or more if they are 2 seconds late.
# Of few cuts, three may be out of bounds whatever their share.
_MAX_OUTSIDE, _MAX_OUTSIDE_SHARE = 3, 0.1


class Cuts(NamedTuple):
    """The place of the end of each segment, and the objective, or None if there was no choice."""

    ends: list[int]
    objective: Objective | None = None


def cut_text(text: Characters, refs: Sequence[Characters]) -> Cuts:
    """Return the cuts by the texts alone."""
    ends: list[int] = np.cumsum([len(ref) for ref in refs]).tolist()
    if text.solid == "".join(ref.solid for ref in refs):
        return Cuts(ends)
    if not len(text):
        return Cuts([0] * len(refs))
    folded = "".join(ref.folded for ref in refs)
    first_cuts = edit_cuts(folded, ends[:-1], text.folded)
    objective = Objective(text, refs, first_cuts)
    cuts = best_cuts(objective, candidates(text, first_cuts), _weights(refs))
    return Cuts([*cuts, len(text)], objective)


def cut_by_times(free: Cuts, spans: Sequence[Span], cues: TimedCues) -> Cuts | None:
    """Return the cuts within the bounds of times; None if the times are of another clock.

    They are if too many of the cuts by the texts alone are out of bounds, unless the texts have too
    little in common to decide.
    """
    if free.objective is None:
        return free
    if (bounds := time_bounds(spans, cues)) is None:
        return None
    text, refs, first_cuts = free.objective.text, free.objective.refs, free.objective.edit_cuts
    allowed = max(_MAX_OUTSIDE, _MAX_OUTSIDE_SHARE * len(first_cuts))
    is_telling = coverage(text, spans_of(free.ends), refs) >= MIN_COVERAGE
    if is_telling and bounds.n_outside(free.ends[:-1]) > allowed:
        return None
    bounds = narrow_bounds(bounds, spans, cues)
    cuts = best_cuts(free.objective, candidates(text, first_cuts, bounds), _weights(refs))
    return Cuts([*cuts, len(text)], free.objective)


def _weights(refs: Sequence[Characters]) -> F64:
    return weights_of("words" if is_spaced(refs) else "characters")


def spans_of(ends: Sequence[int]) -> list[tuple[int, int]]:
    """Return the start and the end of each segment, from their ends."""
    return list(pairwise([0, *ends]))


def is_spaced(refs: Sequence[Characters]) -> bool:
    """Return whether most letters of the references are of scripts that are written with spaces."""
    kinds = np.concatenate([ref.kinds for ref in refs])
    unspaced = (kinds >= CharacterKind.IDEOGRAPH) & (kinds <= WORD_KINDS)
    return bool(np.count_nonzero(kinds == CharacterKind.LETTER) > np.count_nonzero(unspaced))


def coverage(
    text: Characters, spans: Sequence[tuple[int, int]], refs: Sequence[Characters]
) -> float:
    """Return the share of the references' n-grams that the segments of the text have, too.

    They are bigrams of Chinese, Japanese and Korean characters, else 4-grams of letters. By chance
    alone, two texts of a language share 0.02 to 0.06 of them.
    """
    letters = [letter for ref in refs for letter in ref.folded if letter.isalpha()]
    n_syllables = sum(letter >= "\u3040" for letter in letters)
    order = 2 if 2 * n_syllables > len(letters) else 4
    shared = total = 0
    for (start, end), ref in zip(spans, refs, strict=True):
        wanted = _ngrams(ref.folded, order)
        shared += (wanted & _ngrams(text.folded[start:end], order)).total()
        total += wanted.total()
    return shared / total if total else float(len(text) > 0)


def _ngrams(text: str, order: int) -> Counter[str]:
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))
