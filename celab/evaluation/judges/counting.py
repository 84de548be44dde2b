"""How a file of judgments counts segments: from 0 or from 1.

A file that has segment 0 counts from 0. One whose last number is the number of segments counts from
1. Any other leaves it open, and a guess would give each score to the next segment, so that
`count_from` must say it. A file that has all segments needs no `count_from`.
"""

from __future__ import annotations

from collections.abc import Mapping

from celab.base.errors import InputError, OptionError, Setting, Text, warn


def first_number(
    numbers: Mapping[int, str],
    n_segments: int,
    file: str,
    count_from: int | None = None,
    *,
    advice: str = "",
) -> int:
    """Return the number of the first segment, 0 or 1; `InputError` if it cannot be told.

    Parameters:
        numbers: all numbers of the file, each with the place of its first line.
        n_segments: the number of segments of the texts.
        file: the file, as messages name it.
        count_from: 0 or 1, if it is known.
        advice: another way to settle an unclear file.

    >>> first_number({0: "x, line 2", 2: "x, line 3"}, 4, "x")
    0
    >>> first_number({2: "x, line 2", 4: "x, line 3"}, 4, "x")
    1
    """
    check_count_from(count_from)
    low, high = min(numbers), max(numbers)
    if low <= 1 and len(numbers) == n_segments and high == low + n_segments - 1:
        if count_from not in (None, low):
            setting = Setting("count_from", count_from)
            warn((f"{file} has all segments, counted from {low}; ", setting, " is not used"))
        return low
    first = count_from
    if first is None and low == 0:
        first = 0
    elif first is None and high == n_segments:
        first = 1
    elif first is None and high < n_segments:
        hint: Text = ("give ", Setting("count_from", 0), " or ", Setting("count_from", 1))
        raise InputError(
            f"{file} has neither segment 0 nor segment {n_segments}, so it is unclear whether"
            " segments are counted from 0 or from 1",
            hint=(f"{advice}, or ", *hint) if advice else hint,
        )
    if first is None:
        expected = f"from 0 to {n_segments - 1}, or from 1 to {n_segments}"
    else:
        expected = f"from {first} to {first + n_segments - 1}"
    for number in (low, high):
        if first is None or not first <= number < first + n_segments:
            shown = high if first is None else number
            raise InputError(f"segment is {shown}; it must be {expected}", place=numbers[shown])
    return first or 0


def check_count_from(count_from: int | None) -> None:
    """Raise `OptionError` unless it is 0, 1 or None."""
    if isinstance(count_from, bool) or count_from not in (None, 0, 1):
        raise OptionError("count_from", count_from, "it must be 0 or 1")
