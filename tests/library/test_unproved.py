"""Every way to a score gives a proved number or none, never a zero instead.

One matrix: ways × metrics × solvers × `on_error`. With enough time all ways give the same numbers.
When the solver has no time, exactly the unproved ones are an error or are missing.
"""

import io
import json
import math
import re
import sys
from itertools import product

import numpy as np
import pytest
from conftest import each_pair
from scores_json import systems_of

import celab
from celab.base.errors import SolverError
from celab.cli import compare, explain, mbr, meta, score, stream
from celab.corpus import Corpus, Segment
from celab.metrics import factory
from celab.metrics.factory import make_metric
from celab.nbest.mbr import rerank
from celab.nbest.nbest import Candidate, Sentence
from celab.nbest.references import LoadedReferences

NEVER = 1e-9  # seconds, in which HiGHS proves nothing
# Hypotheses and references: one that TESLA-CELAB's reduction proves, the smallest known that it
# leaves to HiGHS, and a blank hypothesis, for which there is nothing to solve.
CHARACTERS = (["买伞", "雨雨伞雨伞雨伞", ""], ["买雨伞", "伞雨伞", "空"])
WORDS = (["a b", "a b a b", ""], ["a c", "b a a", "c"])
BLANK = ["", "", ""]
TEXTS = {
    "celab": CHARACTERS,
    "letter": (["买 伞", *CHARACTERS[0][1:]], CHARACTERS[1]),
    "mean": CHARACTERS,
    "tesla-m": WORDS,
    "tesla-s": WORDS,
}
FLAGS = {
    "celab": ["-m", "celab", "--lexicon=none", "--script=keep"],
    "mean": ["-m", "celab", "--lexicon=none", "--script=keep"],
    "tesla-m": ["-m", "tesla-m", "--analysis=surface", "--lexicon=none"],
}
KEYS = {"mean": "celab"}  # names of metrics on the command line
MATRIX = list(product(TEXTS, ("auto", "highs", "check"), ("raise", "skip")))
every_case = pytest.mark.parametrize(("name", "solver", "on_error"), MATRIX)
# Commands do not know more of a metric than that it is a metric.
COMMAND_MATRIX = [case for case in MATRIX if case[0] in ("celab", "mean", "tesla-m")]
every_command_case = pytest.mark.parametrize(("name", "solver", "on_error"), COMMAND_MATRIX)


def unproved(name, solver):
    """The segments that need the whole program; the kernels of TESLA-M and TESLA-S need none."""
    if solver == "auto":
        return set() if name in ("tesla-m", "tesla-s") else {1}
    return {0, 1}


def make(name, solver="auto", on_error="raise", time_limit=60.0):
    run = {"solver": solver, "on_error": on_error, "time_limit": time_limit}
    if name == "letter":
        return celab.TeslaCelab(tokenize="letter", max_order=4, script="keep", **run)
    if name == "tesla-m":
        return celab.TeslaM(analysis="surface", lexicon=None, **run)
    if name == "tesla-s":
        return celab.TeslaS(analysis="surface", **run)
    metric = celab.TeslaCelab(lexicon=None, script="keep", **run)
    return metric if name == "celab" else mean_with(metric)


def mean_with(metric):
    other = celab.TeslaCelab(lexicon=None, script="keep", max_order=3, f=1)
    return celab.Mean([metric, other])


def proved_scores(name):
    hyps, refs = TEXTS[name]
    return make(name).corpus_score(hyps, [refs]).segments.scores


def approximately(numbers):
    return pytest.approx(numbers, abs=1e-12, nan_ok=True)


# Ways in Python: the scores of all segments.


def by_sentence(metric, hyps, refs):
    return [metric.sentence_score(h, [r]).score for h, r in zip(hyps, refs, strict=True)]


def by_campaign(metric, hyps, refs):
    segments = [Segment("", str(number)) for number in range(len(hyps))]
    campaign = celab.Campaign(
        Corpus(segments=segments, systems={"a": BLANK, "b": hyps}, refs=[refs], ref_names=["ref"])
    )
    return campaign.score({"it": metric}).scores["it"]["b"].segments.scores


