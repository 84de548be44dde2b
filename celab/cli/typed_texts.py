"""Texts that are typed as words of a command line, with `--text`."""

from __future__ import annotations

import os
from collections.abc import Sequence

_LONGEST_LABEL = 30  # characters of a text that stand for it in a message


def numbered(name: str, n: int) -> list[str]:
    """Return names for so many texts of a kind: `ref`, or `ref1`, `ref2`."""
    return [name] if n == 1 else [f"{name}{number}" for number in range(1, n + 1)]


def label(text: str) -> str:
    """Return what stands for a text in a message."""
    short = text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 3]}..."
    return short or "(empty)"


def may_be_texts(words: Sequence[str]) -> bool:
    """Return whether no word is a file, or looks like the name of one."""
    return len(words) > 1 and not any(
        word[:1] == "-"
        or os.path.exists(word)
        or os.sep in word
        or os.path.splitext(word.rstrip("."))[1]
        for word in words
    )
