"""Shifted lines: a run of segments that fit the neighbors of their references better.

A line that was lost or doubled shifts all lines after it. The fit of two texts is the share of
their grams that they have in common (`celab.base.text.counts`). For each line, its fit with the
neighbor of its reference minus that with the reference itself is below zero, unless the line is
shifted; the run of lines with the greatest sum is reported if that is 0.8 or more, over five lines
or more, and 0.1 or more a line: texts in different scripts share grams only by chance, which lines
that repeat can add up. In the test sets of docs/reading-scores.md no run has reached 0.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from celab.base.frozen import dataclass
from celab.base.result import Result
from celab.base.text.counts import TextCounts
from celab.base.view.tables import NORMAL, View, ViewOptions, line
from celab.corpus.model import list_names

if TYPE_CHECKING:
    from celab.base.arrays import F64

LEAST_SUM = 0.8
LEAST_LINES = 5
LEAST_MEAN = 0.1
OFFSETS = (1, -1)


@dataclass(frozen=True, slots=True)
class Shift(Result):
    """Lines that fit the neighbors of their references.

    Attributes:
        name: file or name of the side with these lines.
        reference: file or name of the reference.
        offset: 1 if they fit the reference one line later, -1 if one line earlier.
        first, last: names of the first and the last of these segments.
        is_to_end: whether the run goes to the end.
    """

    name: str
    reference: str
    offset: int
    first: int | str
    last: int | str
    is_to_end: bool

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the line about these lines."""
        return View([[line(shift_warning([self.name], self))]])


def find_shift(texts: TextCounts, reference: TextCounts) -> tuple[int, int, int] | None:
    """Return the offset and the range of the lines that are shifted, or None.

    The offset is 1 if the lines fit the reference one line later, or -1.
    """
    itself = _fit(texts, reference, 0)
    runs = [(*_greatest(_fit(texts, reference, offset) - itself), offset) for offset in OFFSETS]
    total, first, stop, offset = max(runs)
    n_lines = stop - first
    if total < max(LEAST_SUM, LEAST_MEAN * n_lines) or n_lines < LEAST_LINES:
        return None
    return offset, first, stop


def _fit(texts: TextCounts, reference: TextCounts, offset: int) -> F64:
    """Return the fit of each text with the reference of its neighbor; 0 if there is none."""
    n_texts = len(texts)
    own = slice(max(0, -offset), n_texts - max(0, offset))
    other = slice(max(0, offset), n_texts - max(0, -offset))
    common = texts.shared_grams(reference, offset)[own]
    fit = np.zeros(n_texts)
    fit[own] = 2 * common / np.maximum(texts.lengths[own] + reference.lengths[other], 1)
    return fit


def _greatest(gains: F64) -> tuple[float, int, int]:
    """Return the greatest sum of a run, and its range; the shortest such run."""
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
    fit = "fits" if len(names) == 1 else "fit"
    where, lost = ("later", "missing") if shift.offset > 0 else ("earlier", "doubled")
    until = "on" if shift.is_to_end else f"to {unit} {shift.last}"
    return (
        f"{list_names(names)} {fit} {shift.reference} one {unit} {where} from {unit}"
        f" {shift.first} {until}: is a {unit} {lost} there?"
    )
