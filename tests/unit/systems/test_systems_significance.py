"""p-values, intervals, ranks and clusters: against loops, by hand, and against sacreBLEU."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle
from sacrebleu.metrics import CHRF
from sacrebleu.significance import PairedTest

from celab.base.errors import OptionError
from celab.metrics.factory import make_metric
from celab.statistics import significance
from celab.statistics.resampling import (
    SEED,
    Resampled,
    chunks,
    intervals,
    mean,
    ratio,
    scores_of,
    swaps,
)
from celab.statistics.significance import (
    clusters,
    difference_interval,
    exact_randomization,
    paired_bootstrap,
    paired_randomization,
    paired_test,
    rank_ranges,
    share_not_greater,
)
from celab.systems.campaign import compare

AGGREGATES = {
    1: (mean, lambda sums, n: sums[0] / n),
    2: (ratio, lambda sums, n: sums[0] / sums[1]),
}


def some_systems(n_systems=5, n_segments=60, seed=1, step=0.02):
    draw = np.random.default_rng(seed)
    hardness = draw.random(n_segments)
    noise = 0.2 * draw.random((n_systems, n_segments))
    return hardness + noise + step * np.arange(n_systems)[:, None]


def resampled(observed, scores):
    return Resampled(np.array(observed, dtype=float), np.array(scores, dtype=float))


# Small whole numbers, so that ties occur in every place where they can.
@st.composite
def few_scores(draw):
    n_systems, n_resamples = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    row = st.lists(st.integers(0, 3), min_size=n_systems, max_size=n_systems)
    return draw(row), draw(st.lists(row, min_size=n_resamples, max_size=n_resamples))


def test_resamples_are_sacrebleus():
    """Both default seeds draw the same segments, so that its p-values follow from our draws."""
    draw = np.random.default_rng(5)
    words = [f"w{i}" for i in range(12)]
    refs = [" ".join(draw.choice(words, 9)) for _ in range(80)]

    def noisy(share):
        return [
            " ".join(draw.choice(words) if draw.random() < share else w for w in ref.split())
            for ref in refs
        ]

    systems = [(f"s{i}", noisy(share)) for i, share in enumerate((0.30, 0.30, 0.32, 0.36, 0.5))]
    metric = CHRF(references=[refs])
    _, table = PairedTest(systems, {"chrF2": metric}, None, test_type="bs", n_samples=400)()
    theirs = [result.p_value for result in table["chrF2"][1:]]

    statistics = [np.array(metric._extract_corpus_statistics(hyps, None)) for _, hyps in systems]
    draws = next(chunks(80, 400, SEED)).astype(int)  # sacreBLEU's own
    scores = [
        [metric._compute_score_from_stats(row @ s).score for s in statistics] for row in draws
    ]
    observed = [metric._compute_score_from_stats(s.sum(axis=0)).score for s in statistics]
    ours = [
        oracle.centered_p((observed[0], observed[i]), [(row[0], row[i]) for row in scores])
        for i in range(1, len(systems))
    ]
    assert 0 < min(theirs) < 0.05 < max(theirs)
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("at_once", [1, 100, 2**20])
def test_randomization_equals_the_loops(k, at_once, monkeypatch):
    monkeypatch.setattr(significance, "MAX_SCORES_AT_ONCE", at_once)
    draw = np.random.default_rng(k)
    statistics = draw.integers(1, 5, (4, 12, k)).astype(float)
    statistics[3] = statistics[1]
    aggregate, slow = AGGREGATES[k]
    found = paired_randomization(statistics, aggregate, 90, seed=4)
    trials = next(swaps(12, 90, seed=4)).tolist()
    for i, j in itertools.product(range(4), repeat=2):
        expected = oracle.randomization_p(
            statistics[i].tolist(), statistics[j].tolist(), trials, slow
        )
        assert found[i, j] == (1.0 if i == j else expected)


@pytest.mark.parametrize("at_once", [1, 100, 2**20])
@given(st.sampled_from([1, 2]), st.integers(1, 7), st.integers(0, 2**32))
def test_the_exact_test_equals_the_enumeration(at_once, k, n_segments, seed):
    aggregate, slow = AGGREGATES[k]
    draw = np.random.default_rng(seed)
    statistics = draw.integers(1, 5, (3, n_segments, k)).astype(float)
    statistics[2, n_segments // 2 :] = statistics[1, n_segments // 2 :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(significance, "MAX_SCORES_AT_ONCE", at_once)
        found = exact_randomization(statistics, aggregate)
    for i, j in itertools.product(range(3), repeat=2):
        assert found[i, j] == oracle.exact_p(statistics[i].tolist(), statistics[j].tolist(), slow)


def test_the_exact_test_of_a_score_that_is_nan():
    """A ratio over nothing differs from no other score."""
    statistics = np.array([[[1.0, 0.0], [2.0, 0.0]], [[1.0, 2.0], [1.0, 3.0]]])
    assert exact_randomization(statistics, ratio)[0, 1] == 1.0


@pytest.mark.parametrize(("n_segments", "p"), [(1, 1.0), (2, 0.5), (3, 0.25), (19, 2 / 2**19)])
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_the_least_p_of_few_segments(n_segments, p, test):
    """By hand: no exchange, and the exchange of all, give as great a difference."""
    tested = paired_test([[0.9] * n_segments, [0.1] * n_segments], test=test)
    assert tested.test == "exact" and tested.p_values[0, 1] == p


def differing(n_different, n_segments=150, k=1, seed=3):
    """Two systems whose statistics differ in so many segments; of k statistics, in the last."""
    draw = np.random.default_rng(seed)
    statistics = np.repeat(draw.integers(1, 9, (1, n_segments, k)).astype(float), 2, axis=0)
    chosen = draw.permutation(n_segments)[:n_different]
    statistics[1, chosen, -1] += draw.integers(1, 5, n_different) + 0.25
    return statistics


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
@pytest.mark.parametrize("n_different", [0, 1, 19, 20, 99, 100, 150])
def test_the_number_of_segments_that_differ_decides_the_test(n_different, test, k):
    aggregate, _ = AGGREGATES[k]
    statistics = differing(n_different, k=k)
    tested = paired_test(statistics, aggregate, test=test, n_resamples=200, seed=7)
    name = "exact" if n_different < 20 else "randomization" if n_different < 100 else test
    expected = {
        "exact": lambda: exact_randomization(statistics, aggregate),
        "randomization": lambda: paired_randomization(statistics, aggregate, 200, 7),
        "bootstrap": lambda: paired_bootstrap(scores_of(statistics, aggregate, 200, 7)),
    }
    assert tested.n_different.tolist() == [[0, n_different], [n_different, 0]]
    assert (tested.test, tested.tests[0, 1]) == (test, name)
    assert np.array_equal(tested.p_values, expected[name]())


def test_four_segments_that_differ_are_not_significant():
    """By hand: 2 of 2^4 exchanges are as far apart; the bootstrap gives p = 0.036."""
    statistics = np.full((2, 200), 0.5)
    statistics[0, :4] += [0.1, 0.2, 0.3, 0.4]
    tested = paired_test(statistics)
    assert (tested.tests[0, 1], tested.p_values[0, 1]) == ("exact", 0.125)
    assert paired_bootstrap(scores_of(statistics))[0, 1] < 0.05
    assert tested.difference().interval[0] > 0


@pytest.mark.parametrize("n_different", [4, 6, 19, 30, 100])
def test_of_equal_systems_a_twentieth_differs_significantly(n_different, n_segments=200):
    """At most 6%, and the error of so many trials; `bench/false_positives.py` has more of them."""
    n_trials = 600
    draw = np.random.default_rng(n_different)
    apart = np.zeros((n_trials + 1, n_segments))
    apart[1:, :n_different] = draw.normal(size=(n_trials, n_different))
    pairs = np.zeros((n_trials + 1, n_trials + 1), np.bool_)
    pairs[0, 1:] = True
    tested = paired_test(apart, n_resamples=400, pairs=pairs)
    rate = (tested.p_values[0, 1:] < 0.05).mean()
    assert rate < 0.06 + 3 * np.sqrt(0.06 * 0.94 / n_trials)


def test_only_chosen_pairs_are_tested():
    statistics = np.stack([differing(n, seed=1)[1, :, 0] for n in (0, 10, 50, 120)])
    pairs = np.zeros((4, 4), np.bool_)
    pairs[0, 1:] = True
    tested = paired_test(statistics, pairs=pairs)
    assert tested.tests[0].tolist() == ["exact", "exact", "randomization", "bootstrap"]
    everything = paired_test(statistics).p_values
    assert np.array_equal(tested.p_values[0], everything[0])
    assert (tested.p_values[1:, 1:] == 1).all()
    assert np.array_equal(tested.p_values, tested.p_values.T)


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_halves_of_exchanges_equal_the_enumeration(n_segments, seed):
    """A mean, and a ratio of the same denominators, are compared by sums of halves."""
    draw = np.random.default_rng(seed)
    statistics = draw.integers(1, 4, (2, n_segments, 2)).astype(float) / 3
    statistics[1, :, 1] = statistics[0, :, 1]
    first, second = statistics.tolist()
    found = exact_randomization(statistics, ratio)[0, 1]
    assert found == oracle.exact_p(first, second, AGGREGATES[2][1])
    assert exact_randomization(statistics)[0, 1] == oracle.exact_p(first, second, AGGREGATES[1][1])


def test_randomization_nears_the_exact_test():
    first = np.array([5, 7, 4, 6, 8, 5, 6, 7], dtype=float)
    second = np.array([4, 4, 5, 3, 6, 5, 4, 7], dtype=float)
    exact = exact_randomization([first, second])[0, 1]
    found = paired_randomization([first, second], n_trials=20_000, seed=3)[0, 1]
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)


def all_tests(statistics):
    found = scores_of(statistics)
    yield paired_bootstrap(found)
    yield paired_randomization(statistics)


def test_a_system_better_on_every_segment_is_better():
    scores = some_systems(1)
    statistics = np.concatenate((scores, scores + 0.1))
    bootstrap, randomization = all_tests(statistics)
    assert bootstrap[0, 1] == 2 / 1001
    assert randomization[0, 1] == 1 / 1001


def test_pairs_do_not_depend_on_other_systems():
    statistics = some_systems()
    chosen = [1, 3]
    for whole, part in zip(all_tests(statistics), all_tests(statistics[chosen]), strict=True):
        assert np.array_equal(whole[np.ix_(chosen, chosen)], part)


def test_nan_is_never_significant():
    found = resampled([0.5, np.nan, 0.1], [[0.5, np.nan, 0.1], [0.4, 0.9, 0.1]] * 20)
    p_values = paired_bootstrap(found)
    assert p_values[0, 1] == p_values[1, 2] == 1
    assert p_values[0, 2] < 0.05
    assert rank_ranges(found.observed, p_values).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert np.isnan(difference_interval(found)).all()
    statistics = np.array([[[1.0, 1.0]] * 9, [[0.0, 0.0]] * 9, [[1.0, 4.0]] * 9])
    p_values = paired_randomization(statistics, ratio)
    assert p_values[0, 1] == p_values[1, 2] == 1
    assert p_values[0, 2] < 0.05


def test_intervals_are_percentiles():
    scores = np.arange(1001.0)[:, None] * [1, -2]
    found = intervals(resampled([0, 0], np.random.default_rng(1).permutation(scores)))
    assert found == pytest.approx(np.array([[25, 975], [-1950, -50]]))
    assert intervals(resampled([0, 0], scores), 0.5)[0] == pytest.approx([250, 750])


@pytest.mark.parametrize("n", [1, 2, 40, 41, 999, 1000])
def test_intervals_are_numpys_quantiles(n):
    scores = np.random.default_rng(n).random((n, 3))
    for level in (0.5, 0.9, 0.95):
        tail = (1 - level) / 2
        expected = np.quantile(scores, [tail, 1 - tail], axis=0).T
        assert np.array_equal(intervals(resampled([0, 0, 0], scores), level), expected)
    scores[0, 1] = np.nan
    assert np.isnan(intervals(resampled([0, 0, 0], scores))).all(axis=1).tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", ["celab", "tesla-s", "bleu", "chrf", "chrf++", "ter"])
def test_a_score_has_the_interval_of_a_campaign(name):
    metric, refs = make_metric(name, lang="zh"), ["买雨伞", "今天天气很好", "我在北京"] * 5
    hyps = ["买伞", "今天天气好", "我不在北京", "谢谢", "买雨"] * 3
    a, b = (metric.corpus_score(side, [refs]) for side in (hyps, refs))
    among = compare({"a": a, "b": b}, n_resamples=200, seed=3)
    low, high = among.intervals[among.systems.index("a")]
    assert a.interval(200, 3) == pytest.approx((low, high), abs=1e-9)
    assert a.interval() != a.interval(seed=1)
    assert low < a.score < high
    assert metric.corpus_score(hyps[:1], [refs[:1]]).interval() is None


@given(few_scores())
def test_paired_bootstrap_equals_the_loops(case):
    observed, scores = case
    found = paired_bootstrap(resampled(observed, scores))
    for i, j in itertools.product(range(len(observed)), repeat=2):
        expected = 1.0 if i == j else oracle.two_sided_p([(row[i], row[j]) for row in scores])
        assert found[i, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_resamples", [40, 41, 99, 199, 200, 999, 1000, 1001])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_interval_holds_zero_where_p_is_not_significant(n_resamples, level):
    """For every number of resamples that go the other way, on either side, and ties."""
    least = int(2 / (1 - level) + 1e-9)
    for odd in range(min(30, n_resamples)):
        for sign in (1, -1):
            scores = [[0, sign]] * odd + [[sign * (1 + k), 0] for k in range(n_resamples - odd)]
            found = resampled([sign, 0], scores)
            if n_resamples < least:
                with pytest.raises(OptionError, match=f"needs {least} or more"):
                    difference_interval(found, level)
                continue
            low, high = difference_interval(found, level)
            significant = paired_bootstrap(found)[0, 1] < round(1 - level, 9)
            assert significant == (low > 0 or high < 0), (odd, sign, low, high)


def test_a_difference_within_rounding_is_none():
    found = resampled([0.3, 0.3], [[0.1 + 0.2, 0.3]] * 50)
    assert difference_interval(found) == (0.0, 0.0)
    assert paired_bootstrap(found)[0, 1] == 1


def test_the_two_sided_bootstrap_nears_randomization():
    statistics = some_systems(6, 200, step=0.006)
    bootstrap = paired_bootstrap(scores_of(statistics, n_resamples=4000))
    randomization = paired_randomization(statistics, n_trials=4000)
    assert bootstrap == pytest.approx(randomization, abs=0.05)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from([0.01, 0.05, 0.3]), min_size=36, max_size=36),
)
def test_ranks_contradict_neither_p_nor_clusters(observed, values):
    n = len(observed)
    p_values = np.array(values).reshape(6, 6)[:n, :n]
    p_values = np.triu(p_values, 1) + np.triu(p_values, 1).T + np.eye(n)
    ranks, groups = rank_ranges(observed, p_values), clusters(observed, p_values)
    assert ranks.tolist() == [oracle.rank_range(observed, p_values, i, 0.05) for i in range(n)]
    for i, j in itertools.product(range(n), repeat=2):
        if groups[i] < groups[j]:
            assert ranks[i, 1] < ranks[j, 0]
        if ranks[i, 1] < ranks[j, 0]:
            assert observed[i] > observed[j]


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.lists(st.sampled_from([0.01, 0.05, 0.3]), min_size=36, max_size=36),
)
def test_clusters_equal_the_loops(observed, values):
    n = len(observed)
    p_values = np.array(values).reshape(6, 6)[:n, :n]
    p_values = np.triu(p_values, 1) + np.triu(p_values, 1).T + np.eye(n)
    expected = oracle.clusters(observed, p_values.tolist(), 0.05)
    assert clusters(observed, p_values).tolist() == expected


def test_a_difference_of_figures():
    a, b = np.full(200, 0.7), np.full(200, 0.6)
    assert share_not_greater(a, b) == 0
    assert share_not_greater(b, a) == 1
    assert share_not_greater(a, a) == 1
    assert share_not_greater(a + 1e-16, a) == 1  # rounding
    b[:3] = [0.7, 0.8, np.nan]
    assert share_not_greater(a, b) == 3 / 200


def test_no_trial_is_refused():
    with pytest.raises(OptionError):
        paired_randomization(some_systems(2), n_trials=0)
