"""Resamples: counts that sum to N, the same for the same seed, however they are cut."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle

from celab.base.errors import InputError
from celab.statistics import resampling
from celab.statistics.resampling import chunks, mean, ratio, scores_of, swaps


def resamples(n_segments, n_resamples, seed):
    """The whole matrix."""
    return np.concatenate(list(chunks(n_segments, n_resamples, seed)))


def test_counts_are_those_of_the_documented_draws():
    drawn = np.random.Generator(np.random.PCG64(7)).integers(5, size=(40, 5)).tolist()
    assert resamples(5, 40, seed=7).tolist() == oracle.weights(drawn, 5)


def test_known_resamples():
    # NumPy 2.4.6, on x86-64. If these move, so does every interval and p-value: see NEP 19.
    counts = [[1, 2, 0, 2, 0, 1], [2, 1, 0, 1, 1, 1], [0, 0, 0, 4, 1, 1]]
    assert resamples(6, 40, seed=0)[:3].tolist() == counts
    exchanged = [[0, 1, 0, 1, 1, 1], [1, 1, 0, 0, 1, 1], [0, 0, 1, 0, 0, 0]]
    assert next(swaps(6, 40, seed=0))[:3].tolist() == exchanged


@pytest.mark.parametrize("draw", [resamples, lambda *a: np.concatenate(list(swaps(*a)))])
def test_the_seed_decides(draw):
    assert np.array_equal(draw(50, 40, 0), draw(50, 40, 0))
    seeds = [0, 1, 2, 3, 12345, 2**70]
    rows = {draw(50, 40, seed).tobytes() for seed in seeds}
    assert len(rows) == len(seeds)


@pytest.mark.parametrize("draw", [chunks, swaps])
@pytest.mark.parametrize("chunk", [1, 7, 64, 100, 1000])
def test_chunks_do_not_matter(draw, chunk, monkeypatch):
    whole = np.concatenate(list(draw(33, 50, 3)))
    monkeypatch.setattr(resampling, "MAX_CHUNK_WEIGHTS", chunk)
    parts = list(draw(33, 50, 3))
    assert len(parts) == -(-50 // max(1, chunk // 33))
    assert np.array_equal(np.concatenate(parts), whole)


def test_weights_count_what_numpy_draws():
    drawn = np.random.Generator(np.random.PCG64(7)).integers(33, size=(50, 33))
    expected = [np.bincount(row, minlength=33).tolist() for row in drawn]
    assert resamples(33, 50, 7).tolist() == expected


REALS = st.floats(-1e6, 1e6) | st.sampled_from([1 / 3, 0.1, 5e-324, 2.0**60])


@given(st.lists(REALS, min_size=1, max_size=40), st.integers(0, 99), st.randoms())
def test_sums_are_exact_in_any_order(values, seed, random):
    statistics = resampling.summable(np.array(values)[None, None, :])
    greatest = max(map(abs, values))
    assert np.abs(statistics - values).max() <= greatest * len(values) * 2.0**-52
    weights = resamples(len(values), 40, seed)
    exact = [
        sum(int(w) * Fraction(x) for w, x in zip(row, statistics[0, 0].tolist(), strict=True))
        for row in weights
    ]
    assert [*map(Fraction, resampling.sums(statistics, weights)[0, 0].tolist())] == exact
    order = random.sample(range(len(values)), len(values))
    moved = resampling.sums(statistics[:, :, order], weights[:, order])
    assert [*map(Fraction, moved[0, 0].tolist())] == exact


def test_more_resamples_begin_with_the_fewer():
    assert np.array_equal(resamples(30, 100, 5)[:40], resamples(30, 40, 5))


def test_every_resample_has_n_segments():
    assert (resamples(37, 200, 2).sum(axis=1) == 37).all()


def test_segments_are_drawn_alike():
    # Each count is Binomial(N, 1/N): over 4,000 resamples a mean is 1 ± 0.0158.
    counts = resamples(40, 4000, 11)
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 * 0.0158
    assert abs(counts.var() - (1 - 1 / 40)) < 0.03


def test_swaps_are_fair_bits():
    rows = np.concatenate(list(swaps(45, 4000, 11)))
    assert set(np.unique(rows)) == {0.0, 1.0}
    assert np.abs(rows.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(4000)


SMALL = st.integers(0, 6)


@given(st.data())
def test_scores_equal_sums_over_the_drawn_segments(data):
    n_systems, n, k = (data.draw(st.integers(1, most)) for most in (3, 6, 3))
    seed = data.draw(st.integers(0, 9))
    size = n_systems * n * k
    flat = data.draw(st.lists(SMALL, min_size=size, max_size=size))
    statistics = np.array(flat, dtype=float).reshape(n_systems, n, k)

    def aggregate(sums, n_segments):
        return sums.max(axis=-1) / n_segments + sums[..., -1]

    found = scores_of(statistics, aggregate, 40, seed)
    drawn = resamples(n, 40, seed).astype(int)
    for i, system in enumerate(statistics.tolist()):
        sums = oracle.summed(system, range(n))
        assert found.observed[i] == pytest.approx(max(sums) / n + sums[-1])
        for b, row in enumerate(drawn.tolist()):
            sums = oracle.summed(system, [s for s in range(n) for _ in range(row[s])])
            assert found.scores[b, i] == pytest.approx(max(sums) / n + sums[-1])


def test_a_matrix_without_k_is_of_means():
    scores = np.random.default_rng(1).random((3, 20))
    flat, deep = scores_of(scores, n_resamples=40), scores_of(scores[:, :, None], mean, 40)
    assert np.array_equal(flat.scores, deep.scores)
    assert flat.observed == pytest.approx(scores.mean(axis=1))


def ratio_of_ends(sums, n_segments):
    return sums[..., 0] / (sums[..., -1] + 1)


@pytest.mark.parametrize("k", [1, 2, 10, 18])
def test_equal_systems_get_equal_scores(k):
    one = np.random.default_rng(k).random((1, 301, k))
    found = scores_of(np.repeat(one, 7, axis=0), lambda sums, n: sums.sum(axis=-1) / n, 100)
    assert np.ptp(found.scores, axis=1).max() < 1e-12 * k
    assert np.ptp(found.observed) < 1e-12 * k
    whole = scores_of(np.repeat(one.round(1) * 10, 7, axis=0), ratio_of_ends, 100)
    assert (np.ptp(whole.scores, axis=1) == 0).all()  # sums of whole numbers are exact


def test_other_systems_do_not_matter():
    statistics = np.random.default_rng(3).random((5, 40, 2))
    both = scores_of(statistics, ratio, 50, 9)
    alone = scores_of(statistics[2:3], ratio, 50, 9)
    assert both.scores[:, 2:3] == pytest.approx(alone.scores, abs=1e-12)


def test_a_ratio_over_nothing_is_nan():
    found = ratio(np.array([[1.0, 2.0], [0.0, 0.0]]), 2)
    assert found[0] == 0.5
    assert np.isnan(found[1])


def test_memory_stays_bounded():
    statistics = np.random.default_rng(1).random((4, 100_000, 2))
    tracemalloc.start()
    try:
        scores_of(statistics, ratio, 120, 1)  # three chunks; the number of them costs nothing
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200e6


@pytest.mark.parametrize(
    ("shape", "message"),
    [((3,), "(3,)"), ((0, 4), "(0, 4)"), ((2, 0, 1), "(2, 0, 1)"), ((1, 1, 1, 1), "1, 1, 1")],
)
def test_wrong_shapes_are_refused(shape, message):
    with pytest.raises(InputError) as caught:
        scores_of(np.zeros(shape))
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_statistic_that_is_not_finite_is_named(value):
    statistics = np.zeros((2, 3))
    statistics[1, 2] = value
    with pytest.raises(InputError, match="system 2, segment 3"):
        scores_of(statistics)
