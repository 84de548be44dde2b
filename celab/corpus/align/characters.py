"""A text without its white space: classes of characters, and the places where it may be cut.

Places are counted in the characters that are not white space, so place 0 is before the first of
them and place n after the last. The text may be cut

    where a token of the `cluster` tokenizer starts: never inside a Latin word or a number, an
        emoji sequence or a Thai cluster;
    where there is white space, or a character of a script that is written without spaces on
        either side;
    except before closing punctuation, and after opening punctuation other than the mouth of an
        emoticon such as `:(`.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from celab.base.arrays import I8, I64, Bools
from celab.base.text.normalize import simplify
from celab.base.text.tokens import cut


class CharacterKind:
    """The classes of characters that cuts depend on; an enumeration would be slower."""

    LETTER = 0  # script that is written with spaces
    DIGIT = 1
    IDEOGRAPH = 2  # or another letter of a script that is written without spaces
    HIRAGANA = 3
    KATAKANA = 4
    END = 5  # mark that ends a sentence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Character:
    """Properties of a character on which cuts depend."""

    folded: str
    kind: int
    is_unspaced: bool
    never_first: bool
    never_last: bool
    brackets: int  # 1 if it opens, -1 if it closes
    is_straight: bool  # a quote that opens and closes


@lru_cache(maxsize=20_000)
def _character(character: str) -> _Character:
    # One form of letters and punctuation that have several widths: ，is a comma, too.
    normal = unicodedata.normalize("NFKC", character)
    normal = normal if len(normal) == 1 else character
    category = unicodedata.category(normal)
    in_ranges = any(first <= ord(character) < last for first, last in _UNSPACED)
    in_ranges &= not (normal.isascii() and normal.isalnum())
    return _Character(
        folded=_fold(character),
        kind=_kind(normal, category, in_ranges),
        is_unspaced=in_ranges or category in _PICTOGRAPHS or character in "“”‘’…—",
        never_first=normal in _NEVER_FIRST,
        never_last=normal in _NEVER_LAST,
        brackets=(normal in _OPENING) - (normal in _CLOSING),
        is_straight=normal in _STRAIGHT,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """The characters of a text that are not white space, by place."""

    text: str
    solid: str
    folded: str
    origin: I64  # index in the text of each character
    kinds: I8
    may_cut: Bools  # one for each place, so one more than characters
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
            text=text,
            solid=solid,
            folded="".join(character.folded for character in known),
            origin=origin,
            kinds=np.array([character.kind for character in known], np.int8),
            may_cut=_places(text, solid, origin, known),
            brackets=_before(character.brackets for character in known),
            straight=_before(character.is_straight for character in known),
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


# Times of subtitles as bounds of cuts.
#
# The cut between two segments of the reference comes after every cue of the text that ends before
# the first segment ends, and before every cue that begins after the second segment has begun:
#
#     reference   |---- 1 ----|    |---- 2 ----|
#     text        |- a -|    |- b -|     |- c -|        the cut is in b, or at one of its ends
#
# Two people who time a text differ by up to `SLACK_MS`, so a cue must end, or begin, earlier or
# later by so much. In a pause between the segments, a cue that ends so soon after the first segment
# is before the cut, and a cue that begins so shortly before the second is after it. If the first
# segment and a cue end at the same time, and the second segment and the next cue begin at the same
# time, the cut is there, because equal times mean that one file was made from the other.

SLACK_MS = 1000
Span = tuple[int, int]  # start and end of a cue, in milliseconds


class TimedCues(NamedTuple):
    """The cues of a text, in the order of their starts."""

    spans: Sequence[Span]
    ends: Sequence[int]  # end of each cue, counted in characters that are not white space

    @classmethod
    def of(cls, texts: Sequence[str], spans: Sequence[Span]) -> TimedCues:
        """Return the cues with these texts."""
        return cls(spans, list(accumulate(len("".join(text.split())) for text in texts)))


class Bounds(NamedTuple):
    """The first and the last place of each cut."""

    low: I64
    high: I64

    @classmethod
    def of(cls, low: I64, high: I64) -> Bounds:
        """Return increasing bounds; overlapping or empty cues may give bounds that cross."""
        low, high = np.maximum.accumulate(low), np.maximum.accumulate(high)
        return cls(low, np.maximum(low, high))

    def n_outside(self, cuts: Sequence[int]) -> int:
        """Return the number of cuts that are out of their bounds."""
        return int(np.count_nonzero((self.low > cuts) | (self.high < cuts)))


def time_bounds(refs: Sequence[Span], cues: TimedCues) -> Bounds | None:
    """Return the bounds of the cuts between segments; None if segments are not in order of time.

    >>> cues = TimedCues.of(["一二", "三四五", "六"], [(0, 900), (900, 4000), (4000, 6000)])
    >>> [bound.tolist() for bound in time_bounds([(0, 2000), (2000, 6000)], cues)]
    [[2], [5]]
    """
    starts, stops = np.array(refs, np.int64).reshape(-1, 2).T
    if (np.diff(starts) < 0).any():
        return None
    begins, overs = np.array(cues.spans, np.int64).T
    places = np.array([0, *cues.ends], np.int64)
    by_end = np.argsort(overs, kind="stable")
    furthest = np.maximum.accumulate(np.concatenate([[0], places[1:][by_end]]))
    following = starts[1:]
    over = np.minimum(stops[:-1], following)  # segments may overlap
    before = np.maximum(over - SLACK_MS, np.minimum(over + SLACK_MS, following - SLACK_MS))
    after = np.minimum(following + SLACK_MS, np.maximum(over + SLACK_MS, following - SLACK_MS))
    low = furthest[np.searchsorted(overs[by_end], before, side="right")]
    high = places[np.searchsorted(begins, after, side="left")]
    return Bounds.of(low, high)


def narrow_bounds(bounds: Bounds, refs: Sequence[Span], cues: TimedCues) -> Bounds:
    """Return the bounds; where segment and cue times are equal, they leave a single position.

    >>> cues = TimedCues.of(["一二", "三四五", "六"], [(0, 900), (900, 4000), (4000, 6000)])
    >>> refs = [(0, 900), (900, 6000)]
    >>> bounds = time_bounds(refs, cues)
    >>> [bound.tolist() for bound in (*bounds, *narrow_bounds(bounds, refs, cues))]
    [[0], [5], [2], [2]]
    """
    borders = {
        (over, begin): place
        for ((_, over), (begin, _)), place in zip(pairwise(cues.spans), cues.ends, strict=False)
    }
    low, high = bounds.low.copy(), bounds.high.copy()
    for index, ((_, over), (begin, _)) in enumerate(pairwise(refs)):
        low[index] = borders.get((over, begin), low[index])
        high[index] = borders.get((over, begin), high[index])
    return Bounds.of(low, high)
