"""Campaigns: made from files and lists, scored step by step, printed."""

import json
import pickle
import re
from dataclasses import replace

import pytest
import sacrebleu
from campaigns import EXAMPLES, LIBRARIES, REF1, REF2, A, B

import celab
from celab import Campaign
from celab.corpus import Segment


def test_a_campaign_step_by_step(tmp_path, metric):
    paths = {
        "refs": [EXAMPLES / "ref1.zh"],
        "systems": [EXAMPLES / "hyp1.zh", EXAMPLES / "hyp2.zh"],
    }
    read = celab.Campaign.read(**paths)
    assert "not scored" in repr(read) and read.scores == {}
    scored = read.score(metric)
    tested = scored.test("randomization", n_resamples=100, seed=3)
    assert scored.comparisons == {} and tested.comparisons["celab"].test == "randomization"
    assert tested.scores == scored.scores
    assert tested.compare("hyp1", str(EXAMPLES / "hyp2.zh"))["celab"].wins == 20
    written = tested.html(tmp_path / "report.html", explained=2)
    assert written == str(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page == tested.html(explained=2) and "two-sided" in page
    assert tested.to_dict()["test"][0]["sides"] == "two-sided"
    assert json.loads(tested.to_json()) == tested.to_dict()


def test_progress_counts_the_segments_of_all_systems_by_all_metrics(campaign, metric):
    calls = []
    celab.Campaign(campaign.corpus).score(
        {"celab": metric, "chrf": celab.metrics.factory.make_metric("chrf")},
        progress=lambda *numbers: calls.append(numbers),
    )
    assert calls == sorted(calls) and calls[-1] == (80, 80)
    assert {total for _, total in calls} == {80}


def test_campaigns_are_made_from_lists(campaign, metric):
    both = celab.Campaign.from_lists({"one": A, "other": B}, [REF1, REF2])
    assert both.score(metric).scores["celab"]["one"].score == campaign.scores["celab"]["one"].score
    made = celab.Campaign.from_lists({"one": A, "other": B}, [REF1])
    assert made == celab.Campaign.from_lists({"one": A, "other": B}, REF1)


def test_lists_are_aligned_on_request():
    refs = ["他买了雨伞。", "我们明天去北京。"]
    systems = {"A": ["他买了雨伞。我们", "明天去北京。"]}
    assert celab.Campaign.from_lists(systems, [refs], align=True).corpus.systems == {"A": refs}
    assert celab.Campaign.from_lists(systems, [refs]).corpus.systems == systems


def test_a_campaign_can_be_pickled(metric):
    refs, source = ["买雨伞", "去北京"], ["an umbrella", "to Beijing"]
    made = celab.Campaign.from_lists({"A": ["", "去"], "B": ["买", "到北京"]}, refs, source=source)
    scored = made.score([metric, sacrebleu.CHRF()]).with_scores(
        {"human": {"A": [1, 2], "B": [3, 4]}}
    )
    for campaign in (made, scored, scored.test(n_resamples=40)):
        again = pickle.loads(pickle.dumps(campaign))
        assert str(again) == str(campaign) and again.scores == campaign.scores
    findings = scored.findings(filters=True, differences=True)
    again = pickle.loads(pickle.dumps(findings))
    assert again == findings and again.to_dict() == findings.to_dict()
    assert again.gate(["empty"]) == findings.gate(["empty"])


def test_a_campaign_is_printed_with_its_scores(campaign):
    lines = str(campaign).splitlines()
    assert lines[0] == "one is closest to the references."
    lead = r"one leads other by 0\.\d{3} \(p [<=] \S+, scale 0–1\)\."
    assert re.fullmatch(lead, lines[1])
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["system", "TESLA-CELAB"]
    assert {line.split()[0] for line in table[1:3]} == {"one", "other"}
    bare = celab.Campaign(campaign.corpus)
    assert str(bare) == repr(bare)


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_are_scored(library, metric):
    made = __import__(library).DataFrame
    texts = {"mt": ["买伞", "去北京"], "r1": ["买雨伞", None], "r2": [None, "去北京了"]}
    frame = made(texts)
    found = celab.integrations.score_columns(frame, "mt", ["r1", "r2"], metric)
    assert list(found.columns) == ["mt", "r1", "r2", "score", "precision", "recall", "kind"]
    assert found["kind"].to_list() == ["", ""]
    expected = metric.corpus_score(texts["mt"], [texts["r1"], texts["r2"]]).segments
    assert found["score"].to_list() == expected.scores.tolist()
    assert list(frame.columns) == list(texts)  # as it was
    for arguments, message in (
        ((frame, "hyp", "r1"), "no column 'hyp'; it has mt, r1, r2"),
        ((found, "mt", "r2"), "already has a column 'score'; rename or drop it"),
        ((frame, "r1", "mt"), "column 'r1', row 2: the translation is absent"),
        ((made({"a": [1], "b": ["x"]}), "a", "b"), "column 'a', row 1: int is not text"),
    ):
        with pytest.raises(celab.InputError, match=message):
            celab.integrations.score_columns(*arguments)


def test_signatures_of_joined_documents_say_how_their_lines_were_made():
    texts = Campaign.from_lists({"A": ["买伞去北京"]}, ["买雨伞", "去北京"], align=True).corpus
    lines = replace(
        texts,
        segments=[Segment("talk", "1"), Segment("talk", "2")],
        codes=replace(texts.codes, are_out=True),
    )
    of_lines, of_documents = (
        Campaign(corpus).score(["chrf"]).scores["chrf"]["A"].signature
        for corpus in (lines, lines.join_documents())
    )
    assert of_documents == of_lines
    assert {"align:edit+dp-1", "codes:out"} <= {*of_documents.split("|")}
