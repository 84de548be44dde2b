"""The flow kernel against scipy's, and what must be saturated against trying it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow as scipy_flow

from celab._native.matching import maximum_flow

CAPACITIES = st.lists(st.integers(1, 3), min_size=1, max_size=7)


def kernel(links, left, right):
    first = np.cumsum([0, *map(len, links)], dtype=np.int32)
    target = np.array([y for row in links for y in sorted(row)], np.int32)
    return maximum_flow(first, target, np.array(left, np.int32), np.array(right, np.int32))


def judge(links, left, right):
    """Source 0, then left nodes, right nodes, sink."""
    n = len(left) + len(right) + 2
    capacity = np.zeros((n, n), np.int32)
    capacity[0, 1 : len(left) + 1] = left
    capacity[len(left) + 1 : -1, -1] = right
    for x, row in enumerate(links):
        for y in row:
            capacity[x + 1, len(left) + 1 + y] = 9
    return scipy_flow(csr_array(capacity), 0, n - 1).flow_value


@given(CAPACITIES, CAPACITIES, st.data())
def test_the_flow_is_maximum_and_its_coloops_are_found(left, right, data):
    row = st.sets(st.integers(0, len(right) - 1))
    links = data.draw(st.lists(row, min_size=len(left), max_size=len(left)))
    value, always = kernel(links, left, right)
    assert value == judge(links, left, right)
    for x in range(len(left)):
        # Every maximum flow saturates x just if one unit less at x is one unit less in all.
        fewer = [*left[:x], left[x] - 1, *left[x + 1 :]]
        assert always[x] == (judge(links, fewer, right) == value - 1)


def test_long_paths_need_no_recursion():
    # A ladder in which the last node's flow pushes all others on.
    n = 20_000
    links = [{k, k + 1} if k else {0, 1} for k in range(n)]
    value, always = kernel(links, [1] * n, [1] * (n + 1))
    assert value == n
    assert always.all()
