"""A pair has limits of time and memory; what is not proved is an error, or is left out aloud."""

import re
import resource
import sys
import tempfile
import threading
from itertools import combinations

import commands
import numpy as np
import pytest

import celab.exact.proof
import celab.exact.solve
from celab import SolverError, TeslaCelab, TeslaM
from celab.metrics import bag_scorer
from celab.statistics import significance
from celab.systems import campaign

# The reduction proves all but this pair, the smallest known that it leaves to HiGHS.
HARD = "雨雨伞雨伞雨伞", "伞雨伞"
EASY = [("买伞", "买雨伞"), ("好", "好"), ("", "空"), ("一二三", "三二一")]
AT_ONCE = 1e-9


def sides(*pairs):
    hyps, refs = zip(*pairs, strict=True)
    return list(hyps), list(refs)


def celab_metric(**options):
    return TeslaCelab(lexicon=None, script="keep", **options)


def tagged(**options):
    return TeslaM(analysis="tagged", lexicon=None, **options)


TAGGED = "a|a|N b|b|V", "a|a|N c|c|V"
OTHER = "a|a|N", "a|a|N"

# ---- the limit --------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_batch_that_is_not_proved_names_the_segment(jobs):
    # All that is left of a batch is one program, but the error is of one segment.
    hyps, refs = sides(*EASY * 150, HARD, *EASY)
    metric = celab_metric(time_limit=AT_ONCE, jobs=jobs)
    assert metric.corpus_score(hyps[:600], [refs[:600]]).n_skipped == 0
    with pytest.raises(SolverError, match="segment 601, reference 2"):
        metric.corpus_score(hyps, [["空"] * len(hyps), refs])


def test_the_solver_is_of_use_after_a_failure():
    usual = celab_metric(solver="highs").sentence_score(HARD[0], [HARD[1]])
    with pytest.raises(SolverError):
        celab_metric(solver="highs", time_limit=AT_ONCE).sentence_score(HARD[0], [HARD[1]])
    assert celab_metric(solver="highs").sentence_score(HARD[0], [HARD[1]]) == usual
    assert celab_metric().sentence_score(HARD[0], [HARD[1]]) == usual


def test_the_limit_is_each_programs_own(monkeypatch):
    # The solver's clock is not: it goes on, whatever is solved.
    metric = celab_metric(solver="highs", time_limit=0.5)
    celab_metric(solver="highs").sentence_score("买伞", ["买雨伞"])  # makes the solver

    class Late:
        """The solver of this thread, a million seconds later."""

        solver, limits = celab.exact.solve._thread.solver, []

        def __getattr__(self, name):
            return getattr(self.solver, name)

        def getRunTime(self):
            return 1e6

        def setOptionValue(self, name, value):
            if name == "time_limit":
                self.limits.append(value)
            return self.solver.setOptionValue(name, value)

    monkeypatch.setattr(celab.exact.solve._thread, "solver", late := Late())
    assert metric.sentence_score("买伞", ["买雨伞"]).recall == pytest.approx(1 / 3)
    assert set(late.limits) == {1e6 + 0.5}


@pytest.fixture
def patient(monkeypatch):
    """HiGHS has a minute for a small program: the limit of a test is for the long ones alone."""

    def solve(program, what, time_limit):
        is_small = len(program.index) < 1000
        return celab.exact.solve.solve(program, what, 60.0 if is_small else time_limit)

    monkeypatch.setattr(celab.exact.proof, "solve", solve)


def test_a_limit_stops_the_solver():
    rng = np.random.default_rng(0)
    hyp, ref = ("".join(rng.choice(list("买雨伞购"), 300)) for _ in range(2))
    done = threading.Event()

    def solve():
        with pytest.raises(SolverError, match=r"in 0.01 s"):
            celab_metric(solver="highs", time_limit=0.01).sentence_score(hyp, [ref])
        done.set()

    thread = threading.Thread(target=solve, daemon=True)
    thread.start()
    thread.join(60)
    assert done.is_set()


# ---- the kernels ------------------------------------------------------------------------------


def long_text(n, letters=3000, even=False):
    rng = np.random.default_rng(n)
    weights = np.ones(letters) if even else 1 / np.arange(1, letters + 1)
    chosen = rng.choice(letters, (2, n), p=weights / weights.sum())
    return ["".join(map(chr, 0x4E00 + side)) for side in chosen]


SLOW = long_text(200_000)  # half a second in the kernels
SCATTERED = long_text(4000, even=True)  # seconds to explain or as a whole program, but few links
SLOW_WORDS = [" ".join(f"{c}|{c}|T{ord(c) % 2}" for c in side) for side in long_text(1500)]
# A kernel looks at the clock when it has worked for a while, and fails at the second look: the long
# pairs always do, and short ones, which are over before, never, however busy the machine is.
IN_TIME = rf"no optimum was proved in {AT_ONCE:g} s"
KERNELS = pytest.mark.parametrize(
    ("make", "pair", "explained", "easy"),
    [(celab_metric, SLOW, SCATTERED, EASY[0]), (tagged, SLOW_WORDS, SLOW_WORDS, TAGGED)],
)


