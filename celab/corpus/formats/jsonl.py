"""JSON Lines: one object a line; blank lines are skipped. References may be a list of texts."""

from __future__ import annotations

import json

from celab.corpus.files import lines_of
from celab.corpus.formats.tables import USUAL, Record, parts
from celab.corpus.model import Part, TextFile
from celab.errors import InputError


def recognises(file: TextFile) -> bool:
    """Whether the first line that is not blank is an object."""
    return _object(file.text.lstrip().partition("\n")[0]) is not None


def read(file: TextFile) -> list[Part]:
    """One part a field that is wanted, and several for a list."""
    records = []
    for number, line in enumerate(lines_of(file.text), start=1):
        if not line.strip():
            continue
        values = _object(line)
        if values is None:
            raise InputError(
                f"{file.name}, line {number}: {line[:30]!r} is no object of JSON; "
                "each line must be one, or name the format with --format"
            )
        records.append(Record(number, values))
    available = dict.fromkeys(name for record in records for name in record.values)
    found = parts(file, available, records)
    if not found:
        usual = ", ".join(name for kind in ("reference", "system") for name in USUAL[kind])
        raise InputError(
            f"{file.name} has none of the fields {usual}; name its fields, "
            "or give --format plain to score it as it stands"
        )
    return found


def _object(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
