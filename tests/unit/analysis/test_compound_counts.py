"""Compounds by the counts of a user's file: names, errors, and the way to another process."""

import gzip
import hashlib
import importlib.metadata
import pickle
import re
from pathlib import Path

import pytest

from celab.analysis import languages, model
from celab.analysis.compounds import Compounds, split_compound, stem_of
from celab.analysis.languages import CachedAnalyser, analyser
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


def test_counts_decide_and_are_named_with_the_digest_of_their_file(counts, tmp_path):
    packed = tmp_path / "my counts.tsv.gz"
    packed.write_bytes(gzip.compress(TABLE))
    for path in (counts, str(counts), packed):
        compounds = Compounds(path)
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        assert compounds.name == f"compounds@my_counts@{digest[:12]}"
        assert compounds("Regenschirm") == ("Regen", "schirm")
        assert compounds("Regenbahn") == ("Regenbahn",)  # more frequent than its parts
        assert compounds("Straßenbahn") == ("Straße", "bahn")
        assert compounds("Verkehrsunfall") == ("Verkehrsunfall",)  # parts that were not counted


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


def test_counts_must_be_of_a_file_and_add_up(tmp_path):
    with pytest.raises(InputError, match=r"counts is standard input.*it must be a file"):
        Compounds("-")
    (tmp_path / "c.tsv").write_bytes(b"Regen\t0\n")
    with pytest.raises(InputError, match=r"c\.tsv: the counts of 1 words add up to 0.0; they must"):
        Compounds(tmp_path / "c.tsv")


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
    why = ": no such file" if content is None else " has changed while it was in use .sha256"
    with pytest.raises(InputError, match=f"{re.escape(str(counts))}{why}"):
        pickle.loads(sent)("Regenschirm")
    assert compounds("Regenschirm") == ("Regen", "schirm")


def test_workers_split_as_this_process_does(counts, monkeypatch):
    pytest.importorskip("HanTa")
    pytest.importorskip("simplemma")
    monkeypatch.setattr(languages, "WORTH_WORKERS", 100)
    sentences = [f"Die Regenbahn und {i} Regenschirme mit Regenschirm." for i in range(150)]
    german = analyser("de", splitter=Compounds(counts))
    assert f",{Compounds(counts).name}" in german.name
    by_workers = CachedAnalyser(german)
    assert by_workers._worth_workers(150)
    found = by_workers.analyse(sentences, jobs=2)
    assert found == german.analyse(sentences)
    forms = [word.form for word in found[0]]
    assert "Regenbahn" in forms and forms[-3:] == ["Regen", "Schirm", "."]
    counts.write_bytes(TABLE + b"haus\t3\n")
    monkeypatch.setattr(languages, "WORTH_WORKERS", 10)
    with pytest.raises(InputError, match="has changed while it was in use"):  # in the only worker
        by_workers.analyse([f"{i} Regenschirme" for i in range(20)], jobs=2)
