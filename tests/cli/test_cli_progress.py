"""The progress bar, seen by a terminal."""

import gzip
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

import celab
from celab.base.errors import OptionError
from celab.cli import batches, progress, score

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
            if progress is not None:
                progress(done, len(hyps))
        halves = Segments(np.full((len(refs), len(hyps), 3), 0.5))
        return {name: Score.of(halves, self.signature)}

celab.metrics.celab.TeslaCelab = Slow
progress.DELAY = float(sys.argv.pop(1))
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
    assert seen.splitlines()[-2].endswith(
        "celab-score: note: hypothesis hyp.zh, references ref1.zh ref2.zh, 4 segments"
    )
    assert seen.splitlines()[-1] == "celab-score: note: for several systems, use -r and -s"


@pytest.mark.parametrize("arguments", [["60"], ["0.05", "--quiet"]])
def test_no_bar_for_others(arguments):
    _, seen = on_a_terminal(*arguments, *FILES)
    assert "scoring" not in seen


def test_no_bar_without_a_terminal():
    done = subprocess.run(
        [sys.executable, "-c", SLOW, "0.05", *FILES], capture_output=True, timeout=60
    )
    assert re.fullmatch(rb"(celab-score: note: [^\n]*\n){2}", done.stderr)


@pytest.fixture
def screen(monkeypatch):
    """What a terminal of 80 columns gets, which every bar is shown on."""
    told = io.StringIO()
    terminal = Console(file=told, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr("rich.console.Console", lambda **_: terminal)
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    return told


def test_the_bar_is_gone_before_an_error_is_told(screen):
    with pytest.raises(OptionError), progress.ProgressBar(3) as bar:
        bar.show()
        assert bar.bar.live.is_started
        raise OptionError("x")
    assert not bar.bar.live.is_started


def test_a_bar_is_not_shown_after_the_end(screen):
    with progress.ProgressBar(0, "aligning") as bar:
        pass
    bar.show()  # as a timer that was late would
    assert bar.bar is None
    with progress.show(0, "aligning", quiet=True) as bar:
        assert bar is None


# ---- what it says ----


@pytest.mark.parametrize(
    ("unit", "n_done", "total", "is_estimate", "told"),
    [
        ("segments", 412_000, 1_000_000, False, "412,000/1,000,000 segments"),
        ("segments", 412_000, 1_000_000, True, "412,000/~1,000,000 segments"),
        ("sentences", 130, 0, False, "130 sentences"),
        ("bytes", 12_000_000, 357_000_000, False, "12.0/357.0 MB"),
        ("segments", 0, 9, False, ""),
    ],
)
def test_how_much_is_done(unit, n_done, total, is_estimate, told):
    bar = progress.ProgressBar(total, "scoring", unit)
    bar.is_estimate = is_estimate
    bar(n_done)
    assert bar.done == told


@pytest.mark.parametrize("title", ["scoring", "中文词典" * 30, "a\x1b[2Jb [/red]"])
def test_a_bar_is_one_line_with_title_figures_and_time(screen, title):
    with progress.ProgressBar(10_000_000, title) as bar:
        bar(4_120_000)
        bar.show()
        bar(4_130_000)
        shown = Console(file=io.StringIO(), width=80, color_system=None)
        shown.print(bar.bar.get_renderable())
    (line,) = shown.file.getvalue().rstrip("\n").split("\n")
    assert cell_len(line) <= 80 and "\x1b" not in line
    if title == "scoring":
        assert line.startswith("scoring ━") and "4,130,000/10,000,000 segments -:--:--" in line


def test_stages_have_titles_of_their_own(screen):
    with progress.ProgressBar(0, "reading", then="checking outputs") as bar:
        bar.show()
        bar.begin("scoring", then="checking outputs")
        (task,) = bar.bar.tasks
        assert (task.description, task.total) == ("scoring", None)
        bar(7, 9)
        assert (task.completed, task.total, task.fields["done"]) == (7, 9, "7/9 segments")
        bar(9, 9)
        (task,) = bar.bar.tasks
        assert (task.description, task.completed, task.total) == ("checking outputs", 0, None)


# ---- the total of segments ----


@pytest.fixture
def told(monkeypatch):
    calls = []

    class Bar(progress.ProgressBar):
        def __call__(self, n_done, total=None):
            super().__call__(n_done, total)
            calls.append((n_done, self.total, self.is_estimate))

    monkeypatch.setattr(batches, "STREAM_BATCH", 100)
    monkeypatch.setattr(progress, "ProgressBar", Bar)
    monkeypatch.setattr(progress, "DELAY", 3600)
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    return calls


def streamed(*words):
    assert score.main(["--segments", "--lexicon=none", "-o", "out.tsv", *words]) == 0


def test_the_total_is_counted_if_a_file_can_be(told):
    Path("ref.zh").write_text("买雨伞\n" * 250, "utf-8")
    Path("hyp.gz").write_bytes(gzip.compress("买伞\n".encode() * 250))
    streamed("ref.zh", "hyp.gz")
    assert [call for call in told if call[0] % 100 == 0] == 2 * [(100, 250, False)] + 2 * [
        (200, 250, False)
    ]
    assert told[-1] == (250, 250, False)


def test_the_total_is_estimated_from_the_size_of_a_compressed_file(told, monkeypatch):
    monkeypatch.setattr(batches, "STREAM_BATCH", 2000)
    texts = "".join(f"{hash_of(i)}\n" for i in range(20_000))
    for name in ("ref.gz", "hyp.gz"):
        Path(name).write_bytes(gzip.compress(texts.encode()))
    streamed("ref.gz", "hyp.gz")
    assert all(is_estimate for _, _, is_estimate in told)
    half = next(total for n_done, total, _ in told if n_done >= 10_000)
    assert half == pytest.approx(20_000, rel=0.3)  # by what was read ahead
    assert told[-1][:2] == (20_000, 20_000)


def hash_of(number):
    """Letters that no program can compress."""
    return "".join(chr(0x4E00 + (number * 7919 * k + k**5) % 20_000) for k in range(1, 9))


def test_pipes_have_no_total(told):
    for name in ("ref.zh", "hyp.zh"):
        Path(name).write_text("买雨伞\n" * 250, "utf-8")
        os.mkfifo(f"{name}.pipe")
    writers = [
        subprocess.Popen(["sh", "-c", f"cat {name} > {name}.pipe"]) for name in ("ref.zh", "hyp.zh")
    ]
    streamed("ref.zh.pipe", "hyp.zh.pipe")
    assert [writer.wait(10) for writer in writers] == [0, 0]
    assert told[-1] == (250, 0, True)


def test_no_bar_between_rows_that_a_terminal_shows(monkeypatch):
    assert not batches._is_on_terminal("out.tsv")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not batches._is_on_terminal(None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert batches._is_on_terminal(None)
