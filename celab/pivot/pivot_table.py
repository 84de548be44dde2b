"""A pivot table: phrases of one language with their translations into another, in a `.pivot` file.

The phrases are the words of a trie whose letters are tokens, and the pivot phrases are its groups,
so the kernels of the lexicons search them. The arrays of a file, besides the trie:

    about                        JSON: languages, settings and sources
    phrase_start, phrase_token   the tokens of each phrase
    count                        N(p) of each phrase, in thousandths
    cost                         log Σ N - log N(p), in units of 2⁻³²; the last is an unknown word's
    word_start, word_group       the pivot phrases of each phrase
    p                            probabilities of pivot phrases, in 10⁻⁹; they sum to 1 per phrase
    pivot_start, pivot_word      the pivot words of each pivot phrase
    kinds                        rows: texts of form, lemma, tag; 1 for a function word
    text_start, text             the texts; the first are the tokens
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from celab._native.pivot import UNIT, Networks
from celab._native.tokens import Lexicon, build_trie, cut
from celab.base import io
from celab.base.arrays import I8, I32, I64
from celab.base.errors import LexiconError, OptionError
from celab.base.json_files import parse_json
from celab.base.text.tokens import has_letters
from celab.lexicon.compiled import MAX_FILE_BYTES, Arrays, are_rows, load_arrays, save_arrays
from celab.lexicon.source import Group, Provenance, Thesaurus, label_of

MAGIC = b"CELABPV1"
TYPES = {
    "about": "u1",
    "slots": "i4",
    "root": "i4",
    "word_start": "i4",
    "word_group": "i4",
    "p": "i4",
    "count": "i8",
    "cost": "i8",
    "phrase_start": "i8",
    "phrase_token": "i4",
    "pivot_start": "i8",
    "pivot_word": "i4",
    "kinds": "i4",
    "text_start": "i8",
    "text": "u1",
}
COUNT_UNITS = 1000  # counts are stored in thousandths
MAX_COST = 1 << 40
MIN_NGRAM_WEIGHT = UNIT // 100  # PEM drops n-grams of this weight or less (section 6.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Metadata of a table: its languages, how it was built, and its sources."""

    name: str
    lang: str
    pivot_lang: str | None
    unit: str  # "word" if phrases are words separated by spaces, else "char"
    case: str
    words: str  # analyzer of the pivot words; "forms" if they have no lemmas and tags
    threshold: float
    min_count: int
    n_tokens: int
    sources: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True)
class Translation:
    """A pivot phrase and its probability."""

    phrase: str
    probability: float


class Coded(NamedTuple):
    """Sentences as ids of tokens; `extra` has the tokens that are not in the table."""

    token: I32
    start: I64
    extra: list[str]


