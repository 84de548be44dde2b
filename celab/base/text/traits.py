"""Traits of characters, and how many characters of each trait texts have.

>>> counts = count_traits(CodePoints(["买 3 把雨伞！", "(no)"]))
>>> counts.of("letter").tolist(), counts.of("Han").tolist(), counts.of("dense").tolist()
([4, 2], [4, 0], [6, 4])
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from celab._native.counts import CodePoints
from celab.base.text.scripts import EAST_ASIAN, HIRAGANA, RANGES
from celab.base.text.tokens import is_blank

if TYPE_CHECKING:
    from celab.base.arrays import I32, I64, U32, Bools

__all__ = ["CodePoints", "TraitCounts", "count_traits"]

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


def count_traits(texts: CodePoints) -> TraitCounts:
    """Return how many characters of each trait texts have."""
    if unknown := texts.unknown(_Classes.numbers):
        _Classes.learn(unknown)
    return TraitCounts(*texts.count(_Classes.numbers, _Classes.known_traits(), len(TRAITS)))


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
