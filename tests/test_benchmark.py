"""The benchmark: generated text is what it says, solvers agree, and who does not is found out."""

from __future__ import annotations

import json
import random
import statistics
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import celab
from celab._native.links import link_pairs
from celab.benchmark import plot, report
from celab.benchmark.generate import Recipe, generate
from celab.benchmark.growth import Growth, grow
from celab.benchmark.measure import REDUCTION, ROOMS, SIZES, STEPS, Found, Run, _Work, measure
from celab.benchmark.pairs import Pairs, metric_of_groups, of_length, sample
from celab.benchmark.programs import load, parts, save, stacked
from celab.benchmark.solvers import SOLVERS, Solver, chosen
from celab.errors import InputError, OptionError

SMALL = Recipe(pairs=6, length=12, density=0.5, repetition=0.4, overlap=0.7)


def made(recipe):
    pairs = generate(recipe)
    return pairs, metric_of_groups(pairs.groups, "generated")


def fake(name):
    return Solver(name, ("numpy",), f"fake_solvers:{name.replace('-', '_')}", "")


def measured(*solvers, rounds=1, timeout=60.0, recipe=SMALL):
    return measure(*made(recipe), solvers, rounds=rounds, timeout=timeout)


# ---- generated text ----


def test_the_same_recipe_gives_the_same_text():
    assert generate(SMALL) == generate(SMALL)
    assert generate(SMALL).refs != generate(replace(SMALL, seed=2)).refs


def test_text_is_written_as_ever():
    # By this program when it was new: figures of old are of this text.
    pairs = generate(Recipe(pairs=2, length=12))
    assert pairs.hyps == ["纫而眷课谚波骑骑映骑骑依撒弗粮课附丘", "级柳谷恨扎"]
    assert pairs.refs == ["甫哦丘慨贵鄙戮刽鸥刽刽拂课咒磺成踢咒", "级柳柳割豺碧"]
    assert pairs.groups[0] == ["丘驴", "赞撒", "豺笋", "刁咒", "透膜"]


@pytest.mark.parametrize("length", [1, 2, 7, 40])
def test_length(length):
    lengths = [len(ref) for ref in generate(Recipe(pairs=2000, length=length)).refs]
    assert statistics.mean(lengths) == pytest.approx(length, rel=0.05)
    assert min(lengths) >= 1
    assert max(lengths) < 2 * length + (length == 1)


@pytest.mark.parametrize("repetition", [0.0, 0.3, 0.8])
def test_repetition(repetition):
    refs = generate(Recipe(pairs=200, density=0.0, repetition=repetition)).refs
    repeated = sum(len(ref) - len(set(ref)) for ref in refs)
    # The first token of a sentence repeats none.
    assert repeated / sum(len(ref) - 1 for ref in refs) == pytest.approx(repetition, abs=0.02)


@pytest.mark.parametrize("overlap", [0.0, 0.25, 0.75, 1.0])
def test_overlap(overlap):
    pairs = generate(Recipe(pairs=300, density=0.0, repetition=0.0, overlap=overlap))
    kept = sum(len(set(h) & set(r)) for h, r in zip(pairs.hyps, pairs.refs, strict=True))
    assert kept / sum(map(len, pairs.refs)) == pytest.approx(overlap, abs=0.04)


@pytest.mark.parametrize("density", [0.0, 0.2, 0.7, 1.0])
def test_density(density):
    pairs = generate(Recipe(pairs=200, density=density))
    in_words = {c for group in pairs.groups for word in group for c in word}
    inside = sum(c in in_words for ref in pairs.refs for c in ref)
    # A word that does not fit any more makes place for a character.
    assert inside / sum(map(len, pairs.refs)) == pytest.approx(density, abs=0.04)
    assert bool(pairs.groups) == (density > 0)


def test_synonyms_make_links():
    pairs, metric = made(Recipe(pairs=20, density=0.6))
    plain = celab.TeslaCelab(lexicon=None, script="keep")
    with_lexicon, without = (links_of(one, pairs) for one in (metric, plain))
    assert with_lexicon > 1.2 * without


