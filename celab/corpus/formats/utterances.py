"""Transcripts of speech, with the id of an utterance in each line.

    kaldi    A-001 今天 天气 很 好          Kaldi's `text`: the id, then the words
    trn      今天 天气 很 好 (A-001)        NIST's `.trn`: the words, then the id in parentheses

An utterance may have no words. In `.trn`, lines that begin with `;;` are comments; alternations
(`{ um / uh }`) and optional words (`(uh)`) are errors. Lines are joined by id, never by order.

Files of plain text are recognized as such together (`find_ids`): one file does not tell an id from
a word. References tell whether there are ids, and then a system without them is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.corpus.model import FilePart, Segment, TextFile, gather_parts

COMMENT = ";;"  # at the beginning of a line of `.trn`
_SPACE = " \t"
# Lines with ids that are enough: of one shape, or whatever their shapes.
MIN_LINES = 2
MIN_LINES_OF_ANY_SHAPE = 5
MIN_COMMON = 0.5  # share of the ids that the first file has, too
# ASCII with a letter or `_`, and a digit or `_`; or groups of digits, as in 1089-134686-0000.
_ID = re.compile(
    r"(?=[^A-Za-z_]*[A-Za-z_])(?=[^0-9_]*[0-9_])[A-Za-z0-9](?:[!-~]*[A-Za-z0-9])?"
    r"|[0-9]{3,}(?:[-_][0-9]{3,})+"
)
_TIMES = re.compile(r"[ \t]*(?:\S+[ \t]+){2,3}[0-9]*\.?[0-9]*[ \t]+[0-9]*\.?[0-9]*(?:[ \t\r]|$)")
_ALTERNATION = re.compile(r"\{[^{}/]*+/[^{}]*+\}")
_OPTIONAL = re.compile(r"(?<!\S)\([^()\s]+\)(?!\S)")


class _Utterance(NamedTuple):
    id: str
    text: str


def _of_kaldi(line: str) -> _Utterance | None:
    id, *text = re.split(r"[ \t]+", line.strip(_SPACE), maxsplit=1)
    return _Utterance(id, *text) if text else _Utterance(id, "")


def _of_trn(line: str) -> _Utterance | None:
    text, mark, id = line.strip(_SPACE).removesuffix(")").rpartition("(")
    is_apart = not text or text[-1] in _SPACE
    is_id = mark and line.rstrip(_SPACE).endswith(")") and not re.search(r"\s|^$|\)", id)
    return _Utterance(id, text.rstrip(_SPACE)) if is_apart and is_id else None


READERS: dict[str, Callable[[str], _Utterance | None]] = {"kaldi": _of_kaldi, "trn": _of_trn}


def kaldi(file: TextFile) -> list[FilePart]:
    """Return the utterances of Kaldi's `text` as a reference, a system or a source."""
    lines = enumerate(io.split_lines(file.text), 1)
    return _parts(file, [(n, _of_kaldi(line)) for n, line in lines if line.strip()])


def trn(file: TextFile) -> list[FilePart]:
    """Return the utterances of a `.trn` file as a reference, a system or a source."""
    lines = enumerate(io.split_lines(file.text), 1)
    utterances = [
        (n, _of_trn(line)) for n, line in lines if line.strip() and not line.startswith(COMMENT)
    ]
    for number, utterance in utterances:
        if utterance is not None:
            refuse_choices(f"{file.name}, line {number}", utterance.text)
    return _parts(file, utterances)


def _parts(file: TextFile, utterances: Sequence[tuple[int, _Utterance | None]]) -> list[FilePart]:
    role = file.role or "reference"
    segments = []
    for number, utterance in utterances:
        if utterance is None:
            raise InputError(
                f"{file.name}, line {number}: there is no id; it must end in one in parentheses,"
                " such as (A_001)"
            )
        segments.append((role, file.name, Segment("", utterance.id), utterance.text))
    return gather_parts(file, segments)


