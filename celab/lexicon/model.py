"""What a thesaurus is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Labelled = Iterator[tuple[str, Iterable[str]]]  # labels and words of groups, as readers give them


@dataclass(frozen=True, slots=True)
class Group:
    """Words that are synonyms of each other."""

    label: str  # where it stands in its source: "Bp31B01=", "line 7", "Messe, sense 2"
    words: tuple[str, ...]
    source: int = 0  # which of the thesaurus's sources


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where groups come from."""

    name: str  # as labels and signatures call it
    format: str
    origin: str
    licence: str
    version: str  # what the source says of its own age, or ""
    digest: str  # SHA-256 of the file


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of a reader."""

    language: str | None = None  # zh, de, en, ja, ko; None takes what the source has
    top_level: bool = False  # Wiktionary: also lists that are tied to no sense
    strict: bool = False  # a line that cannot be read is an error, not skipped
    single: bool = False  # keep groups of one word, such as Cilin's `@` lines


@dataclass(slots=True)
class Thesaurus:
    """Groups, and the sources that they name by number."""

    name: str
    sources: list[Provenance]
    groups: list[Group]
    skipped: list[str] = field(default_factory=list)  # the first that could not be read
    n_skipped: int = 0

    def __repr__(self) -> str:
        return f"<Thesaurus {self.name}: {len(self.groups):,} groups>"
