"""Unicode's composed form (NFC) in linear time; imports nothing of ours, so that all may use it."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from operator import itemgetter

_MARKS = re.compile(r"[^\w\s\x00-\x7f]{50,}")  # all combining marks are among these characters


def compose(text: str) -> str:
    """Return Unicode's composed form (NFC), in linear time.

    Python's own time is quadratic in the length of a run of marks, so long runs are sorted first.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKS.sub(_sort_marks, text))


def _sort_marks(match: re.Match[str]) -> str:
    marks, size = match[0], 50
    pieces = (marks[start : start + size] for start in range(0, len(marks), size))
    marks = "".join(unicodedata.normalize("NFD", piece) for piece in pieces)
    classes = map(unicodedata.combining, marks)
    runs = groupby(zip(classes, marks, strict=True), key=lambda pair: pair[0] > 0)
    return "".join(
        mark
        for is_run, run in runs
        for _, mark in (sorted(run, key=itemgetter(0)) if is_run else run)
    )
