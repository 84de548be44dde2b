"""sacreBLEU's BLEU and chrF, whose n-grams a kernel counts: the same numbers in less time.

What sacreBLEU keeps of references are the counts of their n-grams. Here they are the numbers of
their characters and words, from which `celab._native.shared_ngrams` finds what a hypothesis shares.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.helpers import extract_word_ngrams

from celab._native.shared_ngrams import count_shared

_CODE_POINTS = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


class BleuCounter(BLEU):
    """sacreBLEU's BLEU; words that no reference has are number 0."""

    def __init__(self, **options: Any) -> None:
        """Take sacreBLEU's options and references."""
        self._numbers: dict[str, int] = {}
        super().__init__(**options)

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        numbers = self._numbers
        texts = [
            array("i", [numbers.setdefault(word, len(numbers) + 1) for word in ref.split()])
            for ref in refs
        ]
        return {"refs": texts, "ref_lens": [*map(len, texts)]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        numbers, n_orders = self._numbers, self.max_ngram_order
        text = array("i", [numbers.get(word, 0) for word in hypothesis.split()])
        return [
            len(text),
            self._get_closest_ref_len(len(text), ref_kwargs["ref_lens"]),
            *count_shared(text, ref_kwargs["refs"], n_orders),
            *_count_ngrams(len(text), n_orders),
        ]


class ChrfCounter(CHRF):
    """sacreBLEU's chrF; it counts the n-grams of words itself."""

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"refs": [(self._letters(ref), self._word_ngrams(ref)) for ref in refs]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        letters, words = self._letters(hypothesis), self._word_ngrams(hypothesis)
        n_ngrams = _count_ngrams(len(letters), self.char_order)
        rows = []
        for ref, ref_words in ref_kwargs["refs"]:
            n_shared = count_shared(letters, [ref], self.char_order)
            of_ref = _count_ngrams(len(ref), self.char_order)
            columns = zip(n_ngrams, of_ref, n_shared, strict=True)
            # sacreBLEU does not count those of a hypothesis of orders that the reference lacks.
            row = [x for hyp, n_ref, both in columns for x in (hyp if n_ref else 0, n_ref, both)]
            row += chain.from_iterable(map(self._get_match_statistics, words, ref_words))
            rows.append(row)
        return rows[0] if len(rows) == 1 else max(rows, key=self._compute_f_score)

    def _letters(self, text: str) -> array[int]:
        letters = text if self.whitespace else "".join(text.split())
        return array("i", letters.encode(_CODE_POINTS, "surrogatepass"))

    def _word_ngrams(self, text: str) -> list[Any]:
        words = self._remove_punctuation(text) if self.word_order else []
        return [extract_word_ngrams(words, n) for n in range(1, self.word_order + 1)]


def _count_ngrams(n_items: int, n_orders: int) -> list[int]:
    """Return how many n-grams of each order a text of so many items has.

    >>> _count_ngrams(3, 4)
    [3, 2, 1, 0]
    """
    return [max(0, n_items - n) for n in range(n_orders)]
