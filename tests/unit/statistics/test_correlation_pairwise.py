"""Counts of pairs and what they make: by hand, against loops, against scipy, and as published."""

import math

import numpy as np
import pytest
import scipy  # loads scipy.stats when it is used
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle

from celab.statistics.correlation import Kappa, pair_counts, ranking_kappa


def counts_of(counts):
    return np.stack(counts, axis=1).tolist()


@st.composite
def two_matrices(draw):
    n_systems, n_segments = draw(st.integers(1, 5)), draw(st.integers(1, 4))

    def matrix(values):
        row = st.lists(values, min_size=n_segments, max_size=n_segments)
        return draw(st.lists(row, min_size=n_systems, max_size=n_systems))

    return matrix(st.none() | st.integers(0, 3)), matrix(st.integers(0, 3))


def as_array(rows):
    return np.array([[np.nan if x is None else x for x in row] for row in rows], dtype=float)


@given(two_matrices())
def test_counts_equal_the_loops(case):
    human, metric = case
    counts = pair_counts(as_array(human), metric)
    expected = oracle.pair_counts(human, metric)
    assert counts_of(counts) == expected
    assert counts.human_ranked.tolist() == [c + d + t for c, d, t, _ in expected]


@given(two_matrices())
def test_tau_b_within_segments_is_scipys(case):
    human, metric = as_array(case[0]), np.array(case[1], dtype=float)
    found = pair_counts(human, metric).tau_b
    for s in range(human.shape[1]):
        present = ~np.isnan(human[:, s])
        x, y = human[present, s], metric[present, s]
        expected = oracle.kendall(x.tolist(), y.tolist())
        assert found[s] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert found[s] == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)


HUMAN = np.array([[90, 50, np.nan], [70, 50, 30], [70, 20, 40]], dtype=float)
METRIC = np.array([[0.9, 0.4, 0.9], [0.8, 0.6, 0.5], [0.1, 0.6, 0.5]])


def test_figures_by_hand():
    # Segment 1: ab and ac right; people tie bc, the metric does not (H).
    # Segment 2: people tie ab, the metric does not (H); ac wrong; the metric ties bc (T).
    # Segment 3: a is not judged; the metric ties bc (T).
    counts = pair_counts(HUMAN, METRIC)
    assert counts_of(counts) == [[2, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 0]]
    assert counts.human_ranked.tolist() == [2, 2, 1]
    tau = counts.tau_b
    assert tau[:2] == pytest.approx([2 / math.sqrt(2 * 3), -1 / math.sqrt(2 * 2)])
    assert math.isnan(tau[2])


def test_scores_that_only_rounding_tells_apart_are_a_tie():
    human, metric = [[0.1 + 0.2, 1], [0.3, 2]], [[1, 0.1 + 0.2], [2, 0.3]]
    assert counts_of(pair_counts(human, metric)) == [[0, 0, 0, 1], [0, 0, 1, 0]]
    assert counts_of(pair_counts([[1], [1 + 2e-9]], [[2], [1]])) == [[0, 1, 0, 0]]


def test_judges_own_scores_are_consistent():
    human = np.random.default_rng(1).random((4, 9))
    assert counts_of(pair_counts(human, human)) == [[6, 0, 0, 0]] * 9
    assert (pair_counts(human, human).tau_b == 1).all()
    assert counts_of(pair_counts(human, -human)) == [[0, 6, 0, 0]] * 9
    assert counts_of(pair_counts(human, np.zeros((4, 9)))) == [[0, 0, 6, 0]] * 9


# Three systems, two segments. Verdicts on (ab, ac, bc) of each segment:
#   judge 1   >  >  >     =  >  >
#   judge 2   >  >  <     >  >  =
FIRST = [[3, 2], [2, 2], [1, 1]]
SECOND = [[5, 4], [2, 3], [3, 3]]


def test_kappa_by_hand():
    # Without ties four cases are left, and three agree: (3/4 − 1/2) / (1/2) = 1/2.
    kappa = ranking_kappa([FIRST, SECOND])
    assert kappa == Kappa(3, 4)
    assert (kappa.observed, kappa.kappa) == (3 / 4, 1 / 2)


def test_the_papers_kappa():
    # Section 4.2: P(E) = 1/2, so the kappa of 0.4406 in Table 1 means that 72.03% agree.
    assert Kappa(7203, 10000).kappa == pytest.approx(0.4406)


@st.composite
def some_judges(draw):
    n_systems, n_segments = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    row = st.lists(st.none() | st.integers(0, 3), min_size=n_segments, max_size=n_segments)
    matrix = st.lists(row, min_size=n_systems, max_size=n_systems)
    return draw(st.lists(matrix, min_size=1, max_size=4))


@given(judges=some_judges())
def test_kappa_equals_the_loops(judges):
    arrays = [as_array(rows) for rows in judges]
    n_agreed, n_cases = oracle.ranking_agreement(judges)
    assert ranking_kappa(arrays) == (Kappa(n_agreed, n_cases) if n_cases else None)
    assert ranking_kappa([rows[::-1] for rows in arrays[::-1]]) == ranking_kappa(arrays)
