"""TESLA-S against the slow version in `oracle.tesla_s`, and against rouge-score."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import tesla_s as twin

import celab
from celab import SolverError
from celab.cli import score
from celab.exact import bags
from celab.report.html import explanations

COMMAND = score
WORD = st.sampled_from(["a|a|X", "b|b|X", "c|c|X", "the|the|F", "of|of|F", "A|a|X", ".|.|F"])
SENTENCE = st.lists(WORD, min_size=1, max_size=8)
SUMMARY = st.lists(SENTENCE, min_size=1, max_size=3)
LETTERS = st.text("买雨伞 a。\n", max_size=12)


def written(summary):
    return "\n".join(" ".join(sentence) for sentence in summary)


def units(summary):
    words = ([word.split("|") for word in sentence] for sentence in summary)
    return [[(form.lower(), tag == "F") for form, _, tag in some if form != "."] for some in words]


def tagged(**options):
    return celab.TeslaS(analysis="tagged", function_tags=["F"], **options)


def figures(score):
    return score.score, score.precision, score.recall


@given(SUMMARY, SUMMARY, st.integers(0, 6), st.sampled_from(["0.1", "0.5", "1"]))
def test_scores_are_the_oracles(hyp, ref, skip, discount):
    made = tagged(skip=skip, discount=float(discount))
    found = made.sentence_score(written(hyp), [written(ref)])
    expected = twin.score(units(hyp), units(ref), skip, twin.Fraction(discount))
    assert figures(found) == pytest.approx([float(value) for value in expected], abs=1e-12)


SHORT = st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=1)


@given(SHORT, SHORT)
def test_the_lesser_weights_are_the_optimum_of_the_papers_program(hyp, ref):
    pair = units(hyp), units(ref)
    assert twin.score(*pair) == twin.score(*pair, match=twin.by_program)
    scores = [
        tagged(solver=solver).sentence_score(written(hyp), [written(ref)])
        for solver in ("auto", "highs", "check")
    ]
    assert scores[0] == scores[1] == scores[2]


@given(LETTERS, LETTERS)
def test_characters(hyp, ref):
    if not ref.strip():
        return

    def cut(text):  # a run of Latin letters is one unit
        spaced = "".join(f" {c} " if c not in "a" else c for c in text.replace("\n", "|"))
        sentences = [part.split() for part in spaced.split("|")]
        return [[(one, False) for one in some if one != "。"] for some in sentences]

    found = celab.TeslaS(lang="zh").sentence_score(hyp, [ref])
    expected = twin.score(cut(hyp), cut(ref)) if hyp.strip() else (0, 0, 0)
    assert figures(found) == pytest.approx([float(value) for value in expected], abs=1e-12)


def test_recall_is_rouges():
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is absent")
    rng = np.random.default_rng(3)
    texts = [
        [" ".join(rng.choice(list("abcdef"), rng.integers(1, 15))) for _ in range(60)]
        for _ in range(2)
    ]
    for orders, skip in ((["rouge1"], 4), (["rouge1", "rouge2"], 0)):
        scorer = rouge_scorer.RougeScorer(orders)
        # With α = 1, F is recall.
        made = celab.TeslaS(analysis="surface", discount=1.0, alpha=1.0, skip=skip)
        for hyp, ref in zip(*texts, strict=True):
            recalls = [one.recall for one in scorer.score(ref, hyp).values()]
            features = made.explain(hyp, ref).features[: len(orders)]
            assert [one.recall for one in features] == pytest.approx(recalls[: len(features)])
            assert [one.f for one in features] == pytest.approx(recalls[: len(features)])
            assert not any(recalls[len(features) :])


def test_skip_bigrams_stay_within_sentences():
    within, across = (tagged(across=across) for across in (False, True))
    pair = "a|a|X\nb|b|X", "a|a|X b|b|X"
    assert len(within.explain(*pair).features[1].links) == 0
    assert across.sentence_score(pair[0], [pair[1]]).score == 1.0
    assert "|across:no|" in within.signature and "|across:yes|" in across.signature


@pytest.mark.parametrize(
    ("hyp", "ref", "score"),
    [("", "买", 0.0), ("买", "买", 1.0), ("。", "！", 1.0), ("。", "买", 0.0), ("买。", "买", 1.0)],
)
def test_few_units(hyp, ref, score):
    made = celab.TeslaS(lang="zh")
    assert made.sentence_score(hyp, [ref]).score == score
    assert made.explain(hyp, ref).score == score


@given(SUMMARY, SUMMARY)
def test_an_explanation_adds_up(hyp, ref):
    made = tagged()
    found = made.explain(written(hyp), written(ref))
    score = made.sentence_score(written(hyp), [written(ref)])
    assert figures(found) == figures(score)
    for feature in found.features:
        assert sum(link.weight for link in feature.links) == pytest.approx(feature.total)
        for link in feature.links:
            for pair in link.pairs:
                assert found.hyp_words[pair.hyp].form == found.ref_words[pair.ref].form
            assert link.hyp == (link.pairs[0].hyp, link.pairs[-1].hyp + 1)
    if found.features:
        assert found.score == pytest.approx(np.mean([one.f for one in found.features]))
    assert json.loads(json.dumps(found.to_dict()))["score"] == found.score


def test_an_explanation_shows_what_a_skip_bigram_leaves_out():
    found = celab.TeslaS(lang="zh").explain("买雨伞", "买伞")
    assert "买 伞      买 … 伞" in str(found) and "by form, skip 4, order 2" in str(found)
    assert "form, skip 4" in found._repr_html_()
    # In a report: places, similarity, weight and marks; then all places if they are apart.
    (_, _, _, links) = explanations._feature(found.features[1])
    assert links == [[0, 0, 1, 1, "==", [0, 2], [0, 1]]]
    together = celab.TeslaS(lang="zh").explain("买伞", "买伞").features[1]
    assert explanations._feature(together)[3] == [[0, 0, 1, 1, "=="]]


def test_a_kernel_that_errs_is_found_out(monkeypatch):
    right = bags.match
    monkeypatch.setattr(bags, "match", lambda x, y: right(x, y) + 1)
    with pytest.raises(SolverError, match=r"segment 1, reference 1: at order 1 .* by form"):
        celab.TeslaS(lang="zh", solver="check").corpus_score(["买"], [["买"]])


# ---- the command line -------------------------------------------------------------------------


def test_summaries_with_sentences_in_json_lines(tmp_path, run):
    table = tmp_path / "summaries.jsonl"
    rows = [
        {"hyp": ["买雨伞。", "去北京。"], "ref": [["买伞。", "去北京。"], "去"]},
        {"hyp": "今天", "ref": ["今天\n好", ["天气"]]},
    ]
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for across in (False, True):
        made = celab.TeslaS(lang="zh", across=across)
        expected = made.corpus_score(
            ["买雨伞。\n去北京。", "今天"], [["买伞。\n去北京。", "今天\n好"], ["去", "天气"]]
        )
        out = run("-q", "-m", "tesla-s", *["--across"] * across, "--json", table).out
        (metric,) = json.loads(out)["system"]
        assert metric["score"] == expected.score
