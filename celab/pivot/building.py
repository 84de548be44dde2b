"""Sources of pivot tables → counts of phrase pairs → the arrays of a table.

    tsv      phrase<TAB>pivot phrase<TAB>count, words separated by spaces
    moses    phrase ||| pivot phrase ||| scores ||| alignment ||| counts, the joint count third
    cedict   CC-CEDICT: each headword, Traditional and Simplified, with each of its glosses of up to
             four words, once
    bitext   sentences, their translations, and one or two alignments (`0-0 1-2`), line by line

A line that cannot be read is an error. All are read as streams.

    N(p)              the counts of a phrase, over all its pivot phrases
    p(pivot | phrase) count / N(phrase), for those not below the threshold, made to sum to 1; if all
                      are below it, for those with the greatest count

The pivot words get lemmas and tags here, phrase by phrase, from the analyzer of the pivot language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

import numpy as np

from celab._native.pivot import UNIT, Counts
from celab._native.tokens import build_trie, cut
from celab.base import io
from celab.base.arrays import I32, I64, Bools, Numbers
from celab.base.errors import InputError, LexiconError, OptionError
from celab.base.options import is_digits
from celab.base.text.tokens import has_letters
from celab.lexicon.compiled import Arrays
from celab.lexicon.readers.dictionaries import entry_of, glosses, is_cedict
from celab.lexicon.source import Provenance, label_of
from celab.pivot.pivot_table import COUNT_UNITS, MAX_COST, About
from celab.words.analyzers import LANGUAGES, analyzer
from celab.words.model import Word

MAX_PHRASE_WORDS = 4  # applies to phrases of a bitext and to glosses
MAX_SENTENCE_WORDS = 1000  # an alignment is a matrix of words by words
_MAX_COUNT = 10**12
_ROWS_PER_BATCH = 10_000
_NUMBER = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,12})?(?:[eE][+-]?[0-9]{1,2})?")
_METADATA = re.compile(r"#\s*(origin|licence|version):\s*(.*)", re.IGNORECASE)

Row = tuple[list[str], list[str], int]


class Gathered:
    """Phrase pairs of all sources, as ids of words."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.words: dict[str, int] = {}
        self.pivot_words: dict[str, int] = {}
        self.sources: list[Provenance] = []

    def add_file(self, path: io.AnyPath, swap: bool, case: str) -> None:
        """Add the rows of a file, whose format its first line shows."""
        with io.digested(path, f"pivot source {path}", InputError) as digest:
            self.sources.append(self._add_rows(path, swap, case, digest))

    def _add_rows(self, path: io.AnyPath, swap: bool, case: str, digest: str) -> Provenance:
        name = str(path)
        first = next(content_lines(name, {}), None)
        kind = None if first is None else _recognized(first[1])
        if kind is None:
            seen = f", line {first[0]} has {first[1][:40]!r}" if first else " has nothing"
            raise LexiconError(
                f"pivot source {name}{seen}; it must be phrase<TAB>pivot<TAB>count, a Moses"
                " phrase table, CC-CEDICT, or bitext with alignment"
            )
        metadata: dict[str, str] = {}
        batch: list[Row] = []
        for number, line in content_lines(name, metadata):
            for phrase, pivot, count in _READ[kind](f"pivot source {name}, line {number}", line):
                if case == "lower":
                    phrase, pivot = phrase.lower(), pivot.lower()
                words, pivot_words = phrase.split(), pivot.split()
                sides = (pivot_words, words) if swap else (words, pivot_words)
                batch.append((*sides, count))
            if len(batch) >= _ROWS_PER_BATCH:
                self._add(batch)
                batch = []
        self._add(batch)
        origin, licence, version = (
            metadata.get(key, "") for key in ("origin", "licence", "version")
        )
        return Provenance(
            name=label_of(Path(path)),
            format=kind,
            origin=origin,
            licence=licence,
            version=version,
            digest=digest,
        )

    def _add(self, batch: Sequence[Row]) -> None:
        self.counts.add(
            *_ids([row[0] for row in batch], self.words),
            *_ids([row[1] for row in batch], self.pivot_words),
            np.array([row[2] for row in batch], np.int64),
        )

    def add_bitext(
        self,
        target: io.AnyPath,
        pivot: io.AnyPath,
        alignments: Sequence[io.AnyPath],
        swap: bool,
        case: str,
    ) -> None:
        """Add sentences with alignments; two alignments are combined by grow-diag-final-and."""
        paths = [target, pivot, *alignments]
        with ExitStack() as stack:
            digests = [
                stack.enter_context(io.digested(path, f"pivot source {path}", InputError))
                for path in paths
            ]
            self._add_sentences(paths, swap, case)
        self.sources += [
            Provenance(
                name=label_of(Path(path)),
                format="bitext",
                origin="",
                licence="",
                version="",
                digest=digest,
            )
            for path, digest in zip(paths, digests, strict=True)
        ]

    def _add_sentences(self, paths: Sequence[io.AnyPath], swap: bool, case: str) -> None:
        alignments = paths[2:]
        sides: list[list[list[str]]] = [[], []]
        links: list[list[list[int]]] = [[] for _ in alignments]
        readers: Iterator[tuple[str | None, ...]] = zip_longest(*map(io.iter_lines, paths))
        for number, found_lines in enumerate(readers, 1):
            if None in found_lines:
                short = paths[found_lines.index(None)]
                raise LexiconError(
                    f"pivot source {short} ends at line {number - 1:,}, but another file of the"
                    " bitext goes on; all must have equally many lines"
                )
            lines = cast(tuple[str, ...], found_lines)
            words = [(line.lower() if case == "lower" else line).split() for line in lines[:2]]
            for side, path, sentence in zip(sides, paths, words, strict=False):
                if len(sentence) > MAX_SENTENCE_WORDS:
                    raise LexiconError(
                        f"pivot source {path}, line {number}: it has {len(sentence):,} words; a"
                        f" sentence may have {MAX_SENTENCE_WORDS:,}"
                    )
                side.append(sentence)
            for rows, path, line in zip(links, alignments, lines[2:], strict=True):
                where = f"pivot source {path}, line {number}"
                rows.append(_links(where, line, len(words[0]), len(words[1])))
            if len(sides[0]) == _ROWS_PER_BATCH:
                self._extract(sides, links, swap)
                sides, links = [[], []], [[] for _ in alignments]
        self._extract(sides, links, swap)

    def _extract(
        self, sides: list[list[list[str]]], links: list[list[list[int]]], swap: bool
    ) -> None:
        if swap:
            sides = sides[::-1]
            links = [
                [[x for k in range(0, len(row), 2) for x in (row[k + 1], row[k])] for row in rows]
                for rows in links
            ]
        arrays: list[Any] = []
        for rows in links:
            flat = [number for row in rows for number in row]
            arrays += [np.array(flat, np.int32), _starts(rows)]
        settings: Any = {"longest": MAX_PHRASE_WORDS, "count": COUNT_UNITS}
        arrays = [*_ids(sides[0], self.words), *_ids(sides[1], self.pivot_words), *arrays]
        self.counts.extract(*arrays, **settings)


