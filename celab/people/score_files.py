"""Tables of scores, and the files of COMET and MetricX → rows.

A table is TSV, CSV or JSON Lines. It has a header that names its columns, `score` among them;
unknown columns are ignored. Or it has no header and two columns, system and score, as in the WMT
metrics tasks: several lines of a system are then its segments, in order. A missing score is `None`,
`nan` or empty; any other score is a decimal number from -1e100 to 1e100.

    COMET     the JSON of `comet-score --to_json`: an object that has a list of segments for each
              file; or the lines that it prints, which count segments from 0
    MetricX   JSON Lines with `prediction`, of one system; lower is better

Rows of both have the translation that was judged, so that a score is not given to another text.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.errors import InputError
from celab.base.json_files import JsonError, parse_json
from celab.base.options import GREATEST, Limits, decimal
from celab.corpus.formats.json_text import json_object
from celab.corpus.formats.quoting import rows_of
from celab.corpus.formats.records import csv_rows
from celab.tables.cells import quantity

_PRINTED = re.compile(r"(?P<file>[^\t]+)\tSegment (?P<segment>[0-9]{1,18})\tscore: (?P<score>\S+)")
_PRINTED_SYSTEM = re.compile(r"[^\t]+\tscore: \S+")


class ErrorSpan(NamedTuple):
    """An error: its place in the translation, or None, its severity and its category.

    `where` is the line of the error, if its judgment has several lines.
    """

    place: tuple[int, int] | None
    severity: str
    category: str = ""
    points: float | None = None
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """The judgment of one translation, or of a system; "" or None where the file has no such value.

    Attributes:
        where: file and line.
        system: name of the system in the file; in the corpus once it is matched.
        segment: number of the segment in the file; its index once it is matched.
        score: the score that the judge gave, or that follows from the errors.
        judge, metric: names of the judge and of the metric.
        text: the translation that was judged.
        lower_is_better: whether the file says that lower scores are better.
        spans: errors that the judge has marked.
    """

    where: str
    system: str
    segment: int | None
    score: float | None = None
    judge: str = ""
    metric: str = ""
    text: str | None = None
    lower_is_better: bool = False
    spans: tuple[ErrorSpan, ...] = ()

    def error(self, message: str) -> InputError:
        """Return an error that names this line."""
        return InputError(f"{self.where}: {message}")


def rows_of_tools(text: str, name: str) -> list[Judgment] | None:
    """Return the rows of a file of COMET or MetricX; None if it is another file."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        first = try_object(start.partition("\n")[0])
        if first is not None and "prediction" in first:
            return [*_metricx_rows(text, name)]
        if first is not None and not _is_comet(first):
            return None  # other JSON Lines
        return [*_comet_rows(start, name)]
    if any(map(_PRINTED.fullmatch, io.split_lines(text[: 1 << 16]))):
        return [*_printed_rows(text, name)]
    return None


