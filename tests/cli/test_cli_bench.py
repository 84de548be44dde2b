"""`celab bench`, as its users type it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import fake_solvers
import pytest
from conftest import ROOT

from celab.benchmark import solvers
from celab.benchmark.solvers import SOLVERS, Solver
from celab.cli import bench

COMMAND = bench
QUICK = ("--rounds", "1", "--solvers", "highs")
REF, HYP = (str(ROOT / "examples" / name) for name in ("ref1.zh", "hyp1.zh"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(solvers, "_SHORTEST", 0.002)  # seconds; in this process


def test_files(run):
    told = run(REF, HYP, "--lexicon", "none", "--json", *QUICK)
    found = json.loads(told.out)
    assert found["corpus"]["origin"] == f"{HYP} against {REF}"
    assert found["corpus"]["pairs"] == len(Path(REF).read_text("utf-8").splitlines())
    assert [one["name"] for one in found["solvers"]] == ["reduction", "highs"]
    assert "lex:none" in found["signature"]


def test_several_systems_and_a_sample(run):
    told = run(
        REF, HYP, HYP.replace("hyp1", "hyp2"), "--pairs", "3", "--lexicon", "none", "--json", *QUICK
    )
    corpus = json.loads(told.out)["corpus"]
    assert (corpus["pairs"], corpus["origin"]) == (3, f"2 systems against {REF}")


def test_real_translations(run, shared):
    folder = shared / "data" / "wmt21-enzh-sys"
    if not folder.is_dir():
        pytest.skip("wmt21-enzh-sys is not in ../shared/data: no real translations to solve")
    systems = sorted(map(str, (folder / "hyp").glob("*.txt")))[:3]
    told = run(str(folder / "ref-A.txt"), *systems, "--pairs", "12", "--json", *QUICK)
    found = json.loads(told.out)
    assert found["solvers"][1]["state"] == "agrees"
    assert found["steps"]["pairs"]["settled"] < 1
    assert found["sizes"]["nonzeros"]["mean"] > 500


def test_growth_and_plot(run):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: nothing can be drawn")
    told = run("--pairs", "3", "--lengths", "6,4", "--plot", "a.svg", "--json", "--quiet", *QUICK)
    found = json.loads(told.out)
    assert [one["length"] for one in found["growth"]["lengths"]] == [4, 6]
    assert set(found["growth"]["exponents"]) == {"reduction", "highs"}
    picture = ElementTree.parse("a.svg").getroot()
    labels = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"reduction", "highs", "4", "6", "µs per pair"} <= labels
    assert told.err == ""


def test_markdown(run):
    told = run("--pairs", "1", "--length", "5", "--markdown", *QUICK)
    assert ": 1 pair, 3.0 tokens per reference; 1 round\n" in told.out
    assert "| solver | version | pairs/s |" in told.out
    told = run("--pairs", "2", "--rounds", "2", "--solvers", "highs")
    assert ": 2 pairs, " in told.out and "; medians of 2 rounds\n" in told.out


def test_a_wrong_solver_gives_exit_code_1(run, monkeypatch):
    monkeypatch.setitem(SOLVERS, "liar", Solver("liar", "numpy", fake_solvers.liar, ""))
    told = run("--pairs", "3", "--rounds", "1", "--solvers", "liar,highs", code=1)
    assert "WRONG: values differ from the reduction's by more than 1e-06 of them" in told.out
    assert "liar wrong: 3 of 3 pairs; the value of pair 1 is" in told.out


def test_a_slow_solver_is_no_error(run, monkeypatch):
    monkeypatch.setitem(SOLVERS, "slow", Solver("slow", "numpy", fake_solvers.hanging, ""))
    told = run("--pairs", "3", "--rounds", "1", "--solvers", "slow", "--timeout", "1")
    assert "slow timed out: after 1 s" in told.out
    assert "no solver was compared with the reduction" in told.out
