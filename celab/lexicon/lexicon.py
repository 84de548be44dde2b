"""Names and paths → one read-only `Lexicon`, compiled once and cached.

Compiled lexicons are in the user's cache folder, or in the folder that CELAB_LEXICONS names, under
a name made from the sources' digests and from all settings that shape them. Where nothing can be
written, the lexicon is compiled anew each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from celab._native import lexicon as native
from celab.base import io
from celab.base.arrays import I32, I64
from celab.base.errors import Setting, warn
from celab.base.options import MAX_ORDER
from celab.base.text.normalize import Normalizer, opencc_version
from celab.base.version import __version__
from celab.lexicon import catalogue, grades
from celab.lexicon.catalogue import LexiconSpec, Located, load, locate, warn_about
from celab.lexicon.compiled import MAGIC, Compiled, compile_groups, save
from celab.lexicon.compiled import load as load_compiled
from celab.lexicon.grades import Grade
from celab.lexicon.model import Settings

if TYPE_CHECKING:
    from celab.base.options import TeslaCelabOptions

_MOST_GROUPS, _MOST_MEMBERS = 3, 8  # that describe a word


class Respelling(Protocol):
    """A change to texts before they are normalised, and so to the words of a lexicon too."""

    name: str  # identifies it in the key of compiled lexicons

    def __call__(self, texts: list[str]) -> list[str]:
        """Respell each text independently."""


class Lexicon:
    """Synonym groups, ready for the kernels; `cited` names their sources by digest.

    It may be a chain of nested lexicons, numbered from 1, each with a credit; `graded` is their
    part of the signature.
    """

    def __init__(
        self,
        cited: str,
        compiled: Compiled,
        notice: str = "",
        credits: Sequence[float] = (1.0,),
        graded: str = "",
    ) -> None:
        self.cited = cited
        self.credits, self.graded = tuple(credits), graded
        self._ranges = compiled["grades"].reshape(-1, 2)
        self.notice = notice  # why this one is used instead of the requested one
        self.n_groups: int = len(compiled["label_start"]) - 1
        self._word_start = compiled["word_start"]
        self._word_group = compiled["word_group"]
        self._label_start = compiled["label_start"]
        self._label_text = compiled["label_text"]
        n_words = len(self._word_start) - 1
        # In tokens; 0 if they are not known, as of words that are only supposed.
        self.lengths = compiled.get("lengths", np.zeros(n_words, np.int32))
        self._origins = compiled.get("origins", np.full(n_words, -1, np.int32))
        self.native = native.Lexicon(
            cited,
            compiled["slots"],
            compiled["root"],
            compiled["word_start"],
            compiled["word_group"],
            self.n_groups,
            *((self._bounds(), compiled["grades"]) if len(self._ranges) > 1 else ()),
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
        """Return the numbers of all groups of a word; none if it is absent, that is, -1."""
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
            if label not in labels and len(labels) < _MOST_GROUPS:
                others = (member for member in self.members(group) if member != word)
                labels[label] = tuple(islice(others, _MOST_MEMBERS))
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
    def beginnings(self, more_than: int) -> frozenset[tuple[int, int]]:
        """Return the first two letters of all words that have more tokens than this."""
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
        return f"<lexicon {self.cited}: {self.native.n_words} words, {self.n_groups} groups>"


def open_lexicon(
    spec: LexiconSpec,
    options: TeslaCelabOptions,
    respell: Respelling | None = None,
    chain: Sequence[Grade] = (),
) -> Lexicon | None:
    """Return the lexicon that `spec` names, normalised by the options; None for no lexicon.

    With a `chain` of grades, `spec` is the lexicon that they are parts of.
    """
    own, notice = catalogue.locate_with_fallback(spec)
    of_grades = [own if grade.is_part else [locate(grade.key)] for grade in chain] or [own]
    if not all(of_grades):
        return None
    located = list(dict.fromkeys(source for of_grade in of_grades for source in of_grade))
    cited = "+".join(source.cited for source in located)
    chain = chain or [Grade(grades.WHOLE, 1.0)]
    graded = zip(chain, of_grades, strict=True)
    signed = ",".join(grade.signed(of_grade[0].name) for grade, of_grade in graded)
    key = _key(located, options, respell, chain, of_grades)
    name = "+".join(source.name for source in located)[:40]  # a file name has at most 255 bytes
    path = io.cache_folder() / os.fsdecode(f"{name}-{key[:24]}.lexc".encode())  # in any locale
    compiled = load_compiled(key, path)
    if compiled is None:
        levels = any("level" in grade.key for grade in chain if grade.is_part)
        thesauri = {source: load(source, Settings(single=levels)) for source in located}
        sets = [
            grades.groups_of(
                grade.key, [thesauri[source] for source in of_grade], options.cilin_lines
            )
            for grade, of_grade in zip(chain, of_grades, strict=True)
        ]
        groups, ranges = grades.joined(sets)
        compiled = compile_groups(
            groups,
            normalizer=Normalizer.of(options),
            respell=respell,
            ranges=ranges,
            keys=[grade.key for grade in chain],
            tokenize=options.tokenize or "char",
            origins={
                word: number
                for number, source in enumerate(located)
                for group in thesauri[source].groups * source.is_own
                for word in group.words
            },
            doubts=["; ".join(thesauri[source].doubts) for source in located],
        )
        with contextlib.suppress(OSError):  # a cache that cannot be written is only slow
            save(compiled, key, path)
    lexicon = Lexicon(cited, compiled, notice, [grade.credit for grade in chain], signed)
    # About each file, whether it was compiled now or before.
    doubts = compiled["doubts"].tobytes().decode().split("\n")
    for number, (source, doubt) in enumerate(zip(located, doubts, strict=False)):
        warn_about(source, [doubt] if doubt else [])
        if source.is_own:
            _warn_if_too_long(lexicon, number, source, options.max_order or MAX_ORDER)
    return lexicon


def _warn_if_too_long(lexicon: Lexicon, number: int, source: Located, max_order: int) -> None:
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


def _key(
    located: list[Located],
    options: TeslaCelabOptions,
    respell: Respelling | None,
    chain: Sequence[Grade],
    of_grades: Sequence[list[Located]],
) -> str:
    # All that the compiled form depends on; another key is another file.
    shape: dict[str, object] = {
        "format": MAGIC.decode() + sys.byteorder,
        "celab": __version__,  # how words are cut and numbered
        "sources": [[source.name, source.digest] for source in located],
        "width": options.width,
        "case": [options.case, unicodedata.unidata_version if options.case == "lower" else ""],
        "script": [
            options.script,
            options.opencc,
            opencc_version() if options.script != "keep" else "",
        ],
        "cilin_lines": options.cilin_lines,
        "tokenize": options.tokenize,  # the lengths of words
    }
    # Only if they have an effect, so that lexicons compiled by older versions stay valid.
    if options.umlauts != "keep":
        shape["umlauts"] = [options.umlauts, unicodedata.unidata_version]
    if respell is not None:
        shape["respell"] = [respell.name, unicodedata.unidata_version]
    if [grade.key for grade in chain] != [grades.WHOLE]:
        shape["grades"] = [
            [grade.key if grade.is_part else "", *(source.digest for source in of_grade)]
            for grade, of_grade in zip(chain, of_grades, strict=True)
        ]
    return hashlib.sha256(json.dumps(shape).encode()).hexdigest()
