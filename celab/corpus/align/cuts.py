"""The exact optimum of the objective over candidate cuts, by dynamic programming.

The candidates of a cut are near the cut of the edit alignment: all places within `NEAR` characters,
and the `MARKED` nearest places after punctuation on either side, within `FAR` characters. The first
place at or after the edit alignment's cut is always among them, so there is always a solution.
With bounds, the edit alignment's cut is moved into them, and no candidate is outside; the text may
be cut at every bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from celab.base.arrays import F64, I64
from celab.corpus.align.characters import WORD_KINDS, Characters
from celab.corpus.align.objective import SEGMENT_FEATURES, Objective
from celab.corpus.align.times import Bounds

NEAR, MARKED, FAR = 16, 8, 400


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
        low, high = np.searchsorted(places, [cut - NEAR, cut + NEAR + 1])
        middle = int(np.searchsorted(marked, cut))
        marks = marked[max(0, middle - MARKED) : middle + MARKED]
        marks = marks[np.abs(marks - cut) <= FAR]
        following = places[np.searchsorted(places, cut)]
        columns.append(np.unique(np.concatenate([places[low:high], marks, [following]])))
    if bounds is None:
        return columns
    return [
        column[(column >= low) & (column <= high)]
        for column, low, high in zip(columns, *bounds, strict=True)
    ]


def best_cuts(objective: Objective, columns: Sequence[I64], weights: F64) -> list[int]:
    """Return the cuts of greatest value among the candidates; of equal ones, the earliest last."""
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
