"""Shifted lines: runs of segments that fit the neighbors of their references better.

A line that was lost or doubled shifts all lines after it. The fit of two texts is the share of
their grams that they have in common (`celab.base.text.counts`). For each line, its fit with the
neighbor of its reference minus its fit with the reference itself, its *gain*, is below zero unless
the line is shifted. The run of lines with the greatest sum of gains is reported if it has five
lines or more, and a sum of 0.8 or more, and of 0.1 or more per line: texts in different scripts
share grams only by chance, but repeated lines can add this up. In the test sets of
docs/reading-scores.md no run has reached 0.4.

Lines in another order: if more than a third of the lines do not fit their reference better than its
neighbors, up to a hundred of these lines are compared with all references. The lines are in another
order if almost a third of them, and at least eight, fit one other reference better than their own,
by 0.1, and better than the next best, by 0.05. Lines of fewer than five letters are not counted. In
the test sets, at most 5% of lines fit another reference so, and at most 15% in summaries; in
outputs in another order, half of them or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from celab.base.arrays import F64, Bools
from celab.base.text.counts import FoldedTexts
from celab.corpus.model import list_names
from celab.tables.table import COUNT, NAME, SEGMENT, TEXT, Column

MIN_GAIN_SUM = 0.8
MIN_RUN_LINES = 5
MIN_MEAN_GAIN = 0.1
OFFSETS = (1, -1)
MIN_DOUBTFUL_SHARE = 0.35  # lines that fit a neighbor of their reference as well, or better
MIN_MOVED_SHARE = 0.3  # lines that fit another reference much better
# Lines that are compared with all references.
MIN_LINES, MAX_LINES = 20, 100
# Pairs of a line and a reference, unless that leaves fewer than `MIN_LINES` lines.
MAX_PAIRS = 4_000_000
MIN_LINE_LETTERS = 5
MIN_MOVED_LINES = 8
# Minimum difference in fit between another reference and the line's own, and the next best.
MIN_GAIN, MIN_LEAD = 0.1, 0.05
_N_CANDIDATES = 3  # references whose grams are compared exactly
_CHUNK_REFERENCES = 1 << 16
_MAX_LETTERS_COMPARED = 300
_WIDE = "\u2e80"  # the first of the characters whose grams are pairs


class Shift(NamedTuple):
    """Lines that fit the references of other lines.

    Attributes:
        name: file or name of the side with these lines.
        reference: file or name of the reference.
        offset: 1 if they fit the reference one line later, -1 if one line earlier, 0 if they fit
            other lines anywhere.
        first, last: names of the first and the last segment of the run.
        is_to_end: whether the run goes to the end of the texts.
    """

    name: str
    reference: str
    offset: int
    first: int | str
    last: int | str
    is_to_end: bool


SHIFTS = [
    Column("", NAME, attrgetter("name"), "name"),
    Column("", NAME, attrgetter("reference"), "reference"),
    Column("", COUNT, attrgetter("offset"), "offset"),
    Column("", SEGMENT, attrgetter("first"), "first"),
    Column("", SEGMENT, attrgetter("last"), "last"),
    Column("", TEXT, attrgetter("is_to_end"), "is_to_end"),
]


def find_shift(texts: FoldedTexts, reference: FoldedTexts) -> tuple[int, int, int] | None:
    """Return the offset and the range of the lines that are shifted, or None.

    The offset is 1 if the lines fit the reference one line later, -1 if one line earlier, and 0 if
    all lines are in another order.
    """
    itself = _fit(texts, reference, 0)
    neighbors = {offset: _fit(texts, reference, offset) for offset in OFFSETS}
    runs = [(*_best_run(fit - itself), offset) for offset, fit in neighbors.items()]
    total, first, stop, offset = max(runs)
    n_lines = stop - first
    if total >= max(MIN_GAIN_SUM, MIN_MEAN_GAIN * n_lines) and n_lines >= MIN_RUN_LINES:
        return offset, first, stop
    has_text = texts.lengths() >= MIN_LINE_LETTERS
    is_doubtful = itself <= np.maximum(*neighbors.values())
    if is_doubtful[has_text].sum() < MIN_DOUBTFUL_SHARE * max(MIN_RUN_LINES, has_text.sum()):
        return None
    return (0, 0, len(texts)) if _is_in_other_order(texts, reference, has_text) else None


def _is_in_other_order(texts: FoldedTexts, reference: FoldedTexts, has_text: Bools) -> bool:
    """Return whether many lines fit one other reference much better than their own."""
    grams, ref_grams, lengths = texts.grams(), reference.grams(), reference.lengths()
    rows = np.random.default_rng(0).permutation(np.flatnonzero(has_text))
    rows = rows[: max(MIN_LINES, min(MAX_LINES, MAX_PAIRS // len(texts)))]
    least, n_moved = max(MIN_MOVED_LINES, MIN_MOVED_SHARE * len(rows)), 0
    grams_of = cache(lambda row: _grams_of(reference.text(row)))
    for n_seen, row in enumerate(rows.tolist(), start=1):
        common = np.concatenate(
            [
                np.minimum(grams[row], ref_grams[first : first + _CHUNK_REFERENCES]).sum(
                    1, dtype=np.int32
                )
                for first in range(0, len(reference), _CHUNK_REFERENCES)
            ]
        )
        fit = common / (grams[row].sum(dtype=np.int32) + lengths)  # half of `_fit`
        fit[row] = -1
        own = _grams_of(texts.text(row))
        others = [grams_of(other) for other in np.argsort(fit)[-_N_CANDIDATES:].tolist()]
        # Equal references count once.
        distinct = [x for n, x in enumerate(others) if x not in others[:n]]
        best, second, *_ = *sorted((_share(own, x) for x in distinct), reverse=True), 0.0
        n_moved += best >= max(_share(own, grams_of(row)) + MIN_GAIN, second + MIN_LEAD)
        if n_moved >= least:
            return True
        if n_moved + len(rows) - n_seen < least or (
            n_seen == MIN_LINES and n_moved < MIN_MOVED_SHARE * MIN_LINES / 2
        ):
            break
    return False


def _grams_of(text: str) -> set[str]:
    # Pairs of wide characters and runs of four others, as in `celab.base.text.counts`.
    text = text[:_MAX_LETTERS_COMPARED]
    return {text[i : i + (2 if text[i] >= _WIDE else 4)] for i in range(len(text))}


def _share(a: set[str], b: set[str]) -> float:
    return 2 * len(a & b) / max(len(a) + len(b), 1)


def _fit(texts: FoldedTexts, reference: FoldedTexts, offset: int) -> F64:
    """Return the fit of each text with the reference of its neighbor; 0 if there is none."""
    n_texts = len(texts)
    own = slice(max(0, -offset), n_texts - max(0, offset))
    other = slice(max(0, offset), n_texts - max(0, -offset))
    common = texts.shared_grams(reference, offset)[own]
    fit = np.zeros(n_texts)
    fit[own] = 2 * common / np.maximum(texts.lengths()[own] + reference.lengths()[other], 1)
    return fit


def _best_run(gains: F64) -> tuple[float, int, int]:
    """Return the greatest sum of a run of gains, and the range of the shortest such run."""
    totals = np.concatenate(([0.0], np.cumsum(gains)))
    lows = np.minimum.accumulate(totals)
    stop = int(np.argmax(totals - lows))
    first = int(np.flatnonzero(totals[: stop + 1] == lows[stop])[-1])
    return float(totals[stop] - lows[stop]), first, stop


def shift_warnings(shifts: Sequence[Shift]) -> Iterator[str]:
    """Yield a warning about each run of shifted lines; files with the same run share one."""

    def run(shift: Shift) -> tuple[object, ...]:
        return shift.offset, str(shift.first), str(shift.last), shift.is_to_end

    for _, group in groupby(sorted(shifts, key=lambda shift: str(run(shift))), key=run):
        same = [*group]
        yield shift_warning([shift.name for shift in same], same[0])


def shift_warning(names: Sequence[str], shift: Shift) -> str:
    """Return the warning about a run of shifted lines in one file or more."""
    unit = "line" if isinstance(shift.first, int) else "segment"
    if not shift.offset:
        return (
            f"most {unit}s of {list_names(names)} fit another {unit} of {shift.reference} much"
            f" better than their own: are they in another order?"
        )
    fit = "fits" if len(names) == 1 else "fit"
    where, lost = ("later", "missing") if shift.offset > 0 else ("earlier", "doubled")
    until = "on" if shift.is_to_end else f"to {unit} {shift.last}"
    return (
        f"{list_names(names)} {fit} {shift.reference} one {unit} {where} from {unit}"
        f" {shift.first} {until}: is a {unit} {lost} there?"
    )
