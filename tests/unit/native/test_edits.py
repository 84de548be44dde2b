"""The edits kernel counts what its slow twin counts, and lists as many edits."""

import random

import numpy as np
import pytest
from oracle import edits as slow

from celab._native.sequences import count_edits, list_edits


def side(*texts):
    """Return texts of small numbers, all of them and where each begins."""
    numbers = [number for text in texts for number in text]
    return np.array(numbers, np.int32), np.cumsum([0, *map(len, texts)])


def drawn(n_pairs, longest, seed):
    draw = random.Random(seed)
    for _ in range(n_pairs):
        tokens = range(draw.choice((1, 2, 4, 30)))
        yield tuple(draw.choices(tokens, k=draw.randint(0, longest)) for _ in range(2))


def test_edits_are_those_of_the_twin():
    hyps, refs = zip(*drawn(5000, 14, seed=3), strict=True)
    found = count_edits(*side(*hyps), *side(*refs)).tolist()
    assert found == [list(slow.count_edits(*pair)) for pair in zip(hyps, refs, strict=True)]


def test_long_texts_need_several_bands():
    for hyp, ref in drawn(20, 120, seed=4):
        assert count_edits(*side(hyp), *side(ref)).tolist() == [list(slow.count_edits(hyp, ref))]


def test_edits_that_are_listed_are_those_that_are_counted():
    hyps, refs = zip(*drawn(2000, 20, seed=5), *drawn(20, 120, seed=6), strict=True)
    edits = list_edits(*side(*hyps), *side(*refs)).tolist()
    edited = [list(ref) for ref in refs]
    kinds = np.zeros((len(refs), 3), int)
    for pair, kind, i, j in reversed(edits):
        kinds[pair, kind] += 1
        edited[pair][j : j + (kind != 2)] = hyps[pair][i : i + (kind != 1)]
    assert edited == list(hyps)
    assert kinds.tolist() == count_edits(*side(*hyps), *side(*refs)).tolist()


def test_of_equal_alignments_substitutions_are_first():
    assert list_edits(*side([1, 5, 6]), *side([1, 2])).tolist() == [[0, 0, 1, 1], [0, 2, 2, 2]]
    assert list_edits(*side([1, 2]), *side([1, 5, 6])).tolist() == [[0, 0, 1, 1], [0, 1, 2, 2]]


def test_texts_that_do_not_fit():
    tokens, begin = side([1, 2], [3])
    with pytest.raises(ValueError):
        count_edits(tokens, begin, *side([1]))
    for wrong in ([0, 2], [0, 4, 3], [1, 2, 3], []):
        with pytest.raises(ValueError):
            count_edits(tokens, np.array(wrong, np.int64), tokens, np.array(wrong, np.int64))
