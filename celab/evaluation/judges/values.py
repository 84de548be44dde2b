"""Values in files of other judges: JSON objects, whole numbers, ends of spans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from celab.base import io
from celab.base.dicts import JsonObject
from celab.base.errors import InputError
from celab.base.json_files import JsonError, parse_json
from celab.base.numbers import is_digits


def try_object(text: str) -> JsonObject | None:
    """Return the JSON object in a text; None if it is none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_json(text)
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def object_in(text: str, where: str) -> JsonObject:
    """Return the JSON object in a text; `InputError` if it is none."""
    value = try_object(text)
    if value is None:
        raise InputError(f"{where}: {text[:30]!r} is not a JSON object")
    return value


def objects_in(text: str, name: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the place and the object of each line of JSON Lines."""
    for number, line in enumerate(io.split_lines(text.lstrip("\ufeff")), 1):
        if line.strip():
            where = f"{name}, line {number}"
            yield where, object_in(line, where)


def as_object(value: Any, where: str) -> JsonObject:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {str(value)[:30]!r} is not a JSON object")
    return value


def list_in(text: str, where: str) -> Any:
    """Return the value of a JSON text, which should be a list."""
    try:
        return parse_json(text)
    except JsonError as error:
        raise InputError(f"{where}: the error spans: {error}") from None


def ends_of(fields: JsonObject, first: str, last: str, where: str) -> tuple[int, int]:
    """Return the two ends of a span, which must be whole numbers."""
    ends = []
    for field in (first, last):
        value = fields.get(field)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise InputError(f"{where}: {field} is {value!r}; it must be a whole number, 0 or more")
        ends.append(value)
    return ends[0], ends[1]


def ordered(ends: tuple[int, int], where: str) -> tuple[int, int]:
    """Return the ends of a span, of which the second must be greater."""
    if ends[0] >= ends[1]:
        raise InputError(f"{where}: start is {ends[0]} and end is {ends[1]}; end must be greater")
    return ends


def whole_number(text: str, where: str, what: str) -> int:
    """Return the whole number in a cell of a table."""
    stripped = text.strip()
    if not is_digits(stripped) or len(stripped) > 18:
        raise InputError(f"{where}: {what} is {text[:40]!r}; it must be a whole number")
    return int(stripped)
