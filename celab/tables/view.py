"""What stands beside tables: lines, whose parts may be names, and drawings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

# How much is shown: what fits one screen, what is asked for most, or all.
Detail = Literal["summary", "normal", "full"]

# Formats of tables that have a flag of this name, and their names in help.
TABLES = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}


class Name(str):
    """Text from outside, such as the name of a system, which must not reorder what is beside it."""

    __slots__ = ()


class Mark(str):
    """The mark of a cell, in words of a legend: a sign in plain text, else a kind of type."""

    __slots__ = ("sign",)
    sign: str

    def __new__(cls, word: str, sign: str) -> Mark:  # noqa: D102
        mark = super().__new__(cls, word)
        mark.sign = sign
        return mark


BEST_MARK, RANKS_MARK = Mark("bold", "*"), Mark("superscript", "(n)")


class Line(NamedTuple):
    """A line beside tables: its parts, of which some are names, and what it says."""

    parts: tuple[str, ...]
    role: Literal["title", "verdict", "note", "signature"] = "note"

    @property
    def text(self) -> str:
        """The line without its parts told apart."""
        return "".join(self.parts)


def line(*parts: str) -> Line:
    """Return a note."""
    return Line(parts)


class Drawing(ABC):
    """Base class of what is drawn of an explanation; see `celab.metrics.explaining.drawing`."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """Return the drawing for a terminal, on 80 columns without colors."""
