"""Documents as units of resampling: against lists of their segments, and as segments alone."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle

import celab
from celab.base.errors import InputError, InputWarning, OptionError
from celab.metrics.formulas import BleuFormula
from celab.statistics import resampling
from celab.statistics.documents import (
    group_statistics,
    number_documents,
    sum_documents,
    units_to_draw,
    weights,
)
from celab.statistics.resampling import mean, ratio
from celab.statistics.significance import paired_test

AGGREGATES = [mean, ratio, lambda sums, n: sums.max(axis=-1) / n + sums[..., -1]]


@st.composite
def drawn_cases(draw):
    """Return statistics, systems × segments × k, and the document of each segment."""
    n_systems, n, k = draw(st.integers(1, 3)), draw(st.integers(2, 7)), draw(st.integers(2, 3))
    size = n_systems * n * k
    flat = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    documents = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.array(flat, float).reshape(n_systems, n, k) + 1.0, documents


@pytest.mark.parametrize("aggregate", AGGREGATES)
@given(case=drawn_cases(), seed=st.integers(0, 9))
def test_scores_equal_those_of_the_segments_of_drawn_documents(aggregate, case, seed):
    statistics, documents = case
    units, of_units = group_statistics(statistics, aggregate, documents)
    found = resampling.scores_of(units, of_units, 40, seed)
    order = [*dict.fromkeys(documents)]
    members = [[s for s, name in enumerate(documents) if name == one] for one in order]
    drawn = np.concatenate([*resampling.chunks(len(order), 40, seed)]).astype(int)
    for i, system in enumerate(statistics.tolist()):
        for b, row in enumerate(drawn.tolist()):
            chosen = [s for d, times in enumerate(row) for s in times * members[d]]
            sums = np.array(oracle.summed(system, chosen))
            assert found.scores[b, i] == pytest.approx(float(aggregate(sums, len(chosen))))


@pytest.mark.parametrize("aggregate", [mean, ratio, BleuFormula()])
@pytest.mark.parametrize("n", [12, 60, 150])
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_a_document_for_each_segment_gives_what_segments_give(aggregate, n, test):
    draw = np.random.default_rng(n)
    k = 1 if aggregate is mean else 10
    statistics = draw.integers(5, 40, (3, n, k)).astype(float)
    expected = paired_test(statistics, aggregate, test=test, n_resamples=60)
    names = [f"d{number}" for number in range(n)]
    numbers = number_documents(names)
    found = paired_test(statistics, aggregate, test=test, n_resamples=60, documents=numbers)
    assert found.resample_by == "document"
    for one, other in (
        (found.p_values, expected.p_values),
        (found.resampled.scores, expected.resampled.scores),
        (found.resampled.observed, expected.resampled.observed),
        (found.tests, expected.tests),
        (found.n_different, expected.n_different),
    ):
        assert np.array_equal(one, other)


@given(case=drawn_cases())
def test_exact_p_is_the_share_of_exchanges_of_documents(case):
    statistics, documents = case
    pair = np.concatenate((statistics[:1], statistics[-1:, ::-1]))
    order = [*dict.fromkeys(documents)]
    for aggregate in AGGREGATES:
        found = paired_test(pair, aggregate, n_resamples=40, documents=number_documents(documents))
        trials = [
            [of_document[order.index(name)] for name in documents]
            for of_document in product((0, 1), repeat=len(order))
        ]

        def score(sums, n, aggregate=aggregate):
            return float(aggregate(np.array(sums), n))

        count = oracle.n_beyond(*pair.tolist(), trials, score)
        assert found.p_values[0, 1] == pytest.approx(count / len(trials))
        assert found.tests[0, 1] == "exact"


def test_weights_are_those_of_the_documents():
    documents = np.array([4, 2, 4, 7])
    (rows,) = weights(4, 50, 3, documents)
    (of_documents,) = resampling.chunks(3, 50, 3)
    assert np.array_equal(rows, of_documents[:, [0, 1, 0, 2]])
    (of_segments,) = resampling.chunks(4, 50, 3)
    assert np.array_equal(np.concatenate([*weights(4, 50, 3)]), of_segments)
    sums = sum_documents(np.arange(8.0).reshape(2, 4), documents)
    assert sums.tolist() == [[2, 1, 3], [10, 5, 7]]


def test_segments_that_depend_on_each_other_make_wider_intervals():
    draw = np.random.default_rng(5)
    talks = draw.normal(0.5, 0.1, 20)
    scores = np.repeat(talks, 30) + draw.normal(0, 0.02, 600)
    names = [f"talk {k // 30}" for k in range(600)]
    low, high = celab.significance.paired_bootstrap(scores, np.zeros(600)).interval
    found = celab.significance.paired_bootstrap(scores, np.zeros(600), documents=names)
    # The standard error of a mean of 20 talks: 0.1 / √20 instead of about 0.1 / √600.
    assert found.interval[1] - found.interval[0] > 4 * (high - low)
    assert (found.n_segments, found.n_different, found.test) == (600, 20, "randomization")
    assert found.to_dict()["resample_by"] == "document"


def test_few_documents_are_told_and_none_is_an_error():
    with pytest.warns(InputWarning, match="of 9 documents: with fewer than 10, they are too narr"):
        units_to_draw("document", [str(k) for k in range(9)])
    assert units_to_draw("document", [str(k) for k in range(10)]).tolist() == [*range(10)]
    assert units_to_draw("segment", ["", ""]) is None
    for names, message in (
        (["", ""], "needs documents, and no segment has one"),
        (["a", "", ""], "2 segments have no one"),
        (["a", "a"], "needs two documents or more"),
        ([], "needs"),
    ):
        with pytest.raises(InputError, match=message):
            units_to_draw("document", names)
    with pytest.raises(OptionError, match="resample_by is 'talk'; choose from segment, document"):
        units_to_draw("talk", ["a", "b"])
    with pytest.raises(InputError, match="there are 3 documents and 2 segments"):
        celab.significance.paired_bootstrap([1.0, 2.0], [1.0, 3.0], documents=["a", "b", "c"])