def links_of(metric, pairs):
    vocabulary = metric.vocabulary()
    hyp, ref = (metric.read(side, vocabulary) for side in (pairs.hyps, pairs.refs))
    return sum(len(link_pairs(hyp, s, ref, s, 4, False)) for s in range(len(pairs)))


def test_longer_sentences_than_there_are_characters():
    (ref,) = generate(Recipe(pairs=1, length=9000, density=0.0, repetition=0.0)).refs
    assert len(ref) > len(set(ref)) > 3000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pairs", 0),
        ("length", 0),
        ("overlap", 1.1),
        ("density", -0.1),
        ("repetition", 2),
        ("seed", -1),
    ],
)
def test_a_recipe_that_cannot_be(field, value):
    with pytest.raises(OptionError, match=f"{field} is {value}; it must be"):
        Recipe(**{field: value})


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


def test_a_corpus_of_blank_sides_is_refused():
    with pytest.raises(InputError, match="all pairs have a blank side"):
        sample("files", [["", "a"]], ["b", " "], 5, 1)


def test_pairs_of_a_length():
    found = of_length(Pairs("x", ["abc", "de"], ["ABCD", "E"]), 4, 3)
    assert found.hyps == ["abcd", "abcd", "abcd"]
    assert found.refs == ["ABCD", "ABCD", "ABCD"]


def test_sides_of_unequal_length_are_refused():
    with pytest.raises(InputError, match="1 hypotheses and 2 references"):
        Pairs("x", ["a"], ["a", "b"])


# ---- programs ----


def test_stacked_programs_come_apart_again(tmp_path):
    pairs, metric = made(SMALL)
    vocabulary = metric.vocabulary()
    hyp, ref = (metric.read(side, vocabulary) for side in (pairs.hyps, pairs.refs))
    programs = [metric.joint_program(hyp, s, ref, s)[0] for s in range(len(pairs))]
    save(tmp_path / "programs.npz", stacked(programs))
    again = load(tmp_path / "programs.npz")
    for one, other in zip(programs, parts(again, 1), strict=True):
        for name in ("cost", "column_upper", "row_upper", "row_start", "index", "value"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert [len(part.block_owner) for part in parts(again, 4)] == [4, 2]
    sizes = report._of_sizes(measured(rounds=1).sizes["columns"])
    assert sizes["mean"] == statistics.mean(len(one.cost) for one in programs)


# ---- solvers ----


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_agrees_with_the_reduction(name):
    solver = SOLVERS[name]
    if solver.lacking:
        pytest.skip(f"{' and '.join(solver.lacking)} not here: {name} cannot be asked")
    found = measured(solver, recipe=replace(SMALL, pairs=10))
    reduction, run = found.runs
    assert (run.state, run.why) == ("agrees", "")
    assert run.greatest_difference < 1e-5
    assert (reduction.name, run.name) == (REDUCTION, name)
    assert len(run.seconds) == len(reduction.seconds) == 1
    assert run.seconds[0] > run.solver_seconds[0] > 0


def test_the_yardstick_is_the_metric():
    # Values of the reduction are those that make the scores.
    draw = random.Random(5)
    texts = ["".join(draw.choices("甲乙丙", k=9)) for _ in range(8)]
    pairs = Pairs("x", texts[:4], texts[4:])
    metric = celab.TeslaCelab(lexicon=None, solver="check")
    scores = metric.corpus_score(pairs.hyps, [pairs.refs]).segments.figures[:, 0]
    n_ngrams = metric.n_ngrams(9)
    values = _Work(pairs, metric).values
    assert values == pytest.approx(scores * 1.25 * n_ngrams, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "state", "why"),
    [
        ("liar", "wrong", "6 of 6 pairs"),
        ("liar-on-the-third", "wrong", "2 of 6 pairs; the value of pair 3 is"),
        ("nan-on-the-third", "failed", "pair 3: the solution holds what is not a number"),
        ("failing", "failed", "pair 1: ended with 'unknown', not with an optimum"),
        ("raising", "crashed", "with exit code 1: ZeroDivisionError: no solver today"),
        ("crashing", "crashed", "by signal SIGABRT"),
        ("hanging", "timed out", "after 5 s"),
        ("chattering", "agrees", ""),
    ],
)
def test_who_does_not_do_its_work_is_found_out(name, state, why):
    found = measured(fake(name), SOLVERS["highs"], timeout=5.0 if name == "hanging" else 60.0)
    _, run, other = found.runs
    assert (run.state, run.why[: len(why)]) == (state, why), run.why
    assert found.is_wrong == (state == "wrong")
    assert other.state == "agrees", other.why  # whatever its neighbour does
    assert report.tables(found)
    json.loads(report.as_json(found))


