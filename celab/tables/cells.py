"""Figures → text. A score, a difference, an interval, a p-value or a rank becomes text only here.

`figures.js` does it in the script of a page; `tests/unit/tables/test_cells.py` compares the two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

Interval = tuple[float, float]
Look = Literal["plain", "page"]  # a page has a minus sign and dashes where ASCII has a hyphen


def score(value: float | None, digits: int, look: Look = "plain", *, signed: bool = False) -> str:
    """Return a score, a precision, a correlation and so on; "" if there is none.

    >>> score(0.03125, 4), score(None, 4), score(float("nan"), 4)
    ('0.0312', '', '–')
    """
    if value is None:
        return ""
    if math.isnan(value):
        return "–"
    text = f"{value + 0.0:{'+' if signed else ''}.{digits}f}"  # + 0.0 turns -0.0 into 0.0
    return text.replace("-", "−") if look == "page" else text


def estimate(value: float | None, error: float | None, digits: int, look: Look = "plain") -> str:
    """Return a score with its standard error, if that is known.

    >>> estimate(0.5, 0.0125, 3), estimate(0.5, None, 3)
    ('0.500 ± 0.013', '0.500')
    """
    text = score(value, digits, look)
    return text if value is None or error is None else f"{text} ± {score(error, digits)}"


def difference(value: float | None, digits: int, look: Look = "plain") -> str:
    """Return a difference, which has a sign.

    >>> difference(-0.5, 2), difference(-0.5, 2, "page"), difference(0.25, 1)
    ('-0.50', '−0.50', '+0.2')
    """
    return score(value, digits, look, signed=True)


def interval(
    ends: Interval | None, digits: int, look: Look = "plain", *, signed: bool = False
) -> str:
    """Return an interval, that of a difference if it is `signed`.

    >>> interval((0.1, 0.25), 2), interval((-0.1, 0.25), 1, signed=True)
    ('[0.10, 0.25]', '[-0.1, +0.2]')
    """
    if ends is None:
        return ""
    low, high = (score(end, digits, look, signed=signed) for end in ends)
    return f"{low}–{high}" if look == "page" else f"[{low}, {high}]"


def p_value(p: float | None, least: float = 0.0) -> str:
    """Return a p-value for a table; `least` is the least that its test gives.

    >>> p_value(496 / 1001), p_value(0.0004), p_value(0.002, 0.002)
    ('0.496', '<0.001', '≤0.002')
    """
    return "" if p is None else p_text(p, least).removeprefix("= ").replace(" ", "")


def p_text(p: float, least: float = 0.0) -> str:
    """Return a p-value with its relation, for a sentence.

    >>> p_text(496 / 1001), p_text(0.0004), p_text(2 / 1001, 2 / 1001)
    ('= 0.496', '< 0.001', '≤ 0.002')
    """
    return "< 0.001" if p < 0.001 else f"{'≤' if p <= least else '='} {p:.3f}"


def ranks(ends: Sequence[int], look: Look = "plain") -> str:
    """Return the best and the worst rank that a system may have, one number if they are equal.

    >>> ranks((1, 3)), ranks((2, 2)), ranks((1, 3), "page")
    ('1-3', '2', '1–3')
    """
    best, worst = ends
    return str(best) if best == worst else f"{best}{'–' if look == 'page' else '-'}{worst}"


def count(number: int) -> str:
    """Return a number of things.

    >>> count(1234)
    '1,234'
    """
    return f"{number:,}"


# Phrases: English texts that a page can translate.
#
# A phrase is a `str`, so that every renderer writes it as it is. A page takes its pattern, looks
# up the translation, and fills in the values, which may be phrases themselves (`Words.phrase`).

_PLACE = re.compile(r"\{(\d)\}")


class Phrase(str):
    """A translatable text: an English pattern with `{0}`, `{1}` …, and its values.

    >>> phrase = Phrase("{0} against {1}", "chrF2", listed(["a", "b"]))
    >>> print(phrase)
    chrF2 against a, b
    >>> phrase.pattern, phrase.values[0]
    ('{0} against {1}', 'chrF2')
    """

    __slots__ = ("pattern", "values")
    pattern: str
    values: tuple[str, ...]

    def __new__(cls, pattern: str, *values: str) -> Phrase:  # noqa: D102
        phrase = super().__new__(cls, _PLACE.sub(lambda place: values[int(place[1])], pattern))
        phrase.pattern, phrase.values = pattern, values
        return phrase

    @property
    def parts(self) -> Iterator[str]:
        """The parts of the text in order: pieces of the pattern, and the values.

        >>> list(Phrase("{0} against {1}", "chrF2", "BLEU").parts)
        ['chrF2', ' against ', 'BLEU']
        """
        for place, part in enumerate(_PLACE.split(self.pattern)):
            if text := self.values[int(part)] if place % 2 else part:
                yield text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.pattern, *self.values


class PicturedName(str):
    """The name of a system in a sentence, with the color of its dot: `m` metric, `h` human.

    >>> PicturedName("GPT-4", "h").color
    'h'
    """

    __slots__ = ("color",)
    color: str

    def __new__(cls, text: str, color: str) -> PicturedName:  # noqa: D102
        name = super().__new__(cls, text)
        name.color = color
        return name


def listed(items: Sequence[str], separator: str = ", ") -> str:
    """Return the items as a list in a sentence; translations may have another separator."""
    if not items:
        return ""
    joined, *rest = items
    for item in rest:
        joined = Phrase("{0}{1}{2}", joined, Phrase(separator), item)
    return joined


def quantity(number: int, singular: str = "segment") -> Phrase:
    """Return a number with its unit.

    >>> quantity(1), quantity(12, "system")
    ('1 segment', '12 systems')
    """
    return Phrase(f"{{0}} {singular}{'' if number == 1 else 's'}", str(number))
