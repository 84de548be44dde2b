"""Character counts of many texts, by which rules rule out most texts without reading them.

`count_traits` counts characters by their traits, such as being a letter of a script.

>>> counts = count_traits(["买 3 把雨伞！", "(no)"])
>>> counts.of("letter").tolist(), counts.of("Han").tolist(), counts.of("dense").tolist()
([4, 2], [4, 0], [6, 4])

`count_texts` is for comparisons of texts by their letters and digits, folded: without white space
and punctuation, in lower case, in Simplified characters and in one width. So edits of these kinds
make no difference.

>>> counts = count_texts(["買了 Ｔ恤！", "买了t恤"])
>>> counts.text(0), counts.lengths().tolist(), counts.n_traditional
('买了t恤', [4, 4], 1)

The grams of a text are its pairs of characters, or in scripts with letters its runs of four, each
counted in one of 128 buckets. An edit of one character changes at most four grams into others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import ClassVar, NamedTuple
from unicodedata import normalize

import numpy as np

from celab._native.counts import CodePoints, FoldedTexts
from celab.base.arrays import I32, I64, U32, Bools
from celab.base.languages import EAST_ASIAN, HIRAGANA, RANGES
from celab.base.text.normalize import character_forms
from celab.base.text.tokens import is_blank

__all__ = ["CodePoints", "FoldedTexts", "TraitCounts", "count_texts", "count_traits"]

# ---- traits ----

_RANGES = RANGES | {"hiragana": HIRAGANA, "east-asian": EAST_ASIAN}
# Marks that answers of language models are wrapped in.
MARKS = {
    "break": "\n",
    "colon": ":：",
    "fence": "`~",
    "bracket": "<[{◁",
    "emphasis": "*_#><\\",
    "quote": "\"“‘'「『„»«‚”＂",
    "end-quote": "\"”’'」』“«»‘＂",
}
# "dense" is not white space, "visible" what has a token. A case-folded text has one letter or digit
# for each character with "word" and two for each with "two-words"; ﬃ has both.
TRAITS = ("dense", "visible", "letter", "word", "two-words", *_RANGES, *MARKS)
_PLACE = {name: place for place, name in enumerate(TRAITS)}
_BIT = {name: 1 << place for name, place in _PLACE.items()}
_SPANS = [(*span, _BIT[name]) for name, ranges in _RANGES.items() for span in ranges]
_OF_MARKS = [(marks, _BIT[name]) for name, marks in MARKS.items()]
# Ranges whose characters all have the traits of the first.
_UNIFORM = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3))


class TraitCounts(NamedTuple):
    """Numbers of characters with each trait; row i of each array is of text i.

    `first` and `last` have the traits of the first and the last character that is not white space.
    """

    numbers: I32
    first: U32
    last: U32

    def of(self, trait: str) -> I32:
        """Return the number of characters of each text that have a trait."""
        return self.numbers[:, _PLACE[trait]]

    def totals(self, n_texts: int) -> dict[str, int]:
        """Return the number of characters of the first texts by trait."""
        totals = self.numbers[:n_texts].sum(axis=0, dtype=np.int64)
        return dict(zip(TRAITS, totals.tolist(), strict=True))

    def has(self, *traits: str) -> Bools:
        """Return which texts have a character with one of the traits."""
        columns = [_PLACE[trait] for trait in traits]
        return np.asarray(self.numbers[:, columns].any(axis=1))

    def begins_with(self, trait: str) -> Bools:
        """Return which texts begin with a character that has a trait."""
        return np.asarray(self.first & np.uint32(_BIT[trait]) != 0)

    def ends_with(self, trait: str) -> Bools:
        """Return which texts end in a character that has a trait."""
        return np.asarray(self.last & np.uint32(_BIT[trait]) != 0)

    def cover(self, others: TraitCounts) -> Bools:
        """Return which texts may contain the other's, but for white space at its ends."""
        columns = slice(_PLACE["dense"], _PLACE["break"])
        return np.asarray((self.numbers[:, columns] >= others.numbers[:, columns]).all(axis=1))

    def n_words(self) -> I64:
        """Return the number of letters and digits of each text, case-folded."""
        return np.asarray(self.of("word") + 2 * self.of("two-words").astype(np.int64))


