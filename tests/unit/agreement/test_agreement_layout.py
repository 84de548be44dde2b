"""Folders of mt-metrics-eval: read, and scores written for submission."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import ROOT

from celab import meta
from celab.agreement import dataset
from celab.base.errors import InputError, OptionError
from celab.cli import meta as command

FILES = {
    "sources/en-zh.txt": "a\nb\nc\n",
    "references/en-zh.refA.txt": "今天下雨\n买一把雨伞\n回家吧\n",
    "references/en-zh.refB.txt": "今日有雨\n买把伞\n回去吧\n",
    "system-outputs/en-zh/x.txt": "今天下雨\n买一把伞\n回家吧\n",
    "system-outputs/en-zh/y.txt": "今天有雨\n卖一把伞\n回国吧\n",
    "system-outputs/en-zh/z.txt": "今年下雪\n一把刀\n吧\n",
    "system-outputs/en-zh/new.txt": "今\n买\n回\n",
    "system-outputs/en-zh/refB.txt": "今日有雨\n买把伞\n回去吧\n",
    "documents/en-zh.docs": "news d1\nnews d1\nspeech d2\n",
    "human-scores/en-zh.mqm.seg.score": "x -1\nx 0\nx 0\ny\t-2\ny None\ny -3\nz -9\nz -8\nz -7\n"
    "new None\nnew None\nnew None\nrefB 0\nrefB 0\nrefB 0\n",
    "human-scores/en-zh.mqm.sys.score": "x -0.3\ny -2.5\nz -8\n",
    "human-scores/en-zh.mqm.domain.score": "news x -0.5\n",
    "human-scores/en-zh.wmt-z.sys.score": "x 0.1\ny 0.2\nz 0.3\n",
    "metric-scores/en-zh/COMET-22-refA.seg.score": "".join(
        f"{name} {score}\n"
        for name, scores in (
            ("x", (9, 8, 7)),
            ("y", (6, 5, 4)),
            ("z", (3, 2, 1)),
            ("new", (0, 0, 0)),
        )
        for score in scores
    ),
    "metric-scores/en-zh/COMET-22-refA.sys.score": "x 8\ny 5\nz 2\nnew 0\n",
    "metric-scores/en-zh/COMET-22-refB.sys.score": "x 1\ny 1\nz 1\nnew 1\n",
    "metric-scores/en-zh/QE-src.sys.score": "x 1\ny 2\nz 3\nnew 0\n",
}


@pytest.fixture
def wmt(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "wmt30" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "wmt30"


def test_the_layout(wmt):
    found = dataset.read(wmt)
    assert (found.name, found.references) == ("wmt30 en-zh", ("refA",))
    assert found.systems == ("x", "y", "z")
    assert found.corpus.source == ["a", "b", "c"]
    nan = float("nan")
    np.testing.assert_array_equal(found.people.segments, [[-1, 0, 0], [-2, nan, -3], [-9, -8, -7]])
    assert found.people.systems.tolist() == [-0.3, -2.5, -8]
    assert (found.unjudged, found.without_output) == (("new",), ("refB",))
    assert found.labels_of("domain") == ["news", "news", "speech"]
    assert found.labels_of("document") == ["d1", "d1", "d2"]
    assert sorted(found.files.metrics) == ["COMET-22", "QE"]
    assert found.files.metrics["COMET-22"].name == "COMET-22-refA.seg.score"


def test_documents_of_the_layout_are_those_of_aligned_outputs(wmt):
    for name in ("x", "y", "z", "new"):
        path = wmt / f"system-outputs/en-zh/{name}.txt"
        first, second, third = path.read_text("utf-8").split()
        path.write_text(f"{first}{second}\n{third}\n", "utf-8")  # a line per document
    (wmt / "documents/en-zh.docs").write_text("news\td1\nnews\td1\nspeech\td2\n", "utf-8")
    found = dataset.read(wmt, align=True, text_documents="lines")
    assert [segment.document for segment in found.corpus.segments] == ["d1", "d1", "d2"]
    assert found.corpus.systems["x"] == ["今天下雨", "买一把伞", "回家吧"]


def test_other_references_and_human_scores(wmt):
    found = dataset.read(wmt, ["refB"], human="wmt-z")
    assert found.people.systems.tolist() == [0.1, 0.2, 0.3]
    assert found.files.metrics["COMET-22"].name == "COMET-22-refB.sys.score"


def test_external_metrics_take_part(wmt):
    found = meta.evaluate(wmt, ["chrf", "COMET-22", "QE"], n_resamples=40, by="domain")
    assert list(found.metrics) == ["chrf", "COMET-22", "QE"]
    assert found.metrics["COMET-22"].figures["consistency"].value == 1
    assert found.metrics["QE"].figures["spearman"].value == -1
    assert found.groups["speech"].n_pairs == 3
    assert "tok:zh" in meta.evaluate(wmt, ["bleu"], n_resamples=40).metrics["bleu"].signature


def test_figures_of_systems_are_those_of_the_file_of_systems(wmt):
    # Means of segments would be 8, 5 and 2, in the order of people.
    (wmt / "metric-scores/en-zh/COMET-22-refA.sys.score").write_text("x 1\ny 9\nz 5\n")
    metrics = meta.evaluate(wmt, ["chrf", "COMET-22"], n_resamples=40, by="domain")
    comet, people = metrics.metrics["COMET-22"], [-0.3, -2.5, -8]
    assert comet.scores == {"x": 1, "y": 9, "z": 5}
    pearson = comet.figures["pearson"]
    assert pearson.value == pytest.approx(np.corrcoef([1, 9, 5], people)[0, 1])
    assert comet.figures["pairwise_accuracy"].value == pytest.approx(1 / 3)
    # How they follow from the segments is not known, so they are not resampled.
    assert (pearson.error, pearson.interval, pearson.p) == (None, None, None)
    assert comet.errors == {} and "pearson" not in comet.clusters
    assert comet.figures["consistency"].value == 1 and comet.figures["consistency"].error == 0
    # Nor are they those of a domain.
    assert metrics.groups["news"].metrics["COMET-22"].scores == {"x": 8.5, "y": 5.5, "z": 2.5}


def test_external_metrics_of_our_layout(tmp_path):
    folder = tmp_path / "set"
    for name, text in {
        "ref-A.txt": "买雨伞\n去北京\n",
        "hyp/x.txt": "买伞\n去北京\n",
        "hyp/y.txt": "伞\n去\n",
        "human-sys.tsv": "x\t2\ny\t1\n",
        "docs.tsv": "segment\tdomain\tdocument\n0\tnews\td1\n1\ttalks\td2\n",
        "metric-scores/Other.tsv": "system\tsegment\tscore\nx\t0\t1\nx\t1\t2\ny\t0\t3\ny\t1\t4\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    assert meta.evaluate(folder, ["celab", "Other"]).metrics["Other"].scores == {"x": 1.5, "y": 3.5}
    out = tmp_path / "out"
    words = [str(folder), "-q", "-m", "celab", "ter", "-l", "en-zh", "--write-scores", str(out)]
    assert command.main(words) == 0
    header, *rows = (out / "segments.tsv").read_text("utf-8").splitlines()
    assert header.split("\t") == [
        *("doc_id", "segment_id", "source_lang", "target_lang", "set_id", "system_id"),
        *("domain_name", "method", "overall"),
    ]
    metric = meta.evaluate(folder, ["celab"]).computed[0]
    first = ["d1", "0", "en", "zh", "set", "x", "news", "celab", repr(float(metric.segments[0, 0]))]
    assert rows[0].split("\t") == first
    assert [row.split("\t")[1] for row in rows] == ["0", "1"] * 4
    assert float(rows[-1].split("\t")[-1]) < 0  # TER, of which lower scores are better


def test_the_command(wmt, capsys, tmp_path):
    out = tmp_path / "mine"
    assert command.main([str(wmt), "--json", "-q", "--write-scores", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [row["metric"] for row in found["metric"]]
    assert names == ["celab", "chrf", "bleu", "COMET-22", "QE"]
    assert found["pairs_from"] == "en-zh.mqm.seg.score"
    comet = {row["figure"]: row["value"] for row in found["figure"] if row["metric"] == "COMET-22"}
    assert comet["acc_eq"] == comet["pairwise_accuracy"] == 1
    assert 0.9 < comet["soft_pairwise_accuracy"] <= 1
    written = sorted(path.name for path in (out / "metric-scores/en-zh").iterdir())
    assert written == [
        f"{name}-refA.{level}.score"
        for name in ("bleu", "celab", "chrf")
        for level in ("seg", "sys")
    ]
    lines = (out / "metric-scores/en-zh/celab-refA.seg.score").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == [
        s for s in ("new", "x", "y", "z") for _ in "abc"
    ]
    # Written and read back, they are the same.
    for path in (out / "metric-scores/en-zh").iterdir():
        (wmt / "metric-scores/en-zh" / f"my{path.name}").write_bytes(path.read_bytes())
    assert command.main([str(wmt), "-m", "mycelab", "celab", "--json", "-q"]) == 0
    again = json.loads(capsys.readouterr().out)
    ours, theirs = (
        [row["value"] for row in again["figure"] if (row["metric"], row["level"]) == of]
        for of in (("mycelab", "segment"), ("celab", "segment"))
    )
    assert ours == theirs != []
    mine, own = (
        [row["score"] for row in again["score"] if row["metric"] == name]
        for name in ("mycelab", "celab")
    )
    assert mine == pytest.approx(own)


def test_scores_of_our_layout_are_written_too(tmp_path, capsys):
    out = tmp_path / "out"
    folder = ROOT / "examples" / "judged"
    arguments = ["-m", "ter", "-q", "--level", "system", "--write-scores", str(out)]
    assert command.main([str(folder), *arguments, "-l", "en-zh"]) == 0
    path = out / "metric-scores/en-zh/ter-refA.refB.sys.score"
    scores = dict(line.split("\t") for line in path.read_text().splitlines())
    assert list(scores) == ["alpha", "beta", "delta", "gamma"]
    assert all(float(score) <= 0 for score in scores.values())  # higher is better


SEGMENTS, DOCUMENTS = "human-scores/en-zh.mqm.seg.score", "documents/en-zh.docs"


@pytest.mark.parametrize(
    ("name", "text", "settings", "message"),
    [
        ("sources/en-de.txt", "a\n", {}, "has 2 language pairs (en-de, en-zh);"),
        ("new", "", {"pair": "en-zn"}, "language pair 'en-zn'; did you mean 'en-zh'?"),
        ("new", "", {"human": "mqn"}, "unknown human scores 'mqn'; did you mean 'mqm'?"),
        ("new", "", {"refs": ["refC"]}, "unknown reference 'refC'; did you mean 'refB'?"),
        (SEGMENTS, "x 1\nx\n", {}, ".seg.score, line 2: 1 column and no header that names score"),
        (SEGMENTS, "x 1\nx good\nx 2\n", {}, ".seg.score, line 2: score is 'good'; it must be a"),
        (SEGMENTS, "x 1\nx 2\n", {}, "has 2 lines of system x; without a header, each system must"),
        (DOCUMENTS, "news d1\n", {}, "en-zh.docs has 1 line but the"),
        (DOCUMENTS, "news d1\nnews\nnews d2\n", {}, ".docs, line 2: 1 columns; there must be 2"),
    ],
)
def test_bad_folders(wmt, name, text, settings, message):
    (wmt / name).write_text(text, "utf-8")
    with pytest.raises(OptionError if text in ("", "a\n") else InputError) as caught:
        dataset.read(wmt, **settings).labels_of("domain")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("part", ["references", "system-outputs/en-zh", "human-scores"])
def test_parts_that_must_be_there(wmt, part):
    for path in (wmt / part).iterdir():
        path.unlink()
    with pytest.raises(InputError, match=rf"has no {part.split('/')[0]}/en-zh.*; it must have"):
        dataset.read(wmt)


def test_a_bad_line_of_an_external_metric_is_named(wmt, capsys):
    path = wmt / "metric-scores/en-zh/QE-src.sys.score"
    path.write_text("x 1\ny None\nz 3\nnew 0\n")
    assert command.main([str(wmt), "-q"]) == 2
    assert "QE-src.sys.score, line 2: the score is missing" in capsys.readouterr().err


def test_a_metric_without_scores_of_these_references(wmt, capsys):
    assert command.main([str(wmt), "-m", "COMET-22", "--refs", "refA,refB"]) == 2
    told = capsys.readouterr()
    assert "has no scores of COMET-22 with these ref" in told.err
    assert told.out == ""


def test_a_picture_of_all_metrics_on_all_sets(wmt, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    folder = ROOT / "examples" / "judged"
    drawing, page = tmp_path / "all.svg", tmp_path / "all.html"
    arguments = ["-m", "chrf", "bleu", "--lang", "zh", "--resamples", "40", "--json", "-q"]
    files = ["--plot", str(drawing), "--html", str(page)]
    assert command.main([str(wmt), str(folder), *arguments, *files]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["dataset"] for one in found] == ["wmt30 en-zh", "judged"]
    svg, html = drawing.read_text("utf-8"), page.read_text("utf-8")
    for text in ("wmt30 en-zh", "judged", "chrF2", "BLEU", "Pearson of systems"):
        assert text in svg
        assert text in html
    assert html.count('class="fit"') == 4
    assert "r = 0." in html or "r = 1." in html
    assert '<path class="error"' in html
