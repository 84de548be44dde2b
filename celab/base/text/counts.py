"""Counts of texts: what rules about many texts read instead of the texts themselves.

`count_texts` is the only function that looks at every character. Texts are compared by their
letters and digits, folded: without white space and punctuation, in lower case, in Simplified
characters and in one width. So edits of these kinds make no difference.

>>> counts = count_texts(["買了 Ｔ恤！", "买了t恤"])
>>> counts.folded_text(0), counts.lengths.tolist(), counts.n_traditional
('买了t恤', [4, 4], 1)

The grams of a text are its pairs of characters, or in scripts with letters its runs of four, each
counted in one of 128 buckets. An edit of one character changes at most four grams into others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from celab.base.text.normalize import character_forms

if TYPE_CHECKING:
    from celab.base.arrays import I64, U8, U32, Bools

GRAMS_OF_EDIT, GRAMS_OF_WIDE_EDIT = 4, 2  # that one edit changes; in texts of pairs, two
N_BUCKETS = 128
_MOST_COUNTED = 255
_WIDE = 0x2E80  # the first code point of the scripts whose characters are syllables or words
_FIRST_HAN = 0x3400
_END = 1  # after each text
_N_CODES = 0x110000
_KNOWN, _SIMPLIFIED, _TRADITIONAL = (np.uint32(1 << bit) for bit in (31, 30, 29))
_FOLDED = np.uint32((1 << 29) - 1)
_FACTORS = [np.uint32(factor) for factor in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)]


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Counts of texts; item i of each array is of text i.

    Attributes:
        lengths: numbers of folded characters.
        grams: numbers of grams in each bucket.
        n_simplified, n_traditional: numbers of characters that only this Chinese script has, in
            all texts.
    """

    lengths: I64
    grams: U8
    n_simplified: int
    n_traditional: int
    _folded: U32
    _ends: I64

    def __len__(self) -> int:
        return len(self.lengths)

    def folded_text(self, index: int) -> str:
        """Return the folded characters of a text."""
        end = int(self._ends[index])
        codes = self._folded[end - int(self.lengths[index]) : end]
        return codes.astype("<u4").tobytes().decode("utf-32-le")

    def n_wide(self) -> I64:
        """Return how many characters of each text are syllables or words, as Han characters are."""
        totals = np.cumsum(self._folded >= _WIDE, dtype=np.int64)[self._ends]
        return np.diff(totals, prepend=0)


def count_texts(texts: Sequence[str]) -> TextCounts:
    """Return the counts of texts."""
    joined = "\n".join([*texts, ""])
    if joined.count("\n") > len(texts):
        texts = [text.replace("\n", " ") for text in texts]
        joined = "\n".join([*texts, ""])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
    properties = _Characters.of(codes)
    folded = properties & _FOLDED
    folded = folded[folded > 0]
    ends = np.flatnonzero(folded == _END)
    sizes = np.diff(ends, prepend=-1)
    return TextCounts(
        sizes - 1,
        _grams(folded, sizes),
        int(np.count_nonzero(properties & _SIMPLIFIED)),
        int(np.count_nonzero(properties & _TRADITIONAL)),
        folded,
        ends,
    )


class _Characters:
    """Properties of code points, learned as they occur.

    The lower bits have the folded character, 0 if it is neither a letter nor a digit.
    """

    table = np.zeros(_N_CODES, np.uint32)
    table[ord("\n")] = _KNOWN | _END

    @classmethod
    def of(cls, codes: U32) -> U32:
        """Return the properties of code points."""
        properties = cls.table[codes]
        unknown = codes[properties < _KNOWN]
        if not len(unknown):
            return properties
        # Not np.unique, which loads NumPy's masked arrays.
        cls._learn(np.flatnonzero(np.bincount(unknown)).astype(np.uint32))
        return cls.table[codes]

    @classmethod
    def _learn(cls, codes: U32) -> None:
        forms = np.array([*map(_plain, map(chr, codes.tolist()))], np.uint32)
        properties = forms | _KNOWN
        if (forms >= _FIRST_HAN).any():  # OpenCC is not loaded for other scripts
            simplified = character_forms("t2s")
            properties = simplified[forms] | _KNOWN
            properties[simplified[codes] != codes] |= _TRADITIONAL
            properties[_simplified()[codes]] |= _SIMPLIFIED
        cls.table[codes] = properties


@cache
def _simplified() -> Bools:
    """Return which code points are the Simplified forms of others."""
    forms = character_forms("t2s")
    is_simplified = np.zeros(_N_CODES, np.bool_)
    is_simplified[forms[forms != np.arange(_N_CODES)]] = True
    return is_simplified


def _plain(character: str) -> int:
    """Return the letter or digit that a character is a form of, or 0 if it is neither."""
    form = normalize("NFKC", character).lower()[:1]
    return ord(form) if form.isalnum() else 0


def _grams(codes: U32, sizes: I64) -> U8:
    """Return the numbers of grams of each text by bucket; sizes include the end of each text."""
    n_codes = len(codes)
    padded = np.concatenate((codes, np.full(3, _END, np.uint32)))
    following = padded[1 : n_codes + 1]
    grams = codes * _FACTORS[0] + following
    is_complete: Bools = (codes >= _WIDE) | (following == _END)
    for place in (2, 3):  # further letters, unless the text has ended
        following = np.where(is_complete, np.uint32(_END), padded[place : n_codes + place])
        grams ^= grams >> np.uint32(15)
        grams *= _FACTORS[place - 1]
        grams += following
        is_complete |= following == _END
    grams ^= grams >> np.uint32(13)
    grams *= _FACTORS[1]
    buckets = grams >> np.uint32(25)
    owners = np.repeat(np.arange(0, len(sizes) * N_BUCKETS, N_BUCKETS), sizes)
    places = (owners + buckets)[codes != _END]
    counted = np.bincount(places, minlength=len(sizes) * N_BUCKETS)
    return np.minimum(counted, _MOST_COUNTED).astype(np.uint8).reshape(-1, N_BUCKETS)
