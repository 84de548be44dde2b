"""TESLA metrics for machine translation: exact, fast, explainable.

    TeslaCelab, TeslaM, TeslaB  the metrics of translations; Mean, the mean of several
    TeslaF                 a trained sum of their figures
    TeslaS                 the metric of summaries
    Pem                    paraphrases: meaning, difference, fluency
    compare, explain       two systems, or one segment, from plain lists and strings
    tune                   weights for the features of n-best lists
    Campaign               files → scores → tests → report
    significance           tests on segment scores
    meta                   correlation with human judgments
    lexicon                synonym lexicons
    pivot                  pivot tables: phrases and their translations
    report                 HTML reports, `celab.report.html`
    integrations           pandas, polars, Hugging Face evaluate

>>> import celab
>>> metric = celab.TeslaCelab()
>>> metric.sentence_score("买伞", ["买雨伞"]).score
1.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from celab.errors import (
    CelabError,
    InputError,
    InputWarning,
    LexiconError,
    OptionError,
    SolverError,
)
from celab.version import __version__

if TYPE_CHECKING:
    from celab import integrations, lexicon, meta, pivot, report, significance
    from celab.analysis.compounds import split_compound
    from celab.campaign import Campaign
    from celab.functions import compare, explain
    from celab.metrics.base import Score, SegmentScore
    from celab.metrics.celab import TeslaCelab
    from celab.metrics.mean import Mean
    from celab.metrics.recommended import recommended
    from celab.metrics.tesla_b import TeslaB
    from celab.metrics.tesla_f import TeslaF
    from celab.metrics.tesla_m import TeslaM
    from celab.metrics.tesla_s import TeslaS
    from celab.pem import Pem
    from celab.reranking.tuning import tune

__all__ = [
    "Campaign",
    "CelabError",
    "InputError",
    "InputWarning",
    "LexiconError",
    "Mean",
    "OptionError",
    "Pem",
    "Score",
    "SegmentScore",
    "SolverError",
    "TeslaB",
    "TeslaCelab",
    "TeslaF",
    "TeslaM",
    "TeslaS",
    "__version__",
    "compare",
    "explain",
    "integrations",
    "lexicon",
    "meta",
    "pivot",
    "recommended",
    "report",
    "significance",
    "split_compound",
    "tune",
]

# The metrics load NumPy and the kernels; callers who only want the version don't pay for them.
_MODULES = {
    "Campaign": "campaign",
    "Mean": "metrics.mean",
    "Pem": "pem",
    "Score": "metrics.base",
    "SegmentScore": "metrics.base",
    "TeslaB": "metrics.tesla_b",
    "TeslaCelab": "metrics.celab",
    "TeslaF": "metrics.tesla_f",
    "TeslaM": "metrics.tesla_m",
    "TeslaS": "metrics.tesla_s",
    "compare": "functions",
    "explain": "functions",
    "recommended": "metrics.recommended",
    "split_compound": "analysis.compounds",
    "tune": "reranking.tuning",
}
_SUBMODULES = {"integrations", "lexicon", "meta", "pivot", "report", "significance"}


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f"celab.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'celab' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"celab.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
