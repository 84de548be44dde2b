"""The difference between a reference and an output: what is equal, moved, missing and extra.

Matches of nothing but signs and spaces between other differences are dropped, because they would
cut a run. What both texts have in different places is *moved*: a run with two units of content or a
word of `LONG_WORD` letters, so that no single character is. `difference` of `diff.js` does the
same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from celab.evaluation.errors.aligning import MatchedPlaces, align
from celab.evaluation.errors.diff_units import OF_CONTENT, Units, Vocabulary

STRAY = 3  # units that differ on either side of a match that is dropped
LONG_WORD = 4  # letters of a word that can be moved alone


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


def differences(refs: Sequence[str], outputs: Sequence[Sequence[str]]) -> list[list[Difference]]:
    """Return the difference of each output from its reference, by system and segment.

    >>> ((found,),) = differences(["他买了雨伞"], [["他买了一把伞"]])
    >>> found.steps
    [Step(ref=(3, 4), hyp=(3, 5))]
    """
    vocabulary = Vocabulary()
    own = [vocabulary.units(text) for text in refs]
    pairs = [
        (ref, vocabulary.units(text))
        for hyps in outputs
        for ref, text in zip(own, hyps, strict=True)
    ]
    found = [
        _difference(ref, hyp, matched)
        for (ref, hyp), matched in zip(pairs, align(pairs), strict=True)
    ]
    n = len(refs)
    return [found[k * n : (k + 1) * n] for k in range(len(outputs))]


def _difference(ref: Units, hyp: Units, matched: MatchedPlaces) -> Difference:
    steps = [*_steps(ref, hyp, matched)]
    return Difference(ref, hyp, steps, _moved(ref, hyp, steps) if steps else [])


def _steps(ref: Units, hyp: Units, matched: MatchedPlaces) -> Iterator[Step]:
    """Yield where the texts differ, without matches of signs alone between differences."""
    n, m = len(ref.keys), len(hyp.keys)
    runs: list[tuple[int, int, int]] = []  # both starts, and the length
    for i, j in matched:
        if runs and (i, j) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1] = (*runs[-1][:2], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    kept = [run for k, run in enumerate(runs) if not _is_stray(runs, k, ref, (n, m))]
    before = (0, 0)
    for i, j, length in [*kept, (n, m, 0)]:
        if (i, j) != before:
            yield Step((before[0], i), (before[1], j))
        before = (i + length, j + length)


def _is_stray(
    runs: Sequence[tuple[int, int, int]], k: int, ref: Units, ends: tuple[int, int]
) -> bool:
    i, j, length = runs[k]
    if OF_CONTENT in ref.weights[i : i + length]:
        return False
    before = (runs[k - 1][0] + runs[k - 1][2], runs[k - 1][1] + runs[k - 1][2]) if k else (0, 0)
    after = runs[k + 1][:2] if k + 1 < len(runs) else ends
    gap_before = max(i - before[0], j - before[1])
    gap_after = max(after[0] - i - length, after[1] - j - length)
    return gap_before >= STRAY and gap_after >= STRAY


def _moved(ref: Units, hyp: Units, steps: Sequence[Step]) -> list[Step]:
    """Return the runs that both texts have among their differences, in other places."""
    free = ({i for x in steps for i in range(*x.ref)}, {j for x in steps for j in range(*x.hyp)})
    places: dict[int, list[int]] = {}
    for i in sorted(free[0]):
        places.setdefault(ref.keys[i], []).append(i)
    moved: list[Step] = []
    stop = 0
    for j in sorted(free[1]):
        if j < stop or hyp.keys[j] not in places:
            continue
        start, length = 0, 0
        for i in places[hyp.keys[j]]:
            n = 0
            while i + n in free[0] and j + n in free[1] and ref.keys[i + n] == hyp.keys[j + n]:
                n += 1
            if n > length:
                start, length = i, n
        run = range(j, j + length)
        words = [hyp.texts[at] for at in run if hyp.weights[at] == OF_CONTENT]
        if len(words) < 2 and not any(len(word) >= LONG_WORD for word in words):
            continue
        moved.append(Step((start, start + length), (j, j + length)))
        free[0].difference_update(range(start, start + length))
        free[1].difference_update(run)
        stop = j + length
    return moved
