"""What the corpus is made of: files give parts, and parts are joined to a corpus.

A part is one side of the data from one file: the source, one reference or one system. Its texts
are told apart by document and segment id if the format has them, else by their line numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

from celab.errors import InputError

Kind = Literal["source", "reference", "system"]
Key = tuple[str, str]  # document and segment id

MOST_NAMED = 3  # of the segments that a message is about


@dataclass(frozen=True, slots=True)
class Segment:
    """What a segment is known by; in formats without ids by its line number, in no document."""

    document: str
    id: str
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a table hold what: names, or numbers of columns from 1 on."""

    ref: Sequence[str | int] = ()
    hyp: Sequence[str | int] = ()
    source: str | int | None = None
    document: str | int | None = None
    id: str | int | None = None

    def __bool__(self) -> bool:
        return any(
            given or given == 0
            for given in (self.ref, self.hyp, self.source, self.document, self.id)
        )


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file as the readers get it; without a role it gives all that it holds."""

    path: str
    name: str
    text: str
    role: Kind | None
    fields: Fields = Fields()

    def wants(self, kind: Kind) -> bool:
        """Whether the file is asked for such parts; a source is welcome from any."""
        return self.role in (None, kind) or kind == "source"

    def must_give(self, kind: Kind) -> bool:
        """Whether a field that is named for such parts has to be there."""
        return self.role in (None, kind)


@dataclass(frozen=True, slots=True)
class Part:
    """One side: its texts, and a key for each unless lines are all that tells them apart."""

    kind: Kind
    name: str
    where: str
    texts: list[str]
    keys: list[Key] | None = None
    domains: dict[str, str] = field(default_factory=dict)  # of documents
    order: Iterable[Key] = ()  # all segments of the file, as they come
    unit: str = "line"  # what is counted where there are no keys

    @property
    def label(self) -> str:
        """What messages call the part."""
        if self.name == self.where:
            return self.where
        within = "" if self.name.endswith(f"({self.where})") else f" in {self.where}"
        return f"{self.kind} {self.name}{within}"

    @property
    def size(self) -> str:
        """How many texts there are."""
        return counted(len(self.texts), self.unit if self.keys is None else "segment")


class Gathered:
    """The parts of a file, as its segments come along."""

    def __init__(self, where: str, order: Iterable[Key] = ()) -> None:
        self._where = where
        self._texts: dict[tuple[Kind, str], dict[Key, str]] = {}
        self._repeated: dict[tuple[Kind, str], dict[Key, None]] = {}
        self._order: dict[Key, None] = dict.fromkeys(order)
        self.domains: dict[str, str] = {}

    def add(self, kind: Kind, name: str, key: Key, text: str) -> None:
        """One segment of one side."""
        texts = self._texts.setdefault((kind, name), {})
        if key in texts:
            self._repeated.setdefault((kind, name), {})[key] = None
        texts[key] = text
        self._order[key] = None

    def parts(self) -> list[Part]:
        """All sides in the order in which they came; a segment that came twice is an error."""
        parts = [
            Part(
                kind,
                name,
                self._where,
                list(texts.values()),
                list(texts),
                self.domains,
                self._order,
            )
            for (kind, name), texts in self._texts.items()
        ]
        for part in parts:
            if repeated := self._repeated.get((part.kind, part.name)):
                raise InputError(
                    f"{part.label} has {counted(len(repeated))} more than once "
                    f"({named(list(repeated))}); each must be there once"
                )
        return parts


@dataclass(frozen=True, slots=True)
class Corpus:
    """Systems and references, aligned: each list has one text a segment."""

    segments: Sequence[Segment]
    systems: dict[str, list[str]]
    refs: list[list[str]]  # one list a reference, with "" where it does not have the segment
    ref_names: list[str]
    source: list[str] | None = None
    n_left_out: int = 0  # segments that not all have, if they were to be skipped

    @property
    def hyp_name(self) -> str:
        """The name of the only system."""
        if len(self.systems) != 1:
            raise InputError(
                f"there are {len(self.systems)} systems ({', '.join(self.systems)}); "
                "one of them must be chosen"
            )
        return next(iter(self.systems))

    @property
    def hyps(self) -> list[str]:
        """The texts of the only system."""
        return self.systems[self.hyp_name]


@dataclass(frozen=True, slots=True)
class LineNumbers(Sequence[Segment]):
    """The segments of files without ids, made when they are asked for."""

    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> LineNumbers: ...
    def __getitem__(self, index: int | slice) -> Segment | LineNumbers:
        if isinstance(index, slice):
            return LineNumbers(self.numbers[index])
        return Segment("", str(self.numbers[index]))


def counted(count: int, what: str = "segment") -> str:
    """A number of things in words."""
    return f"{count} {what}{'s' * (count != 1)}"


def named(keys: Sequence[Key]) -> str:
    """The first few segments by document and id."""
    few = [
        f"document {document} segment {number}" if document else f"segment {number}"
        for document, number in keys[:MOST_NAMED]
    ]
    if len(keys) > MOST_NAMED:
        few.append(f"and {len(keys) - MOST_NAMED} more")
    return ", ".join(few)
