"""The benchmark: generated text has the properties asked for, and solvers that fail are caught."""

from __future__ import annotations

import json
import random
import re
import statistics
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import chain

import fake_solvers
import numpy as np
import pytest
from pairs import sides_of

import celab
from celab.base.errors import InputError, OptionError
from celab.benchmark import measure, report, solvers
from celab.benchmark.measure import (
    REDUCTION,
    STAGES,
    STEPS,
    Benchmark,
    MeasureOptions,
    Outcome,
    TextOptions,
    TextPairs,
    generate,
    sample,
    solver_figures,
    stages_of,
)
from celab.benchmark.solvers import SOLVERS, Solver, choose, stacked

SMALL = TextOptions(pairs=6, length=12, density=0.5, repetition=0.4, overlap=0.7)


@pytest.fixture(autouse=True)
def short_stages(monkeypatch):
    """Repeat the work of this process for a shorter time."""
    monkeypatch.setattr(solvers, "_SHORTEST", 0.002)


def made(options):
    pairs = generate(options)
    return pairs, pairs.generated_metric()


def fake(name):
    return Solver(name, "numpy", getattr(fake_solvers, name.replace("-", "_")), "")


def measured(*solvers, rounds=1, timeout=60.0, options=SMALL):
    pairs, metric = made(options)
    return Benchmark(metric, solvers, MeasureOptions(rounds=rounds, timeout=timeout)).measure(pairs)


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
    with pytest.raises(InputError):
        sample("files", [["", "a"]], ["b", " "], 5, 1)


def test_pairs_of_a_length():
    found = TextPairs("x", ["abc", "de"], ["ABCD", "E"]).of_length(4, 3)
    assert found.hyps == ("abcd", "abcd", "abcd")
    assert found.refs == ("ABCD", "ABCD", "ABCD")
    assert generate(SMALL).of_length(30, 2) == generate(replace(SMALL, length=30, pairs=2))


# ---- the metric's own work ----


def test_the_generated_lexicon_is_named_by_its_digest():
    pairs, metric = made(SMALL)
    assert re.search(r"\|lex:generated-1\.tsv@[0-9a-f]{12}\|", metric.signature)
    assert metric.signature == made(replace(SMALL, length=30))[1].signature
    assert metric.signature != replace(pairs, groups=pairs.groups[1:]).generated_metric().signature
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
    *_, coverage, programs = stages_of(pairs, metric)
    covered = np.stack((recall, precision), axis=1) * n_ngrams
    assert coverage() == pytest.approx(covered, abs=1e-9)
    for value, (program, n_links) in zip(covered, programs(), strict=True):
        optimum = program.cost @ SOLVERS["highs"].solve(program)
        assert optimum == pytest.approx(value @ program.cost[[n_links, -1]], abs=1e-9)


def test_stacked_programs_come_apart_again():
    programs = [program for program, _ in stages_of(*made(SMALL))[-1]()]
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
    found = measured(solver, options=replace(SMALL, pairs=10))
    reduction, other = found["solvers"]
    assert (other["state"], other["why"]) == ("agrees", "")
    assert other["greatest_difference"] < 1e-5
    assert (reduction["name"], other["name"]) == (REDUCTION, name)
    assert len(other["seconds"]) == len(reduction["seconds"]) == 1
    assert other["seconds"][0] > other["solver_seconds"][0] > 0


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
    solve_all = measure.solve_all
    # All of the time of the one that hangs is waited for; its neighbor has the time that it needs.
    monkeypatch.setattr(
        *(measure, "solve_all"),
        lambda solver, programs, timeout: solve_all(
            solver, programs, 1.0 if solver.name == "hanging" else timeout
        ),
    )
    found = measured(*fakes, SOLVERS["highs"])
    _, *faulty, other = found["solvers"]
    for (name, state, why), one in zip(FAKES[group], faulty, strict=True):
        assert (one["name"], one["state"]) == (name, state), one["why"]
        assert one["why"][: len(why)] == why and bool(one["why"]) == bool(why), one["why"]
        assert found["agree"] == (state != "wrong")
    assert other["state"] == "agrees", other["why"]  # whatever its neighbors do
    told = report.figures(found, {})
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert report.tables(told)
    assert capfd.readouterr() == ("", "")


