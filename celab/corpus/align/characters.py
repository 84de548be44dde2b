"""A text without its white space: classes of characters, and the places where it may be cut.

Places are counted in the characters that are not white space, so place 0 is before the first of
them and place n after the last. The text may be cut

    where a token of the `cluster` tokenizer starts: never inside a Latin word or a number, an
        emoji sequence or a Thai cluster;
    where there is white space, or a character of a script that is written without spaces on
        either side;
    not before closing punctuation, and not after opening punctuation, unless that is the mouth of
        an emoticon such as `:(`.

Case, width, script and the shapes of quotes are folded one character at a time, so that places
stay the same.

>>> text = Characters.of("买伞。“好！”  He said")
>>> text.solid, text.folded
('买伞。“好！”Hesaid', '买伞."好!"hesaid')
>>> np.flatnonzero(text.may_cut).tolist()
[0, 1, 3, 7, 9, 13]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from celab.base.arrays import I8, I64, Bools
from celab.base.frozen import dataclass
from celab.base.text.normalize import simplify
from celab.base.text.tokens import cut


class CharacterKind:
    """The classes of characters that cuts depend on; an enumeration would be slower."""

    LETTER = 0  # of a script that is written with spaces
    DIGIT = 1
    IDEOGRAPH = 2  # or another letter of a script that is written without spaces
    HIRAGANA = 3
    KATAKANA = 4
    END = 5  # of a sentence
    CLOSER = 6  # a closing quote or bracket, or a quote that may be one
    COMMA = 7
    SYMBOL = 8  # an emoji, say
    OTHER = 9


WORD_KINDS = CharacterKind.KATAKANA  # the kinds up to this one make words
_ENDS = "。.!?…"
_COMMAS = ",、;:"
_CLOSERS = "”’」』】》〉)]}\"'»“"
_NEVER_FIRST = "。、」』】》〉”’!?,;:)]}%."
_NEVER_LAST = "「『【《〈“‘([{„‚¿¡"
_MOUTHS, _EYES = "(（", ":：;；"
_OPENING = "「『【《〈“„(["
_CLOSING = "」』】》〉”)]"
_STRAIGHT = '"'
_QUOTES = dict.fromkeys("“”„‟«»「」『』｢｣＂", '"') | dict.fromkeys("‘’‚‛", "'")
_UNSPACED = (  # Thai and Lao, Burmese, Khmer, East Asia, its rare characters and full-width forms
    (0x0E00, 0x0F00),
    (0x1000, 0x10A0),
    (0x1780, 0x1800),
    (0x2E80, 0x3130),
    (0x3190, 0xA000),
    (0xF900, 0xFB00),
    (0xFE30, 0xFE50),
    (0xFF00, 0xFFA0),
    (0x20000, 0x32000),
)
_PICTOGRAPHS = ("So", "Sk", "Cn", "Co")


@dataclass(frozen=True, slots=True)
class _Character:
    """What cuts depend on in one character."""

    folded: str
    kind: int
    is_unspaced: bool
    never_first: bool
    never_last: bool
    brackets: int  # 1 if it opens, -1 if it closes
    is_straight: bool  # a quote that opens and closes


@lru_cache(maxsize=20_000)
def _character(character: str) -> _Character:
    half = unicodedata.normalize("NFKC", character)  # in the width of ASCII, if it has one
    half = half if len(half) == 1 else character
    category = unicodedata.category(half)
    in_ranges = any(first <= ord(character) < last for first, last in _UNSPACED)
    in_ranges &= not (half.isascii() and half.isalnum())
    return _Character(
        folded=_fold(character),
        kind=_kind(half, category, in_ranges),
        is_unspaced=in_ranges or category in _PICTOGRAPHS or character in "“”‘’…—",
        never_first=half in _NEVER_FIRST,
        never_last=half in _NEVER_LAST,
        brackets=(half in _OPENING) - (half in _CLOSING),
        is_straight=half in _STRAIGHT,
    )


def _fold(character: str) -> str:
    for fold in (lambda text: unicodedata.normalize("NFKC", text), str.lower, simplify):
        folded = fold(character)
        if len(folded) == 1:
            character = folded
    return _QUOTES.get(character, {"。": ".", "、": ","}.get(character, character))


def _kind(character: str, category: str, in_ranges: bool) -> int:
    for kind, characters in (
        (CharacterKind.END, _ENDS),
        (CharacterKind.CLOSER, _CLOSERS),
        (CharacterKind.COMMA, _COMMAS),
    ):
        if character in characters:
            return kind
    if category in _PICTOGRAPHS or category[0] == "C" or category == "Mn":
        return CharacterKind.SYMBOL
    if category[0] in "PS":
        return CharacterKind.OTHER
    if category[0] == "N":
        return CharacterKind.DIGIT
    if "\u3041" <= character <= "\u309f":
        return CharacterKind.HIRAGANA
    if "\u30a1" <= character <= "\u30ff":
        return CharacterKind.KATAKANA
    return CharacterKind.IDEOGRAPH if in_ranges else CharacterKind.LETTER


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of a text that are not white space, by place."""

    text: str
    solid: str
    folded: str
    origin: I64  # index in the text of each character
    kinds: I8
    may_cut: Bools  # by place, so one more
    brackets: I64  # opening less closing brackets before each place
    straight: I64  # straight quotes before each place

    def __len__(self) -> int:
        return len(self.solid)

    @classmethod
    def of(cls, text: str) -> Characters:
        """Return the characters of a text."""
        is_solid = np.fromiter((not c.isspace() for c in text), np.bool_, len(text))
        origin = np.flatnonzero(is_solid)
        solid = "".join(text.split())
        known = [_character(character) for character in solid]
        return cls(
            text,
            solid,
            "".join(character.folded for character in known),
            origin,
            np.array([character.kind for character in known], np.int8),
            _places(text, solid, origin, known),
            _before(character.brackets for character in known),
            _before(character.is_straight for character in known),
        )

    def between(self, start: int, end: int) -> str:
        """Return the text between two places, without white space at its ends."""
        if start == end:
            return ""
        return self.text[self.origin[start] : self.origin[end - 1] + 1]


