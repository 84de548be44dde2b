"""Text from files, file names and lexicons → what a terminal or a table may show of it.

A terminal obeys some characters (escape sequences, line ends, overrides of the writing direction)
and hides others. These are shown as escapes, as are the bytes of a file name that are not UTF-8
(`\\udcXX`). Imports no other module of celab.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The joiner holds emoji sequences together; the other two are spaces, and harmless.
_HARMLESS = "\u200d\u3000\xa0"
# What JSON may hold raw, but no terminal should get: controls, directions, separators, halves.
_COMMANDS = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def escaped(text: str, keep: str = "") -> str:
    r"""The text with every character that is not printable as an escape, but for those to keep.

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
    """JSON with a line end; strings keep their characters, except those that control a terminal.

    NaN is not JSON, so it must fail here and not in what reads the text.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, **settings)
    return _COMMANDS.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n"
