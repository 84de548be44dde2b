"""`celab explain`: where the scores of some segments come from."""

import pytest
from conftest import ROOT
from rich.cells import cell_len

from celab.cli import explain

COMMAND = explain
REF1, REF2, A, B = (f"examples/{name}.zh" for name in ("ref1", "ref2", "hyp1", "hyp2"))


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")


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
