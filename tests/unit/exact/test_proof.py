"""The proof of what HiGHS solves, judged by the exact rational simplex in `oracle.rational`."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import rational
from oracle.links import phrase_links
from oracle.ngrams import spans
from oracle.program import linked_half, precision_half, recall_half
from pairs import ORDERS, group_lists, metric_for

import celab.exact.proof
import celab.exact.solve
from celab import SolverError
from celab.exact import bags, proof
from celab.exact.proof import proved_solution, proved_values
from celab.exact.solve import Program, Solution, solve

pytestmark = pytest.mark.filterwarnings("error")

# ---- random programs --------------------------------------------------------------------------


def dense(draw, magnitude=3):
    """gain, upper, rows and limit of a random program with a few columns and rows."""
    n, m = draw(st.integers(1, 6)), draw(st.integers(0, 6))
    entry = st.one_of(st.just(0), st.sampled_from((-1, 1)), st.integers(-magnitude, magnitude))
    gain = draw(st.lists(st.integers(-1, 2 * magnitude), min_size=n, max_size=n))
    upper = draw(st.lists(st.integers(0, magnitude), min_size=n, max_size=n))
    rows = [draw(st.lists(entry, min_size=n, max_size=n)) for _ in range(m)]
    limit = draw(st.lists(st.integers(0, 2 * magnitude), min_size=m, max_size=m))
    return gain, upper, rows, limit


def stacked(blocks):
    """The blocks as one program; block b is owned by 10 + b."""
    first_column, first_row, column, row, start, index, value = [], [], 0, 0, [], [], []
    for _, upper, rows, _ in blocks:
        first_column.append(column)
        first_row.append(row)
        for entries in rows:
            start.append(len(index))
            index += [column + j for j, entry in enumerate(entries) if entry]
            value += [entry for entry in entries if entry]
        column, row = column + len(upper), row + len(rows)
    cost, column_upper, row_upper = (
        np.array([x for block in blocks for x in block[k]], np.float64) for k in (0, 1, 3)
    )
    return Program(
        cost=cost,
        column_upper=column_upper,
        row_upper=row_upper,
        row_start=np.array(start, np.int32),
        index=np.array(index, np.int32),
        value=np.array(value, np.float64),
        block_column=np.array(first_column, np.int32),
        block_row=np.array(first_row, np.int32),
        block_owner=np.arange(10, 10 + len(blocks), dtype=np.int32),
    )


def optimum(gain, upper, rows, limit):
    """The value of one program, by the oracle."""
    bounds = [[int(j == k) for j in range(len(gain))] for k in range(len(gain))]
    return rational.simplex(rational.Program(gain, rows + bounds, limit + upper))[0]


def is_optimal(block, x):
    """Whether x is feasible and worth the optimum."""
    gain, upper, rows, limit = block
    return (
        rational.is_feasible(rational.Program(gain, rows, limit), x)
        and all(value <= most for value, most in zip(x, upper, strict=True))
        and rational.dot(gain, x) == optimum(*block)
    )


block_lists = st.lists(st.composite(dense)(), min_size=1, max_size=4)
large_blocks = st.composite(dense)(magnitude=2**40)

# ---- a solver that is wrong -------------------------------------------------------------------


def tampered(monkeypatch, change):
    """Makes every solution the proof gets what `change` makes of HiGHS's."""

    def wrong(program, what, time_limit):
        return change(solve(program, what, time_limit), program)

    monkeypatch.setattr(proof, "solve", wrong)


@st.composite
def tampering(draw):
    """A change of x, of y and of the basis; each may stay as it is."""
    seed = draw(st.integers(0, 2**32 - 1))
    noise = st.sampled_from([0.0, 1e-12, 1e-9, 1e-7, 1e-4, 0.01, 0.4, 1.0, 1e9, np.nan, np.inf])
    x_noise, y_noise, wrong_basis = draw(noise), draw(noise), draw(st.booleans())

    def change(found, program):
        rng = np.random.default_rng(seed)
        x, y = (
            values + amount * rng.choice((-1, 0, 1), len(values))
            if np.isfinite(amount)
            else np.full(len(values), amount)
            for values, amount in ((found.x, x_noise), (found.y, y_noise))
        )
        columns, rows = (rng.integers(0, 5, len(values)).tolist() for values in (x, y))
        return Solution(x, y, (lambda: (columns, rows)) if wrong_basis else found.basis)

    return change


