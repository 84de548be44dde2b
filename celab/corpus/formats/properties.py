r"""Java: properties → texts.

    # a comment, and so is ! this
    menu.save = Save
    menu.open : Open \
                a file                    continued
    menu\ quit  \u9000\u51fa

A file is UTF-8, or, if it is not, Latin-1, as Java reads it. White space before a line and around
the separator is dropped. Quotation marks of MessageFormat (`''`) stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from celab.base.errors import InputError
from celab.corpus.formats.keyed import KeyedText, parts_of
from celab.corpus.model import FilePart, TextFile

_LINE = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"((?:[^\\=: \t\f]|\\.)*+)[ \t\f]*+[=:]?[ \t\f]*+(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_BAD_CODE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?![0-9A-Fa-f]{4})")


def properties(file: TextFile) -> list[FilePart]:
    """Return the texts of a file."""
    return parts_of(file, _texts(file))


def _texts(file: TextFile) -> Iterator[KeyedText]:
    for number, line in _logical_lines(file.text.removeprefix("\ufeff")):
        where = f"{file.name}, line {number}"
        if bad := _BAD_CODE.search(line):
            raise InputError(
                f"{where}: {line[bad.end() - 2 : bad.end() + 4]} is no character; after \\u there"
                " must be four digits, such as \\u4e70"
            )
        match = _KEY.fullmatch(line)
        assert match is not None
        yield KeyedText(_unescaped(match[1]), _unescaped(match[2]), where)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the entries of a file, each in one line, with the number of its first line."""
    start, pieces = 0, list[str]()
    for number, line in enumerate(_LINE.split(text), start=1):
        line = line.lstrip(" \t\f")
        if not pieces:
            start = number
            if not line or line[0] in "#!":
                continue
        n_marks = len(line) - len(line.rstrip("\\"))
        pieces.append(line[:-1] if n_marks % 2 else line)
        if n_marks % 2 == 0:
            yield start, "".join(pieces)
            pieces = []
    if any(pieces):
        yield start, "".join(pieces)


def _unescaped(text: str) -> str:
    r"""Return a text without escapes.

    >>> _unescaped(r"\u4e70\=\:\ x")
    '买=: x'
    """
    if "\\" not in text:
        return text
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2]),
        text,
    )
