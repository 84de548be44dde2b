"""Plain groups: one per line, words separated by tabs; the format of our own lexicons.

A line that starts with `#` is a comment; so is a last cell that does, usually a gloss:

    雨伞	伞	# umbrella

Without the tab before it, the comment is a part of the word, which then never matches; the reader
warns.
"""

from __future__ import annotations

import re
from pathlib import Path

from celab.base.errors import LexiconError
from celab.lexicon.source import Labeled, SourceFile, rows_of

GENERALITY = 1  # a tab is all there is to recognize the format by

_LONGEST_SHOWN = 30  # characters of a word in a message
_COMMENT = re.compile(r"\s#")  # in a word; C# is one


def recognizes(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment has a tab, or is a single word.

    `read_groups` reports the single word.
    """
    first = next(iter(rows_of(head)), "").strip()
    lone_word = len(first.split()) == 1 and not set(",;|") & set(first)
    return "\t" in first or lone_word


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what comment lines such as `# licence: CC0` state."""
    properties: dict[str, str] = {}
    for line in head.split("\n"):
        if line.startswith("#") and ":" in line:
            key, _, value = line.lstrip("# ").partition(":")
            properties.setdefault(key.strip().lower(), value.strip())
    return (
        properties.get("origin", ""),
        properties.get("licence", ""),
        properties.get("version", ""),
    )


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per line; warn about comments inside words."""
    commented, n_commented = (0, ""), 0
    for number, line in source.rows():
        cells = [cell.strip() for cell in line.split("\t")]
        gloss = cells.pop().lstrip("# ") if cells[-1].startswith("#") else ""
        words = [cell for cell in cells if cell]
        if len(words) < 2:
            raise LexiconError(
                f"lexicon {source.path}, line {number}: {line[:20]!r} is one word;"
                " a group needs two or more, separated by tabs"
            )
        for word in filter(_COMMENT.search, words):
            commented = commented if n_commented else (number, word)
            n_commented += 1
        yield f"line {number} ({gloss})" if gloss else f"line {number}", words
    if n_commented:
        number, word = commented
        n_more = n_commented - 1
        like = f", like {n_more:,} more word{'s' * (n_more > 1)}" * (n_more > 0)
        word = word[:_LONGEST_SHOWN]
        source.add_warning(
            number, f"the word {word!r} has a comment in it{like}; write a tab before #"
        )
