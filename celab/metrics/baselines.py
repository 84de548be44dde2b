"""BLEU, chrF and TER, as sacreBLEU computes them (extra `baselines`), beside our own metrics.

sacreBLEU counts, segment by segment; from the counts the scores are made here, of many sums at
once, because resampling asks for thousands. The formulas are sacreBLEU's defaults:

    BLEU   brevity penalty × geometric mean of the n-gram precisions, n = 1 … 4; the k-th order
           without a match counts 1 / 2ᵏ of one (smoothing "exp"); of a segment, orders that it is
           too short for are left out
    chrF   F of the mean precision and the mean recall over the orders that both sides have, β = 2
    TER    edits / words of the reference, lower is better

>>> from celab.metrics.baselines import Baseline
>>> Baseline("chrf").sentence_score("买伞", ["买伞"]).score
100.0
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.errors import InputError, OptionError
from celab.metrics.base import Metric, Score, Segments, check_corpus
from celab.statistics.resampling import Aggregate
from celab.tokens import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

BASELINES = ("bleu", "chrf", "chrf++", "ter")
# sacreBLEU's tokenisation for a language; Japanese and Korean would need more packages.
TOKENIZERS = {"zh": "zh", "ja": "char", "ko": "char"}
_BATCH = 200


class Baseline(Metric):
    """One of sacreBLEU's metrics, with its defaults; BLEU's tokenisation follows the language."""

    def __init__(self, name: str, lang: str | None = None) -> None:
        if name not in BASELINES:
            raise OptionError(f"baseline is {name!r}; it must be one of: {', '.join(BASELINES)}")
        self.name = name
        self.lang = lang or "zh"
        self.higher_is_better = name != "ter"
        self._metric = self._made(None)
        self._refs: list[list[str]] | None = None

    def _made(self, references: list[list[str | None]] | None) -> Any:
        try:
            theirs: Any = importlib.import_module("sacrebleu.metrics")
        except ModuleNotFoundError:
            raise OptionError(
                f"{self.name} comes from sacreBLEU, which is not installed:"
                " pip install celab[baselines]"
            ) from None
        if self.name == "bleu":
            tokenizer = TOKENIZERS.get(self.lang, "13a")
            return theirs.BLEU(tokenize=tokenizer, force=True, references=references)
        if self.name == "ter":
            asian = self.lang in TOKENIZERS
            return theirs.TER(asian_support=asian, normalized=asian, references=references)
        return theirs.CHRF(word_order=2 if self.name == "chrf++" else 0, references=references)

    @property
    def signature(self) -> str:
        """sacreBLEU's own, after the name."""
        if not hasattr(self._metric, "num_refs"):  # nothing was scored yet
            self._metric.num_refs = 1
        return f"{self.name}|{self._metric.get_signature()}"

    def corpus_score(
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """A system's output against one sequence of sentences per reference."""
        hyp_side, ref_sides = check_corpus(hyps, refs)
        self._remember(ref_sides)
        counts = self._counts(hyp_side, progress)
        values = np.asarray(self._of_segment(counts, 1), np.float64)[None, :, None]
        score = float(self._of_corpus(counts.sum(axis=0), len(counts)))
        return Score(
            score, None, None, Segments(values, "all"), self.signature, len(ref_sides), counts,
            self._of_corpus, self.higher_is_better,
        )  # fmt: skip

    def _remember(self, refs: list[list[str]]) -> None:
        # The same references serve many systems, and are cut into n-grams once.
        if refs == self._refs:
            return
        rows = [[None if is_blank(text) else text for text in side] for side in refs]
        for s, texts in enumerate(zip(*rows, strict=True), start=1):
            if not any(texts):
                raise InputError(
                    f"segment {s} has no reference; at least one must hold more than white space"
                )
        self._metric, self._refs = self._made(rows), refs

    def _counts(self, hyps: list[str], progress: Callable[[int], object] | None) -> F64:
        # There is no public way to sacreBLEU's counts of segments.
        cached, rows = self._metric._ref_cache, []
        for first in range(0, len(hyps), _BATCH):
            for s in range(first, min(first + _BATCH, len(hyps))):
                hyp = self._metric._preprocess_segment(hyps[s])
                rows.append(self._metric._compute_segment_statistics(hyp, cached[s]))
            if progress is not None:
                progress(len(rows))
        return np.array(rows, np.float64)

    @property
    def _of_corpus(self) -> Aggregate:
        return {"bleu": bleu, "ter": ter}.get(self.name, chrf)

    @property
    def _of_segment(self) -> Aggregate:
        return sentence_bleu if self.name == "bleu" else self._of_corpus


def bleu(sums: F64, n_segments: int) -> F64:
    """Of hypothesis length, reference length, four counts of matches and four of n-grams."""
    return _bleu(sums, effective=False)


def sentence_bleu(sums: F64, n_segments: int) -> F64:
    """The same without the orders that the hypothesis is too short for."""
    return _bleu(sums, effective=True)


def _bleu(sums: F64, effective: bool) -> F64:
    hyp_length, ref_length = sums[..., 0], sums[..., 1]
    matched, total = sums[..., 2:6], sums[..., 6:]
    there = np.logical_and.accumulate(total > 0, axis=-1)
    without = there & (matched == 0)
    half = 0.5 ** np.cumsum(without, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(without, half / total, matched / total)
        logarithms = np.where(there, np.log(precision), 0.0 if effective else -np.inf)
        n_orders = np.maximum(there.sum(axis=-1), 1) if effective else 4
        penalty = np.where(hyp_length < ref_length, np.exp(1 - ref_length / hyp_length), 1.0)
        score = 100 * penalty * np.exp(logarithms.sum(axis=-1) / n_orders)
    return np.asarray(np.where(matched.any(axis=-1), score, 0.0))


def chrf(sums: F64, n_segments: int) -> F64:
    """Of n-grams of the hypothesis, of the reference and matched, for each order."""
    by_order = sums.reshape(*sums.shape[:-1], -1, 3)
    n_hyp, n_ref, matched = by_order[..., 0], by_order[..., 1], by_order[..., 2]
    both = (n_hyp > 0) & (n_ref > 0)
    n_orders = np.maximum(both.sum(axis=-1), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(both, matched / n_hyp, 0.0).sum(axis=-1) / n_orders
        recall = np.where(both, matched / n_ref, 0.0).sum(axis=-1) / n_orders
        f = 5 * precision * recall / (4 * precision + recall)
    return np.asarray(np.where(precision + recall > 0, 100 * f, 0.0))


def ter(sums: F64, n_segments: int) -> F64:
    """Of edits and words of the reference."""
    edits, words = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(words > 0, 100 * edits / words, 100.0 * (edits > 0)))
