"""Twins: a reference that is given twice, or as a system, and systems that are one system.

Two sides are twins if they are equal in at least 95% of the segments that both have, which are
five or more with three different texts or more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

import numpy as np

from celab.base.result import Result
from celab.base.view.tables import NORMAL, View, ViewOptions, line

if TYPE_CHECKING:
    from celab.base.arrays import I64

TwinKind = Literal["references", "reference-and-system", "systems"]
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
        from celab.evaluation.references.view import twins_line

        return View([[line(twins_line(self))]])


def find_twins(
    refs: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, Sequence[str]]
) -> list[Twins]:
    """Return all pairs of twins: references first, then references with systems, then systems."""
    identify = _Numbering()
    numbered_refs = [(name, identify(texts)) for name, texts in refs]
    numbered = [(name, identify(texts)) for name, texts in systems.items()]
    pairs: list[tuple[TwinKind, tuple[tuple[str, I64], tuple[str, I64]]]] = [
        *(("references", pair) for pair in combinations(numbered_refs, 2)),
        *(("reference-and-system", pair) for pair in product(numbered_refs, numbered)),
        *(("systems", pair) for pair in combinations(numbered, 2)),
    ]
    twins = []
    for kind, ((a, left), (b, right)) in pairs:
        is_common = (left > 0) & (right > 0)
        n_common, is_equal = int(is_common.sum()), is_common & (left == right)
        n_equal = int(is_equal.sum())
        is_enough = n_common >= LEAST_SEGMENTS and n_equal >= LEAST_SHARE * n_common
        if is_enough and len(np.unique(left[is_equal])) >= LEAST_TEXTS:
            twins.append(Twins(kind, (a, b), n_equal, n_common))
    return twins


class _Numbering:
    """Numbers of texts, from 1, and 0 for blank ones; equal texts have one number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}

    def __call__(self, texts: Sequence[str]) -> I64:
        numbers = self.numbers
        return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)


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
