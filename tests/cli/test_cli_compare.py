"""`celab compare`: two systems by several metrics."""

import json
import re
from collections import namedtuple

import pytest
from conftest import ROOT

import celab
from celab.cli import compare, main

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


def lines(path):
    return (ROOT / path).read_text("utf-8").splitlines()


def test_it_prints_what_the_library_compares(run):
    told = run(REF, A, B)
    names = ("hyp1", "hyp2")
    found = celab.compare(lines(A), lines(B), lines(REF), ["celab", "chrf", "bleu"], names=names)
    assert told.out == str(found)
    assert told.err == "celab compare: 2 systems, reference examples/ref1.zh, 20 segments\n"
    for words in ("two-sided", "95% interval", "W/T/L", "by reference characters"):
        assert words in told.out
    signatures = re.compile(r"^(celab|chrf|bleu)\|")
    shown = [line for line in told.out.splitlines() if not signatures.match(line)]
    from rich.cells import cell_len

    assert max(map(cell_len, shown)) <= 80


def test_both_ways_to_name_files(run):
    assert run("-r", REF, "-s", A, B, "--quiet") == (run(REF, A, B).out, "")
    more = run("-r", "examples/ref1.zh", "examples/ref2.zh", "-s", A, B)
    assert "references examples/ref1.zh examples/ref2.zh" in more.err


def test_settings(run):
    told = run(
        "--json",
        "-m",
        "celab",
        "--lexicon",
        "none",
        "--test",
        "randomization",
        "--resamples",
        50,
        "--seed",
        3,
        "--segments",
        1,
        REF,
        A,
        B,
    )
    (found,) = json.loads(told.out)["metrics"].values()
    given = (found["test"], found["n_resamples"], found["seed"], len(found["a_better"]))
    assert given == ("randomization", 50, 3, 1)
    assert found["sides"] == "two-sided"
    assert "lex:none" in found["signature"]


def test_documents_of_a_format(run):
    told = run("--quiet", "-m", "celab", "--segments", "0", "examples/campaign.xml")
    assert "TESLA-CELAB by document" in told.out
    assert "segments on which" not in told.out.partition("\n\n")[2].partition("\n\n")[2]


@pytest.mark.parametrize(
    ("flag", "start"),
    [("--tsv", "metric\tbucket\t"), ("--markdown", "| met"), ("--latex", "\\")],
)
def test_tables(run, flag, start):
    assert run(flag, "--quiet", REF, A, B).out.startswith(start)


def test_files(run, tmp_path):
    page, text = tmp_path / "report.html", tmp_path / "out.txt"
    told = run("-m", "celab", "--html", page, "-o", text, "--explained", 3, REF, A, B)
    assert told.out == ""
    assert "TESLA-CELAB" in text.read_text("utf-8")
    assert "<html" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "no files are given; use celab compare REF A B, celab compare -r REF... -s A B"),
        ([REF, A], f"only {REF} and {A} are given; use celab compare REF A B"),
        (["-r", REF, "-s", A], "1 system given; celab compare takes two, and celab score -r"),
        (["-r", REF, "-s", A, B, REF], "3 systems given; celab compare takes two"),
        (["-r", REF, "-s", A, A], "hyp1"),
        (["--segments", "-1", REF, A, B], "'-1' is given; it must be a whole number from 0"),
        (["--resamples", "39", REF, A, B], "whole number from 40 to"),
        (["--test", "bootstap", REF, A, B], "--test is 'bootstap'; did you mean 'bootstrap'?"),
        (["--json", "--tsv", REF, A, B], "--json and --tsv are both given"),
        (["-o", REF, REF, A, B], f"--output is {REF}, which is the same file as input {REF}"),
        (["--html", "absent/x.html", REF, A, B], "absent/x.html cannot be written"),
        (["--max-line", "1", REF, A, B], "--max-line"),
        ([REF, A, "absent.zh"], "absent.zh does not exist"),
    ],
)
def test_bad_input_is_one_line(run, arguments, told):
    out, err = run(*arguments, code=2)
    assert out == ""
    assert err.startswith("celab compare: error: ")
    assert told in err
    assert len(err.splitlines()) == 1


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


def test_as_a_command_of_celab(run, capsys):
    assert main.main(["compare", "--quiet", REF, A, B]) == 0
    assert capsys.readouterr().out == run("--quiet", REF, A, B).out
