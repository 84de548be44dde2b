"""The quality of a cut: the features of cuts and of segments, and their weights.

The value of cutting a text at places c[0] = 0 ≤ c[1] ≤ … ≤ c[m] = n for m reference segments is

    Σ segments i  Σ features f  weight[f] · f(reference i, text between c[i-1] and c[i])
  + Σ cuts i      Σ features f  weight[f] · f(cut i, c[i])          for 0 < i < m

All features are multiples of 2⁻¹⁰ and all weights of 2⁻⁶, so that sums are exact and the same in
any order. `celab.corpus.align.cutting` finds the greatest value.

The weights are those of a semi-Markov conditional random field, fitted by `bench/align.py --fit` on
outputs whose true cuts are known: the column `characters` on translations into Chinese and
Japanese, the column `words` on translations into German. The first is for references most of whose
letters are of scripts written without spaces.

An n-gram in common counts as often as it occurs in both, times how rare it is among the segments of
the reference: log((m + 1) / segments with it) / log(m + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from celab.base.arrays import F64, I8, I64, Bools
from celab.corpus.align.characters import WORD_KINDS, CharacterKind, Characters

ORDERS = (1, 2, 3)
_MAX_DISTANCE = 20
_MAX_DEVIATION = 6.0
_MAX_MATRIX_CELLS = 1_000_000  # starts × n-grams; segments may be very long
_PRIOR = 2.0  # pseudo-occurrences of each character, at the ends of sentences as often as average

# feature: (weight for characters, weight for words)
SEGMENT_WEIGHTS = {
    "common1": (2.0625, 0.84375),  # n-grams in common
    "common2": (1.328125, 1.25),
    "common3": (0.375, 1.125),
    "length": (-0.578125, -0.453125),  # deviation from the expected length, in units of its root
    "blank": (-4.65625, -0.203125),  # no text
    "unbalanced": (-2.296875, -1.3125),  # quotes and brackets that the reference has not left open
}
CUT_WEIGHTS = {
    "distance": (-1.484375, -0.578125),  # tens of characters to the edit alignment's cut
    "last_mark": (1.484375, 1.015625),  # the text ends with the reference's last character, a mark
    "last_letter": (0.765625, 0.296875),
    "last_two": (0.890625, 0.328125),  # the text ends with the reference's last two characters
    "first_mark": (3.796875, 0.21875),  # the text after the cut begins as the next reference
    "first_letter": (1.640625, 0.15625),
    "first_two": (0.796875, 1.625),
    "after_end": (2.546875, 2.171875),  # the kind of character before the cut
    "after_closer": (1.296875, -0.203125),
    "after_comma": (-0.859375, 0.15625),
    "after_symbol": (2.109375, 0.0),
    "after_letter": (-1.578125, -1.796875),
    "after_closed_end": (2.03125, 1.09375),  # 。” before the cut
    "same_end": (0.609375, 1.8125),  # the last characters are of one kind
    "no_marks": (0.640625, 0.53125),  # neither ends with a mark
    "end_only": (1.328125, 0.578125),  # the text ends a sentence, the reference does not
    "end_missing": (-1.203125, -1.59375),  # the reference ends a sentence, the text does not
    "comma_only": (-1.90625, 0.234375),
    "before_mark": (-1.390625, 0.75),  # the kind of character after the cut
    "before_closer": (0.640625, -0.015625),
    "before_digit": (0.75, -0.078125),
    "before_letter": (-0.25, -0.65625),
    "same_start": (0.453125, -0.703125),
    "alphabets": (1.9375, 0.0),  # the cut is between letters of a spaced and an unspaced script
    "pair": (-0.796875, 0.0),  # logarithm of how often the two characters at the cut stand together
    "repeated_pair": (-0.65625, 0.0),
    # Log-odds of the character before the cut to stand before a mark.
    "ending": (0.578125, 0.203125),
    "starting": (0.5625, 0.203125),  # log-odds of the character after the cut to stand after one
    "before_hiragana": (-1.078125, 0.0),
    "katakana": (-0.625, 0.0),  # the cut is between two
}
SEGMENT_FEATURES, CUT_FEATURES = tuple(SEGMENT_WEIGHTS), tuple(CUT_WEIGHTS)
WRITINGS = ("characters", "words")


def weights_of(writing: str) -> F64:
    """Return the weights of all features, for texts of characters or of words."""
    column = WRITINGS.index(writing)
    return np.array([pair[column] for pair in (SEGMENT_WEIGHTS | CUT_WEIGHTS).values()])


def exact(values: F64 | float) -> F64:
    """Return values rounded to multiples of 2⁻¹⁰, whose sums are exact."""
    return np.asarray(np.rint(np.asarray(values) * 1024) / 1024)


@dataclass(frozen=True, slots=True)
class _Grams:
    """The n-grams of one order, by number."""

    refs: I64  # at each place of the joined references
    text: I64
    rarity: F64  # n-gram number → its rarity


class Objective:
    """The features of every cut and every segment of a text."""

    def __init__(self, text: Characters, refs: Sequence[Characters], edit_cuts: I64) -> None:
        self.text, self.refs, self.edit_cuts = text, refs, edit_cuts
        self.offsets = np.cumsum([0, *map(len, refs)])
        self.ratio = len(text) / max(1, int(self.offsets[-1]))
        self.grams = self._grams()
        self._pairs = exact(np.log(np.maximum(1, self._counts(2)[self.grams[2].text])))
        self._endings, self._starts = self._log_odds()

    def _grams(self) -> dict[int, _Grams]:
        folded = "".join(ref.folded for ref in self.refs)
        n = len(folded)
        _, letters = np.unique(_codes(folded + self.text.folded), return_inverse=True)
        n_letters, numbers = int(letters.max(initial=0)) + 1, letters
        segments = np.repeat(np.arange(len(self.refs)), np.diff(self.offsets))
        grams = {}
        for order in ORDERS:
            if order > 1:
                joined = numbers[:-1] * n_letters + letters[order - 1 :]
                _, numbers = np.unique(joined, return_inverse=True)
            starts = np.arange(max(0, n - order + 1))
            starts = starts[segments[starts] == segments[starts + order - 1]]
            size = int(numbers.max(initial=-1)) + 1
            once = np.unique(numbers[starts] * len(self.refs) + segments[starts])
            spread = np.bincount(once // len(self.refs), minlength=size)
            rarity = 1 - np.log(np.maximum(spread, 1)) / np.log(len(self.refs) + 1)
            grams[order] = _Grams(numbers[: max(0, n - order + 1)], numbers[n:], exact(rarity))
        return grams

    def _counts(self, order: int) -> I64:
        grams = self.grams[order]
        size = len(grams.rarity)
        counts = np.bincount(grams.refs, minlength=size) + np.bincount(grams.text, minlength=size)
        return counts.astype(np.int64)

    def _log_odds(self) -> tuple[F64, F64]:
        grams = self.grams[1]
        size = len(grams.rarity)
        ends, starts = np.zeros(size), np.zeros(size)
        bounds = np.zeros(self.offsets[-1] + 1, np.bool_)
        bounds[self.offsets] = True
        kinds = np.concatenate([ref.kinds for ref in self.refs])
        for numbers, marks, breaks in (
            (grams.refs, kinds > WORD_KINDS, bounds),
            (grams.text, self.text.kinds > WORD_KINDS, np.zeros(len(self.text) + 1, np.bool_)),
        ):
            before, after = breaks.copy(), breaks.copy()
            before[:-1] |= marks  # the place is before a mark
            after[1:] |= marks
            ends += np.bincount(numbers[before[1:]], minlength=size)
            starts += np.bincount(numbers[after[:-1]], minlength=size)
        counts = self._counts(1)
        values = []
        for hits in (ends, starts):
            rate = max(hits.sum(), 1.0) / counts.sum()
            values.append(exact(np.log((hits / rate + _PRIOR) / (counts + _PRIOR))))
        return values[0], values[1]

    def segment(self, number: int, starts: I64, ends: I64) -> F64:
        """Return the features of a segment, for each start and end: features × starts × ends.

        Where the end is before the start, they mean nothing.
        """
        lengths = ends - starts[:, None]
        ref = self.refs[number]
        expected = self.ratio * len(ref)
        deviation = np.abs(lengths - expected) / np.sqrt(expected + 4)
        quotes = (self.text.straight[ends] - self.text.straight[starts][:, None]) % 2
        brackets = self.text.brackets[ends] - self.text.brackets[starts][:, None]
        # In the order of `SEGMENT_WEIGHTS`.
        return np.stack(
            [
                *(self._common(number, order, starts, ends, lengths) for order in ORDERS),
                exact(np.minimum(deviation, _MAX_DEVIATION)),
                (lengths == 0).astype(np.float64),
                (quotes != ref.straight[-1] % 2)
                + np.minimum(np.abs(brackets - ref.brackets[-1]), 2.0),
            ]
        )

    def _common(self, number: int, order: int, starts: I64, ends: I64, lengths: I64) -> F64:
        """Return the weight of the n-grams in common."""
        grams, first = self.grams[order], int(starts[0])
        begin, end = self.offsets[number], self.offsets[number + 1] - order + 1
        wanted, allowed = np.unique(grams.refs[begin : max(begin, end)], return_counts=True)
        window = grams.text[first : max(first, int(ends[-1]) - order + 1)]
        if not len(wanted) or not len(window):
            return np.zeros(lengths.shape)
        which = np.minimum(np.searchsorted(wanted, window), len(wanted) - 1)
        hits = np.flatnonzero(wanted[which] == window)
        which = which[hits]
        # The kth occurrence of an n-gram that the reference has a times counts unless the a
        # occurrences before it are in the segment, too.
        by_gram = np.argsort(which, kind="stable")
        back = np.arange(len(hits)) - allowed[which[by_gram]]
        same = (back >= 0) & (which[by_gram[np.maximum(back, 0)]] == which[by_gram])
        before = np.full(len(hits), -1)
        before[by_gram[same]] = hits[by_gram[back[same]]]
        rarity = grams.rarity[window[hits]]
        columns = np.searchsorted(hits, ends - first - order, side="right")
        common = np.zeros(lengths.shape)
        n_rows = max(1, _MAX_MATRIX_CELLS // len(hits)) if len(hits) else len(starts)
        for row in range(0, len(starts), n_rows):
            begins = (starts[row : row + n_rows] - first)[:, None]
            values = rarity * ((hits >= begins) & (before < begins))
            sums = np.zeros((len(begins), len(hits) + 1))
            np.cumsum(values, axis=1, out=sums[:, 1:])
            common[row : row + n_rows] = sums[:, columns]
        return np.where(lengths >= order, common, 0.0)

    def cut(self, number: int, places: I64) -> F64:
        """Return the features of the cut after a segment, at each place: features × places.

        A cut at either end of the text has only a distance.
        """
        n = len(self.text)
        features = np.zeros((len(CUT_FEATURES), len(places)))
        distance = np.minimum(np.abs(places - self.edit_cuts[number]), _MAX_DISTANCE)
        features[0] = exact(distance / 10)
        inner = (places > 0) & (places < n)
        features[1:, inner] = self._inner(number, places[inner])
        return features

    def _inner(self, number: int, places: I64) -> F64:
        text, ref, following = self.text, self.refs[number], self.refs[number + 1]
        a, b = text.kinds[places - 1], text.kinds[places]
        x, y = ref.kinds[-1], following.kinds[0]
        codes, never = self._text_codes, np.zeros(len(places), np.bool_)
        last = codes[places - 1] == ord(ref.folded[-1])
        first = codes[places] == ord(following.folded[0])
        before_last = codes[places - 2] == ord(ref.folded[-2]) if len(ref) > 1 else never
        second = codes[np.minimum(places + 1, len(text) - 1)]
        after_first = second == ord(following.folded[1]) if len(following) > 1 else never
        a_word, b_word = a <= WORD_KINDS, b <= WORD_KINDS
        unspaced = (a >= CharacterKind.IDEOGRAPH) & a_word, (b >= CharacterKind.IDEOGRAPH) & b_word
        pairs = np.where(unspaced[0] & unspaced[1], self._pairs[places - 1], 0)
        letters = self.grams[1].text
        closed = (
            (a == CharacterKind.CLOSER)
            & (text.kinds[places - 2] == CharacterKind.END)
            & (places > 1)
        )
        # In the order of `CUT_WEIGHTS`.
        return np.stack(
            [
                last & ~a_word,
                last & a_word,
                last & before_last & (places > 1),
                first & ~b_word,
                first & b_word,
                first & after_first & (places + 1 < len(text)),
                a == CharacterKind.END,
                a == CharacterKind.CLOSER,
                a == CharacterKind.COMMA,
                a == CharacterKind.SYMBOL,
                a == CharacterKind.LETTER,
                closed,
                _same(a, x),
                a_word & (x <= WORD_KINDS),
                (a == CharacterKind.END) & (x != CharacterKind.END),
                (a != CharacterKind.END) & (x == CharacterKind.END),
                (a == CharacterKind.COMMA) & (x != CharacterKind.COMMA),
                ~b_word & (b != CharacterKind.CLOSER),
                b == CharacterKind.CLOSER,
                b == CharacterKind.DIGIT,
                b == CharacterKind.LETTER,
                _same(b, y),
                (unspaced[0] & (b == CharacterKind.LETTER))
                | (unspaced[1] & (a == CharacterKind.LETTER)),
                pairs,
                pairs > 0,
                np.where(a_word, self._endings[letters[places - 1]], 0),
                np.where(b_word, self._starts[letters[places]], 0),
                (b == CharacterKind.HIRAGANA) & unspaced[0],
                (a == CharacterKind.KATAKANA) & (b == CharacterKind.KATAKANA),
            ]
        ).astype(np.float64)

    @cached_property
    def _text_codes(self) -> I64:
        return _codes(self.text.folded)


def _codes(text: str) -> I64:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)


def _same(kinds: I8, kind: int) -> Bools:
    """Return which kinds are this one; ideographs and kana are of one kind here."""
    if CharacterKind.IDEOGRAPH <= kind <= WORD_KINDS:
        return np.asarray((kinds >= CharacterKind.IDEOGRAPH) & (kinds <= WORD_KINDS))
    return np.asarray(kinds == kind)
