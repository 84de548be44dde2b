"""TESLA-CELAB with sacreBLEU's interface, for code that takes sacreBLEU's metrics.

Scores are those of `celab.TeslaCelab`, from 0 to 1. Bootstrap and paired tests are sacreBLEU's own:
they resample the statistics of the segments, which are their scores, or counts for a metric such as
`celab.Cer` whose score is not their mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import base

from celab.base.errors import InputError
from celab.base.text.sequences import Refs
from celab.integrations import reference_columns
from celab.metrics.base import Metric
from celab.metrics.factory import make_metric
from celab.metrics.registry import title_of
from celab.statistics.resampling import Aggregate, mean, mean_of

MIN_DIGITS = 4  # sacreBLEU shows 1 or 2, too few for a score from 0 to 1
NAMES = ("celab", "celab-recommended")


class TeslaCelabScore(base.Score):
    """A score from 0 to 1 that is shown with four digits."""

    def format(
        self,
        width: int = MIN_DIGITS,
        score_only: bool = False,
        signature: str = "",
        is_json: bool = False,
    ) -> str:
        """Return the score as text or JSON, with at least four digits."""
        return super().format(max(width, MIN_DIGITS), score_only, signature, is_json)


class TeslaCelabSignature(base.Signature):
    """sacreBLEU's signature with the parts of celab's added."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        """Add the parts of celab's signature; `args` are attributes of `SacrebleuTeslaCelab`."""
        super().__init__(dict(args))
        signature = args["metric"].signature
        # The only part without a key is the list of views of a mean.
        parts = {"metric": signature.name} | {key or "views": text for key, text in signature.parts}
        if "v" in parts:  # sacreBLEU's own metrics have its version alone
            parts["celab"] = parts.pop("v")
        for key, value in parts.items():
            self._abbr[key] = key
            self.update(key, value)


class SacrebleuTeslaCelab(base.Metric):
    """TESLA-CELAB as a metric of sacreBLEU.

    >>> metric = SacrebleuTeslaCelab(lexicon="cilin")
    >>> metric.corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
    TESLA-CELAB = 0.6000
    >>> metric.get_signature().info["lex"].partition("@")[0]
    'cilin'

    Parameters:
        metric: "celab", or "celab-recommended" for the recommended settings of the language, or any
            metric of celab.
        references: references that `corpus_score` uses if it is called without any.
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
        self._aggregate: Aggregate = mean
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        return sent  # celab normalizes texts itself

    def _cache_references(self, references: Sequence[Sequence[str]]) -> list[Any]:
        counts = list(map(len, references))
        if len(set(counts)) > 1:  # sacreBLEU would cut all to the shortest
            numbers = ", ".join(map(str, counts))
            raise InputError(f"the references have {numbers} segments; they must have equally many")
        cache: list[Any] = super()._cache_references(references)
        return cache

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, list[str]]:
        return {"refs": list(refs)}

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> TeslaCelabScore:
        """Return the score of one segment, as celab's own method does."""
        self._check_sentence_score_args(hypothesis, references)
        # sacreBLEU's signature takes the number of references from its cache.
        self._cache_references([[ref] for ref in references])
        return self._scored(self.metric.sentence_score(hypothesis, references).score)

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: dict[str, list[str]]
    ) -> list[float]:
        return self._statistics([hypothesis], [[ref] for ref in ref_kwargs["refs"]])[0]

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None
    ) -> list[list[float]]:
        """Return the statistics of each segment and the number 1, whose sum counts segments."""
        cache = self._cache_references(references) if references else self._ref_cache
        if not cache:
            raise RuntimeError("No references provided and the cache is empty.")
        return self._statistics(hypotheses, reference_columns([info["refs"] for info in cache]))

    def _statistics(self, hypotheses: Sequence[str], references: Refs) -> list[list[float]]:
        score = self.metric.corpus_score(hypotheses, references)
        self._aggregate = score.aggregate
        scored = score.segments.scored
        rows = np.column_stack((score.statistics, scored))
        rows[~scored] = 0  # segments that were skipped do not count
        return [[*map(float, row)] for row in rows.tolist()]

    def _aggregate_and_compute(self, stats: Sequence[Sequence[float]]) -> TeslaCelabScore:
        """Return the score of rows, each of a segment or, from a trial, a sum of segments."""
        rows = np.array(stats, np.float64)
        rows = rows[rows[:, -1] > 0]
        n_segments = round(rows[:, -1].sum())
        if self._aggregate is mean:
            # The exact mean is rounded once, as celab does it.
            return self._scored(mean_of(rows[:, 0], n_segments))
        return self._scored(float(self._aggregate(rows[:, :-1].sum(axis=0), n_segments)))

    def _compute_score_from_stats(self, stats: Sequence[float]) -> TeslaCelabScore:
        return self._aggregate_and_compute([stats])

    def _scored(self, score: float) -> TeslaCelabScore:
        return TeslaCelabScore(title_of(self.metric.signature), score)
