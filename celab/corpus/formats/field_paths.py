"""Paths: fields of JSON by names and numbers with dots, as `choices.0.message.content`.

A number counts the items of a list from 0, or from the end if it is negative, as in
`messages.-1.content`. A field may have dots in its own name, which wins over a
path.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from celab.base.options import is_digits

_DEEPEST = 8  # objects and lists in one another whose fields are looked at
_MOST_ITEMS = 4  # of a list of objects whose fields are looked at


def paths_of(values: Mapping[str, object], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the paths of all fields, with dots for those of objects, and of objects in lists.

    >>> list(paths_of({"id": 1, "translation": {"en": "An umbrella", "zh": "雨伞"}}))
    ['id', 'translation.en', 'translation.zh']
    >>> list(paths_of({"choices": [{"message": {"content": "雨伞"}}]}))
    ['choices.0.message.content']
    """
    for name, value in values.items():
        inner = _members(value) if depth < _DEEPEST else {}
        if inner:
            yield from paths_of(inner, f"{prefix}{name}.", depth + 1)
        else:
            yield prefix + name


def _members(value: object) -> Mapping[str, object]:
    """Return the members of an object, or of a list of objects, by name or number."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        return {str(number): item for number, item in enumerate(value[:_MOST_ITEMS])}
    return {}


def value_at(values: object, path: str) -> object:
    """Return the value of a field, or None; the longest name that a member has wins.

    >>> value_at({"translation": {"zh": "雨伞"}}, "translation.zh")
    '雨伞'
    >>> value_at({"a.b": {"c": 1}, "a": [{"b": 2}]}, "a.b.c"), value_at({"a": [5, 6]}, "a.1")
    (1, 6)
    >>> value_at({"messages": [{"content": "Buy"}, {"content": "买"}]}, "messages.-1.content")
    '买'
    """
    if isinstance(values, list):
        number, _, rest = path.partition(".")
        if not is_digits(number.removeprefix("-")) or len(number) > 9:
            return None
        index = int(number)
        if not -len(values) <= index < len(values):
            return None
        return value_at(values[index], rest) if rest else values[index]
    if not isinstance(values, Mapping):
        return None
    if path in values:
        return values[path]
    end = path.rfind(".")
    while end > 0:
        if path[:end] in values:
            return value_at(values[path[:end]], path[end + 1 :])
        end = path.rfind(".", 0, end)
    return None


def known_name(name: str, available: Collection[str]) -> str | None:
    """Return the name as a table has it, or None; case counts only if two differ by nothing else.

    >>> known_name("ref", ["ID", "Ref"]), known_name("ref", ["Ref", "REF"])
    ('Ref', None)
    """
    if name in available:
        return name
    alike = [other for other in available if other.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else None