def test_a_wrong_value_counts_even_if_a_later_round_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("CELAB_FIRST_ROUND", str(tmp_path / "first"))
    found = measured(fake("failing-after-a-lie"), rounds=2)
    _, one = found["solvers"]
    assert (one["state"], one["why"]) == ("failed", "pair 1: tired")
    assert "WRONG" in report.tables(report.figures(found, {}))


def test_rounds_are_kept():
    found = measured(SOLVERS["highs"], rounds=3)
    assert found["rounds"] == 3
    for solver in found["solvers"]:
        for name in ("seconds", "solver_seconds", "wall_seconds"):
            assert len(solver[name]) == 3
    for spread in found["stages"].values():
        assert spread["min"] <= spread["median"] <= spread["max"]
    fastest, median, slowest = sorted(found["solvers"][1]["seconds"])
    assert found["solvers"][1]["pairs_per_second"] == {
        "median": 6 / median,
        "min": 6 / slowest,
        "max": 6 / fastest,
    }


def test_stages_add_up_to_the_reduction():
    found = measured(options=TextOptions(pairs=30, density=0.9, repetition=0.8, seed=3))
    assert tuple(found["stages"]) == STAGES
    assert found["steps"]["pairs"]["program"] > 0  # HiGHS has some work
    cover, rest = (found["stages"][name]["median"] for name in STAGES[2:4])
    (reduction,) = found["solvers"]
    assert cover + rest == pytest.approx(reduction["seconds"][0])
    assert reduction["solver_seconds"] == [rest]
    without = measured()
    assert without["steps"]["pairs"]["program"] == 0
    assert without["stages"]["HiGHS on the rest"]["max"] == 0


def test_sizes_and_steps_are_those_of_the_pairs():
    options = replace(SMALL, density=0.9, repetition=0.6)
    found, (pairs, metric) = measured(options=options), made(options)
    *_, cover, _, programs = stages_of(pairs, metric)
    sizes = [[len(p.cost), len(p.row_upper), len(p.index)] for p, _ in programs()]
    for counts, told in zip(zip(*sizes, strict=True), found["sizes"].values(), strict=True):
        median, mean = statistics.median(counts), statistics.mean(counts)
        assert told == {"median": median, "mean": mean, "max": max(counts)}
    assert [*found["sizes"]] == ["columns", "rows", "nonzeros"]
    halves = cover()[1].tolist()
    for steps, name in (([*chain(*halves)], "halves"), ([*map(max, halves)], "pairs")):
        assert len({*steps}) > 1
        shares = [steps.count(k) / len(steps) for k in range(5)]
        assert found["steps"][name] == dict(zip(STEPS, shares, strict=True))
    mean_length = statistics.mean(map(len, pairs.refs))
    assert found["corpus"] == {
        "origin": pairs.origin,
        "pairs": 6,
        "mean_length": pytest.approx(mean_length),
    }


def test_solvers_are_chosen_by_name(monkeypatch):
    assert [solver.name for solver in choose("highs,highs-ipm,highs")] == ["highs", "highs-ipm"]
    assert SOLVERS["highs"] in choose(None)
    monkeypatch.setitem(SOLVERS, "gone", Solver("gone", "no_such_package", fake_solvers.liar, ""))
    with pytest.raises(OptionError):
        choose("highs,gone")
    assert "gone" not in [solver.name for solver in choose(None)]


# ---- growth ----


