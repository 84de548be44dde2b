"""TESLA-CELAB behind sacreBLEU's interface: our scores, its bootstrap, its paired tests."""

import json

import numpy as np
import pytest
from sacrebleu.metrics import CHRF
from sacrebleu.significance import PairedTest

import celab
from celab.integrations.sacrebleu import TeslaCelab

HYPS = ["买伞", "去北京", "下星期。", "我有个闺女。"]
OTHERS = ["买", "去", "下周", "我有女儿。"]
REFS = [["买雨伞", "去北京旅游", "下周。", "我有一个女儿。"], ["买把伞", None, "下个星期。", None]]


@pytest.mark.parametrize("refs", [REFS[:1], REFS], ids=["one reference", "a varying number"])
@pytest.mark.parametrize(
    "options", [{}, {"metric": "celab-recommended"}, {"lexicon": None}], ids=str
)
def test_scores_are_those_of_celab(options, refs):
    adapter = TeslaCelab(**options)
    ours = adapter.metric
    assert adapter.corpus_score(HYPS, refs).score == ours.corpus_score(HYPS, refs).score
    for i, hyp in enumerate(HYPS):
        row = [side[i] for side in refs if side[i] is not None]
        assert adapter.sentence_score(hyp, row).score == ours.sentence_score(hyp, row).score


def test_references_can_be_kept():
    adapter = TeslaCelab(references=REFS)
    assert (
        adapter.corpus_score(HYPS, None).score == celab.TeslaCelab().corpus_score(HYPS, REFS).score
    )
    with pytest.raises(RuntimeError):
        TeslaCelab().corpus_score(HYPS, None)
    with pytest.raises(ValueError):
        TeslaCelab("comet")


def test_the_signature_and_the_text_of_a_score():
    adapter = TeslaCelab()
    score = adapter.corpus_score(HYPS, REFS)
    signature = adapter.get_signature()
    assert signature.info["nrefs"] == "var" and signature.info["metric"] == "celab"
    assert signature.info["celab"] == celab.__version__
    assert score.format() == f"TESLA-CELAB = {score.score:.4f}"
    written = json.loads(score.format(signature=str(signature), is_json=True))
    assert written["score"] == round(score.score, 4)
    assert written["lex"] == adapter.metric.signature.part("lex")


def test_bootstrap_is_that_of_sacrebleu():
    adapter = TeslaCelab()
    score = adapter.corpus_score(HYPS, REFS, n_bootstrap=200)
    segments = celab.TeslaCelab().corpus_score(HYPS, REFS).segments.scores.astype("float32")
    drawn = np.random.default_rng(12345).choice(4, size=(200, 4), replace=True)
    means = np.sort(segments[drawn].mean(axis=1))
    assert score._mean == pytest.approx(means.mean(), abs=1e-6)
    assert score._ci == pytest.approx((means[200 - 5 - 1] - means[5]) / 2, abs=1e-6)
    assert str(adapter.get_signature()).startswith("nrefs:var|bs:200|seed:12345")


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_paired_tests_of_sacrebleu_take_it(test):
    metrics = {"TESLA-CELAB": TeslaCelab(references=REFS), "chrF": CHRF(references=REFS)}
    systems = [("Baseline: a", HYPS), ("b", OTHERS)]
    _, results = PairedTest(systems, metrics, references=None, test_type=test, n_samples=100)()
    first, second = results["TESLA-CELAB"]
    ours = celab.TeslaCelab()
    assert first.score == pytest.approx(ours.corpus_score(HYPS, REFS).score, abs=1e-6)
    assert second.score == pytest.approx(ours.corpus_score(OTHERS, REFS).score, abs=1e-6)
    assert 0 < second.p_value <= 1
