"""TESLA-CELAB with sacreBLEU's interface, for code that takes sacreBLEU's metrics.

Scores are those of `celab.TeslaCelab`, from 0 to 1. Bootstrap and paired tests are sacreBLEU's own:
what they resample are the scores of the segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import base

from celab.base.errors import InputError
from celab.integrations import reference_columns
from celab.metrics.base import Metric
from celab.metrics.factory import make_metric
from celab.metrics.registry import title_of
from celab.metrics.scores import Score
from celab.statistics.resampling import mean_of

DIGITS = 4
NAMES = ("celab", "celab-recommended")


class TeslaCelabScore(base.Score):
    """A score from 0 to 1 that is shown with four digits."""

    def format(
        self,
        width: int = DIGITS,
        score_only: bool = False,
        signature: str = "",
        is_json: bool = False,
    ) -> str:
        """Return the score as text or JSON, with at least four digits."""
        return super().format(max(width, DIGITS), score_only, signature, is_json)


class TeslaCelabSignature(base.Signature):
    """The parts of celab's signature between those that all metrics of sacreBLEU have."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        """Take the parts from `metric`, an attribute of the class below."""
        super().__init__(dict(args))
        signature = args["metric"].signature
        parts = {"metric": signature.name} | {key or "views": text for key, text in signature.parts}
        parts["celab"] = parts.pop("v")
        for key, value in parts.items():
            self._abbr[key] = key
            self.update(key, value)


class TeslaCelab(base.Metric):
    """TESLA-CELAB as a metric of sacreBLEU.

    >>> metric = TeslaCelab(lexicon="cilin")
    >>> metric.corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
    TESLA-CELAB = 0.6000
    >>> metric.get_signature().info["lex"].partition("@")[0]
    'cilin'

    Parameters:
        metric: "celab", or "celab-recommended" for the recommended settings of the language.
        references: if set, they are kept, and `corpus_score` may be called without any.
        options: options of `celab.TeslaCelab`, such as `lang` and `lexicon`.
    """

    _SIGNATURE_TYPE = TeslaCelabSignature

    def __init__(
        self,
        metric: str | Metric = "celab",
        references: Sequence[Sequence[str]] | None = None,
        **options: object,
    ) -> None:
        """Make the metric; see the class."""
        super().__init__()  # type: ignore[no-untyped-call]
        if isinstance(metric, str):
            if metric not in NAMES:
                raise ValueError(f"unknown metric {metric!r}; choose from {', '.join(NAMES)}")
            metric = make_metric(metric, **options)
        self.metric: Metric = metric
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        return sent  # celab normalizes texts itself

    def _cache_references(self, references: Sequence[Sequence[str]]) -> list[Any]:
        counts = list(map(len, references))
        if len(set(counts)) > 1:  # sacreBLEU would leave out what not all have
            numbers = ", ".join(map(str, counts))
            raise InputError(f"the references have {numbers} segments; they must have equally many")
        cache: list[Any] = super()._cache_references(references)
        return cache

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, list[str]]:
        return {"refs": list(refs)}

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: dict[str, list[str]]
    ) -> list[float]:
        return [self.metric.sentence_score(hypothesis, ref_kwargs["refs"]).score, 1]

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None
    ) -> list[list[float]]:
        """Return the score of each segment and the number 1, whose sum counts segments."""
        cache = self._cache_references(references) if references else self._ref_cache
        if not cache:
            raise RuntimeError("No references provided and the cache is empty.")
        refs = reference_columns([info["refs"] for info in cache])
        score: Score = self.metric.corpus_score(hypotheses, refs)
        return [[value, 1] for value in score.segments.scores.tolist()]

    def _aggregate_and_compute(self, stats: list[list[float]]) -> TeslaCelabScore:
        # As celab does it: rounded once, so that the score is the same to the last bit.
        return TeslaCelabScore(title_of(self.metric.signature), mean_of(np.array(stats)[:, 0]))

    def _compute_score_from_stats(self, stats: Sequence[float]) -> TeslaCelabScore:
        return TeslaCelabScore(title_of(self.metric.signature), float(stats[0]) / float(stats[1]))