class PivotTable:
    """A pivot table, checked and read-only.

    Attributes:
        about: languages, settings and sources.
        digest: BLAKE2b of the content, for signatures.
    """

    def __init__(self, arrays: Arrays, about: About, digest: str, path: str) -> None:
        self.about, self.digest, self.path = about, digest, path
        self._arrays = arrays
        start = arrays["text_start"].tolist()
        data = arrays["text"].tobytes()
        self.texts = [data[a:b].decode() for a, b in pairwise(start)]
        self._ids = {text: i for i, text in enumerate(self.texts)}
        for text in self.texts.copy():  # unknown words are compared in lower case
            lower = text.lower()
            if self._ids.setdefault(lower, len(self.texts)) == len(self.texts):
                self.texts.append(lower)
        self.kinds = cast(I32, arrays["kinds"].reshape(-1, 4))
        n_phrases = len(arrays["count"])
        # The trie is built again, because a kernel may not trust the one in the file.
        slots, root = build_trie(arrays["phrase_token"], arrays["phrase_start"])
        trie = Lexicon(
            about.name,
            slots,
            root,
            arrays["word_start"],
            arrays["word_group"],
            len(arrays["pivot_start"]) - 1,
        )
        cost = arrays["cost"]
        self._networks = Networks(
            trie=trie,
            p=arrays["p"],
            cost=cost[:n_phrases],
            start=arrays["pivot_start"],
            word=arrays["pivot_word"],
            unknown=int(cost[n_phrases]),
            n_words=len(self.kinds),
        )
        self._trie = trie

    def __len__(self) -> int:
        return len(self._arrays["count"])

    def __repr__(self) -> str:
        to = self.about.pivot_lang or "?"
        return f"<pivot table {self.about.name}: {len(self):,} phrases, {self.about.lang} to {to}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _opened_again, (self.path, self.digest)

    @property
    def signature_id(self) -> str:
        """Name and digest, as in signatures."""
        return f"{label_of(Path(self.about.name))}@{self.digest[:12]}"

    @property
    def has_tags(self) -> bool:
        """Whether pivot words have tags."""
        return self.about.words != "forms"

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text: words between spaces, or characters."""
        text = text.lower() if self.about.case == "lower" else text
        return cut(text, True, True) if self.about.unit == "char" else text.split()

    def lookup(self, phrase: str) -> list[Translation]:
        """Return the translations of a phrase, the most probable first; none if it is unknown.

        >>> table = __import__("celab").pivot.open("t.pivot")  # doctest: +SKIP
        >>> table.lookup("Hello ,")[0]  # doctest: +SKIP
        Translation(phrase='Bonjour ,', probability=0.9)
        """
        number = self._trie.find(self.coded([self.tokens(phrase)]).token)
        return sorted(self._translations(number), key=lambda translation: -translation.probability)

    def _translations(self, phrase: int) -> Iterator[Translation]:
        if phrase >= 0:
            start = self._arrays["word_start"]
            for e in range(int(start[phrase]), int(start[phrase + 1])):
                words = self._pivot_words(int(self._arrays["word_group"][e]))
                text = " ".join(self.texts[self.kinds[word, 0]] for word in words)
                yield Translation(text, int(self._arrays["p"][e]) / UNIT)

    def _pivot_words(self, pivot: int) -> list[int]:
        start = self._arrays["pivot_start"]
        words: list[int] = self._arrays["pivot_word"][start[pivot] : start[pivot + 1]].tolist()
        return words

    def segment(self, text: str) -> list[str]:
        """Return the phrases of the most probable segmentation; an unknown word is a phrase."""
        tokens = self.tokens(text)
        coded = self.coded([tokens])
        at, phrases = 0, []
        for length in self._networks.segments(coded.token, coded.start)[0].tolist():
            phrases.append(self._joined(tokens[at : at + length]))
            at += length
        return phrases

    def _joined(self, tokens: Sequence[str]) -> str:
        if self.about.unit == "word":
            return " ".join(tokens)
        text = "".join(tokens[:1])
        for before, token in pairwise(tokens):  # Latin words need a space between them
            text += f" {token}" if before[-1:].isascii() and token[:1].isascii() else token
        return text

    def grams(self, text: str, max_order: int = 4) -> dict[tuple[str, ...], float]:
        """Return the weights of the n-grams of a sentence's network; keys are lemmas."""
        return {gram: mass / UNIT for gram, mass in self._grams(text, max_order).items()}

    def _grams(self, text: str, max_order: int) -> dict[tuple[str, ...], int]:
        coded = self.coded([self.tokens(text)])
        n_words, totals = len(self.kinds), dict[tuple[str, ...], int]()
        texts = [*self.texts, *coded.extra]
        for grams, masses, _ in self._networks.grams(coded.token, coded.start, max_order):
            for gram, mass in zip(grams.tolist(), masses.tolist(), strict=True):
                key = tuple(
                    self.texts[self.kinds[word, 1]]
                    if word < n_words
                    else texts[word - n_words].lower()
                    for word in gram
                )
                totals[key] = totals.get(key, 0) + mass
        return totals

    def f1(self, a: str, b: str) -> float:
        """Return PEM's pivot F1 of two sentences: n-grams of 1 to 4 pivot lemmas in one bag, Σ min.

        N-grams of a weight of at most 0.01 do not count, as in the paper (section 6.1).

        >>> table = __import__("celab").pivot.open("t.pivot")  # doctest: +SKIP
        >>> table.f1("Hello , Querrien .", "Morning , sir .")  # doctest: +SKIP
        0.38
        """
        x, y = (
            {gram: mass for gram, mass in self._grams(text, 4).items() if mass > MIN_NGRAM_WEIGHT}
            for text in (a, b)
        )
        if not x and not y:
            return 1.0
        both = sum(min(mass, y.get(gram, 0)) for gram, mass in x.items())
        return 2 * both / (sum(x.values()) + sum(y.values()))

    def similar(self, a: str, b: str) -> float:
        """Return the overlap of two phrases' translations, Σ min(p(f|a), p(f|b)).

        Translations are compared by their lemmas. An unknown phrase has no overlap with any.
        """
        x, y = (
            self._lemmas(self._trie.find(self.coded([self.tokens(phrase)]).token))
            for phrase in (a, b)
        )
        return _overlap(x, y) / UNIT

    def _lemmas(self, phrase: int) -> dict[tuple[int, ...], int]:
        masses: dict[tuple[int, ...], int] = {}
        if phrase >= 0:
            first, last = self._arrays["word_start"][phrase : phrase + 2].tolist()
            edges = self._arrays["word_group"][first:last].tolist()
            for pivot, p in zip(edges, self._arrays["p"][first:last].tolist(), strict=True):
                lemmas = tuple(int(self.kinds[word, 1]) for word in self._pivot_words(pivot))
                masses[lemmas] = masses.get(lemmas, 0) + p
        return masses

    def lexicon(self, threshold: float = 0.5, min_count: int = 2, most: int = 50) -> Thesaurus:
        """Return a lexicon of the pairs of phrases that are `similar` to the threshold or more.

        Parameters:
            threshold: least overlap of the translations of two phrases, above 0 to 1.
            min_count: least count of a phrase.
            most: translations of more phrases than this relate none of them.

        Phrases without a letter, and pairs of which one contains the other, are left out.
        """
        if not 0 < threshold <= 1:
            raise OptionError("threshold", threshold, "it must be above 0 and at most 1")
        by_pivot: dict[tuple[int, ...], list[int]] = {}
        translated: dict[int, dict[tuple[int, ...], int]] = {}
        for phrase in np.flatnonzero(self._arrays["count"] >= min_count * COUNT_UNITS).tolist():
            translated[phrase] = self._lemmas(phrase)
            for lemmas in translated[phrase]:
                by_pivot.setdefault(lemmas, []).append(phrase)
        least = threshold * UNIT * (1 - 1e-9)
        related: dict[tuple[int, int], tuple[int, ...]] = {}
        for lemmas, phrases in by_pivot.items():
            if len(phrases) <= most:
                for a, b in combinations(phrases, 2):
                    if (a, b) not in related and _overlap(translated[a], translated[b]) >= least:
                        related[a, b] = lemmas
        groups = list(self._groups(related))
        if not groups:
            raise LexiconError(
                f"{self.path} has no two phrases with an overlap of {threshold:g} or more;"
                " give a lower threshold"
            )
        name = self.about.name
        licence = "; ".join(dict.fromkeys(filter(None, (s.licence for s in self.about.sources))))
        origin = f"pivot table {self.signature_id}, overlap of {threshold:g} or more"
        return Thesaurus(
            name=name,
            sources=[
                Provenance(
                    name=name,
                    format="pivot",
                    origin=origin,
                    licence=licence,
                    version="",
                    digest=self.digest,
                )
            ],
            groups=groups,
        )

    def _groups(self, related: Mapping[tuple[int, int], tuple[int, ...]]) -> Iterator[Group]:
        """Yield pairs of related phrases with letters, unless one contains the other."""
        start = self._arrays["phrase_start"].tolist()
        tokens = self._arrays["phrase_token"].tolist()
        texts = {
            phrase: self._joined([self.texts[t] for t in tokens[start[phrase] : start[phrase + 1]]])
            for phrase in {phrase for pair in related for phrase in pair}
        }
        for (a, b), lemmas in sorted(related.items()):
            x, y = texts[a], texts[b]
            has_letters = all(any(map(str.isalpha, text)) for text in (x, y))
            if has_letters and x not in y and y not in x:
                yield Group(" ".join(self.texts[lemma] for lemma in lemmas), (x, y))

    def coded(self, sentences: Sequence[Sequence[str]]) -> Coded:
        """Return tokens as ids; unknown tokens get ids after the texts of the table."""
        extra: dict[str, int] = {}
        ids, n = self._ids, len(self.texts)
        token = []
        for sentence in sentences:
            for text in sentence:
                number = ids.get(text)
                if number is None:
                    number = n + extra.setdefault(text, len(extra))
                token.append(number)
        start = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        return Coded(np.array(token, np.int32), start, list(extra))

    def networks(
        self, coded: Coded, sentences: slice, max_order: int
    ) -> list[tuple[I32, I64, I64]]:
        """Return for each order: pivot words (items, order), weights in 10⁻⁹, starts of sentences.

        `kinds_of` gives lemma, tag and function of these words.
        """
        start = coded.start[sentences.start : sentences.stop + 1]
        token = coded.token[start[0] : start[-1]]
        return self._networks.grams(token, start - start[0], max_order)

    def kinds_of(self, coded: Coded) -> tuple[I32, I32, I8]:
        """Return lemma, tag and function word of pivot words, then of tokens without translation.

        A token without translation stands for itself. It has a tag that no other word has, and is a
        function word if it has no letter or digit.
        """
        ids = dict(zip(coded.extra, range(len(self.texts), 1 << 31), strict=False))
        passing = self._passing, _passing(coded.extra, ids, self._ids)
        lemma, tag, function = np.concatenate((self.kinds[:, 1:], *passing)).T.copy()
        return lemma, tag, function.astype(np.int8)

    @cached_property
    def _passing(self) -> I32:
        return _passing(self.texts, {}, self._ids)


