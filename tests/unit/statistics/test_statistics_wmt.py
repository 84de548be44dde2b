"""Figures of the WMT metrics tasks: against slow twins, by hand, and as others publish them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as slow

from celab.statistics import correlation, resampling, wmt

NAN = float("nan")
shapes = st.tuples(st.integers(2, 4), st.integers(1, 6), st.integers(0, 2**32))


def matrices(shape, n=2, missing=0.2):
    """Scores with ties, those of people with gaps."""
    n_systems, n_segments, seed = shape
    random = np.random.default_rng(seed)
    found = random.integers(0, 4, (n, n_systems, n_segments)) / 2
    found[0][random.random(found[0].shape) < missing] = NAN
    return found


def rows(matrix):
    return [[None if math.isnan(x) else x for x in row] for row in matrix.tolist()]


def trials(n_units, n=40, seed=5):
    return np.concatenate(list(resampling.swaps(n_units, n, seed))).tolist()


@given(shapes)
def test_soft_pairwise_accuracy(shape):
    people, metric = matrices(shape)
    weights = np.ones((1, shape[1]))
    p, q = (wmt.order_p_values(one, people, weights, 40, 5) for one in (people, metric))
    wanted = slow.soft_pairwise_accuracy(rows(people), rows(metric), trials(shape[1]))
    found = 1 - np.abs(p - q)[0].mean() if p.size else NAN
    assert found == pytest.approx(wanted, nan_ok=True)


def test_the_example_of_the_authors():
    # Brian Thompson's description of the test: A leads by 3 on five segments; exchanging all five
    # alike is the only way to get there, one of 2^5.
    people = np.array([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]])
    (p,) = wmt.order_p_values(people, people, np.ones((1, 5)), 100_000, 1)[0]
    assert p == pytest.approx(1 / 64, abs=0.002)  # ties count half


def test_identical_systems_are_even_whatever_their_order():
    same = np.array([[1.0, 2.0], [1.0, 2.0]])
    np.testing.assert_array_equal(wmt.order_p_values(same, same, np.ones((2, 2)), 50, 1), 0.5)


def test_resampled_p_values_are_near_those_of_copied_segments():
    random = np.random.default_rng(3)
    scores = random.normal(size=(3, 300)) + np.array([[0.1], [0.05], [0]])
    weights = np.concatenate((np.ones((1, 300)), next(resampling.chunks(300, 40, 1))[:3]))
    found = wmt.order_p_values(scores, scores, weights, 40, 1)
    for row, weight in zip(found[1:], weights[1:].astype(int), strict=True):
        copied = np.repeat(scores, weight, axis=1)
        wanted = wmt.order_p_values(copied, copied, np.ones((1, 300)), 20_000, 2)[0]
        # Copies of a segment are exchanged together or not in the one, each by itself in the other.
        np.testing.assert_allclose(row, wanted, atol=0.02)


@given(shapes)
def test_calibrated_accuracy(shape):
    people, metric = matrices(shape)
    n = shape[1]
    found = wmt.calibrated_accuracy(people, metric, np.arange(n), np.ones((1, n)))
    wanted = slow.calibrated_accuracy(rows(people), rows(metric))
    if wanted is None:
        assert found is None
    else:
        assert (found.drawn[0], found.epsilon) == pytest.approx(wanted)
        assert found.shares.sum() == pytest.approx(wanted[0])


@given(shapes, st.integers(1, 3))
def test_calibrated_accuracy_of_resamples_is_that_of_copies(shape, n_judges):
    people, metric, *more = matrices(shape, 1 + n_judges)
    n = shape[1]
    people = np.concatenate((people, *more), axis=1)
    weights = np.concatenate((np.ones((1, n)), next(resampling.chunks(n, 40, shape[2]))[:4]))
    segment = np.tile(np.arange(n), n_judges)
    found = wmt.calibrated_accuracy(people, np.tile(metric, n_judges), segment, weights)
    for row, weight in enumerate(weights.astype(int)):
        chosen = [i for i, s in enumerate(segment) for _ in range(weight[s])]
        wanted = slow.calibrated_accuracy(
            rows(people[:, chosen]), rows(np.tile(metric, n_judges)[:, chosen])
        )
        got = NAN if found is None else found.drawn[row]
        assert got == pytest.approx(NAN if wanted is None else wanted[0], nan_ok=True)


def test_a_coarse_grid_keeps_the_figure(monkeypatch):
    random = np.random.default_rng(1)
    people, metric = random.integers(0, 3, (5, 40)) * 1.0, random.normal(size=(5, 40))
    weights = np.concatenate((np.ones((1, 40)), next(resampling.chunks(40, 50, 1))))
    exact = wmt.calibrated_accuracy(people, metric, np.arange(40), weights)
    monkeypatch.setattr(wmt, "MAX_THRESHOLDS", 20)
    coarse = wmt.calibrated_accuracy(people, metric, np.arange(40), weights)
    assert coarse.epsilon == exact.epsilon
    assert coarse.drawn[0] == exact.drawn[0]
    assert (coarse.drawn <= exact.drawn + 1e-12).all()
    np.testing.assert_allclose(coarse.drawn, exact.drawn, atol=0.03)


@given(st.integers(2, 4), st.integers(1, 6), st.integers(0, 2**32))
def test_exchanged_shares(n_metrics, n_units, seed):
    shares = np.random.default_rng(seed).integers(0, 3, (n_metrics, n_units)) / 4
    found = wmt.exchange_shares(shares, 40, 5)
    for i in range(n_metrics):
        for j in range(n_metrics):
            wanted = slow.exchange_p(*shares[[i, j]].tolist(), trials(n_units)) if i != j else 1
            assert found[i, j] == pytest.approx(wanted)


@given(st.integers(3, 5), st.integers(1, 4), st.integers(0, 2**32))
def test_exchanged_cells(n_systems, n_segments, seed):
    random = np.random.default_rng(seed)
    scores = random.normal(size=(2, n_systems, n_segments))
    people = random.permutation(n_systems) * 1.0
    figures = {
        "pearson": (correlation.pearson, slow.pearson),
        "accuracy": (correlation.pairwise_accuracy, slow.pairwise_accuracy),
    }
    fast = {name: one for name, (one, _) in figures.items()}
    found = wmt.exchange_cells(scores, people, fast, 40, 5)
    drawn = np.reshape(trials(n_systems * n_segments), (-1, n_systems, n_segments)).tolist()
    for name, (_, figure) in figures.items():
        for i, j in ((0, 1), (1, 0)):
            wanted = slow.exchange_cells_p(
                scores[i].tolist(), scores[j].tolist(), people.tolist(), drawn, figure
            )
            assert found[name][i, j] == pytest.approx(wanted), name
    same = wmt.exchange_cells(scores[[0, 0]], people, fast, 40, 5)
    assert all((p == 1).all() for p in same.values())


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_clusters(n, seed):
    random = np.random.default_rng(seed)
    values, p = random.integers(0, 9, n) / 8, random.random((n, n)) / 5
    assert wmt.metric_clusters(values, p).tolist() == slow.metric_clusters(values, p, 0.05)
