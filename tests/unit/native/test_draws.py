"""Random numbers of resamples are those that NumPy's generator draws from PCG64."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from celab._native.draws import Draws

SEEDS = st.integers(0, 2**40) | st.integers(0, 2**300)


@given(SEEDS, st.lists(st.tuples(st.integers(1, 5), st.integers(1, 70)), min_size=1, max_size=4))
@example(0, [(3, 1), (2, 2), (1, 100_003)])
@example(2**128, [(2, 1000)])
def test_numbers_are_drawn_and_counted_as_by_numpy(seed, shapes):
    draws, numpy = Draws(seed), np.random.Generator(np.random.PCG64(seed))
    for n_rows, n_columns in shapes:  # half of a number may be left for the next
        counts = np.full((n_rows, n_columns), np.nan)
        draws.count(counts)
        drawn = numpy.integers(n_columns, size=counts.shape)
        assert counts.tolist() == [np.bincount(row, minlength=n_columns).tolist() for row in drawn]


@given(SEEDS, st.integers(0, 5), st.integers(0, 9))
def test_words_are_those_of_numpy(seed, n_rows, n_words):
    draws, numpy = Draws(seed), np.random.Generator(np.random.PCG64(seed))
    for _ in range(2):
        words = np.empty((n_rows, n_words), np.uint32)
        draws.fill(words)
        assert words.tolist() == numpy.integers(2**32, size=words.shape, dtype=np.uint32).tolist()


def test_a_number_that_would_be_more_likely_is_drawn_again():
    n_columns = 3 * 2**20
    share = 2**32 % n_columns / 2**32  # of words that are rejected
    assert share * n_columns > 700
    draws, numpy = Draws(5), np.random.Generator(np.random.PCG64(5))
    counts = np.empty((1, n_columns))
    draws.count(counts)
    assert np.array_equal(counts[0], np.bincount(numpy.integers(n_columns, size=n_columns)))


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError):
        Draws(0).count(np.empty((1, 0)))
    with pytest.raises(TypeError):
        Draws(None)
