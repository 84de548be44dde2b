"""References that were made from the output of a system: equal texts, close edits, and a test.

A translator may by chance write the text of a system, but then other systems often have it, too:
such segments are easy. A reference that was made from the output of a system agrees with that
system alone, or is closer to it than to any other. The test counts these segments:

    x = segments in which the reference agrees with the system, and at most a tenth of the other
        systems is as close to it
    p = P(X ≥ x), X ~ Poisson(λ)
    λ = shared / 3 + 0.05 · rest / systems · min(1, 4 / systems)^1.5

`shared` are the segments in which the reference agrees with two other systems or more, but not with
this one: the easier a test set, the more agreement by chance. `rest` are the segments in which it
does not agree with one system alone. Copies of another system are in neither number, so they do not
hide the copies of this one.
With one system, λ is 5% of the segments, which no independent reference has reached. A system is
named if p < 0.001 and x ≥ 5. Systems that are equal in almost all segments count as one. Systems
that are equal in more than a quarter of the segments are *relatives* and are not compared with each
other: a reference that was made from one of them agrees with all. A system with relatives only is
tested as if it were alone. Equal texts are also tested without close edits, and the lower p counts;
with fewer than 50 segments only equal texts are tested, because an author may have made close edits
for an example.

A segment is long enough if it has 12 characters of Chinese, Japanese or Korean, or 40 letters. A
close edit changes at most three of the letters and digits, and at most 15% of them; punctuation,
case, width and Chinese script do not count. docs/reading-scores.md has the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import compress
from typing import NamedTuple

import numpy as np

from celab.base.arrays import I8, I64, Bools
from celab.base.text.counts import GRAMS_OF_EDIT, GRAMS_OF_WIDE_EDIT, FoldedTexts
from celab.findings.references.twins import candidate_twins

MIN_LETTERS = 40
MIN_WIDE_CHARACTERS = 12
MAX_EDITS = 3
MAX_EDITED_SHARE = 0.15
# Systems are relatives if they are equal in a larger share of the long segments.
MIN_RELATED_SHARE = 0.25
COPY_ALPHA = 0.001
MIN_COPIES = 5
MIN_SEGMENTS_FOR_EDITS = 50  # close edits of fewer may be an author's example
_BASE_RATE, _FEW_SYSTEMS, _DECAY = 0.05, 4, 1.5
_SHARED_DIVISOR = 3
_CLOSER_DIVISOR = 10  # at most a tenth of the other systems may be as close
_MIN_EXPECTED = 0.2
NO_AGREEMENT = 127  # greatest int8: the texts do not agree


class CountedTexts(NamedTuple):
    """The texts of a reference or a system, and their counts."""

    texts: Sequence[str]
    counts: FoldedTexts


class Agreement(NamedTuple):
    """Segments in which a reference equals an output, and the number of edits in all segments."""

    equal: Bools
    edits: I8  # `NO_AGREEMENT` where the texts do not agree

    @property
    def either(self) -> Bools:
        """Segments in which the two are equal or nearly equal."""
        return np.asarray(self.edits < NO_AGREEMENT)


class CopiedSystem(NamedTuple):
    """A system that a reference was probably made from, and the p-value."""

    system: str
    p: float


class EditLimits(NamedTuple):
    """For each text of a reference, the maximum edits and changed n-grams of a close edit.

    Both are -1 if the text is too short.
    """

    edits: I64
    grams: I64

    @property
    def n_long(self) -> int:
        """Number of texts that are long enough for agreement to mean something."""
        return int((self.edits >= 0).sum())


def edit_limits(counts: FoldedTexts) -> EditLimits:
    """Return the limits up to which an output is a close edit of each text."""
    lengths, n_wide = counts.lengths(), counts.n_wide()
    # A mixed text is long enough if wide / 12 + other / 40 is 1 or more; multiplied out to stay
    # in whole numbers.
    weights = (lengths - n_wide) * MIN_WIDE_CHARACTERS + n_wide * MIN_LETTERS
    edits = np.minimum(MAX_EDITS, (lengths * MAX_EDITED_SHARE).astype(np.int64))
    edits[weights < MIN_LETTERS * MIN_WIDE_CHARACTERS] = -1
    of_edit = np.where(n_wide == lengths, GRAMS_OF_WIDE_EDIT, GRAMS_OF_EDIT)
    return EditLimits(edits, 2 * of_edit * edits)


def agreement(reference: CountedTexts, output: CountedTexts, allowed: EditLimits) -> Agreement:
    """Return the long segments in which a reference equals an output, or nearly."""
    n_edits = reference.counts.edits(output.counts, allowed.edits, allowed.grams)
    equal = np.zeros(len(reference.texts), np.bool_)
    for i in np.flatnonzero(n_edits == 0).tolist():  # white space and punctuation make no edit
        text, other = reference.texts[i], output.texts[i]
        equal[i] = text == other or _dense(text) == _dense(other)
    return Agreement(equal, np.where(n_edits < 0, NO_AGREEMENT, n_edits).astype(np.int8))


def _dense(text: str) -> str:
    return "".join(text.split())


def find_relatives(
    systems: Mapping[str, Sequence[str]], groups: Sequence[Sequence[str]], is_long: Bools
) -> Bools:
    """Return groups × groups: whether two are equal in more than a quarter of the long segments."""
    relatives = np.zeros((len(groups), len(groups)), np.bool_)
    chosen = is_long.tolist()
    texts = [[*compress(systems[group[0]], chosen)] for group in groups]
    for a, b, _ in candidate_twins(texts, MIN_RELATED_SHARE):
        equal = [text for text, other in zip(texts[a], texts[b], strict=True) if text == other]
        is_related = sum(map(bool, map(str.strip, equal))) > MIN_RELATED_SHARE * is_long.sum()
        relatives[a, b] = relatives[b, a] = is_related
    return relatives


def find_copied_systems(
    agreements: Mapping[str, Agreement],
    n_long: int,
    groups: Sequence[Sequence[str]],
    relatives: Bools | None = None,
) -> list[CopiedSystem]:
    """Return the systems that a reference agrees with more than chance explains.

    Parameters:
        agreements: the agreement of the reference with each system.
        n_long: number of segments that are long enough.
        groups: the systems; those that are equal in almost all segments are in one group.
        relatives: groups × groups, of `find_relatives`; None if there are none.

    A system is left out if its agreement follows from its similarity to another named system.
    """
    members = [[agreements[name] for name in group] for group in groups]
    equal = np.array([np.any([each.equal for each in group], axis=0) for group in members])
    counted = [np.where(equal, np.int8(0), np.int8(NO_AGREEMENT))]
    if n_long >= MIN_SEGMENTS_FOR_EDITS:
        counted.append(np.array([np.min([each.edits for each in group], 0) for group in members]))
    # The lower p of two tests may be taken: it names a system by chance at most twice as often as
    # one test, at a level of 0.001.
    found = np.min([p_values(edits, n_long, relatives) for edits in counted], axis=0).tolist()
    named = [g for g, p in enumerate(found) if p < COPY_ALPHA]
    explains = partial(_explains, counted[-1], n_long, relatives)
    kept = [g for g in named if not any(explains(other, g) for other in named if other != g)]
    return [CopiedSystem(name, found[g]) for g in kept for name in groups[g]]


def _explains(edits: I8, n_long: int, relatives: Bools | None, cause: int, effect: int) -> bool:
    """Return whether the agreement of `effect` follows from its similarity to `cause`."""
    difference = edits[cause] - edits[effect]
    p_of_cause = p_values(np.where(difference < 0, edits, NO_AGREEMENT), n_long, relatives)[cause]
    p_of_effect = p_values(np.where(difference > 0, edits, NO_AGREEMENT), n_long, relatives)[effect]
    return p_of_cause < COPY_ALPHA <= p_of_effect


def p_values(edits: I8, n_long: int, relatives: Bools | None = None) -> list[float]:
    """Return p for each system, a row of edits, compared with systems that are not relatives."""
    edits = edits[:, (edits < NO_AGREEMENT).any(axis=0)]
    compared = np.ones((len(edits), len(edits)), np.bool_) if relatives is None else ~relatives
    found = []
    for others, row in zip(compared, edits, strict=True):
        agrees, n_systems = edits[others] < NO_AGREEMENT, len(edits) if others.sum() > 1 else 1
        n_agreeing, is_agreeing = agrees.sum(axis=0), row < NO_AGREEMENT
        n_rest = n_long - int((n_agreeing == 1).sum())
        by_rate = _BASE_RATE * n_rest / n_systems * min(1, _FEW_SYSTEMS / n_systems) ** _DECAY
        max_closer_systems = (len(agrees) - 1) // _CLOSER_DIVISOR
        is_closest = is_agreeing & ((edits[others] <= row).sum(axis=0) - 1 <= max_closer_systems)
        n_shared = int((~is_agreeing & (n_agreeing > 1)).sum())
        x, mean = int(is_closest.sum()), max(n_shared / _SHARED_DIVISOR + by_rate, _MIN_EXPECTED)
        found.append(poisson_tail(x, mean) if x >= MIN_COPIES else 1.0)
    return found


def poisson_tail(least: int, mean: float) -> float:
    """Return the probability of a Poisson variable to be at least a number.

    >>> round(poisson_tail(3, 1.0), 4)
    0.0803
    """
    term = math.exp(least * math.log(mean) - mean - math.lgamma(least + 1))
    total, number = 0.0, least
    while term > total * 1e-17:
        total += term
        number += 1
        term *= mean / number
    return min(total, 1.0)
