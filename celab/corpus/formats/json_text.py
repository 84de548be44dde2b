"""JSON in text files: values, with the line and the column where it is broken, and their fields.

A field is a path of names and numbers with dots, as `choices.0.message.content`. A number counts
the items of a list from 0, or from the end if it is negative, as in `messages.-1.content`. A field
may have dots in its own name, which wins over a path.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from celab.base import io
from celab.base.errors import InputError, LimitError, Setting
from celab.base.options import Limits, is_digits
from celab.corpus.model import TextFile

_MAX_DEPTH = 8  # levels of nested objects and lists whose fields are listed
_MAX_ITEMS_READ = 4  # objects of a list whose fields are read
_HALF = re.compile("[\ud800-\udfff]")


class JsonRecord(NamedTuple):
    """One record of a table, and where it is: the file and the line."""

    where: str
    values: Mapping[str, object]


class RepeatedFieldError(InputError):
    """An object has a field twice, with different values."""


class _Repeated(Exception):
    """An object has a field twice, with different values; the argument is its name."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        first: dict[str, Any] = {}
        for key, item in pairs:
            if first.setdefault(key, item) != item:
                raise _Repeated(key)
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
_SPACE = re.compile(r"[ \t\n\r]*")
_ARRAY = re.compile(r'\s*\[\s*["{\]]')


def json_object(line: str) -> dict[str, Any] | None:
    """Return the JSON object in a line, or None."""
    try:
        value = json.loads(line)  # one that has a key twice is an object, too
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def records_of_lines(file: TextFile) -> Iterator[JsonRecord]:
    """Yield the object in each line that is not blank."""
    for number, line in enumerate(io.split_lines(file.text), start=1):
        if not line.strip():
            continue
        where = f"{file.name}, line {number}"
        value = _decode(line, where, file.name, number)
        if not isinstance(value, dict):
            raise InputError(
                f"{where}: {line[:30]!r} is not a JSON object; each line must be one, unless"
                " another format is given"
            )
        yield JsonRecord(where, value)


def whole_object(file: TextFile) -> dict[str, object]:
    """Return the object that a file is."""
    value = _decode(file.text, file.name, file.name, 1)
    if not isinstance(value, dict):
        raise InputError(f"{file.name} is not a JSON object; its first character must be {{")
    return value


def _decode(text: str, where: str, name: str, first_line: int) -> object:
    with _named_errors(text, where, name, first_line):
        return json.loads(text, object_pairs_hook=_object)


@contextmanager
def _named_errors(text: str, where: str, name: str, first_line: int = 1) -> Iterator[None]:
    """Turn errors of JSON inside the block into `InputError`."""
    try:
        yield
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply") from None
    except _Repeated as error:
        raise RepeatedFieldError(
            f"{where}: {abbreviate(error.args[0])} occurs twice in one object, with different"
            " values; each field must occur once"
        ) from None
    except json.JSONDecodeError as error:
        raise _broken(name, first_line, text, error.pos, error.msg) from None
    except ValueError:
        raise InputError(f"{where}: a number has too many digits") from None


def _broken(name: str, first_line: int, text: str, position: int, problem: str) -> InputError:
    line = first_line + text.count("\n", 0, position)
    column = position - text.rfind("\n", 0, position)
    return InputError(
        f"{name}, line {line}, column {column}: broken JSON: {problem[:1].lower()}{problem[1:]}"
    )


def items(file: TextFile) -> Iterator[tuple[str, Any]]:
    """Yield the place and the value of each item of a JSON array, one after the other."""
    text, number = file.text, 0
    position = _skip_space(text, 0)
    if text[position : position + 1] != "[":
        raise InputError(f"{file.name} is not a JSON array; its first character must be [")
    position = _skip_space(text, position + 1)
    if text[position : position + 1] == "]":
        return
    while True:
        number += 1
        where = f"{file.name}, item {number}"
        with _named_errors(text, where, file.name):
            value, position = _DECODER.raw_decode(text, position)
        if not isinstance(value, str | dict):
            raise InputError(f"{where}: {abbreviate(value)} is neither a text nor an object")
        yield where, value
        position = _skip_space(text, position)
        end = text[position : position + 1]
        if end == "]" and not text[position + 1 :].strip():
            return
        if end != ",":
            raise _broken(file.name, 1, text, position, "expecting , or ]")
        position = _skip_space(text, position + 1)


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def is_json_array(file: TextFile) -> bool:
    """Return whether a file is a JSON array of texts or of objects.

    Plain text may begin with a bracket, too. A file whose name ends in .json need not be valid.
    """
    if not _ARRAY.match(file.text):
        return False
    if io.suffix_of(file.path) == ".json":
        return True
    try:
        return all(True for _ in items(file))
    except RepeatedFieldError:
        return True
    except InputError:
        return False


