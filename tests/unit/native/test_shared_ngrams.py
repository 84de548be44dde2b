"""The n-grams kernel counts what its slow twin counts."""

import random
from array import array

import pytest
from oracle import shared_ngrams as slow

from celab._native.sequences import count_shared


def test_shared_ngrams():
    draw = random.Random(7)
    for _ in range(600):
        x, *refs = (
            array("i", draw.choices((-1, 0, 1, 0x10FFFF), k=draw.randint(0, 14)))
            for _ in range(draw.randint(1, 4))
        )
        assert count_shared(x, refs, 6) == slow.count_shared(x, refs, 6)


def test_long_texts():
    draw = random.Random(8)
    x, y = (array("i", draw.choices(range(300), k=5000)) for _ in range(2))
    assert count_shared(x, [y], 3) == slow.count_shared(x, [y], 3)
    assert count_shared(x, [x], 20) == [5000 - n for n in range(20)]


def test_orders():
    x = array("i", [1, 2])
    assert count_shared(x, [x], 0) == []
    assert count_shared(x, [], 2) == [0, 0]
    with pytest.raises(ValueError):
        count_shared(x, [x], -1)
