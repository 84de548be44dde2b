"""Numbers on the command line; those that are refused are in tests/golden/errors.toml."""

import os

import pytest
from commands import refusal

import celab
from celab.base.run import Run
from celab.cli import score


@pytest.fixture
def paths(tmp_path):
    path = tmp_path / "text"
    path.write_text("买雨伞\n", "utf-8")
    return [str(path), str(path)]


def test_a_number_of_many_digits_is_refused_in_one_line(paths):
    assert "must be a whole number" in refusal(score, "--resamples", "9" * 5000, *paths)


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
