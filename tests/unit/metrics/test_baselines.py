"""sacreBLEU's metrics beside ours: the same numbers, of one corpus and of many resamples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from celab.base.errors import InputError
from celab.metrics.baselines import Bleu, Chrf, ChrfPlusPlus
from celab.metrics.factory import make_metric

BASELINES = ("bleu", "chrf", "chrf++", "ter")
WORDS = st.lists(st.sampled_from("a bb ccc dd. 买 雨伞 x".split()), max_size=8).map(" ".join)
REFERENCE = WORDS.filter(bool)
CORPUS = st.lists(st.tuples(WORDS, REFERENCE, REFERENCE), min_size=1, max_size=5)


def theirs(name, lang="zh", **more):
    if name == "bleu":
        return BLEU(tokenize="zh" if lang == "zh" else "13a", **more)
    if name == "ter":
        return TER(normalized=lang == "zh", asian_support=lang == "zh")
    return CHRF(word_order=2 * (name == "chrf++"))


@pytest.mark.parametrize("name", BASELINES)
@settings(max_examples=15)
@given(CORPUS)
def test_the_numbers_are_sacrebleus(name, corpus):
    hyps, *refs = map(list, zip(*corpus, strict=True))
    found = make_metric(name).corpus_score(hyps, refs)
    assert found.score == pytest.approx(theirs(name).corpus_score(hyps, refs).score, abs=1e-9)
    sentence = theirs(name, **{"effective_order": True} if name == "bleu" else {})
    for s, (hyp, *some) in enumerate(corpus):
        expected = sentence.sentence_score(hyp, some).score
        assert found.segments[s].score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", BASELINES)
def test_scores_of_sums_are_scores_of_corpora(name):
    rng = np.random.default_rng(3)
    hyps, refs = (
        [" ".join(rng.choice("a b c d e f".split(), rng.integers(1, 9))) for _ in range(40)]
        for _ in range(2)
    )
    found = make_metric(name, lang="en").corpus_score(hyps, [refs])
    chosen = rng.integers(40, size=(5, 40))
    sums = np.stack([found.statistics[rows].sum(axis=0) for rows in chosen])
    expected = [
        theirs(name, "en").corpus_score([hyps[s] for s in rows], [[refs[s] for s in rows]]).score
        for rows in chosen
    ]
    assert found.aggregate(sums, 40) == pytest.approx(expected, abs=1e-9)
    assert found.of_segments(np.array([0, 1])) == pytest.approx(
        theirs(name, "en").corpus_score(hyps[:2], [refs[:2]]).score
    )


def test_references_may_be_absent_and_signatures_are_sacrebleus():
    metric = make_metric("bleu")
    found = metric.corpus_score(["买 雨伞", "a"], [["买 雨伞", ""], ["买 伞", "a"]])
    expected = BLEU(tokenize="zh").corpus_score(
        ["买 雨伞", "a"], [["买 雨伞", None], ["买 伞", "a"]]
    )
    assert found.score == pytest.approx(expected.score)
    assert found.signature.startswith("bleu|nrefs:var|case:mixed|eff:no|tok:zh|smooth:exp|version:")
    assert str(found).startswith("BLEU = ") and found.precision is None
    assert found.segments[0].references == ()
    assert make_metric("bleu", lang="de").signature.startswith("bleu|case:mixed|eff:no|tok:13a|")
    assert not make_metric("ter").corpus_score(["a"], [["a"]]).higher_is_better
    with pytest.raises(InputError, match="segment 2 has no reference"):
        metric.corpus_score(["a", "b"], [["a", " "]])


@pytest.mark.parametrize(
    ("lang", "hyp", "ref"),
    [
        ("ja", "昨日傘を買った", "昨日は傘を買った"),
        ("th", "ฉันซื้อร่มเมื่อวานนี้", "ฉันซื้อร่มเมื่อวาน"),
        ("lo", "ຂ້ອຍຊື້ຄັນຮົ່ມມື້ວານນີ້", "ຂ້ອຍຊື້ຄັນຮົ່ມມື້ວານ"),
        ("km", "ខ្ញុំបានទិញឆ័ត្រម្សិលមិញ", "ខ្ញុំបានទិញឆ័ត្រកាលពីម្សិលមិញ"),
        ("my", "ငါမနေ့ကထီးဝယ်ခဲ့တယ်", "မနေ့ကငါထီးဝယ်ခဲ့တယ်"),
    ],
)
def test_text_without_white_space_is_cut_into_characters(lang, hyp, ref):
    found = make_metric("bleu", lang=lang).corpus_score([hyp], [[ref]])
    expected = BLEU(tokenize="char").corpus_score([hyp], [[ref]])
    assert found.score == pytest.approx(expected.score) and expected.score > 25
    assert "|tok:char|" in found.signature
    # sacreBLEU's TER cuts the characters of Chinese and Japanese only.
    asian = "yes" if lang == "ja" else "no"
    assert f"|norm:{asian}|punct:yes|asian:{asian}|" in make_metric("ter", lang=lang).signature


@pytest.mark.parametrize(
    "hyps", [["买雨伞", "今天天气好"], ["甲", "乙"], ["", ""], ["我在北京 x", "y"]]
)
def test_details_are_sacrebleus(hyps):
    refs = [["买伞", "今天天气很好"]]
    found = make_metric("bleu").corpus_score(hyps, refs)
    expected = BLEU(tokenize="zh").corpus_score(hyps, refs)
    shown = Bleu.details(found)
    assert f"{shown['precisions']} (BP = {shown['BP']} ratio = {shown['ratio']}" in str(expected)
    assert f"hyp_len = {shown['hyp_len']} ref_len = {shown['ref_len']})" in str(expected)
    for name in ("chrf", "chrf++"):
        details = Chrf.details if name == "chrf" else ChrfPlusPlus.details
        theirs_now = theirs(name, "zh")
        assert details(make_metric(name).corpus_score(hyps, refs)) == {
            "char order": str(theirs_now.char_order),
            "word order": str(theirs_now.word_order),
            "beta": str(theirs_now.beta),
        }