@given(large_blocks, tampering())
def test_numbers_too_large_for_int64_are_exact_too(block, change):
    # Sums of products of such numbers are beyond 2^63, and HiGHS does not solve all of these.
    def guess(program, what, time_limit):
        x, y = np.ones_like(program.cost), np.ones_like(program.row_upper)
        return change(Solution(x, y, lambda: ([0] * len(x), [1] * len(y))), program)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "solve", guess)
        assert proved_values(stacked([block]), str) == [optimum(*block)]
        assert is_optimal(block, proved_solution(stacked([block]), "it"))


@examples(150)
@given(block_lists, tampering())
def test_no_solver_can_make_a_wrong_number_pass(blocks, change):
    with pytest.MonkeyPatch.context() as patch:
        tampered(patch, change)
        assert proved_values(stacked(blocks), str) == [optimum(*block) for block in blocks]
        assert is_optimal(blocks[0], proved_solution(stacked(blocks[:1]), "it"))


# The optimum is 5/2, at x = (1/2, 1/2, 1/2) and y = (3/2, 1/2, 1/2) alone.
KNOWN = [2, 2, 1], [1, 1, 1], [[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 1]


@pytest.mark.parametrize(
    ("x", "d", "y", "e", "holds"),
    [
        ([1, 1, 1], 2, [3, 1, 1], 2, True),
        ([2, 2, 2], 4, [6, 2, 2], 4, True),
        ([1, 1, 1], 2, [3, 1, 0], 2, False),  # the bound is above: column 3 is not paid for
        ([1, 1, 0], 2, [3, 1, 1], 2, False),  # the value is below
        ([1, 1, 1], 2, [4, 1, 1], 2, False),  # the bound is above
        ([2, 0, 1], 2, [3, 1, 1], 2, False),  # worth 5/2, but the third row is over its limit
        ([-1, 3, 1], 2, [3, 1, 1], 2, False),  # worth 5/2, but negative
        ([0, 2, 1], 2, [3, 1, 1], 2, False),  # worth 5/2, but the second row is over its limit
        ([1, 1, 1], 2, [7, -3, 1], 2, False),  # a bound of 5/2, but one price is negative
    ],
)
def test_a_certificate_holds_only_if_every_condition_does(x, d, y, e, holds):
    data = proof._Data.of(stacked([KNOWN]))
    for same, dtype in ((data, np.int64), (data.part(*data.members(0)), object)):
        proved, amounts = same.certify(np.array(x, dtype), d, np.array(y, dtype), e)
        assert proved.tolist() == [holds]
        assert amounts.tolist() == [2 * x[0] + 2 * x[1] + x[2]]


def test_a_column_over_its_bound_proves_nothing():
    block = [1], [1], [[1]], [2]
    data = proof._Data.of(stacked([block]))
    two, one = np.array([2]), np.array([1])
    assert data.certify(two, 1, one, 1)[0].tolist() == [False]  # 2 = 2 · 1, but x <= 1
    assert data.certify(one, 1, 0 * one, 1)[0].tolist() == [True]


def test_a_wrong_block_does_not_spoil_its_neighbors():
    data = proof._Data.of(stacked([KNOWN, KNOWN, KNOWN]))
    x, y = np.array([1, 1, 1] * 3), np.array([3, 1, 1] * 3)
    x[4] += 1
    assert data.certify(x, 2, y, 2)[0].tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": [0.25, 2.0, 1.0]}, "whole"),
        ({"cost": [np.inf, 2.0, 1.0]}, "whole"),
        ({"value": [np.nan] * 6}, "whole"),
        ({"cost": [2.0**60, 2.0, 1.0]}, "whole"),
        ({"row_upper": [-1.0, 1.0, 1.0]}, "negative"),
    ],
)
def test_data_that_the_proof_cannot_take_are_refused(change, message):
    arrays = {name: np.array(values) for name, values in change.items()}
    with pytest.raises(ValueError, match=message):
        proof._Data.of(replace(stacked([KNOWN]), **arrays))


# ---- the four steps ---------------------------------------------------------------------------


