"""Counts of phrase pairs → the arrays of a pivot table.

    N(p)              the counts of a phrase, over all its pivot phrases
    p(pivot | phrase) count / N(phrase), for those not below the threshold, made to sum to 1; if all
                      are below it, for those with the greatest count

The pivot words get lemmas and tags here, phrase by phrase, from the analyzer of the pivot language.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from celab._native.lexicon import build_trie
from celab._native.pivot import UNIT, Counts
from celab._native.tokens import cut
from celab.analysis.analyzers import LANGUAGES, analyzer
from celab.analysis.model import Word
from celab.base import io
from celab.base.arrays import I32, I64, Bools, Numbers
from celab.base.errors import LexiconError, OptionError
from celab.base.text.tokens import has_letters
from celab.lexicon.compiled import Arrays
from celab.lexicon.source import label_of
from celab.pivot.sources import Gathered
from celab.pivot.table import COUNTED, MOST_COST, About

MOST_TOKENS = 0x110000  # the trie's letters
MOST_EDGES = 100  # pivot phrases of one phrase
MOST_EQUAL = 10  # of those that are kept because all are below the threshold
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
    if len(tokens) >= MOST_TOKENS:
        raise LexiconError(
            f"the pivot table is too large: it has {len(tokens):,} different words; it must have"
            f" fewer than {MOST_TOKENS:,}"
        )
    total = _sums(phrase, count, len(token_start) - 1)
    enough = total >= min_count * COUNTED
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
        name,
        lang,
        pivot_lang,
        unit,
        case,
        words,
        threshold,
        min_count,
        len(tokens),
        tuple(gathered.sources),
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
    """Return the rows of a ragged array that are chosen, in that order."""
    length = start[chosen + 1] - start[chosen]
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(length)))
    at = np.arange(begin[-1]) - np.repeat(begin[:-1] - start[chosen], length)
    return np.ascontiguousarray(items[at]), begin


def _sums(phrase: I32, count: I64, n: int) -> I64:
    total = np.zeros(n, np.int64)
    np.add.at(total, phrase, count)
    return total


def _kept(phrase: I32, count: I64, total: I64, threshold: float) -> Bools:
    """Return which pairs reach the threshold, or are as frequent as the best where none does."""
    enough = count / total[phrase] >= threshold
    best = np.zeros(len(total), np.int64)
    np.maximum.at(best, phrase, count)
    has_enough = np.zeros(len(total), np.bool_)
    has_enough[phrase[enough]] = True
    equal = ~has_enough[phrase] & (count == best[phrase])
    few: Bools = _first(enough, phrase, count, MOST_EDGES)
    return few | _first(equal, phrase, count, MOST_EQUAL)


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
    """Return log Σ N - log N(p), and that of an unknown word, N = ½, in units of 2⁻³²."""
    whole = math.log(int(count.sum()))
    log = {n: math.log(n) for n in {*count.tolist(), COUNTED // 2}}
    costs = [round((whole - log[n]) * 2**32) for n in (*count.tolist(), COUNTED // 2)]
    return np.clip(np.array(costs, np.int64), 0, MOST_COST)


def _analyzed(
    phrases: Sequence[Sequence[str]], lang: str | None, texts: dict[str, int]
) -> tuple[Numbers, Numbers, str]:
    """Return the different pivot words, those of each phrase, and who gave the lemmas and tags."""
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
    """Return the name of a table: that of its file, or of its first source."""
    return label_of(Path(output or sources[0])).removesuffix(".pivot")
