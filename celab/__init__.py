"""TESLA metrics for machine translation: exact, fast, explainable.

    TeslaCelab, TeslaM, TeslaB  the metrics of translations; Mean, the mean of several
    TeslaF                 a trained sum of their figures
    TeslaS                 the metric of summaries
    Pem                    paraphrases: meaning, difference, fluency
    align                  text whose lines are not the reference's lines
    score, compare, explain  a system, two systems, a segment, from plain lists and strings
    board                  stored results of many test sets, systems and versions
    check                  outputs that are not translations
    unwrap                 the translations inside answers of language models
    terms                  whether systems follow a glossary
    mbr                    the best of several candidates (minimum Bayes risk)
    testing                assertions for your tests
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

from celab.base import interrupt as _interrupt  # first, for Ctrl-C during the other imports

# isort: split
import importlib
import importlib.machinery
import os
import sys
from typing import TYPE_CHECKING, Any

from celab.base.errors import (
    CelabError,
    InputError,
    InputWarning,
    LexiconError,
    OptionError,
    SolverError,
)
from celab.base.version import __version__

if TYPE_CHECKING:
    from celab import integrations, lexicon, pivot, report, testing
    from celab.analysis.compounds import split_compound
    from celab.corpus.align.alignment import align
    from celab.corpus.answers.forms import unwrap
    from celab.evaluation.board import board
    from celab.evaluation.functions import check, compare, explain, score
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.terms.terms import terms
    from celab.family.pem import Pem
    from celab.family.reranking.mbr import mbr
    from celab.family.reranking.tuning import tune
    from celab.metrics.celab import TeslaCelab, recommended
    from celab.metrics.mean import Mean
    from celab.metrics.scores import Score, SegmentScore
    from celab.metrics.tesla_b import TeslaB
    from celab.metrics.tesla_f import TeslaF
    from celab.metrics.tesla_m import TeslaM
    from celab.metrics.tesla_s import TeslaS

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
    "align",
    "board",
    "check",
    "compare",
    "explain",
    "integrations",
    "lexicon",
    "mbr",
    "meta",
    "pivot",
    "recommended",
    "report",
    "score",
    "significance",
    "split_compound",
    "terms",
    "testing",
    "tune",
    "unwrap",
]

# The metrics load NumPy and the kernels; callers who only want the version don't pay for them.
_MODULES = {
    "Campaign": "celab.evaluation.systems.campaign",
    "Mean": "celab.metrics.mean",
    "Pem": "celab.family.pem",
    "Score": "celab.metrics.scores",
    "SegmentScore": "celab.metrics.scores",
    "align": "celab.corpus.align.alignment",
    "board": "celab.evaluation.board",
    "check": "celab.evaluation.functions",
    "compare": "celab.evaluation.functions",
    "explain": "celab.evaluation.functions",
    "mbr": "celab.family.reranking.mbr",
    "recommended": "celab.metrics.celab",
    "score": "celab.evaluation.functions",
    "split_compound": "celab.analysis.compounds",
    "terms": "celab.evaluation.terms.terms",
    "tune": "celab.family.reranking.tuning",
    "unwrap": "celab.corpus.answers.forms",
}
_SUBMODULES = {
    "integrations": "celab.integrations",
    "lexicon": "celab.lexicon",
    "meta": "celab.evaluation.meta",
    "pivot": "celab.pivot",
    "report": "celab.report",
    "significance": "celab.evaluation.significance",
    "testing": "celab.testing",
}


def _check_kernels() -> None:
    """Raise ImportError in a source tree whose kernels are not compiled.

    Python prefers the folder it is started in to an installed celab. On the command line, which
    imports this module first, the error is one line with exit code 2.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    kernel = os.path.join(folder, "_native", "cover")
    if not os.path.exists(f"{kernel}.pyx"):  # only a source tree has it
        return
    if any(os.path.exists(kernel + suffix) for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        return
    message = (
        f"{os.path.dirname(folder)}: this is the source tree without compiled kernels:"
        " run `pip install -e .`, or start Python elsewhere"
    )
    if _interrupt.IS_COMMAND:
        print(f"celab: error: {message}", file=sys.stderr)
        sys.exit(2)
    raise ImportError(message, name=__name__, path=__file__)


_check_kernels()


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(_SUBMODULES[name])
    module = _MODULES.get(name)
    if module is None and name[:1].isupper():  # not a module, which is imported without asking
        module = _metric_modules().get(name)
    if module is None:
        raise AttributeError(f"module 'celab' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def _metric_modules() -> dict[str, str]:
    # Imported late, because the build reads the version and the lexicons without any kernel.
    from celab.metrics.registry import METRICS

    return {entry.class_name: entry.module for entry in METRICS.values()}


def __dir__() -> list[str]:
    return sorted({*__all__, *_metric_modules()})
