"""Numbers on the command line: absurd ones are refused, whether the command needs them or not."""

import os

import pytest

import celab
from celab.base.run import Run
from celab.cli import bench, lexicon, meta, score

WRONG = {
    score: {
        "--resamples": ("0", "39", "-5", "10000001", "1e3", "x", "9" * 5000),
        "--seed": ("-1", str(2**32 + 1), "1.5", ""),
        "--explained": ("-1", "1000001", "all"),
        "--jobs": ("-1", "1025", "x"),
        "--time-limit": ("0", "-1", "nan", "inf"),
        "--partition-size": ("0", "-1", "1000000001"),
    },
    meta: {"--resamples": ("0", "39", "-5", "10000001"), "--seed": ("-1", "x"), "--jobs": ("-1",)},
    lexicon: {"--max-group": ("1", "-1", "x"), "--min-sources": ("0", "1001")},
    bench: {"--pairs": ("0", "-1", "100001"), "--seed": ("-1",), "--lengths": ("0", "-1", "99999")},
}
CASES = [
    (module, flag, value)
    for module, flags in WRONG.items()
    for flag, values in flags.items()
    for value in values
]


@pytest.fixture
def paths(tmp_path):
    path = tmp_path / "text"
    path.write_text("买雨伞\n", "utf-8")
    return [str(path), str(path)]


@pytest.mark.parametrize(("module", "flag", "value"), CASES)
def test_a_wrong_number_is_refused_in_one_line(module, flag, value, paths, capsys):
    # Nothing in these commands uses the number, but for --jobs and --time-limit.
    rest = {
        score: ["--lexicon", "none", *paths],
        meta: ["nowhere", "--lexicon", "none"],
        lexicon: ["build", "-o", "x.lex", *paths],
        bench: [],
    }[module]
    if module is lexicon:
        rest = [rest[0], f"{flag}={value}", *rest[1:]]
    else:
        rest = [f"{flag}={value}", *rest]
    assert module.main(rest) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert flag in told.err and "must be" in told.err


@pytest.mark.parametrize("seed", ["0", str(2**32)])
def test_the_ends_of_a_range_are_taken(seed, paths, capsys):
    assert score.main(["--lexicon=none", "--brief", "--seed", seed, *paths]) == 0
    assert capsys.readouterr().out == "1.0000\n"


def test_no_jobs_means_all_cores(paths, capsys, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert Run(jobs=0).threads == 3
    assert Run(jobs=2).threads == 2
    assert score.main(["--lexicon=none", "--brief", "--jobs", "0", *paths]) == 0
    assert capsys.readouterr().out == "1.0000\n"
    hyps, refs = ["买伞"] * 700, [["买雨伞"] * 700]
    one = celab.TeslaCelab(lexicon=None).corpus_score(hyps, refs)
    every = celab.TeslaCelab(lexicon=None, jobs=0).corpus_score(hyps, refs)
    assert one.segments.figures.tobytes() == every.segments.figures.tobytes()
