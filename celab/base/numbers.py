"""Numbers in files and on the command line, in plain decimal notation.

Python's own `float` and `int` also read `1_0`, `٣`, `nan` and `1e308`: the first two are hardly
ever meant, and a sum or a square of the last two is no number.
"""

from __future__ import annotations

import re

N_RESAMPLES = 1000  # unless another number is given
# The fewest resamples that give a 95% interval of a difference, and the most.
RESAMPLES = (40, 10_000_000)
SEED = 12345  # unless another is given
SEEDS = (0, 2**32)
GREATEST = 1e100  # so that squares and their sums stay finite
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")


def decimal(text: str) -> float | None:
    """Return the number that a text spells, or None unless it is one from -1e100 to 1e100.

    >>> decimal("-2.5e-3"), decimal("1_0"), decimal("٣"), decimal("nan"), decimal("1e308")
    (-0.0025, None, None, None, None)
    """
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) <= GREATEST else None


def is_digits(text: str) -> bool:
    """Return whether a text is a number of ASCII digits, such as that of a column.

    >>> is_digits("12"), is_digits("٣"), is_digits("-1"), is_digits("")
    (True, False, False, False)
    """
    return text.isascii() and text.isdecimal()


def whole_number(text: str) -> int | None:
    """Return the whole number that a text spells, or None unless it is one of up to 20 digits.

    >>> whole_number("10"), whole_number("-1"), whole_number("1_0"), whole_number("٣")
    (10, -1, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None
