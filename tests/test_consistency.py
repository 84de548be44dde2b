"""Consistency and its kin: by hand, against loops, against scipy, and the published baselines."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle
from scipy import stats

from celab.errors import InputError
from celab.statistics.consistency import (
    consistency,
    flat_kendall,
    flat_pearson,
    flat_spearman,
    judgement_counts,
    mean_tau_b,
    pair_counts,
    segment_tau_b,
    wmt14_tau,
)
from celab.statistics.resampling import ratio, resamples, scores_of
from celab.statistics.significance import difference


def counts_of(counts):
    return np.stack(
        (counts.concordant, counts.discordant, counts.metric_ties, counts.human_ties), axis=1
    ).tolist()


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
    found = pair_counts(as_array(human), metric)
    expected = oracle.pair_counts(human, metric)
    assert counts_of(found) == expected
    assert found.n_pairs == sum(c + d + t for c, d, t, _ in expected)
    assert found.statistics.tolist() == [[c, c + d + t] for c, d, t, _ in expected]


@given(two_matrices())
def test_tau_b_within_segments_is_scipys(case):
    human, metric = as_array(case[0]), np.array(case[1], dtype=float)
    counts = pair_counts(human, metric)
    found = segment_tau_b(counts)
    for s in range(human.shape[1]):
        present = ~np.isnan(human[:, s])
        x, y = human[present, s], metric[present, s]
        expected = oracle.kendall(x.tolist(), y.tolist())
        assert found[s] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if len(set(x)) > 1 and len(set(y)) > 1:
            assert found[s] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    defined = [one for one in found.tolist() if not math.isnan(one)]
    expected = sum(defined) / len(defined) if defined else math.nan
    assert mean_tau_b(counts) == pytest.approx(expected, abs=1e-12, nan_ok=True)


HUMAN = np.array([[90, 50, np.nan], [70, 50, 30], [70, 20, 40]], dtype=float)
METRIC = np.array([[0.9, 0.4, 0.9], [0.8, 0.6, 0.5], [0.1, 0.6, 0.5]])


def test_figures_by_hand():
    # Segment 1: ab and ac right; people tie bc, the metric does not (H).
    # Segment 2: people tie ab, the metric does not (H); ac wrong; the metric ties bc (T).
    # Segment 3: a is not judged; the metric ties bc (T).
    counts = pair_counts(HUMAN, METRIC)
    assert counts_of(counts) == [[2, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 0]]
    assert counts.n_pairs == 5
    assert consistency(counts) == 2 / 5
    assert wmt14_tau(counts) == (2 - 1) / 5
    tau = segment_tau_b(counts)
    assert tau[:2] == pytest.approx([2 / math.sqrt(2 * 3), -1 / math.sqrt(2 * 2)])
    assert math.isnan(tau[2])
    assert mean_tau_b(counts) == pytest.approx(tau[:2].mean())


def test_flat_correlations_are_scipys_of_what_is_judged():
    present = ~np.isnan(HUMAN)
    pair = HUMAN[present], METRIC[present]
    assert len(pair[0]) == 8
    for figure, judge in (
        (flat_pearson, stats.pearsonr),
        (flat_spearman, stats.spearmanr),
        (flat_kendall, stats.kendalltau),
    ):
        assert figure(HUMAN, METRIC) == pytest.approx(judge(*pair).statistic)


def test_scores_that_only_rounding_tells_apart_are_a_tie():
    human, metric = [[0.1 + 0.2, 1], [0.3, 2]], [[1, 0.1 + 0.2], [2, 0.3]]
    assert counts_of(pair_counts(human, metric)) == [[0, 0, 0, 1], [0, 0, 1, 0]]
    assert counts_of(pair_counts(human, metric, tolerance=0)) == [[0, 1, 0, 0], [0, 1, 0, 0]]
    assert counts_of(pair_counts([[1], [3]], [[2], [1]], tolerance=1)) == [[0, 0, 1, 0]]


def test_judges_own_scores_are_consistent():
    human = np.random.default_rng(1).random((4, 9))
    counts = pair_counts(human, human)
    assert consistency(counts) == wmt14_tau(counts) == 1
    assert mean_tau_b(counts) == pytest.approx(1)
    assert consistency(pair_counts(human, -human)) == 0
    assert consistency(pair_counts(human, np.zeros((4, 9)))) == 0  # it predicts nothing


def test_without_pairs_there_is_no_figure():
    for human in ([[1.0, 2.0]], [[1.0, np.nan], [1.0, 2.0]]):
        counts = pair_counts(human, np.ones_like(human))
        assert counts.n_pairs == 0
        for figure in (consistency, wmt14_tau, mean_tau_b):
            assert math.isnan(figure(counts))


def test_bootstrap_is_a_weighted_sum():
    draw = np.random.default_rng(2)
    human = draw.integers(0, 5, (4, 30)).astype(float)
    metrics = [human + draw.normal(0, 2, (4, 30)), draw.random((4, 30))]
    statistics = np.stack([pair_counts(human, metric).statistics for metric in metrics])
    found = scores_of(statistics, ratio, 50, 6)
    for b, row in enumerate(resamples(30, 50, 6).astype(int)):
        chosen = np.repeat(np.arange(30), row)
        for i, metric in enumerate(metrics):
            expected = consistency(pair_counts(human[:, chosen], metric[:, chosen]))
            assert found.scores[b, i] == pytest.approx(expected)
    assert difference(*found.scores.T) < 0.05 < difference(*found.scores.T[::-1])


def test_judgements_by_hand():
    metric = [[0.9, 0.5], [0.4, 0.5]]
    judgements = [
        (0, 0, 1, 1),  # right
        (0, 1, 0, -1),  # right, the same pair by another judge, named the other way
        (0, 0, 1, -1),  # wrong, a third judge
        (0, 0, 1, 0),  # people tie: left out
        (1, 0, 1, 1),  # the metric ties: not right
    ]
    counts = judgement_counts(judgements, metric)
    assert counts_of(counts) == [[2, 1, 0, 1], [0, 0, 1, 0]]
    assert consistency(counts) == 2 / 4
    assert wmt14_tau(counts) == 1 / 4
    assert consistency(judgement_counts(np.array(judgements), metric)) == 2 / 4
    assert judgement_counts([], metric).n_pairs == 0


@given(two_matrices())
def test_scores_and_the_judgements_they_imply_agree(case):
    human, metric = case
    judgements = [
        (s, i, j, oracle.order(human[i][s], human[j][s]))
        for s in range(len(human[0]))
        for i in range(len(human))
        for j in range(i)
        if human[i][s] is not None and human[j][s] is not None
    ]
    found = judgement_counts(judgements, metric)
    assert counts_of(found) == counts_of(pair_counts(as_array(human), metric))


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ([1, 2], [1, 2], r"people's scores have the shape \(2,\)"),
        ([[1, np.inf]], [[1, 2]], "people's scores hold an infinite score"),
        ([[1, 2]], [[1, 2, 3]], r"metric scores have the shape \(1, 3\); it must be \(1, 2\)"),
        ([[1, 2]], [[1, np.nan]], "system 1, segment 2, is nan; a metric must score every"),
    ],
)
def test_wrong_scores_are_refused(human, metric, message):
    with pytest.raises(InputError, match=message):
        pair_counts(human, metric)
    with pytest.raises(InputError, match=message):
        flat_pearson(human, metric)


@pytest.mark.parametrize(
    ("judgement", "message"),
    [
        ((0, 0, 1, 2), r"judgement 2 is \(0, 0, 1, 2\)"),
        ((0, 0, 0, 1), "two systems below 2"),
        ((0, 0, 2, 1), "two systems below 2"),
        ((0, -1, 1, 1), "two systems below 2"),
        ((2, 0, 1, 1), "a segment below 2"),
        ((-1, 0, 1, 1), "a segment below 2"),
        ((0, 0, 1, 0.5), "four whole numbers"),
    ],
)
def test_wrong_judgements_are_refused(judgement, message):
    with pytest.raises(InputError, match=message):
        judgement_counts([(0, 0, 1, 1), judgement], [[1, 2], [3, 4]])


def test_judgements_of_three_numbers_are_refused():
    with pytest.raises(InputError, match=r"shape \(1, 3\)"):
        judgement_counts([(0, 0, 1)], [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("name", "references", "expected"),
    [  # by another programme, from the table in ../shared/data/README.md
        ("wmt24-enzh-esa", 1, 0.522),
        ("wmt24-enja-esa-news-speech", 1, 0.537),
        ("wmt21-ende-mqm", 3, 0.536),
        ("wmt21-zhen-mqm", 1, 0.523),
    ],
)
def test_published_consistency_of_chrf(shared, name, references, expected):
    chrf = pytest.importorskip("sacrebleu").metrics.CHRF()
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not in ../shared/data")

    def lines(path):
        return path.read_bytes().decode().removesuffix("\n").split("\n")

    hyps = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    refs = [lines(path) for path in sorted(folder.glob("ref-*.txt"))]
    assert len(refs) == references
    number = {system: i for i, system in enumerate(hyps)}
    human = np.full((len(hyps), len(refs[0])), np.nan)
    for line in lines(folder / "human-seg.tsv")[1:]:
        system, segment, score, *_ = line.split("\t")
        if system in number:
            human[number[system], int(segment)] = float(score)
    metric = [
        [chrf.sentence_score(hyp, list(of)).score for hyp, *of in zip(side, *refs, strict=True)]
        for side in hyps.values()
    ]
    assert consistency(pair_counts(human, metric)) == pytest.approx(expected, abs=0.0005)
