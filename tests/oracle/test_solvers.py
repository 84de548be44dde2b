"""bench/solvers.py: solvers agree with the reduction, those that do not are caught, and generated
text has the properties asked for."""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from pairs import sides_of

import celab

sys.path.append(str(ROOT / "bench"))  # last, because its scripts have names of other modules

import fake_solvers
import linear_solvers
import solvers
from generated_pairs import TextOptions, TextPairs, generate, sample
from linear_solvers import SOLVERS, Solver, choose, stacked
from solvers import LENGTHS, REDUCTION, Outcome, grow, measure, stages_of

SMALL = TextOptions(pairs=6, length=12, density=0.5, repetition=0.4, overlap=0.7)


@pytest.fixture(autouse=True)
def short_stages(monkeypatch):
    """Repeat the work of this process for a shorter time."""
    monkeypatch.setattr(linear_solvers, "_SHORTEST", 0.002)


def made(options):
    pairs = generate(options)
    return pairs, pairs.generated_metric()


def fake(name):
    return Solver(
        name=name, package="numpy", solve=getattr(fake_solvers, name.replace("-", "_")), how=""
    )


def measured(*chosen, rounds=1, timeout=60.0, options=SMALL):
    return measure(*made(options), chosen, rounds=rounds, timeout=timeout)


# ---- generated text ----


@pytest.mark.parametrize("length", [1, 2, 7, 40])
def test_length(length):
    lengths = [len(ref) for ref in generate(TextOptions(pairs=2000, length=length)).refs]
    assert statistics.mean(lengths) == pytest.approx(length, rel=0.05)
    assert min(lengths) >= 1
    assert max(lengths) < 2 * length + (length == 1)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.75, 1.0])
def test_repetition_overlap_and_density(share):
    plain = TextOptions(pairs=300, density=0.0, repetition=0.0)
    if share < 1:
        refs = generate(replace(plain, repetition=share)).refs
        repeated = sum(len(ref) - len(set(ref)) for ref in refs)
        # The first token of a sentence repeats none.
        assert repeated / sum(len(ref) - 1 for ref in refs) == pytest.approx(share, abs=0.02)
    pairs = generate(replace(plain, overlap=share))
    kept = sum(len(set(h) & set(r)) for h, r in zip(pairs.hyps, pairs.refs, strict=True))
    assert kept / sum(map(len, pairs.refs)) == pytest.approx(share, abs=0.04)
    pairs = generate(TextOptions(pairs=200, density=share))
    in_words = {c for group in pairs.groups for word in group for c in word}
    inside = sum(c in in_words for ref in pairs.refs for c in ref)
    # A word that does not fit any more makes place for a character.
    assert inside / sum(map(len, pairs.refs)) == pytest.approx(share, abs=0.04)
    assert bool(pairs.groups) == (share > 0)


def test_text_is_written_as_ever():
    # Written by the first version: published figures are of this text.
    pairs = generate(TextOptions(pairs=2, length=12))
    assert pairs.hyps == ("纫而眷课谚波骑骑映骑骑依撒弗粮课附丘", "级柳谷恨扎")
    assert pairs.refs == ("甫哦丘慨贵鄙戮刽鸥刽刽拂课咒磺成踢咒", "级柳柳割豺碧")
    assert pairs.groups[0] == ["丘驴", "赞撒", "豺笋", "刁咒", "透膜"]
    assert generate(SMALL) == generate(SMALL)
    assert generate(SMALL).refs != generate(replace(SMALL, seed=2)).refs


def test_synonyms_make_links():
    pairs, metric = made(TextOptions(pairs=20, density=0.6))
    plain = celab.TeslaCelab(lexicon=None, script="keep")
    with_lexicon, without = (links_of(one, pairs) for one in (metric, plain))
    assert with_lexicon > 1.2 * without


def links_of(metric, pairs):
    hyp, ref = sides_of(metric, list(pairs.hyps), list(pairs.refs))
    return sum(len(metric.engine.links(hyp, s, ref, s)) for s in range(len(pairs)))


def test_longer_sentences_than_there_are_characters():
    (ref,) = generate(TextOptions(pairs=1, length=9000, density=0.0, repetition=0.0)).refs
    assert len(ref) > len(set(ref)) > 3000


# ---- pairs of files ----


def test_a_sample_leaves_out_blank_sides_and_keeps_the_order():
    refs = [str(i) for i in range(50)]
    systems = [[f"a{i}" if i % 2 else " " for i in range(50)], [f"b{i}" for i in range(50)]]
    found = sample("files", systems, refs, 20, seed=3)
    assert len(found) == 20
    places = [systems[0].index(h) if h[0] == "a" else 50 + systems[1].index(h) for h in found.hyps]
    assert places == sorted(places)
    assert all(h[1:] == r for h, r in zip(found.hyps, found.refs, strict=True))
    assert found == sample("files", systems, refs, 20, seed=3)
    assert len(sample("files", systems, refs, 1000, seed=3)) == 75
    with pytest.raises(ValueError, match="blank"):
        sample("files", [["", "a"]], ["b", " "], 5, 1)


