"""Pairs of words as CSV: `umbrella,brolly`, with commas or semicolons, quoted where needed.

A first line `word,synonym` is a header, a line that starts with `#` a comment. Each other line is a
group of two, with the label `line N`.
"""

from __future__ import annotations

import csv
from pathlib import Path

from celab.lexicon.source import Labeled, SourceFile, rows_of

GENERALITY = 2  # a line of almost any text may be two words with a comma

_SAMPLE = 50  # lines looked at
_HEADERS = (["word", "synonym"], ["word", "synonyms"], ["word1", "word2"])


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line and nine of ten others have two cells."""
    if "openthesaurus" in "".join(s for s in head.split("\n") if s.startswith("#")).lower():
        return False
    lines = _sample(head)
    if not lines or lines[0][0] in "<{[" or any("\t" in s or s.endswith("/") for s in lines):
        return False
    delimiter = _delimiter(lines)
    two = [_is_pair(line, delimiter) for line in lines]
    return two[0] and sum(two) >= 0.9 * len(two)


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return nothing: the file states nothing of itself."""
    return "", "", ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per line."""
    delimiter = _delimiter(_sample(source.head()))
    first = True
    for number, line in source.rows():
        cells = _cells(line, delimiter)
        is_header, first = first and [cell.lower() for cell in cells] in _HEADERS, False
        if is_header:
            continue
        if len(cells) == 2 and all(cells):
            yield f"line {number}", cells
        else:
            source.skip(number, f"{line[:20]!r} is not a pair such as 'word{delimiter}synonym'")


def _sample(head: str) -> list[str]:
    return [line.strip() for line in rows_of(head)[:_SAMPLE]]


def _delimiter(lines: list[str]) -> str:
    # Words may hold the other one: "Berlin, Stadt;Hauptstadt".
    return max(",;", key=lambda mark: sum(_is_pair(line, mark) for line in lines))


def _is_pair(line: str, delimiter: str) -> bool:
    cells = _cells(line, delimiter)
    return len(cells) == 2 and all(cells)


def _cells(line: str, delimiter: str) -> list[str]:
    # Line by line: a quote that is not closed must not swallow the lines after it.
    try:
        (cells,) = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
    except csv.Error:
        return []
    return [cell.strip() for cell in cells]
