"""TSV files of scores → rows, with their line numbers for messages.

A file has a header that names its columns, `score` among them; columns that nobody asks for are
passed over. Or it has none, and lines of two columns, system and score, as in the WMT metrics
tasks: a system that has several lines then has one a segment, in the order of the segments. An
absent score is `None`, `nan` or nothing.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass

from celab.corpus import name_of, read_lines
from celab.errors import InputError

JUDGES = ("judge", "rater", "annotator")  # what a column of judges may be called
ABSENT = ("none", "nan", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One line; "" where the file has no such column, and no segment where it has none."""

    line: int
    system: str
    segment: int | None
    score: float | None
    judge: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A file, its columns (none without a header) and its rows."""

    name: str
    columns: tuple[str, ...]
    rows: list[Row]

    def wrong(self, row: Row, what: str) -> InputError:
        """The error about one of the rows."""
        return InputError(f"{self.name}, line {row.line}: {what}")

    def need(self, *names: str) -> None:
        """Raises unless a header, if there is one, has these columns."""
        for name in names:
            if self.columns and name not in self.columns:
                raise InputError(
                    f"{self.name} has the columns {', '.join(self.columns)}; it must have {name}"
                )


def read(path: str | os.PathLike[str], score: str = "score") -> Table:
    """The table; `score` is the name of its column of numbers."""
    name = name_of(os.fspath(path))
    lines = [line.split("\t") for line in read_lines(path)]
    columns = tuple(cell.strip().lower() for cell in lines[0])
    if score not in columns:
        return Table(name, (), _without_header(name, lines, score))
    place = {column: i for i, column in reversed(list(enumerate(columns)))}
    judge = next((place[column] for column in JUDGES if column in place), None)
    rows = []
    for number, cells in _filled(lines[1:], 2):
        if len(cells) != len(columns):
            raise InputError(
                f"{name}, line {number}: {len(cells)} columns, but the header has {len(columns)};"
                " they must agree"
            )
        rows.append(
            Row(
                number,
                cells[place["system"]] if "system" in place else "",
                _segment(name, number, cells[place["segment"]]) if "segment" in place else None,
                _score(name, number, cells[place[score]], score),
                "" if judge is None else cells[judge],
                cells[place["metric"]] if "metric" in place else "",
            )
        )
    return Table(name, columns, _some(rows, name))


def _without_header(name: str, lines: list[list[str]], score: str) -> list[Row]:
    rows: list[Row] = []
    for number, cells in _filled(lines, 1):
        if score != "score" or len(cells) != 2:
            raise InputError(
                f"{name}, line {number}: {len(cells)} columns and no header that names {score};"
                + (" there must be one" if score != "score" else
                   " there must be one, or two columns, system and score")
            )  # fmt: skip
        rows.append(Row(number, cells[0], None, _score(name, number, cells[1], score)))
    lines_of = Counter(row.system for row in rows)
    if max(lines_of.values(), default=0) > 1:
        rows = _in_order(rows)
    return _some(rows, name)


def _in_order(rows: list[Row]) -> list[Row]:
    seen: Counter[str] = Counter()
    found = []
    for row in rows:
        found.append(Row(row.line, row.system, seen[row.system], row.score))
        seen[row.system] += 1
    return found


def _filled(lines: list[list[str]], first: int) -> list[tuple[int, list[str]]]:
    """The lines that are not blank, with their numbers."""
    return [
        (number, [cell.strip() for cell in cells])
        for number, cells in enumerate(lines, first)
        if any(cell.strip() for cell in cells)
    ]


def _some(rows: list[Row], name: str) -> list[Row]:
    if not rows:
        raise InputError(f"{name} has no line with a score; it must have at least one")
    return rows


def _segment(name: str, line: int, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{name}, line {line}: segment is {text!r}; it must be a whole number")
    return int(text)


def _score(name: str, line: int, text: str, column: str) -> float | None:
    if text.lower() in ABSENT:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(
            f"{name}, line {line}: {column} is {text!r}; it must be a number, or None if absent"
        )
    return score