def refuse_choices(where: str, text: str) -> None:
    """Raise `InputError` if an utterance of `.trn` or `.stm` lets the reader choose among words."""
    for pattern, what in ((_ALTERNATION, "an alternation"), (_OPTIONAL, "an optional word")):
        if match := pattern.search(text):
            raise InputError(
                f"{where}: {match[0]} is {what}, which celab does not read; write the words that"
                " are to count"
            )


class _Transcript(NamedTuple):
    """The utterances of a part whose lines all have ids."""

    part: FilePart
    format: str
    utterances: list[_Utterance]

    @property
    def ids(self) -> set[str]:
        return {utterance.id for utterance in self.utterances}


def find_ids(parts: Sequence[FilePart]) -> tuple[list[FilePart], str]:
    """Return plain texts with the ids of their lines, and their formats; "" if they have none.

    All lines of references must surely have ids (`_are_ids`): the first words, or the last ones in
    parentheses, unique, and for the most part those of the first reference. Then those of systems
    must have them, too: a line without is an `InputError`. Systems, or references, with other ids
    are text. A source has ids if all its lines have them, or else it is plain.

    >>> ref = ["A-1 买伞", "A-2 去", "B-1 好", "B-2 是"]
    >>> texts = [ref, ["B-1 好", "A-1 买 雨伞", "A-2 去", "B-2 不"]]
    >>> sides = zip(["reference", "system"], texts, strict=True)
    >>> parts = [FilePart(role=role, name=role, where="", texts=side) for role, side in sides]
    >>> (_, system), formats = find_ids(parts)
    >>> formats, system.texts[0], system.keys[0].id
    ('kaldi', '好', 'B-1')
    """
    # The utterances of these have ids, if any have.
    with_words = [part for part in parts if part.words]
    sides = [part for part in parts if part.role != "source" and not part.words]
    if len(sides) + len(with_words) < 2 or not sides or not all(part.is_plain for part in sides):
        return [*parts], ""
    references = [part for part in sides if part.role == "reference"]
    found: dict[int, _Transcript] = {}
    first: _Transcript | None = None
    for part in references or sides:
        transcript = _transcript(part)
        if transcript is None or not _are_ids(transcript.utterances):
            return [*parts], ""
        first = first or transcript
        if not _have_common(transcript.ids, first.ids):
            return [*parts], ""
        found[id(part)] = transcript
    assert first is not None  # there are two sides
    for part in parts:
        if id(part) in found or not part.is_plain:
            continue
        transcript = _transcript(part)
        if transcript and _have_common(transcript.ids, first.ids):
            found[id(part)] = transcript
        elif part.role == "system":
            if transcript is None:
                raise _lacking(part, first)
            return [*parts], ""
    formats = dict.fromkeys(found[id(part)].format for part in sides)
    with_ids = [_with_ids(found[id(part)]) if id(part) in found else part for part in parts]
    return with_ids, ", ".join(formats)


def seem_timed(lines: Iterable[str]) -> bool:
    """Return whether lines may be of `.stm` or `.ctm`, by the first that is no comment.

    >>> seem_timed([";; by hand", "talk 1 0.1 0.5 买伞"]), seem_timed(["买伞"])
    (True, False)
    """
    first = next((line for line in lines if line.strip() and not line.startswith(COMMENT)), "")
    return _TIMES.match(first) is not None


def may_have_ids(start: str, *, may_end: bool = False) -> bool:
    r"""Return whether all whole lines at the beginning of a text have ids: more must be read.

    `may_end` says that the text may have nothing more, so that its last line may be whole.

    >>> may_have_ids("A-1 买伞\nA-2 去\nB-1 好\nB"), may_have_ids("买伞\n去\n好\n")
    (True, False)
    >>> may_have_ids("A-1 买伞\nA-2 去"), may_have_ids("A-1 买伞\nA-2 去", may_end=True)
    (False, True)
    """
    pieces = [line.removesuffix("\r") for line in start.split("\n")]
    if len(_utterances(pieces[:-1])[1]) >= MIN_LINES:
        return True
    # A pipe may have given only some of its lines.
    return may_end and any(_utterances(lines)[1] for lines in (pieces, pieces[:-1]))


