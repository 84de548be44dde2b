"""The types of the corpus: files have parts, and parts are joined to a corpus.

A part is one side of the data from one file: the source, one reference or one system. Its texts
are identified by document and segment id if the format has them, else by line number.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from celab.base.errors import InputError
from celab.base.options import COLUMNS, info_of, is_digits, option
from celab.base.text.counts import TraitCounts, count_traits
from celab.corpus.answers.forms import Context, count_forms, text_inside
from celab.tables.cells import quantity

if TYPE_CHECKING:
    from decimal import Decimal

    # Import cycle: an alignment has its corpus.
    from celab.corpus.align.alignment import Alignment

Role = Literal["source", "reference", "system"]

MISSING = ("empty", "skip")  # what may become of segments that a system lacks
TEXT_DOCUMENTS = ("none", "lines", "blank")
MAX_LISTED = 3  # segments that a message lists
# Advice for a file that is not read: tools of localization write both, with source and translation.
EXPORT = "export it as XLIFF or PO"
_NUMBER = re.compile("0|[1-9][0-9]{0,14}")  # no leading zeros

Key = TypeVar("Key")
Value = TypeVar("Value")


class Segment(NamedTuple):
    """Document and id of a segment; without ids, "" and the line number."""

    document: str
    id: str
    domain: str = ""  # its document's domain, if a file of documents has it


SegmentName = int | str  # a number, or an id that is not a number


def names_of(segments: Sequence[Segment]) -> list[SegmentName]:
    """Return the names of segments: their ids, with the document before ids that repeat.

    >>> names_of([Segment("", "1"), Segment("", "x")])
    [1, 'x']
    >>> names_of([Segment("a", "1"), Segment("b", "1"), Segment("b", "2")])
    ['a:1', 'b:1', 2]
    """
    numbers = range(1, len(segments) + 1)
    if [x.id for x in segments] == [*map(str, numbers)]:  # lines of files have no other names
        return [*numbers]
    times = Counter(segment.id for segment in segments)
    names = (x.id if times[x.id] == 1 else f"{x.document}:{x.id}" for x in segments)
    return [int(name) if _NUMBER.fullmatch(name) else name for name in names]


class Recording(NamedTuple):
    """A channel of a recorded file."""

    name: str
    channel: str

    @property
    def folded(self) -> Recording:
        """The recording in lower case, because tools write channels in either case."""
        return Recording(self.name.lower(), self.channel.lower())

    def __str__(self) -> str:
        return f"{self.name} {self.channel}"


class TimeSpan(NamedTuple):
    """A segment of a recording, with its times in seconds."""

    recording: Recording
    start: Decimal
    end: Decimal

    @property
    def key(self) -> Segment:
        """The recording as a document, and channel and times as id."""
        start, end = (f"{time.normalize():f}" for time in (self.start, self.end))
        return Segment(self.recording.name, f"{self.recording.channel}:{start}-{end}")

    def __str__(self) -> str:
        return f"{self.recording.name} {self.key.id}"


class TimedWord(NamedTuple):
    """A word of a recording, with the second at which it starts, and that of its middle."""

    recording: Recording
    start: Decimal
    middle: Decimal
    text: str
    line: int


class CodedText(NamedTuple):
    """A text without its inline codes, and the codes, in their order."""

    text: str
    codes: tuple[str, ...] = ()


def _column(name: str) -> str | int:
    return int(name) if is_digits(name) else name


def _columns(names: str) -> tuple[str | int, ...]:
    return tuple(map(_column, re.split("[,，、]", names)))


@dataclass(frozen=True, repr=False)
class Fields:
    """The fields of a table, by name, or by number of the column, counted from 1.

    A dot leads into an object of JSON, as in `translation.zh`.
    """

    heading: ClassVar[str] = "Input"

    ref: Sequence[str | int] = option(
        (),
        "names or numbers of the reference columns, separated by commas, or ranges such as 2-3"
        " (tables, JSON)",
        positional=True,
        flags="--ref-fields",
        metavar="FIELDS",
        items=COLUMNS,
        file="none",
        convert=_columns,
    )
    hyp: Sequence[str | int] = option(
        (),
        "names or numbers of the system columns, separated by commas, or ranges such as 4-33 or 4-;"
        " rest: all columns that have no other role; docs/sheets.md (tables, JSON)",
        positional=True,
        flags="--hyp-fields",
        metavar="FIELDS",
        items=COLUMNS,
        file="none",
        convert=_columns,
    )
    source: str | int | None = option(
        None,
        "name or number of the source column (tables, JSON)",
        positional=True,
        flags="--source-field",
        metavar="FIELD",
        file="none",
        convert=_column,
    )
    document: str | int | None = option(
        None,
        "name or number of the document column (tables, JSON, --documents)",
        positional=True,
        flags="--document-field",
        metavar="FIELD",
        file="none",
        convert=_column,
    )
    id: str | int | None = option(
        None,
        "name or number of the id column (tables, JSON)",
        positional=True,
        flags="--id-field",
        metavar="FIELD",
        file="none",
        convert=_column,
    )
    _: KW_ONLY
    system: str | int | None = option(
        None,
        "name or number of the column that names the system of each output, for tables with a row"
        " per output (tables, JSON)",
        flags="--system-field",
        metavar="FIELD",
        file="none",
        convert=_column,
    )

    def __bool__(self) -> bool:
        return bool(self.named)

    @property
    def named(self) -> list[str | int]:
        """All fields with a name or a number."""
        fields = (*self.ref, *self.hyp, self.source, self.document, self.id, self.system)
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
                words += [*info_of(spec).flags, shlex.quote(str(text))]
        return " ".join(words)


class PluralForm(NamedTuple):
    """A plural form of a text of an app, whose key is that of the text and a mark of the form.

    >>> PluralForm("files", "other").key, PluralForm("files", "one", "_{}").key
    ('files[other]', 'files_one')
    """

    base: str
    category: str  # CLDR's category, such as "one"
    mark: str = "[{}]"

    @property
    def key(self) -> str:
        """The key of the form."""
        return self.base + self.mark.format(self.category)


class TextFile(NamedTuple):
    """A file to be parsed; without a role, all its parts are taken."""

    path: str
    name: str
    text: str
    role: Role | None
    fields: Fields = Fields()
    lang: str | None = None  # language of the translations, if it is known
    pair: str | None = None  # language pair such as en-zh, if it is known
    all_pairs: bool = False  # whether lines of all language pairs are taken
    format: str | None = None  # if its bytes have told it
    sheet: str | None = None  # name or number of a workbook's sheet; None: the first
    has_header: bool = True  # whether a table may have one
    other_sheets: Sequence[str] = ()  # visible sheets of the workbook that are not read

    def requires(self, role: Role) -> bool:
        """Return whether parts of that role are expected: a field named for them must exist."""
        return self.role in (None, role)

    def wants(self, role: Role) -> bool:
        """Return whether parts of that role are taken from the file; a source is taken from any."""
        return self.requires(role) or role == "source"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FilePart:
    """The texts of a side, with their keys if the format has ids."""

    role: Role
    name: str
    where: str
    texts: list[str]
    keys: list[Segment] | None = None
    order: Iterable[Segment] = ()  # all segments of the file, as they come
    unit: str = "line"  # the unit of texts without keys
    title: str = ""  # short name for reports, if any
    column: str = ""  # column that the caller chose, if the texts are named after the file
    sheet: str = ""  # sheet of the workbook that holds it
    fields: Sequence[str] = ()  # names of all fields of its table
    # Segment → expected answers in a log, which identify the segment as well as an id.
    targets: Mapping[Segment, Sequence[str]] = field(default_factory=dict)
    sample: Sequence[Mapping[str, object]] = ()  # the first records of its table
    is_ordered: bool = True  # whether the nth of its segments is the nth line of a text
    codes: Sequence[tuple[str, ...]] = ()  # inline codes of each text, if the format has any
    had_codes: bool = False  # whether inline codes were taken out of its texts
    max_lengths: Mapping[Segment, int] = field(default_factory=dict)  # segment → characters
    # Start and end of each cue of subtitles, in milliseconds.
    times: Mapping[Segment, tuple[int, int]] = field(default_factory=dict)
    # Units that the file says are not translations, by reason.
    n_left_out: Mapping[str, int] = field(default_factory=dict)
    is_bilingual: bool = False  # whether its file has source and translation of each unit
    lang: str = ""  # language that its file declares
    is_numbered: bool = False  # whether its keys are documents and numbers within them, not ids
    id_field: str = ""  # name of the field with its ids, if it is a table
    is_keyed: bool = False  # whether its texts are those of an app, of which some may be missing
    forms: Mapping[Segment, PluralForm] = field(
        default_factory=dict
    )  # plural forms, if it is an app's file
    syntax: str = ""  # syntax of placeholders that only its format has
    # The values of other fields that may be ids, by name: one for each text.
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    spans: Sequence[TimeSpan] = ()  # times of its segments, if it is `.stm`
    ignored: Sequence[TimeSpan] = ()  # times that `.stm` excludes from scoring
    words: Sequence[TimedWord] = ()  # words of `.ctm`, not yet in segments

    @property
    def is_plain(self) -> bool:
        """Whether the texts are lines in which ids or times may still be detected."""
        return self.keys is None and self.unit == "line"

    @property
    def label(self) -> str:
        """The name of the part in messages."""
        if self.name == self.where:
            return self.where
        within = "" if self.name.endswith(f"({self.where})") else f" in {self.where}"
        return f"{self.role} {self.name}{within}"


def set_once(
    kept: dict[Key, tuple[Value, str]], key: Key, value: Value, where: str, what: str
) -> Value:
    """Keep the value of a key, with its place; return the one that is kept.

    A key that occurs again must have the same value: everything that joins by keys asks here, so
    that no value is dropped. `InputError` names both places; `what` is what messages call the key.

    >>> kept = {}
    >>> set_once(kept, "1", "雨伞", "log.jsonl, line 2", "the target of sample 1")
    '雨伞'
    >>> set_once(kept, "1", "伞", "log.jsonl, line 7", "the target of sample 1")
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


