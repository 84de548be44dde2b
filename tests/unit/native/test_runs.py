"""The runs kernel finds the runs that its slow twins find."""

import random
from array import array

import pytest
from oracle import runs as slow

from celab._native.sequences import heaviest_runs, moved_runs


def texts(draw, longest):
    """Two texts of few units, which match in many ways, and the weights of the first."""
    x, y = (array("i", draw.choices(range(4), k=draw.randint(0, longest))) for _ in range(2))
    return x, y, bytes((4, 4, 3, 1)[unit] for unit in x)


def test_heaviest_runs():
    draw = random.Random(11)
    for _ in range(400):
        x, y, weights = texts(draw, 14)
        expected = slow.heaviest_runs(x, weights, y)
        assert heaviest_runs(x, weights, y, (0, len(x)), (0, len(y))) == expected


def test_ranges_are_aligned_alone():
    draw = random.Random(12)
    for _ in range(100):
        x, y, weights = texts(draw, 20)
        (x0, x1), (y0, y1) = (sorted(draw.choices(range(len(side) + 1), k=2)) for side in (x, y))
        inside = slow.heaviest_runs(x[x0:x1], weights[x0:x1], y[y0:y1])
        expected = [(x0 + i, y0 + j, n) for i, j, n in inside]
        assert heaviest_runs(x, weights, y, (x0, x1), (y0, y1)) == expected


def test_moved_runs():
    draw = random.Random(13)
    for _ in range(400):
        x, y, _ = texts(draw, 14)
        counts = bytes(draw.choices((0, 1, 2), k=len(y)))
        x_cuts, y_cuts = (sorted(draw.choices(range(len(side) + 1), k=4)) for side in (x, y))
        places = [((x_cuts[k], x_cuts[k + 1]), (y_cuts[k], y_cuts[k + 1])) for k in (0, 2)]
        assert moved_runs(x, y, counts, places) == slow.moved_runs(x, y, counts, places)


def test_what_is_outside_of_the_texts_is_refused():
    x, y = array("i", [1, 2, 3]), array("i", [1, 2])
    for weights, x_range, y_range in [
        (b"\4\4\4", (0, 4), (0, 2)),
        (b"\4\4\4", (-1, 3), (0, 2)),
        (b"\4\4\4", (2, 1), (0, 2)),
        (b"\4\4\4", (0, 3), (0, 3)),
        (b"\4\4", (0, 2), (0, 2)),
    ]:
        with pytest.raises(ValueError):
            heaviest_runs(x, weights, y, x_range, y_range)
    with pytest.raises(ValueError):
        moved_runs(x, y, b"\1\1", [((0, 1), (1, 3))])
    with pytest.raises(ValueError):
        moved_runs(x, y, b"\1", [((0, 1), (0, 1))])
