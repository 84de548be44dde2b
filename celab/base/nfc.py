"""Unicode's composed forms in linear time; imports nothing of ours, so that all may use it."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from operator import itemgetter
from typing import Literal

_MARKS = re.compile(r"[^\w\s\x00-\x7f]{50,}")  # all combining marks are among these characters
Form = Literal["NFC", "NFKC"]


def compose(text: str, form: Form = "NFC") -> str:
    """Return a composed form of Unicode, in linear time.

    Python's own time is quadratic in the length of a run of marks, so long runs are sorted first.
    """
    if text.isascii():
        return text
    decomposed: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"
    return unicodedata.normalize(form, _MARKS.sub(lambda run: _sorted(run[0], decomposed), text))


def _sorted(marks: str, form: Literal["NFD", "NFKD"]) -> str:
    size = 50
    pieces = (marks[start : start + size] for start in range(0, len(marks), size))
    marks = "".join(unicodedata.normalize(form, piece) for piece in pieces)
    classes = map(unicodedata.combining, marks)
    runs = groupby(zip(classes, marks, strict=True), key=lambda pair: pair[0] > 0)
    return "".join(
        mark
        for is_run, run in runs
        for _, mark in (sorted(run, key=itemgetter(0)) if is_run else run)
    )
