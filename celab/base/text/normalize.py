"""Normalise: text in, text out, as the options `width`, `case`, `umlauts` and `script` say.

Each text is converted by itself, so what becomes of it depends on nothing else. With
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
    """Umlauts and ß in the letters that stand for them where a keyboard has none.

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
        return _TEXT.sub(lambda found: str(converter.convert(found[0])), text)


def opencc_version() -> str:
    """The version of OpenCC, which decides what `script` does."""
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
    """Composes letters and their marks (NFC), so that both spellings of é are one letter."""

    name = "nfc"

    def __call__(self, texts: list[str]) -> list[str]:
        """The texts, composed."""
        return [composed(text) for text in texts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalizer:
    """The options, applied."""

    width: str = "fold"
    case: str = "keep"
    umlauts: str = "keep"
    script: str = "auto"
    opencc: str = "t2s"

    @classmethod
    def of(cls, options: TeslaCelabOptions) -> Normalizer:
        """A normaliser for the options of a metric."""
        return cls(**{spec.name: getattr(options, spec.name) for spec in fields(cls)})

    @property
    def folds(self) -> bool:
        """Whether full-width forms become ASCII."""
        return self.width == "fold"

    def texts(self, texts: list[str]) -> list[str]:
        """Texts, each normalised by itself, without `width`, which the tokens kernel folds."""
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
