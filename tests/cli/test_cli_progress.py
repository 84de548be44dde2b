"""The progress bar, seen by a terminal."""

import os
import re
import subprocess
import sys

import pytest

import celab
from celab.base.errors import OptionError
from celab.cli import progress

FILES = ["ref1.zh", "ref2.zh", "hyp.zh"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    for name in FILES:
        (tmp_path / name).write_text("买\n伞\n好\n的\n", "utf-8")


SLOW = """
import sys, time
import numpy as np
import celab.metrics.celab
from celab.cli import progress, score
from celab.metrics.scores import Score, Segments

class Slow(celab.metrics.celab.TeslaCelab):
    def corpus_scores(self, systems, refs, progress):
        ((name, hyps),) = systems.items()
        for done in range(len(hyps)):
            time.sleep(0.1)
            progress(done, len(hyps))
        return {name: Score.of(Segments(np.full((len(refs), len(hyps), 3), 0.5)), "slow")}

celab.metrics.celab.TeslaCelab = Slow
progress.PATIENCE = float(sys.argv.pop(1))
sys.exit(score.main())
"""


def on_a_terminal(*arguments):
    """stdout as bytes, and what a terminal at stderr was sent."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    settings = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=settings,
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 4096):
                seen += part
        except OSError:  # how Linux says that the other end has closed
            pass
        os.close(ours)
        out = process.stdout.read()
    assert process.returncode == 0
    return out, seen.decode()


def test_a_bar_for_who_has_waited():
    out, seen = on_a_terminal("0.05", *FILES)
    assert out.count(b"\n") == 2  # the score and its signature
    assert "scoring" in seen
    assert seen.splitlines()[-1].endswith(
        "celab-score: hypothesis hyp.zh, references ref1.zh ref2.zh, 4 segments;"
        " for several systems, use -r and -s"
    )


@pytest.mark.parametrize("arguments", [["60"], ["0.05", "--quiet"]])
def test_no_bar_for_others(arguments):
    _, seen = on_a_terminal(*arguments, *FILES)
    assert "scoring" not in seen


def test_no_bar_without_a_terminal():
    done = subprocess.run(
        [sys.executable, "-c", SLOW, "0.05", *FILES], capture_output=True, timeout=60
    )
    assert re.fullmatch(rb"celab-score: hypothesis [^\n]*\n", done.stderr)


def test_the_bar_is_gone_before_an_error_is_told(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    with pytest.raises(OptionError), progress.ProgressBar(3) as bar:
        bar(1)
        assert bar.bar is not None
        raise OptionError("x")
    assert not bar.bar.live.is_started
