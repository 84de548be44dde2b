"""`celab meta`, as its users type it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from celab.cli import meta
from celab.metrics import baselines

FILES = {
    "ref-A.txt": "今天下雨\n买一把雨伞\n回家吧\n",
    "ref-B.txt": "今日有雨\n买把伞\n回去吧\n",
    "hyp/好.txt": "今天下雨\n买一把伞\n回家吧\n",
    "hyp/中.txt": "今天有雨\n卖一把伞\n回国吧\n",
    "hyp/差.txt": "今年下雪\n一把刀\n吧\n",
    "hyp/没.txt": "今\n买\n回\n",
    "human-seg.tsv": "system\tsegment\tjudge\tscore\n"
    + "".join(
        f"{system}\t{segment}\t{judge}\t{score}\n"
        for system, scores in (("好", (90, 80, 95)), ("中", (70, 60, 40)), ("差", (20, 30, 50)))
        for segment, score in enumerate(scores)
        for judge in ("甲", "乙")
    ),
    "comet.tsv": "system\tsegment\tscore\n"
    + "".join(
        f"{system}\t{segment}\t{score}\n"
        for system, score in (("好", 0.9), ("中", 0.8), ("差", 0.7))
        for segment in range(3)
    ),
    "systems.tsv": "好\t1\n中\t2\n差\t3\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = Path("set") / name if name not in ("comet.tsv", "systems.tsv") else Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@pytest.fixture
def run(capsys):
    def command(*arguments, code=0):
        assert meta.main(list(arguments)) == code
        return capsys.readouterr()

    return command


def test_json(run):
    told = run("set", "-m", "celab", "--lexicon", "none", "--json")
    found = json.loads(told.out)
    celab = found["metrics"]["celab"]
    assert celab["system"] == {
        "pearson": pytest.approx(celab["system"]["pearson"]),
        "spearman": 1.0,
        "kendall": 1.0,
        "pairwise_accuracy": 1.0,
        "soft_pairwise_accuracy": pytest.approx(0.95, abs=0.05),
        "systems": 3,
    }
    assert celab["system"]["pearson"] > 0.9
    assert celab["segment"]["pairs"] == 9
    assert celab["segment"]["consistency"] > 0.7
    assert celab["errors"]["segment"]["consistency"] > 0
    assert 0.5 < celab["segment"]["acc_eq"] <= 1
    assert celab["acc_eq_epsilon"] >= 0
    assert celab["clusters"] == found["permutation_p_values"] == {}
    assert celab["p_values"]["system"]["pearson"] is None  # nothing to compare with
    assert len(celab["intervals"]["system"]["kendall"]) == 2
    assert celab["signature"].startswith("celab|refs:2|")
    assert list(celab["scores"]) == sorted(("好", "中", "差"))
    assert found["human"]["scores"]["好"] == pytest.approx(265 / 3)
    assert found["human"]["systems_from"] == "human-seg.tsv"
    assert found["unjudged"] == ["没"]
    assert found["kappa"]["human-seg.tsv"] == {
        "kappa": 1.0,
        "observed": 1.0,
        "chance": 0.5,
        "cases": 9,
    }
    assert (found["dataset"], found["references"], found["segments"]) == ("set", ["A", "B"], 3)
    assert (found["base"], found["resamples"], found["seed"]) == ("celab", 1000, 12345)
    assert told.err == (
        "celab meta: set, 3 judged systems, references A B, 3 segments;"
        " 1 left out, not judged: 没\n"
    )


def test_figures_that_are_not_there_are_null(run):
    Path("set/human-seg.tsv").unlink()
    Path("set/human-sys.tsv").write_text("system\tscore\n好\t3\n中\t2\n差\t1\n", "utf-8")
    (celab,) = json.loads(run("set", "-m", "celab", "--json").out)["metrics"].values()
    assert celab["segment"]["consistency"] is None
    assert celab["segment"]["pairs"] == 0
    assert celab["system"]["spearman"] == 1.0


def test_default_metrics(run):
    assert list(json.loads(run("set", "--json", "--quiet").out)["metrics"]) == [
        "celab",
        "chrf",
        "bleu",
    ]


def test_outside_scores_take_part(run):
    told = run("-m", "celab", "comet", "set", "--scores", "comet=comet.tsv", "--json", "--quiet")
    found = json.loads(told.out)
    assert list(found["metrics"]) == ["celab", "comet"]
    comet = found["metrics"]["comet"]
    # Of nine pairs people order one otherwise: on the third segment 差 is before 中.
    assert comet["segment"]["consistency"] == pytest.approx(8 / 9)
    assert comet["signature"] == "comet|given:comet.tsv"
    assert comet["p_values"]["segment"]["consistency"] is not None
    assert told.err == ""


def test_outside_scores_join_those_that_are_named(run):
    found = json.loads(run("set", "-m", "chrf", "--scores=comet=comet.tsv", "--json").out)
    assert list(found["metrics"]) == ["chrf", "comet"]
    alone = json.loads(run("set", "-m", "comet", "--scores", "comet=comet.tsv", "--json").out)
    assert list(alone["metrics"]) == ["comet"]


def test_outside_scores_stand_for_a_metric_of_that_name(run, monkeypatch):
    monkeypatch.setattr(baselines, "Bleu", None)
    found = json.loads(run("set", "-m", "bleu", "--scores", "bleu=comet.tsv", "--json").out)
    assert found["metrics"]["bleu"]["signature"] == "bleu|given:comet.tsv"


def test_lower_is_better(run):
    given = ("set", "-m", "x", "--scores", "x=systems.tsv", "--json")
    assert json.loads(run(*given).out)["metrics"]["x"]["system"]["spearman"] == -1
    found = json.loads(run(*given, "--lower-is-better", "x").out)["metrics"]["x"]
    assert found["system"]["spearman"] == 1
    assert found["errors"]["system"]["spearman"] is None
    assert found["segment"]["consistency"] is None


def test_references_and_base_and_seed(run):
    given = ("set", "-m", "celab", "--scores", "comet=comet.tsv", "--json", "--refs", "B")
    found = json.loads(run(*given, "--against", "comet", "--seed", "3", "--resamples", "20").out)
    assert (found["references"], found["base"]) == (["B"], "comet")
    assert (found["seed"], found["resamples"]) == (3, 20)
    assert found["metrics"]["comet"]["p_values"]["segment"]["consistency"] is None
    assert found["metrics"]["celab"]["p_values"]["segment"]["consistency"] is not None


def test_text(run):
    told = run("set", "-m", "comet", "--scores", "comet=comet.tsv", "--scores", "x=systems.tsv")
    lines = told.out.splitlines()
    assert lines[0] == "set: 3 systems × 3 segments, references A, B"
    assert lines[2] == (
        "consistency on 9 pairs of translations (human ties excluded);"
        " agreement on the scores of 3 systems"
    )
    assert (
        lines[4].split() == "metric consistency ties half Pearson Spearman Kendall accuracy".split()
    )
    assert lines[5].split()[:3] == ["comet", "0.889", "±"]
    # By hand: the deviations are 260/9, -25/9, -235/9 and -1, 0, 1.
    assert lines[6].split() == ["x", "-0.996", "-1.000", "-1.000", "0.000"]
    assert lines[8] == "Kendall within segments; correlation across 9 translations"
    assert "* and **: better than comet, one-sided p < 0.05 and p < 0.01" in lines
    assert "annotators in human-seg.tsv: kappa 1.0000, agreement in 1.0000 of 9 cases" in lines
    assert lines[-1] == "x: x|given:systems.tsv"


def test_tables(run):
    given = ("set", "-m", "comet", "--scores", "comet=comet.tsv")
    rows = [line.split("\t") for line in run(*given, "--tsv").out.splitlines()]
    assert rows[0][:4] == ["metric", "level", "figure", "value"]
    assert len(rows) == 14
    assert rows[6][:4] == ["comet", "segment", "consistency", repr(8 / 9)]
    assert "| comet | 0.889 ± " in run(*given, "--markdown").out
    assert r"comet & 0.889 $\pm$ " in run(*given, "--latex").out
    only = run(*given, "--latex", "--level", "segment").out
    assert "Spearman" in only
    assert "accuracy" not in only


def test_names_without_output_are_told(run):
    Path("set/human-sys.tsv").write_text("好\t3\n中\t2\ntranslator\t4\n", "utf-8")
    told = run("set", "-m", "comet", "--scores", "comet=comet.tsv")
    assert "; judged, but not in hyp: translator; " in told.err
    assert "1 without a score in human-sys.tsv: 差" in told.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no folder is given; use celab meta DATASET"),
        (["set", "other"], "other is not a folder; it must be a folder with"),
        (["nowhere"], "nowhere is not a folder; it must be a folder with"),
        (["set", "-m", "comet"], "--metric is 'comet'; it must be one of: celab,"),
        (["set", "--scores", "comet"], "--scores is 'comet'; it must be NAME=FILE"),
        (["set", "--scores", "a=x", "--scores", "a=y"], "--scores gives a twice"),
        (["set", "--scores", "comet=no.tsv"], "no.tsv does not exist"),
        (["set", "--lower-is-better", "ter"], "must be a name that --scores gives"),
        (["set", "--against", "ter"], "--against is 'ter'; it must be one of: celab, chrf, bleu"),
        (["set", "--refs", "A,C"], "unknown reference 'C'; it must be one of: A, B"),
        (["set", "--json", "--tsv"], "--json and --tsv are both given; choose one of them"),
        (["set", "--resamples", "0", "-m", "celab"], "must be a whole number from 1 to 1000000"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message):
    told = run(*arguments, code=2)
    assert told.out == ""
    assert told.err.startswith("celab meta: error: ")
    assert message in told.err
    assert told.err.count("\n") == 1


TAGGED = {
    "ref-A.txt": "a|a|N\nb|b|N\n",
    "ref-B.txt": "a|a|N\nb|b|N\n",
    "hyp/x.txt": "a|a|N\nb|b|N\n",
    "hyp/y.txt": "a|a|N\nb|b|N\n",
}


@pytest.mark.parametrize("name", ["hyp/y.txt", "ref-B.txt", "hyp/x.txt.gz"])
def test_a_line_that_cannot_be_read_is_named_with_its_file(run, name):
    texts = TAGGED | {name.removesuffix(".gz"): "a|a|N\nb|b\n"}
    for file, text in texts.items():
        path = Path("tagged") / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path("tagged/human-sys.tsv").write_text("x\t1\ny\t2\n")
    if name.endswith(".gz"):
        Path("tagged", name).write_bytes(gzip.compress(Path("tagged/hyp/x.txt").read_bytes()))
        Path("tagged/hyp/x.txt").unlink()
    told = run("tagged", "-m", "tesla-m", "--analysis", "tagged", "--lexicon", "none", code=2)
    assert told.out == ""
    assert told.err.startswith(f"celab meta: error: tagged/{name}, line 2: ")


def test_help_names_the_layout(run):
    told = " ".join(run("--help-all").out.split())
    assert "human-seg.tsv (columns system, segment from 0, score; judge)" in told


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "celab.cli.meta", "set", "-m", "x", "--scores", "x=comet.tsv"],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert "consistency" in done.stdout.decode()


def test_a_page_is_written_beside_the_table(run):
    shown = run("set", "-m", "celab", "--lexicon", "none", "--html", "page.html").out
    page = Path("page.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "Pearson" in shown and "Pearson" in page and "celab|refs:" in page
    assert run("set", "--html", "absent/page.html", code=2).out == ""
