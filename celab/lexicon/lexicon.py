"""Names and paths → one read-only `Lexicon`, compiled once and cached.

Compiled lexicons are in the user's cache folder, or in the folder that CELAB_LEXICONS names, under
a name made from their recipe; CELAB_CACHE_SIZE limits their size. Where nothing can be written, the
lexicon is compiled again each time.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from celab._native import tokens as native
from celab.base.arrays import I32, I64
from celab.base.errors import Setting
from celab.base.messages import warn
from celab.base.options import MAX_ORDER
from celab.base.text.normalize import Normalizer
from celab.lexicon import catalog, grades
from celab.lexicon.catalog import LexiconSpec, LocatedLexicon, load, locate, warn_about
from celab.lexicon.compiled import (
    Compiled,
    GradeRecipe,
    LexiconRecipe,
    compile_groups,
    limit,
    path_of,
    prune,
    save,
)
from celab.lexicon.compiled import load as load_compiled
from celab.lexicon.grades import Grade
from celab.lexicon.source import ReaderSettings, Thesaurus

# `describe` lists so many groups of a word, and so many words of each.
_MAX_GROUPS_DESCRIBED, _MAX_MEMBERS_DESCRIBED = 3, 8


class Lexicon:
    """Synonym groups, ready for the kernels; `signature_id` has the digests of their sources.

    It may be a chain of nested lexicons, numbered from 1, each with a credit; `graded` is their
    part of the signature.
    """

    def __init__(
        self,
        signature_id: str,
        compiled: Compiled,
        notice: str = "",
        credits: Sequence[float] = (1.0,),
        graded: str = "",
    ) -> None:
        self.signature_id = signature_id
        self.credits, self.graded = tuple(credits), graded
        self._ranges = compiled["grades"].reshape(-1, 2)
        self.notice = notice  # why this lexicon is used instead of the requested one
        self.n_groups: int = len(compiled["label_start"]) - 1
        self._word_start = compiled["word_start"]
        self._word_group = compiled["word_group"]
        self._label_start = compiled["label_start"]
        self._label_text = compiled["label_text"]
        n_words = len(self._word_start) - 1
        # Lengths of words in tokens; 0 if they are not known, as in a `LocalLexicon`.
        self.lengths = compiled.get("lengths", np.zeros(n_words, np.int32))
        self._origins = compiled.get("origins", np.full(n_words, -1, np.int32))
        has_grades = len(self._ranges) > 1
        self.native = native.Lexicon(
            name=signature_id,
            slots=compiled["slots"],
            root=compiled["root"],
            word_start=compiled["word_start"],
            word_group=compiled["word_group"],
            n_groups=self.n_groups,
            bounds=self._bounds() if has_grades else None,
            ranges=compiled["grades"] if has_grades else None,
        )

    def _bounds(self) -> I32:
        # Begin and end in `_word_group` of the groups of each word and grade.
        n_words, width = len(self._word_start) - 1, self.n_groups + 1
        words = np.arange(n_words, dtype=np.int64) * width
        entries = np.repeat(words, np.diff(self._word_start)) + self._word_group
        limits = words[:, None, None] + self._ranges
        return np.searchsorted(entries, limits.ravel()).astype(np.int32)

    @property
    def grade_ranges(self) -> list[tuple[int, int]]:
        """The numbers of the groups of each grade, from the first to before the last."""
        return [(first, last) for first, last in self._ranges.tolist()]

    def find(self, word: str) -> int:
        """Return the number of a word, which is written without white space; -1 if it is absent."""
        letters = np.frombuffer(word.encode("utf-32-le", "surrogatepass"), np.int32)
        return self.native.find(letters)

    @lru_cache(1 << 14)  # noqa: B019 - lexicons are few, and live long
    def sorted_groups(self, word: int) -> tuple[int, ...]:
        """Return the numbers of all groups of a word in order; none for -1, an absent word."""
        if word < 0:
            return ()
        return tuple(self._word_group[self._word_start[word] : self._word_start[word + 1]].tolist())

    def groups_of(self, word: int, grade: int | None = None) -> set[int]:
        """Return the numbers of the groups of a word, in a grade or in all."""
        groups = self.sorted_groups(word)
        first, last = (0, self.n_groups) if grade is None else self._ranges[grade - 1]
        return {group for group in groups if first <= group < last}

    @lru_cache(1 << 14)  # noqa: B019 - lexicons are few, and live long
    def shared(self, a: int, b: int, grade: int) -> tuple[tuple[str, ...], float]:
        """Return the labels of the groups that two words share up to a grade, and their credit.

        The labels are those of the finest grade in which the words are synonyms, if any.
        """
        for k in range(1, grade + 1):
            if groups := self.groups_of(a, k) & self.groups_of(b, k):
                return tuple(map(self.label, sorted(groups))), self.credits[k - 1]
        return (), 0.0

    def describe(self, word: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the first few groups of a word: their labels, and some of their other words."""
        labels: dict[str, tuple[str, ...]] = {}
        for group in self.sorted_groups(self.find(word)):
            label = self.label(group)
            if label not in labels and len(labels) < _MAX_GROUPS_DESCRIBED:
                others = (member for member in self.members(group) if member != word)
                labels[label] = tuple(islice(others, _MAX_MEMBERS_DESCRIBED))
        return tuple(labels.items())

    def members(self, group: int) -> Iterator[str]:
        """Yield the words of a group, without white space."""
        start, words, *_ = self._spellings
        return map(self.word, words[start[group] : start[group + 1]].tolist())

    def word(self, number: int) -> str:
        """Return the word of a number, without white space."""
        *_, parent, letter, node = self._spellings
        at, letters = int(node[number]), []
        while at:
            letters.append(int(letter[at]))
            at = int(parent[at])
        return "".join(map(chr, reversed(letters)))

    @lru_cache(4)  # noqa: B019 - lexicons are few, and live long
    def first_letters(self, more_than: int) -> frozenset[tuple[int, int]]:
        """Return the first two letters of all words of more than `more_than` tokens."""
        *_, parent, letter, node = self._spellings
        second = first = node[self.lengths > more_than]
        while (goes_on := parent[first] != 0).any():
            second = np.where(goes_on, first, second)
            first = np.where(goes_on, parent[first], first)
        return frozenset(zip(letter[first].tolist(), letter[second].tolist(), strict=True))

    def too_long(self, origin: int, max_order: int) -> I64:
        """Return the numbers of the words of a user's file that are longer than any n-gram."""
        return np.flatnonzero((self._origins == origin) & (self.lengths > max_order))

    @cached_property
    def _spellings(self) -> tuple[I64, I64, I32, I32, I32]:
        # The words of each group; and of the trie, the state and letter before each state, and the
        # state where each word ends.
        n_words = len(self._word_start) - 1
        word_of_entry = np.repeat(np.arange(n_words), np.diff(self._word_start))
        by_group = np.argsort(self._word_group, kind="stable")
        counts = np.bincount(self._word_group, minlength=self.n_groups)
        start = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        # Columns of both tables of the trie: parent state, letter, next state (0: the slot is
        # free), number of the word that ends there or -1.
        slots, root = (np.asarray(table).reshape(-1, 4) for table in self.native.buffer[:2])
        slots = slots[slots[:, 2] != 0]
        letters = np.flatnonzero(root[:, 2]).astype(np.int32)
        first = root[letters]
        parent, letter = np.zeros((2, len(slots) + len(first) + 1), np.int32)
        parent[slots[:, 2]], letter[slots[:, 2]] = slots[:, 0], slots[:, 1]
        letter[first[:, 2]] = letters
        node = np.zeros(n_words, np.int32)
        for rows in (slots[slots[:, 3] >= 0], first[first[:, 3] >= 0]):
            node[rows[:, 3]] = rows[:, 2]
        return start, word_of_entry[by_group], parent, letter, node

    def label(self, group: int) -> str:
        """Return the place of a group in its source."""
        begin, end = self._label_start[group], self._label_start[group + 1]
        return bytes(self._label_text[begin:end]).decode()

    def __repr__(self) -> str:
        return f"<lexicon {self.signature_id}: {self.native.n_words} words, {self.n_groups} groups>"


