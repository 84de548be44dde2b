"""Words → numbers, for the kernel: lemmas, tags and synonym groups of both sides of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from celab.analysis.model import Word
from celab.lexicon.catalogue import LexiconSpec, labelled, load, located_or_stand_in
from celab.metrics.whole_bags import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    I32 = NDArray[np.int32]


class Synonyms:
    """The groups of lemmas; `spelt` spells a lexicon's word as the analyser spells a lemma."""

    def __init__(
        self, spec: LexiconSpec, spelt: Callable[[str], str] = str, *, is_default: bool = False
    ) -> None:
        found, self.notice = located_or_stand_in(spec, is_default=is_default)
        self.cited = "+".join(one.cited for one in found) or "none"
        self.groups: dict[str, list[int]] = {}
        self.labels: list[str] = []
        for one in found:
            for group in labelled(load(one)):
                for word in dict.fromkeys(map(spelt, group.words)):
                    self.groups.setdefault(word, []).append(len(self.labels))
                self.labels.append(group.label)

    def rows(self, lemmas: Iterable[str]) -> tuple[I32, I32]:
        """Where the groups of each lemma begin, and all of them, sorted."""
        rows = [self.groups.get(lemma, []) for lemma in lemmas]
        start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        return start, np.array([g for row in rows for g in row], np.int32)

    def shared(self, lemma: str, other: str) -> tuple[str, ...]:
        """The labels of the groups that hold both."""
        both = set(self.groups.get(lemma, ())) & set(self.groups.get(other, ()))
        return tuple(self.labels[group] for group in sorted(both))


@dataclass(frozen=True, slots=True)
class Side:
    """Lemma, tag and function word of every word, and where sentences begin."""

    lemma: I32
    tag: I32
    function: NDArray[np.int8]
    start: NDArray[np.int64]

    def part(self, batch: slice) -> Side:
        """Some of the sentences."""
        start = self.start[batch.start : batch.stop + 1]
        words = slice(start[0], start[-1])
        return Side(self.lemma[words], self.tag[words], self.function[words], start - start[0])

    def sentence(self, s: int) -> Words:
        """One of them."""
        words = slice(self.start[s], self.start[s + 1])
        return Words(
            self.lemma[words].tolist(), self.tag[words].tolist(), self.function[words].tolist()
        )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many words each sentence has."""
        return np.diff(self.start)

    @property
    def arrays(self) -> tuple[I32, I32, NDArray[np.int8], NDArray[np.int64]]:
        """As the kernel takes them."""
        return self.lemma, self.tag, self.function, self.start


class Numbers:
    """Lemmas and tags as numbers, for both sides of a corpus."""

    def __init__(self) -> None:
        self.lemmas: dict[str, int] = {}
        self.tags: dict[str, int] = {}

    def side(self, sentences: list[list[Word]]) -> Side:
        """One side."""
        words = [word for sentence in sentences for word in sentence]
        lemma = [self.lemmas.setdefault(word.lemma, len(self.lemmas)) for word in words]
        tag = [self.tags.setdefault(word.tag, len(self.tags)) for word in words]
        return Side(
            np.array(lemma, np.int32),
            np.array(tag, np.int32),
            np.array([word.function for word in words], np.int8),
            np.cumsum([0, *map(len, sentences)], dtype=np.int64),
        )
