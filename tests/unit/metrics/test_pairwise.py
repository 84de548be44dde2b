"""The matrix of all hypotheses against all references is made of single scores."""

import numpy as np
import pytest

import celab
from celab.base.errors import InputError
from celab.metrics import base
from celab.metrics.factory import make_metric

HYPS = ["买雨伞", "买伞", "", "今天的天气很好", "ＡＢＣ 3.5", "买雨伞"]
REFS = ["买一把雨伞", "今天天气不错", " ", "伞", "ABC 3.5", None, "买伞"]
BLANK = [2, 5]


def metrics():
    found = {
        "celab": lambda: celab.TeslaCelab(),
        "celab, 2 jobs": lambda: celab.TeslaCelab(lexicon=None, max_order=2, jobs=2),
        "celab, whole program": lambda: celab.TeslaCelab(lexicon=None, solver="highs"),
        "tesla-m": lambda: celab.TeslaM(analysis="surface"),
        "tesla-m, best": lambda: celab.TeslaM(analysis="surface", combine="max"),
        "tesla-s": lambda: celab.TeslaS(lang="zh"),
        "chrf": lambda: make_metric("chrf"),
        "bleu": lambda: make_metric("bleu"),
        "ter": lambda: make_metric("ter"),
    }
    return [pytest.param(make, id=name) for name, make in found.items()]


def made(make):
    try:
        return make()
    except celab.OptionError as error:
        pytest.skip(f"the metric is not here: {error}")


@pytest.mark.parametrize("make", metrics())
@pytest.mark.parametrize("most", [1, 3, 10, 1024])  # pairs at once
def test_each_pair_is_scored_as_by_itself(make, most, monkeypatch):
    monkeypatch.setattr(base, "_MOST_PAIRS", most)
    metric = made(make)
    found = metric.pairwise(HYPS, REFS)
    assert found.shape == (len(HYPS), len(REFS))
    assert found.dtype == np.float64
    assert np.isnan(found[:, BLANK]).all()
    for h, hyp in enumerate(HYPS):
        for r, ref in enumerate(REFS):
            if r not in BLANK:
                assert found[h, r] == metric.sentence_score(hyp, [ref]).score, (hyp, ref)


@pytest.mark.parametrize("make", metrics())
def test_one_list_may_be_both(make):
    metric = made(make)
    texts = ["买雨伞", "买伞", "今天天气很好"]
    found = metric.pairwise(texts, texts)
    assert set(np.diag(found)) == {metric.sentence_score("买伞", ["买伞"]).score}


@pytest.mark.parametrize("make", metrics())
def test_if_all_references_are_blank_nothing_is_scored(make):
    assert np.isnan(made(make).pairwise(["a", "b"], ["", None])).all()


@pytest.mark.parametrize(
    ("hyps", "refs", "message"),
    [
        ("买", ["买"], "a str was given in place of a sequence of sentences"),
        ([], ["买"], "no hypothesis given; at least one is needed"),
        (["买"], [], "no reference given; at least one is needed"),
        (["买", 3], ["买"], "hypothesis 2 is of type int; it must be a str"),
        (["买"], ["买", None, b"x"], "reference 3 is of type bytes; it must be a str"),
    ],
)
def test_the_error_says_what_is_wrong(hyps, refs, message):
    with pytest.raises(InputError) as caught:
        celab.TeslaM(analysis="surface").pairwise(hyps, refs)
    assert str(caught.value) == message


@pytest.mark.parametrize("most", [1, 2, 1024])
@pytest.mark.parametrize(
    ("hyps", "refs", "where"),
    [
        (["a|a|N", "b|b|N", "bad"], ["a|a|N", " ", "b|b|N"], "sentence 3 of the hypotheses"),
        (["a|a|N", "b|b|N"], ["a|a|N", " ", "bad"], "sentence 3 of reference 1"),
    ],
)
def test_an_error_in_a_sentence_has_its_number_in_the_list(hyps, refs, where, most, monkeypatch):
    monkeypatch.setattr(base, "_MOST_PAIRS", most)
    with pytest.raises(InputError, match=f"^{where}: "):
        celab.TeslaM(analysis="tagged").pairwise(hyps, refs)


def test_a_metric_says_which_way_is_better():
    assert celab.TeslaCelab(lexicon=None).higher_is_better
    assert not made(lambda: make_metric("ter")).higher_is_better


@pytest.mark.parametrize("links", ["paper", "release-2012"])
@pytest.mark.parametrize("most", [1, 5, 4096])
def test_half_of_a_square_matrix_is_the_other_half_turned(links, most, monkeypatch):
    monkeypatch.setattr("celab.metrics.celab._MOST_PAIRS", most)
    metric = celab.TeslaCelab(links=links, script="keep")
    texts = [*HYPS, "匹夫来", "那个人来了", "雨雨伞雨伞雨伞", "伞雨伞"]
    square = metric.pairwise(texts, texts)
    rectangular = metric.pairwise(texts, [*texts, "好"])[:, :-1]
    assert np.array_equal(square, rectangular, equal_nan=True)