@pytest.fixture
def tried(monkeypatch):
    """How many candidates the steps after the first have tried for each block."""
    counts = Counter()
    true = proof._candidates

    def counted(*arguments):
        for k, candidate in enumerate(true(*arguments)):
            counts[k] += 1
            yield candidate

    monkeypatch.setattr(proof, "_candidates", counted)
    return counts


WHOLE = [1, 1], [1, 1], [[1, 1]], [1]
N_NEAR = len(proof._MAX_FRACTION_DENOMINATORS)


def test_whole_numbers_take_the_first_step(tried):
    assert proved_values(stacked([WHOLE] * 5), str) == [1] * 5
    assert not tried


def test_fractions_near_those_of_highs_take_the_second(tried):
    assert proved_values(stacked([WHOLE, KNOWN]), str) == [1, Fraction(5, 2)]
    assert tried == {0: 1}


def nothing(found, program):
    """No numbers, but the basis."""
    return Solution(found.x * np.nan, found.y * np.nan, found.basis)


def random_block(seed):
    """A denser program than `dense` draws."""
    rng = random.Random(seed)
    n, m = rng.randint(3, 8), rng.randint(3, 8)
    rows = [[rng.choice((0, 1, -1, rng.randint(-3, 3))) for _ in range(n)] for _ in range(m)]
    gain, upper = [rng.randint(-1, 6) for _ in range(n)], [rng.randint(0, 4) for _ in range(n)]
    return gain, upper, rows, [rng.randint(0, 6) for _ in range(m)]


RANDOM = [random_block(seed) for seed in range(100, 220)]


def test_a_basis_takes_the_third(tried, monkeypatch):
    tampered(monkeypatch, nothing)
    assert proved_values(stacked(RANDOM), str) == [optimum(*block) for block in RANDOM]
    assert tried[N_NEAR] > 100 and not tried[N_NEAR + 1]


@pytest.mark.parametrize("status", [0, 2, 3, 4])
def test_a_wrong_basis_takes_the_fourth(status, tried, monkeypatch):
    def lost(found, program):
        basis = [status] * len(found.x), [1] * len(found.y)
        return replace(nothing(found, program), basis=lambda: basis)

    tampered(monkeypatch, lost)
    assert proved_values(stacked([KNOWN]), str) == [Fraction(5, 2)]
    assert tried == dict.fromkeys(range(N_NEAR + 2), 1)
    assert proved_values(stacked(RANDOM), str) == [optimum(*block) for block in RANDOM]


# ---- large denominators -----------------------------------------------------------------------

# Texts in which words of one group compete for one character of the hypothesis. A list of spans is
# a group: its words are the spans of a reference of different characters. Found by a search; the
# keys are the denominators of C_ref at order 6, which the oracle confirms.
COMPETING = {
    13: [
        [(15, 21), (0, 6)],
        [(14, 18), (12, 17)],
        [(18, 24), (6, 12)],
        [(10, 15), (7, 11), (13, 18)],
        [(9, 15), (5, 10)],
        [(7, 10), (6, 9)],
        [(21, 25)],
        [(2, 5)],
    ],
    19: [
        [(15, 21), (0, 6)],
        [(11, 17), (13, 18)],
        [(18, 24), (6, 12)],
        [(10, 15), (7, 11), (12, 18)],
        [(9, 15), (5, 10)],
        [(7, 10), (6, 8)],
        [(20, 24)],
        [(2, 5)],
    ],
    32: [
        [(0, 5), (6, 10)],
        [(2, 6), (0, 4)],
        [(0, 2), (1, 4)],
        [(15, 20), (19, 22)],
        [(11, 17)],
        [(8, 13), (13, 19), (17, 21)],
        [(10, 15), (8, 12)],
        [(8, 10), (9, 12)],
    ],
    121: [
        [(6, 12), (22, 28), (9, 14)],
        [(11, 17), (1, 7)],
        [(5, 10), (2, 6), (7, 13)],
        [(4, 10), (0, 5)],
        [(2, 5), (1, 4)],
        [(15, 19)],
        [(21, 27)],
        [(19, 24), (24, 29)],
        [(38, 44), (42, 46)],
        [(43, 49), (33, 39)],
        [(37, 42), (34, 38), (39, 45)],
        [(36, 42), (32, 37)],
        [(34, 37), (33, 36), (20, 25)],
        [(47, 51)],
        [(28, 32)],
    ],
}

