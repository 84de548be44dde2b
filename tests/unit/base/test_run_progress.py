"""How the progress of parts adds up."""

import pytest

from celab.base.run import split


def calls_of(total, shares, *calls):
    """What is told of a whole when its parts are called with (part, numbers)."""
    told = []
    parts = split(lambda *numbers: told.append(numbers), total, shares)
    for part, numbers in calls:
        parts[part](*numbers)
    return told


def test_parts_count_after_each_other():
    calls = [(0, (1, 2)), (0, (2, 2)), (1, (1, 4)), (1, (4, 4))]
    assert calls_of(20, [1, 1], *calls) == [(5, 20), (10, 20), (12, 20), (20, 20)]


def test_a_part_without_a_total_counts_in_the_units_of_the_whole():
    assert calls_of(30, [10, 20], (0, (4,)), (1, (4,)), (1, (20,))) == [(4, 30), (14, 30), (30, 30)]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50])
def test_the_end_of_the_last_part_is_the_end(n):
    assert calls_of(10, [1] * n, (n - 1, (3, 3))) == [(10, 10)]


def test_parts_of_parts():
    told = []
    first, second = split(lambda *numbers: told.append(numbers), 8, [1, 3])
    assert split(first, 100, []) == []
    for part in split(second, 100, [1, 1]):
        part(1, 1)
    assert told == [(5, 8), (8, 8)]


def test_a_part_never_counts_beyond_its_end():
    assert calls_of(10, [1, 1], (0, (9,)), (0, (3, 2))) == [(5, 10), (5, 10)]


def test_a_part_of_nothing():
    assert calls_of(0, [0, 0], (0, (0, 0)), (1, (0,))) == [(0, 0), (0, 0)]


def test_nobody_asks():
    assert split(None, 10, [1, 2]) == [None, None]
