"""n-grams of texts → how many each hypothesis has in common with each reference, for all pairs.

An n-gram that a text has k times stands for k items: its first copy, its second and so on. Two
texts then have min(k, l) of them in common, so that the matches of all pairs are the product of two
matrices of zeros and ones, with a row for each text and a column for each item. The sums are whole
numbers below 2²⁴ (`float32`) or 2⁵³, so they are exact in any order.

>>> from collections import Counter
>>> n_matched([Counter("aab"), Counter("b")], [Counter("aaa"), Counter("ab")]).tolist()
[[2.0, 2.0], [0.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from celab.base.arrays import F64, Numbers
from celab.base.run import batches

Ngrams: TypeAlias = Mapping[object, int]  # and how often a text has each
NgramsByOrder: TypeAlias = Sequence[Ngrams]

_MOST_TEXTS = 128  # of a side, at once
_MOST_CHARACTERS = 1 << 17  # of a side, at once, which limits memory
_EXACT_IN_FLOAT32 = 1 << 24


def count_pairs(
    hyps: Sequence[str], refs: Sequence[str], count: Callable[[str], NgramsByOrder]
) -> Iterator[tuple[slice, slice, F64, F64, F64]]:
    """Yield blocks of pairs: rows, columns, n-grams of hypotheses, of references, and matches.

    `count` returns the n-grams of a text, by order, which are the last axis of all three.
    """
    longest = max(map(len, (*hyps, *refs)), default=0)
    size = max(1, min(_MOST_TEXTS, _MOST_CHARACTERS // max(1, longest)))
    for columns in batches(len(refs), size):
        for rows in batches(len(hyps), size):
            texts = dict.fromkeys((*hyps[rows], *refs[columns]))
            by_text = {text: count(text) for text in texts}
            row_ngrams = [by_text[text] for text in hyps[rows]]
            column_ngrams = [by_text[text] for text in refs[columns]]
            orders = zip(
                zip(*row_ngrams, strict=True), zip(*column_ngrams, strict=True), strict=True
            )
            matched = np.stack([n_matched(*sides) for sides in orders], axis=-1)
            yield rows, columns, _totals(row_ngrams), _totals(column_ngrams), matched


def n_matched(hyps: Sequence[Ngrams], refs: Sequence[Ngrams]) -> F64:
    """Return how many n-grams each hypothesis (row) has in common with each reference (column)."""
    longest = max((sum(ngrams.values()) for ngrams in (*hyps, *refs)), default=0)
    dtype = np.float32 if longest < _EXACT_IN_FLOAT32 else np.float64
    columns: dict[object, int] = {}
    ref_items = [[columns.setdefault(item, len(columns)) for item in _items(ref)] for ref in refs]
    hyp_items = [[columns[item] for item in _items(hyp) if item in columns] for hyp in hyps]
    ref_matrix = _matrix(ref_items, len(columns), dtype)
    hyp_matrix = ref_matrix if hyps == refs else _matrix(hyp_items, len(columns), dtype)
    return np.asarray(hyp_matrix @ ref_matrix.T, np.float64)


def _items(ngrams: Ngrams) -> Iterator[object]:
    yield from ngrams
    for ngram, n_copies in ngrams.items():
        for copy in range(1, n_copies):
            yield copy, ngram


def _matrix(items: Sequence[Sequence[int]], n_columns: int, dtype: type) -> Numbers:
    matrix: Numbers = np.zeros((len(items), n_columns), dtype)
    for row, of_text in zip(matrix, items, strict=True):
        row[of_text] = 1
    return matrix


def _totals(texts: Sequence[NgramsByOrder]) -> F64:
    """Return the number of n-grams of each text, by order."""
    return np.array([[sum(ngrams.values()) for ngrams in text] for text in texts], np.float64)
