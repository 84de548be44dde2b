"""TESLA-F and `celab train`: weights and scaling against slow versions, models, and bad input."""

import json
import random

import numpy as np
import pytest
from commands import refusal
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import training as oracle

import celab
from celab.metrics.language_model import LanguageModel
from celab.metrics.tesla_f import box
from celab.trained.ranking import Consistency
from celab.training.feature_weights import fit, train

pytest.importorskip("sklearn")

ARPA = (
    "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t买\t-0.2\n"
    "-0.9\t伞\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\n-0.1\t伞 </s>\n\n\\end\\\n"
)
TEXTS = "我要买一把雨伞 明天我们去北京 他昨天没有来上班 这本书非常有意思 孩子们在公园里玩".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three systems of falling quality on 40 segments in 8 documents, and judgments of them."""
    place = tmp_path_factory.mktemp("judged")
    (place / "hyp").mkdir()
    rng = random.Random(1)
    refs = [TEXTS[k % 5] + TEXTS[(k * 3 + 1) % 5] for k in range(40)]
    (place / "ref-A.txt").write_text("".join(f"{ref}\n" for ref in refs), "utf-8")
    for name, lost in (("good", 2), ("fair", 5), ("poor", 9)):
        hyps = []
        for ref in refs:
            letters = list(ref)
            for _ in range(lost):
                letters[rng.randrange(len(letters))] = rng.choice("甲乙丙丁")
            hyps.append("".join(letters))
        (place / "hyp" / f"{name}.txt").write_text("".join(f"{h}\n" for h in hyps), "utf-8")
    rows = [f"{s}\t{a}\t{b}\n" for s in range(40) for a, b in (("good", "fair"), ("fair", "poor"))]
    (place / "pairs.tsv").write_text("segment\tbetter\tworse\n" + "".join(rows), "utf-8")
    documents = "".join(f"d{k // 5}\n" for k in range(40))
    (place / "docs.tsv").write_text("document\n" + documents, "utf-8")
    return place


@pytest.fixture(scope="module")
def model(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    train([folder], ["celab", "chrf"], output=path, lexicon=None)
    return path


@pytest.fixture
def arpa(tmp_path):
    (tmp_path / "lm.arpa").write_text(ARPA, "utf-8")
    return tmp_path / "lm.arpa"


# ---- figures against slow versions ----


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6), st.integers(0, 3))
def test_scaling_is_over_the_corners_of_the_box(weights, n_models):
    n_models = min(n_models, len(weights))
    ends = [(0, 1)] * (len(weights) - n_models) + [(-15, 0)] * n_models
    assert box(np.array(weights), n_models) == pytest.approx(oracle.corners(weights, ends))


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]))
@examples(15)
def test_weights_are_the_minimum_of_the_objective(seed, cost):
    rng = np.random.default_rng(seed)
    d = rng.normal(0.2, 1, (30, 3)) * [1, 10, 0.1]
    spread = np.sqrt((d**2).mean(axis=0))
    slow = oracle.rank_svm(d / spread, cost / 30)
    assert fit(d, cost) * spread == pytest.approx(slow, abs=1e-4)


def test_a_constant_feature_has_no_weight():
    d = np.random.default_rng(1).normal(0.5, 1, (40, 2)) * [1, 0]
    assert fit(d, 10)[1] == 0


def test_both_counts_of_ties():
    assert Consistency.of(np.array([0.5, -0.5, 0.0, 1e-12])) == (0.25, 0.5)


def test_language_model_scores_count_the_end_and_not_its_length(arpa):
    pytest.importorskip("kenlm")
    # <s> 买, then 伞 by back-off (-0.2 - 0.9), then 伞 </s>: -0.2 - 1.1 - 0.1, by two tokens
    found = LanguageModel(arpa).scores(["买伞", ""])
    assert found == pytest.approx([-0.7, -0.3 - 0.7], abs=1e-6)


# ---- the metric ----


def test_weights_from_references_are_those_of_all_columns(folder, tmp_path, monkeypatch):
    by_references = celab.TeslaCelab(lexicon=None, weights="references", max_order=1)
    train([folder], [by_references], output=tmp_path / "model.json")
    metric = celab.TeslaF(model=tmp_path / "model.json")
    hyps, refs = ["甲乙", "乙丙", "丙丁甲"], ["甲甲乙", "甲丙", "乙丙"]
    expected = metric.pairwise(hyps, refs)
    assert (
        expected.diagonal().tolist() == metric.corpus_score(hyps, [refs]).segments.scores.tolist()
    )
    monkeypatch.setattr("celab.metrics.base._MAX_MATRIX_BATCH_PAIRS", 1)
    assert metric.pairwise(hyps, refs).tolist() == expected.tolist()


def test_skipped_segments_do_not_count(model):
    metric = celab.TeslaF(model=model, on_error="skip", time_limit=1e-9)
    hyps, refs = ["雨雨伞雨伞雨伞", "买伞"], [["伞雨伞", "买伞"]]
    found = metric.corpus_score(hyps, refs)
    assert found.n_skipped >= 1 and found.signature.endswith(f"skipped:{found.n_skipped}")
    assert celab.Score.joined([found, found]).n_skipped == 2 * found.n_skipped


def test_progress_counts_the_segments_of_all_data_sets(folder, tmp_path):
    calls = []
    train(
        [folder, folder],
        ["celab", "chrf"],
        output=tmp_path / "m.json",
        lexicon=None,
        progress=lambda *numbers: calls.append(numbers),
    )
    assert calls == sorted(calls) and calls[-1] == (240, 240)
    assert {total for _, total in calls} == {240}


def test_f_of_each_order_and_similarity(folder, tmp_path):
    words = celab.TeslaM(analysis="surface", lexicon=None)
    ter = celab.metrics.factory.make_metric("ter")
    found = train([folder], [words, ter], output=tmp_path / "m.json")
    names = found.model["features"]
    assert names == [*(f"tesla-m f{k}" for k in range(1, 7)), "ter"]
    metric = celab.TeslaF(model=tmp_path / "m.json")
    assert metric.sentence_score("a b c", ["a b c"]).score > 0
    refs = [["雨" * 200] * 500]  # takes as long as TER
    assert metric.estimate_seconds(refs) == ter.estimate_seconds(refs) > 600
    assert (
        metric.slow_warning(refs) == ter.slow_warning(refs) and metric.slow_warning([["雨"]]) == ""
    )


def test_features_of_an_order_that_does_not_count_are_the_mean_of_the_rest():
    words = celab.TeslaM(analysis="surface", lexicon=None)
    refs = [["a c", "a"]]
    found = words.scorer(refs).features(["a b", ""], refs)
    score, *f = found.figures[0].tolist()
    assert f[4:] == [score, score]  # there are no trigrams
    assert found.figures[1].tolist() == [0] * 7


def test_language_models_and_pivot_tables_are_named_from_the_folder_of_the_model(
    folder, arpa, tmp_path
):
    pytest.importorskip("kenlm")
    (tmp_path / "t.tsv").write_text("买\tbuy\t3\n雨伞\tumbrella\t2\n伞\tumbrella\t1\n", "utf-8")
    celab.pivot.build(tmp_path / "t.tsv", tmp_path / "t.pivot", lang="zh")
    pivots = celab.TeslaB(analysis="surface", lexicon=None, pivots=tmp_path / "t.pivot")
    train([folder], [pivots], output=tmp_path / "m.json", language_models=[arpa])
    told = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert told["models"][0]["path"] == "lm.arpa"
    assert told["metrics"][0]["arguments"]["pivots"] == ["t.pivot"]
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("m.json", "lm.arpa", "t.pivot"):
        (moved / name).write_bytes((tmp_path / name).read_bytes())
    pair = "买 雨伞", ["买 伞"]
    scores = [
        celab.TeslaF(model=where / "m.json").sentence_score(*pair) for where in (tmp_path, moved)
    ]
    assert scores[0] == scores[1]
    celab.pivot.build(tmp_path / "t.tsv", moved / "t.pivot", lang="zh", threshold=0.2)
    with pytest.raises(celab.InputError):
        celab.TeslaF(model=moved / "m.json")
    (tmp_path / "lm.arpa").write_text(ARPA.replace("-0.9", "-0.8"), "utf-8")
    with pytest.raises(celab.InputError, match=r"language model lm.arpa of digest \w+, but here"):
        celab.TeslaF(model=tmp_path / "m.json")


# ---- the command ----


def test_a_large_set_is_sampled(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("celab.training.feature_weights.MAX_PAIRS_OF_SET", 30)
    found = train([folder], ["chrf"], output=tmp_path / "m.json")
    assert found.model["training"]["sets"][0]["pairs"] == 30


def test_training_is_the_same_each_time(folder, model, tmp_path):
    train([folder], ["celab", "chrf"], output=model.with_name("again.json"), lexicon=None)
    assert model.with_name("again.json").read_bytes() == model.read_bytes()


@pytest.fixture
def unjudged(folder, tmp_path):
    """The texts of the folder, without judgments."""
    place = tmp_path / "set"
    (place / "hyp").mkdir(parents=True)
    for path in (*folder.glob("ref*"), *folder.glob("hyp/*")):
        (place / path.relative_to(folder)).write_bytes(path.read_bytes())
    return place


def test_scores_of_segments_and_rankings_make_pairs_too(unjudged, tmp_path):
    rows = [
        f"{name}\t{k}\t{v}\n"
        for k in range(40)
        for name, v in (("good", 3), ("fair", 2), ("poor", 2))
    ]
    (unjudged / "human-seg.tsv").write_text("system\tsegment\tscore\n" + "".join(rows), "utf-8")
    found = train([unjudged], ["chrf"], output=tmp_path / "m.json")
    assert found.model["training"]["pairs"] == 80  # human ties are left out
    assert found.model["training"]["sets"][0]["groups"] == "segment"


# ---- bad input ----


def test_too_few_pairs_cannot_be_trained_on(unjudged, tmp_path):
    (unjudged / "pairs.tsv").write_text("0\tgood\tfair\n1\tgood\tfair\n", "utf-8")
    told = refusal("main", "train", unjudged, "-m", "chrf", "-o", tmp_path / "m.json")
    assert "2 judged pairs in 2 groups of segments; training needs at least 20 pairs in 2" in told
    assert not (tmp_path / "m.json").exists()


def test_weights_that_do_not_fit_the_features(model, tmp_path):
    told = json.loads(model.read_text("utf-8")) | {"weights": [1.0, 2.0]}
    (tmp_path / "m.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(celab.InputError):
        celab.TeslaF(model=tmp_path / "m.json")


def test_a_model_names_no_file_outside_its_folder(folder, arpa, tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "below").mkdir()
    output = tmp_path / "below" / "m.json"
    told = r"lm.arpa is not in the folder of the model .*m.json; a model names only files"
    with pytest.raises(celab.OptionError, match=told):
        train([folder], ["chrf"], output=output, language_models=[arpa])
    assert not output.exists()
    (tmp_path / "w.tsv").write_text("甲\t0.5\n", "utf-8")
    weighted = celab.TeslaCelab(lexicon=None, weights=tmp_path / "w.tsv", max_order=1)
    with pytest.raises(celab.OptionError):
        train([folder], [weighted], output=output)
    train([folder], [weighted], output=tmp_path / "m.json")
    told = json.loads((tmp_path / "m.json").read_text("utf-8"))
    assert told["metrics"][0]["arguments"]["weights"] == "w.tsv"
    assert celab.TeslaF(model=tmp_path / "m.json").sentence_score("甲", ["甲"]).score > 0


def test_a_language_model_of_another_digest_is_not_read(model, tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "secret").write_text("a secret\n", "utf-8")
    told = json.loads(model.read_text("utf-8"))
    told |= {"models": [{"path": "secret", "digest": "0" * 64}]}
    (tmp_path / "m.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(celab.InputError, match="of digest 000000000000, but here") as error:
        celab.TeslaF(model=tmp_path / "m.json")
    assert "a secret" not in str(error.value)


def test_texts_in_another_language_are_warned_about(tmp_path):
    (tmp_path / "ja" / "hyp").mkdir(parents=True)
    lines = [f"これは{n}番目の文章です。とても長いです。" for n in range(30)]
    rows = [f"{x}\t{n}\t{(n + k) % 3}" for k, x in enumerate("AB") for n in range(1, 31)]
    for path, texts in {
        "ref-A.txt": lines,
        "hyp/A.txt": lines,
        "hyp/B.txt": [line[:-4] for line in lines],
        "human-seg.tsv": ["system\tsegment\tscore", *rows],
    }.items():
        (tmp_path / "ja" / path).write_text("\n".join(texts) + "\n", "utf-8")
    model = tmp_path / "model.json"
    words = (str(tmp_path / "ja"), "--lang", "ko", "--lexicon", "none", "-o", str(model))
    line = refusal("train", *words, "-m", "celab", "chrf", "--strict")
    assert "almost no Hangul" in line and not model.exists()
