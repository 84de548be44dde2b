"""The settings that we recommend for each language, with evidence: docs/agreement.md.

They were chosen on development sets: one setting for each language, the same for all its sets. The
defaults of `TeslaCelab` stay those of the paper.
"""

from __future__ import annotations

from celab.base.dicts import Arguments

# The arguments of `TeslaCelab`, where they differ from its defaults for the language. Several are
# views of the text, and their mean is the score.
SETTINGS: dict[str, tuple[Arguments, ...]] = {
    "zh": ({"lexicon": "zh-core", "weights": "information", "decay": 0.3},),
    "ja": ({"weights": "information", "decay": 0.5, "max_order": 2},),
    "ko": ({"max_order": 3, "f": 1.0},),
    "de": (
        {"tokenize": "letter", "lexicon": None, "case": "keep", "f": 1.0},
        {"decay": 0.3, "f": 1.0},
    ),
    "en": ({"tokenize": "letter", "lexicon": None},),
}
