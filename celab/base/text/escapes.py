"""Text from files, file names and lexicons → text that is safe to show.

Terminals and browsers interpret some characters (escape sequences, line ends, overrides of the
writing direction) and hide others. These are shown as escapes, as are the bytes of a file name that
are not UTF-8 (`\\udcXX`). `visible` of `report/html/templates/dom.js` does the same in a page.
"""

from __future__ import annotations

import json
import re

# The joiner holds emoji sequences together; the other two are spaces, and harmless.
_HARMLESS = "\u200d\u3000\xa0"
# Valid in JSON, but not safe in a terminal: controls, directions, separators, lone surrogates.
_UNSAFE = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def escape_controls(text: str, keep: str = "") -> str:
    r"""Return the text with every character that is not printable as an escape, except `keep`.

    >>> print(escape_controls("a\x1b[31m\u202e伞\n"))
    a\x1b[31m\u202e伞\n
    """
    if text.isprintable():
        return text
    unescaped = _HARMLESS + keep
    return "".join(
        char if char.isprintable() or char in unescaped else char.encode("unicode_escape").decode()
        for char in text
    )


def visible(text: str) -> str:
    """Return the text with control and invisible characters written as escapes.

    A lone combining mark gets a dotted circle, so that it has a cell, and a lone space is ␣.
    """
    from rich.cells import cell_len

    printable = "␣" if text == " " else escape_controls(text)
    return printable if not text or cell_len(printable) else f"\u25cc{printable}"


def dump_json(
    value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Return JSON with a line end; only characters that control a terminal are escaped.

    NaN is not JSON, so it raises `ValueError` here and not in the program that reads the text.
    """
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text) + "\n"
