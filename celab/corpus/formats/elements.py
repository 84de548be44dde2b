"""Elements of XML: text → tags in order, which must be well-formed, and texts with inline codes.

`markup` takes all it does not know for text; the files of translation tools are XML, so here a tag
that is not closed, or a `<` that begins none, is an error that names the line. As there, nothing is
fetched or expanded, and every step is linear in the length of the text.

An inline code is an element that stands for formatting or a placeholder of the original document.
It is no text: `CodedText` has the text without codes, and the codes in their order. The content of
`bpt`, `ept`, `ph`, `it` and `ut` is a code, that of `g` and `pc` is text between two codes, and
`mrk`, `hi`, `sm` and `em` are annotations, which are no codes. A code for a line or page break
leaves a line break.

Runs of white space with a line break, as editors indent with, become one space, none at the ends,
unless `xml:space` is `preserve`; other white space is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from celab.base.errors import InputError
from celab.corpus.formats.markup import (
    ATTRIBUTE,
    line_of,
    refuse_entities,
    resolve_entities,
    without_sections,
)
from celab.corpus.model import CodedText

_INSTRUCTIONS = r"<\?(?:[^?]++|\?(?!>))*+\?>|<!(?i:DOCTYPE)[^>]*+>"
_INSTRUCTION = re.compile(_INSTRUCTIONS)
_BETWEEN = rf"(?:[^<]++|{_INSTRUCTIONS})*+"
_NO_TAG = re.compile(_BETWEEN)
_TAG = re.compile(  # with the text before it
    rf"({_BETWEEN})"
    r"""<(/?)([A-Za-z_][\w.:-]*+)((?:[^<>"'/]++|/(?!>)|"[^"<]*+"|'[^'<]*+')*+)(/?)>"""
)
_SPACES = re.compile(r"[ \t\r\n]+")
_DEEPEST = 100
_SHOWN = 20  # characters of what is no tag, in a message

_NATIVE = frozenset({"bpt", "ept", "ph", "it", "ut"})
_ANNOTATIONS = frozenset({"mrk", "hi", "sm", "em"})
_BREAKS = frozenset({"lb", "pb", "x-br", "xlf:lb", "xlf:pb"})
_IDENTIFIERS = ("id", "startRef", "x", "i", "rid")


class Tag(NamedTuple):
    """A tag, with the elements around it; an empty element is one tag, which opens and closes."""

    name: str  # without the prefix of its namespace
    opens: bool
    closes: bool
    attribute_text: str
    parents: list[str]  # the scanner's own list: it changes with the next tag
    keeps_space: bool
    text: str  # before it
    line_at: int  # its position, from which the line is counted if there is an error

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes by name, with the prefix of their namespace."""
        return _attributes(self.attribute_text)

    @property
    def parent(self) -> str:
        """The name of the element around it, or ""."""
        return self.parents[-1] if self.parents else ""


def _attributes(text: str) -> dict[str, str]:
    return {
        name: resolve_entities(double or single or bare)
        for name, double, single, bare in ATTRIBUTE.findall(text)
    }


class Document:
    """The tags of an XML file."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self._text = name, without_sections(text)
        refuse_entities(self._text, name)

    def place(self, tag: Tag) -> str:
        """Return the file and the line of a tag, for a message."""
        return self._place(tag.line_at)

    def _place(self, position: int) -> str:
        return f"{self.name}, line {line_of(self._text, position)}"

    def tags(self) -> Iterator[Tag]:
        """Yield all tags; `InputError` if they are not well-formed."""
        text, end = self._text, 0
        parents: list[str] = []
        opened: list[tuple[int, bool]] = []  # where each of them begins; whether it keeps space
        while match := _TAG.match(text, end):
            before, slash, name, inner, is_empty = match.groups()
            start, end = end + len(before), match.end()
            name = name.rpartition(":")[2]
            if "<" in before:
                before = _INSTRUCTION.sub("", before)
            if slash:
                if not parents or parents[-1] != name:
                    raise self._wrongly_closed(name, parents, start)
                parents.pop()
                _, keeps_space = opened.pop()
                yield Tag(name, False, True, "", parents, keeps_space, before, start)
                continue
            keeps_space = bool(opened) and opened[-1][1]
            if "xml:space" in inner:
                keeps_space = "preserve" in inner
            yield Tag(name, True, bool(is_empty), inner, parents, keeps_space, before, start)
            if not is_empty:
                parents.append(name)
                opened.append((start, keeps_space))
                if len(parents) > _DEEPEST:
                    raise self._too_deep(start)
        self._check_rest(end)
        if parents:
            raise self._not_closed(parents[-1], opened[-1][0])

    def _check_rest(self, end: int) -> None:
        """Raise `InputError` if what follows the last tag has a `<`."""
        rest = _NO_TAG.match(self._text, end)
        start = rest.end() if rest else end
        if start == len(self._text):
            return
        if ">" not in self._text[start:]:
            raise InputError(
                f"{self._place(start)}: broken XML: the file ends in a tag; it must be whole"
            )
        shown = self._text[start : start + _SHOWN]
        raise InputError(
            f"{self._place(start)}: broken XML: {shown!r} begins no tag; write < as &lt; in text"
        )

    def _too_deep(self, start: int) -> InputError:
        return InputError(
            f"{self._place(start)}: more than {_DEEPEST} elements are nested; at most {_DEEPEST}"
            " may be"
        )

    def _not_closed(self, name: str, start: int) -> InputError:
        return InputError(
            f"{self._place(start)}: broken XML: <{name}> is not closed; the file must be whole"
        )

    def _wrongly_closed(self, name: str, parents: list[str], start: int) -> InputError:
        seen = f"closes <{parents[-1]}>" if parents else "closes no element"
        return InputError(
            f"{self._place(start)}: broken XML: </{name}> {seen}; each element must be closed"
            " by its own tag"
        )


class InlineContent:
    """The content of an element of text, which gets its tags one by one."""

    def __init__(self, element: Tag) -> None:
        self._keeps_space = element.keeps_space
        self._pieces: list[str] = []
        self._codes: list[str] = []
        self._n_native = 0  # elements that are open, from the one whose content is a code
        # Segments of XLIFF 1.2: their ids, and where their pieces and codes begin and end.
        self._segments: list[tuple[str, tuple[int, int], tuple[int, int]]] = []
        self._open: list[tuple[str, tuple[int, int]] | None] = []

    def add(self, tag: Tag) -> None:
        """Add the text before a tag, and the tag."""
        if not self._n_native:
            self._pieces.append(tag.text)
        if self._n_native or tag.name in _NATIVE:
            if not self._n_native and tag.opens:
                self._add_code(tag)
            self._n_native += tag.opens - tag.closes
        elif tag.name == "mrk":
            self._mark(tag)
        elif tag.opens and tag.name not in _ANNOTATIONS:
            self._add_code(tag)

    def _add_code(self, tag: Tag) -> None:
        code, is_break = _code(tag.name, tag.attribute_text)
        self._codes.append(code)
        if is_break:
            self._pieces.append("\n")

    def _mark(self, tag: Tag) -> None:
        here = len(self._pieces), len(self._codes)
        if tag.opens:
            attributes = tag.attributes
            is_segment = attributes.get("mtype") == "seg"
            self._open.append((attributes.get("mid", ""), here) if is_segment else None)
        if tag.closes and (segment := self._open.pop()):
            self._segments.append((*segment, here))

    def finish(self, tag: Tag) -> None:
        """Add the text before the tag that closes the element."""
        self._pieces.append(tag.text)

    @property
    def whole(self) -> CodedText:
        """The text of the element, and its codes."""
        return self._between((0, 0), (len(self._pieces), len(self._codes)))

    @property
    def segments(self) -> dict[str, CodedText]:
        """The texts of the segments that are marked in it, by id."""
        return {mid: self._between(start, end) for mid, start, end in self._segments}

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> CodedText:
        text = resolve_entities("".join(self._pieces[start[0] : end[0]]))
        if not self._keeps_space and ("\n" in text or "\r" in text):
            text = _unindented(text)
        return CodedText(text, tuple(self._codes[start[1] : end[1]]))


@lru_cache(maxsize=1024)  # most codes of a file are <g id="1"> and the like
def _code(name: str, attribute_text: str) -> tuple[str, bool]:
    """Return an inline code as it is compared, and whether it is a line or page break."""
    attributes = _attributes(attribute_text)
    key = next((key for key in _IDENTIFIERS if key in attributes), None)
    is_break = bool(_BREAKS.intersection((attributes.get("ctype"), attributes.get("subType"))))
    return f'<{name} {key}="{attributes[key]}">' if key else f"<{name}>", is_break


def _unindented(text: str) -> str:
    """Return the text without white space that has line breaks.

    >>> _unindented("\\n    买了\\n    伞 \\u3000")
    '买了 伞 \\u3000'
    """

    def joined(run: re.Match[str]) -> str:
        if "\n" not in run[0] and "\r" not in run[0]:
            return run[0]
        return "" if run.start() == 0 or run.end() == len(text) else " "

    return _SPACES.sub(joined, text)