def lines_of(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the location and the text of each line that is not blank."""
    for number, line in enumerate(io.split_lines(text.lstrip("\ufeff")), 1):
        if line.strip():
            yield f"{name}, line {number}", line


def try_object(text: str) -> JsonObject | None:
    """Return the JSON object in a text; None if it holds another value."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_json(text)
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def _is_comet(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(items, list)
        and all(isinstance(item, dict) and "COMET" in item for item in items)
        for items in value.values()
    )


def comet_items(text: str, name: str) -> Iterator[tuple[str, str, int, dict[str, Any]]]:
    """Yield the location, the file, the number (from 0) and the object of each segment."""
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


def _comet_rows(text: str, name: str) -> Iterator[Judgment]:
    for where, file, number, item in comet_items(text, name):
        score, output = number_in(item["COMET"], where, "COMET"), _text(item.get("mt"))
        yield Judgment(where=where, system=file, segment=number, score=score, text=output)


def _printed_rows(text: str, name: str) -> Iterator[Judgment]:
    for where, line in lines_of(text, name):
        if (match := _PRINTED.fullmatch(line.rstrip())) is not None:
            score = decimal(match["score"])
            if score is None:
                raise InputError(
                    f"{where}: the score is {match['score'][:40]!r}; it must be a number"
                )
            yield Judgment(
                where=where, system=match["file"], segment=int(match["segment"]), score=score
            )
        elif "\tSegment " in line and not _PRINTED_SYSTEM.fullmatch(line.rstrip()):
            raise InputError(
                f"{where}: {line[:60]!r} is not as COMET prints it: FILE, Segment 0, score: 0.9312"
            )


def _metricx_rows(text: str, name: str) -> Iterator[Judgment]:
    for number, (where, line) in enumerate(lines_of(text, name)):
        value = try_object(line)
        if value is None or "prediction" not in value:
            raise InputError(f"{where}: {line[:30]!r} is not a JSON object with prediction")
        score = number_in(value["prediction"], where, "prediction")
        system = next((str(value[key]) for key in ("system", "system_id") if key in value), "")
        output = _text(value.get("hypothesis"))
        yield Judgment(
            where=where,
            system=system,
            segment=number,
            score=score,
            text=output,
            lower_is_better=True,
        )


def number_in(value: Any, where: str, field: str) -> float | None:
    """Return a number of JSON, or None for null; `InputError` if it is neither."""
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= GREATEST:
        raise InputError(f"{where}: {field} is {str(value)[:40]!r}; it must be a number")
    return float(value)


def whole_number(text: str, where: str, column: str) -> int:
    """Return the whole number in a cell of a table."""
    if not re.fullmatch("[0-9]{1,18}", text.strip()):
        raise InputError(f"{where}: {column} is {text[:40]!r}; it must be a whole number")
    return int(text)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


JUDGES = ("judge", "rater", "annotator")  # names of the column of judges
COLUMNS = ("system", "segment", "score", "rank", "metric")
# A column with such a name is probably a column above, misspelt: an error, because unknown columns
# are ignored.
OTHER_NAMES = {
    "segment": ("seg", "segid", "seg_id", "segment_id", "segmentid", "globalsegid"),
    "system": ("sys", "sysid", "sys_id", "system_id", "systemid", "model", "engine"),
}
ABSENT = ("none", "nan", "")


def table_lines(
    path: str | os.PathLike[str], limits: Limits, separator: str | None = "\t"
) -> list[tuple[str, list[str]]]:
    """Return the location (file and line) and the cells of each non-empty line.

    A file called .csv is CSV; a file called .jsonl has an object per line, and the first row
    returned has the names of the fields. Without a separator, cells are separated by white space.
    """
    return _lines(io.read_text(path, limits=limits), path, separator)


def _lines(
    text: str, path: str | os.PathLike[str], separator: str | None
) -> list[tuple[str, list[str]]]:
    name = io.display_name(path)
    rows: Iterable[tuple[int, list[str]]]
    suffix = io.suffix_of(os.fspath(path))
    if suffix == ".csv":
        rows = csv_rows(text, name)
    elif suffix == ".jsonl":
        rows = _object_rows(text, name)
    elif separator == "\t":
        rows = rows_of(text, name)
    else:
        rows = ((k, line.split(separator)) for k, line in enumerate(io.split_lines(text), 1))
    stripped = ((number, [cell.strip() for cell in cells]) for number, cells in rows)
    return [(f"{name}, line {number}", cells) for number, cells in stripped if any(cells)]


def _object_rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    fields: list[str] = []
    for number, line in enumerate(io.split_lines(text), 1):
        if not line.strip():
            continue
        values = json_object(line)
        if values is None:
            raise InputError(f"{name}, line {number}: {line[:30]!r} is not a JSON object")
        if not fields:
            fields = list(values)
            yield number, fields
        if values.keys() != set(fields):
            raise InputError(
                f"{name}, line {number}: the fields are {', '.join(values) or 'none'}, but the"
                f" first line has {', '.join(fields)}"
            )
        yield number, [str(values[field]) for field in fields]


def rows_in(
    text: str,
    path: str | os.PathLike[str],
    needed: Sequence[str],
    unique: Sequence[str],
    score: str = "score",
    n_segments: int | None = None,
    separator: str | None = "\t",
) -> tuple[list[Judgment], str]:
    """Return all rows of the text of a file, and how it counts segments.

    Segments are counted as in a "table" if there is a column of segments, by "order" if the rows
    are in the order of the segments; "system" if rows are of whole systems.

    Parameters:
        text: the text of the file.
        path: the file.
        needed: columns that a header must name, beside `score`.
        unique: columns that identify a row: no two rows may agree in all of them.
        score: the column of the numbers.
        n_segments: the number of segments, if rows without a header are scores of segments.
        separator: text between cells; None for white space.
    """
    name = io.display_name(path)
    rows = rows_of_tools(text, name)
    if rows is not None:
        return _unique(rows, unique, ()), "order"
    lines = _lines(text, path, separator)
    header = tuple(cell.lower() for cell in lines[0][1]) if lines else ()
    if score not in header:
        header = ()
    _check_header(header, needed, name)
    rows = [_row(where, header, cells, score) for where, cells in lines[bool(header) :]]
    if not rows:
        raise InputError(f"{name} has no line with a score; it must have at least one")
    if not header:
        rows = _number_segments(rows, name, n_segments)
    numbering = "table" if header else "order"
    return _unique(rows, unique, header), "system" if rows[0].segment is None else numbering


def _check_header(header: Sequence[str], needed: Sequence[str], name: str) -> None:
    """Raise if a column is missing, occurs twice, or has another name than `segment`."""
    if not header:
        return
    columns = ", ".join(header)
    for column in needed:
        if column not in header:
            raise InputError(f"{name} has the columns {columns}; it must have {column}")
    for column in {*COLUMNS, *JUDGES}:
        if header.count(column) > 1:
            raise InputError(f"{name} has the columns {columns}; it must have {column} once")
    for column, others in OTHER_NAMES.items():
        other = next((other for other in others if other in header), None)
        if column not in header and other is not None:
            raise InputError(f"{name} has the columns {columns}; rename {other} to {column}")


def _unique(rows: list[Judgment], unique: Sequence[str], header: Sequence[str]) -> list[Judgment]:
    """Return the rows; raise if two agree in all the columns `unique`."""
    keys = set()
    for row in rows:
        key = tuple(getattr(row, column) for column in unique)
        if key in keys:
            pairs = zip(unique, key, strict=True)
            known = [(column, value) for column, value in pairs if value not in ("", None)]
            where = ", ".join(f"{column} {value}" for column, value in known) or "a system"
            without_judges = "judge" in unique and set(JUDGES).isdisjoint(header)
            hint = ", or add a column judge" if without_judges else ""
            raise row.error(f"{where} occurs again; each must occur once{hint}")
        keys.add(key)
    return rows


def _number_segments(rows: list[Judgment], name: str, n_segments: int | None) -> list[Judgment]:
    """Give the rows of each system numbers from 0, unless they are scores of whole systems."""
    n_lines = Counter(row.system for row in rows)
    if n_segments is None and len(n_lines) == len(rows):
        return rows
    for system, n in n_lines.items():
        if n_segments not in (None, n):
            raise InputError(
                f"{name} has {quantity(n, 'line')} of system {system}; without"
                f" a header, each system must have {n_segments}, one per segment"
            )
    numbers: defaultdict[str, count[int]] = defaultdict(count)
    return [replace(row, segment=next(numbers[row.system])) for row in rows]


def _row(where: str, header: Sequence[str], cells: list[str], score: str) -> Judgment:
    columns = header or ("system", "score")
    if header and len(cells) != len(header):
        raise InputError(f"{where}: {len(cells)} columns, but the header has {len(header)}")
    if len(cells) != len(columns) or score not in columns:
        raise InputError(
            f"{where}: {quantity(len(cells), 'column')} and no header that names {score}; there"
            f" must be one{', or two columns, system and score' if score == 'score' else ''}"
        )

    def cell(*names: str) -> str:
        return next((cells[columns.index(column)] for column in names if column in columns), "")

    segment, number = cell("segment"), cell(score)
    index = whole_number(segment, where, "segment") if "segment" in columns else None
    value = decimal(number)
    if value is None and number.lower() not in ABSENT:
        raise InputError(
            f"{where}: {score} is {number[:40]!r}; it must be a number such as -1.5, from"
            " -1e100 to 1e100, or None if absent"
        )
    return Judgment(
        where=where,
        system=cell("system"),
        segment=index,
        score=value,
        judge=cell(*JUDGES),
        metric=cell("metric"),
    )
