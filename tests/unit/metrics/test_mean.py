"""The mean of metrics: its numbers are those of its parts, whichever way they are asked for."""

import base64
import json
import zlib

import numpy as np
import pytest

import celab
from celab.corpus import Corpus, Segment
from celab.metrics.explaining import printed

HYPS = ["买 伞 a b", "雨伞 b", "", "a c 伞"]
REFS = [["买 雨伞 a", "雨伞 b", "a", None], ["买 伞", "", "b c", "a b 伞"]]


PARTS = [
    celab.TeslaCelab(tokenize="letter"),
    celab.TeslaCelab(lexicon=None, script="keep"),
    celab.TeslaM(analysis="surface", lexicon=None),
]
MEAN = celab.Mean(PARTS)


def test_it_is_equal_where_its_parts_are():
    assert celab.Mean(PARTS) == MEAN
    assert celab.Mean(PARTS[::-1]) != MEAN != celab.Mean(PARTS[:2]) != PARTS[0]


def test_settings_of_the_run_are_those_of_all_parts():
    metric = MEAN.with_run(on_error="skip", jobs=2)
    for one in (metric, *metric.parts):
        assert (one.run.on_error, one.run.jobs) == ("skip", 2)
    assert metric == MEAN and MEAN.run.on_error == "raise"
    mixed = celab.Mean([PARTS[0].with_run(jobs=2), PARTS[1]])
    assert [part.run.jobs for part in mixed.parts] == [2, 2]


# ---- explanations -----------------------------------------------------------------------------


def test_an_explanation_has_one_of_each_part():
    found = celab.explain(HYPS[0], [REFS[0][0], REFS[1][0]], MEAN)
    assert found.score == pytest.approx(MEAN.corpus_score(HYPS, REFS).segments.scores[0])
    for r, one in enumerate(found.against):
        for part, metric in zip(one.parts, PARTS, strict=True):
            assert part == metric.explain(HYPS[0], REFS[r][0], unmatched=True)
        assert one.score == pytest.approx(np.mean([part.score for part in one.parts]))
    assert repr(found.against[0]).startswith(f"<MeanExplanation {found.against[0].score:.4f}: mean")
    kept = json.loads(found.to_json())["against"][0]["parts"]
    assert [one["signature"] for one in kept] == [part.signature for part in PARTS]


def test_systems_are_below_each_other_in_each_part():
    systems = {
        name: MEAN.explain(hyp, "a b").drawing() for name, hyp in {"A": "a b", "B": "b"}.items()
    }
    lines = printed.stack("segment 1", systems, width=80, color=False).splitlines()
    starts = [lines.index(f"part {n} of 3: {part.signature}") for n, part in enumerate(PARTS, 1)]
    starts.append(lines.index("mean of 3 parts"))
    assert starts == sorted(starts)
    assert [line.split()[0] for line in lines[starts[-1] + 1 :] if line] == ["A", "B"]


def test_a_plot_has_the_first_part():
    pytest.importorskip("matplotlib", reason="matplotlib (extra plot) is not here").use("agg")
    shown = [one.get_text() for one in MEAN.explain("a b", "a").plot().texts]
    assert shown == ["a", "a", "␣", "b", "ref", "hyp"]


def test_the_page_has_the_settings_of_each_part():
    corpus = Corpus(
        segments=[Segment("", "1")],
        systems={"A": [HYPS[0]]},
        refs=[[REFS[0][0]]],
        ref_names=["ref"],
    )
    from celab.report.html import data
    from celab.systems.campaign import Campaign

    campaign = Campaign(corpus).score({"views": MEAN})
    browsed, blocks = data.of_campaign(campaign, campaign.metrics, 10, None, None)
    (of_metric,) = browsed["metrics"]
    assert of_metric["digits"] == 4 and of_metric["settings"] == {}
    assert [part["settings"] for part in of_metric["parts"]] == [
        {"f": 0.25, "decay": 1.0, "max_order": 6},
        {"f": 0.25, "decay": 1.0, "max_order": 4},
        {"max_order": 3, "alpha": 0.8, "average": "arithmetic"},
    ]
    block = json.loads(zlib.decompress(base64.b64decode(blocks["explained-0-0"])))
    (pair,) = block["explained"]["0"]["0"]["against"]
    assert [sorted(part)[0] for part in pair["parts"]] == ["columns", "columns", "features"]
