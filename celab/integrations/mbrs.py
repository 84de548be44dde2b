"""TESLA-CELAB as a metric of mbrs, the library for minimum Bayes risk decoding.

Importing this registers the metric as `celab`:

    metric = MetricCelab(MetricCelab.Config(lang="zh"))
    DecoderMBR(DecoderMBR.Config(), metric).decode(hypotheses, references)
"""

from __future__ import annotations

from dataclasses import dataclass

from celab.base.arguments import Arguments
from celab.metrics.factory import make_metric

try:
    import torch
    from mbrs import timer
    from mbrs.metrics import Metric as MbrsMetric
    from mbrs.metrics import register
except ImportError as error:
    raise ImportError("celab.integrations.mbrs needs mbrs: pip install mbrs") from error


@register("celab")
class MetricCelab(MbrsMetric):  # type: ignore[misc]
    """TESLA-CELAB: pairs are scored by celab's kernels, one matrix per call."""

    @dataclass
    class Config(MbrsMetric.Config):  # type: ignore[misc]
        """Target language and its recommended settings; lexicon by name or path, or "none"."""

        lang: str = "zh"
        recommended: bool = False
        lexicon: str = ""
        jobs: int = 1

    cfg: Config

    def __init__(self, cfg: MetricCelab.Config) -> None:
        """Make the metric of a configuration."""
        super().__init__(cfg)
        options: Arguments = {}
        if cfg.lexicon:
            options["lexicon"] = None if cfg.lexicon == "none" else cfg.lexicon
        name = "celab-recommended" if cfg.recommended else "celab"
        self.metric = make_metric(name, lang=cfg.lang, jobs=cfg.jobs, **options)

    def score(self, hypothesis: str, reference: str, *_: object, **__: object) -> float:
        """Return the score of one pair."""
        return float(self.metric.sentence_score(hypothesis, [reference]).score)

    def scores(
        self, hypotheses: list[str], references: list[str], *_: object, **__: object
    ) -> torch.Tensor:
        """Return the score of each hypothesis against its own reference."""
        with timer.measure("score") as measured:
            measured.set_delta_ncalls(len(hypotheses))
            scores = self.metric.corpus_score(hypotheses, [references]).segments.scores
            return torch.tensor(scores, dtype=torch.float32)

    def pairwise_scores(
        self, hypotheses: list[str], references: list[str], *_: object, **__: object
    ) -> torch.Tensor:
        """Return the scores of all pairs: hypotheses as rows, references as columns."""
        with timer.measure("score") as measured:
            measured.set_delta_ncalls(len(hypotheses) * len(references))
            matrix = self.metric.pairwise(hypotheses, references)
            return torch.tensor(matrix, dtype=torch.float32)

    def corpus_score(
        self, hypotheses: list[str], references_lists: list[list[str]], *_: object, **__: object
    ) -> float:
        """Return celab's score of the corpus."""
        return float(self.metric.corpus_score(hypotheses, references_lists).score)
