"""The formats of files that are neither plain text nor tables by their names: JSON and markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.corpus.formats import BY_ELEMENT, MARKUP_SUFFIXES, logs
from celab.corpus.formats.elements import Document, first_element
from celab.corpus.formats.field_paths import value_at
from celab.corpus.formats.fields import (
    EXPORT,
    Record,
    abbreviate,
    check_surrogates,
    listed,
    refuse_keys,
)
from celab.corpus.formats.json_text import (
    is_json_array,
    json_object,
    records_of_lines,
    whole_object,
)
from celab.corpus.model import FilePart, Role, Segment, TextFile, gather_parts

# Results of batch APIs → a system: OpenAI's, which vLLM writes, too, and Anthropic's.
#
#     OpenAI, vLLM  custom_id, response.body.choices.0.message.content
#     Anthropic     custom_id, result.message.content.0.text
#
# `custom_id` is the id of the segment. Requests come in any order: if all ids are one prefix with
# a number, as `request-7`, the order is that of the numbers, and line n of a file without ids is
# the nth of them. A request that failed, or whose number is missing, is a segment that the system
# lacks. Where the API says that the model refused, the refusal is the output.

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)


def is_batch(first: Mapping[str, object]) -> bool:
    """Return whether the first object of a file is a result of a batch API."""
    return "custom_id" in first and ("response" in first or "result" in first)


def batch(file: TextFile) -> list[FilePart]:
    """Return the system whose outputs are in the file, or what the file is given as."""
    keys: list[Segment] = []
    segments: list[tuple[Role, str, Segment, str]] = []
    for record in records_of_lines(file):
        key = Segment("", _custom_id(record))
        keys.append(key)
        output = _output(record)
        if output is not None:
            text = check_surrogates(record.where, output)
            segments.append((file.role or "system", file.name, key, text))
    order = _order([key.id for key in keys])
    parts = gather_parts(file, segments, map(_segment, order or [key.id for key in keys]))
    return [replace(part, is_ordered=bool(order)) for part in parts]


def _segment(id: str) -> Segment:
    return Segment("", id)


def _custom_id(record: Record) -> str:
    value = record.values.get("custom_id")
    if isinstance(value, str) and value.strip():
        return check_surrogates(record.where, value.strip())
    raise InputError(
        f"{record.where}: 'custom_id' is {abbreviate(value)}; each line must be a result of a batch"
        " API, with the id of its request"
    )


def _order(ids: Sequence[str]) -> list[str]:
    """Return the ids in the order of their numbers, with missing ones; [] if they have no numbers.

    >>> _order(["r-3", "r-1", "r-0"]), _order(["a", "b"])
    (['r-0', 'r-1', 'r-2', 'r-3'], [])
    """
    matches = [_NUMBERED.fullmatch(id) for id in ids]
    numbered = [(match[1], match[2]) for match in matches if match]
    if len(numbered) < len(ids) or len({prefix for prefix, _ in numbered}) != 1:
        return []
    by_number = {int(digits): prefix + digits for prefix, digits in numbered}
    first, last = min(1, *by_number), max(by_number)
    width = len(ids[0]) if len({*map(len, ids)}) == 1 else 0
    if len(by_number) < len({*ids}) or last - first >= 2 * len(ids):
        return [by_number[number] for number in sorted(by_number)]
    prefix = numbered[0][0]
    return [
        by_number.get(number, prefix + str(number).zfill(width - len(prefix)))
        for number in range(first, last + 1)
    ]


def _output(record: Record) -> str | None:
    """Return the text of an answer; None if the request failed."""
    body, message = (value_at(record.values, path) for path in ("response.body", "result.message"))
    choices = value_at(body, "choices")
    if isinstance(choices, list) and len(choices) > 1:
        raise InputError(f"{record.where} has {len(choices)} choices; each request must have one")
    candidates = (
        value_at(choices, "0.message.content"),
        value_at(choices, "0.message.refusal"),
        value_at(choices, "0.text"),
        value_at(message, "content"),
        value_at(body, "content"),
        value_at(body, "output"),
    )
    return next((text for text in map(_text, candidates) if text is not None), None)


def _text(content: object) -> str | None:
    """Return the text of a message, which may be in parts; thinking is none of them."""
    if isinstance(content, str):
        return content
    texts = list(_texts(content)) if isinstance(content, list) else []
    return "".join(texts) if texts else None


def _texts(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        text, inner = value_at(part, "text"), value_at(part, "content")
        if isinstance(text, str):
            yield text
        elif isinstance(inner, list):  # of OpenAI's responses
            yield from _texts(inner)


_MARKUP = ("<?xml", "<!doctype", "<!entity")


def recognize_structured(file: TextFile) -> str:
    """Return the format of a file that looks like JSON or markup, or is called so."""
    text, suffix = file.text.lstrip(), io.suffix_of(file.path)
    refuse_keys(file.name, text, suffix)
    if is_json_array(file):
        return "json"
    if format := _recognize_objects(file, text, suffix):
        return format
    if text[:1] != "<":
        _refuse_misnamed(file, text, suffix)
        return "plain"
    element = first_element(text)
    if element in BY_ELEMENT:
        return BY_ELEMENT[element]
    is_page = element in ("html", "tt")
    if is_page or suffix in MARKUP_SUFFIXES or text[:10].lower().startswith(_MARKUP):
        if not element:
            Document(file.text, file.name)  # which says why
        raise InputError(
            f"{file.name} is XML of an unknown format: its first element is {element!r}; it must be"
            " mteval, srcset, refset, tstset, dataset, xliff or tmx, or give the format"
        )
    return "plain"


def _refuse_misnamed(file: TextFile, text: str, suffix: str) -> None:
    """Raise `InputError` if text that is neither JSON nor markup has a name that says so."""
    kind, begin = ("JSON", "{ or [") if suffix == ".json" else ("markup", "<")
    is_array = kind == "JSON" and text[:1] == "["  # of something else, which is warned about
    if suffix in (".json", *MARKUP_SUFFIXES) and not is_array:
        raise InputError(
            f"{file.name} is not {kind}, although its name ends in {suffix}: it begins with"
            f" {text[:10]!r}",
            hint=(f"it must begin with {begin}, or give ", Setting("format", "plain")),
        )


def _recognize_objects(file: TextFile, text: str, suffix: str) -> str:
    """Return the format of a file of JSON objects; "" if it is none."""
    first = json_object(text.partition("\n")[0]) if text[:1] == "{" else None
    if first is not None:
        if not file.fields and is_batch(first):
            return "batch"
        # The caller who names fields knows better which they are.
        return ("" if file.fields else logs.recognize(first)) or "jsonl"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"  # which says where it is broken
    if text[:1] != "{":
        return ""
    whole = whole_object(file) if suffix == ".json" else json_object(text)
    if whole is None:
        return ""
    if format := logs.recognize(whole):
        return format
    raise InputError(
        f"{file.name} is one JSON object, with the fields {listed(list(whole))}; it must be an"
        " array, or have one object per line",
        hint=f"if it has the keys of an app, {EXPORT}",
    )
