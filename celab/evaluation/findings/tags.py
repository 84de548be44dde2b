"""Tags: text and inline codes → the tags in them.

A tag of HTML counts, and so does any other that has attributes, closes itself or has its partner in
the text: `<0>…</0>`. Others, such as `<name>` in prose, do not. Attributes may be translated, so
only names are compared; `<br>`, `<br/>` and `<br />` are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,30}|\d{1,3})((?:\s+[^<>]{0,500})?)(\s*/)?>")
_ATTRIBUTES = re.compile(r"\s+[\w:.-]+\s*=\s*[\"'\w]")
_EMPTY = frozenset("br hr img input wbr area base col embed link meta source track".split())
_HTML = _EMPTY | frozenset(
    "a abbr b bdi bdo big blockquote body button caption center cite code dd del details dfn div dl"
    " dt em figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header html i iframe ins kbd"
    " label legend li main mark nav ol optgroup option p pre q rp rt ruby s samp script section"
    " select small span strike strong style sub summary sup svg table tbody td textarea tfoot th"
    " thead title tr tt u ul var video audio canvas".split()
)


class Tag(NamedTuple):
    """A tag of a text, as it is compared."""

    name: str
    closes: bool
    is_empty: bool

    def __str__(self) -> str:
        return f"<{'/' * self.closes}{self.name}{'/' * self.is_empty}>"


def tags_of(text: str) -> list[Tag]:
    """Return the tags of a text, in their order.

    >>> [str(tag) for tag in tags_of("<b>Hi</b><br> <name> 1 < 2")]
    ['<b>', '</b>', '<br/>']
    """
    return [tag for tag, _ in tag_spans(text)]


def tag_spans(text: str) -> list[tuple[Tag, tuple[int, int]]]:
    """Return the tags of a text with the places where they stand, in their order."""
    if "<" not in text:
        return []
    matches = list(_TAG.finditer(text))
    closed = {match[2].lower() for match in matches if match[1]}
    opened = {match[2].lower() for match in matches if not match[1]}
    tags = []
    for match in matches:
        name = match[2].lower()
        is_empty = name in _EMPTY or bool(match[4]) or match[3].endswith("/")
        is_paired = name in closed and name in opened
        if name in _HTML or is_empty or is_paired or _ATTRIBUTES.match(match[3]):
            tags.append((Tag(name, bool(match[1]) and not is_empty, is_empty), match.span()))
    return tags


def is_nested(tags: Sequence[Tag]) -> bool:
    """Return whether every tag is closed, in the opposite order."""
    return misplaced(tags) is None


def misplaced(tags: Sequence[Tag]) -> Tag | None:
    """Return the first tag that closes another than the last one that is open, or is not closed."""
    is_open: list[Tag] = []
    for tag in tags:
        if tag.is_empty:
            continue
        if not tag.closes:
            is_open.append(tag)
        elif not is_open or is_open.pop().name != tag.name:
            return tag
    return is_open[0] if is_open else None


def compare(source: str, output: str) -> tuple[list[str], list[str]]:
    """Return the tags that the output has lost and added; one in a wrong place is added.

    >>> compare("Press <b>OK</b>", "按<b>确定"), compare("<b><i>x</i></b>", "<b><i>x</b></i>")
    ((['</b>'], []), ([], ['</b>']))
    """
    expected, seen = tags_of(source), tags_of(output)
    if not expected and not seen:
        return [], []
    lost, added = _difference(list(map(str, expected)), list(map(str, seen)))
    if not lost and not added and is_nested(expected) and (tag := misplaced(seen)):
        return [], [str(tag)]
    return lost, added


def compare_codes(source: Sequence[str], output: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the inline codes that the output has lost and added."""
    return _difference(source, output) if source != output else ([], [])


def _difference(source: Sequence[str], output: Sequence[str]) -> tuple[list[str], list[str]]:
    expected, seen = Counter(source), Counter(output)
    return list((expected - seen).elements()), list((seen - expected).elements())
