"""Our own lexicons have no faults, and the package has them."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

import pytest
from conftest import ROOT

import celab
from celab.lexicon import catalog

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
    thesaurus = catalog.load(catalog.locate(name))
    assert thesaurus.sources[0].licence == "Apache-2.0"
    assert len(thesaurus.groups) >= check.LEAST_GROUPS[name]
    metric = celab.TeslaCelab(lexicon=name)
    assert f"lex:{name}@" in metric.signature
