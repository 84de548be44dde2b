"""`celab compare`: two systems by several metrics; what it and `celab explain` print fits."""

import re

import pytest
from conftest import ROOT
from rich.cells import cell_len

from celab.cli import compare, explain

COMMAND = compare
REF, A, B = (f"examples/{name}.zh" for name in ("ref1", "hyp1", "hyp2"))
SCREEN = 40  # lines


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


def test_the_default_fits_a_screen(run):
    assert run(REF, A, B).out.count("\n") <= SCREEN
    assert run(REF, B, A).out.count("\n") <= SCREEN
    assert max(map(cell_len, table_and_examples(run(REF, A, B).out))) <= 80


def table_and_examples(out):
    return [line for line in out.splitlines() if "|" not in line]


@pytest.mark.thorough
def test_the_default_fits_a_screen_on_published_data(run, shared):
    data = shared / "data" / "wmt24-enzh-esa"
    files = [data / "ref-A.txt", *(data / "hyp" / f"{name}.txt" for name in ("GPT-4", "Aya23"))]
    out = run("-q", *files).out
    assert out.count("\n") <= SCREEN
    assert max(map(cell_len, table_and_examples(out))) <= 80
    lines = [line for line in out.splitlines() if re.match(r" +[0-9]+  [+-]", line)]
    assert [line.split()[1][0] for line in lines] == ["+"] * 3 + ["-"] * 3
    refs = files[0].read_text("utf-8").splitlines()
    chosen = [refs[int(line.split()[0]) - 1] for line in lines]
    assert min(len("".join(ref.split())) for ref in chosen) >= 10
    with_documents = run("-q", *files, "--documents", data / "docs.tsv").out
    assert out.split("\nScores measure")[0] == with_documents.split("\nTESLA-CELAB by document")[0]
    documents = with_documents.split("\nTESLA-CELAB by document")[1].splitlines()
    assert [line[:1] for line in documents[1:12]] == ["t"] * 5 + ["-"] + ["t"] * 5
    assert with_documents.count("TESLA-CELAB by domain") == 1


def test_examples_are_neither_short_nor_near_duplicates(run, tmp_path):
    sentence = "我们明天坐火车去北京旅行，然后回家。"
    short, shortest = "天气晴朗我很高兴。", "他昨天买了把贵雨伞。"  # of 9 and of 10 characters
    refs = [sentence, sentence.replace("明天", "后天"), short, shortest]
    texts = {"ref": refs, "a": refs, "b": ["无"] * 4}
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    paths = [tmp_path / name for name in texts]
    out = run("-q", "-m", "chrf", *paths).out
    assert re.findall(r"^ +([0-9]+)  [+-]", out, re.MULTILINE) == ["1", "4"]
    details = run("-q", "-m", "chrf", "--details", "--segments", "4", *paths).out
    assert re.findall(r"segment ([0-9]+):", details) == ["1", "2", "3", "4"]
    (tmp_path / "ref").write_text("雨。\n" * 4, "utf-8")  # all short, and all the same
    (tmp_path / "a").write_text("雨。\n" * 4, "utf-8")
    assert re.findall(r"^ +([0-9]+)  [+-]", run("-q", "-m", "chrf", *paths).out, re.M) == ["1"]


def test_examples_begin_where_the_texts_differ(run, tmp_path):
    same = "甲乙丙丁戊己庚辛壬癸" * 5
    texts = {"ref": same + "雨伞", "a": same + "雨伞", "b": same + "太阳"}
    for name, line in texts.items():
        (tmp_path / name).write_text(f"{line}\n", "utf-8")
    out = run("-q", "-m", "chrf", *(tmp_path / name for name in texts)).out
    assert re.findall(r" (a|b|ref) +(….*)", out) == [
        ("a", "…戊己庚辛壬癸雨伞"),
        ("b", "…戊己庚辛壬癸太阳"),
        ("ref", "…戊己庚辛壬癸雨伞"),
    ]


def test_a_third_system_that_looks_like_a_reference_is_refused(run):
    other = "examples/ref2.zh"
    told = run(REF, other, A, B, code=2)
    assert told.out == "" and told.err.count("\n") == 1
    assert f"compare -r {REF} {other} -s {A} {B}" in told.err
    assert f"celab score -r {REF} -s {other} {A} {B}" in told.err
    for files in (["-r", REF, other, "-s", A, B], [REF, other, "-s", A, B], [REF, A, B]):
        assert "\ncelab compare: note: 2 systems" in run("-m", "chrf", *files).err


def test_an_explanation_fits_the_terminal(tmp_path, capsys):
    texts = {
        "long": "他昨天在车站附近买了一把新雨伞，" * 8,
        "other": "我昨天在车站旁边买了一把伞，" * 9,
    }
    for name, line in texts.items():
        (tmp_path / name).write_text(f"{line}\n", "utf-8")
    long, other = (str(tmp_path / name) for name in texts)
    assert explain.main(["1", "--details", "-r", long, "-s", long, other]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("celab|")]
    assert max(map(cell_len, shown)) <= 80
    assert sum(line.startswith("ref  ") for line in shown) == 1
    assert sum(line.startswith("hyp  ") for line in shown) == 2


def test_versions_of_a_folder_are_in_natural_order(run, tmp_path):
    for version, outputs in {"v9": A, "v10": B}.items():  # the new one scores worse
        (tmp_path / f"{version}.zh").write_bytes((ROOT / outputs).read_bytes())
    done = run("-r", REF, "-s", tmp_path, "-m", "celab", "--fail-if-worse", code=1)
    assert "v10 scores 0.4151 by TESLA-CELAB, 0.4645 lower than v9" in done.err


def test_long_texts_are_folded_in_their_order(run, tmp_path):
    texts = {"ref": "公共汽车太挤，" * 12, "a": "公交车很挤，" * 12, "b": "不如租一辆自行车，" * 12}
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n", "utf-8")
    out = run("-q", "-m", "chrf", "--details", *(tmp_path / name for name in texts)).out
    shown = "".join(out.partition("segments with the largest")[2].split())
    assert all(text in shown for text in texts.values())
