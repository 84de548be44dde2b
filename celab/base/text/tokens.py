"""Tokens: normalized text → the units of n-grams.

`char` makes one token of each character, with its combining marks, of each emoji sequence, and of
each run of Latin letters and digits with inner `. , ' : -`; white space makes none. `cluster` also
joins U+0E33 and U+0EB3, the vowel am of Thai and Lao, and the letter after U+17D2 or U+1039, which
Khmer and Burmese stack, to the token before. `letter` cuts Latin words and numbers into such
clusters, too, and has one token, a space, for the white space between two of them. `space` takes
the text as already tokenized, and so does `parts`, whose text comes from `celab.analysis.parts`.
All fold full-width forms first, if the options say so.

>>> cut("买3.5米的雨伞。", tokenize="char")
['买', '3.5', '米', '的', '雨', '伞', '。']
>>> cut("买 雨伞", tokenize="space")
['买', '雨伞']
>>> cut("Zu 9%.", tokenize="letter")
['Z', 'u', ' ', '9', '%', '.']
"""

from __future__ import annotations

from celab._native import tokens as native
from celab._native.tokens import is_blank

__all__ = ["TOKENIZER_IDS", "cut", "has_letters", "is_blank"]

# Identifiers of the tokenizers in the kernel.
TOKENIZER_IDS = {"space": 0, "parts": 0, "char": 1, "cluster": 2, "letter": 3}


def cut(text: str, *, tokenize: str, fold: bool = True) -> list[str]:
    """Return the tokens of a text."""
    return native.cut(text, TOKENIZER_IDS[tokenize], fold)


def has_letters(text: str) -> bool:
    """Return whether a text has letters or digits, so that it is not only punctuation."""
    return any(map(str.isalnum, text))
