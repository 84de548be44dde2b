"""Language models in ARPA files, read by kenlm: length-normalised scores of texts.

The score of a text is (1 / n) log10 P, where P counts the end of the sentence and n, the number of
tokens, does not. Tokens are TESLA-CELAB's `char` tokens: characters, and whole words and numbers in
Latin letters; the text that a model is trained on must be cut in the same way. Scores below -15 are
-15, the end of the range that TESLA-F assumes (Dahlmeier, Liu and Ng 2011, section 4.1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from celab.base import io
from celab.base.arrays import F64
from celab.base.errors import InputError, OptionError
from celab.base.text.tokens import cut

LOWEST = -15.0


class LanguageModel:
    """An open language model; `digest` is the SHA-256 of its file."""

    def __init__(self, path: io.AnyPath) -> None:
        try:
            import kenlm
        except ImportError:
            raise OptionError(
                "language models need kenlm, which is not installed: pip install 'celab[lm]'"
            ) from None
        self.path = os.path.abspath(path)
        shown = f"language model {os.fspath(path)}"
        with io.reading(shown, InputError, "an ARPA file"):
            self.digest = io.sha256_of(path)
        settings = kenlm.Config()
        settings.show_progress = False
        settings.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model: Any = kenlm.Model(self.path, settings)
        except OSError as error:
            reason = "it is cut off" if "End of file" in str(error) else "its format is unknown"
            raise InputError(f"{shown}: {reason}; it must be a whole ARPA file") from None

    @property
    def cited(self) -> str:
        """File name and digest."""
        return f"{os.path.basename(self.path)}@{self.digest[:12]}"

    def scores(self, texts: Iterable[str]) -> F64:
        """The score of each text, from -15 to 0."""
        return np.array([self._score(cut(text, tokenize="char")) for text in texts], np.float64)

    def _score(self, tokens: list[str]) -> float:
        score: float = self._model.score(" ".join(tokens), bos=True, eos=True) / max(1, len(tokens))
        return min(0.0, max(LOWEST, score))
