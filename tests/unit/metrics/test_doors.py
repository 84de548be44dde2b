"""Every way to a score keeps the same promise: a proved number, or none, and never a zero instead.

Corpus, sentence, scorer, pairwise, reranking, explanation and the commands on top of them, for
all metrics, every solver and every `on_error`: in time all give the same numbers, and where the
solver has no time, exactly the unproved ones are missing, or are an error.
"""

import io
import json
import math
import re
import sys
from itertools import product

import numpy as np
import pytest

import celab
from celab.base.errors import SolverError
from celab.cli import mbr, metrics, score, stream
from celab.family.reranking.mbr import rerank
from celab.family.reranking.nbest import Candidate, Sentence
from celab.family.reranking.references import LoadedReferences

SOLVERS, ON_ERROR = ("auto", "highs", "check"), ("raise", "skip")
NEVER = 1e-9  # seconds, in which HiGHS proves nothing
# Hypotheses and references: one that TESLA-CELAB's reduction proves, the smallest known that it
# leaves to HiGHS, and a blank hypothesis, for which there is nothing to solve.
TEXTS = {
    "celab": (["买伞", "雨雨伞雨伞雨伞", ""], ["买雨伞", "伞雨伞", "空"]),
    "tesla-m": (["a b", "a b a b", ""], ["a c", "b a a", "c"]),
    "tesla-s": (["a b", "a b a b", ""], ["a c", "b a a", "c"]),
}
TEXTS["letter"] = (["买 伞", *TEXTS["celab"][0][1:]], TEXTS["celab"][1])
TEXTS["mean"] = TEXTS["celab"]
# The segments that the whole program is needed for; the kernels of TESLA-M and TESLA-S need none.
UNPROVED = {
    **{(name, "auto"): {1} for name in ("celab", "letter", "mean")},
    ("tesla-m", "auto"): set(),
    ("tesla-s", "auto"): set(),
    **{(name, solver): {0, 1} for name in TEXTS for solver in ("highs", "check")},
}
FLAGS = {
    "celab": ["--lexicon=none", "--script=keep"],
    "tesla-m": ["-m", "tesla-m", "--analysis=surface", "--lexicon=none"],
    "letter": ["--tokenize=letter", "--max-order=4", "--script=keep"],
    "mean": ["--lexicon=none", "--script=keep"],
    "tesla-s": ["-m", "tesla-s", "--analysis=surface"],
}
KEYS = {"letter": "celab", "mean": "celab"}  # names of metrics on the command line

every_way = pytest.mark.parametrize(
    ("name", "solver", "on_error"), list(product(TEXTS, SOLVERS, ON_ERROR))
)
# TESLA-S is explained without HiGHS.
with_highs = pytest.mark.parametrize(
    ("name", "solver", "on_error"),
    list(product(sorted(TEXTS.keys() - {"tesla-s"}), SOLVERS, ON_ERROR)),
)


def made(name, solver="auto", on_error="raise", time_limit=60.0):
    run = {"solver": solver, "on_error": on_error, "time_limit": time_limit}
    if name == "celab":
        return celab.TeslaCelab(lexicon=None, script="keep", **run)
    if name == "letter":
        return celab.TeslaCelab(tokenize="letter", max_order=4, script="keep", **run)
    if name == "mean":
        return mean_of(made("celab", **run))
    if name == "tesla-s":
        return celab.TeslaS(analysis="surface", **run)
    return celab.TeslaM(analysis="surface", lexicon=None, **run)


def mean_of(metric):
    other = celab.TeslaCelab(lexicon=None, script="keep", max_order=3, f=1)
    return celab.Mean([metric, other])


def right(name):
    """Score, precision and recall of each segment."""
    hyps, refs = TEXTS[name]
    return made(name).corpus_score(hyps, [refs]).segments.figures


def one_of(segments):
    """A pattern for the number of any of them; `check` may name another one first."""
    return f"[{''.join(str(segment + 1) for segment in segments)}]"


def near(numbers):
    return pytest.approx(numbers, abs=1e-12, nan_ok=True)


def matrix(metric, hyps, refs):
    """What `pairwise` must give, pair by pair."""
    return np.array([[metric.sentence_score(hyp, [ref]).score for ref in refs] for hyp in hyps])


def ways(metric, hyps, refs):
    """The same figures of segments by all ways that take a corpus."""
    yield metric.corpus_score(hyps, [refs]).segments.figures
    yield metric.scorer([refs])(hyps, [refs]).segments.figures
    yield np.array(
        [
            [one.score, one.precision, one.recall]
            for one in (metric.sentence_score(h, [r]) for h, r in zip(hyps, refs, strict=True))
        ]
    )


# In time.


