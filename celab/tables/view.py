"""What stands beside tables: lines, whose parts may be names, and drawings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

# Levels of detail: one screen, the default, all.
Detail = Literal["summary", "normal", "full"]

# Formats of tables that have a flag of this name, and their names in help.
TABLES = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}


class Name(str):
    """Text from outside, such as the name of a system, which must not reorder text beside it."""

    __slots__ = ()


class Mark(str):
    """The mark of a cell in a legend: `sign` in plain text, else the name of a type style."""

    __slots__ = ("sign",)
    sign: str

    def __new__(cls, word: str, sign: str) -> Mark:  # noqa: D102
        mark = super().__new__(cls, word)
        mark.sign = sign
        return mark


BEST_MARK, RANKS_MARK = Mark("bold", "*"), Mark("superscript", "(n)")


class Line(NamedTuple):
    """A line above or below a table. Parts that are `Name`s cannot reorder the text beside them."""

    parts: tuple[str, ...]
    role: Literal["title", "verdict", "note", "signature"] = "note"

    @property
    def text(self) -> str:
        """The line as one string."""
        return "".join(self.parts)


def line(*parts: str) -> Line:
    """Return a `Line` with the role "note"."""
    return Line(parts)


class Drawing(ABC):
    """Base class of drawings of explanations; see `celab.metrics.explaining.drawing`."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """Return the drawing for a terminal, on 80 columns without colors."""
