"""Scores as COMET and MetricX write them → rows, as those of a table.

    COMET     the JSON of `comet-score --to_json`: an object that has a list of segments for each
              file; or the lines that it prints, which count segments from 0
    MetricX   JSON Lines with `prediction`, of one system; lower is better

A row of both has the translation that was judged, so that a score is not given to another text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from celab.base import io
from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.base.json_files import JsonError, parse_json
from celab.base.numbers import GREATEST, decimal

_PRINTED = re.compile(r"(?P<file>[^\t]+)\tSegment (?P<segment>[0-9]{1,18})\tscore: (?P<score>\S+)")
_PRINTED_SYSTEM = re.compile(r"[^\t]+\tscore: \S+")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A line of a score table; "" or None where the file has no such column."""

    where: str  # file and line
    system: str
    segment: int | None
    score: float | None
    judge: str = ""
    metric: str = ""
    text: str | None = None  # the translation that was judged
    lower_is_better: bool = False

    def error(self, message: str) -> InputError:
        """Return an error that names this line."""
        return InputError(f"{self.where}: {message}")


def rows_of_tools(text: str, name: str) -> list[ScoreRow] | None:
    """Return the rows of a file that COMET or MetricX wrote; None if it is none of theirs."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        first_line = start.partition("\n")[0]
        first = _parsed(first_line)
        if isinstance(first, dict) and "prediction" in first:
            return [*_metricx_rows(text, name)]
        if isinstance(first, dict) and not _is_comet(first):
            return None  # other JSON Lines
        return [*_comet_rows(start, name)]
    if any(map(_PRINTED.fullmatch, io.split_lines(text[: 1 << 16]))):
        return [*_printed_rows(text, name)]
    return None


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except JsonError:
        return None


def _is_comet(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(items, list)
        and all(isinstance(item, dict) and "COMET" in item for item in items)
        for items in value.values()
    )


def comet_items(text: str, name: str) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Yield the place, the file, the number (from 0) and the object of each segment."""
    try:
        value = parse_json(text)
    except JsonError as error:
        raise InputError(f"{name}: {error}") from None
    if not _is_comet(value) or not value:
        raise InputError(
            f"{name} is not JSON of comet-score --to_json; it must be an object with a list for"
            " each file, whose items have COMET"
        )
    for file, items in value.items():
        for number, item in enumerate(items):
            yield f"{name}, {file}, segment {number + 1}", file, number, item


def _comet_rows(text: str, name: str) -> Iterator[ScoreRow]:
    for where, file, number, item in comet_items(text, name):
        score, output = number_in(item["COMET"], where, "COMET"), _text(item.get("mt"))
        yield ScoreRow(where, file, number, score, text=output)


def _printed_rows(text: str, name: str) -> Iterator[ScoreRow]:
    for number, line in enumerate(io.split_lines(text), 1):
        where = f"{name}, line {number}"
        if (match := _PRINTED.fullmatch(line.rstrip())) is not None:
            score = decimal(match["score"])
            if score is None:
                raise InputError(f"{where}: the score is {match['score'][:40]!r}; it is no number")
            yield ScoreRow(where, match["file"], int(match["segment"]), score)
        elif "\tSegment " in line and not _PRINTED_SYSTEM.fullmatch(line.rstrip()):
            raise InputError(
                f"{where}: {line[:60]!r} is not as COMET prints it: FILE, Segment 0, score: 0.9312"
            )


def _metricx_rows(text: str, name: str) -> Iterator[ScoreRow]:
    number = 0
    for line_number, line in enumerate(io.split_lines(text), 1):
        if not line.strip():
            continue
        where = f"{name}, line {line_number}"
        value = _parsed(line)
        if not isinstance(value, dict) or "prediction" not in value:
            raise InputError(f"{where}: {line[:30]!r} is not a JSON object with prediction")
        score = number_in(value["prediction"], where, "prediction")
        system = next((str(value[key]) for key in ("system", "system_id") if key in value), "")
        output = _text(value.get("hypothesis"))
        yield ScoreRow(where, system, number, score, text=output, lower_is_better=True)
        number += 1


def number_in(value: Any, where: str, field: str) -> float | None:
    """Return a number of JSON, or None for null; `InputError` if it is neither."""
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= GREATEST:
        raise InputError(f"{where}: {field} is {str(value)[:40]!r}; it must be a number")
    return float(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
