"""The one place that writes to frozen objects, and only while they are made.

A constructor completes what it was given: a path becomes absolute, a lexicon is loaded. Afterwards
nothing changes; another value needs another object.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def complete(new: T, **attributes: object) -> T:
    """Set attributes of a frozen object, which its constructor has not returned yet."""
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def copy_with(original: T, **attributes: object) -> T:
    """Return a copy with other attributes, without running the constructor again."""
    return complete(object.__new__(type(original)), **vars(original) | attributes)
