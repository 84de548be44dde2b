"""Phrases: English text that a page can say in another language.

A phrase is a `str`, so that every renderer writes it as it is. A page takes its pattern, looks up
the translation, and fills in the values, which may be phrases themselves (`Words.phrase`).

>>> phrase = Phrase("{0} against {1}", "chrF2", listed(["a", "b"]))
>>> print(phrase)
chrF2 against a, b
>>> phrase.pattern, phrase.values[0]
('{0} against {1}', 'chrF2')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_PLACE = re.compile(r"\{(\d)\}")


class Phrase(str):
    """A text of our own: a pattern with the places `{0}`, `{1}` …, and the values in them."""

    __slots__ = ("pattern", "values")
    pattern: str
    values: tuple[str, ...]

    def __new__(cls, pattern: str, *values: str) -> Phrase:  # noqa: D102
        phrase = super().__new__(cls, _PLACE.sub(lambda place: values[int(place[1])], pattern))
        phrase.pattern, phrase.values = pattern, values
        return phrase

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.pattern, *self.values


def listed(items: Sequence[str], separator: str = ", ") -> str:
    """Return items one after the other; a language may have another separator."""
    if not items:
        return ""
    joined, *rest = items
    for item in rest:
        joined = Phrase("{0}{1}{2}", joined, Phrase(separator), item)
    return joined


def counted(number: int, singular: str) -> Phrase:
    """Return a number of things.

    >>> counted(1, "system"), counted(12, "system")
    ('1 system', '12 systems')
    """
    return Phrase(f"{{0}} {singular}{'' if number == 1 else 's'}", str(number))
