"""CREMER: the regression of two scores, models, and wrong input."""

import json
import pickle

import numpy as np
import pytest
from test_dicomer import ORDERS, TEXTS, permuted

import celab
from celab.metrics.factory import make_metric
from celab.trained.topics import Topics

pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
pytest.importorskip("HanTa", reason="HanTa (extra en) is not installed")

# Six summaries of each text: its sentences in order, in other orders, and parts of them.
SUMMARIES = [
    [
        text,
        *(permuted(text, order) for order in ORDERS),
        permuted(text, [0, 1]),
        permuted(text, [2, 0]),
        permuted(text, [3]),
    ]
    for text in TEXTS
]
RATINGS = [[5, 3, 3.5, 3, 4, 2, 1]] * len(SUMMARIES)
KERNELS = ("linear", "polynomial", "rbf")


@pytest.fixture(scope="module", params=KERNELS)
def fitted(request):
    metric = celab.Cremer(lang="en", kernel=request.param)
    return metric.fit(SUMMARIES, TEXTS, RATINGS, C=10.0)


def test_a_score_is_the_regression_of_tesla_s_and_dicomer(fitted):
    by_tesla_s = celab.TeslaS(lang="en").sentence_score(SUMMARIES[0][4], [TEXTS[0]]).score
    by_dicomer = celab.Dicomer(lang="en").with_content(fitted.content["dicomer"])
    row = np.array([[by_tesla_s, by_dicomer.score(SUMMARIES[0][4])]])
    expected = fitted.regression.predict(row)[0]
    assert fitted.sentence_score(SUMMARIES[0][4], [TEXTS[0]]).score == expected


def test_the_second_feature_is_learnt_from_other_topics(monkeypatch):
    """So that the regression sees scores of new texts: of no text that the weights know."""
    seen = []
    fit_topics = celab.Dicomer.fit_topics

    def spy(self, topics, cost=1.0):
        seen.append(set(topics.texts))
        return fit_topics(self, topics, cost)

    monkeypatch.setattr(celab.Dicomer, "fit_topics", spy)
    celab.Cremer(lang="en").fit(SUMMARIES, TEXTS, RATINGS)
    *folds, whole = seen
    assert whole == {text for of_topic in SUMMARIES for text in of_topic}
    assert len(folds) == len(SUMMARIES)
    for of_topic in SUMMARIES:
        assert sum(not texts & set(of_topic) for texts in folds) == 1


def test_a_model_is_the_same_from_its_file(fitted, tmp_path):
    fitted.save(tmp_path / "m.json")
    loaded = celab.Cremer.load(tmp_path / "m.json")
    hyps, refs = SUMMARIES[0], [[TEXTS[0]] * len(SUMMARIES[0])]
    scores = fitted.corpus_score(hyps, refs)
    assert loaded == fitted and loaded.corpus_score(hyps, refs) == scores
    assert make_metric("cremer", model=tmp_path / "m.json", lang="en") == fitted
    for metric in (fitted, loaded):
        copy = pickle.loads(pickle.dumps(metric))
        assert copy == metric and copy.corpus_score(hyps, refs).segments == scores.segments
    single = [fitted.sentence_score(hyp, TEXTS[0]).score for hyp in hyps]
    assert single == scores.segments.scores.tolist()
    assert scores.signature.part("refs") == "1" and loaded.language == "en"
    assert loaded.signature.part("kernel") in KERNELS


def test_several_references_are_combined_as_by_tesla_s(fitted):
    (hyp, other), refs = SUMMARIES[1][4:6], [TEXTS[0], TEXTS[1]]
    assert fitted.sentence_score(hyp, refs) == fitted.sentence_score(hyp, refs[::-1])
    both = celab.TeslaS(lang="en").sentence_score(hyp, refs).score
    assert fitted.figures([hyp], [[text] for text in refs])[0, 0] == both
    absent = fitted.corpus_score([hyp, other], [[TEXTS[1]] * 2, [None, TEXTS[0]]])
    assert absent.segments[0].score == fitted.sentence_score(hyp, TEXTS[1]).score


def test_references_of_topics_are_one_or_several():
    metric = celab.Cremer(lang="en", kernel="linear")
    listed = metric.fit(SUMMARIES, [[text] for text in TEXTS], RATINGS)
    assert listed.content == metric.fit(SUMMARIES, TEXTS, RATINGS).content
    blank = metric.fit_topics(Topics.of(SUMMARIES, RATINGS), [[text, ""] for text in TEXTS])
    assert blank.content == listed.content


def test_wrong_input(fitted, tmp_path):
    metric = celab.Cremer(lang="en")
    with pytest.raises(celab.InputError, match="there are 7 rated texts of 1 topic; training"):
        metric.fit(SUMMARIES[:1], TEXTS[:1], RATINGS[:1])
    with pytest.raises(celab.InputError, match="references of 2 topics and texts of 3; they must"):
        metric.fit(SUMMARIES, TEXTS[:2], RATINGS)
    with pytest.raises(celab.OptionError, match="cremer needs a model; celab train makes one"):
        metric.sentence_score("a", "b")
    with pytest.raises(celab.OptionError, match="kernel is 'cubic'; choose from linear"):
        celab.Cremer(lang="en", kernel="cubic")
    path = tmp_path / "m.json"
    fitted.save(path)
    other = "rbf" if fitted.options.kernel == "linear" else "linear"
    with pytest.raises(celab.OptionError, match=f"but kernel is '{other}'; they must agree"):
        celab.Cremer(path, kernel=other)
    with pytest.raises(celab.OptionError, match="has lang 'en', but lang is 'zh'; they must agree"):
        celab.Cremer(path, "zh")
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | {"spread": [1.0]}), "utf-8")
    with pytest.raises(celab.InputError, match="spread and vectors must have 2 numbers each"):
        celab.Cremer(path)
    path.write_text(json.dumps(content | {"dicomer": {}}), "utf-8")
    with pytest.raises(celab.InputError, match="dicomer has no format; train it again"):
        celab.Cremer(path)