@every_way
def test_in_time_all_ways_give_the_same_numbers(name, solver, on_error):
    metric, (hyps, refs) = made(name, solver, on_error), TEXTS[name]
    expected = right(name)
    for figures in ways(metric, hyps, refs):
        assert figures == near(expected)
    assert np.array(LoadedReferences(metric, [refs]).rows([0, 1, 2], hyps)) == near(expected)
    assert metric.pairwise(hyps, refs) == near(matrix(made(name), hyps, refs))
    for index in range(len(hyps)):
        explained = metric.scorer([refs]).explain(hyps[index], [refs[index]])
        numbers = [explained.score, explained.precision, explained.recall]
        assert numbers == near(expected[index].tolist())
        assert metric.explain(hyps[index], refs[index]).score == near(expected[index, 0])


@every_way
def test_in_time_candidates_have_the_same_order(name, solver, on_error):
    sentence = candidates(*TEXTS[name][0][:2], *TEXTS[name][1])
    expected, found = rerank(made(name), sentence), rerank(made(name, solver, on_error), sentence)
    assert found.expected == near(expected.expected)
    assert found.order == expected.order != []


@every_way
def test_a_blank_reference_is_absent_and_not_unproved(name, solver, on_error):
    hyps, refs = TEXTS[name]
    found = made(name, solver, on_error).pairwise(hyps, [refs[0], " ", None])
    assert np.isnan(found).tolist() == [[False, True, True]] * 3


# Out of time.


@every_way
def test_what_is_not_proved_is_missing_or_an_error(name, solver, on_error):
    metric, (hyps, refs) = made(name, solver, on_error, NEVER), TEXTS[name]
    unproved, expected = UNPROVED[name, solver], right(name).copy()
    if on_error == "raise" and unproved:
        for way in (metric.corpus_score, metric.scorer([refs])):
            with pytest.raises(SolverError, match=rf"^segment {one_of(unproved)}, reference 1: "):
                way(hyps, [refs])
        with pytest.raises(SolverError):
            metric.sentence_score(hyps[1], [refs[1]])
        return
    expected[list(unproved)] = np.nan
    for figures in ways(metric, hyps, refs):
        assert figures == near(expected)
    found = metric.corpus_score(hyps, [refs])
    assert found.n_skipped == len(unproved)
    assert found.signature.endswith(f"|skipped:{len(unproved)}") == bool(unproved)


@every_way
def test_pairs_that_are_not_proved_are_missing_or_an_error(name, solver, on_error):
    metric, (hyps, refs) = made(name, solver, on_error, NEVER), TEXTS[name]
    if on_error == "raise" and UNPROVED[name, solver]:
        with pytest.raises(SolverError):
            metric.pairwise(hyps, refs)
        return
    found, expected = metric.pairwise(hyps, refs), matrix(metric, hyps, refs)
    assert found == near(expected)
    unproved = {(i, i) for i in UNPROVED[name, solver]}
    assert unproved <= set(map(tuple, np.argwhere(np.isnan(found)).tolist()))
    assert found[2].tolist() == [0.0, 0.0, 0.0]  # of the blank hypothesis


def candidates(*texts):
    return Sentence("x", 0, tuple(Candidate(text, i) for i, text in enumerate(texts, 1)))


@every_way
def test_there_is_no_choice_among_what_is_not_proved(name, solver, on_error):
    metric = made(name, solver, on_error, NEVER)
    sentence = candidates(TEXTS[name][0][1], TEXTS[name][1][1], "")
    if on_error == "raise" and UNPROVED[name, solver]:
        with pytest.raises(SolverError):
            rerank(metric, sentence)
        return
    found = rerank(metric, sentence)
    if UNPROVED[name, solver]:
        assert (found.best, found.order, found.expected) == (None, [], [])
    else:
        assert found == rerank(made(name), sentence)
    assert rerank(metric, candidates("", " ")).best.text == ""  # for which nothing is solved


@every_way
def test_one_request_that_is_not_proved_does_not_take_others_along(name, solver, on_error):
    hyps, refs = TEXTS[name]
    loaded = LoadedReferences(made(name, solver, on_error, NEVER), [refs])
    expected = right(name)
    for segment, row in enumerate(loaded.rows([0, 1, 2], hyps)):
        if segment not in UNPROVED[name, solver]:
            assert row == near(expected[segment].tolist())
        elif on_error == "skip":
            assert all(map(math.isnan, row))
        else:
            assert str(row).startswith("reference 1: no optimum was proved")


@with_highs
def test_an_explanation_is_proved_or_an_error(name, solver, on_error):
    metric, (hyps, refs) = made(name, solver, on_error, NEVER), TEXTS[name]
    with pytest.raises(SolverError):
        metric.explain(hyps[1], refs[1])
    with pytest.raises(SolverError):
        metric.scorer([refs]).explain(hyps[1], [refs[1]])


@pytest.mark.parametrize("on_error", ON_ERROR)
def test_tesla_s_is_explained_without_highs(on_error):
    metric, (hyps, refs) = made("tesla-s", "auto", on_error, NEVER), TEXTS["tesla-s"]
    for hyp, ref, expected in zip(hyps, refs, right("tesla-s").tolist(), strict=True):
        found = metric.explain(hyp, ref)
        assert [found.score, found.precision, found.recall] == expected


