"""The header of a table: the row that names its columns, below titles, and their names.

A spreadsheet may have a title or two above its header: rows with far fewer cells than the table
below them. Names of columns are read as people write them: white space at their ends, of full
width or not, and line breaks within them are no part of a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from celab.base.errors import InputError
from celab.base.messages import note, warn
from celab.base.options import is_digits
from celab.corpus.formats.fields import KNOWN_NAMES
from celab.corpus.formats.json_text import plain_name
from celab.corpus.formats.quoting import Row
from celab.corpus.model import TextFile

MAX_SAMPLE_ROWS = 20  # their cells tell what a column has
MAX_TITLES = 3  # rows above a header
_MAX_NAME = 30  # characters
_SENTENCE_ENDS = tuple("。！？….!?")
# Names of columns are short and have no punctuation of sentences; pandas calls one 0.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,29}(?: [A-Za-z0-9_.-]{1,20}){0,2}(?<!\.)|[0-9]{1,3}")
_CHINESE_NAMES = KNOWN_NAMES | {"文本", "句子"}
_NUMBERS = re.compile("[0-9]+(?:[-–－][0-9]*)?|rest")  # columns that are chosen without a name


class Header(NamedTuple):
    """Where a table begins, and the names of its columns."""

    first: int  # place of its first row: the header, or the first record
    names: list[str]  # names of all columns, each once; empty if no row has names


def clean_name(cell: str) -> str:
    """Return the name of a column without white space at its ends and line breaks.

    >>> clean_name("　王　明 "), clean_name("Engine\\nA")
    ('王 明', 'Engine A')
    """
    return " ".join(cell.split())


def may_be_name(cell: str) -> bool:
    """Return whether a cell may be the name of a column.

    >>> [may_be_name(cell) for cell in ("text", "Engine A", "0", "译文", "买伞", "I buy one.")]
    [True, True, True, True, False, False]
    """
    return bool(_NAME.fullmatch(cell)) or cell in _CHINESE_NAMES


def find_header(file: TextFile, rows: Sequence[Row], *, is_sheet: bool) -> Header:
    """Return the header of a table, from its first rows.

    A table whose columns are all chosen by number has a header if its first row seems to be one;
    numbers alone, without ranges, mean rows of CSV or TSV from the first on, unless one of these
    columns has a name that is known, or a column is known by nothing else.
    """
    unit = "row" if is_sheet else "line"
    name, chosen = file.name, [str(field) for field in file.fields.named]
    if not file.has_header:
        return Header(0, [])
    if not is_sheet and chosen and all(map(is_digits, chosen)):
        needs_name = file.requires("reference") and not file.fields.ref
        first = count_titles([cells for _, cells in rows]) if needs_name else 0
        has_names = needs_name and not KNOWN_NAMES.isdisjoint(map(clean_name, rows[first][1]))
        if not has_names:
            first, has_names = 0, _has_known_name(name, rows[0][1], chosen)
    else:
        first = count_titles([cells for _, cells in rows], chosen)
        are_numbers = bool(chosen) and all(map(_NUMBERS.fullmatch, chosen))
        has_names = not are_numbers or has_header([cells for _, cells in rows[first:]])
    if first:
        _tell_titles(name, [number for number, _ in rows[: first + 1]], unit, has_names=has_names)
    number, cells = rows[first]
    return Header(first, _names(f"{name}, {unit} {number}", cells, chosen) if has_names else [])


def count_titles(rows: Sequence[Sequence[str]], chosen: Collection[str] = ()) -> int:
    """Return the number of title rows above the header.

    The header is the first row with a name that is known or chosen, if all rows above it have
    fewer cells, or else the first that has half as many cells as the fullest row.

    >>> count_titles([["期中考试", "", ""], ["题号", "参考译文", "王小明"], ["1", "雨伞", "伞"]])
    1
    """
    sizes = [sum(bool(cell.strip()) for cell in row) for row in rows]
    names = KNOWN_NAMES | {plain_name(name) for name in chosen if not is_digits(name)}
    for place, row in enumerate(rows[: MAX_TITLES + 1]):
        is_known = not names.isdisjoint(map(plain_name, row))
        if is_known and all(size < sizes[place] for size in sizes[:place]):
            return place
    most = max(sizes, default=0)
    for place, size in enumerate(sizes[: MAX_TITLES + 1]):
        if most > 1 and 2 * size >= most:
            return place
    return 0


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names columns: a name is known, or all cells may be names."""
    if not rows:
        return False
    first, *others = rows
    names = [name for name in map(clean_name, first) if name]
    if not KNOWN_NAMES.isdisjoint(map(str.lower, names)):
        return True
    if len({*names}) < len(names) or 2 * len(names) <= len(first):
        return False
    if all(map(may_be_name, names)):
        return True
    are_short = all(len(name) <= _MAX_NAME and not name.endswith(_SENTENCE_ENDS) for name in names)
    lengths = [sum(map(len, row)) for row in others]
    is_shorter = sum(map(len, names)) * len(lengths) < sum(lengths)
    have_sentences = any(cell.endswith(_SENTENCE_ENDS) for row in others for cell in row)
    return are_short and (is_shorter or have_sentences)