# Several in one pair, and C_ref of it. Each of these is within 1e-6 of a multiple of 1 / 2520, the
# smallest number with all denominators to 10, but none is one.
TOGETHER = {
    (13, 121): Fraction(426479, 1573),
    (13, 19, 32): Fraction(1922579, 7904),
}


def competing(*clusters):
    """Hypothesis, reference and groups; every character of the reference is a different one."""
    characters = map(chr, range(0x4E00, 0x9FA5))
    apart, hyp, ref, groups = next(characters), "", "", []
    for cluster in clusters:
        length = max(end for words in cluster for _, end in words)
        text = "".join(next(characters) for _ in range(length))
        for words in cluster:
            wanted = next(characters)
            groups.append([wanted, *(text[slice(*word)] for word in words)])
            hyp += wanted + apart  # so that no two words are matched as one
        ref += text
    return hyp, ref, groups


def links_of(cluster):
    """The links of one cluster, as the oracle has them."""
    return {((2 * k, 2 * k + 1), word) for k, words in enumerate(cluster) for word in words}


@cache
def halves(name):
    """C_ref and C_hyp of one cluster, by the oracle."""
    return tuple(linked_half(links_of(COMPETING[name]), side) for side in (1, 0))


def test_competing_words_have_no_other_links():
    cluster = [[(0, 3), (2, 6)], [(1, 4)], [(4, 5), (3, 4)]]
    hyp, ref, groups = competing(cluster)
    spelled = [[tuple(word) for word in group] for group in groups]
    assert phrase_links(hyp, ref, spelled, 6) == links_of(cluster)


@examples(50)
@given(
    st.text("甲乙丙", min_size=1, max_size=5),
    st.text("甲乙丙", min_size=1, max_size=5),
    group_lists("甲乙丙"),
    ORDERS,
)
def test_the_oracle_of_linked_ngrams_is_that_of_all(hyp, ref, groups, order):
    spelled = [[tuple(word) for word in group] for group in groups]
    links = phrase_links(hyp, ref, spelled, order)
    sizes = links, len(hyp), len(ref), order
    assert (linked_half(links, 1), linked_half(links, 0)) == (
        recall_half(*sizes),
        precision_half(*sizes),
    )


@pytest.mark.parametrize("names", [*((name,) for name in COMPETING), *TOGETHER])
@pytest.mark.parametrize("solver", ["auto", "highs", "check"])
def test_large_denominators_are_exact(names, solver, tmp_path):
    hyp, ref, groups = competing(*(COMPETING[name] for name in names))
    c_ref, c_hyp = (sum(halves(name)[side] for name in names) for side in (0, 1))
    if names in TOGETHER:
        nearest = Fraction(round(2520 * c_ref), 2520)
        assert c_ref == TOGETHER[names] and 0 < abs(c_ref - nearest) < Fraction(1, 10**6)
    else:
        assert c_ref.denominator == names[0]
    found = metric_for(tmp_path, groups, max_order=6, solver=solver, script="keep").sentence_score(
        hyp, [ref]
    )
    n_ref, n_hyp = len(spans(len(ref), 6)), len(spans(len(hyp), 6))
    assert found.recall == float(c_ref) / n_ref
    assert found.precision == float(c_hyp) / n_hyp
    assert found.score == (float(c_ref) + 0.25 * float(c_hyp)) / (n_ref + 0.25 * n_hyp)


# ---- TESLA-M's whole program ------------------------------------------------------------------


@st.composite
def transports(draw):
    """Similarities, and the weights of both sides."""
    n_hyp, n_ref = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    weights = [draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)) for n in (n_hyp, n_ref)]
    similarity = [
        draw(st.lists(st.integers(0, 4), min_size=n_ref, max_size=n_ref)) for _ in range(n_hyp)
    ]
    return bags.Problem(*(np.array(values, np.int64) for values in (similarity, *weights)))