def by_dask(metric, hyps, refs):
    pytest.importorskip("dask.dataframe", reason="Dask (extra dask) is not installed")
    import pandas

    from celab import distributed

    data = pandas.DataFrame({"hypothesis": hyps, "reference": refs})
    return distributed.total(data, metric=metric, partition_size=2).segments.scores


def by_loaded_references(metric, hyps, refs):
    rows = LoadedReferences(metric, [refs]).rows(range(len(hyps)), hyps)
    for row in rows:
        if isinstance(row, Exception | str):
            raise SolverError(str(row))
    return [row[0] for row in rows]


WAYS = {
    "corpus": lambda metric, hyps, refs: metric.corpus_score(hyps, [refs]).segments.scores,
    "systems": lambda metric, hyps, refs: (
        metric.corpus_scores({"a": BLANK, "b": hyps}, [refs])["b"].segments.scores
    ),
    "scorer": lambda metric, hyps, refs: metric.scorer([refs])(hyps, [refs]).segments.scores,
    "sentence": by_sentence,
    "function": lambda metric, hyps, refs: celab.score(hyps, refs, metric).segments.scores,
    "pairwise": lambda metric, hyps, refs: metric.pairwise(hyps, refs).diagonal(),
    "loaded references": by_loaded_references,
    "campaign": by_campaign,
    "Dask": by_dask,
}


@pytest.mark.parametrize(
    ("way", "name", "solver", "on_error"),
    each_pair([(way, *case) for way, case in product(WAYS, MATRIX)]),
)
def test_scores(way, name, solver, on_error):
    expected = proved_scores(name).copy()
    assert WAYS[way](make(name, solver, on_error), *TEXTS[name]) == approximately(expected)
    metric, missing = make(name, solver, on_error, NEVER), sorted(unproved(name, solver))
    if on_error == "raise" and missing:
        with pytest.raises(SolverError):
            WAYS[way](metric, *TEXTS[name])
        return
    expected[missing] = np.nan
    assert WAYS[way](metric, *TEXTS[name]) == approximately(expected)


@every_case
def test_errors_name_the_segment_and_scores_count_the_missing(name, solver, on_error):
    metric, (hyps, refs) = make(name, solver, on_error, NEVER), TEXTS[name]
    missing = unproved(name, solver)
    if on_error == "raise" and missing:
        # `check` may name another one first.
        numbers = "".join(str(segment + 1) for segment in missing)
        for call in (metric.corpus_score, metric.scorer([refs])):
            with pytest.raises(SolverError, match=rf"^segment [{numbers}], reference 1: "):
                call(hyps, [refs])
        with pytest.raises(SolverError, match=rf"^b: segment [{numbers}], reference 1: "):
            metric.corpus_scores({"a": BLANK, "b": hyps}, [refs])
        return
    score = metric.corpus_score(hyps, [refs])
    assert score.n_skipped == len(missing)
    assert score.signature.endswith(f"|skipped:{len(missing)}") == bool(missing)
    kept = [s for s in range(3) if s not in missing]
    rest = make(name).corpus_score([hyps[s] for s in kept], [[refs[s] for s in kept]])
    assert score.score == approximately(rest.score)


@every_case
def test_a_request_that_is_not_proved_leaves_the_others_alone(name, solver, on_error):
    hyps, refs = TEXTS[name]
    loaded = LoadedReferences(make(name, solver, on_error, NEVER), [refs])
    expected = proved_scores(name)
    for segment, row in enumerate(loaded.rows([0, 1, 2], hyps)):
        if segment not in unproved(name, solver):
            assert row[0] == approximately(expected[segment])
        elif on_error == "skip":
            assert all(map(math.isnan, row))
        else:
            assert str(row).startswith("reference 1: no optimum was proved")


