"""Ctrl-C and SIGTERM end the work within a second, leave no trace, and nothing half-written."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT

from celab import TeslaCelab, TeslaM
from celab.base.run import Run
from celab.cli import score, terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

LATEST = 2.0  # seconds, on a busy machine
RNG = np.random.default_rng(11)
SHORT = "买伞", ["买雨伞"]


def text(n, letters=3000):
    """Characters as rare as those of Chinese: many links, none of them forced."""
    weights = 1 / np.arange(1, letters + 1)
    return "".join(map(chr, 0x4E00 + RNG.choice(letters, n, p=weights / weights.sum())))


def tagged(n):
    words = RNG.integers(0, 4 * n, n)
    return " ".join(f"w{word}|w{word}|T{word % 2}" for word in words.tolist())


LONG = text(15_000), text(15_000)
CROWDED = text(700, 4), text(700, 4)  # a program of a million entries
WORDS = tagged(4000), tagged(4000)


def celab_metric(**options):
    return TeslaCelab(lexicon=None, script="keep", **options)


def words_metric(**options):
    return TeslaM(analysis="tagged", lexicon=None, **options)


class Alarmed(Exception):
    pass


@pytest.fixture
def alarm():
    """Sends a signal to this process after a while, whose handler raises `Alarmed`."""

    def ring(*_):
        raise Alarmed

    before = signal.signal(signal.SIGALRM, ring)
    # Again and again: Python ignores an exception that a handler raises within a destructor.
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("make", "pair"),
    [
        pytest.param(celab_metric, LONG, id="links"),
        pytest.param(lambda: celab_metric(links="release-2012"), LONG, id="release"),
        pytest.param(lambda: celab_metric(solver="highs"), CROWDED, id="highs"),
        pytest.param(words_metric, WORDS, id="bags"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_kernel_is_interrupted_and_of_use_afterwards(make, pair, jobs, alarm):
    metric = make().with_run(jobs=jobs)
    n = 600  # segments, in several batches
    short = SHORT if isinstance(metric, TeslaCelab) else ("a|a|N b|b|V", ["a|a|N c|c|V"])
    usual = metric.sentence_score(*short)
    n_threads = threading.active_count()
    alarm(0.3)
    began = time.monotonic()
    with pytest.raises(Alarmed):
        metric.corpus_score([pair[0]] * n, [[pair[1]] * n])
    alarm(0)  # no more of them
    assert time.monotonic() - began < 0.3 + LATEST
    while threading.active_count() > n_threads:  # one that was being started is not waited for
        assert time.monotonic() - began < 0.3 + LATEST
        time.sleep(0.01)
    assert metric.sentence_score(*short) == usual


def test_a_failure_stops_the_other_threads():
    def work(item):
        if item:
            celab_metric().corpus_score([LONG[0]] * 50, [[LONG[1]] * 50])
        raise ValueError(item)

    began = time.monotonic()
    with pytest.raises(ValueError, match=r"^0$"):
        list(Run(jobs=2).map_in_order(work, [0, 1]))
    assert time.monotonic() - began < LATEST


# ---- the commands -----------------------------------------------------------------------------


def start(module, *arguments, cwd):
    """A command that has handled signals for a while, as the marker it was made to write says."""
    code = (
        "import sys\n"
        "sys.argv[0] = 'celab-x'\n"
        f"from celab.cli import {module} as command, terminal\n"
        "run = terminal.run\n"
        "def told(name, work, *given):\n"
        "    def begin(*given):\n"
        "        print('works', flush=True)\n"
        "        return work(*given)\n"
        "    return run(name, begin, *given)\n"
        "terminal.run = told\n"
        "sys.exit(command.main())\n"
    )
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=cwd,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    deadline = threading.Timer(60, process.kill)  # `readline` has none
    deadline.start()
    said = process.stdout.readline()
    deadline.cancel()
    assert said == "works\n"
    return process


def ended(process, number, latest=LATEST):
    """Exit code and standard error after the signal."""
    began = time.monotonic()
    process.send_signal(number)
    out, error = process.communicate(timeout=30)
    assert time.monotonic() - began < latest
    assert out == ""
    return process.returncode, error


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for name, line in zip(("ref", "hyp"), LONG, strict=True):
        (folder / name).write_text(f"{line}\n" * 20, encoding="utf-8")
    candidates = "".join(f"0 ||| {text(3000)} ||| x=1 ||| 1\n" for _ in range(20))
    (folder / "nbest").write_text(candidates, encoding="utf-8")
    return folder


NONE = ("--lexicon", "none")
DASK = ("--engine", "dask", "--jobs", "1")


@pytest.mark.parametrize(
    ("number", "module", "arguments", "said"),
    [
        ("SIGINT", "score", ("ref", "hyp", *NONE, "--html", "page"), "celab-score: interrupted"),
        ("SIGTERM", "score", ("ref", "hyp", *NONE, "--jobs", "2"), "celab-score: terminated"),
        (
            "SIGINT",
            "score",
            ("ref", "hyp", *NONE, "--segments", "-o", "table"),
            "celab-score: interrupted",
        ),
        ("SIGTERM", "mbr", ("nbest", *NONE, "-o", "best"), "celab mbr: terminated"),
        ("SIGTERM", "stream", ("ref", *NONE, "--quiet"), "celab stream: terminated"),
        ("SIGINT", "bench", ("--pairs", "200", "--quiet"), "celab bench: interrupted"),
        ("SIGINT", "score", ("ref", "hyp", *NONE, *DASK), "celab-score: interrupted"),
    ],
)
def test_a_command_ends_with_one_line_and_no_litter(number, module, arguments, said, corpus):
    number = getattr(signal, number)
    if "dask" in arguments:
        pytest.importorskip("distributed")
    process = start(module, *arguments, cwd=corpus)
    # Into workers or kernels, on a quick machine.
    time.sleep(1.5 if "dask" in arguments else 0.7 if module == "bench" else 0.4)
    code, error = ended(process, number, LATEST + 8 * ("dask" in arguments))
    assert code == 128 + number and error.startswith(said) and error.count("\n") == 1, error
    left = {path.name for path in corpus.iterdir()} - {"ref", "hyp", "nbest"}
    assert left <= {"table.partial", "table.partial.json"}


def test_a_signal_that_the_caller_ignores_is_ignored(corpus):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        process = start("stream", "ref", *NONE, "--quiet", cwd=corpus)
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate("", timeout=30)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (process.returncode, out, error) == (0, "", "")


def test_handlers_are_put_back(capsys):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert score.main(["--version"]) == 0
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize(("number", "said"), [("SIGINT", "interrupted"), ("SIGTERM", "terminated")])
def test_what_a_signal_led_to_and_a_second_one_leave_no_trace(number, said, capsys):
    number = getattr(signal, number)

    def work():
        try:
            signal.raise_signal(number)
        finally:  # cleaning up, where another signal arrives and something fails
            signal.raise_signal(number)
            raise ValueError("a fault")

    assert terminal.run("celab-x", work) == 128 + number
    assert capsys.readouterr() == ("", f"celab-x: {said}\n")


def test_an_interrupt_in_a_destructor_is_not_lost(capsys):
    class Dying:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def work():
        dying = Dying()
        del dying
        time.sleep(10)
        return "not reached", ""

    assert terminal.run("celab-x", work) == 130
    assert capsys.readouterr() == ("", "celab-x: interrupted\n")


# A finder that sends SIGINT when the named module is about to be imported.
INTERRUPTING = """
import os, signal, sys
class Finder:
    def find_spec(name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
sys.argv = [{program!r}, "score", "--version"]
from celab.cli.main import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("program", "module", "said"),
    [
        ("celab", "celab.base.errors", "celab"),
        ("celab-score", "celab.cli", "celab-score"),
        ("-m", "celab.cli.main", "celab"),
        ("celab", "celab.cli.score", "celab"),
    ],
)
def test_an_interrupt_during_imports_is_one_line(program, module, said):
    code = INTERRUPTING.format(module=module, program=program)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{said}: interrupted\n")


def test_a_program_that_imports_celab_keeps_its_handler():
    code = "import signal; before = signal.getsignal(signal.SIGINT); import celab.cli.main\n"
    code += "assert signal.getsignal(signal.SIGINT) is before is signal.default_int_handler"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")
