"""Plain text: one segment a line, told apart by line numbers. Blank lines are data."""

from __future__ import annotations

from celab.corpus.files import lines_of
from celab.corpus.model import Part, TextFile


def recognises(file: TextFile) -> bool:
    """Whether it can be read as lines, which every text can."""
    return True


def read(file: TextFile) -> list[Part]:
    """The one part that a plain text is, by the role it was given."""
    return [Part(file.role or "reference", file.name, file.name, lines_of(file.text))]
