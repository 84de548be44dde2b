"""Files that can be read, but are hardly what is meant: what to say of them, or ""."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from celab.base import io
from celab.base.errors import Setting, Text
from celab.base.text.tokens import is_blank

_SEPARATORS = {".tsv": "\t", ".csv": ","}  # by suffix
_LOOKED_AT = 1000  # lines
_CHARACTERS = 10_000  # in which lines of a table are looked for
_JSON = re.compile(r'\s*[\[{]\s*["\[{]')
_SUBWORD = re.compile(r"@@(?: |$)|\u2581")  # marks of subword-nmt and of SentencePiece
_NBEST = re.compile(r"\s*[0-9]+ \|\|\| ")
_LEAST = 0.1  # of the lines, for marks of subwords
_LEAST_LOST = 0.01  # of the characters, for those that were lost in decoding


def plain_doubt(path: str, name: str, text: str, right: str = "") -> Text:
    """Return the warning about a file that is read as plain text but seems a table, or JSON.

    `right` is what to do, if the columns cannot be named. Of a long file, `text` may be the
    beginning.
    """
    if _JSON.match(text) and (io.suffix_of(path) == ".json" or _is_json(text)):
        usual = "write it as JSON Lines, with one object per line"
        return (f"{name} is read as plain text, but it is JSON; ", *_advice(right, usual))
    separator = _SEPARATORS.get(io.suffix_of(path))
    lines = [line for line in text[:_CHARACTERS].split("\n")[:-1] if line.strip()]
    if separator is None or not lines or not all(separator in line for line in lines):
        return ""
    usual = "name its columns" if separator == "\t" else "convert it to TSV or JSON Lines"
    what = "tabs" if separator == "\t" else "commas"
    return (f"{name} is read as plain text, {what} included; ", *_advice(right, usual))


def _advice(right: str, usual: str) -> tuple[str | Setting, ...]:
    return (right,) if right else (f"{usual}, or give ", Setting("format", "plain"))


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def texts_doubt(name: str, texts: Sequence[str]) -> str:
    """What to say of the texts of a reference or a system, by the first of them.

    >>> texts_doubt("hyp.zh", ["买@@ 雨@@ 伞", "去 北京"])
    'hyp.zh has marks of subwords (@@ or ▁) in 50% of its lines; join the subwords first'
    """
    few = texts[:_LOOKED_AT]
    if len(few) == 1 and few[0].strip("\r").count("\r"):
        n = few[0].strip("\r").count("\r") + 1
        return (
            f"{name} is one line with {n} parts that end in a carriage return; lines end in LF, so"
            " convert the line ends"
        )
    if all(map(is_blank, few)) and all(map(is_blank, texts)):
        return f"{name} has no text, only blank lines; check that it is the right file"
    n_marked = sum(_SUBWORD.search(text) is not None for text in few)
    if n_marked >= _LEAST * len(few):
        return (
            f"{name} has marks of subwords (@@ or ▁) in {n_marked / len(few):.0%} of its lines;"
            " join the subwords first"
        )
    if all(map(_NBEST.match, few)):
        return f"{name} looks like an n-best list; keep one translation of each sentence"
    n_lost, n_characters = sum(text.count("\ufffd") for text in few), sum(map(len, few))
    if n_lost >= _LEAST_LOST * n_characters and n_lost:
        return (
            f"{name} has {n_lost} replacement characters (U+FFFD) in {len(few)} lines, so it was"
            " decoded with the wrong encoding; make it again"
        )
    return ""
