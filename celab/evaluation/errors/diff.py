"""The difference between a reference and an output: what is equal, moved, missing and extra.

Matches of nothing but signs and spaces between other differences are dropped, because they would
cut a run. What both texts have in different places is *moved*: a run with two units of content or a
word of `LONG_WORD` letters, so that no single character is. `difference` of `diff.js` does the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from celab._native.runs import moved_runs
from celab.evaluation.errors.aligning import Run, align
from celab.evaluation.errors.diff_units import OF_CONTENT, Units, Vocabulary

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
