"""Means that are rounded once: neither the order of values nor batches of them move a bit."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.metrics import bag_scorer
from celab.statistics.resampling import column_means, mean_along, mean_of

scores = st.floats(0, 1).filter(lambda x: x == 0 or x > 1e-9)


@given(st.lists(scores, min_size=1, max_size=40), st.randoms())
def test_a_mean_is_the_exact_one_rounded(values, rng):
    exact = float(Fraction(sum(map(Fraction, values))) / len(values))
    assert mean_of(np.array(values)) == exact
    assert mean_along(np.array(values)) == exact
    rng.shuffle(values)
    assert mean_of(np.array(values)) == exact
    assert mean_along(np.array(values)) == exact


@given(scores, st.integers(1, 200))
def test_the_mean_of_equal_values_is_that_value(value, n):
    assert mean_of(np.full(n, value)) == value
    assert mean_along(np.full((n, 2), value)).tolist() == [value] * 2


@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 63, 64, 500]),
    st.sampled_from([(-3, 1), (-60, 60), (-1070, 990)]),
)
def test_means_of_columns_are_those_of_each(seed, n, exponents):
    draw = np.random.default_rng(seed)
    rows = np.ldexp(draw.uniform(-1, 1, (n, 3)), draw.integers(*exponents, (n, 3)))
    exact = [float(sum(map(Fraction, column)) / n) for column in rows.T.tolist()]
    assert column_means(rows) == exact


@pytest.mark.parametrize("value", [math.nan, math.inf, 0.0])
def test_one_value_of_a_column_that_is_no_number_or_all_zero(value):
    rows = np.full((100, 2), [0.1, value])
    assert np.array_equal(column_means(rows), [0.1, value], equal_nan=True)


def test_absent_values_and_none_at_all():
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    present = np.array([[True, False, False], [True, True, False]])
    assert mean_along(values, present)[:2].tolist() == [0.25, 0.5]
    assert math.isnan(mean_along(values, present)[2]) and math.isnan(mean_of(np.zeros(0)))
    assert math.isnan(mean_of(np.array([0.5, np.nan])))


def test_a_hundred_equal_references_are_one():
    metric = celab.TeslaCelab(lexicon=None)
    alone = metric.sentence_score("买伞吗我去", ["买雨伞吧"])
    many = metric.sentence_score("买伞吗我去", ["买雨伞吧"] * 100)
    assert (many.score, many.precision, many.recall) == (alone.score, alone.precision, alone.recall)


@pytest.mark.parametrize("average", ["arithmetic", "geometric"])
def test_batches_do_not_move_a_bit_of_tesla_m(monkeypatch, average):
    rng = random.Random(7)
    hyps, refs = (
        [" ".join(rng.choices("a b c d e f".split(), k=rng.randint(1, 12))) for _ in range(60)]
        for _ in range(2)
    )
    metric = celab.TeslaM(analysis="surface", lexicon=None, average=average)
    whole = metric.corpus_score(hyps, [refs]).segments.values
    for size in (1, 7):
        monkeypatch.setattr(bag_scorer, "_BATCH", size)
        assert np.array_equal(metric.corpus_score(hyps, [refs]).segments.values, whole)
