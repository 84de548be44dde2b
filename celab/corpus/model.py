"""The types of the corpus: files have parts, and parts are joined to a corpus.

A part is one side of the data from one file: the source, one reference or one system. Its texts
are identified by document and segment id if the format has them, else by line number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from celab.base.errors import InputError

Kind = Literal["source", "reference", "system"]

MOST_NAMED = 3  # of the segments that a message is about


class Segment(NamedTuple):
    """Document and id of a segment; without ids, "" and the line number."""

    document: str
    id: str
    domain: str = ""  # of its document, if a file of documents says it


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a table hold what: names, or numbers of columns from 1 on."""

    ref: Sequence[str | int] = ()
    hyp: Sequence[str | int] = ()
    source: str | int | None = None
    document: str | int | None = None
    id: str | int | None = None

    def __bool__(self) -> bool:
        return bool(self.given)

    @property
    def given(self) -> list[str | int]:
        """All fields that are named or numbered."""
        every = (*self.ref, *self.hyp, self.source, self.document, self.id)
        return [one for one in every if one is not None]


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file as the readers get it; without a role it gives all that it holds."""

    path: str
    name: str
    text: str
    role: Kind | None
    fields: Fields = Fields()

    def must_give(self, kind: Kind) -> bool:
        """Whether the file is asked for such parts, so that a field named for them is needed."""
        return self.role in (None, kind)

    def wants(self, kind: Kind) -> bool:
        """Whether such parts are taken from the file; a source is taken from any."""
        return self.must_give(kind) or kind == "source"


@dataclass(frozen=True, slots=True)
class FilePart:
    """The texts of one side, with their keys if the format has ids."""

    kind: Kind
    name: str
    where: str
    texts: list[str]
    keys: list[Segment] | None = None
    order: Iterable[Segment] = ()  # all segments of the file, as they come
    unit: str = "line"  # what is counted where there are no keys
    title: str = ""  # short name for reports, if any

    @property
    def label(self) -> str:
        """What messages call the part."""
        if self.name == self.where:
            return self.where
        within = "" if self.name.endswith(f"({self.where})") else f" in {self.where}"
        return f"{self.kind} {self.name}{within}"


def gathered(
    file: TextFile, found: Iterable[tuple[Kind, str, Segment, str]], order: Iterable[Segment] = ()
) -> list[FilePart]:
    """The wanted parts of a file, from texts with kind, name and key.

    `order` may have segments without text. A segment that occurs twice is an error.
    """
    sides: dict[tuple[Kind, str], dict[Segment, str]] = {}
    repeated: dict[tuple[Kind, str], dict[Segment, None]] = {}
    ordered = dict.fromkeys(order)
    for kind, name, key, text in found:
        if not file.wants(kind):
            continue
        texts = sides.setdefault((kind, name), {})
        if key in texts:
            repeated.setdefault((kind, name), {})[key] = None
        texts[key] = text
        ordered[key] = None
    parts = [
        FilePart(kind, name, file.name, list(texts.values()), list(texts), ordered)
        for (kind, name), texts in sides.items()
    ]
    for part in parts:
        if keys := repeated.get((part.kind, part.name)):
            raise InputError(
                f"{part.label} has {counted(len(keys))} more than once ({named(list(keys))}); "
                "each must occur once"
            )
    return parts


@dataclass(frozen=True, slots=True)
class Corpus:
    """Systems and references, aligned: each list has one text per segment."""

    segments: Sequence[Segment]
    systems: dict[str, list[str]]
    refs: list[list[str]]  # one list per reference, with "" where it does not have the segment
    ref_names: list[str]
    source: list[str] | None = None
    n_left_out: int = 0  # segments that not all have, if they were to be skipped
    by_line: bool = False  # whether the files have no ids, so that segments are lines
    system_files: Mapping[str, str] = field(default_factory=dict)  # names in messages
    ref_files: Sequence[str] = ()  # and the references

    def file_of(self, system: str) -> str:
        """The file that a system is in, or its name if it is in none, or not alone in it."""
        return self.system_files.get(system, system)

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


def counted(count: int, what: str = "segment") -> str:
    """A number of things in words."""
    return f"{count} {what}{'s' * (count != 1)}"


def named(keys: Sequence[Segment]) -> str:
    """The first few segments by document and id."""
    few = [f"document {key.document} " * bool(key.document) + f"segment {key.id}" for key in keys]
    more = len(few) - MOST_NAMED
    return ", ".join(few[:MOST_NAMED] + [f"and {more} more"] * (more > 0))
