"""A lexicon with two more synonyms: what a metric would find if a line were added to its lexicon.

Only the words of a few texts matter to their scores, so the lexicon is cut down to them. To add two
synonyms then takes microseconds, where a whole lexicon would be compiled in seconds.

The two are synonyms in every grade, as words of a lexicon of one's own are, so they have the credit
of the finest grade.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from celab._native import lexicon as native
from celab.lexicon.compiled import Compiled
from celab.lexicon.lexicon import Lexicon

if TYPE_CHECKING:
    from celab.base.arrays import I32, I64


class LocalLexicon:
    """The words of some texts, with their groups in a lexicon; `lexicon` is None if there is none.

    `words` are written as in a compiled lexicon, without white space, each with its number, or None
    if it is to be found. Those that are not in the lexicon have no groups.
    """

    def __init__(self, lexicon: Lexicon | None, words: Mapping[str, int | None]) -> None:
        self._ids = {word: at for at, word in enumerate(words)}
        self._credits = lexicon.credits if lexicon else (1.0,)
        of_words = _groups_of(lexicon, words)
        used = sorted({group for groups in of_words for group in groups})
        numbering = _Numbering.of(used, lexicon.grade_ranges if lexicon else [(0, 0)])
        self._added = numbering.added
        groups = [numbering.numbers[group] for groups in of_words for group in groups]
        self._groups: I32 = np.asarray(groups, np.int32)
        self._start: I64 = np.cumsum([0, *map(len, of_words)])
        slots, root = _trie_of(words)
        self._compiled: Compiled = {
            "slots": slots,
            "root": root,
            "grades": np.asarray(numbering.grades, np.int32).ravel(),
            "label_start": np.zeros(len(used) + len(numbering.added) + 1, np.int64),
            "label_text": np.zeros(0, np.uint8),
        }

    def with_synonyms(self, a: str, b: str) -> Lexicon:
        """Return the lexicon with a group of two words more, both of which it must have."""
        places = sorted({self._ids[a], self._ids[b]})
        start, n = self._start.copy(), len(self._added)
        at = []
        for place in places:
            of_word = self._groups[self._start[place] : self._start[place + 1]]
            at += (self._start[place] + np.searchsorted(of_word, self._added)).tolist()
            start[place + 1 :] += n
        groups = np.insert(self._groups, at, self._added * len(places))
        compiled = self._compiled | {"word_start": start.astype(np.int32), "word_group": groups}
        return Lexicon("local", compiled, credits=self._credits)


class _Numbering(NamedTuple):
    """New numbers of the groups that some words have.

    Each run of grades that begin with the same group gets a new first group, which is empty until
    two synonyms are added.
    """

    numbers: dict[int, int]  # by the number in the whole lexicon
    added: list[int]  # the new first groups
    grades: list[tuple[int, int]]  # the groups of each grade, from the first to before the last

    @classmethod
    def of(cls, used: Sequence[int], grade_ranges: Iterable[tuple[int, int]]) -> _Numbering:
        """Return the numbers of the groups in `used`, which are in order."""
        ranges = [
            (bisect_left(used, first), bisect_left(used, last)) for first, last in grade_ranges
        ]
        firsts = sorted({first for first, _ in ranges})
        return cls(
            {group: g + bisect_right(firsts, g) for g, group in enumerate(used)},
            [first + k for k, first in enumerate(firsts)],
            [
                (
                    first + bisect_left(firsts, first),
                    last + bisect_left(firsts, max(last, first + 1)),
                )
                for first, last in ranges
            ],
        )


def _groups_of(
    lexicon: Lexicon | None, words: Mapping[str, int | None]
) -> Sequence[tuple[int, ...]]:
    """Return the groups of each word."""
    if lexicon is None:
        return [()] * len(words)
    return [
        lexicon.sorted_groups(lexicon.find(word) if number is None else number)
        for word, number in words.items()
    ]


def _trie_of(words: Iterable[str]) -> tuple[I32, I32]:
    """Return the slots and the root of a trie of words, numbered in their order."""
    words = list(words)
    letters = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), "<i4")
    ends = np.cumsum([0, *map(len, words)])
    return native.build_trie(letters.astype(np.int32), ends)
