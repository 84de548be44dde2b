"""`celab compare`: two systems by several metrics."""

from collections import namedtuple

import pytest
from conftest import ROOT

from celab.cli import compare

REF, A, B = (f"examples/{name}.zh" for name in ("ref1", "hyp1", "hyp2"))
Told = namedtuple("Told", "out err")


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments, code=0):
        assert compare.main(list(map(str, arguments))) == code
        return Told(*capsys.readouterr())

    return command


def test_warnings_are_errors_if_strict(run, monkeypatch):
    monkeypatch.setattr("celab.lexicon.catalogue.installed_path", lambda name: None)
    assert "is used instead" in run("-m", "celab", REF, A, B).err
    assert "--strict makes this an error" in run("--strict", REF, A, B, code=2).err


def test_skipped_segments_are_told(run, tmp_path):
    texts = {"ref": "伞雨伞\n买伞\n", "a": "雨雨伞雨伞雨伞\n买伞\n", "b": "伞\n伞\n"}
    paths = []
    for name, text in texts.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text, "utf-8")
    hurried = ["-m", "celab", "--lexicon", "none", "--script", "keep", "--time-limit", "1e-9"]
    assert "no optimum" in run(*hurried, *paths, code=2).err
    told = run(*hurried, "--on-error", "skip", *paths, code=3)
    assert "1 of 2 segments left out" in told.out
    assert told.err.endswith("; 1 segment skipped, because no optimum was proved\n")
    page, text = tmp_path / "x.html", tmp_path / "x.txt"
    told = run(*hurried, "--on-error", "skip", "--html", page, "-o", text, *paths, code=2)
    assert "use a longer --time-limit" in told.err
    assert not page.exists() and not text.exists()
