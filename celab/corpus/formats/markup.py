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

Few of these files are well-formed, whatever their names, so a scanner reads them, in one pass: it
knows a few names and takes all else for text, so a stray `&`, a `<` that opens no tag, and `<p>` or
`<unk>` need no care. Tags are in any case, their attributes with quotes or without. The five
entities of XML and numbers of characters are resolved once, other entities stay as written.
Comments are dropped, CDATA sections are text, and either is text if it is not closed. A document
type may be named, but one that declares anything is refused. The time is linear in the length of
the text.

WMT's XML of 2021 and later (`wmt`), with source, references and systems of each document side by
side:

    <dataset> <collection> <doc id>
      <src>  <ref translator>  <hyp system>
        <p> <seg id> text </seg>

A reference is named by its translator, a system by `system`; without that it has the name of the
file.

In both, each run of spaces, tabs and line ends in a segment becomes one space, none at the ends.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from celab.base.errors import InputError
from celab.corpus.formats.elements import Document, declares, paths_to
from celab.corpus.formats.pairs import PairFilter, pair_of_attributes
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

_FLAGS = re.ASCII | re.IGNORECASE  # else a long s would match an s
_ATTRIBUTE = re.compile(
    r"""(?<![^\s"'])([^\s="']++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'][^\s]*))""", _FLAGS
)
_CDATA = "<![CDATA["
_SECTIONS = {"<!--": "-->", _CDATA: "]]>"}
_TOKEN = re.compile(
    r"""(?P<section><!--|(?-i:<!\[CDATA\[))"""
    r"""|(?P<declaration><!(?:ENTITY|DOCTYPE(?:[^<>\["']++|"[^"<]*+"|'[^'<]*+')*+\[))"""
    rf"""|<(?P<slash>/?)(?P<name>{"|".join(_SETS)}|mteval|system|doc|seg)(?=[\s/>])"""
    r"""(?P<inner>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+|[^<>]*+)>""",
    _FLAGS,
)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-f]{1,6}));", _FLAGS)
_SPACES = re.compile(r"[ \t\r\n]+")

_Segments = Iterator[tuple[Role, str, Segment, str]]


def sgml(file: TextFile) -> list[FilePart]:
    """Return one part for each source, reference and system.

    The role that the caller gives a file wins over its tags: a file given as a system that has
    references only, as old WMT and METEOR files do, is a system, and the other way round. A source
    is taken for neither.
    """
    parts, role = gather_parts(file, _in_sets(file, _SETS)), file.role
    if role is None or any(part.role == role for part in parts):
        return parts
    return gather_parts(file, _in_sets(file, _SETS | {"refset": role, "tstset": role}))


def _in_sets(file: TextFile, kinds: Mapping[str, Role]) -> _Segments:
    open_set, is_taken = "", True
    language_pairs = PairFilter(file)
    attributes: dict[str, dict[str, str]] = {}  # the attributes of set, system and doc
    for tag in scan(file):
        if tag.name == "seg":
            if not open_set or not tag.attributes.get("id"):
                lacks = "has no id" if open_set else "is outside srcset, refset and tstset"
                raise InputError(
                    f"{_place(file, tag.start)}: the segment {lacks}; it must be <seg id=...> in"
                    " one of them"
                )
            if not is_taken:
                continue
            role = kinds[open_set]
            places = (place.split() for place in _NAMES[role])
            names = (attributes.get(element, {}).get(attribute) for element, attribute in places)
            doc = attributes.get("doc", {})
            key = Segment(doc.get("docid") or doc.get("id", ""), tag.attributes["id"])
            yield role, next(filter(None, names), file.name), key, tag.text
        elif tag.name in _SETS:
            if open_set and not (tag.closes and tag.name == open_set):
                break
            open_set = "" if tag.closes else tag.name
            attributes = {"set": tag.attributes}
            if not tag.closes:
                is_taken = language_pairs.takes(pair_of_attributes(tag.attributes))
        elif not tag.closes:
            attributes[tag.name] = tag.attributes
    if open_set:
        raise InputError(f"{file.name}: <{open_set}> is not closed; the file must be whole")
    language_pairs.check()


class Tag(NamedTuple):
    """A tag of mteval's sets; a segment is one tag with its text."""

    name: str
    closes: bool
    attributes: dict[str, str]
    start: int  # its position in the file
    text: str = ""


