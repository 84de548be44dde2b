"""Normalisation of text by the options `width`, `case`, `umlauts` and `script`.

Each text is converted by itself, independently of all others. With
`script="auto"` a text is converted to Simplified if it has a character that OpenCC changes. Most
Simplified text has none and stays as it is, at the cost of one look-up per character. Lexicon words
are converted by the same rule. `tw2sp` replaces words whose characters may all stay as they are, so
with it every text is converted.

>>> Normalizer(script="auto").texts(["買雨傘", "买雨伞", "下週"])
['买雨伞', '买雨伞', '下周']
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native.tokens import find_marked
from celab.base.arrays import I8
from celab.base.composed import composed

if TYPE_CHECKING:
    from celab.base.options import TeslaCelabOptions

_UMLAUTS = str.maketrans(
    {"ß": "ss", "ẞ": "SS"}
    | {umlaut: vowel + "e" for umlaut, vowel in zip("äöüÄÖÜ", "aouAOU", strict=True)}
)
_HAN = [*range(0x3400, 0xA000), *range(0xF900, 0xFB00)]
_RARE_HAN = slice(0x20000, 0x32000)
# Conversions that look at characters and at words of them; the others replace words, too.
_BY_CHARACTER = ("t2s", "tw2s", "hk2s")
_TEXT = re.compile("[^\ud800-\udfff]+")  # all but surrogates


def fold_umlauts(text: str) -> str:
    """Return the text with umlauts and ß as ae, oe, ue and ss.

    >>> fold_umlauts("Über die Straße")
    'Ueber die Strasse'
    """
    if text.isascii():
        return text
    return composed(composed(text).translate(_UMLAUTS))  # a mark that is left may go with the e


@cache
def _opencc(config: str) -> Any:
    import opencc

    return opencc.OpenCC(config)


def _convert(config: str, text: str) -> str:
    converter = _opencc(config)
    try:
        return str(converter.convert(text))
    except UnicodeEncodeError:  # a lone surrogate, which no UTF-8 has; the rest is text
        return _TEXT.sub(lambda match: str(converter.convert(match[0])), text)


def opencc_version() -> str:
    """Return the version of OpenCC, which `script` depends on."""
    import opencc

    return str(opencc.__version__)


@cache
def _changed_by(config: str) -> I8:
    # For each code point, 1 if OpenCC changes it by itself. Rare characters count as changed: to
    # ask OpenCC about each of them would take longer than to convert the few texts that have one.
    before = [chr(c) for c in _HAN]
    after = _opencc(config).convert("\n".join(before)).split("\n")
    changed = np.zeros(0x110000, np.int8)
    changed[_HAN] = [x != y for x, y in zip(before, after, strict=True)]
    changed[_RARE_HAN] = 1
    return changed


class Composition:
    """Composition of letters and their marks (NFC), so that both spellings of é are one letter."""

    name = "nfc"

    def __call__(self, texts: list[str]) -> list[str]:
        """Return the composed texts."""
        return [composed(text) for text in texts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalizer:
    """Normalises texts by the options of a metric."""

    width: str = "fold"
    case: str = "keep"
    umlauts: str = "keep"
    script: str = "auto"
    opencc: str = "t2s"

    @classmethod
    def of(cls, options: TeslaCelabOptions) -> Normalizer:
        """Return the normaliser for the options of a metric."""
        return cls(**{spec.name: getattr(options, spec.name) for spec in fields(cls)})

    @property
    def folds(self) -> bool:
        """Whether full-width forms become ASCII."""
        return self.width == "fold"

    def texts(self, texts: list[str]) -> list[str]:
        """Return texts, each normalised by itself; the tokens kernel folds the width."""
        texts = self._letters(texts)
        if self.script == "keep":
            return texts
        if self.script == "auto" and self.opencc in _BY_CHARACTER:
            changed = find_marked(texts, _changed_by(self.opencc))
            if changed:
                texts = list(texts)
                for number in changed:
                    texts[number] = _convert(self.opencc, texts[number])
            return texts
        config = "s2t" if self.script == "traditional" else self.opencc
        return [_convert(config, text) for text in texts]

    def _letters(self, texts: list[str]) -> list[str]:
        if self.case == "lower":
            texts = [text.lower() for text in texts]
        return [fold_umlauts(text) for text in texts] if self.umlauts == "fold" else texts
