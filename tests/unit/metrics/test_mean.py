"""The mean of metrics: its numbers are those of its parts, whichever way they are asked for."""

import copy
import json
import pickle
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import celab
from celab import meta
from celab.corpus import Corpus, Segment
from celab.family.reranking.mbr import rerank
from celab.family.reranking.nbest import Candidate, Sentence
from celab.statistics import resampling
from celab.statistics.means import mean_along

HYPS = ["买 伞 a b", "雨伞 b", "", "a c 伞"]
REFS = [["买 雨伞 a", "雨伞 b", "a", None], ["买 伞", "", "b c", "a b 伞"]]
texts = st.text("买伞ab .", max_size=8)


def made():
    return [
        celab.TeslaCelab(tokenize="letter"),
        celab.TeslaCelab(lexicon=None, script="keep"),
        celab.TeslaM(analysis="surface", lexicon=None),
    ]


PARTS = made()
MEAN = celab.Mean(PARTS)


def figures(metric, hyps=HYPS, refs=REFS):
    return metric.corpus_score(hyps, refs).segments.figures


@settings(max_examples=30)
@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=3))
def test_its_scores_are_the_means_of_those_of_its_parts(rows):
    hyps, one, other = map(list, zip(*rows, strict=True))
    refs = [[ref + "a" for ref in one], other]  # one of them is never blank
    found, of_parts = figures(MEAN, hyps, refs), [figures(part, hyps, refs) for part in PARTS]
    assert found == pytest.approx(np.mean(of_parts, axis=0), abs=1e-12)
    assert MEAN.corpus_score(hyps, refs).score == pytest.approx(found[:, 0].mean(), abs=1e-12)


def test_one_part_is_itself():
    for part in PARTS:
        assert np.array_equal(figures(celab.Mean([part])), figures(part))


def test_the_signature_names_every_part_and_the_version_once():
    signature = MEAN.corpus_score(HYPS, REFS).signature
    assert signature.startswith("mean|refs:2|(celab|n:6|f:0.25|tok:letter|")
    assert signature.count("refs:") == signature.count("|v:") == 1
    assert signature.endswith(f")|v:{celab.__version__}") and "\n" not in signature
    inner = re.fullmatch(r"mean\|refs:2\|\((.*)\)\|v:.*", signature)[1].split(")+(")
    assert [f"{one}|v:{celab.__version__}" for one in inner] == [p.signature for p in PARTS]


def test_it_is_equal_where_its_parts_are():
    again = celab.Mean(made())
    assert again == MEAN and hash(again) == hash(MEAN) and len({again, MEAN}) == 1
    assert celab.Mean(PARTS[::-1]) != MEAN != celab.Mean(PARTS[:2]) != PARTS[0]
    assert copy.deepcopy(MEAN) is MEAN
    with pytest.raises(FrozenInstanceError):
        MEAN.parts = ()


def test_pickles_keep_parts_and_settings():
    metric = celab.Mean(PARTS, jobs=2, time_limit=5)
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric and again.run == metric.run
    assert np.array_equal(figures(again), figures(MEAN))


def test_settings_of_the_run_are_those_of_all_parts():
    metric = MEAN.with_run(on_error="skip", jobs=2)
    for one in (metric, *metric.parts):
        assert (one.run.on_error, one.run.jobs) == ("skip", 2)
    assert metric == MEAN and MEAN.run.on_error == "raise"
    mixed = celab.Mean([PARTS[0].with_run(jobs=2), PARTS[1]])
    assert [part.run.jobs for part in mixed.parts] == [2, 2]


