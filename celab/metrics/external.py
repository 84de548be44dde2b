"""External metrics as celab metrics: sacreBLEU's objects, and objects of the user's.

An object with the two methods of `ExternalMetric` is taken wherever a metric is, as by
`Campaign.score` and `celab.compare`. Its name is its `name`, or else the name of its class, and
`higher_is_better` may be false. If its corpus score is the mean of its sentence scores, there are
intervals and tests; sacreBLEU's metrics have them because they add up counts.

>>> class Length:
...     def sentence_score(self, hyp, refs):
...         return min(len(hyp) / len(ref) for ref in refs)
...     def corpus_score(self, hyps, refs):
...         pairs = zip(hyps, zip(*refs))
...         return sum(self.sentence_score(*pair) for pair in pairs) / len(hyps)
>>> import celab
>>> celab.Campaign.from_lists({"A": ["买伞"]}, ["买雨伞伞"]).score(Length()).scores
{'Length': {'A': JudgeScore(score=0.5, ...)}}
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from celab.base.arrays import F64
from celab.base.errors import InputError
from celab.base.options import option
from celab.base.run import Progress, RunOptions
from celab.base.signature import Signature
from celab.base.text.tokens import is_blank
from celab.metrics.base import Metric, Scorer
from celab.metrics.judge_score import JudgeScore, digits_for
from celab.metrics.scores import Score, Segments

SAME = 1e-9  # a score this close to the mean of the segments is that mean


@runtime_checkable
class ExternalMetric(Protocol):
    """Methods that an external metric needs; each returns a number, or an object with `.score`.

    >>> import sacrebleu
    >>> isinstance(sacrebleu.BLEU(), ExternalMetric)
    True
    """

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Any:
        """Return the score of a system; `references` has a list of sentences per reference."""

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Return the score of one translation against its references."""


@dataclass(frozen=True, kw_only=True)
class CountedScore(Score):
    """The score of a system by sacreBLEU's own metric, which adds up counts of segments."""

    @property
    def digits(self) -> int:
        """Number of decimals to show."""
        return digits_for(self)


class AdaptedScorer(Scorer):
    """Scores by the two methods of an external metric, or by the counts of sacreBLEU."""

    metric: Adapted

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        metric = self.metric.metric
        sides = [[None if is_blank(text) else text for text in side] for side in refs]
        segments = np.empty(len(hyps))
        log = logging.getLogger("sacrebleu")
        was_disabled, log.disabled = log.disabled, True  # sacreBLEU logs advice on every sentence
        try:
            for i, hyp in enumerate(hyps):
                segments[i] = self._sentence(i, hyp, sides)
                if progress is not None:
                    progress(i + 1, len(hyps))
            total = _number(metric.corpus_score(hyps, sides), "the corpus", self.metric.name)
        finally:
            log.disabled = was_disabled
        score = JudgeScore.make(
            self.metric.name,
            "",
            segments,
            higher_is_better=self.metric.higher_is_better,
            n_references=len(refs),
        )
        score = replace(score, signature=self.signature, score=total)
        if counts_statistics(metric):
            return self._counted(score, hyps, sides)
        is_mean = math.isclose(total, float(segments.mean()), rel_tol=SAME, abs_tol=SAME)
        return replace(score, is_mean=is_mean)

    def _sentence(self, i: int, hyp: str, sides: list[list[str | None]]) -> float:
        present = [side[i] for side in sides if side[i] is not None]
        if not present:
            raise InputError(f"segment {i + 1} has no reference; it must have one")
        value = self.metric.metric.sentence_score(hyp, present)
        return _number(value, f"segment {i + 1}", self.metric.name)

    def _counted(self, score: JudgeScore, hyps: list[str], sides: list[list[str | None]]) -> Score:
        # sacreBLEU has no public method for its counts of segments.
        counting = self.metric.metric
        counts = np.array(counting._extract_corpus_statistics(hyps, sides), np.float64)
        return CountedScore(
            score=score.score,
            precision=None,
            recall=None,
            segments=Segments(score.segments.values.copy(), "all"),
            signature=Signature.parse(
                f"{self.signature.name}|{counting.get_signature()}"
            ).with_label(self.signature.label),
            n_references=score.n_references,
            statistics=counts,
            aggregate=_CountsFormula(counting),
            higher_is_better=score.higher_is_better,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _CountsFormula:
    """Computes scores from sums of counts as a metric of sacreBLEU does."""

    counting: Any

    def __call__(self, sums: F64, n_segments: int) -> F64:
        """Return the scores."""
        rows = np.reshape(sums, (-1, sums.shape[-1])).tolist()
        scores = [self.counting._compute_score_from_stats(row).score for row in rows]
        return np.reshape(np.array(scores), sums.shape[:-1])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Adapted(Metric, RunOptions):
    """An external metric, with the methods of celab's metrics."""

    scorer_class = AdaptedScorer
    metric: Any = option(None, "the external metric", positional=True)

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("run", "signature")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the metric, or else of its class."""
        name = getattr(self.metric, "name", None)
        return name if isinstance(name, str) and name else type(self.metric).__name__

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether higher scores are better; TER does not say it itself."""
        return bool(getattr(self.metric, "higher_is_better", type(self.metric).__name__ != "TER"))

    @cached_property
    def signature(self) -> Signature:
        """The name of the metric; sacreBLEU adds its settings once it has seen references."""
        return Signature(f"own-{self.name}", label=self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Adapted) and self.metric is other.metric

    def __hash__(self) -> int:
        return id(self.metric)


def counts_statistics(metric: object) -> bool:
    """Return whether a metric is one of sacreBLEU's, which add up counts of segments."""
    names = ("_extract_corpus_statistics", "_compute_score_from_stats", "get_signature")
    return all(hasattr(metric, name) for name in names)


def _number(value: Any, where: str, name: str) -> float:
    number = getattr(value, "score", value)
    try:
        score = float(number)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{name} gives {number!r} for {where}; it must be a finite number")
    return score