@KERNELS
@pytest.mark.parametrize("jobs", [1, 2])
def test_kernels_have_the_limit_and_name_the_segment(make, pair, explained, easy, jobs):
    hyps, refs = sides(easy, easy, pair, easy, pair)
    limited = make(time_limit=AT_ONCE, jobs=jobs)
    with pytest.raises(SolverError, match=rf"^segment [35], reference [12]: {IN_TIME}"):
        limited.corpus_score(hyps, [[easy[1]] * 5, refs])
    found = make(time_limit=AT_ONCE, jobs=jobs, on_error="skip").corpus_score(hyps, [refs])
    assert found.segments.scored.tolist() == [True, True, False, True, False]
    assert found.segments[0] == make().sentence_score(easy[0], [easy[1]])
    assert limited.sentence_score(easy[0], [easy[1]]) == found.segments[0]


@KERNELS
def test_all_doors_have_the_limit(make, pair, explained, easy):
    metric = make(time_limit=AT_ONCE)
    # TESLA-M takes the references of a hypothesis for segments.
    with pytest.raises(SolverError, match=rf"^(hypothesis 2|segment 1), reference 1: {IN_TIME}"):
        metric.pairwise(["", pair[0]], [pair[1]])
    with pytest.raises(SolverError, match=rf"^the explained pair: {IN_TIME}"):
        metric.explain(*explained)
    skipping = metric.with_run(on_error="skip")
    matrix = skipping.pairwise([easy[0], pair[0]], [easy[1], pair[1]])
    # A long text takes too long against an easy one, too, or not.
    assert not np.isnan(matrix[0, 0]) and np.isnan(matrix[1, 1])


@pytest.mark.parametrize("solver", ["highs", "check"])
def test_the_whole_program_of_a_long_pair_ends_in_time(solver, patient):
    metric = celab_metric(solver=solver, time_limit=0.02, on_error="skip")
    hyps, refs = sides(SCATTERED, ("买伞", "买"))
    assert metric.corpus_score(hyps, [refs]).segments.scored.tolist() == [False, True]


def test_what_a_pair_left_before_it_failed_is_no_program(patient):
    # The pair before it and the one after it are HiGHS's, in the same batch.
    hyps, refs = sides(HARD, SLOW, HARD)
    usual = celab_metric().sentence_score(HARD[0], [HARD[1]])
    found = celab_metric(time_limit=AT_ONCE, on_error="skip").corpus_score(hyps, [refs])
    assert found.segments.scored.tolist() == [True, False, True]
    assert found.segments[0] == found.segments[2] == usual


# ---- memory -----------------------------------------------------------------------------------

TOO_LONG = {
    "links": ("synonyms", long_text(6000, 60), r"6,000 and 6,000 tokens have links between more"),
    "release": ("release", long_text(60_000), r"links between more than 8,388,608 places"),
    "tokens": (
        "celab",
        ["甲" * 2_000_000, "乙" * 200_000],
        r"200,000 and 2,000,000 tokens are too",
    ),
    "whole": ("highs", ["甲" * 3000, "甲" * 3000], r"links are too many for the whole program"),
    "many": ("highs", ["甲" * 200_000, "乙" * 200_000], r"400,000 tokens are too many"),
    "words": ("tagged", ["a|a|N " * 100_001, "a|a|N"], r"100,001 and 1 words are too long"),
    "bags": ("tagged", [" ".join(f"{i}|{i}|N" for i in range(20_000))] * 2, r"different words"),
    "whole bags": ("tagged highs", ["a|a|N " * 3000] * 2, r"3,000 and 3,000 words are too long"),
}


def synonyms(**run):
    """A metric for which any two of sixty characters are synonyms, each by a group of their own."""
    letters = [chr(0x4E00 + k) for k in range(60)]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in combinations(letters, 2))
        file.flush()
        return TeslaCelab(lexicon=file.name, script="keep", **run)


MAKE = {
    "celab": celab_metric,
    "synonyms": synonyms,
    "release": lambda **run: celab_metric(links="release-2012", **run),
    "highs": lambda **run: celab_metric(solver="highs", **run),
    "tagged": tagged,
    "tagged highs": lambda **run: tagged(solver="highs", **run),
}


