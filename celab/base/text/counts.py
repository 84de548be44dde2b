"""Counts of texts: what rules about many texts read instead of the texts themselves.

Texts are compared by their letters and digits, folded: without white space and punctuation, in
lower case, in Simplified characters and in one width. So edits of these kinds make no difference.

>>> counts = count_texts(["買了 Ｔ恤！", "买了t恤"])
>>> counts.folded_text(0), counts.lengths.tolist(), counts.n_traditional
('买了t恤', [4, 4], 1)

The grams of a text are its pairs of characters, or in scripts with letters its runs of four, each
counted in one of 128 buckets. An edit of one character changes at most four grams into others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from celab._native.counts import CodePoints, FoldedTexts
from celab.base.text.normalize import character_forms

if TYPE_CHECKING:
    from celab.base.arrays import I64, U8, U32, Bools

GRAMS_OF_EDIT, GRAMS_OF_WIDE_EDIT = 4, 2  # that one edit changes; in texts of pairs, two
# Ranges whose characters, all Han, are their own plain forms. OpenCC is not loaded for others.
_PLAIN_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF))
_FIRST_HAN, _LAST_HAN = 0x3400, 0xFAFF  # that OpenCC is asked about
_KNOWN, _SIMPLIFIED, _TRADITIONAL = (np.uint32(1 << bit) for bit in (31, 30, 29))


class TextCounts:
    """Counts of texts; item i of each array is of text i.

    Attributes:
        n_simplified, n_traditional: numbers of characters that only this Chinese script has, in
            all texts.
    """

    def __init__(self, folded: FoldedTexts) -> None:
        self._folded = folded
        self.n_simplified, self.n_traditional = folded.n_simplified, folded.n_traditional

    def __len__(self) -> int:
        return len(self._folded)

    @cached_property
    def lengths(self) -> I64:
        """Numbers of folded characters."""
        return self._folded.lengths()

    @property
    def grams(self) -> U8:
        """Numbers of grams in each bucket."""
        return self._folded.grams()

    def folded_text(self, index: int) -> str:
        """Return the folded characters of a text."""
        return self._folded.text(index)

    def n_wide(self) -> I64:
        """Return how many characters of each text are syllables or words, as Han characters are."""
        return self._folded.n_wide()

    def shared_grams(self, others: TextCounts, offset: int = 0) -> I64:
        """Return how many grams each text shares with another's so many places later, or 0."""
        return self._folded.shared_grams(others._folded, offset)

    def edits(self, others: TextCounts, most_edits: I64, most_grams: I64) -> I64:
        """Return the edits that make each text another's, -1 if there are more than `most_edits`.

        `most_grams` are as many as so many edits can change.
        """
        return self._folded.edits(others._folded, most_edits, most_grams)


def count_texts(texts: Sequence[str]) -> TextCounts:
    """Return the counts of texts."""
    letters = CodePoints([*texts])
    folded = FoldedTexts(letters, _Characters.table)
    if unknown := folded.unknown:
        _Characters.learn(unknown)
        folded = FoldedTexts(letters, _Characters.table)
    return TextCounts(folded)


class _Characters:
    """Properties of code points, learned as they occur.

    The lower bits have the folded character, 0 if it is neither a letter nor a digit.
    """

    table = np.zeros(0x110000, np.uint32)

    @classmethod
    def learn(cls, codes: Sequence[int]) -> None:
        """Add the properties of code points."""
        unknown = np.array(codes, np.uint32)
        for first, last in _PLAIN_HAN:
            is_plain = (unknown >= first) & (unknown <= last)
            if is_plain.any():
                whole = np.arange(first, last + 1, dtype=np.uint32)
                cls._add(whole, whole)
                unknown = unknown[~is_plain]
        plain = map(_plain, map(chr, unknown.tolist()))
        cls._add(unknown, np.fromiter(plain, np.uint32, len(unknown)))

    @classmethod
    def _add(cls, places: U32, forms: U32) -> None:
        properties = forms | _KNOWN
        if (forms >= _FIRST_HAN).any():
            simplified = character_forms("t2s")
            properties = simplified[forms] | _KNOWN
            properties[simplified[places] != places] |= _TRADITIONAL
            properties[_is_simplified()[places]] |= _SIMPLIFIED
        cls.table[places] = properties


@cache
def _is_simplified() -> Bools:
    """Return which code points are the Simplified forms of others."""
    forms = character_forms("t2s")
    codes = np.arange(_FIRST_HAN, _LAST_HAN + 1, dtype=np.uint32)
    is_simplified = np.zeros(len(forms), np.bool_)
    is_simplified[forms[codes][forms[codes] != codes]] = True
    return is_simplified


def _plain(character: str) -> int:
    """Return the letter or digit that a character is a form of, or 0 if it is neither."""
    form = normalize("NFKC", character).lower()[:1]
    return ord(form) if form.isalnum() else 0