def open_lexicon(
    spec: LexiconSpec,
    normalizer: Normalizer,
    cilin_lines: str = "all",
    chain: Sequence[Grade] = (),
    *,
    tokenize: str = "char",
    max_order: int = MAX_ORDER,
) -> Lexicon | None:
    """Return the lexicon that `spec` names, with normalized words; None for no lexicon.

    With a `chain` of grades, `spec` is the lexicon that they are parts of. Warns if words of a file
    have more tokens of `tokenize` than `max_order`, because no n-gram can match them.
    """
    located, notice = catalog.locate_with_fallback(spec)
    own = tuple(located)
    parts = tuple(
        GradeRecipe(grade.key, own)
        if grade.is_part
        else GradeRecipe(grades.WHOLE, (locate(grade.key),))
        for grade in chain
    ) or (GradeRecipe(grades.WHOLE, own),)
    if not all(part.sources for part in parts):
        return None
    recipe = LexiconRecipe(parts, cilin_lines, normalizer.normalization, tokenize)
    key, sources, cache_size = recipe.key, recipe.sources, limit()
    path = path_of("+".join(source.name for source in sources), key)
    compiled = load_compiled(key, path)
    if compiled is None:
        settings = ReaderSettings(single=recipe.has_levels)
        thesauri = {source: load(source, settings) for source in sources}
        compiled = compile_recipe(recipe, thesauri, normalizer, [grade.key for grade in chain])
        with contextlib.suppress(OSError):  # a cache that cannot be written is only slow
            save(compiled, key, path)
            prune(path, cache_size)
    signature_id = "+".join(source.signature_id for source in sources)
    credits = [grade.credit for grade in chain] or [1.0]
    signed = [
        grade.signature_part(part.sources[0].name)
        for grade, part in zip(chain, parts, strict=False)
    ]
    lexicon = Lexicon(signature_id, compiled, notice, credits, ",".join(signed))
    # Warnings about files are stored, so that they are repeated when the lexicon comes from the
    # cache.
    warnings = compiled["warnings"].tobytes().decode().split("\n")
    for number, (source, warning) in enumerate(zip(sources, warnings, strict=False)):
        if warning:
            warn_about(source, [warning])
        if source.is_own:
            _warn_if_too_long(lexicon, number, source, max_order)
    return lexicon