# ---- the metric's own work ----


def test_the_generated_lexicon_is_used():
    pairs, metric = made(SMALL)
    assert "|lex:generated.tsv@" in metric.signature
    first, second = pairs.groups[0][:2]
    assert metric.sentence_score(first, [second]).score > 0
    assert "|lex:none|" in made(replace(SMALL, density=0.0))[1].signature


def test_values_are_those_of_the_metric():
    draw = random.Random(5)
    texts = ["".join(draw.choices("甲乙丙", k=9)) for _ in range(8)]
    pairs = TextPairs("x", texts[:4], texts[4:])
    metric = celab.TeslaCelab(lexicon=None, solver="check")
    _, precision, recall = metric.corpus_score(pairs.hyps, [pairs.refs]).segments.figures.T
    n_ngrams = 9 + 8 + 7 + 6
    coverage, programs, _ = stages_of(pairs, metric)
    covered = np.stack((recall, precision), axis=1) * n_ngrams
    assert coverage() == pytest.approx(covered, abs=1e-9)
    for value, (program, n_links) in zip(covered, programs(), strict=True):
        optimum = program.cost @ SOLVERS["highs"].solve(program)
        assert optimum == pytest.approx(value @ program.cost[[n_links, -1]], abs=1e-9)


def test_stacked_programs_come_apart_again():
    programs = [program for program, _ in stages_of(*made(SMALL))[1]()]
    together = stacked(programs)
    for b, one in enumerate(programs):
        for name in ("cost", "column_upper", "row_upper", "row_start", "index", "value"):
            assert np.array_equal(getattr(one, name), getattr(together.block(b), name)), name
    assert together.block_owner.tolist() == [0, 1, 2, 3, 4, 5]


# ---- solvers ----


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_agrees_with_the_reduction(name):
    solver = SOLVERS[name]
    if solver.missing:
        pytest.skip(f"{' and '.join(solver.missing)} not installed: {name} cannot be tested")
    reduction, other = measured(solver, options=replace(SMALL, pairs=10)).outcomes
    assert (other.state, other.why) == ("agrees", "")
    assert other.greatest_difference < 1e-5
    assert (reduction.name, other.name) == (REDUCTION, name)
    assert len(other.seconds) == len(reduction.seconds) == 1


# Each group is measured together. A wrong value is told of the whole, so a liar is alone.
FAKES = {
    "liar": [("liar", "wrong", "6 of 6 pairs")],
    "liar-on-the-third": [("liar-on-the-third", "wrong", "2 of 6 pairs; the value of pair 3 is")],
    "hanging": [("hanging", "timed out", "after 60 s")],
    "others": [
        ("nan-on-the-third", "failed", "pair 3: the solution has values that are not finite"),
        ("failing", "failed", "pair 1: ended with 'unknown', not with an optimum"),
        ("raising", "crashed", "with exit code 1: ZeroDivisionError: no solver today"),
        ("crashing", "crashed", "by signal SIGABRT"),
        ("leaving", "crashed", "with exit code 7"),
        ("chattering", "agrees", ""),
        ("threads", "agrees", ""),
    ],
}


@pytest.mark.parametrize("group", FAKES)
def test_a_solver_that_fails_is_caught(group, capfd, monkeypatch):
    fakes = [fake(name) for name, _, _ in FAKES[group]]
    solve_all = solvers.solve_all
    # All of the time of the one that hangs is waited for; its neighbor has the time that it needs.
    monkeypatch.setattr(
        *(solvers, "solve_all"),
        lambda solver, programs, timeout: solve_all(
            solver, programs, 1.0 if solver.name == "hanging" else timeout
        ),
    )
    found = measured(*fakes, SOLVERS["highs"])
    _, *faulty, other = found.outcomes
    for (name, state, why), one in zip(FAKES[group], faulty, strict=True):
        assert (one.name, one.state) == (name, state), one.why
        assert one.why[: len(why)] == why and bool(one.why) == bool(why), one.why
        assert bool(one.wrong) == (state == "wrong")
    assert other.state == "agrees", other.why  # whatever its neighbors do
    assert capfd.readouterr() == ("", "")


