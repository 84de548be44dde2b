"""Parts: German text → the same text with its compounds in parts, and a space after each token.

Tokens are those of `German`, punctuation among them. A compound is given as its
parts, each with a capital if the word has one; hyphens inside a word hold parts together as well.
A soft hyphen only says where a line may break. With `respelt`, a word that is not split is looked
at again with umlauts where it has ae, oe or ue, because frequencies are of words with umlauts.

>>> from celab.analysis.compounds import Compounds
>>> Parts(Compounds())(["Ein Regenschirm-Verleih?"])
['Ein Regen Schirm Verleih ?']
"""

from __future__ import annotations

import re
from functools import lru_cache

from celab.analysis.compounds import Compounds
from celab.analysis.hanover import German, capitalized, straight

_WORD = re.compile(r"(?=.*[^\W\d_])\w+(?:[-'‐‑]\w+)*")  # no number or address
_HYPHEN = re.compile("[-‐‑]")
_SOFT_HYPHEN = "\u00ad"
_SPELT = re.compile("[AaOo]e|(?<![AaEeQq])[Uu]e")  # no umlaut: Mauer, neue, Quelle
_UMLAUTS = {"Ae": "Ä", "ae": "ä", "Oe": "Ö", "oe": "ö", "Ue": "Ü", "ue": "ü"}
_CACHED = 1 << 17


class Parts:
    """Texts in parts, by a splitter; each word is split once."""

    def __init__(self, splitter: Compounds, *, respelt: bool = False) -> None:
        self.name = splitter.name
        self._splitter = splitter
        self._respelt = respelt
        self._cached = lru_cache(maxsize=_CACHED)(self._token)

    def __call__(self, texts: list[str]) -> list[str]:
        """Split each text independently."""
        plain = (straight(text.replace(_SOFT_HYPHEN, "")) for text in texts)
        return [" ".join(map(self._cached, German.token.findall(text))) for text in plain]

    def _token(self, token: str) -> str:
        if not _WORD.fullmatch(token):
            return token
        return " ".join(part for word in _HYPHEN.split(token) for part in self._parts(word))

    def _parts(self, word: str) -> tuple[str, ...]:
        parts = self._splitter(word)
        if len(parts) == 1 and self._respelt:
            parts = self._splitter(_SPELT.sub(lambda pair: _UMLAUTS[pair[0]], word))
        return capitalized(parts, word) if len(parts) > 1 else (word,)
