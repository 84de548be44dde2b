"""`celab explain`: where the scores of some segments come from."""

from collections import namedtuple

import pytest
from conftest import ROOT
from rich.cells import cell_len

from celab.cli import explain

REF1, REF2, A, B = (f"examples/{name}.zh" for name in ("ref1", "ref2", "hyp1", "hyp2"))
Told = namedtuple("Told", "out err")


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments, code=0):
        assert explain.main(list(map(str, arguments))) == code
        return Told(*capsys.readouterr())

    return command


def test_each_reference_has_its_stack(run):
    out = run("5,9-10", "-r", REF1, REF2, "-s", A, B).out
    assert [line for line in out.splitlines() if line.startswith("segment ")] == [
        f"segment {n} of 20 against {ref}" for n in (5, 9, 10) for ref in ("ref1", "ref2")
    ]
    assert out.count("celab|") == 1
    assert "\nhyp1: mean of 2 references: score 0.5298  precision 0.5645" in out
    assert "\nhyp  (empty)\n" in out  # hyp2's segment 10
    one = run("5", "--only-refs", "ref2", "-r", REF1, REF2, "-s", A, B).out
    assert one.count("against") == 1 and "against ref2" in one


def test_it_fits_the_terminal(run, tmp_path):
    long = tmp_path / "long.zh"
    long.write_text("他昨天在车站附近买了一把新雨伞，" * 8 + "\n", "utf-8")
    other = tmp_path / "other.zh"
    other.write_text("我昨天在车站旁边买了一把伞，" * 9 + "\n", "utf-8")
    out = run("1", "--details", "-r", long, "-s", long, other).out
    shown = [line for line in out.splitlines() if not line.startswith("celab|")]
    assert max(map(cell_len, shown)) <= 80
    assert sum(line.startswith("ref  ") for line in shown) == 1
    assert sum(line.startswith("hyp  ") for line in shown) == 2


def test_controls_in_names_are_escaped(run, tmp_path):
    odd, even = tmp_path / "odd\x1b[31m.zh", tmp_path / "even.zh"
    for path in (odd, even):
        path.write_text("买伞\n", "utf-8")
    out = run("1", "-r", odd, even, "-s", odd, even).out
    assert "\x1b" not in out
    assert "against odd\\x1b[31m\n" in out
    assert "odd\\x1b[31m  score" in out
    assert "odd\\x1b[31m: mean of 2" in out
