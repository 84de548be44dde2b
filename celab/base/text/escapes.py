"""Text from files, file names and lexicons, made safe for terminals and tables.

Some characters control a terminal (escape sequences, line ends, overrides of the writing
direction), others are invisible. They are shown as escapes, and so are the bytes of a file name
that are not UTF-8 (`\\udcXX`). Imports no other module of celab.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The joiner holds emoji sequences together; the other two are spaces, and harmless.
_HARMLESS = "\u200d\u3000\xa0"
# Valid in JSON, but not safe in a terminal: controls, directions, separators, lone surrogates.
_COMMANDS = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def escaped(text: str, keep: str = "") -> str:
    r"""Return the text with unprintable characters as escapes, except those to keep.

    >>> print(escaped("a\x1b[31m\u202e伞\n"))
    a\x1b[31m\u202e伞\n
    """
    if text.isprintable():
        return text
    kept = _HARMLESS + keep
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode()
        for char in text
    )


def dumped(value: Any, **settings: Any) -> str:
    """Return JSON with a line end; only characters that control a terminal are escaped.

    NaN is not JSON, so it raises `ValueError` here and not in the program that reads the text.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **settings)
    return _COMMANDS.sub(lambda match: json.dumps(match[0])[1:-1], text) + "\n"
