"""Fields: which ones of a table's records hold the source, references and systems; records → parts.

Fields that the caller does not name have one of the names in `_DEFAULT_NAMES`. `target` is a
reference only beside `prediction` or `predictions`, since elsewhere it may be a system's output. A
field is a path (`paths`): `translation.zh` is the Chinese side of a row of Hugging Face, which is a
reference, and the only other side is its source. In test sets of WMT25, `refs.refA.ref` is a
reference, beside the source `src_text`. Names match without case.

If the records have ids, these join the segments; if they have documents alone, a segment's id is
its number in the document; else records are identified by their order, as lines are. One reference
or system has the name of the file, several have those of their fields.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Literal

from celab.base import io
from celab.base.errors import InputError, Setting, Text
from celab.base.options import is_digits
from celab.base.text.scripts import holds_language
from celab.corpus.formats.choices import REST, TableColumns
from celab.corpus.formats.ids import IdColumns, is_called_like_id
from celab.corpus.formats.json_text import JsonRecord, known_name, paths_of, value_at
from celab.corpus.formats.long_form import long_parts
from celab.corpus.formats.pairs import PairFilter
from celab.corpus.formats.record_values import N_BEST, field_name, is_nbest, segment_id, texts_in
from celab.corpus.model import EXPORT, Fields, FilePart, Role, Segment, TextFile, gather_parts

_CHINESE_REFERENCES = ("参考译文", "參考譯文", "参考答案", "參考答案")
_DEFAULT_NAMES = {
    "reference": ("ref", "reference", "references", *_CHINESE_REFERENCES),
    "system": (
        *("hyp", "hypothesis", "translation", "mt", "prediction", "predictions"),
        *("译文", "系统译文", "机器译文", "譯文", "系統譯文", "機器譯文"),
    ),
    "source": ("src", "source", "原文"),
    "document": ("doc", "document"),
    "id": ("id", "seg"),
    "name": (),
}
# Purposes of a field: the text of a role, the document or the id of a segment, or, in long form,
# the name of the system whose output a record has.
_Purpose = Role | Literal["document", "id", "name"]
_PURPOSES = {"name": "names of systems"}  # what messages say instead
_ROLES: dict[_Purpose, Role] = {"reference": "reference", "system": "system", "name": "system"}
_PREDICTIONS = {"prediction", "predictions"}
_TARGET = "target"
_WMT_REFERENCE = re.compile(r"refs\.[^.]+\.ref")  # a reference of WMT25 and WMT26, by name
_WMT_SOURCE = "src_text"
SIDES = "translation."  # fields of a row of Hugging Face: a text by language
# The codes of a language in data sets: of ISO 639-1, then of 639-2 and 639-3.
_CODES = {
    "zh": ("zh", "zho", "chi", "cmn"),
    "ja": ("ja", "jpn"),
    "ko": ("ko", "kor"),
    "de": ("de", "deu", "ger"),
    "en": ("en", "eng"),
    "th": ("th", "tha"),
    "lo": ("lo", "lao"),
    "km": ("km", "khm"),
    "my": ("my", "mya", "bur"),
}
# Names that a message proposes: too many data sets mean something else by them.
_LIKELY = {
    "reference": ("ref", "target", "tgt", "gold", "ideal", "expected", "label", "truth"),
    "system": ("hyp", "pred", "output", "response", "completion", "gener", "candidate", "mt"),
    "source": ("src", "source", "input", "prompt", "question"),
}
_SETTABLE: tuple[Role, Role] = ("reference", "system")
_NO_TEXTS = _DEFAULT_NAMES["document"] + _DEFAULT_NAMES["id"]
TEXT_NAMES = _DEFAULT_NAMES["reference"] + _DEFAULT_NAMES["system"]
KNOWN_NAMES = frozenset(name for names in _DEFAULT_NAMES.values() for name in names)
_TRIED = 20  # records whose values tell what a field holds
_MAX_LISTED = 12  # fields that a message lists


def known_parts(
    file: TextFile, columns: TableColumns, records: Iterable[JsonRecord], unit: str
) -> list[FilePart]:
    """Return the parts in the fields of the records; `unit` is what messages call a field.

    `InputError` if there is none of the role of the file.
    """
    available = columns.available
    if REST in map(str, file.fields.hyp) and columns.find(REST) is None:
        records = list(records)
    file = file._replace(fields=_meant(file, columns, records))
    kinds: list[Role] = ["source", "reference", "system"]
    taken = [role for role in kinds if file.wants(role)]
    sides = [(role, field) for role in taken for field in _fields(file, role, available)]
    names = tuple(name for name in columns.order if not is_digits(name)) or tuple(available)
    sample: list[Mapping[str, object]] = []

    def noted() -> Iterator[JsonRecord]:
        for record in PairFilter(file).records(records):
            if len(sample) < _TRIED:
                sample.append(record.values)
            yield record

    if {role for role, _ in sides}.isdisjoint(_wanted(file)):
        with suppress(InputError):  # a wrong record is no matter here, where fields are compared
            deque(islice(noted(), _TRIED), 0)
        raise _unknown_layout(file, names, unit, sample)
    in_long_form = next(iter(_fields(file, "name", available)), None)
    if in_long_form is None:
        parts = _parts(file, available, names, sides, noted())
    else:
        parts = long_parts(file, ids_of(file, available), in_long_form, sides, noted())
    return [replace(part, fields=names, sample=sample) for part in parts]


def _meant(file: TextFile, columns: TableColumns, records: Iterable[JsonRecord]) -> Fields:
    """Return the fields of the caller by the names of the columns, without ranges and `rest`.

    Columns that the file does not have stay as they are.
    """
    fields = file.fields

    def found(field: str | int | None) -> str | None:
        return None if field is None else columns.find(str(field)) or str(field)

    fields = replace(
        fields,
        source=found(fields.source),
        document=found(fields.document),
        id=found(fields.id),
        system=found(fields.system),
    )
    file = file._replace(fields=fields)
    purposes: tuple[_Purpose, ...] = ("source", "document", "id", "name")
    taken = {
        name
        for purpose in purposes
        for name in _named(file, purpose, columns.available)
        if name in columns.available
    }
    texts = [record.values for record in records] if isinstance(records, list) else []
    ref = columns.chosen([*map(str, fields.ref)], taken, texts)
    file = file._replace(fields=replace(fields, ref=ref))
    taken |= {*_named(file, "reference", columns.available)}
    hyp = columns.chosen([*map(str, fields.hyp)], taken, texts)
    return replace(fields, ref=ref, hyp=hyp)


def _wanted(file: TextFile) -> list[Role]:
    return [file.role] if file.role else ["reference", "system"]


def _unknown_layout(
    file: TextFile, names: Sequence[str], unit: str, sample: Sequence[Mapping[str, object]]
) -> InputError:
    wanted = _wanted(file)
    chosen: dict[Role, str] = {}
    for role in wanted:
        taken = [_column(sample, name) for name in chosen.values()]
        field = _tried_field(names, role, file.lang, sample, taken)
        if field is not None:
            chosen[role] = field
    hint: list[str | Setting] = [f"name the {unit}s"]
    if chosen:
        hint += [", such as ", _setting(chosen)]
    if unit == "field" and len(sample) == 1 and io.suffix_of(file.path) != ".jsonl":
        hint.append(f", or, if they are the keys of an app, {EXPORT}")
    if file.other_sheets:
        hint += [", or choose another sheet, such as ", Setting("sheet", file.other_sheets[0])]
    elif unit == "column" and not file.sheet:
        hint += [", or give ", Setting("format", "plain"), " to take its lines as text"]
    return InputError(
        f"{file.name} has the {unit}{'s' if len(names) != 1 else ''} {list_fields(names)},"
        " but none that"
        f" is known as a {' or a '.join(wanted)}",
        hint=tuple(hint),
    )


def lacking_hint(parts: Sequence[FilePart], role: Role, lang: str | None) -> Text:
    """Return which field to name if the tables of these parts have no part of a role, or ""."""
    names = list(dict.fromkeys(name for part in parts for name in part.fields))
    sample = next((part.sample for part in parts if part.sample), ())
    field = _tried_field(names, role, lang, sample, [part.texts for part in parts])
    if field is not None:
        fields = f"the fields are {list_fields(names)}: name one, such as "
        return (fields, _setting({role: field}), *_rest_hint(parts, names, role))
    nbest = [name for name in names if role == "system" and _has_nbest(name, sample)]
    return f"{nbest[0]!r} has {N_BEST}" if nbest else ""


def _rest_hint(
    parts: Sequence[FilePart], names: Sequence[str], role: Role
) -> tuple[str | Setting, ...]:
    """Return a hint to name all other columns as systems, if a table has several."""
    is_wide = role == "system" and len(names) - len(parts) > 1 and len(parts) > 0
    rest = Setting("fields", Fields(hyp=[REST]))
    return (", or ", rest, " for all that have no other role") if is_wide else ()


def guess_roles(
    names: Sequence[str], sample: Sequence[Mapping[str, object]], lang: str | None
) -> dict[str, Role]:
    """Return the role of text that each field seems to have, by its name, else by its texts.

    Without a field that is known as a system, all that may be one are systems.
    """
    file = TextFile(path="", name="", text="", role=None, fields=Fields(), lang=lang)
    kinds: dict[str, Role] = {}
    for role in _SETTABLE:
        kinds |= dict.fromkeys(_fields(file, role, names), role)
    known_systems = "system" in kinds.values()
    kinds |= dict.fromkeys(_fields(file, "source", names), "source")

    def numbered(name: str) -> bool:
        return all(map(is_digits, _column(sample, name)))

    def guess(role: Role) -> bool:
        free = [name for name in names if name not in kinds and not numbered(name)]
        taken = [_column(sample, name) for name in kinds]
        field = _tried_field(free, role, lang, sample, taken)
        if field is not None:
            kinds[field] = role
        return field is not None

    if "reference" not in kinds.values():
        guess("reference")
    while not known_systems and guess("system"):
        pass
    if "source" not in kinds.values():
        guess("source")
    return kinds


def _has_nbest(name: str, sample: Sequence[Mapping[str, object]]) -> bool:
    return any(is_nbest(name, value_at(values, name)) for values in sample)


def _setting(chosen: Mapping[Role, str]) -> Setting:
    refs, hyps = ([chosen[role]] if role in chosen else () for role in _SETTABLE)
    return Setting("fields", Fields(refs, hyps, chosen.get("source")))


def _tried_field(
    names: Sequence[str],
    role: Role,
    lang: str | None,
    sample: Sequence[Mapping[str, object]],
    taken: Sequence[list[str]],
) -> str | None:
    """Return a field that may be meant for a role: its name says so, or nothing against it.

    Its values must be texts, in the target language unless it is the source, and not those that
    are `taken` for another role.
    """
    sides = _sides(names, lang) if role == "reference" else []
    likely = [name for name in names if _is_likely(name, [role]) or name in sides]
    others = [name for name in names if name not in likely and _may_be(name, role)]
    for name in (*likely, *others):
        if role == "system" and _has_nbest(name, sample):
            continue
        texts = _column(sample, name)
        # A hint that gave two roles the same texts would score a column against itself.
        is_other = all(texts != other[: len(texts)] for other in taken)
        if (
            name.strip()
            and texts
            and is_other
            and (role == "source" or holds_language(texts, lang or "zh"))
        ):
            return name
    return None


def _column(sample: Sequence[Mapping[str, object]], name: str) -> list[str]:
    """Return the texts of a field; none if a value is not a text."""
    texts: list[str] = []
    for values in sample:
        value = value_at(values, name)
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | None) for item in items):
            return []
        texts += [item for item in items if isinstance(item, str) and item]
    return texts


def _may_be(name: str, role: Role) -> bool:
    """Return whether a name says nothing against a role."""
    others = [other for other in _LIKELY if other != role]
    return not _is_likely(name, others) and name.lower() not in _NO_TEXTS


def _is_likely(name: str, kinds: Iterable[str]) -> bool:
    words = re.split(r"[^a-z]+", name.lower())
    return any(
        word.startswith(start) for role in kinds for start in _LIKELY[role] for word in words
    )


def list_fields(names: Sequence[str]) -> str:
    """Return the first few names, for a message."""
    more = len(names) - _MAX_LISTED
    names = [name if name.strip() else repr(name) for name in names]
    return ", ".join([*names[:_MAX_LISTED], *([f"and {more} more"] if more > 0 else [])])


def ids_of(file: TextFile, available: Collection[str]) -> tuple[str | None, str | None]:
    """Return the fields with the documents and the ids of segments, None where there is none."""
    document = next(iter(_fields(file, "document", available)), None)
    return document, next(iter(_fields(file, "id", available)), None)


def _parts(
    file: TextFile,
    available: Collection[str],
    names: Sequence[str],
    columns: Sequence[tuple[Role, str]],
    records: Iterable[JsonRecord],
) -> list[FilePart]:
    """Return the parts in these fields of the records, which are called `names`."""
    document, number = ids_of(file, available)
    by_line = document is None and number is None
    outputs = [field for role, field in columns if role == "system"]
    ids = IdColumns(
        name
        for name in (names if file.fields.id is None else ())
        if name not in (document, number, *outputs)
    )
    keys: list[Segment] = []
    in_document = Counter[str]()
    sides: dict[tuple[int, int], dict[int, str]] = {}  # (column, index in its list) → row → text
    for row, record in enumerate(records):
        name = "" if document is None else segment_id(record, document)
        in_document[name] += 1
        ids.add(record.values)
        keys.append(
            Segment(name, str(in_document[name]) if number is None else segment_id(record, number))
        )
        for column, (role, field) in enumerate(columns):
            for place, text in enumerate(texts_in(record, role, field)):
                if text is not None:
                    sides.setdefault((column, place), {})[row] = text
                elif role == "system" and by_line:
                    raise _lacking_text(record, field, ids)
    chosen = {"reference": file.fields.ref, "system": file.fields.hyp}
    n_sides = Counter(columns[column][0] for column, _ in sides)
    n_places = Counter(column for column, _ in sides)
    parts, segments = [], []
    rows: dict[tuple[Role, str], list[int]] = {}
    titles: dict[Role, str] = {}
    for (column, place), texts in sorted(sides.items()):
        role, field = columns[column]
        if n_sides[role] == 1:
            name = file.name
            titles[role] = field if chosen.get(role) and not is_digits(field) else ""
        elif n_places[column] > 1:
            name = f"{field} {place + 1}"
        else:
            name = f"column {field}" if is_digits(field) else field
        if by_line:
            filled = [texts.get(row, "") for row in range(len(keys))]
            parts.append(
                FilePart(
                    role=role,
                    name=name,
                    where=file.name,
                    texts=filled,
                    unit="record",
                    column=titles.get(role, ""),
                    columns=ids.values,
                )
            )
        else:
            segments += [(role, name, keys[row], text) for row, text in texts.items()]
            rows[role, name] = [*texts]
    return parts or [
        replace(
            part,
            is_numbered=number is None,
            id_field=number or "",
            column=titles.get(part.role, ""),
            columns=ids.of_rows(rows[part.role, part.name]),
        )
        for part in gather_parts(file, segments, keys)
    ]


def _lacking_text(record: JsonRecord, field: str, ids: IdColumns) -> InputError:
    """Return the error about a record without an output, which names an id that it has."""
    known = [name for name in ids.values if is_called_like_id(name)]
    message = f"{record.where}: no {field_name(field)}; each line must have it, or an id"
    hint = ("use ", Setting("fields", Fields(id=known[0]))) if known and known[0] else ""
    return InputError(message, hint=hint)


def _fields(file: TextFile, purpose: _Purpose, available: Collection[str]) -> list[str]:
    """Return the fields for a purpose; `InputError` if the caller names one that is not there."""
    names = _named(file, purpose, available)
    missing = [field for field in names if field not in available]
    if missing and (purpose in ("document", "id") or file.requires(_ROLES.get(purpose, "source"))):
        known = ", ".join(list(available)[:_MAX_LISTED]) or "none"
        raise InputError(
            f"{file.name} has no {field_name(missing[0])} for the"
            f" {_PURPOSES.get(purpose, purpose)}; there are: {known}"
        )
    return [field for field in names if field in available]


def _named(file: TextFile, purpose: _Purpose, available: Collection[str]) -> list[str]:
    """Return the fields that the caller names for a purpose, else the first default name."""
    fields = file.fields
    chosen: dict[_Purpose, Sequence[str | int | None]] = {
        "reference": fields.ref,
        "system": fields.hyp,
        "source": [fields.source],
        "document": [fields.document],
        "id": [fields.id],
        "name": [fields.system],
    }
    names = dict.fromkeys(str(field) for field in chosen[purpose] if field is not None)
    if not names:
        return _defaults(purpose, available)[:1] or _by_layout(file, purpose, available)
    return [*dict.fromkeys(known_name(field, available) or field for field in names)]


def _defaults(purpose: str, available: Collection[str]) -> list[str]:
    """Return the fields that have a default name for a purpose."""
    known = (known_name(name, available) for name in _DEFAULT_NAMES[purpose])
    return [name for name in known if name is not None]


def _by_layout(file: TextFile, purpose: str, available: Collection[str]) -> list[str]:
    """Return the fields whose meaning follows from the fields beside them."""
    if purpose == "reference" and _TARGET in available and not _PREDICTIONS.isdisjoint(available):
        return [_TARGET]
    if purpose not in ("reference", "source"):
        return []
    if wmt := [name for name in available if _WMT_REFERENCE.fullmatch(name)]:
        source = [_WMT_SOURCE] if _WMT_SOURCE in available else []
        return wmt if purpose == "reference" else source
    target = _sides(available, file.lang)
    if len(target) > 1 and f"{SIDES}{file.lang or 'zh'}" in target:
        target = [f"{SIDES}{file.lang or 'zh'}"]
    if len(target) != 1 or purpose == "reference":
        return target if len(target) == 1 else []
    others = [name for name in available if name.startswith(SIDES) and name not in target]
    return others if len(others) == 1 else []


def _sides(available: Iterable[str], lang: str | None) -> list[str]:
    """Return the sides of a row of Hugging Face that are in a language."""
    sides = (name for name in available if name.startswith(SIDES))
    return [name for name in sides if is_language(name.removeprefix(SIDES), lang or "zh")]


def source_in(file: TextFile, values: Mapping[str, object]) -> str | None:
    """Return the text that the names of fields say is the source, or None."""
    available = list(paths_of(values))
    names = _defaults("source", available) or _by_layout(file, "source", available)
    value = value_at(values, names[0]) if names else None
    return value if isinstance(value, str) else None


def is_language(code: str, lang: str) -> bool:
    """Return whether a code of a data set means the language.

    >>> is_language("zh", "zh"), is_language("zho_Hans", "zh"), is_language("en", "zh")
    (True, True, False)
    """
    base = re.split("[-_]", code.lower())[0]
    return base in _CODES.get(lang, (lang,))
