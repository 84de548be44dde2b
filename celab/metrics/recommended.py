"""The settings that we recommend for each language, with evidence: docs/agreement.md.

They were chosen on development sets: one setting for each language, the same for all its sets. The
defaults of `TeslaCelab` stay those of the paper.

>>> recommended("en").signature.split("|")[:3]
['celab', 'lang:en', 'n:6']
>>> recommended("fr")
Traceback (most recent call last):
celab.base.errors.OptionError: lang is 'fr'; it must be one of: zh, ja, ko, de, en
"""

from __future__ import annotations

from typing import Any

from celab.base.errors import OptionError, suggest
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


def recommended(lang: str, **options: Any) -> TeslaCelab | Mean:
    """Return the metric that we recommend for a language.

    Parameters:
        lang: zh, ja, ko, de or en.
        options: arguments of `TeslaCelab`, which replace the recommended ones in each view.

    Returns a `TeslaCelab`, or the `Mean` of several.

    >>> len(recommended("de").parts)
    2
    """
    if not isinstance(lang, str) or lang not in SETTINGS:
        raise OptionError("lang", lang, suggest(str(lang), SETTINGS))
    views = [TeslaCelab(**({"lang": lang} | view | options)) for view in SETTINGS[lang]]
    return views[0] if len(views) == 1 else Mean(views)
