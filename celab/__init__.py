"""TESLA metrics for machine translation: exact, fast, explainable.

>>> import celab
>>> metric = celab.TeslaCelab()
>>> metric.sentence_score("买伞", ["买雨伞"]).score
1.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celab.errors import CelabError, InputError, LexiconError, OptionError, SolverError
from celab.version import __version__

if TYPE_CHECKING:
    from celab.analysis.compounds import split_compound
    from celab.metrics.base import Score, SegmentScore
    from celab.metrics.celab import TeslaCelab
    from celab.metrics.tesla_m import TeslaM

__all__ = [
    "CelabError",
    "InputError",
    "LexiconError",
    "OptionError",
    "Score",
    "SegmentScore",
    "SolverError",
    "TeslaCelab",
    "TeslaM",
    "__version__",
    "split_compound",
]

# The metrics load NumPy and the kernels; callers who only want the version don't pay for them.
_ROOMS = {
    "Score": "metrics.base",
    "SegmentScore": "metrics.base",
    "TeslaCelab": "metrics.celab",
    "TeslaM": "metrics.tesla_m",
    "split_compound": "analysis.compounds",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'celab' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"celab.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