def gather_parts(
    file: TextFile,
    segments: Iterable[tuple[Role, str, Segment, str]],
    order: Iterable[Segment] = (),
) -> list[FilePart]:
    """Return the parts of a file, from segments with role, name, key and text.

    `order` may have segments without text. A segment that occurs twice is an error.
    """
    sides: dict[tuple[Role, str], dict[Segment, str]] = {}
    repeated: dict[tuple[Role, str], dict[Segment, None]] = {}
    ordered = dict.fromkeys(order)
    for role, name, key, text in segments:
        if not file.wants(role):
            continue
        texts = sides.setdefault((role, name), {})
        if key in texts:
            repeated.setdefault((role, name), {})[key] = None
        texts[key] = text
        ordered[key] = None
    parts = [
        FilePart(
            role=role,
            name=name,
            where=file.name,
            texts=list(texts.values()),
            keys=list(texts),
            order=ordered,
        )
        for (role, name), texts in sides.items()
    ]
    for part in parts:
        if keys := repeated.get((part.role, part.name)):
            raise InputError(
                f"{part.label} has {quantity(len(keys))} more than once"
                f" ({list_segments(list(keys))}); each must occur once"
            )
    return parts


@dataclass(frozen=True)
class InlineCodes:
    """Facts of translators' files about each segment, beside its texts.

    Sides whose format has no codes are left out.
    """

    source: Sequence[tuple[str, ...]] = ()
    systems: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    are_out: bool = False  # whether a reference or a system had any, which are not scored
    max_lengths: Mapping[int, int] = field(default_factory=dict)  # characters, by row

    def keep(self, places: Sequence[int]) -> InlineCodes:
        """Return the facts about some segments, in their order."""
        limits = enumerate(self.max_lengths.get(place) for place in places)
        return InlineCodes(
            [self.source[place] for place in places] if self.source else (),
            {name: [codes[place] for place in places] for name, codes in self.systems.items()},
            self.are_out,
            {row: limit for row, limit in limits if limit is not None},
        )


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Systems and references, aligned: each list has one text per segment."""

    segments: Sequence[Segment]
    systems: dict[str, list[str]]
    refs: list[list[str]]  # one list per reference, with "" where it does not have the segment
    ref_names: list[str]
    source: list[str] | None = None
    n_left_out: int = 0  # segments that not all have, if they were to be skipped
    by_line: bool = False  # whether the files have no ids, so that segments are lines
    # Names of files in messages, by system, and of each reference.
    system_files: Mapping[str, str] = field(default_factory=dict)
    ref_files: Sequence[str] = ()
    # System → alignment, if its lines were not the references' lines.
    alignments: Mapping[str, Alignment] = field(default_factory=dict)
    # System → form → number of unwrapped outputs; None without the option `unwrap`.
    unwrapped: Mapping[str, Mapping[str, int]] | None = None
    # Numbers of the segments in the files, from 1; empty if none is left out.
    numbers: Sequence[int] = ()
    # Labels of the segments in the data frame that they are from; None without one.
    index: Sequence[Any] | None = field(default=None, compare=False)
    # Selection (`celab.corpus.selection`) → number and digest of the segments that it dropped.
    dropped: Mapping[str, str] = field(default_factory=dict)
    codes: InlineCodes = InlineCodes()
    # File → reason → number of untranslated units.
    n_untranslated: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    joined_by: str = ""  # names of the fields that joined the files, if nobody named them
    lang: str = ""  # target language that files declare
    # Treatment of missing segments, "empty" or "skip", if signatures must show it.
    missing_as: str = ""
    # System → names of the segments that its file lacks, which are skipped or empty.
    missing: Mapping[str, Sequence[SegmentName]] = field(default_factory=dict)
    # System → its language, with script or region, from its files or their names.
    tags: Mapping[str, str] = field(default_factory=dict)
    # System → indices of the keys of an app that its files lack, and names of keys that the source
    # lacks.
    absent: Mapping[str, frozenset[int]] = field(default_factory=dict)
    extra: Mapping[str, Sequence[SegmentName]] = field(default_factory=dict)
    syntax: str = ""  # syntax of placeholders that only the files' format has
    # Results about the texts, by name, so that they are computed once.
    memo: dict[str, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def names(self) -> list[SegmentName]:
        """Names of the segments, by which all outputs call them."""
        return names_of(self.segments)

    def place_of(self, name: str) -> int | None:
        """Return the place of a segment by its name, or else by its number in the files.

        Places count from 0. None if there is no such segment.

        >>> segments = [Segment("", "a"), Segment("", "c")]
        >>> corpus = Corpus(segments=segments, systems={}, refs=[], ref_names=[], numbers=[1, 3])
        >>> corpus.place_of("c"), corpus.place_of("3"), corpus.place_of("2")
        (1, 1, None)
        """
        places = self.memo.get("places")
        if not isinstance(places, dict):
            numbers = self.numbers or range(1, len(self.segments) + 1)
            places = {str(number): place for place, number in enumerate(numbers)}
            places |= {str(name): place for place, name in enumerate(self.names)}
            self.memo["places"] = places
        return places.get(name)

    def count_traits(self, texts: Sequence[str]) -> TraitCounts:
        """Return the counts of the characters of a side, which are counted once."""
        counted = self.memo.setdefault("traits", {})
        assert isinstance(counted, dict)
        if id(texts) not in counted:
            counted[id(texts)] = (
                texts,
                count_traits(texts),
            )  # the texts are kept, so that no other list gets their id
        counts: TraitCounts = counted[id(texts)][1]
        return counts

    def keep(self, places: Sequence[int]) -> Corpus:
        """Return the corpus of some segments, in their order, under the names that they have."""
        numbers = self.numbers or range(1, len(self.segments) + 1)
        return replace(
            self,
            absent={
                name: frozenset(row for row, place in enumerate(places) if place in lacking)
                for name, lacking in self.absent.items()
            },
            segments=[self.segments[place] for place in places],
            systems={
                name: [texts[place] for place in places] for name, texts in self.systems.items()
            },
            refs=[[texts[place] for place in places] for texts in self.refs],
            source=None if self.source is None else [self.source[place] for place in places],
            numbers=[numbers[place] for place in places],
            index=None if self.index is None else [self.index[place] for place in places],
            codes=self.codes.keep(places),
        )

    def join_documents(self) -> Corpus:
        """Return the corpus whose segments are documents: their lines, between line breaks.

        A document is named as it was; a segment without a document stays as it is.

        >>> lines = [Segment("a", "1"), Segment("a", "2"), Segment("b", "3")]
        >>> texts = {"systems": {"A": ["x", "y", "z"]}, "refs": [], "ref_names": []}
        >>> joined = Corpus(segments=lines, **texts).join_documents()
        >>> joined.names, joined.hyps
        (['a', 'b'], ['x\\ny', 'z'])
        """
        places: dict[object, list[int]] = {}
        for place, segment in enumerate(self.segments):
            places.setdefault(segment.document or place, []).append(place)
        first = [self.segments[of_document[0]] for of_document in places.values()]

        def join(texts: Sequence[str]) -> list[str]:
            return ["\n".join(texts[k] for k in of_document) for of_document in places.values()]

        return Corpus(
            segments=[x._replace(id=x.document) if x.document else x for x in first],
            systems={name: join(texts) for name, texts in self.systems.items()},
            refs=[join(side) for side in self.refs],
            ref_names=self.ref_names,
            source=None if self.source is None else join(self.source),
            n_left_out=self.n_left_out,
            system_files=self.system_files,
            ref_files=self.ref_files,
            alignments=self.alignments,
            codes=InlineCodes(are_out=self.codes.are_out),
            tags=self.tags,
            unwrapped=self.unwrapped,
            dropped=self.dropped,
            n_untranslated=self.n_untranslated,
            joined_by=self.joined_by,
            missing_as=self.missing_as,
            lang=self.lang,
        )

    def unwrap(self) -> Corpus:
        """Return the corpus with the translations inside the outputs (`celab.unwrap`).

        `unwrapped` counts the forms. Scores of such a corpus have `unwrap:3` in their signatures.
        """
        if self.unwrapped is not None:
            return self

        references = zip(*self.refs, strict=True) if self.refs else [()] * len(self.segments)
        sources = self.source or [""] * len(self.segments)
        contexts = [Context(*texts) for texts in zip(sources, references, strict=True)]
        systems, forms = {}, {}
        for system, texts in self.systems.items():
            insides = [text_inside(*pair) for pair in zip(texts, contexts, strict=True)]
            systems[system] = [inside.text for inside in insides]
            forms[system] = count_forms(texts, insides)
        return replace(self, systems=systems, unwrapped=forms)

    def file_of(self, system: str) -> str:
        """Return the file of a system; its name if it has none, or shares it with others."""
        return self.system_files.get(system, system)

    @property
    def files(self) -> list[str]:
        """The files of references and systems, or their names if they have no file."""
        return [*self.ref_files, *map(self.file_of, self.systems)]

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


MAX_NAMES_LISTED = 3


def list_names(names: Sequence[str]) -> str:
    """Return a few names.

    >>> list_names(["A", "B"]), list_names(["A", "B", "C", "D", "E"])
    ('A and B', 'A, B, C and 2 more')
    """
    if len(names) > MAX_NAMES_LISTED + 1:
        return f"{', '.join(names[:MAX_NAMES_LISTED])} and {len(names) - MAX_NAMES_LISTED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def list_segments(keys: Sequence[Segment]) -> str:
    """Return the first few segments, by document and id, for a message.

    >>> list_segments([Segment("", "1"), Segment("d", "2"), Segment("", "3"), Segment("", "4")])
    'segment 1, document d segment 2, segment 3, and 1 more'
    """
    listed = [
        (f"document {key.document} " if key.document else "") + f"segment {key.id}" for key in keys
    ]
    more = len(listed) - MAX_LISTED
    return ", ".join(listed[:MAX_LISTED] + ([f"and {more} more"] if more > 0 else []))
