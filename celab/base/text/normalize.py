"""Normalization of text by the options `width`, `case`, `umlauts` and `script`.

Each text is converted by itself, independently of all others. With
`script="auto"` a text is converted to Simplified if it has a character that OpenCC changes. Most
Simplified text has none and stays as it is, at the cost of one look-up per character. Lexicon words
are converted by the same rule. `tw2sp` replaces words whose characters may all stay as they are, so
with it every text is converted.

>>> from celab.metrics.options import TeslaCelabOptions
>>> Normalizer.of(TeslaCelabOptions()).texts(["買雨傘", "买雨伞", "下週"])
['买雨伞', '买雨伞', '下周']

`width="fold"` folds two kinds of forms. The tokens kernel folds full-width ASCII and the
ideographic space. This module folds half-width kana and their punctuation in Japanese (ｶﾞ is ガ),
and the vowel am of Thai in two letters, NIKHAHIT and SARA AA.

>>> Normalizer.of(TeslaCelabOptions(script="keep"), lang="ja").texts(["ｶﾞﾗｽ｡", "ガラス。"])
['ガラス。', 'ガラス。']
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol
from unicodedata import normalize, unidata_version

import numpy as np

from celab._native.tokens import find_marked
from celab.base.arrays import I8, U32

if TYPE_CHECKING:
    from opencc import OpenCC


_UMLAUTS = str.maketrans(
    {"ß": "ss", "ẞ": "SS"}
    | {umlaut: vowel + "e" for umlaut, vowel in zip("äöüÄÖÜ", "aouAOU", strict=True)}
)
_HAN = (range(0x3400, 0xA000), range(0xF900, 0xFB00))
_RARE_HAN = slice(0x20000, 0x32000)
# Conversions that change single characters only, some by the word that they are in; `tw2sp` also
# replaces words.
_BY_CHARACTER = ("t2s", "tw2s", "hk2s")
# All that OpenCC converts: UTF-8 has no surrogates, and some conversions end at a NUL.
_CONVERTIBLE = re.compile("[^\0\ud800-\udfff]+")


class LetterForms(NamedTuple):
    """Forms of letters that `width="fold"` folds in one language."""

    name: str
    pattern: re.Pattern[str]  # a letter in one of the forms
    letter: Callable[[str], str]

    def fold(self, text: str) -> str:
        """Return the text with each of these forms as its letter."""
        return self.pattern.sub(lambda match: self.letter(match[0]), text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the characters of the text that each character of the folded text comes from.

        >>> FORMS["ja"].spans("ａｶﾞ")
        [(0, 1), (1, 3)]
        """
        spans: list[tuple[int, int]] = []
        position = 0
        for match in self.pattern.finditer(text):
            start, stop = match.span()
            n_letters = len(self.letter(match[0]))
            spans += [(k, k + 1) for k in range(position, start)]
            if n_letters == stop - start:
                spans += [(k, k + 1) for k in range(start, stop)]
            else:
                spans += [(start, stop)] * n_letters
            position = stop
        return spans + [(k, k + 1) for k in range(position, len(text))]


_FULL_WIDTH = {code: normalize("NFKC", chr(code)) for code in range(0xFF61, 0xFFA0)}


def _full_width(kana: str) -> str:
    return normalize("NFC", kana.translate(_FULL_WIDTH))


FORMS = {
    # A half-width sound mark goes with the kana before it, whatever the width of that.
    "ja": LetterForms(
        "half-width kana",
        re.compile("[\u3041-\u30ff\uff66-\uff9d][\uff9e\uff9f]|[\uff61-\uff9f]"),
        _full_width,
    ),
    # NIKHAHIT and SARA AA become SARA AM; a tone mark between them comes before it.
    "th": LetterForms(
        "sara am",
        re.compile("\u0e4d[\u0e48-\u0e4b]*\u0e32"),
        lambda letters: letters[1:-1] + "\u0e33",
    ),
}
_NO_FORMS = LetterForms("", re.compile("(?!)"), str)
_BY_NAME = {forms.name: forms for forms in (_NO_FORMS, *FORMS.values())}


def fold_umlauts(text: str) -> str:
    """Return the text with umlauts and ß as ae, oe, ue and ss.

    >>> fold_umlauts("Über die Straße")
    'Ueber die Strasse'
    """
    if text.isascii():
        return text
    folded = normalize("NFC", text).translate(_UMLAUTS)
    return normalize("NFC", folded)  # a mark that is left may go with the e


@cache
def _opencc(config: str) -> OpenCC:
    import opencc

    return opencc.OpenCC(config)


def _convert(config: str, text: str) -> str:
    converter = _opencc(config)
    return _CONVERTIBLE.sub(lambda match: str(converter.convert(match[0])), text)


def simplify(text: str) -> str:
    """Return a text in Simplified characters, by OpenCC's `t2s`.

    >>> simplify("買雨傘")
    '买雨伞'
    """
    return _convert("t2s", text)


def opencc_version() -> str:
    """Return the version of OpenCC, which `script` depends on."""
    import opencc

    return str(opencc.__version__)


