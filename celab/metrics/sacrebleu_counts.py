"""sacreBLEU's counts of segments and of pairs → scores: what BLEU, chrF and TER have in common.

A kernel counts the n-grams of BLEU and chrF, with the same result in less time. Where sacreBLEU
keeps counts of the references' n-grams, we keep numbers of their characters and words, and
`celab._native.sequences` counts the n-grams that a hypothesis shares.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np
from sacrebleu.metrics.base import Metric as Counter
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.helpers import extract_word_ngrams

from celab._native.sequences import count_shared
from celab.base.arrays import F64, Numbers
from celab.base.options import Options
from celab.base.run import Progress, RunOptions, batches
from celab.base.signature import Signature
from celab.base.text.tokens import is_blank
from celab.metrics.base import Metric, Scorer
from celab.metrics.formulas import Formula
from celab.metrics.options import BaselineData
from celab.metrics.scores import Score, check_present

Ngrams: TypeAlias = Mapping[object, int]  # n-gram → occurrences in a text
NgramsByOrder: TypeAlias = Sequence[Ngrams]

# Texts and characters of one side whose n-grams are in memory together.
_MAX_BATCH_TEXTS = 128
_MAX_BATCH_CHARACTERS = 1 << 17
_EXACT_IN_FLOAT32 = 1 << 24


def count_pairs(
    hyps: Sequence[str], refs: Sequence[str], count: Callable[[str], NgramsByOrder]
) -> Iterator[tuple[slice, slice, F64, F64, F64]]:
    """Yield blocks of pairs: rows, columns, n-grams of hypotheses, of references, and matches.

    `count` returns the n-grams of a text, by order, which are the last axis of all three.
    """
    longest = max(map(len, (*hyps, *refs)), default=0)
    size = max(1, min(_MAX_BATCH_TEXTS, _MAX_BATCH_CHARACTERS // max(1, longest)))
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
    """Return the number of common n-grams of each hypothesis (row) and reference (column)."""
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


References: TypeAlias = Sequence[Sequence[str]] | None
_PROGRESS_STEP = 200  # segments between two calls of progress


class BaselineScorer(Scorer):
    """Scores the counts of sacreBLEU."""

    metric: SacrebleuMetric

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        metric, (counter, n_refs) = self.metric, self._with_references(refs)
        counts = _counts(counter, hyps, progress)
        signature = self.signature.with_part("nrefs", n_refs, first=True)
        return Score.of_counts(
            counts,
            metric.formula,
            signature,
            len(refs),
            segments=metric.score_segments(counts),
            higher_is_better=metric.higher_is_better,
        )

    def _with_references(self, refs: list[list[str]]) -> tuple[Counter, str]:
        # sacreBLEU's metric with the n-grams of the references, cached for the next system, and the
        # number of references of each segment.
        rows = [[None if is_blank(text) else text for text in side] for side in refs]
        present = np.array([[text is not None for text in side] for side in rows])
        check_present(present)
        counts = set(present.sum(axis=0).tolist())
        n_refs = str(counts.pop()) if len(counts) == 1 else "var"
        cache = self.metric.cache
        for cached_refs, counter in cache:
            if cached_refs == refs:
                return counter, n_refs
        counter = self.metric.sacrebleu(rows)
        cache[:] = [(refs, counter)]  # one atomic assignment, because threads may share it
        return counter, n_refs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SacrebleuMetric(Metric, RunOptions, BaselineData):
    """One of sacreBLEU's metrics."""

    scorer_class = BaselineScorer
    scale = 100

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("options", "run", "signature")

    @cached_property
    @abstractmethod
    def options(self) -> Options:
        """The options in effect: explicit values, or those that follow the language."""

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """The score of any number of segments, from the sums of their statistics."""

    @cached_property
    def signature(self) -> Signature:
        """sacreBLEU's signature, without the number of references, and what it leaves out."""
        metric = self.sacrebleu(None)
        metric.num_refs = 1
        signature = Signature.parse(f"{self.name}|{metric.get_signature()}").without("nrefs")
        for key, value in self._not_in_sacrebleus():
            signature = signature.with_part(key, value, first=True)
        return signature.with_label(self._label())

    def _not_in_sacrebleus(self) -> list[tuple[str, str]]:
        """Return parts for settings that sacreBLEU's signature does not show."""
        return []

    def _label(self) -> str:
        """Return the name that sacreBLEU gives to the score, if it is not the title."""
        return ""

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal metric: its language, and other options."""
        defaults = {spec.name: spec.default for spec in fields(self) if spec.name != "lang"}
        arguments = super().arguments().items()
        return {k: value for k, value in arguments if k == "lang" or value != defaults[k]}

    @cached_property
    def cache(self) -> list[tuple[list[list[str]], Counter]]:
        """The references of the last corpus, and sacreBLEU's metric with their n-grams."""
        return []

    @property
    def language(self) -> str | None:
        """None: texts of any language are scored."""
        return None

    def sacrebleu(self, references: list[list[str | None]] | None) -> Counter:
        """Return sacreBLEU's metric; references may be None, though its types do not say so."""
        return self._sacrebleu(cast("References", references))

    @abstractmethod
    def _sacrebleu(self, references: References) -> Counter: ...

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment by itself."""
        return self.formula(counts, 1)

    @property
    def assumed_language(self) -> str | None:
        """Language whose tokenization is used."""
        return self.lang or "zh"


def _counts(counter: Counter, hyps: list[str], progress: Progress | None) -> F64:
    # sacreBLEU has no public method for its counts of segments.
    rows: list[list[float]] = []
    assert counter._ref_cache is not None
    for hyp, cached in zip(hyps, counter._ref_cache, strict=True):
        rows.append(counter._compute_segment_statistics(counter._preprocess_segment(hyp), cached))
        if progress is not None and (len(rows) % _PROGRESS_STEP == 0 or len(rows) == len(hyps)):
            progress(len(rows), len(hyps))
    return np.array(rows, np.float64)


class NgramScorer(BaselineScorer):
    """Scores counts of n-grams, which are made once for each text."""

    metric: NgramBaseline

    def _pairwise(self, hyps: list[str], refs: list[str]) -> F64:
        metric, counter = self.metric, self.metric.sacrebleu(None)
        present = [r for r, text in enumerate(refs) if metric.is_reference(text)]
        scores = np.full((len(hyps), len(refs)), np.nan)

        def count(text: str) -> NgramsByOrder:
            info = counter._extract_reference_info([counter._preprocess_segment(text)])
            return metric.by_order(info["ref_ngrams"])

        for rows, columns, *figures in count_pairs(hyps, [refs[r] for r in present], count):
            counts = metric.pair_counts(*figures)
            values = metric.score_segments(counts.reshape(-1, counts.shape[-1]))
            scores[rows, present[columns]] = values.reshape(counts.shape[:-1])
        return scores


class NgramBaseline(SacrebleuMetric):
    """One of sacreBLEU's metrics that count n-grams."""

    scorer_class = NgramScorer

    @abstractmethod
    def by_order(self, ngrams: Any) -> NgramsByOrder:
        """Return the n-grams that sacreBLEU has counted in one text, by order."""

    @abstractmethod
    def pair_counts(self, n_hyp: F64, n_ref: F64, n_matched: F64) -> F64:
        """Return sacreBLEU's counts of each pair from n-grams of either side and matched ones."""


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
