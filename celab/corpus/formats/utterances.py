"""Transcripts of speech, with the id of an utterance in each line.

    kaldi    A-001 今天 天气 很 好          Kaldi's `text`: the id, then the words
    trn      今天 天气 很 好 (A-001)        NIST's `.trn`: the words, then the id in parentheses

An utterance may have no words. In `.trn`, lines that begin with `;;` are comments; alternations
(`{ um / uh }`) and optional words (`(uh)`) are errors. Lines are joined by id, never by order.

Files of plain text are recognized as such together (`find_ids`): one file does not tell an id from
a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from celab.base import io
from celab.base.errors import InputError
from celab.corpus.model import FilePart, Segment, TextFile, gather_parts

COMMENT = ";;"  # begins lines of `.trn` that are none
_SPACE = " \t"
MIN_LINES = 2  # that tell ids from words
MIN_COMMON = 0.5  # share of the ids that the first file has, too
# ASCII with a digit, an underscore or a hyphen, but more than the number of a line.
_ID = re.compile(r"(?=.*[\d_-])(?!\W*\d+\W*\Z)[!-~]+")
_ALTERNATION = re.compile(r"\{[^{}/]*+/[^{}]*+\}")
_OPTIONAL = re.compile(r"(?<!\S)\([!-~]+\)(?!\S)")


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
    return _parts(file, utterances)


def _parts(file: TextFile, utterances: Sequence[tuple[int, _Utterance | None]]) -> list[FilePart]:
    kind = file.role or "reference"
    segments = []
    for number, utterance in utterances:
        if utterance is None:
            raise InputError(
                f"{file.name}, line {number}: there is no id; it must end in one in parentheses,"
                " such as (A_001)"
            )
        _refuse_choices(f"{file.name}, line {number}", utterance.text)
        segments.append((kind, file.name, Segment("", utterance.id), utterance.text))
    return gather_parts(file, segments)


def _refuse_choices(where: str, text: str) -> None:
    for pattern, what in ((_ALTERNATION, "an alternation"), (_OPTIONAL, "an optional word")):
        if match := pattern.search(text):
            raise InputError(
                f"{where}: {match[0]} is {what}, which celab does not read; write the words that"
                " are to count"
            )


def find_ids(parts: Sequence[FilePart]) -> tuple[list[FilePart], str]:
    """Return plain texts with the ids of their lines, and their formats; "" if they have none.

    References and systems must all have them: the first words of all lines, or the last ones in
    parentheses, are ASCII, unique, have a digit, `_` or `-`, and are for the most part those of the
    first file.

    >>> texts = [["A-1 买伞", "A-2 去", "B-1 好"], ["B-1 好", "A-1 买 雨伞", "A-2 去"]]
    >>> sides = zip(["reference", "system"], texts, strict=True)
    >>> parts = [FilePart(kind=kind, name=kind, where="", texts=side) for kind, side in sides]
    >>> (_, system), formats = find_ids(parts)
    >>> formats, system.texts[0], system.keys[0].id
    ('kaldi', '好', 'B-1')
    """
    sides = [part for part in parts if part.kind != "source"]
    if len(sides) < 2 or any(part.keys is not None or part.unit != "line" for part in sides):
        return [*parts], ""
    formats: dict[str, None] = {}
    with_ids: dict[int, FilePart] = {}
    first: set[str] = set()
    for part in sides:
        format, utterances = _utterances(part.texts)
        ids = {utterance.id for utterance in utterances}
        first = first or ids
        if len(first) < MIN_LINES or len(ids & first) < MIN_COMMON * max(len(ids), len(first)):
            return [*parts], ""
        formats[format] = None
        with_ids[id(part)] = _with_ids(part, utterances)
    return [with_ids.get(id(part), part) for part in parts], ", ".join(formats)


def may_have_ids(start: str) -> bool:
    r"""Return whether all whole lines at the beginning of a text have ids: more must be read.

    >>> may_have_ids("A-1 买伞\nA-2 去\nB-1 好\nB"), may_have_ids("买伞\n去\n好\n")
    (True, False)
    """
    return len(_utterances(start.split("\n")[:-1])[1]) >= MIN_LINES


def _utterances(lines: Sequence[str]) -> tuple[str, list[_Utterance]]:
    """Return the format of lines that all have ids, and their utterances; none if they have not."""
    for format, read in READERS.items():
        rows = [line for line in lines if line.strip()]
        if format == "trn":
            rows = [line for line in rows if not line.startswith(COMMENT)]
        if not rows or not _has_id(read(rows[0])):  # quick for most texts
            continue
        utterances = [*filter(_has_id, map(read, rows))]
        ids = {utterance.id for utterance in utterances if utterance}
        if len(ids) == len(rows):
            return format, [utterance for utterance in utterances if utterance]
    return "", []


def _has_id(utterance: _Utterance | None) -> bool:
    return utterance is not None and _ID.fullmatch(utterance.id) is not None


def _with_ids(part: FilePart, utterances: Sequence[_Utterance]) -> FilePart:
    for utterance in utterances:
        _refuse_choices(f"{part.where}, utterance {utterance.id}", utterance.text)
    keys = [Segment("", utterance.id) for utterance in utterances]
    return replace(part, texts=[utterance.text for utterance in utterances], keys=keys, order=keys)