def test_a_wrong_value_counts_even_if_a_later_round_fails(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CELAB_FIRST_ROUND", str(tmp_path / "first"))
    found = measured(fake("failing-after-a-lie"), rounds=2)
    _, one = found.outcomes
    assert (one.state, one.why) == ("failed", "pair 1: tired")
    with pytest.raises(SystemExit) as ended:
        solvers.check([found])
    assert ended.value.code == 1
    assert "values differ from the reduction's" in capsys.readouterr().err


def test_rounds_are_kept_and_programs_count():
    found = measured(SOLVERS["highs"], rounds=3)
    reduction, highs = found.outcomes
    assert len(reduction.seconds) == len(highs.seconds) == len(highs.wall_seconds) == 3
    assert min(highs.seconds) > 0 and found.writing > 0
    assert found.n_pairs == 6
    assert found.mean_length == statistics.mean(map(len, made(SMALL)[0].refs))
    programs = stages_of(*made(SMALL))[1]()
    assert found.nonzeros == statistics.mean(len(program.index) for program, _ in programs)


def test_solvers_are_chosen_by_name(monkeypatch):
    assert [solver.name for solver in choose("highs,highs-ipm,highs")] == ["highs", "highs-ipm"]
    assert SOLVERS["highs"] in choose(None)
    monkeypatch.setitem(
        SOLVERS,
        "gone",
        Solver(name="gone", package="no_such_package", solve=fake_solvers.liar, how=""),
    )
    for names in ("highs,gone", "hihgs"):
        with pytest.raises(ValueError, match=names[-4:]):
            choose(names)
    assert "gone" not in [solver.name for solver in choose(None)]


def test_a_solver_that_fails_is_not_asked_again():
    found = grow(SMALL, [8, 4], [fake("failing"), SOLVERS["highs"]], rounds=1, timeout=60.0)
    assert {n: [outcome.name for outcome in one.outcomes] for n, one in found.items()} == {
        4: [REDUCTION, "failing", "highs"],
        8: [REDUCTION, "highs"],
    }
    assert list(found) == [4, 8]


# ---- the script ----


def test_an_exponent_is_that_of_the_times():
    assert solvers.exponent({n: 3e-6 * n**2 for n in LENGTHS}) == pytest.approx(2)
    assert solvers.exponent({10: 1.0}) is None


def test_files_are_sampled_and_compared(tmp_path, capsys):
    examples = [ROOT / "examples" / name for name in ("ref1.zh", "hyp1.zh", "hyp2.zh")]
    figures = solvers.answer(
        [*map(str, examples), "--pairs", "3", "--rounds", "1", "--solvers", "highs"]
    )
    shown = capsys.readouterr().out
    assert "2 systems against ref1.zh: 3 pairs, " in shown
    assert "1 other solver agrees with the reduction on every value" in shown
    rows = [line.split() for line in shown.splitlines()]
    assert [row[0] for row in rows if row and row[-1] == "agrees"] == [REDUCTION, "highs"]
    assert {name.partition(",")[0] for name in figures} == {REDUCTION, "highs"}


def test_a_wrong_solver_ends_the_script(monkeypatch, capsys):
    monkeypatch.setitem(
        SOLVERS, "liar", Solver(name="liar", package="numpy", solve=fake_solvers.liar, how="")
    )
    with pytest.raises(SystemExit) as ended:
        solvers.answer(["--pairs", "3", "--rounds", "1", "--solvers", "liar,highs"])
    assert ended.value.code == 1
    assert "liar wrong: 3 of 3 pairs; the value of pair 1 is" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["ref.zh"], ["--growth", "ref.zh", "hyp.zh"], ["--rounds", "0"], ["gone.zh", "gone2.zh"]],
)
def test_what_cannot_be_measured_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        solvers.answer(arguments)
    assert ended.value.code == 2


def test_pairs_that_are_wrong_are_counted_from_1_over_all_rounds():
    outcome, right = Outcome(name="s", version="1"), np.array([0.5, 2.0, 3.0])
    outcome.add(1.0, 1.0, right, right)
    assert (outcome.state, outcome.wrong) == ("agrees", set())
    outcome.add(1.0, 1.0, np.array([0.5, 2.0, 4.0]), right)
    assert outcome.why == "1 of 3 pairs; the value of pair 3 is 3, not 4"
    outcome.add(1.0, 1.0, np.array([0.25, 2.0, 4.0]), right)
    assert outcome.why == "2 of 3 pairs; the value of pair 1 is 0.5, not 0.25"
    assert (outcome.state, outcome.wrong, outcome.greatest_difference) == ("wrong", {1, 3}, 1.0)


@pytest.mark.parametrize("right", [0.5, 1.0, 8.0])
def test_a_value_may_differ_by_the_tolerance(right):
    most = solvers.TOLERANCE * max(1.0, right)
    for difference, state in ((0.5 * most, "agrees"), (1.5 * most, "wrong")):
        outcome = Outcome(name="s", version="1")
        outcome.add(1.0, 1.0, np.array([right + difference]), np.array([right]))
        assert outcome.state == state
