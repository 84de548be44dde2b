"""Warnings about files that can be read, but are probably not what the user meant."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence

from celab.base import io
from celab.base.errors import Setting, Text
from celab.base.text.tokens import is_blank

_SAMPLE = 1000  # lines
_TABLE_SAMPLE = 10_000  # characters
_JSON = re.compile(r'\s*[\[{]\s*["\[{]')
# Patterns of a line, marks of which it has one, what it is, and what is to be done.
_MARKED = (
    (
        re.compile(r"@@(?: |$)|\u2581"),  # of subword-nmt and of SentencePiece
        ("@@", "\u2581"),
        "marks of subwords (@@ or ▁)",
        "join the subwords",
    ),
    (
        re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"),
        ("&",),
        "HTML entities",
        "replace them by the characters",
    ),
    (
        re.compile(r"\\u[0-9A-Fa-f]{4}"),
        ("\\u",),
        r"escapes such as \u4e70",
        "replace them by the characters",
    ),
)
_NBEST = re.compile(r"\s*[0-9]+ \|\|\| ")
_LEAST = 0.1  # share of lines with such marks
_LEAST_LOST = 0.01  # share of characters lost in decoding
_COMPARED = 200  # segments that are compared by their bigrams
# By this share a reference is nearer to the hypothesis, if so many segments are compared. Human
# references are often a little nearer to systems than to each other: up to 0.08 in WMT21.
_NEARER = 0.15


def plain_text_warning(path: str, name: str, text: str, right: str = "") -> Text:
    """Return a warning about plain text that seems to be a table or JSON, else "".

    `right` is the advice, if the columns cannot be named. Of a long file, `text` may be the
    beginning.
    """
    if _JSON.match(text) and (io.suffix_of(path) == ".json" or _is_json(text)):
        advice = "write it as JSON Lines, with one object per line"
        return (f"{name} is read as plain text, but it is JSON; ", *_advice(right, advice))
    if "\t" not in (start := text[:_TABLE_SAMPLE]):
        return ""
    lines = [line for line in start.split("\n")[:-1] if line.strip()]
    n_tabs = {line.count("\t") for line in lines}
    # In text that is not called a table, only as many tabs in all lines are more than chance.
    is_table = len(n_tabs) == 1 and len(lines) > 1 if io.suffix_of(path) != ".tsv" else True
    if not lines or 0 in n_tabs or not is_table:
        return ""
    return (f"{name} is read as plain text, tabs included; ", *_advice(right, "name its columns"))


def _advice(right: str, default: str) -> tuple[str | Setting, ...]:
    return (right,) if right else (f"{default}, or give ", Setting("format", "plain"))


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def nul_warning(name: str, texts: Sequence[str], n_before: int = 0) -> str:
    """Return a warning about NUL characters in the texts after the first `n_before`, else "".

    >>> nul_warning("hyp.zh", ["买伞", "去\\0北京"])
    'hyp.zh, line 2: NUL characters are dropped; remove them, or give the right encoding, ...'
    """
    number = next((n for n, text in enumerate(texts, n_before + 1) if "\0" in text), None)
    if number is None:
        return ""
    return (
        f"{name}, line {number}: NUL characters are dropped; remove them, or give the right"
        " encoding, such as utf-16"
    )


def texts_warning(name: str, texts: Sequence[str]) -> str:
    """Return a warning about the texts of a reference or a system, judged by the first of them.

    Only NUL characters are looked for in all.

    >>> texts_warning("hyp.zh", ["买@@ 雨@@ 伞", "去 北京"])
    'hyp.zh has marks of subwords (@@ or ▁) in 50% of its lines; join the subwords first'
    """
    if any("\0" in text for text in texts):
        return nul_warning(name, texts)
    sample = texts[:_SAMPLE]
    if len(sample) == 1 and sample[0].strip("\r").count("\r"):
        n = sample[0].strip("\r").count("\r") + 1
        return (
            f"{name} is one line with {n} parts that end in a carriage return; lines end in LF, so"
            " convert the line ends"
        )
    if all(map(is_blank, sample)) and all(map(is_blank, texts)):
        return f"{name} has no text, only blank lines; check that it is the right file"
    joined = "\n".join(sample)
    for pattern, marks, what, advice in _MARKED:
        if not any(mark in joined for mark in marks):  # quick for most texts
            continue
        n_marked = sum(pattern.search(text) is not None for text in sample)
        if n_marked >= _LEAST * len(sample):
            share = f"{n_marked / len(sample):.0%}"
            return f"{name} has {what} in {share} of its lines; {advice} first"
    if all(map(_NBEST.match, sample)):
        return f"{name} looks like an n-best list; keep one translation of each sentence"
    n_lost = joined.count("\ufffd")
    if n_lost and n_lost >= _LEAST_LOST * sum(map(len, sample)):
        return (
            f"{name} has {n_lost} replacement characters (U+FFFD) in {len(sample)} lines, so it was"
            " decoded with the wrong encoding; make it again"
        )
    return ""


def is_nearer(ref: Sequence[str], first: Sequence[str], hyp: Sequence[str]) -> bool:
    """Return whether a reference is so near to the hypothesis that it may be another system.

    It must share clearly more character bigrams with the hypothesis than either shares with the
    first reference; the fewer segments there are, the more.

    >>> is_nearer(["雨伞在门后面"], ["门背后有一把伞"], ["雨伞在门后边"])
    True
    """
    sides = [[_bigrams(text) for text in side[:_COMPARED]] for side in (ref, first, hyp)]
    n_segments = min(map(len, sides))
    if not n_segments:
        return False
    to_first, to_hyp = _shared(sides[0], sides[1]), _shared(sides[0], sides[2])
    margin = 1 + _NEARER * math.sqrt(_COMPARED / n_segments)
    return to_hyp > margin * max(to_first, _shared(sides[1], sides[2]))


def _bigrams(text: str) -> Counter[str]:
    letters = "".join(text.split())
    return Counter(letters[i : i + 2] for i in range(len(letters) - 1))


def _shared(a: Sequence[Counter[str]], b: Sequence[Counter[str]]) -> float:
    # Twice what is shared, over the size of both (Dice).
    pairs = list(zip(a, b, strict=False))
    size = sum(one.total() + other.total() for one, other in pairs)
    return 2 * sum((one & other).total() for one, other in pairs) / size if size else 0.0
