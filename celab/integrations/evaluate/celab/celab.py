"""The metrics of celab as a module of Hugging Face's package `evaluate`."""

from __future__ import annotations

import datasets
import evaluate

from celab.base.arguments import JsonObject
from celab.integrations import reference_columns
from celab.metrics.factory import make_metric

_CITATION = """\
@inproceedings{liu-ng-2012-character,
  title = {Character-Level Machine Translation Evaluation for Languages with Ambiguous Word
           Boundaries},
  author = {Liu, Chang and Ng, Hwee Tou},
  booktitle = {Proceedings of the 50th Annual Meeting of the Association for Computational
               Linguistics},
  year = {2012}
}
"""
_INPUTS = """
Args:
    predictions: translations, one str each.
    references: for each translation its reference, or a list of its references.
    metric: name of a metric, as of `celab score --metric` (default: celab).
    lang: target language (default: Chinese).
    lexicon: name or path of a lexicon, or None (default: that of the language).
    settings: other arguments of the metric, such as max_order.
Returns:
    score, precision, recall (None if the metric has none), scores (one per segment), signature.
"""


class Celab(evaluate.Metric):  # type: ignore[misc]
    """TESLA-CELAB, and celab's other metrics by name."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="TESLA metrics for machine translation: exact, fast, explainable.",
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str] | list[list[str]],
        metric: str = "celab",
        lang: str | None = None,
        lexicon: str | list[str] | None = "default",
        **settings: object,
    ) -> JsonObject:
        refs = reference_columns(references)
        score = make_metric(metric, lang=lang, lexicon=lexicon, **settings).corpus_score(
            predictions, refs
        )
        return {
            "score": score.score,
            "precision": score.precision,
            "recall": score.recall,
            "scores": score.segments.scores.tolist(),
            "signature": score.signature,
        }
