"""XLIFF 1.2 and 2.x.

    <xliff version="1.2">                          <xliff version="2.0" trgLang>
      <file original target-language>                <file id>
        <trans-unit id translate maxwidth>             <unit id translate>
          <source>  <target state>                       <segment id state>
          <seg-source> <mrk mtype="seg" mid>               <source>  <target>

A segment is a unit, or one of the segments in it: `mrk` in 1.2, `segment` in 2.x. Its document is
the file, by `original` or `id`, and its id that of the unit, followed by `/` and that of the
segment, or its number, if there are several. `maxwidth` counts if its unit is characters
(`size-unit="char"`). The header of a PO file, which converters write as a unit, is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from celab.base.errors import InputError
from celab.base.numbers import is_digits
from celab.corpus.formats.elements import Document, InlineContent, nearest, paths_to
from celab.corpus.formats.units import (
    NOT_TO_TRANSLATE,
    UNTRANSLATED,
    Unit,
    check_language,
    parts_of,
)
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_UNITS = ("trans-unit", "unit")
_TEXTS = ("source", "target", "seg-source")
_PO_HEADER = "x-gettext-domain-header"
_STATES = ("new", "needs-translation", "initial")


def xliff(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a file."""
    document = Document(file.text, file.name)
    root = document.root
    languages = [root.get("trgLang", "")]
    languages += [element.get("target-language", "") for element in root.iter("file")]
    for language in languages:
        check_language(file, language)
    units = [unit for path in paths_to(_UNITS, root) for unit in _segments(document, *path)]
    return parts_of(file, units, next(filter(None, languages), ""))


def _segments(document: Document, *path: Element) -> Iterator[Unit]:
    unit = path[-1]
    if unit.get("restype") == _PO_HEADER:
        return
    name, width = unit.get("id", ""), unit.get("maxwidth", "")
    if not name:
        raise InputError(f"{document.place(unit)}: this <{unit.tag}> has no id; each must have one")
    for inner in list(unit.iter(unit.tag))[1:]:
        raise InputError(
            f"{document.place(inner)}: this <{unit.tag}> is inside the one of line"
            f" {document.line(unit)}",
            hint="close that one first",
        )
    files = [element.attrib for element in path if element.tag == "file"]
    original = files[-1].get("original") or files[-1].get("id", "") if files else ""
    is_left_out = nearest(path, "translate") == "no"
    has_length = unit.get("size-unit") == "char" and is_digits(width)
    segments = [unit] if unit.tag == "trans-unit" else unit.findall("segment")
    for number, segment in enumerate(segments, start=1):
        texts = document.unique((text.tag, text) for text in segment if text.tag in _TEXTS)
        contents = {tag: InlineContent(*path, segment, text) for tag, text in texts.items()}
        states = [text.get("state") for text in (texts.get("target"), segment) if text is not None]
        state = next(filter(None, states), "")
        reason = NOT_TO_TRANSLATE if is_left_out else UNTRANSLATED if state in _STATES else ""
        own_id = segment.get("id") or (str(number) if len(segments) > 1 else "")
        for mid, source, target in _texts(document, contents):
            ids = (name, own_id if segment is not unit else "", mid)
            key = Segment(original, "/".join(filter(None, ids)))
            max_length = int(width) if has_length and len(segments) == 1 and not mid else None
            yield Unit(key, source, target, reason, max_length)


def _texts(
    document: Document, contents: dict[str, InlineContent]
) -> Iterator[tuple[str, CodedText | None, CodedText | None]]:
    """Yield the id of each segment that is marked, or "", with its source and its target."""
    sources, targets = (
        contents[name].segments(document) if name in contents else {}
        for name in ("seg-source", "target")
    )
    if sources and (targets or "target" not in contents):
        for mid in dict.fromkeys((*sources, *targets)):
            yield mid, sources.get(mid), targets.get(mid)
        return
    source, target = (
        contents[name].whole if name in contents else None for name in ("source", "target")
    )
    yield "", source, target
