"""The difference between a reference and an output: what is equal, moved, missing and extra.

Equal beginnings and ends are matched first, and the heaviest runs of what is between them
(`celab._native.runs`). Texts whose table would have more than `MOST_CELLS` cells are cut at runs of
`ANCHOR` units that both have once. Matches of nothing but signs and spaces between other
differences are dropped, because they would cut a run. What both texts have in different places is
*moved*: a run with two units of content or a word of `LONG_WORD` letters, so that no single
character is. `alignUnits` and `difference` of `diff.js` do the same for the pairs that a reader of
the report looks at.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from celab._native.runs import heaviest_runs, moved_runs
from celab.evaluation.errors.diff_units import OF_CONTENT, Units, Vocabulary

MOST_CELLS = 1_000_000
ANCHOR = 4
Run = tuple[int, int, int]  # of matched units: where it begins in both texts, and its length


def align(x: Units, y: Units) -> list[Run]:
    """Return the runs of matched units of two texts, in order.

    >>> from celab.evaluation.errors.diff_units import Vocabulary
    >>> vocabulary = Vocabulary()
    >>> align(vocabulary.units("买一把伞"), vocabulary.units("买伞"))
    [(0, 0, 1), (3, 1, 1)]
    """
    n, m = len(x.keys), len(y.keys)
    start = _n_equal(x.keys, y.keys, 0, 0, min(n, m))
    x1, y1 = n, m
    while x1 > start and y1 > start and x.keys[x1 - 1] == y.keys[y1 - 1]:
        x1, y1 = x1 - 1, y1 - 1
    runs = [(0, 0, start)]
    if (x1 - start) * (y1 - start) <= MOST_CELLS:
        runs += heaviest_runs(x.keys, x.weights, y.keys, (start, x1), (start, y1))
    else:
        runs += _runs_of_long(x, y, start, x1, y1)
    return _joined([*runs, (x1, y1, n - x1)])


def _n_equal(x: array[int], y: array[int], i: int, j: int, most: int) -> int:
    """Return how many units are equal from places i and j on."""
    n = 0
    while n < most and x[i + n] == y[j + n]:
        n += 1
    return n


def _joined(runs: Sequence[Run]) -> list[Run]:
    """Return runs without empty ones, each as long as it can be."""
    joined: list[Run] = []
    for i, j, n in runs:
        if joined and (i, j) == (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]):
            joined[-1] = (*joined[-1][:2], joined[-1][2] + n)
        elif n:
            joined.append((i, j, n))
    return joined


def _runs_of_long(x: Units, y: Units, start: int, x1: int, y1: int) -> Iterator[Run]:
    """Yield the runs of texts that are too long for a table, cut where both are alike."""
    x0 = y0 = start
    for i, j in [*_anchors(x.keys[start:x1], y.keys[start:y1], start), (x1, y1)]:
        if i < x0 or j < y0:
            continue  # inside the run before
        if (i - x0) * (j - y0) <= MOST_CELLS:
            yield from heaviest_runs(x.keys, x.weights, y.keys, (x0, i), (y0, j))
        n = _n_equal(x.keys, y.keys, i, j, min(x1 - i, y1 - j))
        yield i, j, n
        x0, y0 = i + n, j + n


def _anchors(x: Sequence[int], y: Sequence[int], start: int) -> list[tuple[int, int]]:
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
    anchors: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        i, j, number = chains[number]
        anchors.append((start + i, start + j))
    return anchors[::-1]


def _unique(keys: Sequence[int]) -> dict[tuple[int, ...], int]:
    places: dict[tuple[int, ...], int] = {}
    for i in range(len(keys) - ANCHOR + 1):
        run = tuple(keys[i : i + ANCHOR])
        places[run] = -1 if run in places else i
    return places


STRAY = 3  # units that differ on either side of a match that is dropped
LONG_WORD = 4  # letters of a word that can be moved alone
_CONTENT = bytes(weight == OF_CONTENT for weight in range(256))


class Step(NamedTuple):
    """A place where two texts differ: ranges of units of both."""

    ref: tuple[int, int]
    hyp: tuple[int, int]


class Difference(NamedTuple):
    """The difference of an output from a reference; `moved` has runs of both, as `Step`s."""

    ref: Units
    hyp: Units
    steps: list[Step]
    moved: list[Step]


def differences(
    refs: Sequence[str], outputs: Iterable[Sequence[str]]
) -> Iterator[Iterator[Difference]]:
    """Yield the differences of the outputs of each system from their references, by segment.

    Each is made when it is asked for, because all of them take much memory.

    >>> ((difference,),) = differences(["他买了雨伞"], [["他买了一把伞"]])
    >>> difference.steps
    [Step(ref=(3, 4), hyp=(3, 5))]
    """
    vocabulary = Vocabulary()
    own = [vocabulary.units(text) for text in refs]
    for hyps in outputs:
        units = map(vocabulary.units, hyps)
        yield (_difference(ref, hyp) for ref, hyp in zip(own, units, strict=True))


def _difference(ref: Units, hyp: Units) -> Difference:
    runs = align(ref, hyp)
    steps = _steps(
        ref, hyp, [run for k, run in enumerate(runs) if not _is_stray(runs, k, ref, hyp)]
    )
    return Difference(ref, hyp, steps, _moved(ref, hyp, steps) if steps else [])


def _steps(ref: Units, hyp: Units, runs: Sequence[Run]) -> list[Step]:
    """Return where the texts differ: what is between runs of matched units."""
    steps = []
    i = j = 0
    for start, other, length in (*runs, (len(ref.keys), len(hyp.keys), 0)):
        if i != start or j != other:
            steps.append(Step((i, start), (j, other)))
        i, j = start + length, other + length
    return steps


def _is_stray(runs: Sequence[Run], k: int, ref: Units, hyp: Units) -> bool:
    """Return whether a run is of signs alone, between differences."""
    i, j, length = runs[k]
    if OF_CONTENT in ref.weights[i : i + length]:
        return False
    before = (runs[k - 1][0] + runs[k - 1][2], runs[k - 1][1] + runs[k - 1][2]) if k else (0, 0)
    after = runs[k + 1][:2] if k + 1 < len(runs) else (len(ref.keys), len(hyp.keys))
    gap_before = max(i - before[0], j - before[1])
    gap_after = max(after[0] - i - length, after[1] - j - length)
    return gap_before >= STRAY and gap_after >= STRAY


def _moved(ref: Units, hyp: Units, steps: list[Step]) -> list[Step]:
    """Return the runs that both texts have among their differences, in other places."""
    counts = bytearray(hyp.weights.translate(_CONTENT))
    for j, n_letters in enumerate(map(len, hyp.texts)):
        if n_letters >= LONG_WORD:
            counts[j] *= 2  # as much as two units
    runs = moved_runs(ref.keys, hyp.keys, counts, steps)
    return [Step((i, i + length), (j, j + length)) for i, j, length in runs]
