"""Messages of ICU, such as `{n, plural, one {# file} other {# files}}` → what must stay.

The argument and its type must stay, and so must the selectors of `select` and exact numbers (`=0`).
Plural categories are those of the target language, so they may differ; `other` must be there. The
texts of the branches may change, but a placeholder in any of them must be in some branch.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_START = re.compile(
    r"\{\s*([\w.-]+)\s*,\s*"
    r"(plural|selectordinal|select|number|date|time|spellout|ordinal|duration|choice)\s*(?=[,}])"
)
_BRANCH = re.compile(r"\s*(=\d+|[\w-]+)\s*\{")
_OFFSET = re.compile(r"\s*,\s*(?:offset:\s*\d+\s*)?")
_BRANCHED = ("plural", "selectordinal", "select")
_DEEPEST = 10
_LONGEST = 10_000  # characters of a message that are searched for its end
_CATEGORIES = {
    **dict.fromkeys("zh ja ko th lo km my vi id ms".split(), ("other",)),
    **dict.fromkeys("en de nl sv da it es pt fr el hu tr".split(), ("one", "other")),
    **dict.fromkeys("ru uk pl".split(), ("one", "few", "many", "other")),
    "cs": ("one", "few", "other"),
    "ar": ("zero", "one", "two", "few", "many", "other"),
}


class Message(NamedTuple):
    """A message: what must stay, its plural categories, and the texts of its branches."""

    parts: tuple[str, ...]
    categories: frozenset[str]
    branches: tuple[str, ...]
    end: int


def message_at(text: str, start: int) -> Message | None:
    """Return the message that begins at a brace, or None.

    >>> message_at("{g, select, male {He} other {They}}", 0).parts
    ('{g, select}', '{g, select, male}', '{g, select, other}')
    >>> message_at("{n, plural, one {# file} other {# files}}", 0).branches
    ('# file', '# files')
    """
    match = _START.match(text, start)
    if match is None:
        return None
    end = _closing(text, start)
    if end is None:
        return None
    name, kind = match[1], match[2]
    head = f"{{{name}, {kind}}}"
    if kind not in _BRANCHED:
        return Message((head,), frozenset(), (), end + 1)
    selectors, branches, place = [], [], match.end()
    comma = _OFFSET.match(text, place)
    place = comma.end() if comma else place
    while (branch := _BRANCH.match(text, place, end)) and (
        stop := _closing(text, branch.end() - 1)
    ):
        selectors.append(branch[1])
        branches.append(text[branch.end() : stop])
        place = stop + 1
    fixed = [s for s in selectors if kind == "select" or s.startswith("=")]
    parts = (head, *(f"{{{name}, {kind}, {selector}}}" for selector in fixed))
    return Message(parts, frozenset(set(selectors) - set(fixed)), tuple(branches), end + 1)


def lost_categories(message: Message, lang: str) -> list[str]:
    """Return the plural categories of a language that a message does not have.

    >>> lost_categories(message_at("{n, plural, other {#}}", 0), "de")
    ['one']
    """
    if not message.categories:
        return [] if "plural" not in message.parts[0] else ["other"]
    return [name for name in _CATEGORIES.get(lang, ("other",)) if name not in message.categories]


def _closing(text: str, start: int) -> int | None:
    """Return the place of the brace that closes the one at the start, or None."""
    depth = 0
    for place in range(start, min(len(text), start + _LONGEST)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return place
        if depth > _DEEPEST:
            return None
    return None
