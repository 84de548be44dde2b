"""JSON in text files: values, with the line and the column where it is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from celab.base import io
from celab.base.errors import InputError, LimitError, Setting
from celab.base.options import Limits
from celab.corpus.formats.fields import Record, abbreviate
from celab.corpus.model import TextFile


class RepeatedFieldError(InputError):
    """An object has a field twice, with different values."""


class _Repeated(Exception):
    """The name of such a field."""


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


def records_of_lines(file: TextFile) -> Iterator[Record]:
    """Yield the object in each line that is not blank."""
    for number, line in enumerate(io.split_lines(file.text), start=1):
        if not line.strip():
            continue
        where = f"{file.name}, line {number}"
        value = _decode(line, where, file.name, number)
        if not isinstance(value, dict):
            raise InputError(
                f"{where}: {line[:30]!r} is not a JSON object; "
                "each line must be one, or give the format"
            )
        yield Record(where, value)


def whole_object(file: TextFile) -> dict[str, object]:
    """Return the object that a file is."""
    value = _decode(file.text, file.name, file.name, 1)
    if not isinstance(value, dict):
        raise InputError(f"{file.name} is not a JSON object; its first character must be {{")
    return value


def _decode(text: str, where: str, name: str, first_line: int) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply") from None
    except _Repeated as error:
        raise _repeated(where, error) from None
    except json.JSONDecodeError as error:
        raise _broken(name, first_line, text, error.pos, error.msg) from None
    except ValueError:
        raise InputError(f"{where}: a number has too many digits") from None


def _repeated(where: str, error: _Repeated) -> RepeatedFieldError:
    return RepeatedFieldError(
        f"{where}: {abbreviate(error.args[0])} occurs twice in one object, with different values;"
        " each field must occur once"
    )


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
        value, position = _item(file, position, where)
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


def _item(file: TextFile, position: int, where: str) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(file.text, position)
    except RecursionError:
        raise InputError(f"{where} is nested too deeply") from None
    except _Repeated as error:
        raise _repeated(where, error) from None
    except json.JSONDecodeError as error:
        raise _broken(file.name, 1, file.text, error.pos, error.msg) from None
    except ValueError:
        raise InputError(f"{where}: a number has too many digits") from None


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