def test_rounds_are_kept():
    found = measured(SOLVERS["highs"], rounds=3)
    for run in found.runs:
        assert len(run.seconds) == len(run.solver_seconds) == len(run.clock_seconds) == 3
    assert {name: len(times) for name, times in found.rooms.items()} == dict.fromkeys(ROOMS, 3)


def test_solvers_are_chosen_by_name():
    assert [one.name for one in chosen("highs,highs-ipm,highs")] == ["highs", "highs-ipm"]
    with pytest.raises(OptionError, match="solver is 'simplex'; it must be one of: highs, "):
        chosen("simplex")


def test_a_solver_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(SOLVERS, "gone", Solver("gone", ("no_such_package",), "x:y", ""))
    with pytest.raises(OptionError, match="gone needs no_such_package; pip install"):
        chosen("highs,gone")


# ---- growth ----


def invented(seconds):
    """Results as if they had been measured, so that what is made of them is known."""
    runs = []
    for name, a_pair in seconds.items():
        run = Run(name, "numpy", "1.0", "", greatest_difference=0.0)
        if a_pair is None:
            run.state, run.why = "timed out", "after 1 s"
        else:
            run.seconds = run.solver_seconds = run.clock_seconds = [a_pair * 4] * 3
        runs.append(run)
    rooms = {name: [4e-6] * 3 for name in ROOMS}
    sizes = {name: [10, 20, 30, 60] for name in SIZES}
    steps = np.array([[0, 1], [2, 0], [4, 0], [0, 0]], np.int8)
    return Found("made <up> & so", "sig", 4, 9.5, 3, runs, rooms, sizes, steps)


@pytest.fixture
def growth():
    return Growth(
        [10, 20, 40],
        [
            invented({REDUCTION: n * 1e-6, "square": n * n * 1e-5, "lazy": lazy})
            for n, lazy in ((10, 1e-3), (20, None), (40, None))
        ],
    )


def test_exponents(growth):
    assert growth.exponent(REDUCTION) == pytest.approx(1)
    assert growth.exponent("square") == pytest.approx(2)
    assert growth.exponent("lazy") is None
    assert growth.seconds("lazy") == {10: 1e-3}


def test_who_fails_is_not_asked_again():
    turns = []
    found = grow(
        lambda length: made(replace(SMALL, length=length)),
        [8, 4],
        [fake("failing"), SOLVERS["highs"]],
        rounds=1,
        progress=lambda: turns.append(1),
    )
    assert found.lengths == [4, 8]
    assert [[run.name for run in one.runs] for one in found.found] == [
        [REDUCTION, "failing", "highs"], [REDUCTION, "highs"],
    ]  # fmt: skip
    assert len(turns) == 4
    assert not found.is_wrong


# ---- report ----


def test_table(growth):
    found = invented({REDUCTION: 1e-5, "other": 2e-3, "lazy": None})
    lines = report.tables(found, growth).split("\n")
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
    assert any(line.startswith("1 other solver agrees") for line in lines)


