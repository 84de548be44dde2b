"""Several metrics and several systems on the command line."""

import json

import numpy as np
import pytest

from celab.cli import mbr, meta, score, stream
from celab.metrics.factory import make_metric

REFS1 = ["买雨伞", "今天天气很好", "我在北京", ""]
REFS2 = ["", "今天天气不错", "我住在北京", "谢谢你"]
HYPS = ["买雨伞", "今天天气很好", "", "谢谢"]
FILES = ["ref1.zh", "ref2.zh", "hyp.zh"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in zip(FILES, (REFS1, REFS2, HYPS), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


TAGGED = "Der|der|ART Hund|Hund|NN\n"


@pytest.mark.parametrize(
    "given", [["-m", "celab", "tesla-m"], ["-m", "celab,tesla-m"], ["-m", "celab", "-m", "tesla-m"]]
)
def test_several_metrics_each_with_its_signature(tmp_path, capsys, given):
    path = tmp_path / "a.txt"
    path.write_text(TAGGED, "utf-8")
    files = [str(path), str(path), "--analysis", "tagged", "--lexicon", "none", "--quiet"]
    assert score.main([*given, *files]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("TESLA-CELAB = 1.0000") and "celab|refs:1|" in first
    assert second.startswith("TESLA-M = 1.0000") and "|words:tagged|lex:none|" in second
    assert score.main([*given, *files, "--json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert list(system["metrics"]) == ["celab", "tesla-m"]
    assert score.main([*given, *files, "--segments"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("metric\tsegment")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["-m", "rouge"], "--metric is 'rouge'"),
        (["-m", "tesla-m"], "TESLA-M needs words"),
        (["-m", "tesla-m", "--lang", "xx"], "language 'xx'"),
        (["-m", "tesla-m", "--analysis", "tagged"], "hyp.zh, line 1: "),
        (["-m", "bleu", "--explain", "1"], "bleu has no links"),
        (["-m", "tesla-m", "--analysis", "surface", "--counts", "x"], "counts are used only"),
        (["--counts", "x"], "counts is 'x'"),
        (["--lang", "xx"], "lang is 'xx'"),
        (["-m", "tesla-m", "--analysis", "surface", "--separator", "/"], "no option 'separator'"),
    ],
)
def test_metrics_that_cannot_be(capsys, given, words):
    assert score.main([*FILES, *given]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert words in line


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["-m", "tesla-m", "--analysis", "surface", "--links", "release-2012"],
            "--links is not an option of tesla-m; celab has it",
        ),
        (
            ["-m", "chrf", "--alpha", "0.5"],
            "--alpha is not an option of chrf; tesla-m, tesla-s and tesla-b have it",
        ),
        (
            ["-m", "celab", "--separator", "x"],
            "--separator is not an option of celab; tesla-m, tesla-s and tesla-b have it",
        ),
        (
            ["-m", "chrf", "--max-order", "4"],
            "--max-order is not an option of chrf; celab, tesla-m and tesla-b have it",
        ),
        (
            ["-m", "ter", "--lexicon", "none"],
            "--lexicon is not an option of ter; celab, tesla-m and tesla-b have it",
        ),
        (
            ["-m", "ter", "--jobs", "2"],
            "--jobs is not an option of ter; celab, tesla-m, tesla-s, tesla-b and tesla-f have it",
        ),
    ],
)
@pytest.mark.parametrize("command", [score, mbr, stream, meta])
def test_a_flag_that_no_chosen_metric_has_is_refused(capsys, tmp_path, command, given, message):
    (tmp_path / "nbest.txt").write_text("0 ||| a\n", "utf-8")
    (tmp_path / "hyp").mkdir()
    for name in ("hyp/a.txt", "ref-A.txt"):
        (tmp_path / name).write_text("a\n", "utf-8")
    (tmp_path / "human-sys.tsv").write_text("a\t1\n", "utf-8")
    files = {score: FILES, mbr: ["nbest.txt"], stream: ["ref2.zh", "hyp.zh"], meta: ["."]}
    assert command.main([*files[command], *given]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"{command.COMMAND}: error: {message}\n"


def test_all_chosen_metrics_are_named(capsys):
    assert score.main([*FILES, "-m", "chrf", "bleu", "--f", "1"]) == 2
    assert "--f is not an option of chrf or bleu; celab has it" in capsys.readouterr().err


def test_a_flag_of_one_of_the_metrics_is_taken(tmp_path, capsys):
    (tmp_path / "a.txt").write_text(TAGGED, "utf-8")
    files = ["a.txt", "a.txt", "--analysis", "tagged", "--lexicon", "none", "--quiet"]
    assert score.main(["-m", "celab", "tesla-m", "--alpha", "0.5", "--f", "1", *files]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "|f:1|" in first and "|alpha:0.5|" in second


# Several systems.


@pytest.fixture
def systems(tmp_path):
    """Twenty segments; a is right, b and c are wrong in every other, the same way."""
    refs = [f"今天{n}点买雨伞" for n in "一二三四五六七八九十"] * 2
    poor = [ref if n % 2 else "谢谢" for n, ref in enumerate(refs)]
    for name, lines in {"ref": refs, "a": refs, "b": poor, "c": poor}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ["-r", "ref", "-s", "b", "a", "c", "--lexicon", "none", "--quiet"]


def test_systems_are_sorted_and_grouped(systems, capsys):
    assert score.main(systems) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["group", "system", "TESLA-CELAB", "95%", "interval", "ranks"]
    assert lines[1].split() == ["1", "a", "1.0000", "[1.0000,", "1.0000]", "1"]
    assert set(lines[2]) == {"-"}
    assert [line.split()[:2] for line in lines[3:5]] == [["2", "b"], ["2", "c"]]
    assert lines[3].endswith(" 2-3")  # they tie
    assert "celab|refs:1|" in lines[6]
    assert "paired bootstrap, two-sided p < 0.05" in lines[7]


def test_all_pairs_have_p_values_and_seeds_count(systems, capsys):
    found = {}
    for test in ("bootstrap", "randomization"):
        for seed in ("0", "1"):
            given = [*systems, "--json", "--test", test, "--resamples", "200", "--seed", seed]
            assert score.main(given) == 0
            found[test, seed] = json.loads(capsys.readouterr().out)["tests"]["celab"]
    for (test, seed), one in found.items():
        assert (one["test"], one["seed"], one["resamples"]) == (test, int(seed), 200)
        assert one["systems"] == ["a", "b", "c"]
        p = np.array(one["p_values"])
        assert (p == p.T).all() and p[1, 2] == 1.0 and p[0, 1] < 0.05
    assert score.main([*systems, "--seed", "0", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert score.main([*systems, "--seed", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == again


@pytest.mark.parametrize("kind", ["tsv", "markdown", "latex"])
def test_tables_come_in_several_dresses(systems, capsys, kind):
    assert score.main([*systems, f"--{kind}", "--test", "bootstrap"]) == 0
    shown = capsys.readouterr().out
    if kind == "tsv":
        header, *rows = (line.split("\t") for line in shown.splitlines())
        assert header[:2] == ["metric", "system"] and header[-4:] == [
            "p a",
            "p b",
            "p c",
            "signature",
        ]
        assert [row[1] for row in rows] == ["a", "b", "c"]
        assert all(len(row) == len(header) for row in rows)
        assert float(rows[1][header.index("p c")]) == 1.0
    elif kind == "markdown":
        assert "| 1 | a | 1.0000 |" in shown
    else:
        assert shown.count(r"\begin{tabular}") == 2 and "1 & a & 1.0000 &" in shown


def test_baselines_take_part_and_lower_ter_is_better(systems, capsys):
    assert score.main([*systems, "-m", "ter", "bleu", "celab", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tests"]["ter"]["systems"] == ["a", "b", "c"]
    best = next(one for one in report["systems"] if one["name"] == "a")["metrics"]
    assert best["ter"]["score"] == 0.0 and best["ter"]["group"] == 1
    low, high = next(x for x in report["systems"] if x["name"] == "b")["metrics"]["ter"]["interval"]
    assert 0 < low < high
    assert "precision" not in best["bleu"] and best["celab"]["precision"] == 1.0
    assert best["bleu"]["signature"].replace("|nrefs:1|", "|") == make_metric("bleu").signature
    assert score.main([*systems, "-m", "bleu", "celab", "--segments"]) == 0
    header, first, *_ = capsys.readouterr().out.splitlines()
    assert header == "metric\tsystem\tsegment\tscore\tprecision\trecall"
    assert first.startswith("bleu\tb\t1\t") and first.endswith("\t\t")


def test_documents_have_scores(tmp_path, capsys):
    rows = [("d1", "买伞", "买伞"), ("d1", "谢谢", "你好"), ("d2", "今天", "今天")]
    text = "".join(
        json.dumps({"doc": doc, "id": str(n), "ref": ref, "hyp": hyp}) + "\n"
        for n, (doc, ref, hyp) in enumerate(rows)
    )
    (tmp_path / "all.jsonl").write_text(text, "utf-8")
    assert score.main(["all.jsonl", "--level", "document", "--lexicon", "none", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "document\tscore",
        "d1\t0.500000",
        "d2\t1.000000",
    ]
    given = ["all.jsonl", "--level", "document", "--lexicon", "none", "--quiet", "--json"]
    assert score.main(given) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["metrics"]["celab"]["documents"][1] == {"document": "d2", "score": 1.0}


def test_one_system_of_several_is_explained_by_name(systems, capsys):
    assert score.main([*systems, "--explain", "1"]) == 2
    assert "there are 3 systems (b, a, c)" in capsys.readouterr().err
    assert score.main([*systems, "--explain", "1", "--only-systems", "a"]) == 0
    assert "segment 1 of 20: a against ref" in capsys.readouterr().out