def invented(seconds):
    """Results as if they had been measured, so that the right figures are known."""
    outcomes = []
    for name, per_pair in seconds.items():
        outcome = Outcome(name, "numpy", "1.0", "")
        if per_pair is None:
            outcome.state, outcome.why = "timed out", "after 1 s"
        else:
            outcome.times = [(per_pair * 4,) * 3] * 3
        outcomes.append(outcome)
    sizes = {"median": 25, "mean": 30, "max": 60}
    return {
        "corpus": {"origin": "made <up> & $o$", "pairs": 4, "mean_length": 9.5},
        "signature": "sig",
        "rounds": 3,
        "agree": True,
        "solvers": solver_figures(outcomes, 4),
        "sizes": dict.fromkeys(("columns", "rows", "nonzeros"), sizes),
        "steps": {
            "halves": dict(zip(STEPS, (0.625, 0.125, 0.125, 0.0, 0.125), strict=True)),
            "pairs": dict(zip(STEPS, (0.25, 0.25, 0.25, 0.0, 0.25), strict=True)),
        },
        "stages": {name: {"median": 4e-6, "min": 4e-6, "max": 4e-6} for name in STAGES},
    }


@pytest.fixture
def growth():
    return {
        n: invented({REDUCTION: n * 1e-6, "square": n * n * 1e-5, "lazy": lazy})
        for n, lazy in ((10, 1e-3), (20, None), (40, None))
    }


@pytest.fixture
def one():
    return invented({REDUCTION: 1e-5, "other": 2e-3, "lazy": None})


def test_a_solver_that_fails_is_not_asked_again():
    turns = []
    pairs, metric = made(SMALL)
    solvers = [fake("failing"), SOLVERS["highs"]]
    benchmark = Benchmark(metric, solvers, MeasureOptions(rounds=1))
    found = benchmark.grow(pairs, [8, 4], lambda *numbers: turns.append(numbers))
    assert {n: [solver["name"] for solver in one["solvers"]] for n, one in found.items()} == {
        4: [REDUCTION, "failing", "highs"],
        8: [REDUCTION, "highs"],
    }
    assert list(found) == [4, 8]
    assert turns == [(1, 4), (2, 4), (4, 4)]  # the turn of the only solver left counts for both


# ---- report ----


def test_tables(one, growth):
    lines = report.tables(report.figures(one, growth)).split("\n")
    cells = {line.split()[0]: line.split() for line in lines if line}
    assert cells[REDUCTION][3:] == ["100,000", "10.0", "200", "1.0", "1.0", "0", "agrees"]
    assert cells["other"][3:] == ["500", "2,000", "1.0", "200", "200", "0", "agrees"]
    assert "lazy timed out: after 1 s" in lines
    assert cells["columns"][1:] == ["25", "30", "60"]
    assert cells["settled"][1:] == ["62.5%", "25.0%"]
    assert cells["program"][1:] == ["12.5%", "25.0%"]
    assert cells["tokens"][1:] == ["1.00", "25%"]
    assert cells["exponent"][1:] == ["1.00", "2.00"]
    assert cells["40"][1:] == ["30", "40.0", "16,000"]
    assert "length 20: lazy timed out: after 1 s" in lines
    assert any(line.startswith("1 other solver agrees") for line in lines)
    markdown = report.tables(report.figures(one, growth), "markdown")
    assert "| exponent |  | 1.00 | 2.00 |  |" in markdown
    told = report.figures(invented({REDUCTION: 1e-5, "lazy": None}), {})
    assert "no solver was compared" in report.tables(told)


def test_figures(one, growth):
    told = report.figures(one, growth)
    assert told["corpus"] == {"origin": "made <up> & $o$", "pairs": 4, "mean_length": 9.5}
    reduction, other, lazy = told["solvers"]
    assert reduction["pairs_per_second"]["median"] == pytest.approx(1e5)
    assert other["slowdown"]["max"] == other["wall_slowdown"]["min"] == pytest.approx(200)
    assert reduction["speedup"] == pytest.approx(200)
    assert (other["state"], other["wrong"], other["greatest_difference"]) == ("agrees", [], 0.0)
    assert (lazy["state"], lazy["why"], "seconds" in lazy) == ("timed out", "after 1 s", False)
    assert {name: told[name] for name in one} == one
    assert [one["length"] for one in told["growth"]["lengths"]] == [10, 20, 40]
    seconds = [one["seconds"] for one in told["growth"]["lengths"]]
    assert [one.get("lazy") for one in seconds] == [1e-3, None, None]
    assert set(seconds[1]) == {REDUCTION, "square"}
    assert told["growth"]["exponents"] == {
        REDUCTION: pytest.approx(1),
        "square": pytest.approx(2),
        "lazy": None,
    }
    assert told["agree"] is True
    assert "growth" not in report.figures(one, {})
    growth[20]["agree"] = False
    assert report.figures(one, growth)["agree"] is False
    assert "WRONG: values differ" in report.tables(report.figures(one, growth))