def test_a_wrong_solver_is_shouted_at(growth):
    growth.found[1].runs[1].state = "wrong"
    found = invented({REDUCTION: 1e-5, "other": 2e-3})
    assert "WRONG" not in report.tables(found)
    assert "WRONG: values differ" in report.tables(found, growth)
    assert growth.is_wrong


def test_nothing_to_compare_with():
    assert "nothing was compared" in report.tables(invented({REDUCTION: 1e-5, "lazy": None}))


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_kinds_of_tables(kind, growth):
    assert "square" in report.tables(growth.found[0], growth, kind)


def test_json(growth):
    found = invented({REDUCTION: 1e-5, "other": 2e-3, "lazy": None})
    told = json.loads(report.as_json(found, growth))
    assert told["corpus"] == {"origin": "made <up> & so", "pairs": 4, "mean_length": 9.5}
    reduction, other, lazy = told["solvers"]
    assert reduction["pairs_per_second"]["median"] == pytest.approx(1e5)
    assert other["behind_fastest"]["max"] == pytest.approx(200)
    assert reduction["times_slowest"] == pytest.approx(200)
    assert (other["state"], other["wrong"], other["greatest_difference"]) == ("agrees", [], 0.0)
    assert (lazy["state"], lazy["why"], "seconds" in lazy) == ("timed out", "after 1 s", False)
    assert told["sizes"]["nonzeros"] == {"median": 25, "mean": 30, "max": 60}
    assert tuple(told["steps"]["halves"]) == STEPS
    assert told["steps"]["pairs"] == {
        "settled": 0.25, "apart": 0.25, "bounded": 0.25, "priced": 0.0, "program": 0.25,
    }  # fmt: skip
    assert tuple(told["rooms"]) == ROOMS
    assert [one["length"] for one in told["growth"]["lengths"]] == [10, 20, 40]
    assert set(told["growth"]["lengths"][1]["seconds"]) == {REDUCTION, "square"}
    assert told["growth"]["exponents"]["lazy"] is None
    assert "growth" not in json.loads(report.as_json(found))


# ---- plots ----

SVG = "{http://www.w3.org/2000/svg}"


def test_bars():
    found = invented({REDUCTION: 1e-5, "a<b": 2e-3, "lazy": None, "slow": 5.0})
    picture = ElementTree.fromstring(plot.svg(found).encode())
    _, *bars = picture.findall(f"{SVG}rect")
    widths = [float(bar.get("width")) for bar in bars]
    assert widths == sorted(widths, reverse=True) and len(widths) == 3 and widths[-1] > 0
    labels = [text.text for text in picture.findall(f"{SVG}text")]
    assert {REDUCTION, "a<b", "slow", "pairs a second"} <= set(labels)
    assert "made <up> & so: 4 pairs" in labels


def test_lines(growth):
    picture = ElementTree.fromstring(plot.svg(growth.found[0], growth).encode())
    lines = [line.get("points").split() for line in picture.findall(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [3, 3, 1]
    for points in lines[:2]:  # longer is to the right, and slower is above
        places = [tuple(map(float, point.split(","))) for point in points]
        assert places == sorted(places)
        assert [y for _, y in places] == sorted((y for _, y in places), reverse=True)
        assert all(0 < x < plot._WIDTH and 0 < y < plot._HEIGHT for x, y in places)


def test_one_length_can_be_drawn(growth):
    one = Growth(growth.lengths[:1], growth.found[:1])
    ElementTree.fromstring(plot.svg(one.found[0], one).encode())


def test_png(growth):
    if find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not here: no PNG can be drawn")
    for drawn in (None, growth):
        assert plot.png(growth.found[0], drawn).startswith(b"\x89PNG\r\n\x1a\n")


def test_names_of_plots(monkeypatch):
    plot.check("a.svg")
    with pytest.raises(OptionError, match=r"must end in \.svg or \.png"):
        plot.check("a.pdf")
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="needs matplotlib"):
        plot.check("a.png")
