r"""Android: resources of strings → texts.

    <resources>
      <string name="save">Save\n<b>all</b> <xliff:g id="n">%1$s</xliff:g></string>
      <plurals name="files"> <item quantity="one"> …    key files[one]
      <string-array name="days"> <item> …               key days[0]

Escapes are those of Android: `\'` `\"` `\n` `\@` `\u4e00`; white space is one space, unless it is
in quotation marks. `xliff:g` says what its text is, and is no tag. A reference to another resource,
such as `@string/save`, and what is `translatable="false"` is no text. Resources that are no
strings, such as colors, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from celab.base.errors import InputError
from celab.base.languages import CATEGORY_NAMES
from celab.corpus.formats.elements import Document
from celab.corpus.formats.keyed import KeyedText, parts_of, plural
from celab.corpus.model import FilePart, PluralForm, TextFile

_TOKEN = re.compile(r'\\u([0-9A-Fa-f]{4})|\\(.)|(")|([ \t\r\n]+)|[^\\" \t\r\n]+|\\', re.DOTALL)
_ESCAPED = {"n": "\n", "N": "\n", "t": "\t", "T": "\t", "\n": " "}
_REFERENCE = re.compile(r"\s*(?:@(?:\w+:)?(?:string|android:string)/[\w.]+|\?[\w:/.]+)\s*")
_SOFT = "\0"  # a space that goes at the ends, and of which several are one
_SPACES = re.compile(f"{_SOFT}+")


def android(file: TextFile) -> list[FilePart]:
    """Return the texts of a file."""
    document = Document(file.text, file.name)
    return parts_of(file, _texts(document))


def _texts(document: Document) -> Iterator[KeyedText]:
    lines = document.lines()
    for element in document.root:
        is_string = element.tag == "string" or element.get("type") == "string"
        if not is_string and element.tag not in ("plurals", "string-array"):
            continue
        where = f"{document.name}, line {lines[element]}"
        name = element.get("name", "")
        if not name:
            raise InputError(f"{where}: this <{element.tag}> has no name; each must have one")
        if product := element.get("product", ""):
            name += f"@{product}"
        is_translatable = element.get("translatable") != "false"
        if is_string:
            text = text_of(element)
            is_text = is_translatable and not _REFERENCE.fullmatch(element.text or "")
            yield KeyedText(name, text, where, is_translatable=is_text)
            continue
        for number, item in enumerate(element.findall("item")):
            where = f"{document.name}, line {lines[item]}"
            is_text = is_translatable and not _REFERENCE.fullmatch(item.text or "")
            text = text_of(item)
            if element.tag == "string-array":
                yield KeyedText(f"{name}[{number}]", text, where, is_translatable=is_text)
                continue
            quantity = item.get("quantity", "")
            if quantity not in CATEGORY_NAMES:
                raise InputError(
                    f"{where}: the quantity of this <item> is {quantity!r}; it must be one of"
                    f" {', '.join(CATEGORY_NAMES)}"
                )
            form = PluralForm(name, quantity)
            yield plural(form, text, where, is_translatable=is_text)


def text_of(element: Element) -> str:
    r"""Return the text of a resource, with its tags.

    >>> from xml.etree.ElementTree import fromstring
    >>> text_of(fromstring("<string> Don\\'t  <b>stop</b>\n   \\u4e70 </string>"))
    "Don't <b>stop</b> 买"
    """
    pieces: list[str] = []
    _add(element, pieces, is_quoted=False)
    text = "".join(pieces).strip(_SOFT)
    return _SPACES.sub(" ", text)


def _add(element: Element, pieces: list[str], *, is_quoted: bool) -> bool:
    """Add the content of an element; return whether a quotation mark is open after it."""
    is_quoted = _add_text(element.text or "", pieces, is_quoted=is_quoted)
    for child in element:
        is_marked = child.tag.endswith(":g")
        name = child.tag.rpartition(":")[2]
        if not is_marked:
            attributes = "".join(f' {key}="{value}"' for key, value in child.attrib.items())
            is_empty = child.text is None and not len(child)
            pieces.append(f"<{name}{attributes}{'/' * is_empty}>")
        is_quoted = _add(child, pieces, is_quoted=is_quoted)
        if not is_marked and not is_empty:
            pieces.append(f"</{name}>")
        is_quoted = _add_text(child.tail or "", pieces, is_quoted=is_quoted)
    return is_quoted


def _add_text(text: str, pieces: list[str], *, is_quoted: bool) -> bool:
    for match in _TOKEN.finditer(text):
        code, escaped, quote, space = match.groups()
        if quote:
            is_quoted = not is_quoted
        elif code:
            pieces.append(chr(int(code, 16)))
        elif escaped:
            pieces.append(_ESCAPED.get(escaped, escaped))
        elif space and not is_quoted:
            pieces.append(_SOFT)
        else:
            pieces.append(match[0])
    return is_quoted
