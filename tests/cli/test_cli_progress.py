"""The progress bar, seen by a terminal."""

import gzip
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import celab
from celab.base.errors import OptionError
from celab.cli import batches, drawn_bar, progress, score

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


# ---- what it says ----


class Clock:
    """Time that passes only when it is told to."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(progress, "time", clock := Clock())
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    return clock


def drawn(bar, width=80):
    """The bar as a terminal of so many columns shows it."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    started = drawn_bar.start(bar.title, bar.figures, console)
    started.update(started.task_ids[0], completed=bar.n_done, total=bar.total or None)
    shown = Console(file=io.StringIO(), width=width, color_system=None)
    shown.print(started.get_renderable())
    started.stop()
    return shown.file.getvalue().removesuffix("\n")


def test_total_rate_and_time_left(clock):
    bar = progress.ProgressBar(1_000_000)
    for second in range(1, 14):
        clock.now = 100 + second
        bar(32_000 * second)
    assert bar.figures() == "416,000/1,000,000 segments, 32,000/s, 0:00:18 left"
    clock.now += 5  # in which nothing is told
    assert bar.figures().endswith("0:00:13 left")
    clock.now += 60
    assert bar.figures().endswith("0:00:00 left")
    bar.is_estimate = True
    assert bar.figures().startswith("416,000/~1,000,000 segments, ")


def test_without_a_total_there_is_no_time_left(clock):
    bar = progress.ProgressBar()
    clock.now += 65
    assert bar.figures() == "0:01:05"
    bar(130)
    assert bar.figures() == "130 segments, 2/s"


def test_steps_may_take_longer_than_the_rate_is_remembered(clock):
    bar = progress.ProgressBar(4, "reranking", "sentences")
    for n_done, left in ((1, "0:02:30"), (2, "0:01:40"), (3, "0:00:50")):
        clock.now += 50
        bar(n_done)
        assert bar.figures() == f"{n_done}/4 sentences, 0.02/s, {left} left"


def test_bytes_are_megabytes(clock):
    bar = progress.ProgressBar(357_000_000, "zh.xml.bz2", "bytes")
    clock.now += 10
    bar(12_000_000)
    assert bar.figures() == "12.0/357.0 MB, 1.2 MB/s, 0:04:48 left"


def test_what_was_done_before_says_nothing_of_the_rate(clock):
    bar = progress.ProgressBar(100_000)
    clock.now += 1
    bar.forget(90_000)
    clock.now += 10
    bar(91_000)
    assert bar.figures() == "91,000/100,000 segments, 100/s, 0:01:30 left"


def test_stages_have_titles_of_their_own(clock):
    bar = progress.ProgressBar(0, "reading", then="checking outputs")
    assert (bar.title, bar.figures()) == ("reading", "0:00:00")
    bar.begin("scoring", then="checking outputs")
    bar(7, 9)
    assert (bar.title, bar.n_done, bar.total) == ("scoring", 7, 9)
    bar(9, 9)
    clock.now += 3
    assert (bar.title, bar.figures(), bar.total) == ("checking outputs", "0:00:03", 0)


@pytest.mark.parametrize("width", [200, 80, 60, 40, 20, 5])
@pytest.mark.parametrize(
    ("title", "unit", "end"),
    [
        ("scoring", "segments", " 4,120,000/10,000,000 segments, 410,000/s, 0:00:14 left"),
        ("中文词典" * 30, "bytes", " 4.1/10.0 MB, 0.4 MB/s, 0:00:14 left"),
    ],
)
def test_it_is_one_line_that_leaves_the_last_column_free(clock, width, title, unit, end):
    bar = progress.ProgressBar(10_000_000, title, unit)
    clock.now += 10
    bar(4_120_000)
    (line,) = drawn(bar, width).split("\n")
    assert Console(width=width).measure(line).maximum < width
    if width >= 80:
        assert line.endswith(end)
        assert "━" in line


def test_work_that_never_calls_has_a_bar(clock, monkeypatch):
    monkeypatch.setattr(drawn_bar, "Console", lambda **_: Console(file=io.StringIO()))
    with progress.ProgressBar(0, "aligning") as bar:
        bar._timer.function()
        assert bar.bar.live.is_started
    assert not bar.bar.live.is_started
    bar.show()  # as a timer that was late would
    assert not bar.bar.live.is_started
    with progress.show(0, "aligning", quiet=True) as bar:
        assert bar is None


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
    monkeypatch.setattr(progress, "PATIENCE", 3600)
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
