"""Normalise: text in, text out, as the options `width`, `case`, `umlauts` and `script` say.

Only Traditional text is made Simplified: OpenCC's `t2s` takes its input to be Traditional,
and reads 破坏布里斯托尔 as if 坏 were the old character for 坯. So `script="auto"` looks first. A
character that only `t2s` changes counts as Traditional, one that only `s2t` changes as Simplified;
the majority in its first 10,000 texts decides for a side of a corpus, and likewise for a lexicon
word. Text that was converted is hardly ever taken for Traditional again, but it can be: 乾隆
keeps its 乾.

>>> Normalizer(script="auto").side(["買雨傘", "下週"])
['买雨伞', '下周']
>>> Normalizer(script="auto").side(["破坏布里斯托尔"])
['破坏布里斯托尔']
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native.tokens import count_marked
from celab.arrays import I8
from celab.composed import composed

if TYPE_CHECKING:
    from celab.options import TeslaCelabOptions

_UMLAUTS = str.maketrans(
    {"ß": "ss", "ẞ": "SS"}
    | {umlaut: vowel + "e" for umlaut, vowel in zip("äöüÄÖÜ", "aouAOU", strict=True)}
)
_HAN = [*range(0x3400, 0xA000), *range(0xF900, 0xFB00)]
_TRADITIONAL, _SIMPLIFIED = 1, 2
# Of a side, `auto` looks at so many texts, so that a stream need not be read to its end.
LOOKED_AT = 10_000
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
    # For each code point of the Han blocks in the BMP, 1 if OpenCC changes it by itself.
    before = [chr(c) for c in _HAN]
    after = _opencc(config).convert("\n".join(before)).split("\n")
    changed = np.zeros(0x110000, np.int8)
    changed[_HAN] = [x != y for x, y in zip(before, after, strict=True)]
    return changed


@cache
def _maybe_traditional() -> frozenset[str]:
    return frozenset(map(chr, np.flatnonzero(_changed_by("t2s")).tolist()))


@cache
def _evidence() -> I8:
    by_t2s, by_s2t = _changed_by("t2s"), _changed_by("s2t")
    marks = np.zeros_like(by_t2s)
    marks[by_t2s > by_s2t] = _TRADITIONAL
    marks[by_s2t > by_t2s] = _SIMPLIFIED
    return marks


def is_traditional(texts: list[str]) -> bool:
    """Whether more characters are Traditional than Simplified."""
    # Text without any character that t2s changes is not, and s2t need not be loaded to say so.
    if count_marked(texts, _changed_by("t2s"))[1] == 0:
        return False
    counts = count_marked(texts, _evidence())
    return counts[_TRADITIONAL] > counts[_SIMPLIFIED]


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

    def side(self, texts: list[str]) -> list[str]:
        """One side of a corpus, without `width`: the tokens kernel folds as it reads."""
        return self.converted(texts, self.becomes(texts))

    def becomes(self, texts: list[str]) -> str:
        """The script that a side beginning with these texts gets: simplified, traditional, keep."""
        if self.script != "auto":
            return self.script
        return "simplified" if is_traditional(self._letters(texts[:LOOKED_AT])) else "keep"

    def converted(self, texts: list[str], script: str) -> list[str]:
        """Texts of a side that `becomes` has decided on."""
        texts = self._letters(texts)
        if script == "simplified":
            texts = [_convert(self.opencc, text) for text in texts]
        elif script == "traditional":
            texts = [_convert("s2t", text) for text in texts]
        return texts

    def _letters(self, texts: list[str]) -> list[str]:
        if self.case == "lower":
            texts = [text.lower() for text in texts]
        return [fold_umlauts(text) for text in texts] if self.umlauts == "fold" else texts

    def words(self, words: Iterable[str]) -> list[str]:
        """Lexicon words, each a side by itself: a lexicon may hold both scripts."""
        words = list(words)
        if self.script != "auto":
            return self.side(words)
        words = self._letters(words)
        maybe = _maybe_traditional()
        return [
            word if maybe.isdisjoint(word) or not is_traditional([word])
            else _convert(self.opencc, word)
            for word in words
        ]  # fmt: skip
