"""`celab mbr`, as it is typed and from within."""

import gzip
import json
import os

import pytest

import celab
from celab.cli import mbr, progress

COMMAND = mbr
NONE = ["--lexicon", "none"]
LISTS = """\
0 ||| 卖伞 ||| LM0= -9 ||| -1.5
0 ||| 买伞 ||| LM0= -8 ||| -2.5
0 ||| 买雨伞 ||| LM0= -7 ||| -3.5
1 ||| 天气好 ||| LM0= -1 ||| -1
1 ||| 天气好 ||| LM0= -2 ||| -2
2 ||| 好的
"""
BEST = "买雨伞\n天气好\n好的\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    (tmp_path / "lists.txt").write_text(LISTS, "utf-8")
    (tmp_path / "lists.txt.gz").write_bytes(gzip.compress(LISTS.encode()))
    records = [
        {"id": f"s{line.split(' ||| ')[0]}", "text": line.split(" ||| ")[1]}
        for line in LISTS.splitlines()
    ]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    (tmp_path / "lists.jsonl").write_text("".join(lines), "utf-8")


def test_a_reranked_list_is_a_list_again(run, tmp_path):
    out = run("--nbest", "lists.txt", *NONE).out
    (tmp_path / "again.txt").write_text(out, "utf-8")
    assert run("--quiet", "again.txt", *NONE) == (BEST, "")
    again = run("--nbest", "again.txt", *NONE).out.splitlines()
    assert [line.rsplit(" ||| ", 1)[0] for line in again] == out.splitlines()


UNPROVED = ["-m", "tesla-m", "--analysis", "surface", "--solver", "highs", "--on-error", "skip"]
UNPROVED += ["--time-limit", "1e-9", *NONE]


def test_what_is_not_proved_is_no_choice(run):
    told = run(*UNPROVED, "lists.txt", code=3)
    assert told.out == "\n\n\n"
    remark = "3 sentences without a choice, because no optimum was proved: 0, 1, 2"
    assert told.err.startswith(f"celab mbr: finding: {remark}\n")
    quiet = run(*UNPROVED, "--quiet", "lists.txt", code=3)
    assert quiet == ("\n\n\n", f"celab mbr: finding: {remark}\n")
    assert run(*UNPROVED, "--quiet", "--nbest", "lists.txt", code=3).out == ""
    sentences = json.loads(run(*UNPROVED, "--json", "lists.txt", code=3).out)["sentences"]
    assert sentences == [{"id": i, "best": None, "candidates": []} for i in range(3)]
    assert run(*UNPROVED, "-o", "best.txt", "lists.txt", code=3).out == ""
    with open("best.txt", "rb") as file:
        assert file.read() == b"\n\n\n"


def test_many_sentences_without_a_choice_are_not_all_named(run, tmp_path):
    (tmp_path / "many.txt").write_text("".join(f"{i} ||| a\n" for i in range(7)), "utf-8")
    err = run(*UNPROVED, "--quiet", "many.txt", code=3).err
    assert err.endswith("no optimum was proved: 0, 1, 2, 3, 4, ...\n")


def test_sentences_without_candidates_are_named(run):
    with open("gaps.txt", "w", encoding="utf-8") as file:
        file.write("1 ||| a\n3 ||| b\n")
    told = run("gaps.txt", *NONE)
    assert told.out == "a\nb\n"
    assert "celab mbr: note: no candidates, so no output line, for 0, 2\n" in told.err
    with open("gaps.txt", "w", encoding="utf-8") as file:
        file.write("5 ||| a\n1000000000000 ||| b\n")
    assert "for 0, 1, 2, 3, 4, ...\n" in run("gaps.txt", *NONE).err


def test_what_lines_cannot_hold_json_can(run, tmp_path):
    (tmp_path / "odd.jsonl").write_text('{"id": "|||", "text": "a ||| \\nb"}\n', "utf-8")
    (sentence,) = json.loads(run("--json", "odd.jsonl", *NONE).out)["sentences"]
    assert (sentence["id"], sentence["best"]) == ("|||", "a ||| \nb")


# By hand: 900 pairs a sentence, 91 words each, 4e-7 s by words³. 150 are more than are looked at.
@pytest.mark.parametrize(("n_sentences", "time"), [(1, "5 minutes"), (150, "11 hours")])
def test_slow_ter_is_said_before_it_starts(run, tmp_path, monkeypatch, n_sentences, time):
    text = "买了一把很大的雨伞" * 10
    rows = (f"{i} ||| {text}{j}\n" for i in range(n_sentences) for j in range(30))
    (tmp_path / "long.txt").write_text("".join(rows), "utf-8")
    monkeypatch.setattr(mbr, "_rerank", lambda *_: ("", []))  # before which it must be told
    told = f"celab mbr: warning: long.txt: TER may take about {time}, because sacreBLEU searches"
    assert run("-q", "-m", "ter", "long.txt").err.startswith(told)
    assert "may take" not in run("-q", "-m", "chrf", "long.txt").err


def test_the_bar_is_told_of_each_sentence(run, monkeypatch):
    told = []

    class Bar(progress.ProgressBar):
        def __call__(self, done, total=None):
            told.append((self.title, done, self.total))

    monkeypatch.setattr(progress, "ProgressBar", Bar)
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    assert run("lists.txt", *NONE).out == BEST
    assert told == [("reranking", 1, 3), ("reranking", 2, 3), ("reranking", 3, 3)]
    told.clear()
    run("--quiet", "lists.txt", *NONE)
    assert told == []
