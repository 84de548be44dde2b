"""Cilin (同义词词林, extended): `Aa01A01= 人 士 人物`, a code and the words that share it.

The code's five levels are its letters and digits (A, a, 01, A, 01); `=` marks synonyms, `#` related
words, `@` a word that stands alone. The label is the whole code. Lines of one code are one group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from celab.errors import LexiconError
from celab.lexicon.files import SourceFile
from celab.lexicon.model import Group

FORMAT = "cilin"
_CODE = re.compile(r"([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])(?=\s|$)")


def recognises(path: Path, head: str) -> bool:
    """By the code at the start of the first line that is no comment."""
    lines = (line.strip() for line in head.split("\n"))
    return bool(_CODE.match(next((x for x in lines if x and not x.startswith("#")), "")))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """The file says nothing of itself."""
    return (
        "HIT IR-Lab Tongyici Cilin (Extended)",
        "no licence granted by its makers: for research",
        "",
    )


def read(source: SourceFile) -> Iterator[Group]:
    """One group a code."""
    groups: dict[str, list[str]] = {}
    for number, line in source.lines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        code = _CODE.match(line)
        if not code:
            # A file that is damaged is worth more than a shrug: this one is always whole.
            raise LexiconError(
                f"lexicon {source.path}, line {number}: {line[:20]!r} has no Cilin code;"
                " it must start like 'Aa01A01= '"
            )
        groups.setdefault(code[0], []).extend(line[code.end() :].split())
    for label, words in groups.items():
        yield Group(label, tuple(words))
