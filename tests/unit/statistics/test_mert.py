"""Minimum error rate training on arrays, against brute force."""

import numpy as np
import pytest
from conftest import examples
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import mert as oracle

from celab.metrics.formulas import BleuFormula
from celab.statistics.mert import Lists, search
from celab.statistics.resampling import mean


def lists_of(features, statistics, aggregate=mean, sign=1):
    """Ragged lists as arrays; short ones repeat their first candidate."""
    most = max(map(len, features))
    rows = [
        [np.array([*some, *[some[0]] * (most - len(some))], float) for some in side]
        for side in (features, statistics)
    ]
    return Lists(np.moveaxis(np.array(rows[0]), 2, 0), np.array(rows[1]), aggregate, sign)


def made(n_features, n_statistics):
    candidate = st.tuples(
        st.lists(st.integers(-4, 4), min_size=n_features, max_size=n_features),
        st.lists(st.integers(0, 6), min_size=n_statistics, max_size=n_statistics),
    )
    return st.lists(st.lists(candidate, min_size=1, max_size=6), min_size=1, max_size=5)


def split(lists):
    return [[[one[k] for one in some] for some in lists] for k in (0, 1)]


def score_by(aggregate, sign=1):
    return lambda rows: sign * float(aggregate(np.sum(rows, axis=0, dtype=float), len(rows)))


def as_bleu(sums, n):
    # Lengths of hypothesis and reference, then matches and totals of n-grams.
    matched = np.minimum(sums[..., :4], sums[..., 4:8])
    rows = np.concatenate((sums[..., 4:5], sums[..., 8:9], matched, sums[..., 4:8]), axis=-1)
    return BleuFormula()(rows, n)


vectors = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@examples(100)
@given(made(3, 1), vectors, vectors, st.sampled_from([1, -1]))
@example([[([0, 0, 0], [1]), ([0, 0, 0], [2])]], [1, 0, 0], [0, 1, 0], 1)
@example([[([0, 0, 0], [1]), ([1, 0, 0], [2]), ([2, 0, 0], [1])]], [0, 0, 0], [1, 0, 0], -1)
@example([[([0, 0, 0], [0]), ([1, 0, 0], [1]), ([-1, 0, 0], [1])]], [0, 0, 0], [1, 0, 0], 1)
def test_the_line_search_is_exact(lists, start, direction, sign):
    check_line(lists, start, direction, mean, sign)


@examples(60)
@given(made(3, 9), vectors, vectors)
def test_the_line_search_is_exact_for_sums_of_statistics(lists, start, direction):
    check_line(lists, start, direction, as_bleu, 1)


def check_line(lists, start, direction, aggregate, sign):
    features, statistics = split(lists)
    ours = lists_of(features, statistics, aggregate, sign)
    along = [ours.products(np.array(one, float)) for one in (start, direction)]
    t = ours.line_search(*along)
    expected, best = oracle.line_search(
        features, statistics, start, direction, score_by(aggregate, sign)
    )
    assert t == pytest.approx(float(expected), abs=1e-9)
    found = ours.score((along[0] + t * along[1]).argmax(axis=1))
    assert sign * found == pytest.approx(best, abs=1e-9)


@examples(30)
@given(made(2, 1), st.integers(0, 9), st.sampled_from([1, -1]))
def test_two_weights_are_at_least_as_good_as_a_grid(lists, seed, sign):
    features, statistics = split(lists)
    ours = lists_of(features, statistics, mean, sign)
    starts = search(ours, [np.ones(2)], 8, seed)
    found = max(sign * one.history[-1] for one in starts)
    assert found >= oracle.best_on_grid(features, statistics, score_by(mean, sign), 12) - 1e-9
    for one in starts:  # the weights score what the history says, on the features as they are
        assert ours.score(ours.products(one.weights).argmax(axis=1)) == one.history[-1]
        gains = np.diff(one.history) * sign
        assert (gains > -1e-9).all() and gains[-1] <= 1e-5
        assert not one.weights.any() or np.abs(one.weights).sum() == pytest.approx(1)


def test_the_same_seed_gives_the_same_weights():
    random = np.random.default_rng(1)
    ours = Lists(random.normal(size=(4, 30, 8)), random.random((30, 8, 1)), mean)
    one, again, other = (search(ours, [], 3, seed) for seed in (5, 5, 6))
    assert [s.weights.tolist() for s in one] == [s.weights.tolist() for s in again]
    assert [s.weights.tolist() for s in one] != [s.weights.tolist() for s in other]
    more = search(ours, [], 5, 5)  # more starts do not change the first ones
    assert [s.weights.tolist() for s in more[:3]] == [s.weights.tolist() for s in one]


def test_units_of_features_do_not_matter():
    random = np.random.default_rng(2)
    features, statistics = random.normal(size=(3, 40, 8)), random.random((40, 8, 1))
    units = np.array([1024.0, 1.0, 2.0**-20])
    (plain,) = search(Lists(features, statistics, mean), [], 1, 3)
    (scaled,) = search(Lists(features * units[:, None, None], statistics, mean), [], 1, 3)
    assert scaled.history == plain.history
    again = scaled.weights * units
    assert again / np.abs(again).sum() == pytest.approx(plain.weights, abs=1e-12)


def test_a_feature_that_does_not_vary_has_weight_0():
    random = np.random.default_rng(3)
    features = random.normal(size=(3, 10, 4))
    features[1] = np.arange(10)[:, None]
    (found,) = search(Lists(features, random.random((10, 4, 1)), mean), [np.ones(3)], 0, 0)
    assert found.weights[1] == 0 and found.weights[0] != 0
