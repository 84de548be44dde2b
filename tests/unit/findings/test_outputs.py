"""Outputs that may not be translations, by system: `celab.check`, campaigns and comparisons."""

import json
import math

import numpy as np
import pytest

import celab
from celab.corpus.answers.forms import VERSION
from celab.findings.references import reference_lines
from celab.findings.translations import CHECKS, verdicts
from celab.findings.translations import outputs as report

KINDS = verdicts()
FILTERS = [name for name in CHECKS if name not in KINDS]

REFS = [f"第{n}天早上，他们带着雨伞去了火车站。" for n in range(30)]
GOOD = [f"第{n}天早晨，他们带伞去了火车站。" for n in range(30)]
REFUSAL = "I'm sorry, but I cannot translate this."
SOURCE = [f"On day {n}, they took their umbrellas to the station." for n in range(30)]


def with_faults(**faults):
    texts = [*GOOD]
    for number, text in faults.items():
        texts[int(number[1:]) - 1] = text
    return texts


def remarks(scored):
    return scored.outputs.lines(next(iter(scored.scores.values())))


MODEL = with_faults(s2="", s5=REFUSAL, s9=REFUSAL, s10="哈哈" * 60, s11="第")


def test_check_tells_systems_apart():
    outputs = celab.check({"model": MODEL, "good": GOOD}, REFS)
    assert outputs.kinds("model") == {
        "empty": [1],
        "refusal": [4, 8],
        "repeated": [9],
        "too-short": [10],
    }
    assert outputs.kinds("good") == {}
    assert outputs.n_flagged == 5
    assert list(outputs.counts("model")) == list(KINDS)  # no source, no filter
    by_segment = outputs.by_segment("model")
    assert len(by_segment) == 30
    assert by_segment[4] == "refusal"
    assert by_segment.count("") == 25
    assert outputs.translations("model", "good").tolist() == [
        i for i in range(30) if by_segment[i] == ""
    ]
    assert repr(outputs) == "<5 of 60 outputs of 2 systems may not be translations>"


def test_check_with_a_source_finds_copies_and_what_is_lost():
    hyps = with_faults(s3=SOURCE[2], s4="那天早晨，他们带伞去了火车站。")
    outputs = celab.check(hyps, REFS, SOURCE)
    assert outputs.kinds("system") == {"copied": [2]}
    assert outputs.counts("system") == {
        **dict.fromkeys(KINDS, 0),
        "copied": 1,
        "number-lost": 1,
        "address-damaged": 0,
    }
    assert [(x.segment, x.kind) for x in outputs.filtered["system"]] == [(4, "number-lost")]
    assert set(FILTERS) < set(outputs.counts("system"))


def test_check_knows_the_target_language():
    refs = ["明日の朝、傘を持って駅に行きます。"]
    assert celab.check([REFUSAL], refs, lang="ja").kinds("system") == {"refusal": [0]}
    english = ["They walked to the station"]
    assert celab.check(english, refs, lang="ja").kinds("system") == {"other-language": [0]}
    assert celab.check([refs[0]], [REFS[0]]).kinds("system") == {"other-language": [0]}


def test_a_campaign_knows_its_outputs_and_no_score_depends_on_them():
    campaign = celab.Campaign.from_lists({"model": MODEL, "good": GOOD}, REFS)
    assert campaign.outputs is None
    checked, unchecked = campaign.score("chrf"), campaign.score("chrf", check=False)
    assert checked.outputs.systems == celab.check({"model": MODEL, "good": GOOD}, REFS).systems
    assert unchecked.outputs is None
    assert checked.scores == unchecked.scores
    assert checked.test().outputs is checked.outputs
    with_outputs, without = checked.to_dict(), unchecked.to_dict()
    kinds = checked.outputs.flagged.segments("model")
    assert with_outputs.pop("output") == [
        {"system": "model", "segment": segment, "kind": kind}
        for kind, segments in kinds.items()
        for segment in segments
    ]
    for row in with_outputs["segment"]:
        row.pop("output")
    assert with_outputs == without


def test_the_language_of_a_campaign_is_that_of_its_metric():
    refs, hyps = (
        ["明日の朝、傘を持って駅に行きます。"],
        ["我们明天早上一起带着雨伞去火车站坐火车去北京。"],
    )
    campaign = celab.Campaign.from_lists({"A": hyps}, refs)
    assert campaign.score("celab", lang="ja").outputs.kinds("A") == {"other-language": [0]}
    scored = campaign.score(celab.TeslaCelab(lang="ja", lexicon=None))
    assert scored.outputs.kinds("A") == {"other-language": [0]}


