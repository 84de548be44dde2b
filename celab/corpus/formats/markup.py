"""Campaign files in SGML or XML.

mteval's sets, of NIST, CWMT and IWSLT (`sgml`); one file may hold any number of them:

    <mteval>                                           may be left out
      <srcset>  <refset refid>  <tstset sysid>
        <system sysid> description </system>           CWMT
        <doc docid sysid|site|refid>
          <hl> or <p>, may be left out                 not looked at
            <seg id> text </seg>

A reference is named by `refid` of document or set, else by `sysid` or `site`; a system by `sysid`
of document or set, else by CWMT's `<system>`, else by `site`. Without any of them it has the name
of the file. `docid` may be missing, which is one document without a name.

WMT's XML of 2021 and later (`wmt`), with source, references and systems of each document side by
side:

    <dataset> <collection> <doc id>
      <src>  <ref translator>  <hyp system>
        <p> <seg id> text </seg>

A reference is named by its translator, a system by `system`; without that it has the name of the
file.

The scanner knows a few names and takes all else for text, so a stray `&`, a `<` that opens no tag,
and `<p>` or `<unk>` need no care. Tags are in any case, their attributes with quotes or without.
The text of a segment goes from `<seg>` to `</seg>`: the five entities of XML and numbers of
characters are resolved once, other entities stay as written, and each run of spaces, tabs and line
ends becomes one space, none at the ends. Comments are dropped, CDATA sections are text.

Nothing is ever fetched or expanded: a document type may be named, but one that declares anything
is refused. Every step is linear in the length of the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from celab.base.errors import InputError
from celab.corpus.model import FilePart, Role, Segment, TextFile, gather_parts

_SETS: dict[str, Role] = {"srcset": "source", "refset": "reference", "tstset": "system"}
_NAMES = {  # attributes that name a side, in this order
    "reference": ("doc refid", "set refid", "doc sysid", "doc site", "set sysid", "set site"),
    "system": ("doc sysid", "set sysid", "system sysid", "doc site", "set site", "system site"),
    "source": (),
}
_SIDES: dict[str, tuple[Role, str]] = {
    "src": ("source", ""),
    "ref": ("reference", "translator"),
    "hyp": ("system", "system"),
}
FORMATS = {  # by first element
    "dataset": "wmt",
    **dict.fromkeys(("mteval", *_SETS), "sgml"),
    "xliff": "xliff",
    "tmx": "tmx",
}

_FLAGS = re.ASCII | re.IGNORECASE  # without ASCII a long s would do for an s
ATTRIBUTE = re.compile(
    r"""(?<![^\s"'])([^\s="']++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'][^\s]*))""", _FLAGS
)
_DECLARATIONS = re.compile(
    r"""<!(?:ENTITY|DOCTYPE(?:[^<>\["']++|"[^"<]*+"|'[^'<]*+')*+\[)""", _FLAGS
)
_FIRST = re.compile(
    r"(?:\s++|<!--.*?-->|<\?[^>]*+>|<!DOCTYPE[^>]*+>)*+<([a-z][\w.:-]*+)", _FLAGS | re.DOTALL
)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-f]{1,6}));", _FLAGS)
_SPACES = re.compile(r"[ \t\r\n]+")
_MOST_IN_TAG = 65_536

_Segments = Iterator[tuple[Role, str, Segment, str]]


def sgml(file: TextFile) -> list[FilePart]:
    """Return one part for each source, reference and system.

    The role that the caller gives a file wins over its tags: a file given as a system that has
    references only, as old WMT and METEOR files do, is a system, and the other way round. A source
    is taken for neither.
    """
    parts, role = gather_parts(file, _in_sets(file, _SETS)), file.role
    if role is None or any(part.kind == role for part in parts):
        return parts
    return gather_parts(file, _in_sets(file, _SETS | {"refset": role, "tstset": role}))


def wmt(file: TextFile) -> list[FilePart]:
    """Return one part for the source, each reference and each system."""
    return gather_parts(file, _in_dataset(file))


def _in_sets(file: TextFile, kinds: Mapping[str, Role]) -> _Segments:
    open_set = ""
    attributes: dict[str, dict[str, str]] = {}  # the attributes of set, system and doc
    for tag in scan(file, _SETS, ("mteval", "system", "doc")):
        if tag.name == "seg":
            kind = kinds[open_set]
            places = (place.split() for place in _NAMES[kind])
            names = (attributes.get(element, {}).get(attribute) for element, attribute in places)
            doc = attributes.get("doc", {})
            key = Segment(doc.get("docid") or doc.get("id", ""), tag.attributes["id"])
            yield kind, next(filter(None, names), file.name), key, tag.text
        elif tag.name in _SETS:
            if open_set and not (tag.closes and tag.name == open_set):
                break
            open_set = "" if tag.closes else tag.name
            attributes = {"set": tag.attributes}
        elif not tag.closes:
            attributes[tag.name] = tag.attributes
    if open_set:
        raise InputError(f"{file.name}: <{open_set}> is not closed; the file must be whole")