@pytest.fixture
def little_memory():
    """No more than 2 GiB beside what is taken already."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + 2**31, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("name", TOO_LONG)
def test_a_pair_too_long_for_memory_is_refused_by_name(name, little_memory):
    make, pair, why = MAKE[TOO_LONG[name][0]], *TOO_LONG[name][1:]
    easy = EASY[0] if TOO_LONG[name][0] in ("celab", "synonyms", "release", "highs") else TAGGED
    hyps, refs = sides(easy, pair)
    with pytest.raises(SolverError, match=rf"^segment 2, reference 1: .*{why}"):
        make().corpus_score(hyps, [refs])
    if name in ("links", "release"):  # which take seconds
        return
    found = make(on_error="skip").corpus_score(hyps, [refs])
    assert found.segments.scored.tolist() == [True, False]
    assert found.segments[0] == make().sentence_score(easy[0], [easy[1]])


def test_what_is_too_long_to_explain_says_so():
    for length, what in ((20_000, "40,000 tokens"), (300, "links")):
        with pytest.raises(SolverError, match=f"{what} are too many"):
            celab_metric().explain("甲" * length, "甲" * length)


def test_html_leaves_out_what_is_too_long_to_explain(tmp_path):
    for name in ("ref", "hyp"):
        (tmp_path / name).write_text("(" * 200_000 + "\n买伞\n", encoding="utf-8")
    flags = "--lexicon=none", "--html=page.html", "--quiet", "--brief"
    done = commands.run("score", "ref", "hyp", *flags, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 of 2 outputs are explained" in re.sub("<[^>]*>", "", page)


# ---- leaving out ------------------------------------------------------------------------------


def test_what_is_skipped_has_no_number_and_the_rest_its_own():
    metric = celab_metric(time_limit=AT_ONCE, on_error="skip")
    hyps, refs = sides(*EASY, HARD)
    found, rest = metric.corpus_score(hyps, [refs]), metric.corpus_score(hyps[:-1], [refs[:-1]])
    assert (found.precision, found.recall) == (rest.precision, rest.recall)
    assert np.isnan(found.segments.figures[-1]).all()
    assert found.segments[:-1] == rest.segments
    assert found.segments[-1].references == ()
    assert found.of_segments(np.array([1, 4])) == rest.segments[1].score
    assert np.isnan(found.of_segments(np.array([4])))


def test_a_segment_is_skipped_against_all_references():
    metric = celab_metric(time_limit=AT_ONCE, on_error="skip")
    hyps, refs = sides(EASY[0], HARD)
    found = metric.corpus_score(hyps, [["雨", "雨"], refs])
    assert np.isnan(found.segments.values[:, 1]).all()
    assert not np.isnan(found.segments.values[:, 0]).any()


def test_a_segment_without_reference_is_still_an_error():
    metric = celab_metric(time_limit=AT_ONCE, on_error="skip")
    hyps, refs = sides(HARD, ("买", " "))
    with pytest.raises(celab.InputError):
        metric.corpus_score(hyps, [refs])


def test_where_transport_is_not_proved_the_segment_is_named(monkeypatch):
    # What the kernel raises if its bound is not met; no input is known that makes it.
    true = bag_scorer.match_bags

    def fail(lemma, tag, function, start, *rest, failed, **options):
        for s in np.flatnonzero(np.diff(start) == 3).tolist():
            failed[s] = ArithmeticError("the flow's profit 1 does not meet the bound 2")
        return true(lemma, tag, function, start, *rest, failed=failed, **options)

    monkeypatch.setattr(bag_scorer, "match_bags", fail)
    hyps, refs = sides(TAGGED, OTHER, ("a|a|N a|a|N a|a|N", "a|a|N"), TAGGED)
    with pytest.raises(SolverError, match=r"^segment 3, reference 1: the flow's profit 1"):
        tagged().corpus_score(hyps, [refs])
    found = tagged(on_error="skip").corpus_score(hyps, [refs])
    assert found.segments.scored.tolist() == [True, True, False, True]
    del hyps[2], refs[2]
    assert found.score == tagged().corpus_score(hyps, [refs]).score


# ---- systems ----------------------------------------------------------------------------------


def test_systems_are_compared_on_what_both_have():
    metric = celab_metric(time_limit=AT_ONCE, on_error="skip")
    _, refs = sides(*EASY, HARD)
    first = ["买伞", "坏", "空", "三", HARD[0]]
    second = ["雨伞", "好", "", "一", "雨伞雨"]
    scores = {
        name: metric.corpus_score(hyps, [refs]) for name, hyps in (("a", first), ("b", second))
    }
    assert (scores["a"].n_skipped, scores["b"].n_skipped) == (1, 0)
    for test in significance.TESTS:
        rest = {
            name: metric.corpus_score(hyps[:-1], [refs[:-1]])
            for name, hyps in (("a", first), ("b", second))
        }
        found = campaign.compare(scores, test=test, n_resamples=50)
        same = campaign.compare(rest, test=test, n_resamples=50)
        assert found.systems == same.systems
        for field in ("scores", "intervals", "ranks", "p_values"):
            assert np.array_equal(getattr(found, field), getattr(same, field))


def test_systems_that_share_no_segment_cannot_be_compared():
    metric = celab_metric(time_limit=AT_ONCE, on_error="skip")
    refs = [HARD[1]] * 2
    scores = {
        "a": metric.corpus_score([HARD[0], "雨"], [refs]),
        "b": metric.corpus_score(["雨", HARD[0]], [refs]),
    }
    with pytest.raises(SolverError):
        campaign.compare(scores)
