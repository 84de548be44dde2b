"""Text whose lines are not the reference's lines → one line for each segment of the reference.

Each document is aligned by itself. Its line ends are ignored: lines are joined, with a space only
between characters of scripts that are written with spaces. A document with exactly the text of its
reference keeps the reference's lines. A segment without text in the reference gets no text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.errors import InputError
from celab.base.messages import warn
from celab.base.options import is_list
from celab.base.signature import Signature
from celab.base.text.sequences import (
    column_names,
    common_index,
    items_of,
    sides_of,
    text_of,
    texts_of,
    warn_if_file,
)
from celab.corpus.align.characters import Characters, Span, TimedCues, join_lines
from celab.corpus.align.cutting import MIN_COVERAGE, coverage, cut_by_times, cut_text, spans_of
from celab.tables.result import PrintedResult
from celab.tables.table import COUNT, NAME, SCORE, Column, Part, Table, segment_columns
from celab.tables.view import Detail, line

ALIGNER = "edit+dp-1"  # part of signatures; the number increases with every change of cuts
DOCUMENTS, TIMES = "align-docs", "align-times"  # keys of parts of signatures
_MAX_DOCUMENTS_NAMED = 3
_MAX_BLANK_SEGMENTS_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedDocument:
    """The segments of one document."""

    name: str  # "" if there is only one, without a name
    text: str  # the lines of the output, joined
    lines: tuple[str, ...]
    cuts: tuple[int, ...]  # index in `text` at which each segment ends
    coverage: float  # share of the reference's n-grams in the lines aligned with it
    reference: int = 0  # number of the reference that it is cut by, from 0
    uses_times: bool | None = None  # None if text and reference do not both have times

    @property
    def is_doubtful(self) -> bool:
        """Whether so little of the reference is covered that it may be another document."""
        return self.coverage < MIN_COVERAGE


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Alignment(PrintedResult):
    """A text cut into one line for each segment of the reference."""

    lines: list[str]
    cuts: list[int]  # index in the text of its document at which each segment ends
    blank: list[int]  # indices of the segments with a reference that got no text
    coverage: float  # share of the reference's n-grams in the lines aligned with it
    documents: tuple[AlignedDocument, ...]
    names: list[str]  # the document of each segment

    def __len__(self) -> int:
        return len(self.lines)

    def sign(self, signature: Signature) -> Signature:
        """Return a signature with the aligner, and with the documents that no cut crosses, if any.

        >>> from celab.base.signature import Signature
        >>> align({"a": "买雨伞", "b": "回家"}, ["买雨伞", "回家"], documents=["a", "b"]).sign(
        ...     Signature("celab")
        ... )
        'celab|align:edit+dp-1|align-docs:2@5cc3a655'
        """
        signed = signature.with_part("align", ALIGNER)
        if any(document.uses_times for document in self.documents):
            signed = signed.with_part(TIMES, "1")
        if len(self.documents) == 1:
            return signed
        numbers = {name: str(number) for number, name in enumerate(dict.fromkeys(self.names))}
        digest = hashlib.sha256(" ".join(numbers[name] for name in self.names).encode())
        return signed.with_part(DOCUMENTS, f"{len(self.documents)}@{digest.hexdigest()[:8]}")

    def __repr__(self) -> str:
        blank = f"{len(self.blank)} without text" if self.blank else "all with text"
        n_documents = f" in {len(self.documents)} documents" if len(self.documents) > 1 else ""
        covered = f"{self.coverage:.0%} covered"
        return f"<Alignment of {len(self)} segments{n_documents}, {blank}, {covered}>"

    def facts(self) -> JsonObject:
        """Return the share of the reference's n-grams that the lines cover."""
        return {"coverage": self.coverage}

    def tables(self, detail: Detail = "normal") -> Iterator[Part]:
        """Yield the lines for programs, a row per document, and the segments without text."""
        starts, last = [], dict.fromkeys(self.names, 0)
        for name, cut in zip(self.names, self.cuts, strict=True):
            starts.append(last[name])
            last[name] = cut
        lines = zip(range(len(self)), self.names, self.lines, starts, self.cuts, strict=True)
        yield Table(name="segment", columns=LINE_COLUMNS, rows=[*map(_Line._make, lines)])
        yield Table(name="document", columns=DOCUMENT_COLUMNS, rows=self.documents)
        if self.blank:
            numbers = ", ".join(str(i + 1) for i in self.blank[:_MAX_BLANK_SEGMENTS_NAMED])
            more = ", …" if len(self.blank) > _MAX_BLANK_SEGMENTS_NAMED else ""
            yield [line(f"segments without text: {numbers}{more}")]


