import errno
import io
import json
import os
import pickle
import subprocess
import sys
from dataclasses import asdict, fields
from functools import partial

import commands
import pytest
from scores_json import systems_of

import celab
from celab.base.errors import (
    TIME_LIMIT_HINT,
    InputError,
    InputWarning,
    OptionError,
    Setting,
    SolverError,
    describe,
)
from celab.base.run import Run
from celab.base.signature import Signature
from celab.cli import explain, score, terminal
from celab.cli.flags import as_flag
from celab.metrics.explaining.explanation import Explanation, SegmentExplanation
from celab.metrics.explaining.links import Ngram
from celab.metrics.options import TeslaCelabOptions

COMMAND = [sys.executable, "-m", "celab", "score"]
REFS1 = ["买雨伞", "今天天气很好", "我在北京", ""]
REFS2 = ["", "今天天气不错", "我住在北京", "谢谢你"]
HYPS = ["买雨伞", "今天天气很好", "", "谢谢"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """References and hypotheses in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    good = {"ref1.zh": REFS1, "ref2.zh": REFS2, "hyp.zh": HYPS}
    for name, lines in good.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "short.zh").write_text("买伞\n好\n", encoding="utf-8")


run = partial(commands.run, "score")


# The command as it is typed, with the metric as it is.


@pytest.mark.parametrize(
    "flags", [["--no-interval"], ["-b"], ["--no-interval", "--json"], ["--level", "segment"]]
)
@pytest.mark.parametrize("systems", [["hyp.zh"], ["hyp.zh", "ref2.zh"]])
def test_what_shows_no_interval_resamples_nothing(monkeypatch, capsys, flags, systems):
    def chunks(*_):
        raise AssertionError("resampled")

    monkeypatch.setattr("celab.statistics.resampling.chunks", chunks)
    files = ["-r", "ref1.zh", "ref2.zh", "-s", *systems, "--lexicon", "none", "-m", "celab", "chrf"]
    assert score.main([*files, *flags]) == 0
    out = capsys.readouterr().out
    assert "[0." not in out and "interval" not in out


def test_json_has_the_interval(capsys):
    files = ["ref1.zh", "ref2.zh", "hyp.zh", "--lexicon", "none"]
    assert score.main([*files, "--json", "--seed", "7", "--resamples", "50"]) == 0
    (system,) = systems_of(json.loads(capsys.readouterr().out))
    scored = celab.TeslaCelab(lexicon=None).corpus_score(HYPS, [REFS1, REFS2])
    assert system["metrics"]["celab"]["interval"] == list(scored.interval(50, 7))


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    lines = "今天\n" * 20_000
    (tmp_path / "many.zh").write_text(lines, encoding="utf-8")
    arguments = ["--lexicon", "none", "--segments", "many.zh", "many.zh"]
    for unbuffered in ("", "1"):
        settings = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        with subprocess.Popen(
            [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settings
        ) as process:
            assert process.stdout.readline().startswith(b"segment\tscore\tprecision\trecall\t")
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(60) == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["--lexicon", "none", "ref1.zh", "ref1.zh"]])
def test_a_full_disk_is_one_line(arguments, tmp_path):
    (tmp_path / "ref1.zh").write_text("买伞\n", encoding="utf-8")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert os.strerror(errno.ENOSPC).encode() in done.stderr


# What the real metric cannot be made to do on purpose.


class StandIn:
    """Takes what the metric takes, and remembers it."""

    made_with: tuple = ()
    assumed_language = None
    has_empty_references = False
    explained_by = "links"

    def __init__(self, lexicon="default", lang=None, counts=None, **options):
        run = {spec.name: options.pop(spec.name) for spec in fields(Run) if spec.name in options}
        type(self).made_with = (lexicon, TeslaCelabOptions(**options), Run(**run))
        self.signature = Signature("celab")

    def with_title(self, title):
        return self

    def scorer(self, refs):
        type(self).scored = refs
        return self

    def explain(self, hyp, refs, **_):
        ngrams = (Ngram((0, 1), "unmatched", 0.0),)
        one = Explanation(
            hyp_tokens=(hyp,),
            ref_tokens=(refs[0],),
            score=0.0,
            precision=0.0,
            recall=0.0,
            links=(),
            hyp_ngrams=ngrams,
            ref_ngrams=ngrams,
            signature="celab|x",
        )
        return SegmentExplanation(
            index=(0,), against=(one,), score=0.0, precision=0.0, recall=0.0, combine="mean"
        )


@pytest.fixture
def metric(monkeypatch):
    monkeypatch.setattr("celab.metrics.celab.TeslaCelab", StandIn)
    return StandIn


FILES = ["ref1.zh", "ref2.zh", "hyp.zh"]


def test_every_option_is_a_flag_and_lexicons_are_collected(metric):
    def made():
        lexicon, options, run = metric.made_with
        return lexicon, asdict(options), asdict(run)

    explain.main(["2", *FILES])
    assert made() == ("default", asdict(TeslaCelabOptions()), asdict(Run()))
    chosen = {
        "max_order": 6,
        "f": 2.5,
        "tokenize": "space",
        "width": "keep",
        "case": "lower",
        "umlauts": "fold",
        "script": "keep",
        "opencc": "hk2s",
        "cilin_lines": "=",
        "links": "release-2012",
        "weights": "information",
        "decay": 0.3,
        "length_limit": 1.3,
    }
    run = {"solver": "highs", "time_limit": 2.5, "on_error": "skip", "jobs": 8}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in (chosen | run).items()]
    explain.main(["2", *FILES, *flags, "--lexicon", "a.tsv", "--lexicon", "cilin"])
    options, setting = asdict(TeslaCelabOptions(**chosen)), asdict(Run(**run))
    assert made() == (["a.tsv", "cilin"], options, setting)
    assert options == chosen and setting == run
    assert set(chosen) == set(TeslaCelabOptions.__dataclass_fields__)
    assert set(run) == set(Run.__dataclass_fields__)


def test_a_flag_of_one_of_the_metrics_is_taken(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Der|der|ART Hund|Hund|NN\n", "utf-8")
    files = ["a.txt", "a.txt", "--analysis", "tagged", "--lexicon", "none", "--quiet"]
    assert score.main(["-m", "celab", "tesla-m", "--alpha", "0.5", "--f", "1", *files]) == 0
    *_, first, second = capsys.readouterr().out.splitlines()
    assert "|f:1|" in first and "|alpha:0.5|" in second


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OptionError("max_order", 7, "it must be 1"), "--max-order is 7; it must be 1"),
        (OptionError("n_resamples", 0, "give more"), "--resamples is 0; give more"),
        (
            OptionError(("give ", Setting("tokenize", "space"), " and ", Setting("lexicon", None))),
            "give --tokenize space and --lexicon none",
        ),
        (
            SolverError("late", place="time_limit", hint=TIME_LIMIT_HINT),
            "time_limit: late; use a longer --time-limit",
        ),
        (
            SolverError("late", hint=TIME_LIMIT_HINT).within("x.zh"),
            "x.zh: late; use a longer --time-limit",
        ),
        (InputError("time_limit does not exist"), "time_limit does not exist"),
        (InputWarning(("use ", Setting("lang", "ja"))), "use --lang ja"),
        ("lang='ja'", "lang='ja'"),
    ],
)
def test_errors_speak_of_flags(error, told):
    assert describe(error, as_flag) == told
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), describe(again, as_flag)) == (str(error), told)


@pytest.mark.parametrize(
    ("choice", "terminal_there", "environment", "wanted"),
    [
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
        ("auto", True, {}, True),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("auto", False, {}, False),
    ],
)
def test_when_there_is_color(monkeypatch, choice, terminal_there, environment, wanted):
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal_there, raising=False)
    assert terminal.wants_color(choice) is wanted


def test_stdout_may_be_any_text_stream(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    terminal.write("好\n")
    assert sys.stdout.getvalue() == "好\n"


def test_closed_streams(metric, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert explain.main(["2", *FILES]) == 2
    assert "standard output is closed" in capsys.readouterr().err


def test_without_stderr_nothing_strays_to_stdout(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    assert score.main(["absent.zh"]) == 2
    assert capsys.readouterr().out == ""