def _passing(texts: Sequence[str], ids: dict[str, int], known: dict[str, int]) -> I32:
    rows = []
    for text in texts:
        lower = text.lower()
        lemma = known.get(lower)
        if lemma is None:
            lemma = ids.setdefault(lower, (1 << 30) + len(ids))
        rows.append((lemma, -1 - lemma, not has_letters(text)))
    return np.array(rows, np.int32).reshape(-1, 3)


def save(arrays: Arrays, about: About, path: io.AnyPath) -> None:
    """Write the file in one piece, or raise `LexiconError` and leave nothing behind."""
    text = json.dumps(asdict(about), ensure_ascii=False, sort_keys=True)
    arrays = arrays | {"about": np.frombuffer(text.encode("utf-8", "replace"), np.uint8)}
    arrays = {name: np.ascontiguousarray(arrays[name], kind) for name, kind in TYPES.items()}
    with io.writing(path, LexiconError):
        save_arrays(arrays, TYPES, MAGIC, "", Path(path))


def load_table(path: io.AnyPath) -> PivotTable:
    """Read and check a `.pivot` file."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"a pivot table is of type {type(path).__name__}; it must be the path of a .pivot file"
        )
    name = os.fspath(path)
    with io.reading(f"pivot table {name}", LexiconError, "a .pivot file"):
        io.check_regular(path, f"pivot table {name}", LexiconError, "a .pivot file")
        size = os.stat(path).st_size
        with io.open_binary(path) as stream:
            start = stream.read(len(MAGIC))
    if start != MAGIC:
        raise LexiconError(
            f"pivot table {name} begins with {start[:8]!r}; it must be a .pivot file, which"
            " celab pivot build makes"
        )
    if size > MAX_FILE_BYTES:
        raise LexiconError(
            f"pivot table {name} has more than {MAX_FILE_BYTES >> 20:,} MiB, which is the limit"
        )
    if loaded := load_arrays(TYPES, MAGIC, "", Path(path)):
        arrays, digest = loaded
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            metadata = parse_json(arrays["about"].tobytes())
            sources = tuple(Provenance(**source) for source in metadata.pop("sources"))
            about = About(**metadata, sources=sources)
            if _is_sound(arrays, about):
                return PivotTable(arrays, about, digest, os.path.abspath(name))
    raise LexiconError(f"pivot table {name} is damaged; build it again")


def _opened_again(path: str, digest: str) -> PivotTable:
    table = load_table(path)
    if table.digest != digest:
        raise LexiconError(
            f"pivot table {path} had the digest {digest[:12]} when it was pickled, but here it is"
            f" {table.digest[:12]}; use the same file in both places"
        )
    return table


def _overlap(x: Mapping[tuple[int, ...], int], y: Mapping[tuple[int, ...], int]) -> int:
    """Return the mass that two distributions over translations share."""
    return sum(min(mass, y.get(key, 0)) for key, mass in x.items())


def _is_sound(arrays: Arrays, about: About) -> bool:
    # The kernels rely on indices within their arrays, and on sums that fit.
    n_pivots, n_texts = len(arrays["pivot_start"]) - 1, len(arrays["text_start"]) - 1
    kinds, p, cost = arrays["kinds"].reshape(-1, 4), arrays["p"], arrays["cost"]
    rows = (
        ("word_start", "word_group", n_pivots),
        ("phrase_start", "phrase_token", min(about.n_tokens, n_texts)),
        ("pivot_start", "pivot_word", len(kinds)),
    )
    return bool(
        all(are_rows(arrays[start], arrays[items], n) for start, items, n in rows)
        and len(arrays["word_start"]) == len(arrays["phrase_start"]) == len(cost)
        and len(cost) == len(arrays["count"]) + 1 > 1
        and ((p >= 0) & (p <= UNIT)).all()
        and ((cost >= 0) & (cost <= MAX_COST)).all()
        and (kinds >= 0).all()
        and (kinds[:, :3] < n_texts).all()
    )