def _warn_if_too_long(
    lexicon: Lexicon, number: int, source: LocatedLexicon, max_order: int
) -> None:
    words = lexicon.too_long(number, max_order)
    if not len(words):
        return
    several, n_tokens = len(words) > 1, int(lexicon.lengths[words[0]])
    example = lexicon.word(int(words[0]))
    unit = "characters" if n_tokens == len(example) else "tokens"
    warn(
        (
            f"{source.path}: {len(words):,} word{'s are' if several else ' is'} longer than ",
            Setting("max_order", max_order),
            f" and can never match{', such as' if several else ':'} {example} ({n_tokens} {unit});"
            " use shorter words",
            *((" or a greater ", Setting("max_order")) if max_order < MAX_ORDER else ()),
        )
    )


def compile_recipe(
    recipe: LexiconRecipe,
    thesauri: Mapping[LocatedLexicon, Thesaurus],
    normalizer: Normalizer,
    keys: Sequence[str],
) -> Compiled:
    """Return the compiled lexicon of a recipe; `keys` names its grades in errors.

    A lexicon that is a grade by itself adds nothing to the parts of Cilin in finer grades.
    """
    assert normalizer.normalization == recipe.normalization
    parts = [grade.part for grade in recipe.grades]
    have_own = {s for g in recipe.grades for s in g.sources if g.part == grades.WHOLE}

    def thesaurus_of(source: LocatedLexicon, part: str) -> Thesaurus:
        thesaurus = thesauri[source]
        is_later = part != grades.WHOLE and source in have_own
        return grades.cilin_groups_only(thesaurus) if is_later else thesaurus

    sets = [
        grades.groups_of(
            grade.part,
            [thesaurus_of(source, grade.part) for source in grade.sources],
            recipe.cilin_lines,
        )
        for grade in recipe.grades
    ]
    groups, ranges = grades.concatenate_groups(grades.nested(parts, sets))
    return compile_groups(
        groups,
        normalizer=normalizer,
        ranges=ranges,
        keys=keys,
        tokenize=recipe.tokenize,
        origins={
            word: number
            for number, source in enumerate(recipe.sources)
            for group in thesauri[source].groups * source.is_own
            for word in group.words
        },
        warnings=["; ".join(thesauri[source].warnings) for source in recipe.sources],
    )


# A lexicon with two more synonyms: what a metric would find if a line were added to its lexicon.
#
# Only the words of a few texts matter to their scores, so the lexicon is cut down to them. To add
# two synonyms then takes microseconds, where a whole lexicon would be compiled in seconds.
#
# The two are synonyms in every grade, as words of a lexicon of one's own are, so they have the
# credit of the finest grade.


class LocalLexicon:
    """The words of some texts, with their groups in a lexicon; `lexicon` is None if there is none.

    `words` maps each word, written without white space as in a compiled lexicon, to its number, or
    to None if the number must be looked up. Words that are not in the lexicon have no groups.
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
        """Return the lexicon with one more group, of two words that must be in `words`."""
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

    numbers: dict[int, int]  # number in the whole lexicon → number here
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
