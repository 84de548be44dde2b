"""Correlations: against scipy and against loops, with ties, rows and lists without spread."""

import math
import warnings

import numpy as np
import pytest
import scipy  # loads scipy.stats when it is used
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import statistics as oracle

from celab.statistics.correlation import (
    flat_kendall,
    kendall,
    pair_counts,
    pairwise_accuracy,
    pearson,
    ranks,
    spearman,
)

ALL = [pearson, spearman, kendall, pairwise_accuracy]
SLOW = {
    pearson: oracle.pearson,
    spearman: lambda x, y: oracle.pearson(oracle.ranks(x), oracle.ranks(y)),
    kendall: oracle.kendall,
    pairwise_accuracy: oracle.pairwise_accuracy,
}
SCIPY = {pearson: "pearsonr", spearman: "spearmanr", kendall: "kendalltau"}


def by_scipy(figure, x, y):
    return getattr(scipy.stats, SCIPY[figure])(x, y).statistic


def two_lists(values):
    return st.lists(st.tuples(values, values), min_size=1, max_size=9).map(
        lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
    )


@pytest.mark.parametrize("figure", ALL)
@given(lists=two_lists(st.integers(0, 4)))
def test_figures_equal_the_loops_with_ties(figure, lists):
    expected = SLOW[figure](*lists)
    assert float(figure(*lists)) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("figure", [pearson, spearman, kendall])
@given(lists=two_lists(st.floats(-1e6, 1e6, width=32).map(lambda x: round(x, 6))))  # no near ties
def test_figures_equal_scipys(figure, lists):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of constant input
        expected = by_scipy(figure, *lists) if len(lists[0]) > 1 else math.nan
        spread = min(np.ptp(side) / np.abs(side).max() if any(side) else 0 for side in lists)
    # Of nearly constant lists too little is left of the digits; scipy itself warns.
    assume(figure is not pearson or spread == 0 or spread > 1e-6)
    assert float(figure(*lists)) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("n_values", [3, 50, 10**6])
def test_long_lists_equal_scipys(n_values):
    draw = np.random.default_rng(n_values)
    x = draw.integers(n_values, size=500).astype(float)
    y = np.round(x / 2 + draw.integers(n_values, size=500))
    for figure in SCIPY:
        assert float(figure(x, y)) == pytest.approx(by_scipy(figure, x, y), abs=1e-12)


def test_ranks_equal_scipys():
    x = np.random.default_rng(3).integers(5, size=(4, 6, 11)).astype(float)
    assert np.array_equal(ranks(x), scipy.stats.rankdata(x, axis=-1))


@pytest.mark.parametrize("figure", ALL)
def test_axes_before_the_last_are_kept(figure):
    draw = np.random.default_rng(4)
    x, y = draw.integers(6, size=(3, 5, 8)), draw.integers(6, size=(3, 5, 8))
    found = figure(x, y)
    assert found.shape == (3, 5)
    for i, j in np.ndindex(3, 5):
        assert found[i, j] == pytest.approx(float(figure(x[i, j], y[i, j])), abs=1e-12)
    against_one = figure(x, y[0, 0])
    assert against_one[2, 3] == pytest.approx(float(figure(x[2, 3], y[0, 0])), abs=1e-12)


@pytest.mark.parametrize("figure", [pearson, spearman, kendall])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0.1, 0.1, 0.1], [1, 2, 3]),
        ([1, 2, 3], [0.1, 0.1, 0.1]),
        ([1], [1]),
        ([], []),
        ([1, math.nan, 3], [1, 2, 3]),
        ([1, 2, 3], [1, 2, math.nan]),
    ],
)
def test_without_a_spread_there_is_no_correlation(figure, x, y):
    assert math.isnan(figure(x, y))


def test_a_constant_row_does_not_spoil_the_others():
    found = pearson([[1, 1, 1], [1, 2, 3]], [1, 2, 3])
    assert math.isnan(found[0])
    assert found[1] == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-200, 1, 1e200])
def test_pearson_does_not_depend_on_the_scale(scale):
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([1.0, 3.0, 2.0, 4.0])
    assert float(pearson(scale * x, y)) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)


def test_figures_stay_within_one():
    x = np.random.default_rng(8).random((2000, 3)) * 1e-3 + 0.1
    for figure in (pearson, spearman, kendall):
        assert figure(x, 3 * x + 1).max() <= 1
        assert figure(x, -x).min() >= -1


def test_pairwise_accuracy_by_hand():
    # People tell ab, ac, ad, bd and cd apart, and tie bc, which is left out. The metric is right
    # on the first four and ties cd, which is not right; the second one is wrong wherever d is.
    human, metric = [4, 3, 3, 1], [0.6, 0.4, 0.1, 0.1]
    assert float(pairwise_accuracy(metric, human)) == 4 / 5
    assert float(pairwise_accuracy([0.6, 0.4, 0.1, 0.7], human)) == 2 / 5


@pytest.mark.parametrize(
    ("metric", "human"),
    [([1, 2], [5, 5]), ([1], [5]), ([], []), ([1, math.nan], [1, 2]), ([1, 2], [1, math.nan])],
)
def test_accuracy_without_a_pair_is_nan(metric, human):
    assert math.isnan(pairwise_accuracy(metric, human))


def test_every_kendall_ties_what_differs_by_rounding():
    # 0.1 + 0.2 is not 0.3 to the last bit; the mean of three judgments may be either.
    x, y = np.array([0.1 + 0.2, 0.3, 0.5, 0.1]), np.array([1.0, 2.0, 3.0, 0.0])
    expected = scipy.stats.kendalltau([0.3, 0.3, 0.5, 0.1], y).statistic
    flat = flat_kendall(x, y, np.arange(4), np.ones((1, 4)))
    within = pair_counts(x[:, None], y[:, None]).tau_b
    for found in (flat[0], kendall(x, y), within[0]):
        assert float(found) == pytest.approx(expected, abs=1e-12)
    assert float(pairwise_accuracy(y, x)) == 1


@given(lists=two_lists(st.integers(-3, 3).map(lambda n: n * 0.6e-9)))  # ties that do not carry over
def test_flat_kendall_is_that_of_two_systems_with_near_ties(lists):
    x, y = (np.array(side) for side in lists)
    flat = flat_kendall(x, y, np.arange(len(x)), np.ones((1, len(x))))
    assert float(flat[0]) == pytest.approx(oracle.kendall(*lists), abs=1e-12, nan_ok=True)
