"""Kappa: worked by hand, against loops, and against the examples that define it."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as oracle

from celab.errors import InputError, OptionError
from celab.statistics.judges import Agreement, cohen_kappa, fleiss_kappa, ranking_kappa

# Three systems, two segments. Verdicts on (ab, ac, bc) of each segment:
#   judge 1   >  >  >     =  >  >
#   judge 2   >  >  <     >  >  =
FIRST = [[3, 2], [2, 2], [1, 1]]
SECOND = [[5, 4], [2, 3], [3, 3]]


def test_ranking_kappa_by_hand():
    # Without ties four cases are left, and three agree: (3/4 − 1/2) / (1/2) = 1/2.
    found = ranking_kappa([FIRST, SECOND])
    assert found == Agreement(3 / 4, 1 / 2, 4)
    assert found.kappa == 1 / 2


def test_ranking_kappa_with_ties_by_hand():
    # Three of six agree: (1/2 − 1/3) / (2/3) = 1/4.
    found = ranking_kappa([FIRST, SECOND], ties="kept")
    assert found == Agreement(1 / 2, 1 / 3, 6)
    assert found.kappa == pytest.approx(1 / 4)


def test_ranking_kappa_with_estimated_chance_by_hand():
    # 2 of 12 verdicts are ties, 5/12 are better and 5/12 worse, seen from both sides:
    # P(E) = (4 + 25 + 25) / 144 = 3/8, and (1/2 − 3/8) / (5/8) = 1/5.
    found = ranking_kappa([FIRST, SECOND], ties="kept", chance="estimated")
    assert found.chance == pytest.approx(3 / 8)
    assert found.kappa == pytest.approx(1 / 5)
    assert ranking_kappa([FIRST, SECOND], chance="estimated").chance == 1 / 2


def test_the_papers_form():
    # Section 4.2: P(E) = 1/2, so the kappa of 0.4406 in Table 1 means that 72.03% agree.
    assert Agreement(0.7203, 1 / 2, 3905).kappa == pytest.approx(0.4406)


@st.composite
def some_judges(draw):
    n_systems, n_segments = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    row = st.lists(st.none() | st.integers(0, 3), min_size=n_segments, max_size=n_segments)
    matrix = st.lists(row, min_size=n_systems, max_size=n_systems)
    return draw(st.lists(matrix, min_size=2, max_size=4))


@pytest.mark.parametrize("ties", ["ignored", "kept"])
@pytest.mark.parametrize("chance", ["uniform", "estimated"])
@given(judges=some_judges())
def test_ranking_kappa_equals_the_loops(ties, chance, judges):
    observed, by_chance, n_cases = oracle.ranking_agreement(judges, ties, chance)
    arrays = [np.array(rows, dtype=float) for rows in judges]
    found = ranking_kappa(arrays, ties, chance)
    assert found.n_cases == n_cases
    assert found.observed == pytest.approx(observed, nan_ok=True)
    assert found.chance == pytest.approx(by_chance, nan_ok=True)
    turned = ranking_kappa([rows[::-1] for rows in arrays[::-1]], ties, chance)
    assert turned.kappa == pytest.approx(found.kappa, nan_ok=True)


def test_without_cases_there_is_no_kappa():
    nothing = [[np.nan], [1.0]]
    found = ranking_kappa([nothing, nothing])
    assert found.n_cases == 0
    assert math.isnan(found.kappa)
    tied = [[1.0], [1.0]]
    assert ranking_kappa([tied, tied]).n_cases == 0
    always = ranking_kappa([tied, tied], ties="kept", chance="estimated")
    assert (always.observed, always.chance) == (1, 1)
    assert math.isnan(always.kappa)


def test_cohen_by_hand():
    # A table of 20, 5, 10 and 15: P(A) = 35/50, P(E) = (25·30 + 25·20)/2500 = 1/2.
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10
    pairs += [("no", "no")] * 15
    found = cohen_kappa(*zip(*pairs, strict=True))
    assert found == Agreement(0.7, 0.5, 50)
    assert found.kappa == pytest.approx(0.4)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12))
def test_cohen_equals_its_table(pairs):
    n = len(pairs)
    table = Counter(pairs)
    rows, columns = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    found = cohen_kappa(*zip(*pairs, strict=True))
    assert found.observed == pytest.approx(sum(table[v, v] for v in range(3)) / n)
    assert found.chance == pytest.approx(sum(rows[v] * columns[v] for v in range(3)) / n**2)


def test_cohen_of_nothing_or_unequal():
    assert math.isnan(cohen_kappa([], []).kappa)
    assert math.isnan(cohen_kappa(["a", "a"], ["a", "a"]).kappa)  # chance alone would do it
    with pytest.raises(InputError, match="one judge gave 1 verdicts, the other 2"):
        cohen_kappa(["a"], ["a", "b"])


def test_fleiss_by_hand():
    # Items of 3 judges: P_i = 1, 1/3, 0. P(A) = 4/9. Shares 5/9, 3/9, 1/9: P(E) = 35/81.
    found = fleiss_kappa([[3, 0, 0], [1, 2, 0], [1, 1, 1]])
    assert found.observed == pytest.approx(4 / 9)
    assert found.chance == pytest.approx(35 / 81)
    assert found.kappa == pytest.approx((36 - 35) / (81 - 35))


def test_fleiss_leaves_out_items_with_one_judge():
    assert fleiss_kappa([[3, 0], [0, 1], [1, 2], [0, 0]]) == fleiss_kappa([[3, 0], [1, 2]])
    assert math.isnan(fleiss_kappa([[1, 0], [0, 1]]).kappa)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=5), min_size=1, max_size=6),
)
def test_fleiss_counts_agreeing_pairs(items):
    shares = []
    for verdicts in items:
        pairs = [a == b for i, a in enumerate(verdicts) for j, b in enumerate(verdicts) if i != j]
        shares.append(sum(pairs) / len(pairs))
    found = fleiss_kappa([[verdicts.count(v) for v in range(3)] for verdicts in items])
    assert found.observed == pytest.approx(sum(shares) / len(shares))
    flat = [v for verdicts in items for v in verdicts]
    assert found.chance == pytest.approx(sum((flat.count(v) / len(flat)) ** 2 for v in range(3)))


def test_wrong_arguments_are_refused():
    with pytest.raises(OptionError, match="ties is 'dropped'; it must be 'ignored' or 'kept'"):
        ranking_kappa([FIRST, SECOND], ties="dropped")
    with pytest.raises(OptionError, match="chance is 'none'"):
        ranking_kappa([FIRST, SECOND], chance="none")
    with pytest.raises(InputError, match=r"1 judge\(s\)"):
        ranking_kappa([FIRST])
    with pytest.raises(InputError, match="the same systems and segments"):
        ranking_kappa([FIRST, FIRST[:2]])
    with pytest.raises(InputError, match="1 system"):
        ranking_kappa([FIRST[:1], SECOND[:1]])
    with pytest.raises(InputError, match=r"shape \(2,\)"):
        fleiss_kappa([1, 2])
    with pytest.raises(InputError, match="whole numbers"):
        fleiss_kappa([[1.5, 1.5]])