@pytest.mark.parametrize("solver", ["highs", "check"])
def test_tesla_s_is_explained_by_its_solver(solver):
    metric, (hyps, refs) = made("tesla-s", solver, "skip", NEVER), TEXTS["tesla-s"]
    with pytest.raises(SolverError):
        metric.explain(hyps[1], refs[1])


# The commands.


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command with the texts of a metric; gives code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    one = metrics._metric

    def run(command, name, *arguments):
        hyps, refs = TEXTS[name]
        for path, lines in (("hyp", hyps), ("ref", refs), ("other", [refs[0], "", ""])):
            (tmp_path / path).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        nbest = [(0, hyps[1]), (0, refs[1]), (1, ""), (2, hyps[1]), (2, refs[1])]
        lists = "".join(f"{id} ||| {text}\n" for id, text in nbest)
        (tmp_path / "nbest").write_text(lists, "utf-8")
        requests = "".join(f"{s}\t{text}\n" for s, text in enumerate(hyps))
        if name == "mean":  # every command takes a metric that is made in Python
            monkeypatch.setattr(metrics, "_metric", lambda *given: mean_of(one(*given)))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(requests.encode())))
        code = command.main([*FLAGS[name], *arguments])
        return code, *capsys.readouterr()

    return run


def limited(solver, on_error):
    return [f"--solver={solver}", f"--on-error={on_error}", f"--time-limit={NEVER}"]


@every_way
@pytest.mark.parametrize("given", [(), ("--segments",), ("--segments", "--json"), ("--brief",)])
def test_celab_score(run, name, solver, on_error, given):
    unproved = UNPROVED[name, solver]
    code, out, err = run(score, name, "ref", "hyp", "--quiet", *limited(solver, on_error), *given)
    if on_error == "raise" and unproved:
        # What the batches before it made is written already; here there are none.
        assert (code, out) == (2, "")
        assert re.search(f"segment {one_of(unproved)}, reference 1: no optimum was proved", err)
        assert "a longer --time-limit, or --on-error skip" in err
        return
    assert code == (3 if unproved else 0)
    assert (f"{len(unproved)} segment" in err) == bool(unproved)
    expected = right(name)
    if given == ("--segments",):
        rows = [line.split("\t") for line in out.splitlines()[1:]]
        assert {i for i, row in enumerate(rows) if row[1:] == ["", "", ""]} == unproved
    elif given:
        assert "nan" not in out.lower()
    if "--json" in given:
        segments = json.loads(out)["systems"][0]["metrics"][KEYS.get(name, name)]["segments"]
        assert {i for i, row in enumerate(segments) if row["score"] is None} == unproved
        for i in set(range(3)) - unproved:
            assert list(segments[i].values()) == near(expected[i].tolist())


@every_way
def test_celab_score_compares_what_is_proved(run, name, solver, on_error):
    unproved = UNPROVED[name, solver]
    command = ["-r", "ref", "-s", "hyp", "other", "--test=bootstrap", "--resamples=20", "--json"]
    code, out, _ = run(score, name, *command, *limited(solver, on_error))
    if on_error == "raise" and unproved:
        assert (code, out) == (2, "")
        return
    assert code == (3 if unproved else 0)
    report, key = json.loads(out), KEYS.get(name, name)
    skipped = [one["metrics"][key].get("skipped", 0) for one in report["systems"]]
    assert skipped[0] == len(unproved)
    assert np.isfinite(report["tests"][key]["p_values"]).all()


@with_highs
def test_celab_score_explains_nothing_unproved(run, tmp_path, name, solver, on_error):
    for given in (["--explain=2"], ["--html=page.html"]):
        code, out, err = run(score, name, "ref", "hyp", *given, *limited(solver, on_error))
        assert (code, out) == (2, "")
        assert "time-limit" in err and "time_limit" not in err
        assert not (tmp_path / "page.html").exists()


@every_way
def test_celab_mbr(run, name, solver, on_error):
    code, out, err = run(mbr, name, "nbest", "--quiet", *limited(solver, on_error))
    if not UNPROVED[name, solver]:
        assert (code, err) == (0, "")
        assert out.splitlines()[0] == out.splitlines()[2] != ""
    elif on_error == "raise":
        assert (code, out) == (2, "")
        assert "a longer --time-limit, or --on-error skip" in err
    else:
        assert (code, out) == (3, "\n\n\n")
        told = "2 sentences without a choice, because no optimum was proved: 0, 2"
        assert err == f"celab mbr: {told}\n"


@every_way
def test_celab_stream(run, name, solver, on_error):
    code, out, err = run(stream, name, "ref", *limited(solver, on_error))
    unproved, expected = UNPROVED[name, solver], right(name)
    assert code == 0
    n_errors = f"{len(unproved)} error{'s' * (len(unproved) != 1)}"
    assert f"celab stream: 3 requests, {n_errors}; " in err
    for segment, line in enumerate(out.splitlines()):
        if segment not in unproved:
            assert float(line) == near(expected[segment, 0])
        elif on_error == "skip":
            assert line == "ERROR the score could not be proved"
        else:
            assert line.startswith("ERROR reference 1: no optimum was proved")
            assert line.endswith("--on-error skip to leave such segments out")
