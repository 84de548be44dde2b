"""`celab lexicon`, as its users type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import celab
from celab.cli import lexicon
from celab.cli import score as score_command
from celab.lexicon import store

ONE = "# licence: CC0\n雨伞\t伞\t# umbrella\n买\t购买\n"
TWO = "伞\t雨伞\n伞\t洋伞\n乱七八糟得不得了\t乱\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.tsv").write_text(ONE, "utf-8")
    Path("two.tsv").write_text(TWO, "utf-8")
    return tmp_path


@pytest.fixture
def run(capsys):
    def command(*arguments, code=0):
        assert lexicon.main(list(arguments)) == code
        return capsys.readouterr()

    return command


def test_build_info_lookup_and_score(run, capsys):
    told = run("build", "one.tsv", "two.tsv", "-o", "my.lex")
    assert (told.out, told.err) == ("", "celab lexicon: my.lex: 5 groups\n")
    assert "5, 2.0 words on average" in run("info", "my.lex").out
    told = run("lookup", "伞", "没有", "--lexicon", "my.lex").out
    assert told == (
        "伞: 3 groups\n  one.tsv line 2 (umbrella): 雨伞 伞\n  two.tsv line 1: 伞 雨伞\n"
        "  two.tsv line 2: 伞 洋伞\n没有: 0 groups\n"
    )
    Path("ref.zh").write_text("买雨伞\n", "utf-8")
    Path("hyp.zh").write_text("购买洋伞\n", "utf-8")
    assert score_command.main(["ref.zh", "hyp.zh", "--lexicon", "my.lex", "--explain", "1"]) == 0
    assert "one.tsv line 3" in capsys.readouterr().out


def test_a_built_lexicon_scores_as_its_source():
    lexicon.main(["build", "one.tsv", "-o", "my.lex", "--quiet"])
    built, plain = celab.TeslaCelab(lexicon="my.lex"), celab.TeslaCelab(lexicon="one.tsv")
    pair = "购买伞", ["买雨伞"]
    assert built.sentence_score(*pair) == plain.sentence_score(*pair)
    assert "lex:my.lex@" in built.signature


def test_merging_options(run):
    run("build", "one.tsv", "two.tsv", "-o", "t.lex", "--merge", "transitive")
    groups = [set(group.words) for group in store.read(Path("t.lex")).groups]
    assert {"雨伞", "伞", "洋伞"} in groups
    run("build", "one.tsv", "two.tsv", "-o", "k.lex", "--min-sources", "2")
    assert [set(g.words) for g in store.read(Path("k.lex")).groups] == [{"雨伞", "伞"}]
    told = run(
        "build", "one.tsv", "two.tsv", "-o", "m.lex", "--merge", "transitive", "--max-group", "2"
    )
    assert "1 groups of more than 2 words left out" in told.err


def test_words_too_long_to_match_are_reported(run):
    facts = json.loads(run("info", "two.tsv", "--json").out)
    assert (facts["words"], facts["unreachable"], facts["max_order"]) == (5, 1, 4)
    assert "20% of entries can never match at order 4" in run("info", "two.tsv").out
    assert json.loads(run("info", "two.tsv", "--json", "--max-order", "8").out)["unreachable"] == 0


def test_info_says_where_it_is_from(run):
    (source,) = json.loads(run("info", "one.tsv", "--json").out)["sources"]
    assert (source["name"], source["format"], source["licence"]) == ("one.tsv", "tsv", "CC0")
    assert "licence  CC0" in run("info", "one.tsv").out


def test_diff(run):
    facts = json.loads(run("diff", "one.tsv", "two.tsv", "--json").out)
    assert facts["pairs"] == {"both": 1, "only_a": 1, "only_b": 2}
    assert facts["examples"]["only_a"] == [["买", "购买"]]
    assert "+ 伞 = 洋伞" in run("diff", "one.tsv", "two.tsv").out


def test_export_can_be_read_again(run):
    run("build", "one.tsv", "-o", "my.lex")
    run("export", "my.lex", "--tsv", "-o", "again.tsv")
    assert run("export", "my.lex").out == Path("again.tsv").read_text("utf-8")
    words = [group.words for group in store.read(Path("my.lex")).groups]
    run("build", "again.tsv", "-o", "again.lex")
    assert [group.words for group in store.read(Path("again.lex")).groups] == words


def test_list_shows_name_licence_and_digest(run):
    listed = json.loads(run("list", "--json").out)
    rows = {row["name"]: row for row in listed if row["kind"] != "cached"}
    assert rows["zh-core"]["kind"] == "bundled"
    assert rows["zh-core"]["licence"] == "Apache-2.0"
    assert len(rows["de-core"]["digest"]) == 64
    assert "research" in rows["cilin"]["licence"]
    assert "zh-core" in run("list").out


def test_fetch_lists_what_it_knows_and_asks_before_it_downloads(run):
    assert "CC BY-SA" in run("fetch").out
    name = run("fetch").out.split()[0]
    told = run("fetch", name, code=2)
    assert "licence" in told.err.splitlines()[0]
    assert "the licence was not accepted" in told.err.splitlines()[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no command is given"),
        (["frob"], "'frob' is not a command of celab lexicon; it must be one of: build, info"),
        (["build", "one.tsv"], "--output"),
        (["build", "absent.tsv", "-o", "x.lex"], "absent.tsv"),
        (["build", "one.tsv", "-o", "no/such/x.lex"], "its folder does not exist"),
        (["build", "one.tsv", "-o", "x.lex", "--max-group", "1"], "from 2 to"),
        (["build", "one.tsv", "-o", "x.lex", "--format", "xyz"], "'xyz' is not known"),
        (["build", "one.tsv", "-o", "x.lex", "--min-sources", "3"], "no group is left"),
        (["info", "absent"], "'absent' does not exist"),
        (["lookup", "伞", "--lexicon", "absent"], "'absent' does not exist"),
        (["fetch", "no-such-thing"], "'no-such-thing' is not a known source"),
    ],
)
def test_bad_input_gets_one_line(run, arguments, words):
    told = run(*arguments, code=2)
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("celab lexicon: error: ")
    assert words in line
    assert not Path("x.lex").exists()


def test_the_command_is_installed_and_helps():
    command = [sys.executable, "-m", "celab.cli.lexicon", "--help"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "build" in told.stdout
    command[-1:] = ["build", "--help"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert "--min-sources" in told.stdout


def test_a_huge_group_does_not_make_scoring_quadratic(tmp_path):
    # Linked are only words of the two sentences, however many the group has.
    words = [chr(0x4E00 + i) + chr(0x4E00 + j) for i in range(320) for j in range(320)]
    Path("huge.tsv").write_text("\t".join(words) + "\n", "utf-8")
    metric = celab.TeslaCelab(lexicon="huge.tsv")
    assert metric.sentence_score(words[5] + "甲", [words[7] + "甲"]).score == 1.0


def test_an_interrupted_build_leaves_nothing(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    Path("my.lex").write_text("what was there before", "utf-8")
    monkeypatch.setattr("celab.cli.lexicon.merge", interrupted)
    assert run("build", "one.tsv", "-o", "my.lex", code=130).err == "celab lexicon: interrupted\n"
    assert Path("my.lex").read_text("utf-8") == "what was there before"
    assert sorted(path.name for path in Path().iterdir()) == ["my.lex", "one.tsv", "two.tsv"]