# ---- plots ----

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def draw():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: nothing can be drawn")

    def drawn(measured, growth):
        return ElementTree.fromstring(report.plot(report.figures(measured, growth), "svg"))

    return drawn


def texts(picture):
    return [text.text for text in picture.iter(f"{SVG}text")]


def test_bars(draw):
    seconds = {REDUCTION: 1e-5, "a<b": 2e-3, "lazy": None, "slow": 5.0}
    picture = draw(invented(seconds), {})
    labels = texts(picture)
    assert {REDUCTION, "a<b", "slow", "pairs per second", "100,000", "500"} <= set(labels)
    assert "lazy" not in labels
    assert "made <up> & $o$: 4 pairs" in labels
    bars = [
        path.get("d").split()
        for path in draw(invented({REDUCTION: 1e-5, "slow": 5.0}), {}).iter(f"{SVG}path")
        if "#d55e00" in str(path.attrib)
    ]
    ((_, left, _, _, right, *_),) = bars
    assert float(right) > float(left) + 5  # the slowest can be seen


def test_lines(draw, one, growth):
    picture = draw(one, growth)
    points = {}
    for group in picture.iter(f"{SVG}g"):
        if group.get("id") in ("square", REDUCTION, "lazy"):
            path = group.find(f"{SVG}path").get("d").split()
            numbers = [float(word) for word in path if word not in "MLz"]
            points[group.get("id")] = list(zip(numbers[::2], numbers[1::2], strict=True))
    assert {name: len(some) for name, some in points.items()} == {
        REDUCTION: 3,
        "square": 3,
        "lazy": 1,
    }
    for some in (points[REDUCTION], points["square"]):  # longer is to the right, and slower above
        assert some == sorted(some)
        assert [y for _, y in some] == sorted((y for _, y in some), reverse=True)
    labels = texts(picture)
    assert {REDUCTION, "square", "lazy", "tokens", "µs per pair", "10", "20", "40"} <= set(labels)
    assert "made <up> & $o$: 4 pairs of each length" in labels
    draw(growth[10], {10: growth[10]})  # a single length is no error


def test_plots_that_cannot_be_drawn(monkeypatch):
    monkeypatch.setattr(report, "find_spec", lambda name: None)
    for name in ("a.svg", "a.png"):
        with pytest.raises(OptionError):
            report.check_plot(name)
    monkeypatch.setattr(report, "find_spec", lambda name: name)
    report.check_plot("a.svg")


def test_pairs_that_are_wrong_are_counted_from_1_over_all_rounds():
    outcome, right = Outcome("s", "p", "1", ""), np.array([0.5, 2.0, 3.0])
    times = (1.0, 1.0, 1.0)
    outcome.add(times, right, right)
    assert (outcome.state, outcome.wrong) == ("agrees", [])
    outcome.add(times, np.array([0.5, 2.0, 4.0]), right)
    assert outcome.why == "1 of 3 pairs; the value of pair 3 is 3, not 4"
    outcome.add(times, np.array([0.25, 2.0, 4.0]), right)
    assert outcome.why == "2 of 3 pairs; the value of pair 1 is 0.5, not 0.25"
    assert (outcome.state, outcome.wrong, outcome.greatest_difference) == ("wrong", [1, 3], 1.0)


@pytest.mark.parametrize("right", [0.5, 1.0, 8.0])
def test_a_value_may_differ_by_the_tolerance(right):
    most = measure.TOLERANCE * max(1.0, right)
    for difference, state in ((0.5 * most, "agrees"), (1.5 * most, "wrong")):
        outcome = Outcome("s", "p", "1", "")
        outcome.add((1.0, 1.0, 1.0), np.array([right + difference]), np.array([right]))
        assert outcome.state == state
