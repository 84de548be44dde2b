"""The transport kernel against the exact simplex and against scipy's assignment."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.rational import Program, simplex
from scipy.optimize import linear_sum_assignment

from celab._native.matching import greatest_profit


def solved(profits, supply, demand):
    """`profits[x][y]`, 0 where there is no link."""
    rows = [[y for y, p in enumerate(row) if p] for row in profits]
    first = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    target = np.array([y for row in rows for y in row], np.int32)
    profit = np.array([p for row in profits for p in row if p], np.int32)
    total, flow = greatest_profit(
        first, target, profit, np.array(supply, np.int64), np.array(demand, np.int64)
    )
    sources = np.repeat(np.arange(len(rows)), np.diff(first))
    assert (flow >= 0).all()
    assert (np.bincount(sources, flow, len(supply)) <= supply).all()
    assert (np.bincount(target, flow, len(demand)) <= demand).all()
    assert flow @ profit == total
    return total


def exactly(profits, supply, demand):
    cells = [(x, y) for x in range(len(supply)) for y in range(len(demand)) if profits[x][y]]
    rows = [[int(c[0] == x) for c in cells] for x in range(len(supply))]
    rows += [[int(c[1] == y) for c in cells] for y in range(len(demand))]
    return simplex(Program([profits[x][y] for x, y in cells], rows, [*supply, *demand]))[0]


AMOUNTS = st.lists(st.integers(0, 12), min_size=1, max_size=5)


@examples(150)
@given(AMOUNTS, AMOUNTS, st.data())
def test_the_profit_is_the_exact_optimum(supply, demand, data):
    row = st.lists(st.integers(0, 6), min_size=len(demand), max_size=len(demand))
    profits = data.draw(st.lists(row, min_size=len(supply), max_size=len(supply)))
    assert solved(profits, supply, demand) == exactly(profits, supply, demand)


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_with_unit_weights_it_is_an_assignment(m, n, data):
    profits = np.array(
        data.draw(
            st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=m, max_size=m)
        )
    )
    chosen = linear_sum_assignment(profits, maximize=True)
    assert solved(profits.tolist(), [1] * m, [1] * n) == profits[chosen].sum()


@pytest.mark.parametrize(
    ("profits", "supply", "demand", "total"),
    [
        ([[0]], [3], [4], 0),
        ([[5]], [3], [4], 15),
        ([[5, 4], [5, 0]], [1, 1], [1, 1], 9),
        # Figure 1 of the paper of 2010, in tenths of weight and of similarity: 1.1.
        ([[5, 0, 0], [0, 5, 0], [0, 10, 0], [0, 0, 10]], [10, 8, 2, 1], [10, 8, 1], 110),
    ],
)
def test_small_problems_by_hand(profits, supply, demand, total):
    assert solved(profits, supply, demand) == exactly(profits, supply, demand) == total


def test_it_goes_on_where_amounts_are_huge_and_problems_large():
    rng = np.random.default_rng(1)
    profits = rng.integers(0, 7, (300, 280))
    supply, demand = rng.integers(0, 10**12, 300), rng.integers(0, 10**12, 280)
    solved(profits.tolist(), supply.tolist(), demand.tolist())  # checks its own certificate


def test_impossible_problems_are_refused():
    one = np.ones(1, np.int64)
    with pytest.raises(ValueError):
        greatest_profit(*(np.array(a, np.int32) for a in ([0, 1], [7], [1])), one, one)
    with pytest.raises(ValueError):
        greatest_profit(*(np.array(a, np.int32) for a in ([0, 2], [0], [1])), one, one)
