"""Cilin (同义词词林, extended): a code and the words that share it, as lines or as a tree.

    Aa01A01= 人 士 人物                                                           text
    {"A": {"sub": {"a": {"sub": {"01": {"sub": {"A": {"sub": {"01=": ["人", …     JSON

The code's five levels are its letters and digits (A, a, 01, A, 01); `=` marks synonyms, `#` related
words, `@` a word that stands alone. The label is the whole code. Lines of one code are one group.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from celab.base.errors import LexiconError
from celab.lexicon.source import Labeled, SourceFile, rows_of

_CODE = re.compile(r"([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])(?=\s|$)")
_TREE = re.compile(r'\s*\{\s*"[A-Z]"\s*:\s*\{\s*"(?:tag|sub)"')


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment has a code, or the text is a tree."""
    first = next(iter(rows_of(head)), "").strip()
    return bool(_CODE.match(first) or _TREE.match(head))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what is known of Cilin; the file itself states nothing."""
    return (
        "HIT IR-Lab Tongyici Cilin (Extended)",
        "no licence granted by its makers: for research",
        "",
    )


def read_groups(source: SourceFile) -> Labeled:
    """Return one group per code."""
    if _TREE.match(source.head()):
        return _leaves(source, _tree(source), "")
    words: dict[str, list[str]] = {}
    for number, line in source.rows():
        line = line.strip()
        code = _CODE.match(line)
        if not code:
            # Cilin files have no bad lines, so one means that the file is damaged.
            raise LexiconError(
                f"lexicon {source.path}, line {number}: {line[:20]!r} has no Cilin code;"
                " it must start like 'Aa01A01= '"
            )
        words.setdefault(code[0], []).extend(line[code.end() :].split())
    return iter(words.items())


def _tree(source: SourceFile) -> object:
    try:
        return json.loads("\n".join(line for _, line in source.lines()))
    except (json.JSONDecodeError, RecursionError) as error:
        raise LexiconError(
            f"lexicon {source.path} is not a complete Cilin tree ({error}); it must be JSON"
        ) from None


def _leaves(source: SourceFile, node: object, code: str) -> Iterator[tuple[str, list[str]]]:
    for key, below in node.items() if isinstance(node, dict) else ():
        label = code + key
        if isinstance(below, dict) and len(label) < len("Aa01A01="):
            yield from _leaves(source, below.get("sub"), label)
        elif (
            _CODE.fullmatch(label)
            and isinstance(below, list)
            and all(isinstance(word, str) for word in below)
        ):
            yield label, below
        else:
            raise LexiconError(
                f"lexicon {source.path}: {label!r} is not a Cilin code with a list of words;"
                " it must be like 'Aa01A01='"
            )
