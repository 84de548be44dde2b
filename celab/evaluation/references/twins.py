"""Twins: a reference that is given twice, or as a system, and systems that are one system.

Two sides are twins if they are equal in at least 95% of the segments that both have, which are
five or more with three different texts or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from celab.base.frozen import dataclass
from celab.base.result import Result
from celab.base.view.tables import NORMAL, View, ViewOptions, line

TwinKind = Literal["references", "reference-and-system", "systems"]
_ORDER = get_args(TwinKind)
LEAST_SHARE = 0.95
LEAST_SEGMENTS = 5
LEAST_TEXTS = 3


@dataclass(frozen=True, slots=True)
class Twins(Result):
    """Two sides that are equal in almost all segments.

    Attributes:
        kind: "references", "reference-and-system" or "systems".
        names: names of the two sides.
        equal: number of segments in which they are equal.
        segments: number of segments that both have.
    """

    kind: TwinKind
    names: tuple[str, str]
    equal: int
    segments: int

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the line about the two."""
        return View([[line(twins_line(self))]])


def find_twins(
    refs: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, Sequence[str]]
) -> list[Twins]:
    """Return all pairs of twins: references first, then references with systems, then systems."""
    sides = [*refs, *systems.items()]
    twins = []
    for a, b, n_common in _of_equal_lengths([texts for _, texts in sides]):
        (name, texts), (other_name, others) = sides[a], sides[b]
        equal = [text for text, other in zip(texts, others, strict=True) if text == other != ""]
        is_enough = n_common >= LEAST_SEGMENTS and len(equal) >= LEAST_SHARE * n_common
        if is_enough and len(set(equal)) >= LEAST_TEXTS:
            kind: TwinKind = "reference-and-system" if a < len(refs) else "systems"
            kind = "references" if b < len(refs) else kind
            twins.append(Twins(kind, (name, other_name), len(equal), n_common))
    return sorted(twins, key=lambda pair: _ORDER.index(pair.kind))


def _of_equal_lengths(sides: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of sides that may be twins, and the number of segments that both have.

    Equal texts are equally long, so most pairs need not be compared.
    """
    lengths = np.array([[*map(len, texts)] for texts in sides], np.int32)
    is_text = lengths > 0
    for a in range(len(sides) - 1):
        n_equal = (lengths[a + 1 :] == lengths[a]).sum(axis=1)
        n_common = (is_text[a + 1 :] & is_text[a]).sum(axis=1)
        is_enough = n_equal >= np.maximum(LEAST_SEGMENTS, LEAST_SHARE * n_common)
        yield from ((a, a + 1 + b, int(n_common[b])) for b in np.flatnonzero(is_enough).tolist())


def group(names: Sequence[str], twins: Sequence[Twins]) -> list[list[str]]:
    """Return the systems, with twins in one group.

    >>> group(["A", "B", "C"], [Twins("systems", ("A", "C"), 99, 100)])
    [['A', 'C'], ['B']]
    """
    groups = {name: [name] for name in names}
    for pair in twins:
        first, second = (groups.get(name) for name in pair.names)
        if pair.kind == "systems" and first is not second:
            assert first is not None
            assert second is not None
            first += second
            groups |= dict.fromkeys(second, first)
    return [*{id(members): members for members in groups.values()}.values()]


def twins_line(pair: Twins) -> str:
    """Return the line about two sides that are equal in almost all segments."""
    a, b = pair.names
    number = f"{pair.equal} of {pair.segments}" if pair.equal < pair.segments else "all"
    number += f" {pair.segments}" * (pair.equal == pair.segments)
    equal = f"are equal in {number} segments"
    if pair.kind == "references":
        return f"references {a} and {b} {equal}: is one reference given twice?"
    if pair.kind == "systems":
        return f"systems {a} and {b} {equal}: are they one system?"
    return f"{a} and the outputs of {b} {equal}: is the reference given as a system?"