def _before(values: Iterable[int]) -> I64:
    return np.cumsum([0, *values], dtype=np.int64)


def _places(text: str, solid: str, origin: I64, known: list[_Character]) -> Bools:
    n = len(solid)
    places = np.zeros(n + 1, np.bool_)
    places[[0, n]] = True
    if not n:
        return places
    starts = np.zeros(len(text) + 1, np.bool_)
    end = 0
    for token in cut(text, tokenize="cluster", fold=False):
        start = text.index(token, end)
        end = start + len(token)
        starts[start] = True
    spaced = np.diff(origin) > 1
    unspaced = np.array([character.is_unspaced for character in known])
    first = np.array([character.never_first for character in known])
    last = np.array([character.never_last for character in known])
    if "„" in solid:  # then “ closes
        quotes = np.array([character == "“" for character in solid])
        first, last = first | quotes, last & ~quotes
    for place in np.flatnonzero(last).tolist():
        if place and solid[place] in _MOUTHS and solid[place - 1] in _EYES:
            last[place] = False
    for place in np.flatnonzero(first).tolist():
        if solid[place : place + 2] == "..":  # an ellipsis may begin a sentence
            first[place] = False
    inner = starts[origin[1:]] & (spaced | unspaced[:-1] | unspaced[1:]) & ~first[1:] & ~last[:-1]
    places[1:n] = inner
    return places


def join_lines(lines: Iterable[str]) -> str:
    """Return lines as one text, with a space only between characters of spaced scripts.

    >>> join_lines(["He said", "it: 买伞。", "", "好"])
    'He said it: 买伞。好'
    """
    parts: list[str] = []
    last = ""
    for line in map(str.strip, lines):
        if not line:
            continue
        if last and not _character(last).is_unspaced and not _character(line[0]).is_unspaced:
            parts.append(" ")
        parts.append(line)
        last = line[-1]
    return "".join(parts)
