"""Tables in long form: a record for each output, whose system a field names.

    题号,姓名,原文,参考译文,译文
    1,王小明,An umbrella,雨伞,伞
    1,李华,An umbrella,雨伞,雨具

Records belong together by the id of the segment: the field that the caller names, or one that is
called like an id, that no record of a system repeats, and that systems have in common. Without it,
the nth record of a system is segment n. References and sources of a segment are the same in all of
its records, or blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from celab.base.errors import InputError, Setting
from celab.corpus.formats.ids import is_called_like_id
from celab.corpus.formats.json_text import JsonRecord, plain_name, value_at
from celab.corpus.formats.record_values import field_name, segment_id, texts_in
from celab.corpus.model import Fields, FilePart, Role, Segment, TextFile, gather_parts, set_once


def long_parts(
    file: TextFile,
    ids: tuple[str | None, str | None],
    system_field: str,
    sides: Sequence[tuple[Role, str]],
    records: Iterable[JsonRecord],
) -> list[FilePart]:
    """Return a part for each system, whose names are in a field, and for each other side.

    `ids` are the fields of documents and of ids, and `sides` those of texts, with their roles.
    """
    outputs = [field for role, field in sides if role == "system"]
    if len(outputs) > 1:
        raise InputError(
            f"{file.name}: the outputs are in the fields {', '.join(outputs)}, and"
            f" {system_field!r} names their systems",
            hint="name one field of outputs",
        )
    document, number = ids
    rows = list(records)
    if number is None:
        number = _likely_id(rows, system_field, document, {field for _, field in sides})
    known: dict[tuple[Role, str, Segment], tuple[str, str]] = {}
    names: dict[str, str] = {}  # system → its name as it is first written
    n_rows = Counter[str]()
    segments: list[tuple[Role, str, Segment, str]] = []
    n_references = Counter(role for role, _ in sides)["reference"]
    for record in rows:
        system = _system(record, system_field, names)
        n_rows[system] += 1
        key = Segment(
            "" if document is None else segment_id(record, document),
            str(n_rows[system]) if number is None else segment_id(record, number),
        )
        for role, field in sides:
            for place, text in enumerate(texts_in(record, role, field)):
                if role == "system":
                    segments.append((role, system, key, text or ""))
                    continue
                if not (text or "").strip():
                    continue
                of_list = f" {place + 1}" if place > 0 else ""
                name = file.name if n_references < 2 and not of_list else f"{field}{of_list}"
                name = file.name if role == "source" else name
                is_new = (role, name, key) not in known
                what = f"the {role} of segment {key.id}"
                try:
                    set_once(known, (role, name, key), str(text), record.where, what)
                except InputError as error:
                    raise _with_id(error, number) from None
                if is_new:
                    segments.append((role, name, key, str(text)))
    order = dict.fromkeys(key for _, _, key, _ in segments)
    return [
        replace(part, is_numbered=number is None, id_field=number or "")
        for part in gather_parts(file, segments, order)
    ]


def _system(record: JsonRecord, field: str, names: dict[str, str]) -> str:
    value = value_at(record.values, field)
    name = " ".join(str(value).split()) if isinstance(value, str | int) else ""
    if not name:
        raise InputError(
            f"{record.where}: no {field_name(field)}, which names the system of each output"
        )
    return names.setdefault(plain_name(name), name)


def _likely_id(
    rows: Sequence[JsonRecord], system_field: str, document: str | None, texts: set[str]
) -> str | None:
    """Return the field that is called like an id and unique within each system, if there is one."""
    for field in rows[0].values if rows else ():
        if field in (system_field, document) or field in texts or not is_called_like_id(field):
            continue
        values = [(value_at(row.values, system_field), value_at(row.values, field)) for row in rows]
        is_whole = all(isinstance(id, str | int) and str(id).strip() for _, id in values)
        systems, ids = ({*side} for side in zip(*values, strict=True))
        counts_rows = len(ids) == len(rows) and len(systems) > 1  # an index of pandas does so
        if is_whole and not counts_rows and len({*values}) == len(values):
            return field
    return None


def _with_id(error: InputError, number: str | None) -> InputError:
    """Return the error that texts of a segment differ, with what would tell segments apart."""
    error.hint = "all rows of a segment must have the same, or none"
    if number is None:
        id_field = Setting("fields", Fields(id="ID"))
        error.hint = ("name the column with the ids of the segments: ", id_field)
    return error
