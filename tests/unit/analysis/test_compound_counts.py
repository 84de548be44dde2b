"""Compounds by the counts of a user's file: names, errors, and the way to another process."""

import gzip
import hashlib
import importlib.metadata
import pickle
import re

import pytest

from celab.analysis import languages, model
from celab.analysis.compounds import Compounds, split_compound, stem_of
from celab.analysis.languages import Cached, analyser
from celab.base.errors import InputError, OptionError

TABLE = b"regen\t50\nschirm\t20\nbahn\t30\nstrasse\t40\nregenbahn\t1000\n"


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "my counts.tsv"
    path.write_bytes(TABLE)
    return path


def test_the_frequencies_of_wordfreq_are_named_with_their_version():
    compounds = Compounds()
    assert compounds.name == f"compounds@wordfreq-{importlib.metadata.version('wordfreq')}"
    assert compounds("Regenschirm") == split_compound("Regenschirm") == ("Regen", "schirm")


def test_counts_decide_and_are_named_with_their_digest(counts):
    compounds = Compounds(counts)
    digest = hashlib.sha256(TABLE).hexdigest()
    assert compounds.name == Compounds(str(counts)).name == f"compounds@my_counts@{digest[:12]}"
    assert compounds("Regenschirm") == ("Regen", "schirm")
    assert compounds("Regenbahn") == ("Regenbahn",)  # more frequent than its parts
    assert compounds("Straßenbahn") == ("Straße", "bahn")
    assert compounds("Verkehrsunfall") == ("Verkehrsunfall",)  # parts that were not counted


def test_the_digest_is_of_the_bytes_on_disk(tmp_path, counts):
    packed = tmp_path / "my counts.tsv.gz"
    packed.write_bytes(gzip.compress(TABLE))
    name = Compounds(packed).name
    assert name == f"compounds@my_counts@{hashlib.sha256(packed.read_bytes()).hexdigest()[:12]}"
    assert Compounds(packed)("Regenschirm") == Compounds(counts)("Regenschirm")


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/b.tsv", "b"),
        ("b.tsv.gz", "b"),
        ("news.2019.de", "news.2019"),
        ("b", "b"),
        ("B.TSV.XZ", "B"),
        ("a b|c:d@e+f,g.txt", "a_b_c_d_e_f_g"),
        ("\udcff.de", "?"),
    ],
)
def test_a_stem_fits_a_signature(path, stem):
    assert stem_of(path) == stem


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.tsv", None, "missing.tsv does not exist; it must be"),
        ("", None, "is a directory; it must be"),
        ("c.tsv", b"Regen\tviel\n", r"c\.tsv, line 1: .* is not a word, a tab and a count"),
        ("c.tsv", b"Regen\t0\n", r"c\.tsv: the counts of 1 words add up to 0.0; they must be"),
        ("c.tsv", b"a\t1\nb\t1e308\n", r"c\.tsv, line 2: .* is not a word, a tab and a count"),
        ("c.de", b"12\n", r"c\.de has no words; it must be"),
        ("c.de", b"Regen\n\xff\n", r"c\.de, line 2: byte 0xFF"),
    ],
)
def test_a_bad_file_is_told_at_once(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        Compounds(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_standard_input_cannot_be_read_again():
    with pytest.raises(InputError, match=r"counts is standard input.*it must be a file"):
        Compounds("-")


def test_a_missing_package_is_told_at_once_unless_counts_are_given(counts, monkeypatch):
    def version(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(model.importlib.metadata, "version", version)
    with pytest.raises(OptionError, match=r"'wordfreq' is not installed.*pip install celab\[de\]"):
        Compounds()
    assert Compounds(counts)("Regenschirm") == ("Regen", "schirm")


# To another process


def test_what_is_sent_is_short_and_splits_the_same(counts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for compounds in (Compounds(), Compounds(counts.name)):
        compounds("Regenschirm")  # so that there is something not to send
        sent = pickle.dumps(compounds)
        assert len(sent) < 1000
        monkeypatch.chdir("/")  # a path is found from anywhere
        received = pickle.loads(sent)
        assert received.name == compounds.name
        for word in ("Regenschirm", "Regenbahn", "Straßenbahn", "Verkehrsunfall"):
            assert received(word) == compounds(word)
        monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("content", [TABLE + b"haus\t3\n", None])
def test_a_file_that_has_changed_is_refused_there_and_not_here(counts, content):
    compounds = Compounds(counts)
    sent = pickle.dumps(compounds)
    if content is None:
        counts.unlink()
    else:
        counts.write_bytes(content)
    why = "does not exist" if content is None else "has changed while it was in use .sha256"
    with pytest.raises(InputError, match=f"{re.escape(str(counts))} {why}"):
        pickle.loads(sent)("Regenschirm")
    assert compounds("Regenschirm") == ("Regen", "schirm")


def test_workers_split_as_this_process_does(counts, monkeypatch):
    pytest.importorskip("HanTa")
    pytest.importorskip("simplemma")
    monkeypatch.setattr(languages, "WORTH_WORKERS", 100)
    sentences = [f"Die Regenbahn und {i} Regenschirme mit Regenschirm." for i in range(150)]
    german = analyser("de", splitter=Compounds(counts))
    assert f",{Compounds(counts).name}" in german.name
    by_workers = Cached(german)
    assert by_workers._worth_workers(150)
    found = by_workers.analyse(sentences, jobs=2)
    assert found == german.analyse(sentences)
    forms = [word.form for word in found[0]]
    assert "Regenbahn" in forms and forms[-3:] == ["Regen", "Schirm", "."]


def test_workers_say_that_the_file_has_changed(counts, monkeypatch):
    pytest.importorskip("HanTa")
    pytest.importorskip("simplemma")
    monkeypatch.setattr(languages, "WORTH_WORKERS", 100)
    cached = Cached(analyser("de", splitter=Compounds(counts)))
    counts.write_bytes(TABLE + b"haus\t3\n")
    with pytest.raises(InputError, match="has changed while it was in use"):
        cached.analyse([f"{i} Regenschirme" for i in range(150)], jobs=2)
