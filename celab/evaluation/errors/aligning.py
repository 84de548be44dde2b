"""The matched units of many pairs of texts, by one dynamic program over all pairs at once.

A match of units counts its weight, and the first of a run of matches loses `NEW_RUN`; the heaviest
matches that keep the order of both texts are taken. With `best(i, j)` the weight of the first i
units of x and the first j of y, and `run(i, j)` that of those that match x_i with y_j:

    run(i, j)  = weight_i + max(run(i-1, j-1), best(i-1, j-1) - NEW_RUN)    if x_i = y_j
    best(i, j) = max(best(i-1, j), best(i, j-1), run(i, j))

Cells of one diagonal do not depend on each other, so a diagonal of a batch of pairs is one step of
NumPy. Equal beginnings and ends are matched before. Texts whose table would have more than
`MOST_CELLS` cells are cut at runs of `ANCHOR` units that both have once. `alignUnits` of `diff.js`
does the same for the pairs that a reader of the report looks at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from celab.base.arrays import I32, I64, U8
from celab.evaluation.errors.diff_units import Units

NEW_RUN = 2
MOST_CELLS = 1_000_000
ANCHOR = 4
_AT_ONCE = 1 << 23  # cells of a batch
_NONE = -(10**9)
_UP, _LEFT, _MATCH, _INSIDE = 1, 2, 4, 8
MatchedPlaces = list[tuple[int, int]]  # of units of both texts
TextPairs = Sequence[tuple[Units, Units]]


class _Block(NamedTuple):
    """A part of two texts that is aligned by a table: the number of the pair, and both ranges."""

    pair: int
    x: tuple[int, int]
    y: tuple[int, int]


def align(pairs: TextPairs) -> list[MatchedPlaces]:
    """Return the matched places of each pair of texts, in order.

    >>> from celab.evaluation.errors.diff_units import Vocabulary
    >>> vocabulary = Vocabulary()
    >>> align([(vocabulary.units("买一把伞"), vocabulary.units("买伞"))])
    [[(0, 0), (3, 1)]]
    """
    matched: list[MatchedPlaces] = [[] for _ in pairs]
    blocks: list[_Block] = []
    for number, (x, y) in enumerate(pairs):
        matched[number], more = _cut(number, x.keys, y.keys)
        blocks += more
    for batch in _batches(blocks):
        for block, places in zip(batch, _align_batch(batch, pairs), strict=True):
            matched[block.pair] += places
    for places in matched:
        places.sort()
    return matched


def _cut(number: int, x: list[int], y: list[int]) -> tuple[MatchedPlaces, list[_Block]]:
    """Return the equal beginning and end of two texts, and what is to be aligned between them."""
    start = 0
    shortest = min(len(x), len(y))
    while start < shortest and x[start] == y[start]:
        start += 1
    x1, y1 = len(x), len(y)
    while x1 > start and y1 > start and x[x1 - 1] == y[y1 - 1]:
        x1, y1 = x1 - 1, y1 - 1
    places = [(i, i) for i in range(start)]
    places += [(x1 + k, y1 + k) for k in range(len(x) - x1)]
    if (x1 - start) * (y1 - start) <= MOST_CELLS:
        return places, [_Block(number, (start, x1), (start, y1))]
    blocks = []
    x0 = y0 = start
    for i, j in [*_anchors(x[start:x1], y[start:y1], start), (x1, y1)]:
        if i < x0 or j < y0:
            continue  # inside the run before
        if (i - x0) * (j - y0) <= MOST_CELLS:
            blocks.append(_Block(number, (x0, i), (y0, j)))
        x0, y0 = i, j
        while x0 < x1 and y0 < y1 and x[x0] == y[y0]:
            places.append((x0, y0))
            x0, y0 = x0 + 1, y0 + 1
    return places, blocks


def _anchors(x: list[int], y: list[int], start: int) -> MatchedPlaces:
    """Return the runs of units that both have once, in the longest order that both keep."""
    inside = [_unique(side) for side in (x, y)]
    ends: list[int] = []  # places in y of increasing chains, by their length
    chains: list[tuple[int, int, int]] = []  # place in x, place in y, the one before
    last: list[int] = []
    for key, i in inside[0].items():
        j = inside[1].get(key, -1)
        if i < 0 or j < 0:
            continue
        at = bisect_left(ends, j)
        chains.append((i, j, last[at - 1] if at else -1))
        ends[at : at + 1], last[at : at + 1] = [j], [len(chains) - 1]
    anchors: MatchedPlaces = []
    number = last[-1] if last else -1
    while number >= 0:
        i, j, number = chains[number]
        anchors.append((start + i, start + j))
    return anchors[::-1]


def _unique(keys: list[int]) -> dict[tuple[int, ...], int]:
    places: dict[tuple[int, ...], int] = {}
    for i in range(len(keys) - ANCHOR + 1):
        run = tuple(keys[i : i + ANCHOR])
        places[run] = -1 if run in places else i
    return places


def _batches(blocks: list[_Block]) -> Iterator[list[_Block]]:
    """Yield blocks of about the same size, as many as fit, without those with an empty side."""
    sizes = [(block.x[1] - block.x[0], block.y[1] - block.y[0], block) for block in blocks]
    sizes = sorted((size for size in sizes if size[0] and size[1]), key=lambda size: size[:2])
    batch: list[_Block] = []
    widest = 0
    for n, m, block in sizes:
        widest = max(widest, m)
        if batch and (len(batch) + 1) * (n + 1) * (n + widest + 1) > _AT_ONCE:
            yield batch
            batch, widest = [], m
        batch.append(block)
    if batch:
        yield batch


def _align_batch(batch: Sequence[_Block], pairs: TextPairs) -> list[MatchedPlaces]:
    n = np.array([block.x[1] - block.x[0] for block in batch])
    m = np.array([block.y[1] - block.y[0] for block in batch])
    x = np.full((len(batch), n.max()), -1, np.int32)
    y = np.full((len(batch), m.max()), -2, np.int32)
    weights = np.zeros_like(x)
    for row, block in enumerate(batch):
        first, second = pairs[block.pair]
        x[row, : n[row]] = first.keys[slice(*block.x)]
        y[row, : m[row]] = second.keys[slice(*block.y)]
        weights[row, : n[row]] = first.weights[slice(*block.x)]
    ways = _fill(x, y, weights)
    places = _follow(ways, n, m)
    return [
        [(block.x[0] + i, block.y[0] + j) for i, j in enumerate(row[:size].tolist()) if j >= 0]
        for block, row, size in zip(batch, places, n.tolist(), strict=True)
    ]


def _fill(x: I32, y: I32, weights: I32) -> U8:
    """Return the way to each cell, by diagonal, pair and place in x."""
    size, n = x.shape
    m = y.shape[1]
    ways = np.zeros((n + m + 1, size, n + 1), np.uint8)
    # Of this diagonal and of the two before it; a border of the table is never written.
    best = [np.zeros((size, n + 1), np.int32) for _ in range(3)]
    runs = [np.full((size, n + 1), _NONE, np.int32) for _ in range(3)]
    for d in range(2, n + m + 1):
        low, high = max(1, d - m), min(n, d - 1)
        at, above = slice(low, high + 1), slice(low - 1, high)
        up, left = best[1][:, above], best[1][:, at]
        way = (left > up).view(np.uint8) + np.uint8(_UP)
        value = np.maximum(up, left)
        equal = x[:, above] == y[:, d - high - 1 : d - low][:, ::-1]
        inside, opened = runs[0][:, above], best[0][:, above] - np.int32(NEW_RUN)
        run = np.maximum(inside, opened)
        run += weights[:, above]
        np.copyto(run, _NONE, where=~equal)
        np.copyto(way, _MATCH, where=run > value)
        way |= (equal & (inside >= opened)).view(np.uint8) << 3
        ways[d, :, at] = way
        np.maximum(value, run, out=best[2][:, at])
        runs[2][:, at] = run
        best, runs = [*best[1:], best[0]], [*runs[1:], runs[0]]
    return ways


def _follow(ways: U8, n: I64, m: I64) -> I64:
    """Return, for each unit of x of each pair, its match in y, or -1."""
    i, j = n.copy(), m.copy()
    inside = np.zeros(len(n), np.bool_)
    rows = np.arange(len(n))
    places = np.full((len(n), int(n.max())), -1)
    while len(active := rows[(i > 0) & (j > 0)]):
        way = ways[i[active] + j[active], active, i[active]]
        matches = inside[active] | ((way & _MATCH) > 0)
        taken = active[matches]
        inside[taken] = (way[matches] & _INSIDE) > 0
        i[taken] -= 1
        j[taken] -= 1
        places[taken, i[taken]] = j[taken]
        others, ups = active[~matches], (way[~matches] & _UP) > 0
        i[others[ups]] -= 1
        j[others[~ups]] -= 1
    return places