def _has_known_name(name: str, first: Sequence[str], chosen: Sequence[str]) -> bool:
    """Return whether the first line names columns that are all chosen by number."""
    numbers = [int(field) for field in chosen if 0 < int(field) <= len(first)]
    cells = [first[number - 1] for number in numbers]
    if not KNOWN_NAMES.isdisjoint(map(str.lower, cells)) or (
        len(numbers) < len(chosen) and {*chosen} & {*first}
    ):
        return True
    if cells and all(map(may_be_name, cells)):
        warn(
            f"{name}, line 1: {', '.join(cells)} is read as a segment; if these are names of"
            " columns, choose the columns by their names"
        )
    return False


def _tell_titles(name: str, numbers: Sequence[int], unit: str, *, has_names: bool) -> None:
    *titles, first = numbers
    rows = f"{unit} {titles[0]} is a title"
    if len(titles) > 1:
        rows = f"{unit}s {titles[0]} to {titles[-1]} are titles"
    then = (
        f"{unit} {first} names the columns" if has_names else f"the texts begin in {unit} {first}"
    )
    note(f"{name}: {rows}, {then}")


def _names(place: str, cells: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return the names of all columns; an unnamed column has its number, or "" if it is alone.

    `InputError` if a name that may be meant occurs twice, or is the number of another column.
    """
    names = [clean_name(cell) for cell in cells]
    times = Counter(filter(None, names))
    repeated = {name: n for name, n in times.items() if n > 1}
    meant = {*map(plain_name, chosen)}
    for name, n in repeated.items():
        is_meant = plain_name(name) in meant or name.lower() in KNOWN_NAMES
        if is_meant or not any(map(_NUMBERS.fullmatch, chosen)):
            raise InputError(
                f"{place}: column {name!r} occurs {n} times; "
                "give columns distinct names, or choose them by number"
            )
    for field in chosen:
        refuse_ambiguous(place, names, field)
    is_index = names.count("") == 1  # pandas leaves the heading of its index empty
    return [
        f"{name} (column {number})"
        if name in repeated
        else name or ("" if is_index else str(number))
        for number, name in enumerate(names, 1)
    ]


def refuse_ambiguous(place: str, header: Sequence[str], field: str) -> None:
    """Raise `InputError` if a field is the name of one column and the number of another."""
    if field not in header or not is_digits(field):
        return
    number = header.index(field) + 1
    if number != int(field) and 0 < int(field) <= len(header):
        raise InputError(
            f"{place}: column {number} has the name {field!r}, so {field} may be that column"
            f" or column {field}",
            hint="give the columns names that are no numbers",
        )


def are_alike(first: Iterable[str], second: Iterable[str]) -> bool:
    """Return whether two headers name the same columns, or most of them.

    >>> are_alike(["题号", "参考译文", "王明"], ["题号", "参考译文", "王明", "李华"])
    True
    """
    sides = [{plain_name(cell) for cell in cells if cell.strip()} for cells in (first, second)]
    n_common = len(sides[0] & sides[1])
    return n_common > 1 and 2 * n_common > max(map(len, sides))