TraitCounter = Callable[[Sequence[str]], TraitCounts]


def count_traits(texts: Sequence[str] | CodePoints) -> TraitCounts:
    """Return the number of characters with each trait, for each text."""
    letters = texts if isinstance(texts, CodePoints) else CodePoints([*texts])
    numbers, first, last, n_unknown = letters.count(_Classes.numbers, _Classes.traits, len(TRAITS))
    if n_unknown:
        _Classes.learn(letters.unknown(_Classes.numbers))
        numbers, first, last, _ = letters.count(_Classes.numbers, _Classes.traits, len(TRAITS))
    return TraitCounts(numbers, first, last)


class _Classes:
    """Classes of code points with the same traits, learned as they occur; 0 is not known."""

    numbers = np.zeros(0x110000, np.uint8)  # class of each code point
    traits = np.zeros(1, np.uint32)  # traits of each class
    _known: ClassVar[dict[int, int]] = {}  # traits → class
    _lock = Lock()

    @classmethod
    def learn(cls, codes: list[int]) -> None:
        with cls._lock:
            for code in codes:
                if cls.numbers[code]:
                    continue
                first, last = next((x for x in _UNIFORM if x[0] <= code <= x[1]), (code, code))
                traits = traits_of(chr(code))
                number = cls._known.setdefault(traits, len(cls._known) + 1)
                if number == len(cls.traits):  # before a code point has the class
                    cls.traits = np.append(cls.traits, np.uint32(traits))
                cls.numbers[first : last + 1] = number


def traits_of(character: str) -> int:
    """Return the traits of a character, one bit each."""
    code, n_words = ord(character), sum(map(str.isalnum, character.casefold()))
    traits = _BIT["word"] * (n_words & 1) + _BIT["two-words"] * (n_words >> 1)
    traits += 0 if character.isspace() else _BIT["dense"]
    traits += 0 if is_blank(character) else _BIT["visible"]
    traits += _BIT["letter"] if character.isalpha() else 0
    for first, last, bit in _SPANS:
        if first <= code <= last:
            traits |= bit
    return sum((bit for marks, bit in _OF_MARKS if character in marks), traits)


# ---- folded texts ----

# The n-grams that one edit changes at most, and in texts of pairs of characters.
GRAMS_OF_EDIT, GRAMS_OF_WIDE_EDIT = 4, 2
# Ranges whose characters, all Han, are their own plain forms. OpenCC is not loaded for others.
_PLAIN_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF))
_FIRST_HAN, _LAST_HAN = 0x3400, 0xFAFF  # OpenCC converts nothing outside
_KNOWN, _SIMPLIFIED, _TRADITIONAL = (np.uint32(1 << bit) for bit in (31, 30, 29))


def count_texts(texts: Sequence[str]) -> FoldedTexts:
    """Return the counts of texts, folded."""
    letters = CodePoints([*texts])
    folded = FoldedTexts(letters, _Characters.table)
    if unknown := folded.unknown:
        _Characters.learn(unknown)
        folded = FoldedTexts(letters, _Characters.table)
    return folded


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
    forms = character_forms("t2s")[_FIRST_HAN : _LAST_HAN + 1]
    is_simplified = np.zeros(0x110000, np.bool_)
    is_simplified[forms[forms != np.arange(_FIRST_HAN, _LAST_HAN + 1)]] = True
    return is_simplified


def _plain(character: str) -> int:
    """Return the letter or digit that a character is a form of, or 0 if it is neither."""
    form = normalize("NFKC", character).lower()[:1]
    return ord(form) if form.isalnum() else 0
