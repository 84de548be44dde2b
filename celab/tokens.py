"""Tokens: normalised text in, the units of n-grams out.

`char` makes one token of each character, with its combining marks, of each emoji sequence, and of
each run of Latin letters and digits with inner `. , ' : -`; white space makes none. `space` takes
the text as already tokenised, and so does `parts`, whose text comes from `celab.analysis.parts`.
All fold full-width forms first, if the options say so.

>>> cut("买3.5米的雨伞。", tokenize="char")
['买', '3.5', '米', '的', '雨', '伞', '。']
>>> cut("买 雨伞", tokenize="space")
['买', '雨伞']
"""

from __future__ import annotations

from celab._native import tokens as native


def cut(text: str, *, tokenize: str, fold: bool = True) -> list[str]:
    """The tokens of a text, spelled out."""
    return native.cut(text, tokenize == "char", fold)


def is_blank(text: str) -> bool:
    """Whether a text has no tokens: nothing but white space and control characters."""
    return native.is_blank(text)
