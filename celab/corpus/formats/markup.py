"""Tags and texts of campaign files, in SGML or XML: text → tags, one by one.

The scanner knows a few names and takes all else for text, so a stray `&`, a `<` that opens no tag,
and `<p>` or `<unk>` need no care. Tags are in any case, their attributes with quotes or without.
The text of a segment goes from `<seg>` to `</seg>`: the five entities of XML and numbers of
characters are resolved once, other entities stay as written, and each run of spaces, tabs and line
ends becomes one space, none at the ends. Comments are dropped, CDATA sections are text.

Nothing is ever fetched or expanded: a document type may be named, but one that declares anything
is refused. Every step is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from celab.errors import InputError

_FLAGS = re.ASCII | re.IGNORECASE  # without ASCII a long s would do for an s
_ATTRIBUTE = re.compile(
    r"""(?<![^\s"'])([^\s="']++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'][^\s]*))""", _FLAGS
)
_DECLARATIONS = re.compile(
    r"""<!(?:ENTITY|DOCTYPE(?:[^<>\["']++|"[^"<]*+"|'[^'<]*+')*+\[)""", _FLAGS
)
_FIRST = re.compile(
    r"(?:\s++|<!--.*?-->|<\?[^>]*+>|<!DOCTYPE[^>]*+>)*+<([a-z][\w.:-]*+)", _FLAGS | re.DOTALL
)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-f]{1,6}));", _FLAGS)
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SPACES = re.compile(r"[ \t\r\n]+")


class Tag(NamedTuple):
    """A tag; a segment is one tag with its text."""

    name: str
    closes: bool
    attributes: dict[str, str]
    text: str
    start: int


def prepared(text: str, where: str) -> str:
    """The text with its CDATA written as entities and without comments, line for line."""
    # By their ends, so that a beginning without an end does not make the search start over.
    if "<![CDATA[" in text:
        *sections, rest = text.split("]]>")
        text = "".join(map(_escaped, sections)) + rest
    if "<!--" in text:
        *sections, rest = text.split("-->")
        text = "".join(map(_blanked, sections)) + rest
    refuse_entities(text, where)
    return text


def scan(text: str, where: str, names: Iterable[str]) -> Iterator[Tag]:
    """Every tag of these names outside segments, and every segment, of a prepared text."""
    pattern = re.compile(
        rf"<(/?)({'|'.join(names)}|seg)(?=[\s/>])"
        r"""((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+|[^<>]*+)>""",
        _FLAGS,
    )
    opened: re.Match[str] | None = None
    for found in pattern.finditer(text):
        name, closes = found[2].lower(), bool(found[1])
        if opened is not None:
            if name != "seg":
                continue  # part of what was translated
            if not closes:
                raise _unclosed(text, opened, where)
            inner = clean(text[opened.end() : found.start()])
            yield Tag("seg", False, _attributes(opened[3]), inner, opened.start())
            opened = None
        elif name != "seg":
            yield Tag(name, closes, _attributes(found[3]), "", found.start())
            if not closes and _is_empty(found):
                yield Tag(name, True, {}, "", found.start())
        elif closes:
            raise InputError(
                f"{where}, line {line_of(text, found.start())}: </seg> closes no segment; "
                "each must have one <seg> and one </seg>"
            )
        elif _is_empty(found):
            yield Tag("seg", False, _attributes(found[3]), "", found.start())
        else:
            opened = found
    if opened is not None:
        raise _unclosed(text, opened, where)


def first_element(text: str) -> str:
    """The name of the first element in small letters, empty if the text does not open with one."""
    found = _FIRST.match(text)
    return found[1].lower() if found else ""


def refuse_entities(text: str, where: str) -> None:
    """Raises `InputError` if a document declares entities, or could."""
    if found := _DECLARATIONS.search(text):
        raise InputError(
            f"{where}, line {line_of(text, found.start())}: the document declares a type or "
            "entities of its own, which can be hostile and are never read; it must do without"
        )


def clean(text: str) -> str:
    """The text that some markup stands for."""
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    return _SPACES.sub(" ", text).strip(" ")


def line_of(text: str, position: int) -> int:
    """The number of the line with that position."""
    return text.count("\n", 0, position) + 1


def _is_empty(found: re.Match[str]) -> bool:
    return found[3].rstrip().endswith("/")


def _unclosed(text: str, opened: re.Match[str], where: str) -> InputError:
    line = line_of(text, opened.start())
    return InputError(f"{where}, line {line}: this <seg> has no </seg>; each must have one")


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return _NAMED[found[1].lower()]
    code = int(found[2]) if found[2] else int(found[3], 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return found[0]  # the number of no character
    return chr(code)


def _attributes(text: str) -> dict[str, str]:
    text = text.rstrip().removesuffix("/")
    return {
        name.lower(): clean(double or single or bare)
        for name, double, single, bare in _ATTRIBUTE.findall(text)
    }


def _escaped(section: str) -> str:
    before, begins, content = section.partition("<![CDATA[")
    if not begins:
        return f"{section}]]>"
    return before + content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _blanked(section: str) -> str:
    before, begins, content = section.partition("<!--")
    return before + "\n" * content.count("\n") if begins else f"{section}-->"
