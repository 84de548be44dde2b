"""Every door that resamples documents says the same: p, interval and the part of the signature."""

import json
import random
import re

import commands
import numpy as np
import pytest
from generated_texts import sentence, varied

import celab
from celab.statistics.documents import number_documents
from celab.statistics.significance import paired_test

METRICS = ("chrf", "celab", "cer", "bleu")
FLAGS = ("--resample-by", "document", "--documents", "documents.txt", "--resamples", "60")
PART = "|resample:document"


def printed(command, *words):
    done = commands.run(command, *words, "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write a reference, two outputs and the documents of 80 segments; return the texts."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(11)
    ref = [sentence(draw, 12) for _ in range(80)]
    sides = {"ref": ref, "A": [varied(text, draw, 0.3) for text in ref]}
    sides["B"] = [varied(text, draw, 0.33) for text in ref]
    names = [f"talk {draw.randrange(25)}" for _ in ref]
    for name, texts in (*sides.items(), ("documents", names)):
        suffix = "txt" if name == "documents" else "zh"
        with open(f"{name}.{suffix}", "w", encoding="utf-8") as file:
            file.write("".join(f"{text}\n" for text in texts))
    return sides, names


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_doors_agree(files, metric, test):
    sides, names = files
    scores = [
        celab.Campaign.from_lists({"x": sides[name]}, [sides["ref"]]).score(metric).scores[metric]
        for name in "AB"
    ]
    (a, b) = (by_system["x"] for by_system in scores)
    tested = paired_test(
        np.stack((a.statistics, b.statistics)),
        a.aggregate,
        test=test,
        n_resamples=60,
        documents=number_documents(names),
    ).difference()
    usual = paired_test(np.stack((a.statistics, b.statistics)), a.aggregate, n_resamples=60)
    assert (tested.p, tested.interval) != (usual.p_values[0, 1], usual.difference().interval)

    words = ["-m", metric, *FLAGS, "--test", test, "--json"]
    of_score = json.loads(printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", *words))
    rows = {row["system"]: row for row in of_score["system"]}
    assert rows["A"]["p B"] == rows["B"]["p A"] == tested.p
    assert [row["resample_by"] for row in of_score["test"]] == ["document"]
    assert all(row["signature"].endswith(PART) for row in rows.values())

    (compared,) = json.loads(printed("compare", "ref.zh", "A.zh", "B.zh", *words))["metric"]
    assert (compared["p"], compared["low"], compared["high"]) == (tested.p, *tested.interval)
    assert compared["signature"].endswith(PART)

    settings = {"n_resamples": 60, "test": test, "resample_by": "document", "documents": names}
    library = celab.compare(sides["A"], sides["B"], [sides["ref"]], metric, **settings)[metric]
    assert (library.difference.p, library.difference.interval) == (tested.p, tested.interval)
    function = getattr(celab.significance, f"paired_{test}")
    direct = function(a, b, n_resamples=60, documents=names)
    assert (direct.p, direct.interval) == (tested.p, tested.interval)

    (one,) = json.loads(printed("score", "ref.zh", "A.zh", *words[:-3], "--json"))["system"]
    assert (one["low"], one["high"]) == a.interval(60, documents=names)
    assert one["signature"].endswith(PART)
    assert one["score"] == a.score

    page = "page.html"
    printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", *words[:-1], "--html", page)
    with open(page, encoding="utf-8") as file:
        (data,) = re.findall(
            r'<script type="application/json" id="data">(.*?)</script>', file.read()
        )
    (pair,) = json.loads(data)["metrics"][0]["pairs"]
    assert [pair["low"], pair["high"]] == pytest.approx(tested.interval, abs=1e-6)
    assert pair["p"] == tested.p_text


def test_texts_say_what_is_drawn(files):
    words = ("-m", "chrf", *FLAGS)
    text = printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", *words)
    assert re.search(
        r"Tests: \S+ randomization, 60 resamples of documents, seed 12345$", text, re.M
    )
    text = printed("score", "-r", "ref.zh", "-s", "A.zh", "B.zh", *words, "--details")
    assert "95% intervals: 60 resamples of documents, seed 12345" in text
    text = printed("compare", "ref.zh", "A.zh", "B.zh", *words)
    assert "interval: 60 paired bootstrap resamples of documents" in text
    assert re.search(r"p: two-sided, approximate randomization of documents, seed 12345", text)
    assert "approximate randomization: fewer than 100 documents differ" in text


def test_a_baseline_of_other_units_is_the_same_baseline(files):
    words = ["-m", "celab", "--segments", "--json", "-o", "A.json"]
    printed("score", "ref.zh", "A.zh", *FLAGS, *words)
    text = printed("compare", "--baseline", "A.json", "ref.zh", "B.zh", *FLAGS)
    assert PART in text
    assert PART not in printed("compare", "--baseline", "A.json", "ref.zh", "B.zh")
