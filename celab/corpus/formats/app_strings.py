"""Texts of apps with a key for each, in formats that are refused because keys are not text.

Localization tools export XLIFF or PO, which have source and translation, too.
"""

from __future__ import annotations

import re

from celab.base.errors import InputError
from celab.corpus.formats import APP_SUFFIXES

EXPORT = "export it as XLIFF or PO"
# Comments, then markup, JSON or a key; a text that only has such a name has none of them.
_KEYS = re.compile(
    r"(?:\s++|/\*(?s:.*?)\*/|(?:#|!|//|---)[^\n]*+)*+"
    r"(?:[<{]|\"(?:[^\"\\\n]|\\.)*+\"[ \t]*[=:]|[\w.$@\[\]/-]++[ \t]*[=:])"
)
_MARKUP = re.compile(
    r"<(resources|TS)\b[^<>]*+>\s*+(?:<!--(?s:.*?)-->\s*+)*<(?:string|plurals|context|message)\b"
)
_BY_ELEMENT = {"resources": "Android", "TS": "Qt"}
_HEAD = 1 << 16  # characters in which the first text must be


def refuse_keys(name: str, text: str, suffix: str) -> None:
    """Raise `InputError` if a file has keys and texts of an app, by its name and its content.

    >>> refuse_keys("zh.strings", '/* File */\\n"save" = "保存";\\n', ".strings")
    Traceback (most recent call last):
    celab.base.errors.InputError: zh.strings has keys and texts of an app (Apple strings), which ...
    """
    format = APP_SUFFIXES.get(suffix, "") if _KEYS.match(text) else ""
    if not format and text.lstrip()[:1] == "<":
        match = _MARKUP.search(text[:_HEAD])
        format = _BY_ELEMENT[match[1]] if match else ""
    if format:
        raise InputError(
            f"{name} has keys and texts of an app ({format}), which celab does not read",
            hint=EXPORT,
        )
