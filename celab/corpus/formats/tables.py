"""Tables, be they TSV or JSONL: records with fields → parts.

Fields that the caller does not name are looked for by the names in `USUAL`. If the records have
ids, these join the segments; if they have documents alone, a segment's id is its number in the
document; else records are told apart by their order, as lines are. One reference or system has the
name of the file, several have those of their fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from celab.corpus.model import Gathered, Key, Kind, Part, TextFile
from celab.errors import InputError

USUAL = {
    "reference": ("ref", "reference", "references"),
    "system": ("hyp", "hypothesis", "translation", "mt"),
    "source": ("src", "source"),
    "document": ("doc", "document"),
    "id": ("id", "seg"),
}
_MOST_LISTED = 12  # fields that a message lists
_HALF = re.compile("[\ud800-\udfff]")


class Record(NamedTuple):
    """One line of a table."""

    line: int
    values: Mapping[str, object]


class _Side(NamedTuple):
    kind: Kind
    field: str
    place: int  # in a list of references


def parts(file: TextFile, available: Collection[str], records: Iterable[Record]) -> list[Part]:
    """The parts that the fields of the records make."""
    columns = _columns(file, available)
    document = _only(_chosen(file, "document", [file.fields.document], available))
    number = _only(_chosen(file, "id", [file.fields.id], available))
    by_line = document is None and number is None
    keys: list[Key] = []
    in_document = Counter[str]()
    sides: dict[_Side, dict[int, str]] = {}
    for row, record in enumerate(records):
        name = "" if document is None else _id(file, record, document)
        in_document[name] += 1
        keys.append((name, str(in_document[name]) if number is None else _id(file, record, number)))
        for kind, field in columns:
            for place, text in enumerate(_texts(file, record, kind, field)):
                if text is not None:
                    sides.setdefault(_Side(kind, field, place), {})[row] = text
                elif kind == "system" and by_line:
                    raise InputError(
                        f"{file.name}, line {record.line}: there is no {_spelled(field)}; "
                        "each line must have it, or an id to be joined by"
                    )
    named = _named(file, sides, columns)
    if by_line:
        return [
            Part(side.kind, name, file.name, _filled(sides[side], len(keys)), unit="record")
            for side, name in named
        ]
    gathered = Gathered(file.name, keys)
    for side, name in named:
        for row, text in sides[side].items():
            gathered.add(side.kind, name, keys[row], text)
    return gathered.parts()


def _columns(file: TextFile, available: Collection[str]) -> list[tuple[Kind, str]]:
    given: list[tuple[Kind, Sequence[str | int | None]]] = [
        ("source", [file.fields.source]),
        ("reference", file.fields.ref),
        ("system", file.fields.hyp),
    ]
    return [
        (kind, field)
        for kind, fields in given
        if file.wants(kind)
        for field in _chosen(file, kind, fields, available, needed=file.must_give(kind))
    ]


def _filled(texts: Mapping[int, str], count: int) -> list[str]:
    return [texts.get(row, "") for row in range(count)]


def _named(
    file: TextFile, sides: Collection[_Side], columns: list[tuple[Kind, str]]
) -> list[tuple[_Side, str]]:
    """The sides in the order of the fields, each with its name."""
    named = []
    n_sides = Counter(side.kind for side in sides)
    n_places = Counter((side.kind, side.field) for side in sides)
    for side in sorted(sides, key=lambda side: (columns.index(side[:2]), side.place)):
        if n_sides[side.kind] == 1:
            name = file.name
        elif n_places[side[:2]] > 1:
            name = f"{side.field} {side.place + 1}"
        else:
            name = f"column {side.field}" if side.field.isdecimal() else side.field
        named.append((side, name))
    return named


def _chosen(
    file: TextFile,
    kind: str,
    given: Iterable[str | int | None],
    available: Collection[str],
    *,
    needed: bool = True,
) -> list[str]:
    fields = list(dict.fromkeys(str(field) for field in given if field is not None))
    if not fields:
        return [field for field in USUAL[kind] if field in available][:1]
    missing = [field for field in fields if field not in available]
    if missing and needed:
        listed = ", ".join(list(available)[:_MOST_LISTED]) or "none"
        raise InputError(
            f"{file.name} has no {_spelled(missing[0])} for the {kind}; there are: {listed}"
        )
    return [field for field in fields if field in available]


def _only(fields: list[str]) -> str | None:
    return fields[0] if fields else None


def _id(file: TextFile, record: Record, field: str) -> str:
    value = record.values.get(field)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return _whole(file, record, str(value).strip())
    raise InputError(
        f"{file.name}, line {record.line}: {_spelled(field)} is {_seen(value)}; "
        "it must be a text or a whole number"
    )


def _texts(file: TextFile, record: Record, kind: Kind, field: str) -> list[str | None]:
    value = record.values.get(field)
    texts: list[str | None] = []
    for one in value if isinstance(value, list) and kind == "reference" else [value]:
        if isinstance(one, str):
            texts.append(_whole(file, record, one))
        elif one is None:
            texts.append(None)
        else:
            right = "a text or a list of texts" if kind == "reference" else "a text"
            raise InputError(
                f"{file.name}, line {record.line}: {_spelled(field)} is {_seen(one)}; "
                f"it must be {right}"
            )
    return texts


def _whole(file: TextFile, record: Record, text: str) -> str:
    # JSON can spell half a character, which no output could write.
    if _HALF.search(text):
        raise InputError(
            f"{file.name}, line {record.line}: {_seen(text)} has half of a surrogate pair; "
            "both halves must be there"
        )
    return text


def _spelled(field: str) -> str:
    return f"column {field}" if field.isdecimal() else f"{field!r}"


def _seen(value: object) -> str:
    seen = ascii(value)
    return seen if len(seen) <= 40 else f"{seen[:40]}..."
