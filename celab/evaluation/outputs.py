"""Outputs that are no translations, by system: `celab.check` and `Campaign.outputs`.

`celab.corpus.outputs` has the kinds and their rules. They never change a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.base.arrays import I64
from celab.base.errors import InputError
from celab.base.result import Level, Result, form_of
from celab.corpus.outputs import (
    FILTERS,
    KINDS,
    Expectation,
    Finding,
    expectations,
    filtered,
    find,
)

if TYPE_CHECKING:
    from celab.corpus import Corpus

__all__ = ["FILTERS", "KINDS", "FlaggedOutput", "Outputs"]


@dataclass(frozen=True, slots=True)
class FlaggedOutput:
    """An output of one of the kinds, or that a filter finds; its segment is counted from 1."""

    segment: int
    kind: str
    text: str
    is_refusal: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Outputs(Result):
    """The outputs of each system that are no translations; `print` shows their numbers.

    Attributes:
        n_segments: number of outputs of each system.
        has_source: whether there was a source, without which nothing is called copied.
        systems: for each system, its outputs that are no translations, in order.
        filtered: for each system, its outputs in which a number or an address of the source is
            missing; empty unless they were looked for.

    >>> import celab
    >>> outputs = celab.check({"A": ["", "I cannot translate this."]}, ["买雨伞", "他们去北京"])
    >>> outputs.kinds("A")
    {'empty': [1], 'other-language': [2]}
    """

    n_segments: int
    has_source: bool
    systems: dict[str, tuple[FlaggedOutput, ...]]
    filtered: dict[str, tuple[FlaggedOutput, ...]]

    @classmethod
    def of_corpus(
        cls, corpus: Corpus, lang: str | None = None, *, filters: bool = False
    ) -> Outputs:
        """Return the outputs of a corpus that are no translations, into a language (default: zh).

        With `filters`, numbers and addresses are looked for, too. Raises `InputError` if a segment
        has no reference.
        """
        expected = expectations(corpus.refs, corpus.source, lang or "zh")
        absent = next((n for n, x in enumerate(expected, 1) if not x.references), None)
        if absent is not None:
            raise InputError(f"segment {absent} has no reference; at least one must contain text")

        def flagged(
            rule: Callable[[Sequence[str], Sequence[Expectation]], list[Finding]],
        ) -> dict[str, tuple[FlaggedOutput, ...]]:
            return {
                system: tuple(
                    FlaggedOutput(x.segment, x.kind, texts[x.segment - 1], x.is_refusal)
                    for x in rule(texts, expected)
                )
                for system, texts in corpus.systems.items()
            }

        has_source = corpus.source is not None
        missing = flagged(filtered) if filters and has_source else {}
        return cls(len(corpus.segments), has_source, flagged(find), missing)

    @property
    def n_flagged(self) -> int:
        """Number of outputs that are no translations, over all systems."""
        return sum(map(len, self.systems.values()))

    def kinds(self, system: str) -> dict[str, list[int]]:
        """Return the segments of each kind that a system has, in the order of the kinds."""
        segments: dict[str, list[int]] = {}
        for output in self.systems[system]:
            segments.setdefault(output.kind, []).append(output.segment)
        return {kind: segments[kind] for kind in KINDS if kind in segments}

    def counts(self, system: str) -> dict[str, int]:
        """Return the number of outputs of every kind, and of every filter that was asked for."""
        found = (*self.systems[system], *self.filtered.get(system, ()))
        counted = Counter(output.kind for output in found)
        names = [*KINDS, *(FILTERS if self.filtered else ())]
        return {name: counted[name] for name in names}

    def by_segment(self, system: str) -> list[str]:
        """Return the kind of each output of a system, "" if it is a translation."""
        kinds = [""] * self.n_segments
        for output in self.systems[system]:
            kinds[output.segment - 1] = output.kind
        return kinds

    def translations(self, *systems: str) -> I64:
        """Return the indices of the segments of which all these systems have a translation."""
        flagged = {output.segment - 1 for name in systems for output in self.systems[name]}
        return np.array([i for i in range(self.n_segments) if i not in flagged], np.int64)

    def to_dataframe(self, library: str | None = None, *, level: Level = "segment") -> Any:
        """Return a data frame with a row per flagged output, or per system.

        Its columns are system, segment (from 1), kind, text and refusal; at the level of systems
        system and the number of outputs of each kind.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "segment" or "system".
        """
        return form_of(self, "frame", library=library, level=level)

    def __str__(self) -> str:
        return str(form_of(self, "text")).rstrip("\n")

    def __repr__(self) -> str:
        n = len(self.systems)
        return (
            f"<{self.n_flagged} of {n * self.n_segments} outputs of {n} system{'s' * (n != 1)} are"
            " no translations>"
        )


def describe(counts: Mapping[str, Sequence[int]]) -> str:
    """Return how many outputs there are of each kind, from the segments of each.

    >>> describe({"empty": [1, 4], "too-long": [7]})
    '2 empty, 1 too-long'
    """
    return ", ".join(f"{len(segments)} {kind}" for kind, segments in counts.items())
