"""`celab meta`, as its users type it."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from conftest import ROOT

from celab.cli import meta
from celab.metrics import baselines

COMMAND = meta
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


def figure_of(found, metric, level, name):
    (row,) = (
        row
        for row in found["figure"]
        if (row["metric"], row["level"], row["figure"]) == (metric, level, name)
    )
    return row["value"]


def metrics_of(found):
    """Names of the metrics, in the order of the table, each with figures."""
    names = [row["metric"] for row in found["metric"]]
    assert list(dict.fromkeys(row["metric"] for row in found["figure"])) == names
    return names


def test_figures_that_are_not_there_have_no_row(run):
    Path("set/human-seg.tsv").unlink()
    Path("set/human-sys.tsv").write_text("system\tscore\n好\t3\n中\t2\n差\t1\n", "utf-8")
    found = json.loads(run("set", "-m", "celab", "--json").out)
    assert metrics_of(found) == ["celab"]
    assert {row["level"] for row in found["figure"]} == {"system"}
    assert found["pairs"] == 0
    assert figure_of(found, "celab", "system", "spearman") == 1.0


def test_only_files_with_judgments_are_named_as_their_source(run):
    name = "human judgments of systems: human-seg.tsv; pairs: human-seg.tsv; translations: human-"
    assert f"\n{name}" in run("set", "-m", "chrf").out
    Path("set/human-seg.tsv").unlink()
    Path("set/human-sys.tsv").write_text("system\tscore\n好\t3\n中\t2\n差\t1\n", "utf-8")
    lines = run("set", "-m", "chrf").out.splitlines()
    assert "human judgments of systems: human-sys.tsv" in lines


def test_only_computed_scores_are_written_so_others_may_be_of_one_pair(run):
    Path("set/metric-scores").mkdir()
    shutil.copy("comet.tsv", "set/metric-scores/Other.tsv")
    shutil.copytree("set", "again/set")
    sets = ("set", "again/set", "-l", "en-zh", "--write-scores", "out")
    run(*sets, "-m", "Other")
    told = run(*sets, "-m", "chrf", code=2)
    assert "would write metric-scores/en-zh/chrf-" in told.err


def test_outside_scores_join_those_that_are_named(run):
    found = json.loads(run("set", "-m", "chrf", "--scores=comet=comet.tsv", "--json").out)
    assert metrics_of(found) == ["chrf", "comet"]
    alone = json.loads(run("set", "-m", "comet", "--scores", "comet=comet.tsv", "--json").out)
    assert metrics_of(alone) == ["comet"]


def test_outside_scores_are_known_among_metrics_before_a_folder(run):
    found = json.loads(
        run("--scores", "comet=comet.tsv", "-m", "chrf", "comet", "set", "--json").out
    )
    assert metrics_of(found) == ["chrf", "comet"]


def test_outside_scores_stand_for_a_metric_of_that_name(run, monkeypatch):
    monkeypatch.setattr(baselines, "Bleu", None)
    found = json.loads(run("set", "-m", "bleu", "--scores", "bleu=comet.tsv", "--json").out)
    (bleu,) = found["metric"]
    assert (bleu["metric"], bleu["signature"]) == ("bleu", "bleu|given:comet.tsv")


def test_names_without_output_are_told(run):
    Path("set/human-sys.tsv").write_text("好\t3\n中\t2\ntranslator\t4\n", "utf-8")
    told = run("set", "-m", "comet", "--scores", "comet=comet.tsv")
    assert "note: judged, but not in hyp: translator\n" in told.err
    assert "note: 1 left out, not judged: 没\n" in told.err
    assert "1 without a score in human-sys.tsv: 差" in told.err


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


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("n_segments", [1, 3])
@pytest.mark.parametrize(
    "scores",
    [("1e100", "-1e100"), ("1", "1"), ("1e-320", "0"), ("1e100", "1"), ("5", "None")],
    ids=["extremes", "equal", "denormal", "far apart", "absent"],
)
def test_no_scores_make_numpy_warn(run, scores, n_segments):
    for name in ("ref-A.txt", "ref-B.txt", "hyp/好.txt", "hyp/中.txt", "hyp/差.txt", "hyp/没.txt"):
        lines = FILES[name].splitlines(keepends=True)[:n_segments]
        (Path("set") / name).write_text("".join(lines), "utf-8")
    rows = [
        f"{system}\t{segment}\t{scores[(place + segment) % 2]}\n"
        for place, system in enumerate("好中差没")
        for segment in range(n_segments)
    ]
    (Path("set") / "human-seg.tsv").write_text(
        "".join(["system\tsegment\tscore\n", *rows]), "utf-8"
    )
    out, err = run("set", "-m", "chrf", "--json")
    assert json.loads(out) and "Warning" not in err


def as_csv(table):
    return table.replace("\t", ",")


def as_jsonl(table):
    header, *rows = (line.split("\t") for line in table.splitlines())
    records = (dict(zip(header, row, strict=True)) for row in rows)
    return "".join(
        json.dumps(record | {name: int(record[name]) for name in ("segment", "score")}) + "\n"
        for record in records
    )


@pytest.mark.parametrize(
    ("name", "write"), [("h.tsv", str), ("h.csv", as_csv), ("h.jsonl", as_jsonl)]
)
def test_files_that_are_not_in_a_folder_are_read_alike(capsys, name, write):
    Path(name).write_text(write(FILES["human-seg.tsv"]), encoding="utf-8")
    flags = ["-m", "chrf", "-q", "--json"]
    files = ["-r", "set/ref-A.txt", "set/ref-B.txt", "-s", "set/hyp/", "--human", name]
    assert meta.main([*flags, "set"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert meta.main([*flags, *files]) == 0
    actual = json.loads(capsys.readouterr().out)
    for of_set in (expected, actual):
        del of_set["dataset"], of_set["references"]  # their names
    assert actual == expected


def test_human_scores_of_systems_in_a_file(capsys):
    meta_flags = ["-m", "chrf", "-q", "--json", "-r", "set/ref-A.txt", "-s", "set/hyp/*.txt"]
    assert meta.main([*meta_flags, "--human", "systems.tsv"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert metrics_of(found) == ["chrf"]
    assert figure_of(found, "chrf", "system", "spearman") == -1.0
    assert found["pairs"] == 0


def groups_of(figures):
    return list(dict.fromkeys(row["group"] for row in figures))


FILES_OF_A_SET = ["-r", "set/ref-A.txt", "-s", *(f"set/hyp/{name}.txt" for name in "中好差")]
DOCUMENTS = {
    "domain": "segment\tdomain\tdocument\n1\tnews\ta\n2\tnews\tb\n3\ttalk\tb\n",
    "document": "a\nb\nb\n",
}


@pytest.mark.parametrize("by", DOCUMENTS)
@pytest.mark.parametrize("source", ["files", "folder"])
def test_documents_without_docs_tsv(run, by, source):
    Path("labels.tsv").write_text(DOCUMENTS[by], "utf-8")
    words = ["-m", "chrf", "--by", by, "--json", "--resamples", "40"]
    given = [*FILES_OF_A_SET, "--human", "set/human-seg.tsv"] if source == "files" else ["set"]
    told = run(*given, *words, code=2)
    assert f"does not say the {by} of each segment; " in told.err
    assert "give --documents a table with it" in told.err
    found = json.loads(run(*given, *words, "--documents", "labels.tsv").out)["group_figure"]
    Path("set/docs.tsv").write_text(
        "domain\tdocument\nnews\ta\nnews\tb\ntalk\tb\n", encoding="utf-8"
    )
    expected = json.loads(run("set", "--refs", "A", *words).out)["group_figure"]
    if source == "files":
        assert found == expected
    names = {"domain": ["news", "talk"], "document": ["a", "b"]}
    assert groups_of(found) == groups_of(expected) == names[by]


def test_documents_with_domains_only(run):
    Path("domains.tsv").write_text("domain\nnews\nnews\ntalk\n", "utf-8")
    words = ["-m", "chrf", "--by", "domain", "--json", "--documents", "domains.tsv"]
    found = json.loads(run(*FILES_OF_A_SET, "--human", "set/human-seg.tsv", *words).out)
    assert groups_of(found["group_figure"]) == ["news", "talk"]
    Path("domains.tsv").write_text("domain\nnews\n", "utf-8")
    told = run(*FILES_OF_A_SET, "--human", "set/human-seg.tsv", *words, code=2)
    assert "domains.tsv has 1 line but the texts have 3" in told.err


def test_the_table_is_written_to_a_file(tmp_path, capsys):
    arguments = ["-q", "-m", "chrf", str(ROOT / "examples/judged"), "--resamples", "100", "--json"]
    assert meta.main(arguments) == 0
    printed = capsys.readouterr().out
    path = tmp_path / "meta.json"
    assert meta.main([*arguments, "-o", str(path)]) == 0
    assert (capsys.readouterr().out, path.read_text("utf-8")) == ("", printed)


RATED = "".join(
    f"{system}\t{place}\t{score}\n"
    for system, scores in (("A", (90, 80, 40)), ("B", (20, 50, 70)))
    for place, score in enumerate(scores)
)
TEXTS = {
    "ref": ["今天下雨。", "买一把雨伞。", "回家吧。"],
    "A": ["今天有雨。", "买雨伞。", "回国吧。"],
    "B": ["今年下雪。", "买一把刀。", "回家吧。"],
}


def record(name, field, place, pair="en-zh_CN"):
    text = TEXTS[name][place] if pair == "en-zh_CN" else "Ein Satz."
    return {"doc_id": f"{pair}_#_news_#_{place}", field: text}


def as_lines(*records):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)


def plain(name):
    return "".join(f"{text}\n" for text in TEXTS[name])


COLUMNS = as_lines(*({name: TEXTS[name][place] for name in TEXTS} for place in range(3)))
WMT = {
    name: as_lines(
        *(record(name, field, place, pair) for pair in ("cs-de_DE", "en-zh_CN") for place in order)
    )
    for name, field, order in (
        ("ref", "ref", (0, 1, 2)),
        ("A", "hypothesis", (2, 0, 1)),
        ("B", "hypothesis", (1, 2, 0)),
    )
}
LAYOUTS = {
    "plain": ({"ref.txt": plain("ref"), "A.txt": plain("A"), "B.txt": plain("B")}, []),
    "wide": ({"ref.jsonl": COLUMNS}, ["--hyp-fields", "A,B"]),
    "long": (
        {
            "ref.csv": "system,id,ref,hyp\n"
            + "".join(
                f"{name},{place},{TEXTS['ref'][place]},{TEXTS[name][place]}\n"
                for name in "AB"
                for place in (2, 0, 1)
            )
        },
        ["--system-field", "system"],
    ),
    "pairs": ({f"{name}.jsonl": text for name, text in WMT.items()}, ["-l", "en-zh"]),
    "gb18030": (
        {f"{name}.txt": plain(name).encode("gb18030") for name in TEXTS},
        ["--encoding", "gb18030"],
    ),
}


def measured(run, layout):
    """Return the figures of texts that are in files of a layout."""
    Path("rated.tsv").write_text(f"system\tsegment\tscore\n{RATED}", "utf-8")
    files, options = LAYOUTS[layout]
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ref, *systems = files
    words = ["-r", ref, *(["-s", *systems] if systems else []), *options]
    told = run(*words, "--human", "rated.tsv", "-m", "chrf", "--json")
    found = json.loads(told.out)
    # Intervals and p-values draw segments by their order.
    values = {
        row["figure"]: round(row["value"], 12)
        for row in found["figure"]
        if row["figure"] != "soft_pairwise_accuracy"
    }
    return (found["systems"], found["segments"], found["pairs"], values), told.err


@pytest.mark.parametrize("layout", sorted(LAYOUTS.keys() - {"plain"}))
def test_files_are_read_in_every_layout(run, layout):
    (figures, noted), (expected, _) = measured(run, layout), measured(run, "plain")
    assert figures == expected
    assert (", joined by doc_id\n" in noted) == (layout == "pairs")


def test_several_language_pairs_are_named(run):
    measured(run, "pairs")
    words = ["-r", "ref.jsonl", "-s", "A.jsonl", "B.jsonl", "--human", "rated.tsv"]
    assert run(*words, code=2).err == (
        "celab meta: error: ref.jsonl has 2 language pairs: cs-de_DE, en-zh_CN; choose one:"
        " --language-pair cs-de_DE\n"
    )
    told = run(*words, "-l", "en-ja", code=2).err
    assert "ref.jsonl" in told and "cs-de_DE, en-zh_CN" in told


def test_the_language_pair_says_the_language(run):
    Path("rated.tsv").write_text(f"system\tsegment\tscore\n{RATED}", "utf-8")
    for name in TEXTS:
        Path(f"{name}.txt").write_text(plain(name), "utf-8")
    words = ["-r", "ref.txt", "-s", "A.txt", "B.txt", "--human", "rated.tsv", "--json"]
    by_pair, by_lang = (run(*words, *flag).out for flag in (["-l", "en-ja"], ["--lang", "ja"]))
    assert by_pair == by_lang != run(*words).out