def scan(file: TextFile) -> Iterator[Tag]:
    """Yield every tag outside segments, and every segment."""
    segment: Tag | None = None  # the open one
    pieces: list[str] = []  # pieces of its text
    for piece, token in _pieces(file):
        pieces.append(piece)
        if token is None:
            continue
        name, closes, inner = token["name"].lower(), bool(token["slash"]), token["inner"].rstrip()
        if segment is not None and name != "seg":
            pieces.append(resolve_entities(token[0]))
        elif segment is not None and closes:
            yield segment._replace(text=_collapsed("".join(pieces)))
            segment = None
        elif segment is not None:
            break
        elif name == "seg" and closes:
            raise InputError(
                f"{_place(file, token.start())}: </seg> closes no segment; each must have one <seg>"
                " and one </seg>"
            )
        else:
            attributes = {
                key.lower(): _collapsed(resolve_entities(double or single or bare))
                for key, double, single, bare in _ATTRIBUTE.findall(inner.removesuffix("/"))
            }
            tag = Tag(name, closes, attributes, token.start())
            is_empty = inner.endswith("/")
            if name == "seg" and not is_empty:
                segment, pieces = tag, []
                continue
            yield tag
            if is_empty and not closes and name != "seg":
                yield Tag(name, True, {}, tag.start)
    if segment is not None:
        raise InputError(
            f"{_place(file, segment.start)}: this <seg> has no </seg>; each must have one"
        )


def _pieces(file: TextFile) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield all text outside tags, comments and declarations, each piece with the tag after it.

    Sections end a piece, too. Every character is looked at once, from left to right.
    """
    text, place = file.text, 0
    last_ends = {begin: text.rfind(end) for begin, end in _SECTIONS.items()}
    while token := _TOKEN.search(text, place):
        if token["declaration"]:
            raise declares(_place(file, token.start()))
        begin = token["section"]
        yield resolve_entities(text[place : token.start()]), None if begin else token
        place = token.end()
        if begin and last_ends[begin] < place:  # it is not closed
            yield begin, None
        elif begin:
            end = text.index(_SECTIONS[begin], place)
            yield text[place:end] if begin == _CDATA else "", None
            place = end + len(_SECTIONS[begin])


def _place(file: TextFile, position: int) -> str:
    return f"{file.name}, line {file.text.count(chr(10), 0, position) + 1}"


def _collapsed(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" ")


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


def wmt(file: TextFile) -> list[FilePart]:
    """Return one part for the source, each reference and each system."""
    return gather_parts(file, _in_dataset(file))


def _in_dataset(file: TextFile) -> _Segments:
    document = Document(file.text, file.name)
    document.refuse_text_in(("dataset", "collection", "doc", *_SIDES, "p"), "seg")
    language_pairs = PairFilter(file)
    pairs = {id(doc): _pairs_of(doc) for doc in document.root.iter("doc")}
    for path in paths_to(("seg",), document.root):
        segment, around = path[-1], {element.tag: element for element in path}
        sides = [around[name] for name in _SIDES if name in around]
        problem = ""
        if not sides:
            problem = "the segment stands in no src, ref or hyp; it must be in one of them"
        elif not segment.get("id"):
            problem = "the segment has no id; it must be <seg id=...>"
        elif len(segment):
            problem = f"<{segment[0].tag}> in a segment; write < as &lt; in text"
        if problem:
            raise InputError(f"{document.place(segment)}: {problem}")
        doc, side = around.get("doc"), sides[0]
        own = pairs[id(doc)] if doc is not None else []
        if side.tag != "src":
            own = [pair for pair in own if pair.endswith(f"-{side.get('lang', '')}")] or own
        are_taken = [language_pairs.takes(pair) for pair in own]
        if own and not any(are_taken):
            continue
        role, attribute = _SIDES[sides[0].tag]
        key = Segment(around["doc"].get("id", "") if "doc" in around else "", segment.attrib["id"])
        name = sides[0].get(attribute) or file.name
        yield role, name, key, _collapsed(segment.text or "")
    language_pairs.check()


def _pairs_of(doc: Element) -> list[str]:
    """Return the language pairs of a document, by the languages of its sides."""
    languages = {
        name: dict.fromkeys(side.get("lang", "") for side in doc.iter(name)) for name in _SIDES
    }
    sources = [name for name in languages["src"] if name]
    targets = [name for name in {**languages["ref"], **languages["hyp"]} if name]
    return [f"{source}-{target}" for source in sources[:1] for target in targets]
