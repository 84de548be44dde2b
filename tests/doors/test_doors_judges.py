"""One file of scores or spans, one result: the campaign and the commands agree."""

import json
import re

import commands
import pytest
from conftest import ROOT

import celab

EXAMPLES = ROOT / "examples"
REF, A, B = (EXAMPLES / name for name in ("ref1.zh", "hyp1.zh", "hyp2.zh"))
COMET, ESA = EXAMPLES / "judges" / "comet.json", EXAMPLES / "judges" / "esa.tsv"
FLAGS = ["--scores", f"COMET={COMET}", "--human", str(ESA), "--spans", str(COMET)]


def printed(command, *words):
    files = ["-r", str(REF), "-s", str(A), str(B), "-m", "celab"]
    done = commands.run(command, *words, *files, *FLAGS, "--json", "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def campaign():
    scored = celab.Campaign.read([REF], [A, B]).score("celab")
    return scored.with_scores({"COMET": COMET, "human": ESA}).with_spans(COMET)


def test_score_has_what_the_campaign_has(campaign):
    data, expected = printed("score", "--segments"), campaign.test().to_dict()
    assert data == expected
    assert set(data["judges"]) == {"COMET", "human"}
    assert [pair["judges"] for pair in data["disagreements"]] == [
        ["celab", "human"],
        ["celab", "COMET"],
    ]
    assert data["spans"]["n_spans"] == 3


def test_compare_has_what_the_comparison_has(campaign):
    data, expected = printed("compare"), campaign.compare("hyp1", "hyp2").to_dict()
    assert data == expected
    assert set(data["metrics"]) == {"celab", "COMET", "human"}
    assert data["spans"] == printed("score")["spans"]


def test_score_and_compare_agree():
    score, compare = printed("score"), printed("compare")
    tests = score["tests"]
    for name in ("COMET", "human"):
        figures = compare["metrics"][name]
        of_systems = [system["metrics"][name]["score"] for system in score["systems"]]
        assert [figures["a"], figures["b"]] == of_systems
        assert figures["p"] == tests[name]["p_values"][0][1]


def test_explain_has_the_segments_of_the_campaign(campaign):
    data = printed("explain", "16")
    for row in data["judgments"]:
        score = campaign.scores[row["judge"]][row["system"]]
        assert row["score"] == score.segments.scores[row["segment"] - 1]
    assert len(data["judgments"]) == 4
    spans = [span for span in campaign.to_dict()["spans"]["spans"] if span["segment"] == 16]
    assert data["spans"] == spans


@pytest.mark.parametrize("command", ["score", "compare"])
def test_pages_have_the_judges(campaign, command, tmp_path):
    page = tmp_path / "page.html"
    printed(command, "--html", str(page))
    texts = re.findall(
        r'<script[^>]*type="application/json"[^>]*>(.*?)</script>',
        page.read_text("utf-8"),
        re.DOTALL,
    )
    data = next(data for data in map(json.loads, texts) if "hyps" in data)
    for judge in data["judges"]:
        scores = campaign.scores[judge["key"]]
        assert judge["systems"] == [scores[name].score for name in ("hyp1", "hyp2")]
    assert len(data["spans"]) == len(campaign.spans.spans)


@pytest.mark.parametrize("level", ["system", "segment"])
def test_frames_have_the_judges(campaign, level):
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = campaign.to_dataframe("pandas", level=level)
    for (metric, system), rows in frame.groupby(["metric", "system"]):
        score = campaign.scores[metric][system]
        expected = [score.score] if level == "system" else score.segments.scores.tolist()
        assert rows["score"].tolist() == expected


def test_adding_judges_moves_nothing_of_ours():
    files = ["-r", str(REF), "-s", str(A), str(B), "-m", "celab", "chrf", "bleu", "--json", "-q"]
    for words in ([], ["--segments"], ["--jobs", "2"], ["--max-order", "2"], ["--no-check"]):
        plain, judged = (
            json.loads(commands.run("score", *words, *files, *flags, encoding="utf-8").stdout)
            for flags in ([], FLAGS)
        )
        for ours, beside in zip(plain["systems"], judged["systems"], strict=True):
            kept = {k: v for k, v in beside["metrics"].items() if k not in ("COMET", "human")}
            assert kept == ours["metrics"]
        assert all(judged["tests"][name] == test for name, test in plain["tests"].items())
