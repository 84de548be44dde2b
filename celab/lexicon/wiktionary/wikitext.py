"""A page of wikitext, whatever its edition: its sections, and the groups that its lists make.

Text → sections, for `german` and `chinese` to find lists of synonyms in; items of such a list →
groups. A group is the page's title and what one sense lists, labeled `Tisch, sense 1`. A line that
names no sense is a group of its own, `Tisch, no sense`, unless the word has one sense only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from celab.lexicon.model import Labeled
from celab.lexicon.wiktionary.words import fitting

if TYPE_CHECKING:
    from mwparserfromhell.wikicode import Wikicode

    Parse: TypeAlias = Callable[[str], Wikicode]  # that of mwparserfromhell

LONGEST_LINE = 1 << 15  # characters; real lists are shorter
MOST_OPEN = 40  # unclosed brackets or tags of a line; the time of parsing is quadratic in them

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Item(NamedTuple):
    """A line of a list of synonyms: the senses that it names, and its words."""

    senses: list[str]
    words: list[str]


def sections(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield level, heading and lines of each section, without comments and overlong lines."""
    level, heading = 1, ""
    lines: list[str] = []
    for line in _COMMENT.sub("", text).split("\n"):
        line = line.rstrip()
        if line.startswith("==") and line.endswith("=="):
            yield level, heading, lines
            heading = line.strip("= ")
            level, lines = len(line) - len(line.lstrip("=")), []
        elif len(line) <= LONGEST_LINE and _is_closed(line):
            lines.append(line)
    yield level, heading, lines


def _is_closed(line: str) -> bool:
    n_open = [line.count(a) - line.count(b) for a, b in ("{}", "[]", "<>")]
    return max(*n_open, line.count("<") - 2 * line.count("</") - line.count("/>")) <= MOST_OPEN


def labeled(title: str, edition: str, items: Iterable[Item], n_senses: int) -> Labeled:
    """Yield the groups of a title and the items of its list; the word has `n_senses` senses."""
    by_sense: dict[str, list[str]] = {}
    unnamed: list[list[str]] = []
    for senses, words in items:
        for sense in senses or (["1"] if n_senses == 1 else []):
            by_sense.setdefault(sense, []).extend(words)
        if not senses and n_senses != 1:
            unnamed.append(words)
    head = fitting(title, edition)
    for sense, words in by_sense.items():
        yield f"{title}, sense {sense}", head + words
    for words in unnamed:
        yield f"{title}, no sense", head + words
