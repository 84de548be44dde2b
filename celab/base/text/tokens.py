"""Tokens: normalized text → the units of n-grams.

`char` makes one token of each character, with its combining marks, of each emoji sequence, and of
each run of Latin letters and digits with inner `. , ' : -`; white space makes none. `cluster` also
joins U+0E33 and U+0EB3, the vowel am of Thai and Lao, and the letter after U+17D2 or U+1039, which
Khmer and Burmese stack, to the token before. `letter` cuts Latin words and numbers into such
clusters, too, and has one token, a space, for the white space between two of them. `space` takes
the text as already tokenized, and so does `parts`, whose text comes from
`celab.words.compounds`. All fold full-width forms first, if the options say so.

>>> cut("买3.5米的雨伞。", tokenize="char")
['买', '3.5', '米', '的', '雨', '伞', '。']
>>> cut("买 雨伞", tokenize="space")
['买', '雨伞']
>>> cut("Zu 9%.", tokenize="letter")
['Z', 'u', ' ', '9', '%', '.']
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Literal, NamedTuple, Protocol

import numpy as np

from celab._native import tokens as native
from celab._native.tokens import is_blank
from celab.base.arrays import I32, I64
from celab.base.languages import RANGES
from celab.base.text.normalize import (
    Composition,
    Normalization,
    NormalizationOptions,
    Normalizer,
    TranscriptOptions,
    changed_by,
)

__all__ = ["TOKENIZER_IDS", "cut", "has_letters", "is_blank"]

# Identifiers of the tokenizers in the kernel.
TOKENIZER_IDS = {"space": 0, "parts": 0, "char": 1, "cluster": 2, "letter": 3}


def cut(text: str, *, tokenize: str, fold: bool = True) -> list[str]:
    """Return the tokens of a text."""
    return native.cut(text, TOKENIZER_IDS[tokenize], fold)


def has_letters(text: str) -> bool:
    """Return whether a text has letters or digits, so that it is not only punctuation."""
    return any(map(str.isalnum, text))


# Texts → numbers of their tokens, for metrics that count equal tokens.
#
# The number of a token of one code point is that code point; longer tokens have numbers from
# 0x110000 on. Texts are composed (NFC) and normalized by options, then cut into
#
#     char    characters with their marks, and emoji sequences, without white space
#     mixed   as `char`, but a run of letters and digits is one token, with inner `. , ' : -`: a
#             word. Scripts that are written without spaces have no words: Han, kana, Hangul,
#             Thai, Lao, Khmer and Burmese are cut into characters.
#
# With `punctuation="drop"`, tokens without a letter or digit are left out.
#
# Most Chinese text needs no look at its neighbors to cut or normalize a character. Such text is
# translated by a table of code points, all of it at once; the table says which texts have others.

Unit = Literal["char", "mixed"]

_FIRST_LONG = 0x110000  # number of a token of several code points
# Values of the table: the character makes no token, or it needs a look at its neighbors.
_DROPPED, _LOOKED_AT = -1, -2
_JOINERS = frozenset(".,':-")
_UNSPACED = [
    span
    for script in ("Han", "kana", "Hangul", "Thai", "Lao", "Khmer", "Burmese")
    for span in RANGES[script]
]
# Characters that are cut and normalized by themselves, if no character beside them is another: Han,
# kana and Hangul whose composition changes nothing, and their punctuation.
_ALONE = ((0x3400, 0x9FFF), (0x3041, 0x3096), (0x30A1, 0x30FA), (0xAC00, 0xD7A3))
_TRANSLATED = (
    *((0x09, 0x0D), (0x20, 0x7E), (0xB7, 0xB7), (0x2010, 0x2027), (0x2030, 0x205E)),
    *((0x3000, 0x3029), (0xFF01, 0xFF5E)),
)


class TokenOptions(NormalizationOptions, TranscriptOptions, Protocol):
    """Options that decide the tokens of a text."""

    @property
    def punctuation(self) -> str:
        """Whether tokens without a letter or digit are dropped."""


class TokenIds(NamedTuple):
    """Texts as numbers of tokens: text k is numbers[begin[k] : begin[k + 1]]."""

    numbers: I32
    begin: I64

    def __len__(self) -> int:
        return len(self.begin) - 1

    def text(self, k: int) -> I32:
        """Return the tokens of a text."""
        return self.numbers[self.begin[k] : self.begin[k + 1]]

    @property
    def lengths(self) -> I64:
        """The number of tokens of each text."""
        return np.diff(self.begin)


class Vocabulary(dict[str, int]):
    """The numbers of tokens; a token of several code points gets a number when it first occurs."""

    def __missing__(self, token: str) -> int:
        """Return a number that no other token has."""
        number = ord(token) if len(token) == 1 else _FIRST_LONG + len(self)
        self[token] = number
        return number

    def tokens(self) -> Tokens:
        """Return the tokens by their numbers."""
        return Tokens((number, token) for token, number in self.items())


class Tokens(dict[int, str]):
    """Tokens by their numbers; a negative number is that of no token, and has ""."""

    def __missing__(self, number: int) -> str:
        """Return the token of one code point, which no vocabulary needs to know."""
        return chr(number) if number >= 0 else ""


class CharacterTokens:
    """Normalizes and cuts texts by the options of a metric and its language.

    >>> from celab.metrics.options import CharacterOptions
    >>> CharacterTokens(CharacterOptions(), "mixed").cut("買3.5米 Привет!")
    ['买', '3.5', '米', 'привет']
    """

    def __init__(self, options: TokenOptions, unit: Unit, lang: str | None = None) -> None:
        # Metrics by characters alone need it; it compiles many patterns.
        from celab.base.text.transcripts import Transcription

        self._normalizer = Normalizer.of(options, Transcription.of(options), lang)
        self._unit, self._drops = unit, options.punctuation == "drop"

    def cut(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        (text,) = self._normalizer.texts([text])
        tokens = cut(text, tokenize="letter", fold=self._normalizer.folds)
        if self._unit == "mixed":
            tokens = list(_join_words(tokens))
        return [t for t in tokens if t != " " and (not self._drops or has_letters(t))]

    def encode(self, texts: list[str], vocabulary: Vocabulary) -> TokenIds:
        """Return texts as numbers; two can be compared if one vocabulary gave them."""
        ends = np.cumsum(np.fromiter(chain((0,), map(len, texts)), np.int64, len(texts) + 1))
        code_points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
        numbers = _table(self._normalizer.normalization, self._unit, self._drops)[code_points]
        if numbers.min(initial=0) >= 0:  # most texts have neither
            return TokenIds(numbers, ends)
        looked_at = np.searchsorted(ends, np.flatnonzero(numbers == _LOOKED_AT), "right") - 1
        if not len(looked_at):
            is_kept = numbers != _DROPPED
            begin = np.concatenate(([0], np.cumsum(is_kept)))[ends]
            return TokenIds(numbers[is_kept], begin)
        by_text = np.split(numbers, ends[1:-1])
        for k in np.unique(looked_at).tolist():
            tokens = self.cut(texts[k])
            by_text[k] = np.fromiter(map(vocabulary.__getitem__, tokens), np.int32, len(tokens))
        kept = [side[side != _DROPPED] for side in by_text]
        begin = np.cumsum([0, *map(len, kept)])
        return TokenIds(np.concatenate(kept), begin)


def _join_words(tokens: Iterable[str]) -> Iterable[str]:
    # The tokens with words in place of their letters; a joiner between two of them is a part.
    word, joiner = "", ""
    for token in chain(tokens, ("",)):
        if _is_of_word(token[:1]):
            word, joiner = word + joiner + token, ""
            continue
        if word and not joiner and token in _JOINERS:
            joiner = token
            continue
        yield from filter(None, (word, joiner, token))
        word, joiner = "", ""


@cache
def _is_of_word(character: str) -> bool:
    if not character.isalnum():
        return False
    return not any(first <= ord(character) <= last for first, last in _UNSPACED)


@cache
def _table(normalization: Normalization, unit: Unit, drops: bool) -> I32:
    # For each code point its token, or `_DROPPED`, or `_LOOKED_AT` if the text must be looked at.
    table = np.full(0x110000, _LOOKED_AT, np.int32)
    if normalization.script not in ("keep", "auto") or normalization.opencc == "tw2sp":
        return table  # OpenCC converts every text
    if normalization.respelling != Composition.name:
        return table  # characters change with those beside them
    normalizer = Normalizer(normalization, Composition())
    for first, last in _ALONE:
        table[first : last + 1] = np.arange(first, last + 1)
    for first, last in _TRANSLATED:
        for code_point in range(first, last + 1):
            (character,) = normalizer.texts([chr(code_point)])
            (token,) = cut(character, tokenize="letter", fold=normalizer.folds) or [" "]
            is_dropped = token == " " or (drops and not has_letters(token))
            is_word = unit == "mixed" and _is_of_word(token)
            table[code_point] = _LOOKED_AT if is_word else _DROPPED if is_dropped else ord(token)
    if normalization.script == "auto":
        table[changed_by(normalization.opencc) == 1] = _LOOKED_AT
    table.flags.writeable = False
    return table
