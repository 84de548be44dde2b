"""Sudachi's synonym dictionary: one word per line, `000127,1,0,1,0,2,0,(医療),インフル,,`.

The first column is the group, the ninth the word. Those between tell nouns from verbs, how forms of
a word are related, and its field; they may be empty. The third is 2 for a word that was taken out
of its group: such rows are kept only so that nobody adds it again, and are left out here. Blank
lines between groups are optional. The label is `group 000127`.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from celab.lexicon.source import Labeled, SourceFile

_GROUP, _EXPANSION, _WORD = 0, 2, 8
_TAKEN_OUT = "2"
_ROW = re.compile(r"\d{6},[12]?,[012]?,\d*,\d?,\d?,\d?,[^,]*,[^,]", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line has the columns of the format."""
    return bool(_ROW.match(head.lstrip()))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what is known of the dictionary, which is published with SudachiDict."""
    return "Sudachi synonym dictionary (Works Applications)", "Apache-2.0", ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per number, in the order of their first rows."""
    groups: dict[str, list[str]] = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            (cells,) = csv.reader([line], strict=True)
        except csv.Error as error:
            source.skip(number, f"{line[:20]!r} is not valid CSV ({error})")
            continue
        cells = [cell.strip() for cell in cells]
        if len(cells) <= _WORD or not _NUMBER.fullmatch(cells[_GROUP]) or not cells[_WORD]:
            source.skip(number, f"{line[:20]!r} has no group in column 1 and word in column 9")
        elif cells[_EXPANSION] != _TAKEN_OUT:
            groups.setdefault(f"group {cells[_GROUP]}", []).append(cells[_WORD])
    yield from groups.items()