def content_lines(path: str, metadata: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line that is neither blank nor a comment.

    What comments say of origin, license and version is added to `metadata`.
    """
    for number, line in enumerate(io.iter_lines(path), 1):
        if line.startswith("#") and line.count("\t") < 2 and " ||| " not in line:
            if match := _METADATA.match(line):
                metadata.setdefault(match[1].lower(), match[2].strip())
            elif match := re.match(r"#! ?(license|date|publisher)=(\S*)", line):
                key = {"license": "licence", "date": "version", "publisher": "origin"}
                metadata.setdefault(key[match[1]], match[2])
        elif line.strip():
            yield number, line


def _recognized(line: str) -> str | None:
    if " ||| " in line:
        return "moses"
    if is_cedict(Path(), line):
        return "cedict"
    return "tsv" if "\t" in line else None


def _tsv(where: str, line: str) -> Iterator[tuple[str, str, int]]:
    cells = line.split("\t")
    if len(cells) != 3:
        raise LexiconError(
            f"{where}: it has {len(cells)} cells; it must have three: phrase, pivot phrase, count"
        )
    yield _phrase(where, cells[0]), _phrase(where, cells[1]), _count(where, cells[2])


def _moses(where: str, line: str) -> Iterator[tuple[str, str, int]]:
    fields = line.split("|||")
    counts = fields[4].split() if len(fields) > 4 else []
    if len(counts) < 3:
        raise LexiconError(
            f"{where}: it has no joint count, the third number of the fifth field; make the phrase"
            " table with its counts"
        )
    yield _phrase(where, fields[0]), _phrase(where, fields[1]), _count(where, counts[2])


def _cedict(where: str, line: str) -> Iterator[tuple[str, str, int]]:
    entry = entry_of(line)
    if entry is None:
        raise LexiconError(f"{where}: {line[:20]!r} is not an entry such as '傳統 传统 [..] /…/'")
    words, text = entry
    for gloss in dict.fromkeys(glosses(text)):
        if len(gloss.split()) <= MAX_PHRASE_WORDS:
            for word in dict.fromkeys(words):
                yield word, gloss, COUNT_UNITS


_READ = {"tsv": _tsv, "moses": _moses, "cedict": _cedict}


def _phrase(where: str, text: str) -> str:
    if not text.strip():
        raise LexiconError(f"{where}: a phrase is empty; it must have at least one word")
    return text


def _count(where: str, text: str) -> int:
    text = text.strip()
    if _NUMBER.fullmatch(text) and 1 <= (count := round(float(text) * COUNT_UNITS)) < _MAX_COUNT:
        return count
    raise LexiconError(
        f"{where}: the count is {text[:20]!r}; it must be a number from 0.001 to 999,999,999"
    )


def _links(where: str, line: str, n_x: int, n_y: int) -> list[int]:
    links: list[int] = []
    for pair in line.split():
        left, dash, right = pair.partition("-")
        if not (dash and is_digits(left) and is_digits(right) and len(pair) < 12):
            raise LexiconError(f"{where}: {pair[:20]!r} is not a link such as 0-1")
        i, j = int(left), int(right)
        if i >= n_x or j >= n_y:
            raise LexiconError(
                f"{where}: the link {pair} leaves its sentences of {n_x} and {n_y} words; links are"
                " pairs of positions from 0"
            )
        links += (i, j)
    return links


def _starts(rows: Sequence[Sequence[object]]) -> I64:
    return np.cumsum([0, *map(len, rows)], dtype=np.int64)


def _ids(rows: Sequence[Sequence[str]], known: dict[str, int]) -> tuple[I32, I64]:
    ids = [known.setdefault(word, len(known)) for row in rows for word in row]
    return np.array(ids, np.int32), _starts(rows)


MAX_TOKENS = 0x110000  # the trie numbers its letters as code points
MAX_EDGES_PER_PHRASE = 100  # an edge leads to a pivot phrase
# If all edges of a phrase are below the threshold, the most frequent are kept, at most so many.
MAX_EQUAL_EDGES = 10
CHARACTERS = ("zh", "ja")  # languages whose phrases are made of characters


def build(
    gathered: Gathered,
    name: str,
    *,
    lang: str,
    pivot_lang: str | None,
    unit: str | None,
    case: str,
    threshold: float,
    min_count: int,
) -> tuple[Arrays, About]:
    """Return the arrays of a table, and what it is."""
    if not 0 <= threshold < 1:
        raise OptionError("threshold", threshold, "it must be from 0 to below 1")
    unit = unit or ("char" if lang in CHARACTERS else "word")
    if unit not in ("char", "word"):
        raise OptionError("unit", unit, "choose from char, word")
    counts, tokens = _by_unit(gathered, unit)
    phrase: Numbers
    pivot: Numbers
    token, token_start, word, word_start, phrase, pivot, count = counts.arrays()
    if len(tokens) >= MAX_TOKENS:
        raise LexiconError(
            f"the pivot table is too large: it has {len(tokens):,} different words; it must have"
            f" fewer than {MAX_TOKENS:,}"
        )
    total = _sums(phrase, count, len(token_start) - 1)
    enough = total >= min_count * COUNT_UNITS
    kept = enough[phrase] & _kept(phrase, count, total, threshold)
    phrase, pivot, count = phrase[kept], pivot[kept], count[kept]
    if not len(phrase):
        raise LexiconError("no phrase is left for the pivot table; nothing is written")
    p = normalized_probabilities(phrase, count)
    phrase, pivot, p = phrase[p > 0], pivot[p > 0], p[p > 0]
    phrases, phrase = np.unique(phrase, return_inverse=True)
    pivots, pivot = np.unique(pivot, return_inverse=True)
    phrase_token, phrase_start = _rows(token, token_start, phrases)
    slots, root = build_trie(phrase_token, phrase_start)
    texts = {text: i for i, text in enumerate(tokens)}
    forms = list(gathered.pivot_words)
    pivot_token, pivot_start = _rows(word, word_start, pivots)
    kinds, pivot_word, words = _analyzed(
        [
            [forms[i] for i in pivot_token[a:b].tolist()]
            for a, b in zip(pivot_start[:-1].tolist(), pivot_start[1:].tolist(), strict=True)
        ],
        pivot_lang,
        texts,
    )
    about = About(
        name=name,
        lang=lang,
        pivot_lang=pivot_lang,
        unit=unit,
        case=case,
        words=words,
        threshold=threshold,
        min_count=min_count,
        n_tokens=len(tokens),
        sources=tuple(gathered.sources),
    )
    encoded = [text.encode("utf-8", "replace") for text in texts]
    return {
        "slots": slots,
        "root": root,
        "word_start": np.searchsorted(phrase, np.arange(len(phrases) + 1)),
        "word_group": pivot,
        "p": p,
        "count": total[phrases],
        "cost": _costs(total[phrases]),
        "phrase_start": phrase_start,
        "phrase_token": phrase_token,
        "pivot_start": pivot_start,
        "pivot_word": pivot_word,
        "kinds": kinds.reshape(-1),
        "text_start": np.cumsum([0, *map(len, encoded)]),
        "text": np.frombuffer(b"".join(encoded), np.uint8),
    }, about


def _by_unit(gathered: Gathered, unit: str) -> tuple[Counts, list[str]]:
    """Return the counts by phrases of tokens, and the tokens."""
    words = list(gathered.words)
    if unit == "word":
        return gathered.counts, words
    token, start, word, word_start, phrase, pivot, count = gathered.counts.arrays()
    known: dict[str, int] = {}
    cuts = [
        [known.setdefault(unit, len(known)) for unit in cut(text, True, True)] for text in words
    ]
    rows = [
        [unit for i in token[a:b].tolist() for unit in cuts[i]]
        for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
    ]
    filled = np.array([bool(row) for row in rows], np.bool_)[phrase]
    phrase, pivot, count = phrase[filled], pivot[filled], count[filled]
    flat = np.array([unit for row in rows for unit in row], np.int32)
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    counts = Counts()
    for at in range(0, len(phrase), 100_000):
        edges = slice(at, at + 100_000)
        counts.add(
            *_rows(flat, starts, phrase[edges]),
            *_rows(word, word_start, pivot[edges]),
            count[edges],
        )
    return counts, list(known)


def _rows(items: Numbers, start: I64, chosen: Numbers) -> tuple[Numbers, I64]:
    """Return the chosen rows of a ragged array, in the order of `chosen`."""
    length = start[chosen + 1] - start[chosen]
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(length)))
    at = np.arange(begin[-1]) - np.repeat(begin[:-1] - start[chosen], length)
    return np.ascontiguousarray(items[at]), begin


def _sums(phrase: I32, count: I64, n: int) -> I64:
    total = np.zeros(n, np.int64)
    np.add.at(total, phrase, count)
    return total


def _kept(phrase: I32, count: I64, total: I64, threshold: float) -> Bools:
    """Return which pairs reach the threshold; of phrases without such a pair, the most frequent."""
    enough = count / total[phrase] >= threshold
    best = np.zeros(len(total), np.int64)
    np.maximum.at(best, phrase, count)
    has_enough = np.zeros(len(total), np.bool_)
    has_enough[phrase[enough]] = True
    equal = ~has_enough[phrase] & (count == best[phrase])
    is_kept: Bools = _first(enough, phrase, count, MAX_EDGES_PER_PHRASE)
    return is_kept | _first(equal, phrase, count, MAX_EQUAL_EDGES)


def _first(chosen: Bools, phrase: I32, count: I64, most: int) -> Bools:
    """Return the most frequent of the chosen pairs of each phrase."""
    at = np.flatnonzero(chosen)
    at = at[np.lexsort((at, -count[at], phrase[at]))]
    rank = np.arange(len(at)) - np.searchsorted(phrase[at], phrase[at])
    kept = np.zeros(len(chosen), np.bool_)
    kept[at[rank < most]] = True
    return kept


def normalized_probabilities(phrase: I32, count: I64) -> I64:
    """Return probabilities in units of 10⁻⁹ that sum to 1 for each phrase; phrases are sorted."""
    total = _sums(phrase, count, int(phrase[-1]) + 1)[phrase]
    first = np.searchsorted(phrase, phrase)
    so_far = np.cumsum(count)
    before = so_far - count - (so_far - count)[first]
    shift = np.maximum(0, np.ceil(np.log2(total)).astype(np.int64) - 32)  # so that nothing is lost
    low, high, all_of = before >> shift, (before + count) >> shift, total >> shift
    return np.asarray(high * UNIT // all_of - low * UNIT // all_of, np.int64)


def _costs(count: I64) -> I64:
    """Return the costs log Σ N - log N(p), the last for an unknown word, N = ½; units of 2⁻³²."""
    whole = math.log(int(count.sum()))
    log = {n: math.log(n) for n in {*count.tolist(), COUNT_UNITS // 2}}
    costs = [round((whole - log[n]) * 2**32) for n in (*count.tolist(), COUNT_UNITS // 2)]
    return np.clip(np.array(costs, np.int64), 0, MAX_COST)


def _analyzed(
    phrases: Sequence[Sequence[str]], lang: str | None, texts: dict[str, int]
) -> tuple[Numbers, Numbers, str]:
    """Return the distinct pivot words, the words of each phrase, and the name of the analyzer."""
    words = analyzer(lang) if lang in LANGUAGES else None
    known: dict[tuple[int, int, int, bool], int] = {}
    ids = []
    for forms in phrases:
        for word in words.tagged(forms) if words else map(_plain, forms):
            function = word.function or not has_letters(word.form)
            form, lemma, tag = (
                texts.setdefault(text, len(texts)) for text in (word.form, word.lemma, word.tag)
            )
            ids.append(known.setdefault((form, lemma, tag, function), len(known)))
    kinds = np.array(list(known), np.int32)
    return kinds, np.array(ids, np.int32), words.name if words else "forms"


def _plain(form: str) -> Word:
    return Word(form, form.lower(), "", False)


def named(output: io.AnyPath | None, sources: Sequence[io.AnyPath]) -> str:
    """Return the name of a table: the name of its file, or of its first source."""
    return label_of(Path(output or sources[0])).removesuffix(".pivot")
