"""XML: text → elements, by expat, and texts with inline codes.

A file that is not well-formed is an error, which names the line. Nothing is fetched or expanded: a
document type may be named, but one that declares anything is refused, and an entity that XML does
not define is an error. Names keep the prefix of their namespace, unless the root element has it.

An inline code is an element that stands for formatting or a placeholder of the original document.
`CodedText` has the text without codes, and the codes in their order. The content of
`bpt`, `ept`, `ph`, `it` and `ut` is a code, that of `g` and `pc` is text between two codes, and
`mrk`, `hi`, `sm` and `em` are annotations, which are no codes. A code for a line or page break
leaves a line break.

Runs of white space with a line break, as editors indent with, become one space, none at the ends,
unless `xml:space` is `preserve`; other white space is text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from xml.parsers.expat import errors

from celab.base.errors import InputError
from celab.corpus.model import CodedText

_PROLOG = re.compile(  # all before the first element, unless a document type declares something
    r"""(?:\s++|<!--.*?-->|<\?.*?\?>|<!DOCTYPE(?:[^<>\["']++|"[^"]*+"|'[^']*+')*+>)*+""",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(r"<(?:[A-Za-z_][\w.-]*+:)?([A-Za-z_][\w.-]*+)")
_SPACES = re.compile(r"[ \t\r\n]+")
_DEEPEST = 100
_SHOWN = 12, 40  # bytes before and after what is broken, in a message
_WHOLE = "the file must be whole"
_HINTS = {
    errors.XML_ERROR_NO_ELEMENTS: _WHOLE,
    errors.XML_ERROR_UNCLOSED_TOKEN: _WHOLE,
    errors.XML_ERROR_UNCLOSED_CDATA_SECTION: _WHOLE,
    errors.XML_ERROR_INVALID_TOKEN: "write < as &lt; and & as &amp; in text, and no control"
    " characters",
    errors.XML_ERROR_TAG_MISMATCH: "each element must be closed by its own tag",
    errors.XML_ERROR_UNDEFINED_ENTITY: "write the character, or its number, such as &#160;",
    errors.XML_ERROR_BAD_CHAR_REF: "leave the character out",
}

_NATIVE = frozenset({"bpt", "ept", "ph", "it", "ut"})
_ANNOTATIONS = frozenset({"mrk", "hi", "sm", "em"})
_BREAKS = frozenset({"lb", "pb", "x-br", "xlf:lb", "xlf:pb"})
_IDENTIFIERS = ("id", "startRef", "x", "i", "rid")


def first_element(text: str) -> str:
    """Return the name of the first element in lower case; "" if the text begins otherwise.

    >>> first_element('<?xml version="1.0"?><xlf:xliff version="1.2">')
    'xliff'
    """
    name = _NAME.match(text, _end_of_prolog(text))
    return name[1].lower() if name else ""


def _end_of_prolog(text: str) -> int:
    prolog = _PROLOG.match(text)
    return prolog.end() if prolog else 0


def declares(where: str) -> InputError:
    """Return the error for a document that declares a type or entities."""
    return InputError(
        f"{where}: the document declares a document type or entities, which are never read"
        " because they can be malicious; remove the declarations"
    )


class Document:
    """The elements of an XML file; `InputError` if it is not well-formed."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        # The text is decoded, and after a document type that expat does not read, it would drop
        # entities.
        start = _end_of_prolog(text)
        lines = "\n" * text.count("\n", 0, start)
        self._data = (lines + text[start:]).encode("utf-8", "surrogatepass")
        self.root = self._parsed()
        prefix, colon, _ = self.root.tag.rpartition(":")
        for element in self.root.iter() if colon else ():
            element.tag = element.tag.removeprefix(prefix + colon)
        level = [self.root]
        for _ in range(_DEEPEST):
            level = [child for parent in level for child in parent]
        if level:
            raise InputError(
                f"{self.place(level[0])}: more than {_DEEPEST} elements are nested; at most"
                f" {_DEEPEST} may be"
            )

    def _parsed(self) -> Element:
        parser, builder = expat.ParserCreate("utf-8"), TreeBuilder()

        def refuse(*_: object) -> None:
            raise declares(f"{self.name}, line {parser.CurrentLineNumber}")

        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = refuse
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        try:
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            hint = _HINTS.get(what, "the file must be well-formed")
            before, after = parser.ErrorByteIndex - _SHOWN[0], parser.ErrorByteIndex + _SHOWN[1]
            near = self._data[max(0, before) : after].decode(errors="ignore")
            what = "the end is missing" if hint == _WHOLE else what
            raise InputError(
                f"{self.name}, line {error.lineno}: broken XML: {what} near {near!r}", hint=hint
            ) from None
        return builder.close()

    def place(self, element: Element) -> str:
        """Return the file and the line of an element, for a message."""
        return f"{self.name}, line {self.line(element)}"

    def line(self, element: Element) -> int:
        """Return the line of an element; only errors need it, so the file is parsed again."""
        return self.lines()[element]

    def lines(self) -> dict[Element, int]:
        """Return the lines of all elements."""
        lines: list[int] = []
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = lambda *_: lines.append(parser.CurrentLineNumber)
        parser.Parse(self._data, True)
        return dict(zip(self.root.iter(), lines, strict=True))

    def refuse_text_in(self, names: Collection[str], right: str) -> None:
        """Raise `InputError` if an element that holds other elements has text of its own.

        `right` is the element that may have it.
        """
        for element in self.root.iter():
            if element.tag not in names:
                continue
            texts = (element.text, *(child.tail for child in element))
            if stray := next((text for text in texts if text and text.strip()), ""):
                raise InputError(
                    f"{self.place(element)}: {stray.strip()[:40]!r} stands in <{element.tag}>"
                    f" itself; it must be in <{right}>"
                )

    def unique(self, elements: Iterable[tuple[str, Element]]) -> dict[str, Element]:
        """Return elements by key; `InputError` names both places if there are two of a key."""
        by_key: dict[str, Element] = {}
        for key, element in elements:
            first = by_key.setdefault(key, element)
            if first is not element:
                of_key = f" of {key}" if key != element.tag else ""
                raise InputError(
                    f"{self.place(element)}: a second <{element.tag}>{of_key}; the first is in line"
                    f" {self.line(first)}",
                    hint="keep one of them",
                )
        return by_key


def paths_to(
    names: Collection[str], element: Element, above: tuple[Element, ...] = ()
) -> Iterator[tuple[Element, ...]]:
    """Yield each element with such a name after all elements around it, from the root on.

    Elements inside such an element are not looked at.
    """
    path = (*above, element)
    if element.tag in names:
        yield path
        return
    for child in element:
        yield from paths_to(names, child, path)


def nearest(path: Iterable[Element], attribute: str) -> str:
    """Return the attribute of the innermost element that has it, or ""."""
    values = [element.attrib[attribute] for element in path if attribute in element.attrib]
    return values[-1] if values else ""


class InlineContent:
    """The text and the codes of the last element of a path."""

    def __init__(self, *path: Element) -> None:
        self._path = path
        self._pieces: list[str] = []
        self._codes: list[str] = []
        # Segments of XLIFF 1.2: where their pieces and codes begin and end.
        self._segments: list[tuple[Element, tuple[int, int], tuple[int, int]]] = []
        self._add(path[-1])

    def _add(self, element: Element) -> None:
        self._pieces.append(element.text or "")
        for child in element:
            start = len(self._pieces), len(self._codes)
            if child.tag not in _ANNOTATIONS:
                self._add_code(child.tag, child.attrib)
            if child.tag not in _NATIVE:
                self._add(child)
            if child.tag == "mrk" and child.get("mtype") == "seg":
                self._segments.append((child, start, (len(self._pieces), len(self._codes))))
            self._pieces.append(child.tail or "")

    def _add_code(self, name: str, attributes: dict[str, str]) -> None:
        key = next((key for key in _IDENTIFIERS if key in attributes), None)
        self._codes.append(f'<{name} {key}="{attributes[key]}">' if key else f"<{name}>")
        if not _BREAKS.isdisjoint((attributes.get("ctype"), attributes.get("subType"))):
            self._pieces.append("\n")

    @property
    def whole(self) -> CodedText:
        """The text of the element, and its codes."""
        return self._between((0, 0), (len(self._pieces), len(self._codes)))

    def segments(self, document: Document) -> dict[str, CodedText]:
        """Return the texts of the segments that are marked in it, by id or else by number."""
        ids = [mrk.get("mid") or str(number) for number, (mrk, *_) in enumerate(self._segments, 1)]
        document.unique(zip(ids, (mrk for mrk, *_ in self._segments), strict=True))
        for (inner, _, end), (_, start, _) in pairwise(self._segments):
            if start < end:
                raise InputError(
                    f'{document.place(inner)}: this <mrk mtype="seg"> is inside another one; close'
                    " that one first"
                )
        return {
            mid: self._between(start, end)
            for mid, (_, start, end) in zip(ids, self._segments, strict=True)
        }

    def outside(self) -> str:
        """Return the text that is in none of the segments, without white space at its ends."""
        inside = {n for _, (start, _), (end, _) in self._segments for n in range(start, end)}
        return "".join(x for n, x in enumerate(self._pieces) if n not in inside).strip()

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> CodedText:
        text = "".join(self._pieces[start[0] : end[0]])
        has_lines = "\n" in text or "\r" in text
        if has_lines and nearest(self._path, "xml:space") != "preserve":
            text = _unindented(text)
        return CodedText(text, tuple(self._codes[start[1] : end[1]]))


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
