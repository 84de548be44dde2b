"""Compounds: a German noun → its parts, by the frequencies of the parts.

After P. Koehn and K. Knight, Empirical Methods for Compound Splitting, EACL 2003: of all splits of
a word into parts p₁ … pₙ, the word itself among them, the one with the greatest geometric mean

    (count(p₁) · … · count(pₙ)) ^ (1/n)

Between two parts may stand a linking element (`LINKS`), or a final e of the first may be missing;
parts are given without the one and with the other. Frequencies alone split too much (Frei-tag,
Verkehr-sun-fall). Koehn and Knight ask a tagger and a parallel text which parts are content words;
here written lists (`celab.analysis.compound_words`) say which words are no parts and which short
ones are, and only a word that is written like a noun is looked at.

>>> split_compound("Verkehrsunfall")
('Verkehr', 'unfall')
>>> split_compound("Schulhaus"), split_compound("Freitag")
(('Schule', 'haus'), ('Freitag',))
>>> Splitter({"regen": 5, "schirm": 3, "regenschirm": 1}).split("Regenschirm")
('Regen', 'schirm')
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from math import inf, log
from typing import NamedTuple

from celab.analysis.compound_words import (
    ADJECTIVES,
    AFTER_LINK,
    FUNCTION_WORDS,
    PAST_TENSES,
    PREFIXES,
    SHORT_NOUNS,
    SHORT_OPENINGS,
    SUFFIXES,
    WHOLE,
    fold,
)
from celab.analysis.counts import counts_from, digest_of, stem_of
from celab.analysis.model import cited
from celab.errors import InputError, OptionError

LANGUAGES = ("de",)
LINKS = ("s", "es", "n", "en", "er", "e")

_BARRED = FUNCTION_WORDS | PREFIXES
_OPENINGS = SUFFIXES | SHORT_OPENINGS | ADJECTIVES
_WHOLE = tuple(sorted(WHOLE))
_CACHED = 1 << 17
_STRICTER = {1: 100.0, 2: 10.0, 3: 10.0, 4: 10.0, 5: 3.0}  # times the floor, by letters
_RARER = 10.0  # a stem stands for a word in -e if it is so much rarer itself: schul, not haus
_EQUAL = 1e-9  # of logarithms: means closer than this are equal


def split_compound(word: str, lang: str = "de") -> tuple[str, ...]:
    """The parts of a compound by the frequencies of `wordfreq`; the word alone if it is none.

    >>> split_compound("Regenschirm", lang="de")
    ('Regen', 'schirm')
    """
    return splitter_for(lang).split(word)


class Compounds:
    """Splits German compounds, and can be sent to another process.

    `counts` names a file of counts (`celab.analysis.counts`) to use in place of `wordfreq`. What is
    wrong with it is told now. Of the file only the path and the digest are sent: whoever receives
    them reads it again, when the first word comes, and refuses it if it has changed.
    """

    def __init__(self, counts: str | os.PathLike[str] | None = None) -> None:
        self._splitter: Splitter | None = None
        self._path = self._digest = ""
        if counts is None:
            try:
                self.name = f"compounds@{cited('de', 'wordfreq')}"
            except OptionError:
                raise _no_wordfreq("de") from None
            return
        if os.fspath(counts) == "-":
            raise InputError("counts is standard input (-); it must be a file, to be read again")
        self._path = os.path.abspath(counts)
        self._splitter = Splitter(counts_from(counts))
        self._digest = digest_of(self._path)
        self.name = f"compounds@{stem_of(self._path)}@{self._digest[:12]}"

    def __call__(self, word: str) -> tuple[str, ...]:
        """The parts of the word; the word alone if it is no compound."""
        if self._splitter is None:
            self._splitter = self._received() if self._path else splitter_for("de")
        return self._splitter.split(word)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_splitter": None}

    def _received(self) -> Splitter:
        made = Splitter(counts_from(self._path))
        if (digest := digest_of(self._path)) != self._digest:
            raise InputError(
                f"{self._path} has changed while it was in use (sha256 {self._digest[:12]} before,"
                f" {digest[:12]} now); it must stay as it is until all is scored"
            )
        return made


@cache
def splitter_for(lang: str) -> Splitter:
    """The splitter of a language, with the frequencies of `wordfreq`; made once."""
    if lang not in LANGUAGES:
        raise OptionError(
            f"compounds of language {lang!r} cannot be split; supported: {', '.join(LANGUAGES)}"
        )
    try:
        from wordfreq import get_frequency_dict
    except ImportError:
        raise _no_wordfreq(lang) from None
    return Splitter(get_frequency_dict(lang))


def _no_wordfreq(lang: str) -> OptionError:
    return OptionError(
        "splitting compounds needs the package wordfreq, which is not installed; "
        f"pip install celab[{lang}], or name a corpus to count"
    )


class Splitter:
    """Splits words by the counts of their parts, which may be any positive numbers.

    `minimum` is the length of the shortest part in letters, but for `short`, the shorter words that
    are parts all the same. A part needs `floor` occurrences in a million words, three times as many
    if it has five letters, ten times if fewer. `nouns` says that only what is written like a noun
    is split. Case, ß for ss and the composition of umlauts make no difference to the counts.
    """

    def __init__(
        self,
        counts: Mapping[str, float],
        *,
        minimum: int = 4,
        floor: float = 0.3,
        nouns: bool = True,
        short: Collection[str] = SHORT_NOUNS,
    ) -> None:
        if minimum < 1:
            raise OptionError(f"minimum is {minimum}; the shortest part must have a letter")
        if not 0 <= floor < inf:
            raise OptionError(f"floor is {floor}; it must be a number that is not negative")
        self._nouns = nouns
        self._cached = lru_cache(maxsize=_CACHED)(self._split)
        self._counts: defaultdict[str, float] = defaultdict(float)
        for word, count in counts.items():
            self._counts[fold(word)] += count
        self._total = sum(self._counts.values())
        if counts and not 0 < self._total < inf:
            raise InputError(
                f"the counts of {len(counts)} words add up to {self._total}; "
                "they must be positive numbers"
            )
        self._parts = _parts(self._counts, self._total, minimum, floor * 1e-6, short)
        lengths = [len(key) for key in self._parts] or [0]
        self._shortest, self._longest = min(lengths), max(lengths)

    def split(self, word: str) -> tuple[str, ...]:
        """The parts, spelled as in the word; the word alone if it is not split."""
        return self._cached(word)

    def _split(self, word: str) -> tuple[str, ...]:
        whole = fold(word)
        if not whole.isalpha() or whole in _BARRED or (self._nouns and not _like_noun(word)):
            return (word,)
        steps, end = self._steps(word), 2 * len(word)
        if not any(step.target == end for options in steps.values() for step in options):
            return (word,)
        # The greatest mean on a path, by W. Dinkelbach (1967): with a mean to beat taken off each
        # step, a longest path is above zero if and only if some path has a greater mean.
        count = self._counts.get(whole, 0.0)
        if count > 0:
            mean = log(count / self._total)
        else:
            mean = min(step.score for options in steps.values() for step in options) - 1.0
        found: list[tuple[int, _Step]] = []
        while (path := _longest_path(steps, end, mean))[0] > _EQUAL * len(path[1]):
            found = path[1]
            mean += path[0] / len(found)
        return tuple(_spelled(word, node, step) for node, step in found) or (word,)

    def _steps(self, word: str) -> dict[int, list[_Step]]:
        """By node in ascending order: the parts that may stand there, and where they lead.

        Node 2i is the place before letter i, 2i + 1 the same after a linking s, es, n or en.
        """
        lower, n = word.lower(), len(word)
        plain = lower.isascii() or (len(lower) == n and fold(lower) == lower)
        longest = self._longest if plain else 3 * self._longest  # letters that fold to less
        reached = bytearray(2 * n + 1)
        reached[0] = True
        steps: dict[int, list[_Step]] = {}
        for node in range(2 * n):
            if not reached[node]:
                continue
            start, linked = divmod(node, 2)
            options: list[_Step] = []
            inside = 0
            if lower.startswith(_WHOLE, start):
                inside = start + max(len(w) for w in _WHOLE if lower.startswith(w, start))
            for stop in range(
                start + self._shortest if plain else start + 1, min(start + longest, n) + 1
            ):
                key = lower[start:stop] if plain else fold(word[start:stop])
                part = self._parts.get(key)
                if part is None or stop < inside or (start and part.place > linked):
                    continue
                if stop == n:
                    if start and part.word > -inf:
                        options.append(_Step(2 * n, part.word, n, False))
                    continue
                score, restored = max((part.word, False), (part.stem, True))
                options.append(_Step(2 * stop, score, stop, restored))
                for link in LINKS:
                    after = stop + len(link)
                    if after < n and lower.startswith(link, stop):
                        target = 2 * after + (link[-1] in "sn")
                        if link == "s":  # nothing else follows a stem: Hilf(e)-s-mittel
                            options.append(_Step(target, score, stop, restored))
                        elif part.word > -inf:
                            options.append(_Step(target, part.word, stop, False))
            for step in options:
                reached[step.target] = True
            steps[node] = options
        return steps


class _Part(NamedTuple):
    """What a string may be: logarithms of the shares of the word, and of the word with an e."""

    word: float
    stem: float
    place: int


class _Step(NamedTuple):
    """A part with what links it to the next: the node it leads to, and where the part ends."""

    target: int
    score: float
    stop: int
    restored: bool


def _parts(
    counts: Mapping[str, float], total: float, minimum: int, floor: float, short: Collection[str]
) -> dict[str, _Part]:
    shorter = {fold(word) for word in short} | SHORT_OPENINGS if short else frozenset[str]()
    words: dict[str, float] = {}
    for word, count in counts.items():
        needed = floor * _STRICTER.get(len(word), 1.0)
        if (
            count > 0
            and count >= needed * total
            and (len(word) >= minimum or word in shorter)
            and word.isalpha()
            and word not in _BARRED
            and word not in PAST_TENSES
        ):
            words[word] = log(count / total)
    parts = {word: _Part(score, -inf, _place(word)) for word, score in words.items()}
    for word, score in words.items():
        stem = word[:-1]
        ratio = 1.0 if stem in PAST_TENSES else _RARER
        rarer = counts.get(stem, 0.0) * ratio <= counts[word]
        frequent = len(stem) > 3 or counts[word] >= 100 * floor * total  # Erd(e), but no Ank(e)
        if word[-1] == "e" and len(stem) > 2 and rarer and frequent and stem not in _BARRED:
            parts[stem] = _Part(words.get(stem, -inf), score, _place(stem))
    return parts


def _place(word: str) -> int:
    """Where a part may stand: anywhere 0, else only first or, 1, after a linking s or n."""
    if word in AFTER_LINK:
        return 1
    return 2 if word in _OPENINGS else 0


def _longest_path(
    steps: Mapping[int, list[_Step]], end: int, mean: float
) -> tuple[float, list[tuple[int, _Step]]]:
    """The length of a longest path to the end if each step costs `mean`, and its steps."""
    best = {0: 0.0}
    came: dict[int, tuple[int, _Step]] = {}
    for node, options in steps.items():
        here = best[node] - mean
        for step in options:
            if here + step.score > best.get(step.target, -inf):
                best[step.target] = here + step.score
                came[step.target] = node, step
    path: list[tuple[int, _Step]] = []
    node = end
    while node:
        path.append(came[node])
        node = came[node][0]
    return best[end], path[::-1]


def _spelled(word: str, node: int, step: _Step) -> str:
    part = word[node // 2 : step.stop]
    if not step.restored:
        return part
    return part + ("E" if part.isupper() else "e")


def _like_noun(word: str) -> bool:
    return word[0].isupper() and word[1:].islower()
