"""Fields: which ones of a table's records hold the source, references and systems; records → parts.

Fields that the caller does not name have one of the names in `_DEFAULT_NAMES`. `target` is a
reference only beside `prediction` or `predictions`, since elsewhere it may be a system's output. A
field is a path (`paths`): `translation.zh` is the Chinese side of a row of Hugging Face, which is a
reference, and the only other side is its source. Names match without case.

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
from celab.corpus.formats import EXPORT
from celab.corpus.formats.ids import IdColumns, is_called_like_id
from celab.corpus.formats.json_text import (
    Record,
    abbreviate,
    check_surrogates,
    known_name,
    paths_of,
    value_at,
)
from celab.corpus.model import Fields, FilePart, Role, Segment, TextFile, gather_parts

_DEFAULT_NAMES = {
    "reference": ("ref", "reference", "references", "参考译文", "參考譯文"),
    "system": (
        *("hyp", "hypothesis", "translation", "mt", "prediction", "predictions"),
        *("译文", "系统译文", "机器译文", "譯文", "系統譯文", "機器譯文"),
    ),
    "source": ("src", "source", "原文"),
    "document": ("doc", "document"),
    "id": ("id", "seg"),
}
_PREDICTIONS = {"prediction", "predictions"}
_TARGET = "target"
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
# Names of lists of texts that are not sentences of one text.
_CANDIDATES = frozenset(
    """candidates hyps hypotheses outputs responses completions samples nbest n_best
    translations""".split()
)
_N_BEST = "a list of texts for each segment, an n-best list: celab mbr chooses one of them"


class Uncalculated(str):
    """The text of a formula that has no result: an `InputError` in a field that is read."""

    __slots__ = ()


def check_result(where: str, text: object) -> None:
    """Raise `InputError` if a text is that of a formula without a result."""
    if isinstance(text, Uncalculated):
        raise InputError(
            f"{where} has a formula without a result",
            hint="open the file in a spreadsheet program, and save it there",
        )


def known_parts(
    file: TextFile, available: Collection[str], records: Iterable[Record], unit: str
) -> list[FilePart]:
    """Return the parts in the fields of the records; `unit` is what messages call a field.

    `InputError` if there is none of the role of the file.
    """
    kinds: list[Role] = ["source", "reference", "system"]
    taken = [kind for kind in kinds if file.wants(kind)]
    columns = [(kind, field) for kind in taken for field in _fields(file, kind, available)]
    names = tuple(name for name in available if not is_digits(name)) or tuple(available)
    sample: list[Mapping[str, object]] = []

    def noted() -> Iterator[Record]:
        for record in records:
            if len(sample) < _TRIED:
                sample.append(record.values)
            yield record

    if {kind for kind, _ in columns}.isdisjoint(_wanted(file)):
        with suppress(InputError):  # of a record; this is about the fields
            deque(islice(noted(), _TRIED), 0)
        raise _unknown_layout(file, names, unit, sample)
    parts = _parts(file, available, names, columns, noted())
    return [replace(part, fields=names, sample=sample) for part in parts]


def _wanted(file: TextFile) -> list[Role]:
    return [file.role] if file.role else ["reference", "system"]


def _unknown_layout(
    file: TextFile, names: Sequence[str], unit: str, sample: Sequence[Mapping[str, object]]
) -> InputError:
    wanted = _wanted(file)
    chosen: dict[Role, str] = {}
    for kind in wanted:
        taken = [_column(sample, name) for name in chosen.values()]
        field = _tried_field(names, kind, file.lang, sample, taken)
        if field is not None:
            chosen[kind] = field
    hint: list[str | Setting] = [f"name the {unit}s"]
    if chosen:
        hint += [", such as ", _setting(chosen)]
    if unit == "field" and len(sample) == 1 and io.suffix_of(file.path) != ".jsonl":
        hint.append(f", or, if they are the keys of an app, {EXPORT}")
    if unit == "column":
        hint += [", or give ", Setting("format", "plain"), " to take its lines as text"]
    return InputError(
        f"{file.name} has the {unit}{'s' * (len(names) != 1)} {list_fields(names)}, but none that"
        f" is known as a {' or a '.join(wanted)}",
        hint=tuple(hint),
    )


def lacking_hint(parts: Sequence[FilePart], kind: Role, lang: str | None) -> Text:
    """Return which field to name if the tables of these parts have no part of a kind, or ""."""
    names = list(dict.fromkeys(name for part in parts for name in part.fields))
    sample = next((part.sample for part in parts if part.sample), ())
    field = _tried_field(names, kind, lang, sample, [part.texts for part in parts])
    if field is not None:
        return (f"the fields are {list_fields(names)}: name one, such as ", _setting({kind: field}))
    nbest = [name for name in names if kind == "system" and _has_nbest(name, sample)]
    return f"{nbest[0]!r} has {_N_BEST}" if nbest else ""


def guess_kinds(
    names: Sequence[str], sample: Sequence[Mapping[str, object]], lang: str | None
) -> dict[str, Role]:
    """Return the kind of text that each field seems to have, by its name, else by its texts.

    Without a field that is known as a system, all that may be one are systems.
    """
    file = TextFile(path="", name="", text="", role=None, fields=Fields(), lang=lang)
    kinds: dict[str, Role] = {}
    for kind in _SETTABLE:
        kinds |= dict.fromkeys(_fields(file, kind, names), kind)
    known_systems = "system" in kinds.values()
    kinds |= dict.fromkeys(_fields(file, "source", names), "source")

    def numbered(name: str) -> bool:
        return all(map(is_digits, _column(sample, name)))

    def guess(kind: Role) -> bool:
        free = [name for name in names if name not in kinds and not numbered(name)]
        taken = [_column(sample, name) for name in kinds]
        field = _tried_field(free, kind, lang, sample, taken)
        if field is not None:
            kinds[field] = kind
        return field is not None

    if "reference" not in kinds.values():
        guess("reference")
    while not known_systems and guess("system"):
        pass
    if "source" not in kinds.values():
        guess("source")
    return kinds


def _has_nbest(name: str, sample: Sequence[Mapping[str, object]]) -> bool:
    return any(_is_nbest(name, value_at(values, name)) for values in sample)


def _setting(chosen: Mapping[Role, str]) -> Setting:
    refs, hyps = ([chosen[kind]] if kind in chosen else () for kind in _SETTABLE)
    return Setting("fields", Fields(refs, hyps, chosen.get("source")))


def _tried_field(
    names: Sequence[str],
    kind: Role,
    lang: str | None,
    sample: Sequence[Mapping[str, object]],
    taken: Sequence[list[str]],
) -> str | None:
    """Return a field that may be meant for a kind: its name says so, or nothing against it.

    Its values must be texts, in the target language unless it is the source, and not those that
    are `taken` for another kind.
    """
    sides = _sides(names, lang) if kind == "reference" else []
    likely = [name for name in names if _is_likely(name, [kind]) or name in sides]
    others = [name for name in names if name not in likely and _may_be(name, kind)]
    for name in (*likely, *others):
        if kind == "system" and _has_nbest(name, sample):
            continue
        texts = _column(sample, name)
        is_other = all(texts != other[: len(texts)] for other in taken)
        if (
            name.strip()
            and texts
            and is_other
            and (kind == "source" or holds_language(texts, lang or "zh"))
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


def _may_be(name: str, kind: Role) -> bool:
    """Return whether a name says nothing against a kind."""
    others = [other for other in _LIKELY if other != kind]
    return not _is_likely(name, others) and name.lower() not in _NO_TEXTS


def _is_likely(name: str, kinds: Iterable[str]) -> bool:
    words = re.split(r"[^a-z]+", name.lower())
    return any(
        word.startswith(start) for kind in kinds for start in _LIKELY[kind] for word in words
    )


def list_fields(names: Sequence[str]) -> str:
    """Return the first few names, for a message."""
    more = len(names) - _MAX_LISTED
    names = [name if name.strip() else repr(name) for name in names]
    return ", ".join([*names[:_MAX_LISTED], *[f"and {more} more"] * (more > 0)])


def _parts(
    file: TextFile,
    available: Collection[str],
    names: Sequence[str],
    columns: Sequence[tuple[Role, str]],
    records: Iterable[Record],
) -> list[FilePart]:
    """Return the parts in these fields of the records, which are called `names`."""
    document = next(iter(_fields(file, "document", available)), None)
    number = next(iter(_fields(file, "id", available)), None)
    by_line = document is None and number is None
    outputs = [field for kind, field in columns if kind == "system"]
    ids = IdColumns(
        name
        for name in (names if file.fields.id is None else ())
        if name not in (document, number, *outputs)
    )
    keys: list[Segment] = []
    in_document = Counter[str]()
    sides: dict[tuple[int, int], dict[int, str]] = {}  # by column, and place in a list in it
    for row, record in enumerate(records):
        name = "" if document is None else _id(record, document)
        in_document[name] += 1
        ids.add(record.values)
        keys.append(
            Segment(name, str(in_document[name]) if number is None else _id(record, number))
        )
        for column, (kind, field) in enumerate(columns):
            for place, text in enumerate(_texts(record, kind, field)):
                if text is not None:
                    sides.setdefault((column, place), {})[row] = text
                elif kind == "system" and by_line:
                    raise _lacking_text(record, field, ids)
    n_sides = Counter(columns[column][0] for column, _ in sides)
    n_places = Counter(column for column, _ in sides)
    parts, segments = [], []
    rows: dict[tuple[Role, str], list[int]] = {}
    for (column, place), texts in sorted(sides.items()):
        kind, field = columns[column]
        if n_sides[kind] == 1:
            name = file.name
        elif n_places[column] > 1:
            name = f"{field} {place + 1}"
        else:
            name = f"column {field}" if is_digits(field) else field
        if by_line:
            filled = [texts.get(row, "") for row in range(len(keys))]
            parts.append(
                FilePart(
                    kind=kind,
                    name=name,
                    where=file.name,
                    texts=filled,
                    unit="record",
                    columns=ids.values,
                )
            )
        else:
            segments += [(kind, name, keys[row], text) for row, text in texts.items()]
            rows[kind, name] = [*texts]
    return parts or [
        replace(
            part,
            is_numbered=number is None,
            id_field=number or "",
            columns=ids.of_rows(rows[part.kind, part.name]),
        )
        for part in gather_parts(file, segments, keys)
    ]


def _lacking_text(record: Record, field: str, ids: IdColumns) -> InputError:
    """Return the error about a record without an output, which names an id that it has."""
    known = [name for name in ids.values if is_called_like_id(name)]
    message = f"{record.where}: no {_field_name(field)}; each line must have it, or an id"
    hint = ("use ", Setting("fields", Fields(id=known[0]))) if known and known[0] else ""
    return InputError(message, hint=hint)


def _fields(
    file: TextFile, purpose: Role | Literal["document", "id"], available: Collection[str]
) -> list[str]:
    """Return the fields that the caller names for a purpose, else the first default name."""
    fields = file.fields
    chosen: dict[str, Sequence[str | int | None]] = {
        "reference": fields.ref,
        "system": fields.hyp,
        "source": [fields.source],
        "document": [fields.document],
        "id": [fields.id],
    }
    names = dict.fromkeys(str(field) for field in chosen[purpose] if field is not None)
    if not names:
        return _defaults(purpose, available)[:1] or _by_layout(file, purpose, available)
    names = dict.fromkeys(known_name(field, available) or field for field in names)
    missing = [field for field in names if field not in available]
    if missing and (purpose == "document" or purpose == "id" or file.requires(purpose)):
        known = ", ".join(list(available)[:_MAX_LISTED]) or "none"
        raise InputError(
            f"{file.name} has no {_field_name(missing[0])} for the {purpose}; there are: {known}"
        )
    return [field for field in names if field in available]


def _defaults(purpose: str, available: Collection[str]) -> list[str]:
    """Return the fields that have a default name for a purpose."""
    known = (known_name(name, available) for name in _DEFAULT_NAMES[purpose])
    return [name for name in known if name is not None]


def _by_layout(file: TextFile, purpose: str, available: Collection[str]) -> list[str]:
    """Return the field whose meaning follows from the fields beside it."""
    if purpose == "reference" and _TARGET in available and not _PREDICTIONS.isdisjoint(available):
        return [_TARGET]
    if purpose not in ("reference", "source"):
        return []
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


def _id(record: Record, field: str) -> str:
    value = value_at(record.values, field)
    check_result(f"{record.where}: {_field_name(field)}", value)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return check_surrogates(record.where, str(value).strip())
    raise _type_error(record, field, value, "a text or a whole number")


def _texts(record: Record, kind: Role, field: str) -> list[str | None]:
    value = value_at(record.values, field)
    if kind == "system" and _is_nbest(field, value):
        raise InputError(f"{record.where}: {_field_name(field)} is {_N_BEST}")
    texts: list[str | None] = []
    values = value if isinstance(value, list) and kind == "reference" else [value]
    for text in values:
        check_result(f"{record.where}: {_field_name(field)}", text)
        if isinstance(text, list) and text and all(isinstance(sentence, str) for sentence in text):
            text = "\n".join(text)
        if text is not None and not isinstance(text, str):
            items = "texts" if kind == "reference" else "sentences"
            raise _type_error(record, field, text, f"a text or a list of {items}")
        texts.append(text and check_surrogates(record.where, text))
    return texts


def _is_nbest(field: str, value: object) -> bool:
    """Return whether a field has a list of texts, by its name and its value."""
    is_list = isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value)
    return is_list and field.rpartition(".")[2].lower() in _CANDIDATES


def _type_error(record: Record, field: str, value: object, right: str) -> InputError:
    return InputError(
        f"{record.where}: {_field_name(field)} is {abbreviate(value)}; it must be {right}"
    )


def _field_name(field: str) -> str:
    return f"column {field}" if is_digits(field) else f"{field!r}"