def greatest(similarity, hyp_weight, ref_weight):
    """The optimum of the transport, by the oracle."""
    pairs = np.argwhere(similarity > 0)
    gain = [int(similarity[h, r]) for h, r in pairs]
    rows = [
        (pairs[:, side] == k).astype(int).tolist()
        for side, n in enumerate(similarity.shape)
        for k in range(n)
    ]
    limit = [*hyp_weight.tolist(), *ref_weight.tolist()]
    return rational.simplex(rational.Program(gain, rows, limit))[0]


def check_shown(problem):
    """That `nearest` shows a feasible and optimal solution."""
    similarity, *weights = problem
    pairs, flow = bags.nearest(problem, "it", 60.0)
    assert (flow > 0).all() and (flow == np.rint(flow)).all()
    for side, weight in enumerate(weights):
        assert (np.bincount(pairs[:, side], flow, len(weight)) <= weight).all()
    assert similarity[pairs[:, 0], pairs[:, 1]] @ flow == greatest(*problem)


@given(transports(), tampering())
def test_the_greatest_transport_is_proved(problem, change):
    with pytest.MonkeyPatch.context() as patch:
        tampered(patch, change)
        assert bags.optimum(problem, "it", 60.0) == greatest(*problem)


@given(transports(), st.sampled_from([-1.0, 0.0, 0.6, 1.0, 7.0]))
def test_the_transport_that_is_shown_is_optimal(problem, wrong):
    check_shown(problem)

    def spoilt(program, what, time_limit):
        found = solve(program, what, time_limit)
        return replace(found, x=found.x * wrong + (wrong > 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bags, "solve", spoilt)
        check_shown(problem)


# ---- blocks -----------------------------------------------------------------------------------


def blocks():
    # Two programs side by side: x0 + x1 with 2 x0 + 2 x1 <= 3, and 2 x2 with x2 <= 1.
    return Program(
        cost=np.array([1.0, 1.0, 2.0]),
        column_upper=np.ones(3),
        row_upper=np.array([3.0, 1.0]),
        row_start=np.array([0, 2], np.int32),
        index=np.array([0, 1, 2], np.int32),
        value=np.array([2.0, 2.0, 1.0]),
        block_column=np.array([0, 2], np.int32),
        block_row=np.array([0, 1], np.int32),
        block_owner=np.array([6, 9], np.int32),
    )


@pytest.fixture
def refuses(monkeypatch):
    """Makes the solver fail on programs of which `is_refused` is true."""

    def make(is_refused):
        true = celab.exact.proof.solve

        def solve(program, what, time_limit):
            if is_refused(program):
                raise SolverError(f"{what}: refused")
            return true(program, what, time_limit)

        monkeypatch.setattr(celab.exact.proof, "solve", solve)

    return make


def test_blocks_have_the_same_values_one_by_one(refuses):
    assert proved_values(blocks(), str) == [Fraction(3, 2), 2]
    refuses(lambda program: len(program.block_column) > 1)
    assert proved_values(blocks(), str) == [Fraction(3, 2), 2]


def test_a_block_that_is_not_proved_is_named_by_its_owner(refuses):
    refuses(lambda program: 2.0 in program.cost)
    with pytest.raises(SolverError, match=r"^owner 9: refused"):
        proved_values(blocks(), lambda owner: f"owner {owner}")
    assert proved_values(blocks(), str, skip=True) == [Fraction(3, 2), None]


@pytest.mark.parametrize("skip", [False, True])
def test_exact_pivots_have_the_limit_too(skip, monkeypatch):
    # HiGHS gives no numbers, and the clock runs out before the first pivot. The second block needs
    # none: x2 is at its upper bound.
    true = celab.exact.proof.solve

    def nothing(program, what, time_limit):
        found = true(program, what)
        return Solution(found.x * np.nan, found.y * np.nan, found.basis)

    monkeypatch.setattr(celab.exact.proof, "solve", nothing)
    monkeypatch.setattr(celab.exact.proof.time, "monotonic", iter(range(100)).__next__)
    if skip:
        assert proved_values(blocks(), str, 0.5, skip=True) == [None, 2]
    else:
        with pytest.raises(SolverError, match=r"^owner 6: no optimum was proved in 0.5 s; use"):
            proved_values(blocks(), lambda owner: f"owner {owner}", 0.5)
        with pytest.raises(SolverError):
            proved_solution(blocks(), "all", 0.5)