def dump_rows(rows: Iterable[object], name: str, limits: Limits) -> list[str]:
    """Return the rows of a table as lines of JSON; dates and the like become text.

    More characters than a file may have are a `LimitError`: a text that is stored once may be in
    many cells.
    """
    lines, size = [], 0
    for row in rows:
        lines.append(json.dumps(row, default=str, ensure_ascii=False))
        size += len(lines[-1])
        if size > limits.max_file:
            raise LimitError(
                f"more than {limits.max_file} characters in the cells",
                place=name,
                hint=("split the file, or use a greater ", Setting("max_file")),
            )
    return lines


def paths_of(values: Mapping[str, object], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the paths of all fields; dots separate the names of nested objects, also in lists.

    >>> list(paths_of({"id": 1, "translation": {"en": "An umbrella", "zh": "雨伞"}}))
    ['id', 'translation.en', 'translation.zh']
    >>> list(paths_of({"choices": [{"message": {"content": "雨伞"}}]}))
    ['choices.0.message.content']
    """
    for name, value in values.items():
        inner = _members(value) if depth < _MAX_DEPTH else {}
        if inner:
            yield from paths_of(inner, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name


def _members(value: object) -> Mapping[str, object]:
    """Return the members of an object, or of a list of objects, by name or number."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        return {str(number): item for number, item in enumerate(value[:_MAX_ITEMS_READ])}
    return {}


def value_at(values: object, path: str) -> object:
    """Return the value of a field, or None; the longest name that a member has wins.

    >>> value_at({"translation": {"zh": "雨伞"}}, "translation.zh")
    '雨伞'
    >>> value_at({"a.b": {"c": 1}, "a": [{"b": 2}]}, "a.b.c"), value_at({"a": [5, 6]}, "a.1")
    (1, 6)
    >>> value_at({"messages": [{"content": "Buy"}, {"content": "买"}]}, "messages.-1.content")
    '买'
    """
    if isinstance(values, list):
        number, _, rest = path.partition(".")
        if not is_digits(number.removeprefix("-")) or len(number) > 9:
            return None
        index = int(number)
        if not -len(values) <= index < len(values):
            return None
        return value_at(values[index], rest) if rest else values[index]
    if not isinstance(values, Mapping):
        return None
    if path in values:
        return values[path]
    end = path.rfind(".")
    while end > 0:
        if path[:end] in values:
            return value_at(values[path[:end]], path[end + 1 :])
        end = path.rfind(".", 0, end)
    return None


def known_name(name: str, available: Collection[str]) -> str | None:
    """Return the name as a table has it, or None.

    Case, width and white space count only if two names differ by nothing else.

    >>> known_name("ref", ["ID", "Ref"]), known_name("ref", ["Ref", "REF"])
    ('Ref', None)
    >>> known_name("王明", ["王小明", "王　明"])
    '王　明'
    """
    if name in available:
        return name
    alike = [other for other in available if other.casefold() == name.casefold()]
    if not alike and (plain := plain_name(name)):
        alike = [other for other in available if plain_name(other) == plain]
    return alike[0] if len(alike) == 1 else None


def plain_name(name: str) -> str:
    """Return a name without case, width and white space.

    >>> plain_name("ＧＰＴ-4 "), plain_name("王　明")
    ('gpt-4', '王明')
    """
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def check_surrogates(where: str, text: str) -> str:
    """Return the text; `InputError` if it has half a character, which no output could write."""
    if _HALF.search(text):
        raise InputError(
            f"{where}: {abbreviate(text)} has half of a surrogate pair; write both halves"
        )
    return text


def abbreviate(value: object) -> str:
    """Return a value for a message, at most 40 characters of it."""
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
