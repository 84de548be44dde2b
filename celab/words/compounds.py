"""Compounds: a German noun → its parts, by the frequencies of the parts.

The frequencies are those of `wordfreq`, or of a file of the user's: a text, whose words are
counted, or a table of words and counts; see `counts_from`.

After P. Koehn and K. Knight, Empirical Methods for Compound Splitting, EACL 2003: of all splits of
a word into parts p₁ … pₙ, the word itself among them, the one with the greatest geometric mean

    (count(p₁) · … · count(pₙ)) ^ (1/n)

Between two parts may stand a linking element (`LINKS`), or a final e of the first may be missing;
parts are given without the one and with the other. Frequencies alone split too much (Frei-tag,
Verkehr-sun-fall). Koehn and Knight ask a tagger and a parallel text which parts are content words;
here lists (`compound_words.txt`) say which words cannot be parts and which short words can, and
only a word that is written like a noun is split.

>>> split_compound("Verkehrsunfall")
('Verkehr', 'unfall')
>>> split_compound("Schulhaus"), split_compound("Freitag")
(('Schule', 'haus'), ('Freitag',))
>>> Splitter({"regen": 5, "schirm": 3, "regenschirm": 1}).split("Regenschirm")
('Regen', 'schirm')
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain
from math import inf, log
from pathlib import Path
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.languages import language_code
from celab.base.options import decimal
from celab.words.hanover import German, capitalized, straight
from celab.words.model import loaded, versioned_name

LANGUAGES = ("de",)
LINKS = ("s", "es", "n", "en", "er", "e")


def fold(text: str) -> str:
    """Return the word in lower case, with ss for ß as in `wordfreq`, and umlauts in one piece."""
    return unicodedata.normalize("NFC", text.casefold())


_LISTS = {
    heading: frozenset(map(fold, re.sub("(?m)^#.*", "", words).split()))
    for heading, words in re.findall(
        r"\[(.+)\]([^\[]*)", io.read_text(Path(__file__).with_name("compound_words.txt"))
    )
}
_BARRED = _LISTS["function words"] | _LISTS["prefixes"]
_OPENINGS = _LISTS["suffixes"] | _LISTS["short openings"] | _LISTS["adjectives"]
# Parts that may not stand everywhere: 1 first or after a linking s or n, 2 only first.
_PLACES = dict.fromkeys(_OPENINGS, 2) | dict.fromkeys(_LISTS["after a link"], 1)
_SHORT = _LISTS["short nouns"] | _LISTS["short openings"]
_PAST_TENSES = _LISTS["past tenses"]
_WHOLE = tuple(sorted(_LISTS["whole"]))
_LETTERS = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"[^\t]+\t[0-9]+(\.[0-9]+)?\s*")
_SIGNATURE_MARKS = re.compile(r"[\s|+:@,]")  # these separate parts of a signature
_MAX_CACHED_WORDS = 1 << 17
_MAX_PART_LETTERS = 100  # time grows with it
_MAX_WORD_LETTERS = 1000
_MIN_FREQUENCY = 0.3e-6  # share of all words in running text
# Letters of a part → factor of `_MIN_FREQUENCY`, because short parts are found by chance.
_MIN_FREQUENCY_FACTORS = {1: 100.0, 2: 10.0, 3: 10.0, 4: 10.0, 5: 3.0}
# A stem stands for a word in -e if the word is so many times as frequent: schul (Schule), not haus.
_MIN_RARITY_OF_STEM = 10.0
_LOGARITHM_TOLERANCE = 1e-9  # mean logarithms closer than this are equal


def split_compound(word: str, lang: str = "de") -> tuple[str, ...]:
    """Return the parts of a compound by the frequencies of `wordfreq`, or the word itself.

    Parameters:
        word: a word.
        lang: its language; only German ("de") is supported.

    >>> import celab
    >>> celab.split_compound("Regenschirm")
    ('Regen', 'schirm')
    """
    if not isinstance(word, str):
        raise InputError(f"word is of type {type(word).__name__}; it must be a str")
    return splitter_for(language_code(lang)).split(word)


class Compounds:
    """Splits German compounds, and can be sent to another process.

    `counts` names a file of counts (`counts_from`) to use in place of `wordfreq`. An invalid
    file is an error at once. A pickle holds only its path and digest: the file is read again there
    when the first word is split, and a file that has changed is an error.
    """

    def __init__(self, counts: io.AnyPath | None = None) -> None:
        self._splitter: Splitter | None = None
        self._path = self._digest = ""
        if counts is None:
            self.name = f"compounds@{versioned_name('de', 'wordfreq')}"
            return
        if os.fspath(counts) == "-":
            raise InputError(
                "counts is standard input (-); it must be a file that can be read again"
            )
        self._path = os.path.abspath(counts)
        self._splitter, self._digest = self._read()
        self.name = f"compounds@{stem_of(self._path)}@{self._digest[:12]}"

    def __call__(self, word: str) -> tuple[str, ...]:
        """Return the parts of the word; the word alone if it is not a compound."""
        if self._splitter is None:
            self._splitter = self._read()[0] if self._path else splitter_for("de")
        return self._splitter.split(word)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_splitter": None}

    def _read(self) -> tuple[Splitter, str]:
        with io.digested(self._path, self._path, InputError) as digest:
            splitter = Splitter(counts_from(self._path), f"{self._path}: ")
        if self._digest not in ("", digest):
            raise InputError(
                f"{self._path} has changed while it was in use (sha256 {self._digest[:12]}"
                f" before, {digest[:12]} now); it must not change during scoring"
            )
        return splitter, digest


@cache
def splitter_for(lang: str) -> Splitter:
    """Return the splitter of a language, with the frequencies of `wordfreq`; cached."""
    if lang not in LANGUAGES:
        raise OptionError(
            f"compounds of language {lang!r} cannot be split; supported: {', '.join(LANGUAGES)}"
        )
    return Splitter(loaded(lang, "wordfreq").get_frequency_dict(lang))


class Splitter:
    """Splits words by the counts of their parts, which may be any positive numbers.

    A part has four letters at least, but for the short ones that are listed, and occurs 0.3 times
    in a million words, three times as often if it has five letters, ten times if fewer. Only what
    is written like a noun is split. Case, ß for ss and the composition of umlauts make no
    difference to the counts.
    """

    def __init__(self, counts: Mapping[str, float], where: str = "") -> None:
        self.split = lru_cache(maxsize=_MAX_CACHED_WORDS)(self._split)
        self._counts = _folded(counts)
        self._total = sum(counts.values())
        if counts and not 0 < self._total < inf:
            raise InputError(
                f"{where}the counts of {len(counts)} words add up to {self._total}; "
                "they must be positive numbers"
            )
        self._parts = _parts(self._counts, self._total)
        lengths = [len(key) for key in self._parts] or [0]
        self._shortest, self._longest = min(lengths), max(lengths)

    def _split(self, word: str) -> tuple[str, ...]:
        """Return the parts, spelled as in the word; the word alone if it is not split."""
        whole = fold(word)
        like_noun = len(word) <= _MAX_WORD_LETTERS and word[:1].isupper() and word[1:].islower()
        if not like_noun or not whole.isalpha() or whole in _BARRED:
            return (word,)
        steps, end = self._steps(word), 2 * len(word)
        every = [step for options in steps.values() for step in options]
        if not any(step.target == end for step in every):
            return (word,)
        # The greatest mean on a path, by W. Dinkelbach (1967): with a mean to beat taken off each
        # step, a longest path is above zero if and only if some path has a greater mean.
        count = self._counts.get(whole, 0.0)
        mean = log(count / self._total) if count > 0 else min(s.score for s in every) - 1.0
        best: list[tuple[int, _Step]] = []
        while (path := _longest_path(steps, end, mean))[0] > _LOGARITHM_TOLERANCE * len(path[1]):
            best = path[1]
            mean += path[0] / len(best)
        parts = (
            word[node // 2 : step.stop] + ("e" if step.restored else "") for node, step in best
        )
        return tuple(parts) or (word,)

    def _steps(self, word: str) -> dict[int, list[_Step]]:
        """Return the possible parts at each node, in ascending order, and the nodes they lead to.

        Node 2i is the place before letter i, 2i + 1 the same after a linking s, es, n or en.
        """
        lower, n = word.lower(), len(word)
        plain = lower.isascii() or (len(lower) == n and fold(lower) == lower)
        # Letters may fold to more, or to less.
        shortest, longest = (self._shortest, self._longest) if plain else (1, 3 * self._longest)
        reached = {0}
        steps: dict[int, list[_Step]] = {}
        for node in range(2 * n):
            if node not in reached:
                continue
            start, linked = divmod(node, 2)
            options: list[_Step] = []
            inside = 0
            if lower.startswith(_WHOLE, start):
                inside = start + max(len(w) for w in _WHOLE if lower.startswith(w, start))
            for stop in range(start + shortest, min(start + longest, n) + 1):
                key = lower[start:stop] if plain else fold(word[start:stop])
                part = self._parts.get(key)
                if part is None or stop < inside or (start and part.place > linked):
                    continue
                if stop < n:
                    options.extend(_steps_after(lower, stop, part))
                elif start and part.word > -inf:
                    options.append(_Step(2 * n, part.word, n, False))
            reached.update(step.target for step in options)
            steps[node] = options
        return steps


def _steps_after(lower: str, stop: int, part: _Part) -> Iterator[_Step]:
    """Yield the steps from a part that ends at `stop`, one for each linking element."""
    score, restored = max((part.word, False), (part.stem, True))
    for link in ("", *LINKS):
        after = stop + len(link)
        if after < len(lower) and lower.startswith(link, stop):
            target = 2 * after + link.endswith(("s", "n"))
            if link in ("", "s"):  # nothing else follows a stem: Hilf(e)-s-mittel
                yield _Step(target, score, stop, restored)
            elif part.word > -inf:
                yield _Step(target, part.word, stop, False)


class _Part(NamedTuple):
    """A possible part: logarithms of the frequency of the word, and of the word with an e."""

    word: float
    stem: float
    place: int


class _Step(NamedTuple):
    """A part with what links it to the next: the node it leads to, and where the part ends."""

    target: int
    score: float
    stop: int
    restored: bool


def _folded(counts: Mapping[str, float]) -> dict[str, float]:
    # Most words are folded already, above all those of `wordfreq`.
    folded_counts = dict(counts)
    others = [(word, folded) for word in counts if (folded := fold(word)) != word]
    for word, _ in others:
        del folded_counts[word]
    for word, folded in others:
        folded_counts[folded] = folded_counts.get(folded, 0.0) + counts[word]
    return folded_counts


def _parts(counts: Mapping[str, float], total: float) -> dict[str, _Part]:
    least = _MIN_FREQUENCY * total  # most words are rarer than any part may be
    words = {
        word: log(count / total)
        for word, count in counts.items()
        if count >= least
        and count > 0
        and count >= _MIN_FREQUENCY * _MIN_FREQUENCY_FACTORS.get(len(word), 1.0) * total
        and (4 <= len(word) <= _MAX_PART_LETTERS or word in _SHORT)
        and word.isalpha()
        and word not in _BARRED
        and word not in _PAST_TENSES
    }
    parts = {word: _Part(score, -inf, _PLACES.get(word, 0)) for word, score in words.items()}
    for word, score in words.items():
        stem = word[:-1]
        ratio = 1.0 if stem in _PAST_TENSES else _MIN_RARITY_OF_STEM
        rarer = counts.get(stem, 0.0) * ratio <= counts[word]
        frequent = (
            len(stem) > 3 or counts[word] >= 100 * _MIN_FREQUENCY * total
        )  # Erd(e), but no Ank(e)
        if word[-1] == "e" and len(stem) > 2 and rarer and frequent and stem not in _BARRED:
            parts[stem] = _Part(words.get(stem, -inf), score, _PLACES.get(stem, 0))
    return parts


def _longest_path(
    steps: Mapping[int, list[_Step]], end: int, mean: float
) -> tuple[float, list[tuple[int, _Step]]]:
    """Return the length of a longest path to the end if each step costs `mean`, and its steps."""
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


def counts_from(path: io.AnyPath) -> dict[str, float]:
    """Return counts of lower-cased words, from a corpus or from a table of words and counts.

    A file is a table if it is named `.tsv` or its first line is a word, a tab and a number; blank
    lines and lines that begin with # are skipped then. Everything else is text, of which the runs
    of letters are counted. Either may be compressed.
    """
    name = io.display_name(path)
    if os.fspath(path) != "-":
        with io.reading(name, InputError, "a text file, or - for standard input"):
            io.check_regular(path, name, InputError, "a regular file")
    rest = io.iter_lines(path)
    first = next(rest)
    lines = chain([first], rest)
    if io.suffix_of(name) == ".tsv" or _COUNTED.fullmatch(first):
        counts = _read_table(lines, name)
    else:
        texts = (unicodedata.normalize("NFC", line).lower() for line in lines)
        counts = dict(Counter(word for text in texts for word in _LETTERS.findall(text)))
    if not counts:
        raise InputError(f"{name} has no words; it must be a text, or lines of word, tab, count")
    return counts


def _read_table(lines: Iterable[str], name: str) -> dict[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition("\t")
        count = decimal(rest.strip())
        if count is None or count < 0 or not word.strip():
            raise InputError(
                f"{name}, line {number}: {line[:60]!r} is not a word, a tab and a count; "
                "the count must be a number that is not negative"
            )
        counts[unicodedata.normalize("NFC", word.strip()).lower()] += count
    return counts


def stem_of(path: io.AnyPath) -> str:
    """Return the name of the file for signatures, without its suffix and that of a compression.

    >>> stem_of("texts/news 2019.de.tsv.gz")
    'news_2019.de'
    """
    name = Path(path).name.encode(errors="replace").decode()  # a path may have undecodable bytes
    stem, suffix = os.path.splitext(name)
    if suffix.lower() in io.COMPRESSED:
        stem = os.path.splitext(stem)[0]
    return _SIGNATURE_MARKS.sub("_", stem)


# Parts: German text → the same text with its compounds in parts, and a space after each token.
#
# Tokens are those of `German`, punctuation among them. A compound is given as its parts, each with
# a capital if the word has one; words with hyphens are cut there, too. A soft hyphen is removed: it
# only says where a line may break. With `respelt`, a word that is not split is tried again with
# umlauts where it has ae, oe or ue, because the frequencies are those of words with umlauts.

_WORD = re.compile(r"(?=.*[^\W\d_])\w+(?:[-'‐‑]\w+)*")  # no number or address
_HYPHEN = re.compile("[-‐‑]")
_SOFT_HYPHEN = "\u00ad"
_SPELT = re.compile("[AaOo]e|(?<![AaEeQq])[Uu]e")  # no umlaut: Mauer, neue, Quelle
_UMLAUTS = {"Ae": "Ä", "ae": "ä", "Oe": "Ö", "oe": "ö", "Ue": "Ü", "ue": "ü"}


class WordParts:
    """Texts in parts, by a splitter; each word is split once.

    >>> WordParts(Compounds())(["Ein Regenschirm-Verleih?"])
    ['Ein Regen Schirm Verleih ?']
    """

    def __init__(self, splitter: Compounds, *, respelt: bool = False) -> None:
        self.name = splitter.name
        self._splitter = splitter
        self._respelt = respelt
        self._cached = lru_cache(maxsize=_MAX_CACHED_WORDS)(self._token)

    def __call__(self, texts: list[str]) -> list[str]:
        """Split each text independently."""
        plain = (straight(text.replace(_SOFT_HYPHEN, "")) for text in texts)
        return [" ".join(map(self._cached, German.token.findall(text))) for text in plain]

    def _token(self, token: str) -> str:
        if not _WORD.fullmatch(token):
            return token
        return " ".join(part for word in _HYPHEN.split(token) for part in self._parts(word))

    def _parts(self, word: str) -> tuple[str, ...]:
        parts = self._splitter(word)
        if len(parts) == 1 and self._respelt:
            parts = self._splitter(_SPELT.sub(lambda pair: _UMLAUTS[pair[0]], word))
        return capitalized(parts, word) if len(parts) > 1 else (word,)