@every_case
def test_pairs(name, solver, on_error):
    hyps, refs = TEXTS[name]
    in_time = make(name, solver, on_error)
    expected = np.array([[make(name).sentence_score(h, [r]).score for r in refs] for h in hyps])
    assert in_time.pairwise(hyps, refs) == approximately(expected)
    absent = in_time.pairwise(hyps, [refs[0], " ", None])
    assert np.isnan(absent).tolist() == [[False, True, True]] * 3
    if on_error == "skip" or not unproved(name, solver):
        pairs = make(name, solver, on_error, NEVER).pairwise(hyps, refs)
        is_proved = ~np.isnan(pairs)
        assert pairs[is_proved] == approximately(expected[is_proved])
        assert is_proved[2].all() and not pairs[2].any()  # the blank hypothesis


@every_case
def test_explanations(name, solver, on_error):
    hyps, refs = TEXTS[name]
    metric = make(name, solver, on_error)
    for hyp, ref, expected in zip(hyps, refs, proved_scores(name), strict=True):
        assert metric.explain(hyp, ref).score == approximately(expected)
        assert metric.scorer([refs]).explain(hyp, [ref]).score == approximately(expected)
    hurried = make(name, solver, on_error, NEVER)
    if (name, solver) == ("tesla-s", "auto"):  # explained by its kernel
        assert hurried.explain(hyps[1], refs[1]).score == proved_scores(name)[1]
        return
    with pytest.raises(SolverError):
        hurried.explain(hyps[1], refs[1])
    with pytest.raises(SolverError):
        hurried.scorer([refs]).explain(hyps[1], [refs[1]])


def candidates(*texts):
    return Sentence("x", 0, tuple(Candidate(text, i) for i, text in enumerate(texts, 1)))


@every_case
def test_reranking(name, solver, on_error):
    hyps, refs = TEXTS[name]
    sentence = candidates(hyps[1], refs[1], "", *refs)
    expected, ranked = (rerank(m, sentence) for m in (make(name), make(name, solver, on_error)))
    assert ranked.expected == approximately(expected.expected)
    assert ranked.order == expected.order != []
    hurried = make(name, solver, on_error, NEVER)
    assert rerank(hurried, candidates("", " ")).best.text == ""  # nothing to solve
    if not unproved(name, solver):
        assert rerank(hurried, sentence) == expected
    elif on_error == "raise":
        with pytest.raises(SolverError):
            rerank(hurried, sentence)
    else:
        ranked = rerank(hurried, sentence)
        assert (ranked.best, ranked.order, ranked.expected) == (None, [], [])


# Commands.


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs a command with the texts of a metric; returns code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(command, name, *arguments):
        hyps, refs = TEXTS[name]
        (tmp_path / "data/hyp").mkdir(parents=True, exist_ok=True)
        texts = {"hyp": hyps, "ref": refs, "other": [refs[0], "", ""]}
        texts |= {
            "data/ref-A.txt": refs,
            "data/hyp/a.txt": hyps,
            "data/hyp/b.txt": [refs[2], "", ""],
        }
        texts["data/human-sys.tsv"] = ["a\t2", "b\t1"]
        nbest = [(0, hyps[1]), (0, refs[1]), (1, ""), (2, hyps[1]), (2, refs[1])]
        texts["nbest"] = [f"{id} ||| {text}" for id, text in nbest]
        for path, lines in texts.items():
            (tmp_path / path).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        requests = "".join(f"{s}\t{text}\n" for s, text in enumerate(hyps))
        if name == "mean":  # every command takes a metric that is made in Python
            monkeypatch.setattr(
                factory,
                "make_metric",
                lambda *name, **given: mean_with(make_metric(*name, **given)),
            )
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(requests.encode())))
        code = command.main([*FLAGS[name], *arguments])
        return code, *capsys.readouterr()

    return run


def limited(solver, on_error):
    return [f"--solver={solver}", f"--on-error={on_error}", f"--time-limit={NEVER}"]


