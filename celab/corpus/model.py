"""The types of the corpus: files have parts, and parts are joined to a corpus.

A part is one side of the data from one file: the source, one reference or one system. Its texts
are identified by document and segment id if the format has them, else by line number.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeVar

from celab.base.errors import InputError
from celab.base.numbers import is_digits
from celab.base.options import AnyPath, option

if TYPE_CHECKING:
    from celab.corpus.align.alignment import Alignment

Kind = Literal["source", "reference", "system"]

FORMATS = (
    *("plain", "sgml", "wmt", "tsv", "csv", "jsonl", "json"),
    *("lm-eval", "inspect", "openai-evals"),
    *("xliff", "tmx", "po", "srt", "vtt"),  # a spreadsheet is known by its bytes
)
TEXT_DOCUMENTS = ("none", "lines", "blank")
MAX_LISTED = 3  # segments that a message lists
MOST_REFERENCES = 1000

Key = TypeVar("Key")
Value = TypeVar("Value")


def as_list(paths: AnyPath | Sequence[AnyPath] | None) -> Sequence[AnyPath]:
    """Return a path as a list, and no path as an empty one."""
    if paths is None:
        return ()
    return [paths] if isinstance(paths, str | os.PathLike) else paths


class Segment(NamedTuple):
    """Document and id of a segment; without ids, "" and the line number."""

    document: str
    id: str
    domain: str = ""  # of its document, if a file of documents has it


class CodedText(NamedTuple):
    """A text without its inline codes, and the codes, in their order."""

    text: str
    codes: tuple[str, ...] = ()


def _column(name: str) -> str | int:
    return int(name) if is_digits(name) else name


def _columns(names: str) -> tuple[str | int, ...]:
    return tuple(map(_column, names.split(",")))


@dataclass(frozen=True, slots=True, repr=False)
class Fields:
    """The fields of a table, by name, or by number of the column, counted from 1.

    A dot leads into an object of JSON, as in `translation.zh`.
    """

    heading: ClassVar[str] = "Input"

    ref: Sequence[str | int] = option(
        (),
        "names or numbers of the reference columns, separated by commas (TSV, CSV, JSON)",
        positional=True,
        flags="--ref-fields",
        metavar="FIELDS",
        convert=_columns,
        not_in="batches text",
    )
    hyp: Sequence[str | int] = option(
        (),
        "names or numbers of the system columns, separated by commas (TSV, CSV, JSON)",
        positional=True,
        flags="--hyp-fields",
        metavar="FIELDS",
        convert=_columns,
        not_in="batches text",
    )
    source: str | int | None = option(
        None,
        "name or number of the source column (TSV, CSV, JSON)",
        positional=True,
        flags="--source-field",
        metavar="FIELD",
        convert=_column,
        not_in="batches dask text",
    )
    document: str | int | None = option(
        None,
        "name or number of the document column (TSV, CSV, JSON, --documents)",
        positional=True,
        flags="--document-field",
        metavar="FIELD",
        convert=_column,
        not_in="batches text",
    )
    id: str | int | None = option(
        None,
        "name or number of the id column (TSV, CSV, JSON)",
        positional=True,
        flags="--id-field",
        metavar="FIELD",
        convert=_column,
        not_in="batches text",
    )

    def __bool__(self) -> bool:
        return bool(self.named)

    @property
    def named(self) -> list[str | int]:
        """All fields with a name or a number."""
        fields = (*self.ref, *self.hyp, self.source, self.document, self.id)
        return [field for field in fields if field is not None]

    def __repr__(self) -> str:
        values = {field.name: getattr(self, field.name) for field in dataclass_fields(self)}
        named = (f"{name}={value!r}" for name, value in values.items() if value not in (None, ()))
        return f"Fields({', '.join(named)})"

    @property
    def flags(self) -> str:
        """The fields as the command line names them."""
        words = []
        for spec in dataclass_fields(self):
            value = getattr(self, spec.name)
            text = ",".join(map(str, value)) if spec.name in ("ref", "hyp") else value
            if text not in (None, ""):
                words += [*spec.metadata["flags"], shlex.quote(str(text))]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file to be parsed; without a role, all its parts are taken."""

    path: str
    name: str
    text: str
    role: Kind | None
    fields: Fields = Fields()
    lang: str | None = None  # of the translations, if it is known
    pair: str | None = None  # of languages, such as en-zh, if it is known
    format: str | None = None  # if its bytes have told it

    def requires(self, kind: Kind) -> bool:
        """Return whether parts of that kind are expected: a field named for them must exist."""
        return self.role in (None, kind)

    def wants(self, kind: Kind) -> bool:
        """Return whether parts of that kind are taken from the file; a source is taken from any."""
        return self.requires(kind) or kind == "source"


