"""Counts of texts: what rules about many texts read instead of the texts themselves.

`count_traits` counts characters by their traits, such as being a letter of a script.

>>> counts = count_traits(CodePoints(["买 3 把雨伞！", "(no)"]))
>>> counts.of("letter").tolist(), counts.of("Han").tolist(), counts.of("dense").tolist()
([4, 2], [4, 0], [6, 4])

`count_texts` is for comparisons of texts by their letters and digits, folded: without white space
and punctuation, in lower case, in Simplified characters and in one width. So edits of these kinds
make no difference.

>>> counts = count_texts(["買了 Ｔ恤！", "买了t恤"])
>>> counts.folded_text(0), counts.lengths.tolist(), counts.n_traditional
('买了t恤', [4, 4], 1)

The grams of a text are its pairs of characters, or in scripts with letters its runs of four, each
counted in one of 128 buckets. An edit of one character changes at most four grams into others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from unicodedata import normalize

import numpy as np

from celab._native.counts import CodePoints, FoldedTexts
from celab.base.languages import EAST_ASIAN, HIRAGANA, RANGES
from celab.base.text.normalize import character_forms
from celab.base.text.tokens import is_blank

if TYPE_CHECKING:
    from celab.base.arrays import I32, I64, U8, U32, Bools

__all__ = ["CodePoints", "TextCounts", "TraitCounts", "count_texts", "count_traits"]

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
# "dense" is no white space, "visible" what has a token. A case-folded text has one letter or digit
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

    `first` and `last` have the traits of the first and the last character that is no white space.
    """

    numbers: I32
    first: U32
    last: U32

    def of(self, trait: str) -> I32:
        """Return the number of characters of each text that have a trait."""
        return self.numbers[:, _PLACE[trait]]

    def totals(self) -> dict[str, int]:
        """Return the number of characters of all texts by trait."""
        return dict(zip(TRAITS, self.numbers.sum(axis=0, dtype=np.int64).tolist(), strict=True))

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

    def rows(self, chosen: slice) -> TraitCounts:
        """Return the counts of some texts."""
        return TraitCounts(self.numbers[chosen], self.first[chosen], self.last[chosen])

    def n_words(self) -> I64:
        """Return the number of letters and digits of each text, case-folded."""
        return np.asarray(self.of("word") + 2 * self.of("two-words").astype(np.int64))


TraitCounter = Callable[[Sequence[str]], TraitCounts]


def count_characters(texts: Sequence[str]) -> TraitCounts:
    """Return how many characters of each trait texts in a list have."""
    return count_traits(CodePoints([*texts]))


def count_traits(texts: CodePoints) -> TraitCounts:
    """Return how many characters of each trait texts have."""
    table = _Classes.numbers
    numbers, first, last, n_unknown = texts.count(table, _Classes.known_traits(), len(TRAITS))
    if n_unknown:
        _Classes.learn(texts.unknown(table))
        numbers, first, last, _ = texts.count(table, _Classes.known_traits(), len(TRAITS))
    return TraitCounts(numbers, first, last)


class _Classes:
    """Classes of code points with the same traits, learned as they occur; 0 is not known."""

    numbers = np.zeros(0x110000, np.uint8)
    traits = np.zeros(256, np.uint32)
    _known: ClassVar[dict[int, int]] = {}  # traits → class
    _lock = Lock()

    @classmethod
    def known_traits(cls) -> U32:
        """Return the traits of the classes that are known so far."""
        return cls.traits[: len(cls._known) + 1]

    @classmethod
    def learn(cls, codes: list[int]) -> None:
        with cls._lock:
            for code in codes:
                if not cls.numbers[code]:
                    first, last = next((x for x in _UNIFORM if x[0] <= code <= x[1]), (code, code))
                    cls.numbers[first : last + 1] = cls._number(traits_of(chr(code)))

    @classmethod
    def _number(cls, traits: int) -> int:
        number = cls._known.setdefault(traits, len(cls._known) + 1)
        cls.traits[number] = traits  # before a code point has the class
        return number


def traits_of(character: str) -> int:
    """Return the traits of a character, one bit each."""
    code, n_words = ord(character), sum(map(str.isalnum, character.casefold()))
    traits = _BIT["word"] * (n_words & 1) + _BIT["two-words"] * (n_words >> 1)
    traits += _BIT["dense"] * (not character.isspace())
    traits += _BIT["visible"] * (not is_blank(character))
    traits += _BIT["letter"] * character.isalpha()
    for first, last, bit in _SPANS:
        if first <= code <= last:
            traits |= bit
    return sum((bit for marks, bit in _OF_MARKS if character in marks), traits)


# ---- folded texts ----

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
    forms = character_forms("t2s")[_FIRST_HAN : _LAST_HAN + 1]
    is_simplified = np.zeros(0x110000, np.bool_)
    is_simplified[forms[forms != np.arange(_FIRST_HAN, _LAST_HAN + 1)]] = True
    return is_simplified


def _plain(character: str) -> int:
    """Return the letter or digit that a character is a form of, or 0 if it is neither."""
    form = normalize("NFKC", character).lower()[:1]
    return ord(form) if form.isalnum() else 0