class _Line(NamedTuple):
    """A line of an aligned text: index of its segment, and its span in the document's text."""

    segment: int
    document: str
    text: str
    start: int
    end: int


LINE_COLUMNS = [
    Column("", NAME, attrgetter("document"), "document"),
    *segment_columns(lambda row: row.segment + 1, attrgetter("segment"), heading=""),
    Column("", NAME, attrgetter("text"), "text"),
    Column("", COUNT, attrgetter("start"), "start"),
    Column("", COUNT, attrgetter("end"), "end"),
]
DOCUMENT_COLUMNS = [
    Column("document", NAME, lambda row: row.name or "all", "document", stored=attrgetter("name")),
    Column("segments", COUNT, lambda row: len(row.lines), "segments"),
    Column("without text", COUNT, lambda row: sum(not text for text in row.lines), "blank"),
    Column("coverage", SCORE, attrgetter("coverage"), "coverage"),
]


def align(
    text: str | Sequence[str] | Mapping[str, str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    *,
    documents: Sequence[str] | None = None,
) -> Alignment:
    """Cut a text whose lines are not the reference's lines into one line for each segment.

    Parameters:
        text: the text, or its lines (line ends are ignored); or, with `documents`, a dict with the
            text of each document.
        refs: segments of the reference, or a list of them for each reference. A document is cut by
            the first reference that has text for it.
        documents: the document of each segment.

    Returns an `Alignment`: `lines` has a line for each segment, with all of the text but white
    space at the cuts; `blank` has the indices of segments that got no text. There is a warning if a
    document covers less than a tenth of its reference.

    >>> import celab
    >>> refs = ["他买了雨伞。", "我们明天去北京。"]
    >>> aligned = celab.align("他买了一把伞。明天我们去北京。", refs)
    >>> aligned.lines
    ['他买了一把伞。', '明天我们去北京。']
    >>> aligned
    <Alignment of 2 segments, all with text, 67% covered>
    """
    sides = _sides(refs)
    if documents is None:
        if isinstance(text, Mapping):
            raise InputError("text is a dict, so documents must name the document of each segment")
        texts = {"": _text(text, "text")}
        names = [""] * len(sides[0])
    else:
        if not isinstance(text, Mapping):
            raise InputError(
                "documents are given, so text must be a dict with the text of each document"
            )
        texts = {
            text_of(name, "the name of a document"): _text(part, f"document {name!r}")
            for name, part in text.items()
        }
        names = items_of(documents, "documents")
        for number, name in enumerate(names, 1):
            text_of(name, f"document {number}", documents)
        if len(names) != len(sides[0]):
            raise InputError(
                f"documents has {len(names)} items, the reference {len(sides[0])} segments"
            )
        columns = [(f"reference {r}", side) for r, side in enumerate(sides_of(refs), 1)]
        common_index([("documents", documents), *columns])
    alignment = align_documents(texts, sides, names)
    warn_if_doubtful(alignment, "the text")
    return alignment


def _text(text: object, name: str) -> str:
    """Return a text, or its lines joined."""
    is_lines = not isinstance(text, str) and (is_list(text) or column_names(text) is not None)
    lines = texts_of(text, "line", name) if is_lines else [text_of(text, name)]
    warn_if_file(name, lines)
    return "\n".join(lines)


def _sides(refs: object) -> list[list[str]]:
    if isinstance(refs, str):
        raise InputError("refs is a string; it must be a list of segments")
    if not (items := items_of(refs, "refs")):
        raise InputError("the reference has no segments; there must be at least one")
    sides = [texts_of(side, "reference", absent=True) for side in sides_of(items)]
    if not sides or not sides[0]:
        raise InputError("the reference has no segments; there must be at least one")
    if len({len(side) for side in sides}) > 1:
        counts = ", ".join(str(len(side)) for side in sides)
        raise InputError(f"the references have {counts} segments; they must have equally many")
    return sides


class Clock(NamedTuple):
    """The times of a document, and of its references."""

    cues: TimedCues
    refs: Sequence[Sequence[Span | None]]  # reference → segment → span


def align_documents(
    texts: Mapping[str, str],
    sides: Sequence[Sequence[str]],
    names: Sequence[str],
    cues: Mapping[str, TimedCues] | None = None,
    times: Sequence[Sequence[Span | None]] = (),
) -> Alignment:
    """Return the alignment of texts, by document, with references whose documents are named.

    `cues` are those of documents that are subtitles, `times` those of the references' segments.
    """
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    check_documents(texts, rows)
    lines, cuts = [""] * len(names), [0] * len(names)
    aligned, blank, covered, total = [], [], 0.0, 0
    for name, own in rows.items():
        segments = [[side[row] for row in own] for side in sides]
        clock = None
        if cues and name in cues:
            clock = Clock(cues[name], [[spans[row] for row in own] for spans in times])
        document = align_document(texts[name], segments, name, clock)
        aligned.append(document)
        for row, text, cut in zip(own, document.lines, document.cuts, strict=True):
            lines[row], cuts[row] = text, cut
        ref = segments[document.reference]
        blank += [
            row for row, text in zip(own, ref, strict=True) if not lines[row] and text.strip()
        ]
        size = sum(map(len, ref))
        covered, total = covered + size * document.coverage, total + size
    return Alignment(
        lines=lines,
        cuts=cuts,
        blank=sorted(blank),
        coverage=covered / total,
        documents=tuple(aligned),
        names=list(names),
    )


def check_documents(texts: Mapping[str, str], names: Mapping[str, object]) -> None:
    """Raise `InputError` unless text and reference have the same documents."""
    missing = [name for name in names if name not in texts]
    extra = [name for name in texts if name not in names]
    problems = []
    if missing:
        problems.append(f"has no text for {_listed(missing)}")
    if extra:
        problems.append(f"has {_listed(extra)}, which the reference does not have")
    if problems:
        raise InputError(f"the output {' and '.join(problems)}")


def _listed(names: Sequence[str]) -> str:
    more = (
        f" and {len(names) - _MAX_DOCUMENTS_NAMED} more"
        if len(names) > _MAX_DOCUMENTS_NAMED
        else ""
    )
    return (
        f"document{'s' if len(names) > 1 else ''} {', '.join(names[:_MAX_DOCUMENTS_NAMED])}{more}"
    )


def align_document(
    text: str, sides: Sequence[Sequence[str]], name: str = "", clock: Clock | None = None
) -> AlignedDocument:
    """Return a document cut into one line for each segment of the first reference with text.

    >>> refs = ["他买了雨伞。", "明天去北京。"]
    >>> align_document("他买了一把伞。我们明天去\\n北京", [refs]).lines
    ('他买了一把伞。', '我们明天去北京')
    """
    number = next((i for i, side in enumerate(sides) if any(map(str.strip, side))), None)
    if number is None:
        where = f" for document {name}" if name else ""
        raise InputError(f"the reference has no text{where}; there must be some")
    refs = [Characters.of(segment) for segment in sides[number]]
    characters = Characters.of(join_lines(text.split("\n")))
    rows = [row for row, ref in enumerate(refs) if len(ref)]
    chosen = [refs[row] for row in rows]
    cuts, timed = cut_text(characters, chosen), None
    times = _ref_spans(clock, number, rows)
    if clock is not None and times:
        timed = cut_by_times(cuts, times, clock.cues)
    ends = np.zeros(len(refs), np.int64)
    ends[rows] = (timed or cuts).ends
    ends = np.maximum.accumulate(ends)
    spans = spans_of(ends.tolist())
    last = [int(characters.origin[end - 1]) + 1 if end else 0 for end in ends.tolist()]
    return AlignedDocument(
        name=name,
        text=characters.text,
        lines=tuple(characters.between(*span) for span in spans),
        cuts=tuple(last),
        coverage=coverage(characters, [spans[row] for row in rows], chosen),
        reference=number,
        uses_times=timed is not None if times else None,
    )


def _ref_spans(clock: Clock | None, number: int, rows: Sequence[int]) -> list[Span]:
    """Return the times of some segments of a reference; empty unless all have times."""
    if clock is None:
        return []
    spans = [span for row in rows if (span := clock.refs[number][row]) is not None]
    return spans if len(spans) == len(rows) else []


def warn_if_doubtful(alignment: Alignment, name: str) -> None:
    """Warn of documents that are hardly covered.

    Warn, too, if times were not used because they contradict the texts.
    """
    if any(document.uses_times is False for document in alignment.documents):
        warn(f"the times of {name} do not fit those of the reference, so only its text is aligned")
    doubtful = [document for document in alignment.documents if document.is_doubtful]
    if not doubtful:
        return
    if len(alignment.documents) == 1:
        share = f"{doubtful[0].coverage:.0%}"
        message = f"{name} covers {share} of the reference; is it the right file?"
    else:
        names = _listed([document.name for document in doubtful])
        message = f"{name} covers less than {MIN_COVERAGE:.0%} of {names}; is it the right file?"
    warn(message)
