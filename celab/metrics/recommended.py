"""The settings that we recommend for each language, with evidence: docs/agreement.md.

They were chosen on development sets: one setting for each language, the same for all its sets. The
defaults of `TeslaCelab` stay those of the paper.

>>> recommended("en").signature.split("|")[:3]
['celab', 'lang:en', 'n:6']
"""

from __future__ import annotations

from typing import Any

from celab.metrics.celab import TeslaCelab
from celab.metrics.mean import Mean

# The arguments of `TeslaCelab`, where they differ from its defaults for the language. Several are
# views of the text, and their mean is the score.
SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    "zh": ({"lexicon": "zh-core", "weights": "information", "decay": 0.3},),
    "ja": ({"weights": "information", "decay": 0.5, "max_order": 2},),
    "ko": ({"max_order": 3, "f": 1.0},),
    "de": (
        {"tokenize": "letter", "lexicon": None, "case": "keep", "f": 1.0},
        {"decay": 0.3, "f": 1.0},
    ),
    "en": ({"tokenize": "letter", "lexicon": None},),
}


def recommended(lang: str | None = None, **options: Any) -> TeslaCelab | Mean:
    """Return the metric that we recommend for a language.

    Same as `TeslaCelab.recommended`.

    Parameters:
        lang: language of `TeslaCelab` (default: zh). Where we recommend nothing else (th, lo, km,
            my), the metric has its defaults, with a warning.
        options: arguments of `TeslaCelab`, which replace the recommended ones in each view.

    Returns a `TeslaCelab`, or for German the `Mean` of two.

    >>> len(recommended("de").parts)
    2
    """
    return TeslaCelab.recommended(lang, **options)
