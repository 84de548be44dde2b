"""BLEU, chrF and TER, as sacreBLEU computes them, beside our own metrics.

sacreBLEU counts, segment by segment. The scores are computed here from the counts, for many sums at
once, because resampling needs thousands. The formulas are sacreBLEU's defaults:

    BLEU   brevity penalty × geometric mean of the n-gram precisions, n = 1 … 4; the k-th order
           without a match counts 1 / 2ᵏ of one (smoothing "exp"); orders that a segment is too
           short for are left out
    chrF   F of the mean precision and the mean recall over the orders that both sides have, β = 2
    TER    edits / words of the reference, lower is better

>>> from celab.metrics.baselines import Chrf
>>> Chrf().sentence_score("买伞", ["买伞"]).score
100.0
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias, cast

import numpy as np

from celab.base.arrays import F64
from celab.base.progress import Progress
from celab.base.run import RunOptions
from celab.base.signature import Signature
from celab.base.text.tokens import is_blank
from celab.metrics.base import Metric, Scorer
from celab.metrics.options import BaselineData
from celab.metrics.scores import Score, Segments, check_present
from celab.statistics.resampling import Aggregate

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Counter

    _References: TypeAlias = Sequence[Sequence[str]] | None

# sacreBLEU's tokenization for a language. Its own for Japanese and Korean need more packages, and
# to 13a a sentence of Thai, Lao, Khmer or Burmese, which has no white space, is one word.
TOKENIZERS = {"zh": "zh"} | dict.fromkeys(("ja", "ko", "th", "lo", "km", "my"), "char")
_ASIAN = ("zh", "ja", "ko")  # whose characters TER cuts; it knows no other script
BETA = 2  # of chrF: recall weighs β² as much as precision
_PROGRESS_STEP = 200  # segments between two calls of progress
# Seconds of TER for n words of the reference, divided by n³: the mean over lines of 15 to 300
# characters of WMT 21 and 24, English into Chinese, on one core of 2.5 GHz.
_SECONDS = 4e-7
_SLOW = 30.0  # seconds that are worth a warning
_SAMPLED = 1000  # segments
# Characters that are words to TER.
_WORDS = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class BaselineScorer(Scorer):
    """Scores the counts of sacreBLEU."""

    metric: Baseline

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        metric, (counter, n_refs) = self.metric, self._with_references(refs)
        counts = _counts(counter, hyps, progress)
        aggregate: Aggregate = type(metric).aggregate
        return Score(
            float(aggregate(counts.sum(axis=0), len(counts))),
            None,
            None,
            Segments(metric.score_segments(counts)[None, :, None], "all"),
            self.signature.with_part("nrefs", n_refs, first=True),
            len(refs),
            counts,
            aggregate,
            metric.higher_is_better,
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
        cache[:] = [(refs, counter)]  # at once, because threads may share it
        return counter, n_refs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Baseline(Metric, RunOptions, BaselineData):
    """One of sacreBLEU's metrics, with its defaults."""

    scorer_class = BaselineScorer
    scale = 100

    @cached_property
    def signature(self) -> Signature:
        """sacreBLEU's signature, without the number of references."""
        metric = self.sacrebleu(None)
        metric.num_refs = 1
        return Signature.parse(f"{self.name}|{metric.get_signature()}").without("nrefs")

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
        return self._sacrebleu(self.lang or "zh", cast("_References", references))

    @abstractmethod
    def _sacrebleu(self, lang: str, references: _References) -> Counter: ...

    @staticmethod
    @abstractmethod
    def aggregate(sums: F64, n_segments: int) -> F64:
        """Return the score of any number of segments, from the sums of their statistics."""

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment by itself."""
        return self.aggregate(counts, 1)

    @property
    def assumed_language(self) -> str | None:
        """Language whose tokenization is used."""
        return self.lang or "zh"


def _counts(counter: Counter, hyps: list[str], progress: Progress | None) -> F64:
    # There is no public way to sacreBLEU's counts of segments.
    rows: list[list[float]] = []
    assert counter._ref_cache is not None
    for hyp, cached in zip(hyps, counter._ref_cache, strict=True):
        rows.append(counter._compute_segment_statistics(counter._preprocess_segment(hyp), cached))
        if progress is not None and (len(rows) % _PROGRESS_STEP == 0 or len(rows) == len(hyps)):
            progress(len(rows), len(hyps))
    return np.array(rows, np.float64)


def bleu(sums: F64, n_segments: int, effective: bool = False) -> F64:
    """Return BLEU from the sums of sacreBLEU's counts.

    They are hypothesis length, reference length, four counts of matches and four of n-grams. If
    `effective`, without the orders that the hypothesis is too short for.
    """
    matched, total = sums[..., 2:6], sums[..., 6:]
    has_ngrams = np.logical_and.accumulate(total > 0, axis=-1)
    precision, penalty = _precision_and_penalty(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(has_ngrams, np.log(precision), 0.0 if effective else -np.inf)
        n_orders = np.maximum(has_ngrams.sum(axis=-1), 1) if effective else 4
        score = 100 * penalty * np.exp(logarithms.sum(axis=-1) / n_orders)
    return np.asarray(np.where(matched.any(axis=-1), score, 0.0))


def _precision_and_penalty(sums: F64) -> tuple[F64, F64]:
    """Return the smoothed precision of each order of BLEU, and the brevity penalty."""
    hyp_length, ref_length = sums[..., 0], sums[..., 1]
    matched, total = sums[..., 2:6], sums[..., 6:]
    has_ngrams = np.logical_and.accumulate(total > 0, axis=-1)
    is_smoothed = has_ngrams & (matched == 0)
    smoothed = 0.5 ** np.cumsum(is_smoothed, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(is_smoothed, smoothed / total, matched / total)
        penalty = np.where(hyp_length < ref_length, np.exp(1 - ref_length / hyp_length), 1.0)
    return precision, penalty


def chrf(sums: F64, n_segments: int) -> F64:
    """Return chrF from the n-grams of hypothesis, of reference and matched, for each order."""
    by_order = sums.reshape(*sums.shape[:-1], -1, 3)
    n_hyp, n_ref, matched = by_order[..., 0], by_order[..., 1], by_order[..., 2]
    counts = (n_hyp > 0) & (n_ref > 0)
    n_orders = np.maximum(counts.sum(axis=-1), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(counts, matched / n_hyp, 0.0).sum(axis=-1) / n_orders
        recall = np.where(counts, matched / n_ref, 0.0).sum(axis=-1) / n_orders
        f = (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)
    return np.asarray(np.where(precision + recall > 0, 100 * f, 0.0))


def ter(sums: F64, n_segments: int) -> F64:
    """Return TER from edits and words of the reference."""
    edits, words = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(words > 0, 100 * edits / words, 100.0 * (edits > 0)))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bleu(Baseline):
    """BLEU; its tokenization follows the language."""

    name = "bleu"
    aggregate = staticmethod(bleu)

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return precisions, brevity penalty, ratio and lengths, with the digits of sacreBLEU."""
        sums = score.statistics.sum(axis=0)
        precision, penalty = _precision_and_penalty(sums)
        if not sums[2:6].any():
            precision = np.zeros(4)  # without any match there is nothing to smooth
        hyp_length, ref_length = sums[:2].tolist()
        return {
            "precisions": "/".join(f"{100 * value:.1f}" for value in np.nan_to_num(precision)),
            "BP": f"{penalty:.3f}",
            "ratio": f"{hyp_length / ref_length if ref_length else 0.0:.3f}",
            "hyp_len": f"{hyp_length:.0f}",
            "ref_len": f"{ref_length:.0f}",
        }

    def score_segments(self, counts: F64) -> F64:
        """Return the score of each segment, without the orders that it is too short for."""
        return bleu(counts, 1, effective=True)

    def _sacrebleu(self, lang: str, references: _References) -> Counter:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(tokenize=TOKENIZERS.get(lang, "13a"), force=True, references=references)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chrf(Baseline):
    """chrF of character n-grams."""

    name = "chrf"
    aggregate = staticmethod(chrf)
    word_order: ClassVar[int] = 0

    @classmethod
    def details(cls, score: Score) -> dict[str, str]:
        """Return the longest n-grams of characters and of words, and β."""
        n_orders = score.statistics.shape[1] // 3  # three counts of each
        return {
            "char order": str(n_orders - cls.word_order),
            "word order": str(cls.word_order),
            "beta": str(BETA),
        }

    @property
    def assumed_language(self) -> str | None:
        """Language, if it is given; characters and white space are the same in all."""
        return self.lang

    def _sacrebleu(self, lang: str, references: _References) -> Counter:
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(word_order=self.word_order, references=references)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChrfPlusPlus(Chrf):
    """chrF++: chrF with word n-grams of order 1 and 2."""

    name = "chrf++"
    word_order = 2


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Ter(Baseline):
    """TER; lower is better."""

    name = "ter"
    higher_is_better = False
    aggregate = staticmethod(ter)

    def estimate_seconds(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> float:
        """Return about how long it takes to score systems.

        sacreBLEU looks for phrases to shift in a time that grows with the cube of the length, and
        Chinese and Japanese characters are words to it.

        >>> round(Ter().estimate_seconds([["雨" * 200] * 1000], n_systems=2) / 3600, 1)
        1.8
        """
        total = 0.0
        for side in refs:
            sample = side[:: -(-len(side) // _SAMPLED) or 1]
            lengths = (len(_WORDS.findall(text)) + len(text.split()) for text in sample)
            total += sum(n**3 for n in lengths) * len(side) / max(len(sample), 1)
        return _SECONDS * total * n_systems

    def slowness(self, refs: Sequence[Sequence[str]], n_systems: int = 1) -> str:
        """Return a warning if TER takes half a minute or more, else "".

        >>> Ter().slowness([["买雨伞"] * 1000])
        ''
        >>> Ter().slowness([["雨" * 200] * 1000], n_systems=2)
        'TER may take about 2 hours, because ...; leave it out, or use chrf'
        """
        seconds = self.estimate_seconds(refs, n_systems)
        if seconds < _SLOW:
            return ""
        n, unit = (seconds / 3600, "hour") if seconds >= 5400 else (seconds / 60, "minute")
        return (
            f"TER may take about {n:.0f} {unit}{'s' * (round(n) != 1)}, because sacreBLEU searches"
            " for shifts, which is slow on long segments, and Chinese characters count as words;"
            " leave it out, or use chrf"
        )

    def _sacrebleu(self, lang: str, references: _References) -> Counter:
        from sacrebleu.metrics.ter import TER

        asian = lang in _ASIAN
        return TER(asian_support=asian, normalized=asian, references=references)
