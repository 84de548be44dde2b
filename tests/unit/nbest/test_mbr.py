"""Expected utilities, worked by hand and by a slow twin; ties; weights."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.base.errors import InputError, OptionError
from celab.metrics.base import Metric
from celab.nbest.mbr import expected, masses, rerank
from celab.nbest.nbest import Candidate, Sentence

NAN = math.nan


def sentence(*texts, scores=None):
    scores = scores or [None] * len(texts)
    some = zip(texts, scores, strict=True)
    return Sentence("x.txt", 3, tuple(Candidate(t, i, s) for i, (t, s) in enumerate(some, 1)))


class Table(Metric):
    """Looks scores up; counts the pairs that it is asked for."""

    signature = "table"

    def __init__(self, scores, higher_is_better=True):
        self.scores, self.higher_is_better, self.asked = scores, higher_is_better, []

    @property
    def n_pairs(self):
        return sum(self.asked)

    def pairwise(self, hyps, refs):
        self.asked.append(len(hyps) * len(refs))
        return np.array([[self.scores[h + r] for r in refs] for h in hyps], dtype=float)


TABLE = {"aa": 1.0, "ab": 0.2, "ac": 0.3, "ba": 0.4, "bb": 1.0, "bc": 0.7, "ca": 0.4, "cb": 0.5}
TABLE["cc"] = 1.0


def test_candidates_in_a_list_are_reranked():
    texts = ["卖伞", "买伞", "买雨伞"]
    metric = celab.TeslaCelab(lexicon=None)
    expected = rerank(metric, sentence(*texts))
    assert celab.mbr(texts, lexicon=None).expected == expected.expected
    scores = [-1.0, -3.0, -0.5]
    weighted = rerank(metric, sentence(*texts, scores=scores), "softmax", 2.0)
    assert celab.mbr(texts, metric, model_scores=scores, scale=2).expected == weighted.expected


def test_each_text_weighs_as_often_as_it_is_there_and_is_scored_once():
    metric = Table(TABLE)
    found = rerank(metric, sentence("a", "b", "a", "a"))
    # a: (3 · 1 + 0.2) / 4, b: (3 · 0.4 + 1) / 4
    assert found.expected == pytest.approx([0.8, 0.55, 0.8, 0.8], abs=1e-15)
    assert found.order == [0, 2, 3, 1]
    assert metric.n_pairs == 4


def test_scores_of_any_size_have_a_softmax():
    assert masses(sentence("a", "b", scores=[1e6, 1e6 - 1]), "softmax") == [1.0, math.exp(-1)]
    assert masses(sentence("a", "b", scores=[-1e6, 1e6]), "softmax") == [0.0, 1.0]
    assert masses(sentence("a", "b", scores=[-math.inf, 3.0]), "softmax") == [0.0, 1.0]


# Ties.

# All expect 1.65 / 3 = 0.55; in binary b is one bit above the others.
TIED = {"ab": 0.05, "ac": 0.6, "ba": 0.1, "bc": 0.55, "ca": 0.4, "cb": 0.25}
TIED |= {"aa": 1.0, "bb": 1.0, "cc": 1.0}


@pytest.mark.parametrize("texts", ["abc", "acb", "bac", "bca", "cab", "cba"])
def test_of_equals_the_earlier_comes_first(texts):
    found = rerank(Table(TIED), sentence(*texts))
    assert len(set(found.expected)) == 2
    assert found.order == [0, 1, 2]
    assert found.best.text == texts[0]


def test_a_tie_behind_the_best_keeps_its_order_too():
    table = {h + r: 0.5 for h in "abcd" for r in "abcd"} | {"ca": 0.75}
    assert rerank(Table(table), sentence("a", "b", "c", "d")).order == [2, 0, 1, 3]
    assert rerank(Table(table, higher_is_better=False), sentence(*"abcd")).order == [0, 1, 3, 2]


def test_a_difference_that_is_real_is_no_tie():
    table = TIED | {"cb": 0.25 + 1e-9}
    assert rerank(Table(table), sentence("a", "b", "c")).best.text == "c"


# Candidates that say nothing.


def test_a_blank_candidate_is_no_reference():
    metric = celab.TeslaCelab(lexicon=None)
    texts = ["买伞", " ", "买雨伞", ""]
    found = rerank(metric, sentence(*texts))
    alone = rerank(metric, sentence("买伞", "买雨伞"))
    assert [found.expected[0], found.expected[2]] == alone.expected
    assert found.expected[1] == found.expected[3] == 0.0
    assert found.order[2:] == [1, 3]


def test_if_all_are_blank_the_first_is_chosen():
    found = rerank(celab.TeslaCelab(lexicon=None), sentence("", " ", ""))
    assert found.expected == [0.0, 0.0, 0.0]
    assert found.order == [0, 1, 2]


def test_if_only_the_blank_one_has_weight_all_is_nothing():
    found = rerank(
        celab.TeslaCelab(lexicon=None), sentence("", "买伞", scores=[0.0, -math.inf]), "softmax"
    )
    assert found.expected == [0.0, 0.0]


# The twin.


def twin(metric, texts, weights):
    """Expected utilities by their definition, in fractions of what single scores are."""
    refs = [(text, Fraction(w)) for text, w in zip(texts, weights, strict=True) if text.strip()]
    total = sum((w for _, w in refs), Fraction(0))
    found = []
    for hyp in texts:
        sums = (w * Fraction(metric.sentence_score(hyp, [ref]).score) for ref, w in refs)
        found.append(float(sum(sums, Fraction(0)) / total) if total else 0.0)
    return found


METRIC = celab.TeslaCelab(lexicon=None)


@given(
    st.lists(st.tuples(st.text("买雨伞 ", max_size=5), st.floats(-20, 20)), min_size=1, max_size=7),
    st.sampled_from(["uniform", "softmax"]),
    st.floats(0.01, 10),
)
def test_the_twin_agrees(candidates, weights, scale):
    texts, scores = zip(*candidates, strict=True)
    some = sentence(*texts, scores=scores)
    found = rerank(METRIC, some, weights, scale)
    top = max(scores)
    each = [math.exp(scale * (s - top)) if weights == "softmax" else 1 for s in scores]
    slow = twin(METRIC, texts, each)
    assert found.expected == pytest.approx(slow, abs=1e-12)
    assert sorted(found.order) == list(range(len(texts)))
    ranked = [found.expected[i] for i in found.order]
    assert all(a >= b - 1e-12 for a, b in pairwise(ranked))
    assert found.best is some.candidates[found.order[0]]


@given(st.permutations(["买伞", "买雨伞", "伞", "卖伞", "买伞", "雨伞买"]))
def test_the_order_of_the_list_does_not_move_a_bit(texts):
    found = rerank(METRIC, sentence(*texts))
    usual = rerank(METRIC, sentence(*sorted(texts)))
    by_text = dict(zip(sorted(texts), usual.expected, strict=True))
    assert found.expected == [by_text[text] for text in texts]


# What is refused.


def test_expected_leaves_out_what_weighs_nothing():
    assert expected([[1.0, NAN, 0.5], [0.5, NAN, 1.0]], [1, 0, 3]) == [0.625, 0.875]
    assert expected([[NAN], [NAN]], [0]) == [0.0, 0.0]


# What is not proved.


def test_an_unproved_utility_is_no_zero():
    found = rerank(Table(TABLE | {"bc": NAN}), sentence("a", "b", "c"))
    assert (found.best, found.order, found.expected) == (None, [], [])
    assert list(found.ordered) == []


def test_what_weighs_nothing_need_not_be_proved():
    table = TABLE | {"ac": NAN, "bc": NAN, "cc": NAN}
    scores = [0.0, 0.0, -math.inf]
    found = rerank(Table(table), sentence("a", "b", "c", scores=scores), "softmax")
    assert found.expected == pytest.approx([0.6, 0.7, 0.45], abs=1e-15)
    assert rerank(Table(table), sentence("a", "b", "c")).best is None


@pytest.mark.parametrize("scale", [0, -1, math.inf, math.nan])
def test_a_scale_is_above_zero(scale):
    with pytest.raises(OptionError):
        masses(sentence("a", scores=[0.0]), "softmax", scale)


def test_softmax_needs_all_scores():
    with pytest.raises(InputError) as caught:
        rerank(Table(TABLE), sentence("a", "b", scores=[1.0, None]), "softmax")
    assert str(caught.value) == (
        "x.txt, line 2: no model score; softmax weights need one for each candidate"
    )


def test_some_candidate_must_have_weight():
    with pytest.raises(InputError) as caught:
        masses(sentence("a", "b", scores=[-math.inf, -math.inf]), "softmax")
    assert str(caught.value) == (
        "x.txt, line 1: all candidates of sentence 3 have weight 0; at least one must have more"
    )


def test_a_candidate_that_cannot_be_analyzed_is_named_by_its_line():
    metric = celab.TeslaM(analysis="tagged")
    with pytest.raises(InputError, match=r"^x\.txt, line 3: "):
        rerank(metric, sentence("a|a|N", "a|a|N", "bad"))
