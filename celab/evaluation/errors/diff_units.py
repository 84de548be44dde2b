"""Texts → the units that two texts are compared by: characters of CJK, words of other scripts.

`diff.js` of the report takes the same units: the ranges below are its constants, and a test
compares both on many texts. Units are equal if their compatibility forms (NFKC) are.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from typing import NamedTuple

from celab.base.languages import RANGES
from celab.base.text.scripts import letters_of

Ranges = tuple[tuple[int, int], ...]

# Scripts whose characters are units of their own. The middle dot of katakana is a sign.
CJK: Ranges = (
    *RANGES["Han"],
    *((0x3041, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    *RANGES["Hangul"],
)
UNSPACED: Ranges = (*RANGES["Thai"], *RANGES["Lao"], *RANGES["Khmer"], *RANGES["Burmese"])
SPACES = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
JOINERS = ".,'’-"
# What a match counts: more inside a run of matches than alone, so that few runs are found instead
# of many scattered characters.
OF_CONTENT, OF_SIGN, OF_SPACE = 4, 3, 1
_WEIGHTS = bytes(
    {" ": OF_SPACE, ".": OF_SIGN}.get(chr(script), OF_CONTENT) for script in range(256)
)

_DIGIT = re.compile("[0-9]")
# Units of several characters; every other character is a unit by itself.
_LONG_UNIT = re.compile("cm+|[wm](?:[wm]+(?:j[wm]+)*|(?:j[wm]+)+)|ss+")


class _Classes(dict[int, str]):
    """The class of each character: c of CJK or unspaced, m mark, w word, j joiner, s space, o."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if char in SPACES:
            kind = "s"
        elif char in JOINERS:
            kind = "j"
        elif category[0] == "M":
            kind = "m"
        elif any(first <= code <= last for first, last in (*CJK, *UNSPACED)):
            kind = "c"
        else:
            kind = "w" if category[0] in "LN" else "o"
        self[code] = kind
        return kind


_CLASSES = _Classes()


class Units(NamedTuple):
    """The units of a text.

    `keys` are equal for units that are, `weights` what a match counts, `scripts` "0" for a unit
    with a digit, "a" for one with a Latin letter, "w" for other content, "." for a sign and " ".
    """

    texts: list[str]
    keys: array[int]
    weights: bytes
    scripts: str


class _Numbers(dict[str, int]):
    """The number of each unit, the same for units that are equal."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __missing__(self, unit: str) -> int:
        key = unicodedata.normalize("NFKC", unit)
        self[unit] = self._numbers.setdefault(key, len(self._numbers) + 1)
        return self[unit]


class _Scripts(dict[str, str]):
    """The script of each unit."""

    def __missing__(self, unit: str) -> str:
        self[unit] = _script_of(unit, unicodedata.normalize("NFKC", unit))
        return self[unit]


class Vocabulary:
    """Numbers and scripts of units, the same for all texts that are compared with each other."""

    def __init__(self) -> None:
        self._numbers, self._scripts = _Numbers(), _Scripts()

    def units(self, text: str) -> Units:
        """Return the units of a text.

        >>> Vocabulary().units("他买了 3.5米 USB-C！").texts
        ['他', '买', '了', ' ', '3.5', '米', ' ', 'USB-C', '！']
        """
        texts: list[str] = []
        before = 0
        for unit in _LONG_UNIT.finditer(text.translate(_CLASSES)):
            start, stop = unit.span()
            texts += text[before:start]
            texts.append(text[start:stop])
            before = stop
        texts += text[before:]
        keys = array("i", map(self._numbers.__getitem__, texts))
        scripts = "".join(map(self._scripts.__getitem__, texts))
        return Units(texts, keys, scripts.encode().translate(_WEIGHTS), scripts)


def _script_of(unit: str, key: str) -> str:
    if all(char in SPACES for char in unit):
        return " "
    if not any(unicodedata.category(char)[0] in "LN" for char in unit):
        return "."
    if _DIGIT.search(key):
        return "0"
    return "a" if letters_of("Latin", unit) else "w"