def test_a_line_has_the_score_of_the_other_segments():
    scored = celab.Campaign.from_lists({"model": MODEL, "good": GOOD}, REFS).score("celab")
    others = [i for i in range(30) if i not in (1, 4, 8, 9, 10)]
    expected = np.mean(scored.scores["celab"]["model"].segments.scores[others])
    gained = expected - scored.scores["celab"]["model"].score
    assert list(remarks(scored)) == [
        "model: 5 of 30 outputs may not be translations (1 empty, 2 refusal, 1 repeated,"
        f" 1 too-short); without them {expected:.4f} ({gained:+.4f})"
    ]
    one = celab.Campaign.from_lists({"model": with_faults(s2="")}, REFS).score("bleu")
    assert next(remarks(one)).startswith(
        "model: 1 of 30 outputs may not be a translation (1 empty); without it "
    )


def test_more_than_two_systems_share_a_line():
    systems = {
        f"S{n}": ["" if i < n else f"{n}{text}" for i, text in enumerate(GOOD)] for n in range(5)
    }
    scored = celab.Campaign.from_lists(systems, REFS).score("chrf")
    scores = scored.scores["chrf"]
    gains = [scores[f"S{n}"].of_segments(np.arange(n, 30)) - scores[f"S{n}"].score for n in (4, 3)]
    assert [*remarks(scored)] == [
        f"may not be translations: S4 4 ({gains[0]:+.2f}), S3 3 ({gains[1]:+.2f}), 2 others 3;"
        " see celab check --segments"
    ]
    fewer = celab.Campaign.from_lists({**systems, "S1": GOOD}, REFS).score("chrf")
    (line,) = remarks(fewer)
    assert line.split(", ")[-1].startswith("S2 2 (") and "other" not in line


def test_more_than_two_remarks_on_references_share_a_line():
    copies = celab.Campaign.from_lists(dict.fromkeys("ABC", REFS), REFS).score("chrf")
    first, *others = reference_lines(copies.outputs.reference_problems, 30, copies.scores["chrf"])
    assert len(others) == 5
    assert [*remarks(copies)] == [f"{first} (5 more: celab check)"]


def test_a_system_without_any_translation():
    scored = celab.Campaign.from_lists({"A": ["", ""]}, REFS[:2]).score("celab")
    assert list(remarks(scored)) == ["A: all 2 outputs may not be translations (2 empty)"]
    only = celab.Campaign.from_lists({"A": [""]}, REFS[:1]).score("celab")
    assert list(remarks(only)) == ["A: the only output may not be a translation (1 empty)"]
    compared = celab.compare(["", GOOD[1]], [GOOD[0], ""], REFS[:2], "celab")
    assert compared.outputs.difference.n_segments == 0
    assert math.isnan(compared.outputs.difference.value)
    assert "no segment is left" in str(compared)
    assert json.loads(compared.to_json())["without_outputs"][0]["p"] is None


def test_a_comparison_leaves_them_out_for_both_systems():
    other = with_faults(s20="")
    compared = celab.compare(MODEL, other, REFS, ["celab", "chrf"], names=("model", "other"))
    left = [i for i in range(30) if i not in (1, 4, 8, 9, 10, 19)]
    again = celab.compare(*([texts[i] for i in left] for texts in (MODEL, other, REFS)), "celab")[
        "celab"
    ].difference
    without = compared.outputs
    assert without.metric == "celab"
    assert without.difference.n_segments == 24
    assert without.kinds["other"] == {"empty": [19]}
    outputs = compared.to_dict()["output"]  # by name
    assert {"system": "other", "segment": 20, "kind": "empty"} in outputs
    assert without.difference.value == pytest.approx(again.value, abs=1e-12)
    assert without.difference.p == again.p
    assert without.difference.interval == pytest.approx(again.interval, abs=1e-12)
    lines = str(compared).splitlines()
    assert (
        "model: 5 of 30 outputs may not be translations"
        " (1 empty, 2 refusal, 1 repeated, 1 too-short)"
    ) in lines
    assert "other: 1 of 30 outputs may not be a translation (1 empty)" in lines
    difference = compared["celab"].difference.value
    assert (
        f"TESLA-CELAB without them: difference +0.0000 instead of {difference:+.4f} (p = 1.000)"
    ) in lines
    assert celab.compare(GOOD, GOOD, REFS, "celab").outputs is None
    assert celab.compare(MODEL, GOOD, REFS, "celab", check=False).outputs is None


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library):
    pytest.importorskip(library)
    outputs = celab.check({"model": MODEL, "good": GOOD}, REFS, SOURCE)
    frame = outputs.to_dataframe(library)
    assert list(frame.columns) == ["system", "index", "segment", "kind", "text", "form"]
    rows = [*zip(frame["segment"].to_list(), frame["kind"].to_list(), strict=True)]
    assert [segment for segment, kind in rows if kind in KINDS] == [2, 5, 9, 10, 11]
    assert [segment for segment, kind in rows if kind == "number-lost"] == [2, 5, 9, 10, 11]
    counts = outputs.to_dataframe(library, level="system")
    assert counts["refusal"].to_list() == [2, 0]
    scored = celab.Campaign.from_lists({"model": MODEL}, REFS).score("chrf")
    assert scored.to_dataframe(library)["output"].to_list() == outputs.by_segment("model")
    assert "output" not in scored.to_dataframe(library, level="system").columns
    none = celab.check(GOOD, REFS).to_dataframe(library)
    assert len(none) == 0


