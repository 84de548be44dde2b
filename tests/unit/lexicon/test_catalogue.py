"""Thesauri: stored, merged, found by name."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab.base.errors import LexiconError
from celab.lexicon import catalogue, store
from celab.lexicon.merging import merge
from celab.lexicon.model import Group, Provenance, Settings, Thesaurus
from celab.lexicon.source import SourceFile

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)
SOURCE = Provenance("a.tsv", "tsv", "by hand", "CC0", "1", "0" * 64)


def thesaurus(*groups, name="a.tsv"):
    source = Provenance(name, "tsv", "by hand", "CC0", "1", "0" * 64)
    return Thesaurus(
        name, [source], [Group(f"line {n}", tuple(g.split())) for n, g in enumerate(groups, 1)]
    )


def words_of(merged):
    return [" ".join(group.words) for group in merged.thesaurus.groups]


# ---- the file ----


@given(st.lists(st.lists(WORD, min_size=2, unique=True), min_size=1))
def test_what_is_stored_comes_back(tmp_path_factory, groups):
    path = tmp_path_factory.mktemp("store") / "x.lex"
    made = Thesaurus("x", [SOURCE], [Group(f"g{n}", tuple(g)) for n, g in enumerate(groups)])
    store.write(made, path)
    assert store.load(path) == made
    first = path.read_bytes()
    store.write(made, path)
    assert path.read_bytes() == first


HEAD = {"name": "x", "sources": [asdict(SOURCE)]}


@pytest.mark.parametrize(
    ("head", "body", "seen"),
    [
        (HEAD, "x\tlabel\ta\tb\n", "line 3 begins with 'x\\\\tlabel"),
        (HEAD, "0\tlabel\ta\tb\n1\tlabel\ta\tb\n", "line 4 begins with '1"),
        (HEAD, "\n", "line 3 begins with ''"),
        (HEAD | {"sources": []}, "0\tlabel\ta\tb\n", "line 3"),
        (HEAD | {"sources": 1}, "", "its header cannot be read"),
        (HEAD | {"name": None}, "", "its header cannot be read"),
        (HEAD | {"sources": [{"name": "x"}]}, "", "its header cannot be read"),
        (HEAD | {"sources": [asdict(SOURCE) | {"licence": {}}]}, "", "its header cannot be read"),
    ],
)
def test_a_digest_does_not_make_a_file_right(tmp_path, head, body, seen):
    # Found by fuzzing: whoever writes such a file by hand got a traceback.
    head = head | {"sha256": hashlib.sha256(body.encode()).hexdigest()}
    path = tmp_path / "x.lex"
    path.write_text(f"celab-lexicon 1\n{json.dumps(head)}\n{body}", "utf-8")
    with pytest.raises(LexiconError, match=f"x.lex is damaged: {seen}"):
        store.load(path)


def test_a_head_without_end_is_damaged(tmp_path):
    path = tmp_path / "x.lex"
    path.write_text("celab-lexicon 1\n" + "[" * 100_000, "utf-8")
    with pytest.raises(LexiconError, match="its header cannot be read"):
        store.load(path)


def test_tabs_and_line_ends_in_words_do_no_harm(tmp_path):
    made = Thesaurus("x", [SOURCE], [Group("a\tb", ("c\nd", "New York"))])
    store.write(made, tmp_path / "x.lex")
    assert store.load(tmp_path / "x.lex").groups == [Group("a b", ("c d", "New York"))]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data.replace(b"celab-lexicon 1", b"celab-lexicon 7", 1), "a newer celab"),
        (lambda data: data.replace("伞".encode(), "算".encode()), "is damaged"),
        (lambda data: data[:-4], "is damaged"),
        (lambda data: data.replace(b'"name"', b'"nome"', 1), "header cannot be read"),
        (lambda data: data[:20], "header cannot be read"),
    ],
)
def test_a_damaged_or_newer_file_is_refused(tmp_path, damage, words):
    path = tmp_path / "x.lex"
    store.write(thesaurus("雨伞 伞"), path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LexiconError, match=words) as caught:
        catalogue.load(catalogue.locate(path))
    assert str(path) in str(caught.value)


def test_a_failed_write_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(LexiconError, match="cannot be written"):
        store.write(thesaurus("雨伞 伞"), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


# ---- merging ----


def test_union_keeps_groups_apart():
    merged = merge([thesaurus("a b"), thesaurus("b c", "d e", name="b.tsv")], "m")
    assert words_of(merged) == ["a b", "b c", "d e"]
    names = [merged.thesaurus.sources[g.source].name for g in merged.thesaurus.groups]
    assert names == ["a.tsv", "b.tsv", "b.tsv"]


def test_transitive_joins_what_shares_a_word():
    merged = merge([thesaurus("a b", "x y"), thesaurus("c d", "b c")], "m", mode="transitive")
    assert sorted(sorted(words.split()) for words in words_of(merged)) == [
        ["a", "b", "c", "d"],
        ["x", "y"],
    ]


def test_a_chain_in_a_circle_is_one_group():
    merged = merge([thesaurus("a b", "b c", "c a")], "m", mode="transitive")
    assert words_of(merged) == ["a b c"]


def test_large_groups_can_be_left_out():
    merged = merge([thesaurus("a b c", "d e")], "m", max_group=2)
    assert (words_of(merged), merged.too_large) == (["d e"], 1)


def test_pairs_on_which_sources_agree():
    merged = merge([thesaurus("a b c"), thesaurus("c a"), thesaurus("b x")], "m", min_sources=2)
    assert words_of(merged) == ["a c"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=8))
def test_transitive_groups_share_no_word(groups):
    merged = merge([thesaurus(*(" ".join(g) for g in groups))], "m", mode="transitive")
    members = [word for group in merged.thesaurus.groups for word in group.words]
    assert len(members) == len(set(members))
    assert set(members) == {word for group in groups for word in group}


# ---- files ----


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_sources_are_unpacked_by_content(tmp_path, pack):
    path = tmp_path / "whatever.tsv"
    path.write_bytes(pack("雨伞\t伞\r\n".encode()))
    assert catalogue.load(catalogue.locate(path)).groups == [Group("line 1", ("雨伞", "伞"))]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_cut_off_file_is_refused(tmp_path, pack):
    path = tmp_path / "cut"
    path.write_bytes(pack("雨伞\t伞\n".encode() * 999)[:-9])
    with pytest.raises(LexiconError, match=r"cannot be decompressed.*undamaged file") as caught:
        catalogue.load(catalogue.locate(path))
    assert str(path) in str(caught.value)


def test_progress_goes_to_the_end_of_the_file(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("雨伞\t伞\n" * 50_000, "utf-8")
    told = []
    catalogue.load(catalogue.locate(path), progress=told.append)
    assert told[-1] == path.stat().st_size


def test_what_cannot_be_read_is_remembered_or_raised(tmp_path):
    source = SourceFile(tmp_path / "x", "x", Settings())
    source.skip(3, "no tab")
    assert source.skipped == ["line 3: no tab"]
    with pytest.raises(LexiconError, match="line 3: no tab"):
        SourceFile(tmp_path / "x", "x", Settings(strict=True)).skip(3, "no tab")


# ---- names ----


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(LexiconError, match=r"'nope' does not exist.*cilin.*zh-core"):
        catalogue.locate("nope")


def test_an_unknown_format_is_told_by_its_first_line(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("what is this supposed to be\n", "utf-8")
    with pytest.raises(LexiconError, match=r"has an unknown format.*'what is this"):
        catalogue.load(catalogue.locate(path))
