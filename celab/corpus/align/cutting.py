"""A text and the segments of a reference → where the text is cut.

The cuts by the texts alone are the optimum of the objective. Where text and reference are
subtitles, they are chosen within the bounds of the times, unless these are of another clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from celab.base.arrays import F64
from celab.corpus.align.characters import WORD_KINDS, CharacterKind, Characters
from celab.corpus.align.cuts import best_cuts, candidates
from celab.corpus.align.edits import edit_cuts
from celab.corpus.align.objective import Objective, weights_of
from celab.corpus.align.times import Span, TimedCues, narrow_bounds, time_bounds

COVERED = 0.1  # share of its reference below which a document is doubtful
# Number and share of the cuts by the texts alone that may be out of the bounds of times. Of outputs
# of WMT24 0 to 2% are if the times are right, and 20% or more if they are 2 seconds late.
_LEAST_OUTSIDE, _MOST_OUTSIDE = 3, 0.1


class Cuts(NamedTuple):
    """The end of each segment, by place, and the objective unless there was no choice."""

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

    They are if too many of the cuts by the texts alone are out of bounds, and these texts have
    enough in common to tell.
    """
    if free.objective is None:
        return free
    if (bounds := time_bounds(spans, cues)) is None:
        return None
    text, refs, first_cuts = free.objective.text, free.objective.refs, free.objective.edit_cuts
    allowed = max(_LEAST_OUTSIDE, _MOST_OUTSIDE * len(first_cuts))
    is_telling = coverage(text, spans_of(free.ends), refs) >= COVERED
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