SYSTEMS = ["-r", "ref", "-s", "hyp", "other", "--resamples=40"]
COMMANDS = {
    "score": (score, ["ref", "hyp"]),
    "score --segments": (score, ["ref", "hyp", "--segments"]),
    "score --segments --json": (score, ["ref", "hyp", "--segments", "--json"]),
    "score --brief": (score, ["ref", "hyp", "--brief"]),
    "score systems": (score, [*SYSTEMS, "--test=bootstrap", "--json"]),
    "compare": (compare, [*SYSTEMS, "--json"]),
    "meta": (meta, ["data", "--resamples=40", "--level=system", "--json"]),
    "mbr": (mbr, ["nbest"]),
}


@pytest.mark.parametrize(
    ("command", "name", "solver", "on_error"),
    each_pair([(command, *case) for command, case in product(COMMANDS, COMMAND_MATRIX)]),
)
def test_commands(run, command, name, solver, on_error):
    module, arguments = COMMANDS[command]
    missing = unproved(name, solver)
    # Whether an output is a translation is not looked for: one of them is blank.
    plain = ["--no-check"] if module in (score, compare) else []
    code, out, err = run(module, name, *arguments, "--quiet", *plain, *limited(solver, on_error))
    if not missing:
        assert (code, err) == (0, "")
    elif on_error == "raise":
        assert (code, out) == (2, "")
        assert re.search("reference [12]: no optimum was proved in 1e-09 s", err)
        assert "a longer --time-limit, or --on-error skip" in err
        assert "time_limit" not in err and "on_error" not in err
        return
    else:
        assert code == 3
        assert "no optimum was proved" in err
    assert "nan" not in out.lower()
    CHECKS.get(command, lambda *_: None)(out, name, missing)


def check_table(out, name, missing):
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert {i for i, row in enumerate(rows) if row[1:4] == ["", "", ""]} == missing


def check_json(out, name, missing):
    segments = systems_of(json.loads(out))[0]["metrics"][KEYS.get(name, name)]["segments"]
    found = [segment["score"] for segment in segments]
    assert {i for i, value in enumerate(found) if value is None} == missing
    for i in set(range(3)) - missing:
        assert found[i] == approximately(proved_scores(name)[i])


def check_systems(out, name, missing):
    report, key = json.loads(out), KEYS.get(name, name)
    rows = [row for row in report["system"] if row["metric"] == key]
    skipped = {row["system"]: row.get("skipped", 0) for row in rows}
    assert skipped["hyp"] == len(missing)
    p_values = [row[name] for row in rows for name in row if name.startswith("p ")]
    assert len(p_values) == 4 and None not in p_values


def check_mbr(out, name, missing):
    best = out.splitlines()
    assert best == ["", "", ""] if missing else best[0] == best[2] != ""


CHECKS = {
    "score --segments": check_table,
    "score --segments --json": check_json,
    "score systems": check_systems,
    "mbr": check_mbr,
}


@every_command_case
def test_commands_explain_nothing_unproved(run, tmp_path, name, solver, on_error):
    for module, arguments in (
        (explain, ["2", "ref", "hyp"]),
        (score, ["ref", "hyp", "--html=page.html"]),
    ):
        code, out, err = run(module, name, *arguments, *limited(solver, on_error))
        assert (code, out) == (2, "")
        assert "time-limit" in err and "time_limit" not in err
        assert not (tmp_path / "page.html").exists()


@every_command_case
def test_celab_stream(run, name, solver, on_error):
    code, out, err = run(stream, name, "ref", *limited(solver, on_error))
    missing, expected = unproved(name, solver), proved_scores(name)
    assert code == 0
    n_errors = f"{len(missing)} error{'s' * (len(missing) != 1)}"
    assert f"celab stream: note: 3 requests, {n_errors}\n" in err
    for segment, line in enumerate(out.splitlines()):
        if segment not in missing:
            assert float(line) == approximately(expected[segment])
        elif on_error == "skip":
            assert line == "ERROR the score could not be proved"
        else:
            assert line.startswith("ERROR reference 1: no optimum was proved")
            assert line.endswith("--on-error skip to leave such segments out")
