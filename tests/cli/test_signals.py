"""Ctrl-C and SIGTERM end the work at once, leave no trace, and nothing half-written."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from itertools import starmap

import numpy as np
import pytest
from conftest import ROOT

from celab import TeslaCelab, TeslaM
from celab.base.run import Run
from celab.cli import score, terminal
from celab.exact import engine, solve
from celab.metrics import bag_scorer

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

PATIENCE = 60  # seconds for what happens at once unless the machine is busy
RNG = np.random.default_rng(11)
SHORT = "买伞", ["买雨伞"]
SHORT_WORDS = "a|a|N b|b|V", ["a|a|N c|c|V"]


def text(n, letters=3000):
    """Characters as rare as those of Chinese: many links, none of them forced."""
    weights = 1 / np.arange(1, letters + 1)
    return "".join(map(chr, 0x4E00 + RNG.choice(letters, n, p=weights / weights.sum())))


def tagged(n):
    words = RNG.integers(0, 4 * n, n)
    return " ".join(f"w{word}|w{word}|T{word % 2}" for word in words.tolist())


LONG = text(15_000), text(15_000)
LONGER = text(400_000), text(400_000)  # a second or more in the kernels
CROWDED = text(700, 4), text(700, 4)  # a program of a million entries
WORDS = tagged(4000), tagged(4000)


def celab_metric(**options):
    return TeslaCelab(lexicon=None, script="keep", **options)


def words_metric(**options):
    return TeslaM(analysis="tagged", lexicon=None, **options)


class Alarmed(Exception):
    pass


@contextmanager
def alarms(monkeypatch, module, name):
    """Raise `Alarmed` soon after a kernel is called; yields what such calls have returned."""
    kernel, returned = getattr(module, name), []

    def ring(*_):
        raise Alarmed

    def call(*given, **named):
        # Again and again: Python ignores an exception that a handler raises in a destructor.
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.5)
        # By one call, so that no handler can run between the end of the kernel and the list: the
        # result of a kernel that does not look for signals is in it.
        returned.extend(starmap(partial(kernel, **named), [given]))
        return returned[-1]

    before = signal.signal(signal.SIGALRM, ring)
    threads = threading.enumerate()
    monkeypatch.setattr(module, name, call)
    try:
        with pytest.raises(Alarmed):
            yield returned
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        monkeypatch.undo()
    for thread in threading.enumerate():
        if thread not in threads:  # one that was being started is not waited for
            thread.join(PATIENCE)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    ("make", "kernel", "pair", "short"),
    [
        pytest.param(celab_metric, (engine, "cover_pairs"), LONGER, SHORT, id="links"),
        pytest.param(
            lambda: celab_metric(links="release-2012"),
            *((engine, "cover_pairs"), LONG, SHORT),
            id="release",
        ),
        pytest.param(words_metric, (bag_scorer, "match_bags"), WORDS, SHORT_WORDS, id="bags"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_kernel_is_interrupted_and_of_use_afterwards(
    make, kernel, pair, short, jobs, monkeypatch
):
    metric = make().with_run(jobs=jobs)
    usual = metric.sentence_score(*short)
    # A long pair for each thread: a batch of TESLA-CELAB has no more, one of TESLA-M 256 segments.
    n = 255 if isinstance(metric, TeslaM) else 0
    hyps, refs = [pair[0], *[short[0]] * n], [pair[1], *short[1] * n]
    with alarms(monkeypatch, *kernel) as returned:
        metric.corpus_score(hyps * 2, [refs * 2])
    assert not returned
    assert metric.sentence_score(*short) == usual


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_solver_is_interrupted_and_of_use_afterwards(jobs, monkeypatch):
    metric = celab_metric(solver="highs", jobs=jobs)
    usual = metric.sentence_score(*SHORT)
    for _ in range(20):  # the alarm may ring shortly before HiGHS begins, or after its end
        with alarms(monkeypatch, solve, "Poll") as polls:
            metric.corpus_score([CROWDED[0]] * 30, [[CROWDED[1]] * 30])
        assert metric.sentence_score(*SHORT) == usual
        if any(poll.error for poll in polls):  # it told HiGHS to end
            break
    else:
        pytest.fail("HiGHS was never interrupted")


def test_a_failure_stops_the_other_threads():
    begun, done = threading.Event(), []

    def work(item):
        if item:
            begun.set()
            done.append(celab_metric().corpus_score([LONGER[0]] * 9, [[LONGER[1]] * 9]))
        assert begun.wait(PATIENCE)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"^0$"):
        list(Run(jobs=2).map_in_order(work, [0, 1]))
    assert not done


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
    deadline = threading.Timer(PATIENCE, process.kill)  # `readline` has none
    deadline.start()
    said = process.stdout.readline()
    deadline.cancel()
    assert said == "works\n"
    return process


def ended(process, number):
    """Exit code and standard error after the signal."""
    process.send_signal(number)
    out, error = process.communicate(timeout=PATIENCE)
    assert out == ""
    return process.returncode, error


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for name, line in zip(("ref", "hyp"), LONG, strict=True):
        # Many seconds of work.
        (folder / name).write_text(f"{line}\n" * 200, encoding="utf-8")
    candidates = "".join(f"0 ||| {text(3000)} ||| x=1 ||| 1\n" for _ in range(200))
    (folder / "nbest").write_text(candidates, encoding="utf-8")
    return folder


NONE = ("--lexicon", "none")
DASK = ("--engine", "dask", "--jobs", "1")


@pytest.mark.parametrize(
    ("number", "module", "arguments", "said"),
    [
        (
            "SIGINT",
            "score",
            ("ref", "hyp", *NONE, "--html", "page.html"),
            "celab-score: interrupted",
        ),
        ("SIGTERM", "score", ("ref", "hyp", *NONE, "--jobs", "2"), "celab-score: terminated"),
        (
            "SIGINT",
            "score",
            ("ref", "hyp", *NONE, "--segments", "-o", "table"),
            "celab-score: interrupted",
        ),
        ("SIGTERM", "mbr", ("nbest", *NONE, "-o", "best"), "celab mbr: terminated"),
        ("SIGTERM", "stream", ("ref", *NONE, "--quiet"), "celab stream: terminated"),
        ("SIGINT", "score", ("ref", "hyp", *NONE, *DASK), "celab-score: interrupted"),
    ],
)
def test_a_command_ends_with_one_line_and_no_litter(number, module, arguments, said, corpus):
    number = getattr(signal, number)
    if "dask" in arguments:
        pytest.importorskip("distributed")
    process = start(module, *arguments, cwd=corpus)
    # Into workers or kernels, on a quick machine.
    time.sleep(1.5 if "dask" in arguments else 0.4)
    code, error = ended(process, number)
    assert code == 128 + number and error.startswith(said) and error.count("\n") == 1, error
    assert {path.name for path in corpus.iterdir()} == {"ref", "hyp", "nbest"}


def test_a_signal_that_the_caller_ignores_is_ignored(corpus):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        process = start("stream", "ref", *NONE, "--quiet", cwd=corpus)
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate("", timeout=PATIENCE)
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
        time.sleep(PATIENCE)
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
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{said}: interrupted\n")


def test_a_program_that_imports_celab_keeps_its_handler():
    code = "import signal; before = signal.getsignal(signal.SIGINT); import celab.cli.main\n"
    code += "assert signal.getsignal(signal.SIGINT) is before is signal.default_int_handler"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=PATIENCE, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, b"")