def _transcript(part: FilePart) -> _Transcript | None:
    """Return the utterances of a part; None if not all its lines have ids of their own."""
    format, utterances = _utterances(part.texts)
    return _Transcript(part, format, utterances) if utterances else None


def _are_ids(utterances: Sequence[_Utterance]) -> bool:
    """Return whether what may be ids of references surely are.

    Most utterances have words, and there are 5 or more, or each id has the shape of another one.
    Ids have one shape if only their numbers differ.

    >>> [_are_ids([*map(_of_kaldi, lines)]) for lines in (["A-1 买", "A-2 去"], ["A-1", "A-2"])]
    [True, False]
    >>> _are_ids([*map(_of_kaldi, ["COVID-19 is new", "F-16 jets fly"])])
    False
    """
    shapes = Counter(re.sub(r"[0-9]+", "0", utterance.id) for utterance in utterances)
    n_texts = sum(bool(utterance.text) for utterance in utterances)
    is_enough = (
        len(utterances) >= MIN_LINES_OF_ANY_SHAPE or min(shapes.values(), default=0) >= MIN_LINES
    )
    return is_enough and 2 * n_texts > len(utterances)


def _have_common(ids: set[str], first: set[str]) -> bool:
    return len(ids & first) >= MIN_COMMON * max(len(ids), len(first))


def _numbered(format: str, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are utterances in a format, with their numbers from 1."""
    for number, line in enumerate(lines, 1):
        if line.strip() and not (format == "trn" and line.startswith(COMMENT)):
            yield number, line


def _utterances(lines: Sequence[str]) -> tuple[str, list[_Utterance]]:
    """Return the format of lines that all have ids, and their utterances; none if they have not."""
    for format, read in READERS.items():
        rows = [line for _, line in _numbered(format, lines)]
        if not rows or not _has_id(read(rows[0])):  # quick for most texts
            continue
        utterances = [*filter(_has_id, map(read, rows))]
        ids = {utterance.id for utterance in utterances if utterance}
        if len(ids) == len(rows):
            return format, [utterance for utterance in utterances if utterance]
    return "", []


def _has_id(utterance: _Utterance | None) -> bool:
    return utterance is not None and _ID.fullmatch(utterance.id) is not None


def _lacking(part: FilePart, reference: _Transcript) -> InputError:
    """Return the error that names the first line of a system without an id, or with one again."""

    def n_ids(format: str) -> int:
        rows = _numbered(format, part.texts)
        return sum(_has_id(READERS[format](line)) for _, line in rows)

    # A system without a format of its own has the format of the reference.
    format = max(sorted(READERS, key=lambda name: name != reference.format), key=n_ids)
    seen: dict[str, int] = {}
    number, problem = 1, "there is no id"
    for number, line in _numbered(format, part.texts):
        utterance = READERS[format](line)
        if utterance is None or not _has_id(utterance):
            break
        if utterance.id in seen:
            problem = f"its id, {utterance.id}, is that of line {seen[utterance.id]}"
            break
        seen[utterance.id] = number
    id = reference.utterances[0].id
    return InputError(
        f"{part.where}, line {number}: {problem}, but each line of {reference.part.where} has its"
        f" own, such as {id}",
        hint=(
            "use ",
            Setting("format", reference.format),
            " if both have ids, or ",
            Setting("format", "plain"),
            " if they are text",
        ),
    )


def _with_ids(transcript: _Transcript) -> FilePart:
    """Return a part with the ids of its lines as keys."""
    part, utterances = transcript.part, transcript.utterances
    for utterance in utterances if transcript.format == "trn" else ():
        refuse_choices(f"{part.where}, utterance {utterance.id}", utterance.text)
    keys = [Segment("", utterance.id) for utterance in utterances]
    return replace(part, texts=[utterance.text for utterance in utterances], keys=keys, order=keys)
