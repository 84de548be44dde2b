"""TESLA-CELAB behind sacreBLEU's interface: our scores, its bootstrap, its paired tests."""

import json
import pickle

import numpy as np
import pytest
from sacrebleu.metrics import CHRF
from sacrebleu.significance import PairedTest

import celab
from celab.integrations.sacrebleu import SacrebleuTeslaCelab
from celab.statistics.resampling import scores_of
from celab.statistics.significance import paired_bootstrap, paired_randomization

HYPS = ["买伞", "去北京", "下星期。", "我有个闺女。"]
OTHERS = ["买", "去", "下周", "我有女儿。"]
REFS = [["买雨伞", "去北京旅游", "下周。", "我有一个女儿。"], ["买把伞", None, "下个星期。", None]]


@pytest.mark.parametrize("refs", [REFS[:1], REFS], ids=["one reference", "a varying number"])
@pytest.mark.parametrize(
    "options", [{}, {"metric": "celab-recommended"}, {"lexicon": None}], ids=str
)
def test_scores_are_those_of_celab(options, refs):
    adapter = SacrebleuTeslaCelab(**options)
    ours = adapter.metric
    assert adapter.corpus_score(HYPS, refs).score == ours.corpus_score(HYPS, refs).score
    for i, hyp in enumerate(HYPS):
        row = [side[i] for side in refs if side[i] is not None]
        assert adapter.sentence_score(hyp, row).score == ours.sentence_score(hyp, row).score


def test_references_can_be_kept():
    adapter = SacrebleuTeslaCelab(references=REFS)
    assert (
        adapter.corpus_score(HYPS, None).score == celab.TeslaCelab().corpus_score(HYPS, REFS).score
    )
    with pytest.raises(RuntimeError):
        SacrebleuTeslaCelab().corpus_score(HYPS, None)
    with pytest.raises(ValueError):
        SacrebleuTeslaCelab("comet")


def test_the_signature_and_the_text_of_a_score():
    adapter = SacrebleuTeslaCelab()
    score = adapter.corpus_score(HYPS, REFS)
    signature = adapter.get_signature()
    assert signature.info["nrefs"] == "var" and signature.info["metric"] == "celab"
    assert signature.info["celab"] == celab.__version__
    assert score.format() == f"TESLA-CELAB = {score.score:.4f}"
    written = json.loads(score.format(signature=str(signature), is_json=True))
    assert written["score"] == round(score.score, 4)
    assert written["lex"] == adapter.metric.signature.part("lex")


def test_bootstrap_is_that_of_sacrebleu():
    adapter = SacrebleuTeslaCelab()
    score = adapter.corpus_score(HYPS, REFS, n_bootstrap=200)
    segments = celab.TeslaCelab().corpus_score(HYPS, REFS).segments.scores.astype("float32")
    drawn = np.random.default_rng(12345).choice(4, size=(200, 4), replace=True)
    means = np.sort(segments[drawn].mean(axis=1))
    assert score._mean == pytest.approx(means.mean(), abs=1e-6)
    assert score._ci == pytest.approx((means[200 - 5 - 1] - means[5]) / 2, abs=1e-6)
    assert str(adapter.get_signature()).startswith("nrefs:var|bs:200|seed:12345")


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_paired_tests_of_sacrebleu_take_it(test):
    metrics = {"TESLA-CELAB": SacrebleuTeslaCelab(references=REFS), "chrF": CHRF(references=REFS)}
    systems = [("Baseline: a", HYPS), ("b", OTHERS)]
    _, results = PairedTest(systems, metrics, references=None, test_type=test, n_samples=100)()
    first, second = results["TESLA-CELAB"]
    ours = celab.TeslaCelab()
    assert first.score == pytest.approx(ours.corpus_score(HYPS, REFS).score, abs=1e-6)
    assert second.score == pytest.approx(ours.corpus_score(OTHERS, REFS).score, abs=1e-6)
    assert 0 < second.p_value <= 1


METRICS = {
    "celab": "celab",
    "celab-recommended": "celab-recommended",
    "chrf": celab.Chrf(),
    "cer": celab.Cer(),
}


def with_errors(texts, share, seed):
    """Texts in which a share of the characters is another one."""
    rng = np.random.default_rng(seed)
    return ["".join("错" if rng.random() < share else c for c in text) for text in texts]


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_p_values_are_those_of_celab_within_their_error(metric):
    rng = np.random.default_rng(0)
    refs = ["".join(rng.choice([*"买雨伞去北京下星期我有女儿"], size=12)) for _ in range(300)]
    first, second = with_errors(refs, 0.30, 1), with_errors(refs, 0.32, 2)
    adapter, n_trials = (
        pickle.loads(pickle.dumps(SacrebleuTeslaCelab(metric))),
        1000,
    )  # as PairedTest does
    scores = [adapter.metric.corpus_score(hyps, [refs]) for hyps in (first, second)]
    statistics, aggregate = np.stack([score.statistics for score in scores]), scores[0].aggregate
    resampled = scores_of(statistics, aggregate, n_trials)
    expected = {
        "ar": (paired_randomization(statistics, aggregate, n_trials)[0, 1], 1.0, 1.0),
        # One tail of differences that are centered at their mean (docs/score-and-compare.md).
        "bs": (paired_bootstrap(resampled)[0, 1], 0.35, 0.5),
    }
    for test, (p, least, most) in expected.items():
        systems, metrics = [("a", first), ("b", second)], {"": adapter}
        tested = PairedTest(systems, metrics, [refs], test, n_trials)()[1]
        found = tested[adapter.corpus_score(first, [refs]).name][1].p_value
        error = 4 * (2 * p * (1 - p) / n_trials) ** 0.5 + 2 / n_trials
        assert 0.002 < p < 0.2
        assert least * p - error <= found <= most * p + error


def test_segments_that_were_skipped_do_not_count():
    adapter = SacrebleuTeslaCelab()
    rows = adapter._extract_corpus_statistics(HYPS, REFS)
    without = adapter._aggregate_and_compute(rows[1:]).score
    rows[0] = [0.0, 0.0]
    assert adapter._aggregate_and_compute(rows).score == without