def test_the_table_says_what_is_not_decided():
    outputs = celab.check({"model": MODEL}, REFS)
    lines = str(outputs).splitlines()
    counted = {"empty": 1, "refusal": 2, "repeated": 1, "too-short": 1}
    kinds = ", ".join(f"{kind} ({n})" for kind, n in counted.items())
    assert lines[0] == f"5 of {len(REFS)} outputs may not be translations: {kinds}."
    # Kinds that no output has have no column; all are in the table for programs.
    assert lines[2].split() == ["system", *counted, "all"]
    assert lines[3].split() == ["model", *map(str, counted.values()), "5"]
    assert lines[5].split() == ["system", "segment", "kind", "text"]
    assert len(lines[6:11]) == 5 and all(line.startswith("model") for line in lines[6:11])
    assert [*outputs.to_dataframe(level="system")] == ["system", *KINDS, "not translations"]
    assert report.NO_SOURCE in lines
    assert report.BY_SCRIPT in lines
    assert report.NO_SOURCE not in str(celab.check({"model": MODEL}, REFS, SOURCE))
    assert "number-lost" in str(celab.check({"model": MODEL}, REFS, SOURCE))


WRAPPED = with_faults(
    s3=f"译文：{GOOD[2]}", s4=f"```\n{GOOD[3]}\n```", s5=REFUSAL, s6=f"译文：{GOOD[5]}"
)


def test_wrapped_outputs_have_a_form():
    outputs = celab.check({"model": WRAPPED, "good": GOOD}, REFS)
    assert outputs.kinds("model") == {"refusal": [4], "wrapped": [2, 3, 5]}
    assert outputs.forms("model") == {"fence": 1, "preface": 2}
    assert outputs.forms("good") == {}
    assert [x.form for x in outputs.systems["model"]] == ["preface", "fence", "", "preface"]
    assert "unwrapped" not in outputs.to_dict()
    inside = celab.check({"model": WRAPPED, "good": GOOD}, REFS, unwrap=True)
    assert inside.kinds("model") == {"refusal": [4]}
    assert inside.to_dict()["unwrapped"] == {"model": {"fence": 1, "preface": 2}, "good": {}}


def test_the_score_of_unwrapped_outputs_has_another_signature():
    plain, inside = (
        celab.Campaign.from_lists({"model": WRAPPED, "good": GOOD}, REFS, unwrap=unwrap).score(
            "chrf"
        )
        for unwrap in (False, True)
    )
    lines = list(remarks(plain))
    assert lines[0].startswith(
        "model: 4 of 30 outputs may not be translations (1 refusal, 3 wrapped);"
    )
    assert lines[1:] == [
        "model: 3 of 30 outputs are wrapped (2 preface, 1 fence); --unwrap scores the text inside"
    ]
    assert not any("wrapped" in line for line in remarks(inside))
    three = celab.Campaign.from_lists(dict.fromkeys("ABC", WRAPPED), REFS, unwrap=True)
    assert [*report.unwrapped_lines(three.corpus)] == ["unwrapped: A 3, B 3, C 3"]
    unwrapped = ["model: 3 of 30 outputs are unwrapped (2 preface, 1 fence)"]
    assert list(report.unwrapped_lines(inside.corpus)) == unwrapped
    for system, score in inside.scores["chrf"].items():
        given = plain.scores["chrf"][system]
        assert score.signature == given.signature.with_part("unwrap", VERSION)
    clean = with_faults(s5=REFUSAL)
    expected = celab.score(clean, REFS, "chrf").score
    assert inside.scores["chrf"]["model"].score == expected > plain.scores["chrf"]["model"].score
    assert inside.corpus.unwrap() is inside.corpus
    (explanation,) = (
        celab.Campaign.from_lists({"model": WRAPPED}, REFS, unwrap=True)
        .score("celab")
        .explain([4])["celab"][4]
        .values()
    )
    assert explanation.against[0].signature.part("unwrap") == str(VERSION)