@dataclass(frozen=True, slots=True)
class FilePart:
    """The texts of a side, with their keys if the format has ids."""

    kind: Kind
    name: str
    where: str
    texts: list[str]
    keys: list[Segment] | None = None
    order: Iterable[Segment] = ()  # all segments of the file, as they come
    unit: str = "line"  # the unit of texts without keys
    title: str = ""  # short name for reports, if any
    fields: Sequence[str] = ()  # all that its table has
    # What a log expects of each segment, which is as good as an id.
    targets: Mapping[Segment, Sequence[str]] = field(default_factory=dict)
    sample: Sequence[Mapping[str, object]] = ()  # the first records of its table
    codes: Sequence[tuple[str, ...]] = ()  # inline codes of each text, if the format has any
    had_codes: bool = False  # whether any are known to be taken out of its texts
    max_lengths: Mapping[Segment, int] = field(default_factory=dict)  # in characters
    # Units that the file says are not translations, by reason.
    n_left_out: Mapping[str, int] = field(default_factory=dict)
    is_bilingual: bool = False  # whether its file has source and translation of each unit

    @property
    def label(self) -> str:
        """The name of the part in messages."""
        if self.name == self.where:
            return self.where
        within = "" if self.name.endswith(f"({self.where})") else f" in {self.where}"
        return f"{self.kind} {self.name}{within}"


def keep_one(
    kept: dict[Key, tuple[Value, str]], key: Key, value: Value, where: str, what: str
) -> Value:
    """Keep the value of a key, with its place; return the one that is kept.

    A key that occurs again must have the same value: everything that joins by keys asks here, so
    that no value is dropped. `InputError` names both places; `what` is what messages call the key.

    >>> kept = {}
    >>> keep_one(kept, "1", "雨伞", "log.jsonl, line 2", "the target of sample 1")
    '雨伞'
    >>> keep_one(kept, "1", "伞", "log.jsonl, line 7", "the target of sample 1")
    Traceback (most recent call last):
    celab.base.errors.InputError: log.jsonl, line 7: the target of sample 1 is not that of ...
    """
    first, place = kept.setdefault(key, (value, where))
    if first != value:
        raise InputError(
            f"{where}: {what} is not that of {place}",
            hint="keep one of them, or name them differently",
        )
    return first


def check_n_references(n_references: int, where: str) -> None:
    """Raise `InputError` if there are more references than any format may have."""
    if n_references > MOST_REFERENCES:
        raise InputError(
            f"{where} has {n_references} references; at most {MOST_REFERENCES} are allowed"
        )


def gather_parts(
    file: TextFile,
    segments: Iterable[tuple[Kind, str, Segment, str]],
    order: Iterable[Segment] = (),
) -> list[FilePart]:
    """Return the parts of a file, from segments with kind, name, key and text.

    `order` may have segments without text. A segment that occurs twice is an error.
    """
    sides: dict[tuple[Kind, str], dict[Segment, str]] = {}
    repeated: dict[tuple[Kind, str], dict[Segment, None]] = {}
    ordered = dict.fromkeys(order)
    for kind, name, key, text in segments:
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
                f"{part.label} has {quantity(len(keys))} more than once"
                f" ({list_segments(list(keys))}); each must occur once"
            )
    return parts


@dataclass(frozen=True, slots=True)
class InlineCodes:
    """What translators' files say about each segment beside its texts.

    Sides whose format has no codes are left out.
    """

    source: Sequence[tuple[str, ...]] = ()
    systems: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    are_out: bool = False  # whether a reference or a system had any, which are not scored
    max_lengths: Mapping[int, int] = field(default_factory=dict)  # characters, by row


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
    # By system, if their lines were not the references' lines.
    alignments: Mapping[str, Alignment] = field(default_factory=dict)
    codes: InlineCodes = InlineCodes()
    # By file: units that are not translated, by reason.
    n_untranslated: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def file_of(self, system: str) -> str:
        """Return the file of a system; its name if it has none, or shares it with others."""
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


def quantity(count: int, unit: str = "segment") -> str:
    """Return a number with its unit: `1 segment`, `2 segments`."""
    return f"{count} {unit}{'s' * (count != 1)}"


def list_segments(keys: Sequence[Segment]) -> str:
    """Return the first few segments, by document and id, for a message."""
    listed = [
        f"document {key.document} " * bool(key.document) + f"segment {key.id}" for key in keys
    ]
    more = len(listed) - MAX_LISTED
    return ", ".join(listed[:MAX_LISTED] + [f"and {more} more"] * (more > 0))
