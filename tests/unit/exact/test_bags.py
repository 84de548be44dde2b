"""Bags and the kernels that list and match them, against lists and dictionaries of Python."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.rational import Program, simplex

from celab import OptionError
from celab._native.bags import list_grams, match_equal
from celab._native.matching import greatest_profit
from celab.exact import bags
from celab.exact.bags import Bags, Units

ROW = st.lists(st.integers(0, 2), min_size=2, max_size=2).map(tuple)
BAG = st.lists(st.tuples(ROW, st.integers(0, 5)), max_size=8)


def stored(several, order=2):
    rows = [row for bag in several for row, _ in bag]
    return Bags(
        np.array(rows, np.int32).reshape(len(rows), order),
        np.array([weight for bag in several for _, weight in bag], np.int64),
        np.cumsum([0, *map(len, several)], dtype=np.int64),
    )


def summed(bag):
    weights = Counter()
    for row, weight in bag:
        weights[row] += weight
    return weights


@given(st.lists(st.tuples(BAG, BAG), max_size=4))
def test_matching_takes_the_lesser_weights(pairs):
    x, y = (stored([pair[side] for pair in pairs]) for side in (0, 1))
    expected = [
        [(summed(a) & summed(b)).total(), summed(a).total(), summed(b).total()] for a, b in pairs
    ]
    assert bags.match(x, y).tolist() == expected


@given(BAG, BAG)
def test_transport_program_and_solution_have_the_same_optimum(a, b):
    x, y = stored([a]), stored([b])
    total = int(bags.match(x, y)[0, 0])
    problem = bags.equal_problem(x, y, 0, "it")
    assert bags.optimum(problem, "it", 60.0) == total
    links = [
        (i, j) for i, (row, _) in enumerate(a) for j, (other, _) in enumerate(b) if row == other
    ]
    first = np.searchsorted([i for i, _ in links], np.arange(len(a) + 1)).astype(np.int32)
    target = np.array([j for _, j in links], np.int32)
    assert greatest_profit(first, target, np.ones_like(target), x.weight, y.weight)[0] == total
    if links:
        rows = [[int(i == k) for i, _ in links] for k in range(len(a))]
        rows += [[int(j == k) for _, j in links] for k in range(len(b))]
        program = Program([1] * len(links), rows, [*x.weight.tolist(), *y.weight.tolist()])
        assert simplex(program)[0] == total
    shown = bags.paired(x, y)
    assert sum(amount for *_, amount in shown) == total
    for side, weight in enumerate((x.weight, y.weight)):
        used = Counter()
        for link in shown:
            used[link[side]] += link[2]
            assert a[link[0]][0] == b[link[1]][0] and link[2] > 0
        assert all(used[item] <= weight[item] for item in used)


TEXT = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), max_size=9)


@given(st.lists(TEXT, max_size=3), st.integers(1, 4), st.integers(0, 5))
def test_grams_are_listed(texts, order, skip):
    skip = skip if order == 2 else 0
    units, expected = [], []
    discount = Fraction(3, 10)
    part = 0
    for text in texts:
        part += 1
        here = []
        for unit, function, begins in text:
            part += begins
            here.append((unit, function, part))
        grams = []
        for i in range(len(here)):
            ends = range(i + 1, i + 2 + skip) if order == 2 else [i + order - 1]
            for j in ends:
                if j >= len(here) or here[j][2] != here[i][2]:
                    continue
                chosen = [i, j] if order == 2 else list(range(i, j + 1))
                weight = 1
                for k in chosen:
                    weight *= 3 if here[k][1] else 10
                grams.append(
                    (tuple(here[k][0] for k in chosen), weight, [len(units) + k for k in chosen])
                )
        expected.append(grams)
        units += here
    columns = [
        np.array([one[k] for one in units], kind)
        for k, kind in enumerate((np.int32, np.int8, np.int32))
    ]
    made, places = bags.grams(
        Units(*columns, np.cumsum([0, *map(len, texts)], dtype=np.int64)), order, skip, discount
    )
    flat = [gram for grams in expected for gram in grams]
    assert [tuple(row) for row in made.gram.tolist()] == [row for row, *_ in flat]
    assert made.weight.tolist() == [weight for _, weight, _ in flat]
    assert places.tolist() == [place for *_, place in flat]
    assert made.start.tolist() == np.cumsum([0, *map(len, expected)]).tolist()


def test_a_batch_has_the_texts_it_should():
    units = Units.of([[1, 2], [], [3], [4, 5]])
    some = units.batch(slice(1, 3))
    assert some.unit.tolist() == [3] and some.start.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("s", "x", "y", "f", "counts"),
    [(1, 2, 4, 0.125 / (0.8 * 0.5 + 0.2 * 0.25), True), (0, 0, 3, 0, True), (0, 0, 0, 0, False)],
)
def test_f(s, x, y, f, counts):
    found = bags.f_measure(*(np.array([[[one]]]) for one in (s, x, y)), 0.8)
    assert found.f[0, 0, 0] == pytest.approx(f) and found.is_used[0, 0, 0] == counts
    assert bags.score_precision_recall(found)[0, 0] == pytest.approx(f if counts else 1.0)


GOOD = stored([[((1, 2), 3)]])


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        ({"weight": [-1]}, ValueError, "weighs -1"),
        ({"weight": [1, 2]}, ValueError, "needs a weight"),
        ({"weight": [2**62]}, OverflowError, r"2\*\*62"),
        ({"start": [0, 2]}, ValueError, "do not fit"),
        ({"start": [0, 1, 0, 1]}, ValueError, "overlap"),
        ({"start": []}, ValueError, "do not fit"),
        ({"start": [0, 1, 1]}, ValueError, "as many bags"),
    ],
)
def test_bags_that_do_not_fit_are_refused(change, error, told):
    bad = GOOD._replace(**{name: np.array(value, np.int64) for name, value in change.items()})
    with pytest.raises(error, match=told):
        match_equal(*bad, *GOOD)


def test_orders_must_agree():
    other = GOOD._replace(gram=np.array([[1]], np.int32))
    with pytest.raises(ValueError):
        bags.match(GOOD, other)


@pytest.mark.parametrize("order, skip, p", [(0, 0, 1), (7, 0, 1), (3, 1, 1), (2, -1, 1), (1, 0, 2)])
def test_grams_that_cannot_be_listed_are_refused(order, skip, p):
    with pytest.raises(ValueError):
        list_grams(*Units.of([[1]]), order, skip, p, 1)


def test_units_must_fit_together():
    units = Units.of([[1, 2]])
    with pytest.raises(ValueError):
        bags.grams(units._replace(part=units.part[:1]), 1)


def test_a_discount_with_too_many_decimals_is_refused():
    with pytest.raises(OptionError):
        bags.whole_discount(0.123456789, 6)
