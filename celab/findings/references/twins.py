"""Twins: a reference that is given twice, or as a system, and systems that are one system.

Two sides are twins if they are equal in at least 95% of the segments that both have, which are
five or more with three different texts or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple, get_args

import numpy as np

from celab.tables.table import COUNT, NAME, TEXT, Column

TwinKind = Literal["references", "reference-and-system", "systems"]
_ORDER = get_args(TwinKind)
MIN_EQUAL_SHARE = 0.95
MIN_COMMON_SEGMENTS = 5
MIN_DIFFERENT_TEXTS = 3


class Twins(NamedTuple):
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


TWINS = [
    Column("", TEXT, attrgetter("kind"), "kind"),
    Column("", NAME, lambda row: row.names[0], "a"),
    Column("", NAME, lambda row: row.names[1], "b"),
    Column("", COUNT, attrgetter("equal"), "equal"),
    Column("", COUNT, attrgetter("segments"), "segments"),
]


def find_twins(
    refs: Sequence[tuple[str, Sequence[str]]], systems: Mapping[str, Sequence[str]]
) -> list[Twins]:
    """Return all pairs of twins: references first, then references with systems, then systems."""
    sides = [*refs, *systems.items()]
    twins = []
    for a, b, n_common in candidate_twins([texts for _, texts in sides], MIN_EQUAL_SHARE):
        (name, texts), (other_name, others) = sides[a], sides[b]
        equal = [text for text, other in zip(texts, others, strict=True) if text == other != ""]
        is_enough = n_common >= MIN_COMMON_SEGMENTS and len(equal) >= MIN_EQUAL_SHARE * n_common
        if is_enough and len(set(equal)) >= MIN_DIFFERENT_TEXTS:
            kind: TwinKind = "reference-and-system" if a < len(refs) else "systems"
            kind = "references" if b < len(refs) else kind
            twins.append(Twins(kind, (name, other_name), len(equal), n_common))
    return sorted(twins, key=lambda pair: _ORDER.index(pair.kind))


def candidate_twins(sides: Sequence[Sequence[str]], share: float) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of sides that may be equal in at least a share of their common segments.

    The third item is the number of these segments. Most pairs are ruled out by the lengths of their
    texts.
    """
    lengths = np.array([[*map(len, texts)] for texts in sides], np.int32)
    is_text = lengths > 0
    for a in range(len(sides) - 1):
        n_equal = (lengths[a + 1 :] == lengths[a]).sum(axis=1)
        n_common = (is_text[a + 1 :] & is_text[a]).sum(axis=1)
        is_enough = n_equal >= share * n_common
        yield from ((a, a + 1 + b, int(n_common[b])) for b in np.flatnonzero(is_enough).tolist())


def group_twins(names: Sequence[str], twins: Sequence[Twins]) -> list[list[str]]:
    """Return the names of the systems in groups; twins share a group.

    >>> group_twins(["A", "B", "C"], [Twins("systems", ("A", "C"), 99, 100)])
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
    number += f" {pair.segments}" if pair.equal == pair.segments else ""
    equal = f"are equal in {number} segments"
    if pair.kind == "references":
        return f"references {a} and {b} {equal}: is one reference given twice?"
    if pair.kind == "systems":
        return f"systems {a} and {b} {equal}: are they one system?"
    return f"{a} and the outputs of {b} {equal}: is the reference given as a system?"