def test_progress_ends_with_all_segments():
    seen = []
    MEAN.corpus_score(HYPS, REFS, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == len(HYPS)


def test_a_stream_gives_the_bits_of_the_whole():
    metric = celab.Mean(PARTS[:2])
    scorer = pickle.loads(pickle.dumps(metric.scorer(REFS)))
    parts = [scorer(HYPS[k : k + 1], [side[k : k + 1] for side in REFS]) for k in range(4)]
    assert celab.Score.joined(parts) == metric.corpus_score(HYPS, REFS)


def test_pairwise_and_reranking():
    found = MEAN.pairwise(HYPS, [*REFS[0], " "])
    of_parts = [part.pairwise(HYPS, [*REFS[0], " "]) for part in PARTS]
    assert np.array_equal(found, mean_along(of_parts), equal_nan=True)
    assert np.isnan(found[:, 3:]).all() and not np.isnan(found[:, :3]).any()
    sentence = Sentence("x", 0, tuple(Candidate(text, i) for i, text in enumerate(HYPS, 1)))
    expected = [rerank(part, sentence).expected for part in PARTS]
    assert rerank(MEAN, sentence).expected == pytest.approx(np.mean(expected, axis=0))


def test_resampling_and_comparison():
    score = MEAN.corpus_score(HYPS, REFS)
    assert np.array_equal(score.statistics[:, 0], score.segments.scores)
    assert resampling.mean(score.statistics.sum(axis=0), 4) == pytest.approx(score.score)
    found = celab.compare(HYPS, HYPS[::-1], REFS, {"views": MEAN}, n_resamples=40)
    one = found["views"]
    assert one.a == pytest.approx(score.score) and one.n_segments == 4
    assert f"{score.score:.4f}" in str(found)


def test_correlation_with_people():
    metric = celab.Mean([celab.TeslaCelab(lexicon=None), celab.TeslaCelab(tokenize="letter")])
    found = meta.evaluate(ROOT / "examples" / "judged", {"views": metric}, n_resamples=40)
    scores = meta.evaluate(
        ROOT / "examples" / "judged", dict(zip("ab", metric.parts, strict=True)), n_resamples=40
    )
    expected = [[one.scores[name] for name in found.human] for one in scores.metrics.values()]
    assert list(found.metrics["views"].scores.values()) == pytest.approx(np.mean(expected, axis=0))
    assert found.metrics["views"].figures["consistency"].error > 0


def test_dask_gives_the_bits_of_one_process():
    pytest.importorskip("dask.dataframe", reason="Dask (extra dask) is not here")
    import pandas as pd

    from celab import distributed

    data = pd.DataFrame({"hypothesis": HYPS, "reference": ["a b", "雨", "买伞", "a"]})
    metric = celab.Mean(PARTS[:2])
    expected = metric.corpus_score(HYPS, [data.reference.tolist()])
    found = distributed.score(data, metric=metric, partition_size=2).compute()
    assert np.array_equal(found[["score", "precision", "recall"]], expected.segments.figures)


# ---- explanations -----------------------------------------------------------------------------


def test_an_explanation_has_one_of_each_part():
    found = celab.explain(HYPS[0], [REFS[0][0], REFS[1][0]], MEAN)
    assert found.score == pytest.approx(figures(MEAN)[0, 0])
    for r, one in enumerate(found.against):
        assert [type(part).__name__ for part in one.parts] == ["Explanation"] * 2 + [
            "WordExplanation"
        ]
        for part, metric in zip(one.parts, PARTS, strict=True):
            assert part == metric.explain(HYPS[0], REFS[r][0])
        assert one.score == pytest.approx(np.mean([part.score for part in one.parts]))
    assert repr(found.against[0]).startswith(f"<MeanExplanation {found.against[0].score:.4f}: mean")
    kept = json.loads(found.to_json())["against"][0]["parts"]
    assert [one["signature"] for one in kept] == [part.signature for part in PARTS]


def test_it_is_shown_part_by_part():
    found = MEAN.explain("买 伞 a b", "买 雨伞 a")
    text = str(found)
    assert re.findall(r"part \d of 3|mean of 3 parts", text) == [
        "part 1 of 3",
        "part 2 of 3",
        "part 3 of 3",
        "mean of 3 parts",
    ]
    assert "买 ␣ 雨" in text and text.rstrip().endswith(MEAN.signature)
    for part in found.parts:
        assert f"score {part.score:.4f}" in text and part.signature in text
    html = found._repr_html_()
    assert html.count("Part ") == 3 and "Mean of 3 parts" in html and ">␣<" in html


def test_a_plot_has_the_first_part():
    pytest.importorskip("matplotlib", reason="matplotlib (extra plot) is not here").use("agg")
    shown = [one.get_text() for one in MEAN.explain("a b", "a").plot().texts]
    assert shown == ["a", "a", "␣", "b", "ref", "hyp"]


def test_commands_and_pages_have_the_parts(monkeypatch, tmp_path, capsys):
    from celab.cli import explain, metrics

    monkeypatch.setattr(metrics, "_metric", lambda name, arguments: MEAN)
    monkeypatch.chdir(tmp_path)
    for name, line in (("ref", REFS[0][0]), ("A", HYPS[0]), ("B", HYPS[1])):
        (tmp_path / name).write_text(f"{line}\n", "utf-8")
    assert explain.main(["1", "-r", "ref", "-s", "A", "B", "--details"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"part \d of 3|mean of 3 parts", out) == [
        "part 1 of 3",
        "part 2 of 3",
        "part 3 of 3",
        "mean of 3 parts",
    ]
    assert out.count("t tag only") == out.count("+ covered") == 1
    assert explain.main(["1", "ref", "A", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["explanations"]
    assert len(row["against"][0]["parts"]) == 3


def test_the_page_has_the_settings_of_each_part():
    corpus = Corpus([Segment("", "1")], {"A": [HYPS[0]]}, [[REFS[0][0]]], ["ref"])
    from celab.evaluation.campaign import Campaign
    from celab.report.html import data

    campaign = Campaign(corpus).score({"views": MEAN})
    browsed, blocks = data.of_campaign(campaign, campaign.metrics, 10, None, None)
    (of_metric,) = browsed["metrics"]
    assert of_metric["digits"] == 4 and of_metric["settings"] == {}
    assert [part["settings"] for part in of_metric["parts"]] == [
        {"f": 0.25, "decay": 1.0, "max_order": 6},
        {"f": 0.25, "decay": 1.0, "max_order": 4},
        {"max_order": 3, "alpha": 0.8, "average": "arithmetic"},
    ]
    (pair,) = json.loads(blocks["explained-0-0"])[0]["0"]["against"]
    assert [sorted(part)[0] for part in pair["parts"]] == ["columns", "columns", "features"]


# ---- what is refused --------------------------------------------------------------------------
