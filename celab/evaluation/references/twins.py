"""Twins: a reference that is given twice, or as a system, and systems that are one system.

Two sides are twins if they are equal in at least 95% of the segments that both have, which are
five or more with three different texts or more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from celab.base.frozen import dataclass
from celab.base.result import Result
from celab.base.view.tables import NORMAL, View, ViewOptions, line

if TYPE_CHECKING:
    from celab.base.arrays import I64, Bools

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
    hashed_refs = [_Side.of(*side) for side in refs]
    hashed = [_Side.of(*side) for side in systems.items()]
    pairs: list[tuple[TwinKind, tuple[_Side, _Side]]] = [
        *(("references", pair) for pair in combinations(hashed_refs, 2)),
        *(("reference-and-system", pair) for pair in product(hashed_refs, hashed)),
        *(("systems", pair) for pair in combinations(hashed, 2)),
    ]
    twins = []
    for kind, (a, b) in pairs:
        # Equal texts have equal hashes, so most pairs need not be compared.
        n_common = int(np.count_nonzero(a.is_text & b.is_text))
        if np.count_nonzero(a.hashes == b.hashes) < max(LEAST_SEGMENTS, LEAST_SHARE * n_common):
            continue
        equal = [text for text, other in zip(a.texts, b.texts, strict=True) if text == other != ""]
        is_enough = n_common >= LEAST_SEGMENTS and len(equal) >= LEAST_SHARE * n_common
        if is_enough and len(set(equal)) >= LEAST_TEXTS:
            twins.append(Twins(kind, (a.name, b.name), len(equal), n_common))
    return twins


class _Side(NamedTuple):
    """The texts of a reference or a system, which of them are not blank, and their hashes."""

    name: str
    texts: Sequence[str]
    is_text: Bools
    hashes: I64

    @classmethod
    def of(cls, name: str, texts: Sequence[str]) -> _Side:
        is_text = np.ones(len(texts), np.bool_)
        if "" in texts:
            is_text = np.fromiter(map(bool, texts), np.bool_, len(texts))
        return cls(name, texts, is_text, np.fromiter(map(hash, texts), np.int64, len(texts)))


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
