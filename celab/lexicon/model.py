"""The types of a thesaurus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from celab.base.frozen import dataclass

Labeled = Iterator[tuple[str, Iterable[str]]]  # labels and words of groups, from a reader


@dataclass(frozen=True, slots=True)
class Group:
    """Words that are synonyms of each other."""

    label: str  # its place in the source: "Bp31B01=", "line 7", "Messe, sense 2"
    words: tuple[str, ...]
    source: int = 0  # index in the sources of the thesaurus


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of groups."""

    name: str  # in labels and signatures
    format: str
    origin: str
    licence: str
    version: str  # version or date that the source states, or ""
    digest: str  # SHA-256 of the file


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of a reader."""

    language: str | None = None  # zh, de, en, ja, ko; None for all in the source
    top_level: bool = False  # Wiktionary: also lists of synonyms without a sense
    strict: bool = False  # raise an error for a line that cannot be read
    single: bool = False  # keep groups of one word, such as Cilin's `@` lines


@dataclass(slots=True)
class Thesaurus:
    """Groups of synonyms, and the sources that they refer to."""

    name: str
    sources: list[Provenance]
    groups: list[Group]
    skipped: list[str] = field(default_factory=list)  # the first lines that cannot be read
    n_skipped: int = 0
    warnings: list[str] = field(default_factory=list)  # each with its place in the file

    def __repr__(self) -> str:
        return f"<Thesaurus {self.name}: {len(self.groups):,} groups>"