@cache
def character_forms(config: str) -> U32:
    """Return for each code point the one that OpenCC makes of it by itself.

    Rare characters stay as they are: to ask OpenCC about each of them would take too long.

    >>> chr(character_forms("t2s")[ord("買")])
    '买'
    """
    before = np.concatenate([np.arange(x.start, x.stop, dtype="<u4") for x in _HAN])
    lines = np.stack([before, np.full_like(before, ord("\n"))], axis=1)
    text = _opencc(config).convert(lines.tobytes().decode("utf-32-le"))
    after = np.frombuffer(text.encode("utf-32-le"), "<u4")
    forms = np.arange(0x110000, dtype=np.uint32)
    forms[before] = after[::2]  # a character becomes one character
    return forms


@cache
def changed_by(config: str) -> I8:
    """Return for each code point 1 if OpenCC changes it by itself, else 0.

    Rare characters count as changed: to ask OpenCC about each of them would take longer than to
    convert the few texts that have one.
    """
    forms = character_forms(config)
    changed = np.zeros(len(forms), np.int8)
    for x in _HAN:
        changed[x.start : x.stop] = forms[x.start : x.stop] != np.arange(x.start, x.stop)
    changed[_RARE_HAN] = 1
    return changed


class Respelling(Protocol):
    """A change to texts before they are normalized, and so to the words of a lexicon too."""

    @property
    def name(self) -> str:
        """Its identifier, with all settings that change it and are not in `Normalization`."""

    def __call__(self, texts: list[str]) -> list[str]:
        """Respell each text independently."""


class Composition:
    """Composition of letters and their marks (NFC), so that both spellings of é are one letter."""

    name = "nfc"

    def __call__(self, texts: list[str]) -> list[str]:
        """Return the composed texts."""
        return [normalize("NFC", text) for text in texts]


class NormalizationOptions(Protocol):
    """Options of a metric that normalization needs, with defaults filled in."""

    @property
    def script(self) -> str | None:
        """Chinese script."""

    @property
    def width(self) -> str:
        """Other forms of letters: "fold" or "keep"."""


class TranscriptOptions(Protocol):
    """Options of a metric that are fields of `celab.base.text.transcripts.Transcription`."""

    @property
    def tags(self) -> str:
        """Tags of transcripts: "keep", "drop" or "brackets"."""


@dataclass(frozen=True, kw_only=True)
class Normalization:
    """All that may change a text or the words of a lexicon.

    The key of a compiled lexicon is made of it, so a `Normalizer` sees nothing else. All fields but
    the last three are the options of the same name.
    """

    width: str
    case: str
    umlauts: str
    script: str
    opencc: str
    forms: str  # the name of the `LetterForms` that are folded, or ""
    respelling: str  # the name of a `Respelling`, or ""
    versions: str  # versions of Unicode and OpenCC

    @classmethod
    def of(
        cls,
        options: NormalizationOptions,
        respell: Respelling | None = None,
        lang: str | None = None,
    ) -> Normalization:
        """Return the normalization by the options of a metric and its language."""
        versions = f"Unicode {unidata_version}"
        if options.script != "keep":  # else OpenCC is not loaded
            versions += f", OpenCC {opencc_version()}"
        return cls(
            **{name: getattr(options, name) for name in cls.option_names()},
            forms=FORMS.get(lang or "", _NO_FORMS).name if options.width == "fold" else "",
            respelling=respell.name if respell else "",
            versions=versions,
        )

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """Return the names of the fields that are options."""
        others = ("forms", "respelling", "versions")
        return tuple(spec.name for spec in fields(cls) if spec.name not in others)


class Normalizer:
    """Normalizes texts as a `Normalization` says; `respell` is the respelling that it names."""

    def __init__(self, normalization: Normalization, respell: Respelling | None = None) -> None:
        assert normalization.respelling == (respell.name if respell else "")
        self.normalization, self.respell = normalization, respell
        self.forms = _BY_NAME[normalization.forms]
        self.folds = normalization.width == "fold"  # whether full-width forms become ASCII

    @classmethod
    def of(
        cls,
        options: NormalizationOptions,
        respell: Respelling | None = None,
        lang: str | None = None,
    ) -> Normalizer:
        """Return the normalizer for the options of a metric and its language."""
        return cls(Normalization.of(options, respell, lang), respell)

    def texts(self, texts: list[str]) -> list[str]:
        """Return texts, each respelt and normalized by itself; full-width ASCII stays as it is.

        The tokens kernel folds it.
        """
        if self.normalization.forms:
            texts = [self.forms.fold(text) for text in texts]
        if self.respell:
            texts = self.respell(texts)
        if self.normalization.case == "lower":
            texts = [text.lower() for text in texts]
        if self.normalization.umlauts == "fold":
            texts = [fold_umlauts(text) for text in texts]
        script, opencc = self.normalization.script, self.normalization.opencc
        if script == "keep":
            return texts
        if script == "auto" and opencc in _BY_CHARACTER:
            changed = find_marked(texts, changed_by(opencc))
            if changed:
                texts = list(texts)
                for number in changed:
                    texts[number] = _convert(opencc, texts[number])
            return texts
        config = "s2t" if script == "traditional" else opencc
        return [_convert(config, text) for text in texts]
