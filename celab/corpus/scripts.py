"""The scripts of texts, to detect swapped files, and outputs in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import islice

import numpy as np

from celab.base.arrays import U32, Bools

LOOKED_AT = 1000  # segments
LEAST = 0.2  # the share of letters that must be in the script
_ENOUGH = 50  # letters needed to tell
_MOST = 1000  # characters of a segment

# First and last characters of ranges.
_RANGES: dict[str, tuple[tuple[int, int], ...]] = {
    "Han": ((0x3005, 0x3007), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    "Hangul": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)),
    "Latin": (
        *((0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0x24F)),
        *((0x1E00, 0x1EFF), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A)),
    ),
    "Thai": ((0x0E00, 0x0E7F),),
    "Lao": ((0x0E80, 0x0EFF),),
    "Khmer": ((0x1780, 0x17FF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
}
LETTERS = {name: f"{name} letters" for name in _RANGES} | {
    "Han": "Chinese characters",
    "kana": "kana",
    "Hangul": "Hangul",
}
# Japanese text has kana; Han alone would be Chinese.
_FITTING = {
    "kana": "ja",
    "Hangul": "ko",
    "Han": "zh",
    "Latin": "de",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Burmese": "my",
}
SCRIPT_OF = {lang: script for script, lang in _FITTING.items()} | {"en": "Latin"}


def letters_of(script: str, text: str) -> int:
    """Return the number of letters that are in a script."""
    return len(_pattern(script).findall(text))


def in_script(characters: U32, script: str) -> Bools:
    """Return which code points are letters of a script."""
    result = np.zeros(len(characters), np.bool_)
    for first, last in _RANGES[script]:
        result |= (characters >= first) & (characters <= last)
    return result


@cache
def _pattern(script: str) -> re.Pattern[str]:
    # Compiled when it is needed: all of them take longer than scoring a short text.
    ranges = (f"{chr(first)}-{chr(last)}" for first, last in _RANGES[script])
    return re.compile(f"[{''.join(ranges)}]")


def misfit(texts: Iterable[str], lang: str) -> tuple[float, str, str | None] | None:
    """Return the share of letters in the script of the language if it is below `LEAST`, else None.

    With it come the name of the script, and a language that would fit, if there is one. A text with
    few letters, and a language that is not in `SCRIPT_OF`, are not checked.

    >>> misfit(["Every letter of this sentence is Latin, and it has many letters."], "zh")
    (0.0, 'Han', 'de')
    >>> misfit(["short"], "zh")
    """
    script = SCRIPT_OF.get(lang)
    text = "".join(segment[:_MOST] for segment in islice(texts, LOOKED_AT))
    n_letters = sum(map(str.isalpha, text))
    if script is None or n_letters < _ENOUGH:
        return None

    def share(name: str) -> float:
        return letters_of(name, text) / n_letters

    own = share(script)
    if own >= LEAST:
        return None
    fitting = next((lang for name, lang in _FITTING.items() if share(name) >= LEAST), None)
    return own, script, fitting