def _in_dataset(file: TextFile) -> _Segments:
    kind: Role = "source"
    name = document = ""
    is_closed = False
    for tag in scan(file, _SIDES, ("dataset", "doc")):
        if tag.name == "seg":
            yield kind, name, Segment(document, tag.attributes["id"]), tag.text
        elif tag.name == "dataset":
            is_closed = tag.closes
        elif not tag.closes and tag.name == "doc":
            document = tag.attributes.get("id", "")
        elif not tag.closes:
            kind, attribute = _SIDES[tag.name]
            name = tag.attributes.get(attribute) or file.name
    if not is_closed:
        raise InputError(f"{file.name}: <dataset> is not closed; the file must be whole")


class Tag(NamedTuple):
    """A tag; a segment is one tag with its text."""

    name: str
    closes: bool
    attributes: dict[str, str]
    text: str


def scan(file: TextFile, sides: Collection[str], others: Collection[str]) -> Iterator[Tag]:
    """Yield every tag of these names outside segments, and every segment.

    A segment must have an id and be in one of the `sides`, or `InputError` is raised.
    """
    text = without_sections(file.text)
    refuse_entities(text, file.name)
    tags, segs = _tags(*sides, *others, "seg"), _tags("seg")
    place, inside = 0, False
    while tag := tags.search(text, place):
        start, place = tag.span()
        closes, name, inner = bool(tag[1]), tag[2].lower(), tag[3].rstrip()
        if len(inner) > _MOST_IN_TAG:
            raise InputError(
                f"{file.name}, line {line_of(text, start)}: this <{name}> has {len(inner)}"
                f" characters of attributes; there may be {_MOST_IN_TAG} at most"
            )
        empty = inner.endswith("/")
        attributes = {
            key.lower(): _clean(double or single or bare)
            for key, double, single, bare in ATTRIBUTE.findall(inner.removesuffix("/"))
        }
        if name != "seg":
            if name in sides:
                inside = not closes and not empty
            yield Tag(name, closes, attributes, "")
            if empty and not closes:
                yield Tag(name, True, {}, "")
            continue
        content, problem = "", ""
        if closes:
            problem = "</seg> closes no segment; each must have one <seg> and one </seg>"
        elif not empty:
            end = segs.search(text, place)
            if end and end[1]:
                content = _clean(text[place : end.start()])
                place = end.end()
            else:
                problem = "this <seg> has no </seg>; each must have one"
        problem = problem or _misplaced(attributes, sides, inside)
        if problem:
            raise InputError(f"{file.name}, line {line_of(text, start)}: {problem}")
        yield Tag(name, False, attributes, content)


def _misplaced(attributes: Mapping[str, str], sides: Collection[str], inside: bool) -> str:
    """Return what is wrong with a segment's id or place, or an empty string."""
    if inside and attributes.get("id"):
        return ""
    *others, last = sides
    lacks = "has no id" if inside else f"stands in no {', '.join(others)} or {last}"
    return f"the segment {lacks}; it must be <seg id=...> in one of them"


def first_element(text: str) -> str:
    """Return the name of the first element in lower case; "" if the text begins otherwise.

    >>> first_element('<?xml version="1.0"?><xlf:xliff version="1.2">')
    'xliff'
    """
    match = _FIRST.match(text)
    return match[1].lower().rpartition(":")[2] if match else ""


def refuse_entities(text: str, where: str) -> None:
    """Raise `InputError` if a document declares entities, or could."""
    if declaration := _DECLARATIONS.search(text):
        raise InputError(
            f"{where}, line {line_of(text, declaration.start())}: the document declares a type or "
            "entities of its own, which can be hostile and are never read; it must do without"
        )


def without_sections(text: str) -> str:
    """Return the text with CDATA as entities, without comments, and with the same lines."""
    text = _rewritten(text, "<![CDATA[", "]]>", lambda data: html.escape(data, quote=False))
    return _rewritten(text, "<!--", "-->", lambda comment: "\n" * comment.count("\n"))


def _rewritten(text: str, begin: str, end: str, rewrite: Callable[[str], str]) -> str:
    # Split at the ends, so that a beginning without an end does not make the search start over.
    *sections, rest = text.split(end) if begin in text else [text]
    rewritten = []
    for section in sections:
        before, begins, content = section.partition(begin)
        rewritten.append(before + rewrite(content) if begins else section + end)
    return "".join([*rewritten, rest])


def _tags(*names: str) -> re.Pattern[str]:
    return re.compile(
        rf"<(/?)({'|'.join(names)})(?=[\s/>])"
        r"""((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+|[^<>]*+)>""",
        _FLAGS,
    )


def line_of(text: str, position: int) -> int:
    """Return the number of the line of a position, from 1."""
    return text.count("\n", 0, position) + 1


def _clean(text: str) -> str:
    """Return the text of markup, with entities resolved and spaces collapsed."""
    return _SPACES.sub(" ", resolve_entities(text)).strip(" ")


def resolve_entities(text: str) -> str:
    """Return the text with the five entities of XML, and numbers of characters, resolved once.

    >>> resolve_entities("AT&amp;T &#20254; &nbsp;")
    'AT&T 伞 &nbsp;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return html.unescape(entity[0].lower())
    code = int(entity[2]) if entity[2] else int(entity[3], 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return entity[0]  # not a character
    return chr(code)
