"""Results of batch APIs → a system: OpenAI's, which vLLM writes, too, and Anthropic's.

    OpenAI, vLLM  custom_id, response.body.choices.0.message.content
    Anthropic     custom_id, result.message.content.0.text

`custom_id` is the id of the segment. Requests come in any order: if all ids are one prefix with a
number, as `request-7`, the order is that of the numbers, and line n of a file without ids is the
nth of them. A request that failed, or whose number is missing, is a segment that the system lacks.
Where the API says that the model refused, the refusal is the output.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from celab.base.errors import InputError
from celab.corpus.formats.field_paths import value_at
from celab.corpus.formats.fields import Record, abbreviate, check_surrogates
from celab.corpus.formats.json_text import records_of_lines
from celab.corpus.model import FilePart, Role, Segment, TextFile, gather_parts

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)


def recognize(first: Mapping[str, object]) -> bool:
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
