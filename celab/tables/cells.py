"""Figures → text. A score, a difference, an interval, a p-value or a rank becomes text only here.

`figures.js` does it in the script of a page; `tests/unit/tables/test_cells.py` compares the two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

CellKind = Literal["name", "text", "score", "difference", "interval", "p", "rank", "count"]
Value = float | str | tuple[float, float] | None
Look = Literal["plain", "page"]  # a page has a minus sign and dashes where ASCII has a hyphen


class Cell(NamedTuple):  # not a dataclass: a table of segments has many
    """A figure or a text of a table.

    Attributes:
        kind: what it is; a name comes from outside, and must not reorder what is beside it.
        value: None if there is none, NaN if it is not known; of an interval or a rank both ends.
        digits: decimals to show; None means every digit.
        best: whether it is the best of its column.
        cluster: number of the cluster in which it is, or its range of ranks; 0 if none.
        error: its standard error.
        mark: what follows it, such as stars of significance.
        signed: of an interval, whether its ends have signs, as those of differences.
        least: of a p-value, the least that its test gives.
    """

    kind: CellKind
    value: Value
    digits: int | None = 4
    best: bool = False
    cluster: int | str = 0
    error: float | None = None
    mark: str = ""
    signed: bool = False
    least: float = 0.0


def score(value: float | None, digits: int | None) -> Cell:
    """Return the cell of a score, a precision, a correlation and so on."""
    return Cell("score", value, digits)


def difference(value: float | None, digits: int | None) -> Cell:
    """Return the cell of a difference, which has a sign."""
    return Cell("difference", value, digits)


def interval(ends: tuple[float, float] | None, digits: int | None, *, signed: bool = False) -> Cell:
    """Return the cell of an interval, that of a difference if it is `signed`."""
    return Cell("interval", ends, digits, signed=signed)


def p_value(p: float | None, least: float = 0.0, mark: str = "") -> Cell:
    """Return the cell of a p-value; `least` is as in `p_text`."""
    return Cell("p", p, 3, mark=mark, least=least)


def ranks(best: int, worst: int) -> Cell:
    """Return the cell of the ranks that a system may have."""
    return Cell("rank", (best, worst))


def count(number: int) -> Cell:
    """Return the cell of a number of things."""
    return Cell("count", number)


def name(text: str) -> Cell:
    """Return the cell of a name."""
    return Cell("name", text)


def shown(cell: Cell | str, look: Look = "plain") -> str:
    """Return the text of a cell.

    >>> shown(score(0.03125, 4)), shown(difference(-0.5, 2)), shown(difference(-0.5, 2), "page")
    ('0.0312', '-0.50', '−0.50')
    >>> shown(interval((0.1, 0.25), 2)), shown(interval((-0.1, 0.25), 1, signed=True))
    ('[0.10, 0.25]', '[-0.1, +0.2]')
    >>> shown(p_value(496 / 1001)), shown(p_value(0.0004, mark="*"))
    ('0.496', '<0.001*')
    >>> shown(p_value(0.002, 0.002, "*"))
    '≤0.002*'
    >>> shown(ranks(1, 3)), shown(ranks(2, 2)), shown(count(1234))
    ('1-3', '2', '1,234')
    >>> shown(score(None, 4)), shown(score(float("nan"), 4))
    ('', '–')
    """
    if isinstance(cell, str):
        return cell
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        text = value
    elif isinstance(value, tuple):
        low, high = ends(cell, look)
        if cell.kind != "rank":
            text = f"{low}–{high}" if look == "page" else f"[{low}, {high}]"
        else:
            text = low if low == high else f"{low}{'–' if look == 'page' else '-'}{high}"
    elif cell.kind == "p":
        text = p_text(value, cell.least).removeprefix("= ").replace(" ", "")
    elif cell.kind == "count":
        text = f"{value:,}"
    else:
        text = _number(value, cell.digits, cell.kind == "difference", look)
        if cell.error is not None:
            text += f" ± {_number(cell.error, cell.digits)}"
    return text + cell.mark


def ends(cell: Cell, look: Look = "plain") -> tuple[str, str]:
    """Return both ends of an interval or a rank, for a sentence.

    >>> ends(interval((-0.1, 0.2), 1, signed=True), "page")
    ('−0.1', '+0.2')
    """
    assert isinstance(cell.value, tuple)
    if cell.kind == "rank":
        low, high = map(str, cell.value)
        return low, high
    low, high = (_number(end, cell.digits, cell.signed, look) for end in cell.value)
    return low, high


def p_text(p: float, least: float = 0.0) -> str:
    """Return a p-value with its relation, for a sentence; `least` is the least that its test gives.

    >>> p_text(496 / 1001), p_text(0.0004), p_text(2 / 1001, 2 / 1001)
    ('= 0.496', '< 0.001', '≤ 0.002')
    """
    return "< 0.001" if p < 0.001 else f"{'≤' if p <= least else '='} {p:.3f}"


def _number(value: float, digits: int | None, signed: bool = False, look: Look = "plain") -> str:
    if digits is None:
        return repr(value)
    if math.isnan(value):
        return "–"
    text = f"{value + 0.0:{'+' if signed else ''}.{digits}f}"  # + 0.0 turns -0.0 into 0.0
    return text.replace("-", "−") if look == "page" else text


# Phrases: English text that a page can say in another language.
#
# A phrase is a `str`, so that every renderer writes it as it is. A page takes its pattern, looks
# up the translation, and fills in the values, which may be phrases themselves (`Words.phrase`).

_PLACE = re.compile(r"\{(\d)\}")


class Phrase(str):
    """A text of our own: a pattern with the places `{0}`, `{1}` …, and the values in them.

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
        """The parts of the text in order: those of the pattern, and the values, as they are.

        >>> list(Phrase("{0} against {1}", "chrF2", "BLEU").parts)
        ['chrF2', ' against ', 'BLEU']
        """
        for place, part in enumerate(_PLACE.split(self.pattern)):
            if text := self.values[int(part)] if place % 2 else part:
                yield text

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


def quantity(number: int, singular: str = "segment") -> Phrase:
    """Return a number with its unit.

    >>> quantity(1), quantity(12, "system")
    ('1 segment', '12 systems')
    """
    return Phrase(f"{{0}} {singular}{'' if number == 1 else 's'}", str(number))
