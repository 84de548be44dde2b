"""XLIFF 1.2 and 2.x.

    <xliff version="1.2">                          <xliff version="2.0" trgLang>
      <file original target-language>                <file id>
        <trans-unit id translate maxwidth>             <unit id translate>
          <source>  <target state>                       <segment id state>
          <seg-source> <mrk mtype="seg" mid>               <source>  <target>

A segment is a unit, or one of the segments in it: `mrk` in 1.2, `segment` in 2.x. Its document is
the file, by `original` or `id`, and its id that of the unit, followed by `/` and that of the
segment, if it has one. `maxwidth` counts if its unit is characters (`size-unit="char"`). The header
of a PO file, which converters write as a unit, is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.base.numbers import is_digits
from celab.corpus.formats.elements import Document, InlineContent, Tag
from celab.corpus.formats.units import (
    NOT_TO_TRANSLATE,
    UNTRANSLATED,
    Unit,
    check_language,
    parts_of,
)
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_UNITS = ("trans-unit", "unit")
_STRUCTURE = frozenset({"file", "group", *_UNITS})
_TEXTS = ("source", "target", "seg-source")
_AROUND_TEXTS = ("trans-unit", "segment")  # elsewhere they are proposals, or white space
_PO_HEADER = "x-gettext-domain-header"
_STATES = ("new", "needs-translation", "initial")


def xliff(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a file."""
    reader = _Reader(file)
    units = list(reader.units())
    return parts_of(file, units, reader.lang)


@dataclass
class _Pair:
    """Source and target of a unit of 1.2, or of a segment of 2.x."""

    id: str = ""
    state: str = ""
    contents: dict[str, InlineContent] = field(default_factory=dict)


@dataclass
class _OpenUnit:
    """A unit of which not all is read yet."""

    id: str
    is_translated: bool
    max_length: int | None
    pairs: list[_Pair] = field(default_factory=list)


class _Reader:
    """Reads the units of a file, tag by tag."""

    def __init__(self, file: TextFile) -> None:
        self._file, self._document = file, Document(file.text, file.name)
        self._original, self.lang = "", ""
        self._translates = [True]  # whether the elements that are open are to be translated
        self._unit: _OpenUnit | None = None
        self._text: tuple[str, InlineContent] | None = None  # that is open

    def units(self) -> Iterator[Unit]:
        """Yield all units, in order."""
        for tag in self._document.tags():
            if self._text is not None:
                self._read_text(tag, *self._text)
            elif tag.name in _STRUCTURE:
                yield from self._read_structure(tag)
            elif tag.name == "xliff" and tag.opens:
                self._set_language(tag.attributes.get("trgLang", ""))
            elif self._unit is not None and tag.opens:
                self._text = _open_text(tag, self._unit)

    def _set_language(self, declared: str) -> None:
        check_language(self._file, declared)
        self.lang = self.lang or declared

    def _read_text(self, tag: Tag, name: str, content: InlineContent) -> None:
        if tag.name == name and not tag.opens:
            content.finish(tag)
            self._text = None
        else:
            content.add(tag)

    def _read_structure(self, tag: Tag) -> Iterator[Unit]:
        if tag.opens:
            attributes = tag.attributes
            self._translates.append(_is_translated(attributes, self._translates[-1]))
            if tag.name == "file":
                self._original = attributes.get("original") or attributes.get("id", "")
                self._set_language(attributes.get("target-language", ""))
            elif tag.name in _UNITS and attributes.get("restype") != _PO_HEADER:
                self._unit = _opened(self._document, tag, attributes, self._translates[-1])
        if tag.closes:
            self._translates.pop()
            if tag.name in _UNITS and self._unit is not None:
                yield from _segments(self._unit, self._original)
                self._unit = None


def _is_translated(attributes: dict[str, str], inherited: bool) -> bool:
    return attributes["translate"] != "no" if "translate" in attributes else inherited


def _opened(
    document: Document, tag: Tag, attributes: dict[str, str], is_translated: bool
) -> _OpenUnit:
    if not attributes.get("id"):
        raise InputError(f"{document.place(tag)}: this <{tag.name}> has no id; each must have one")
    width = attributes.get("maxwidth", "")
    in_characters = attributes.get("size-unit") == "char" and is_digits(width)
    unit = _OpenUnit(attributes["id"], is_translated, int(width) if in_characters else None)
    if tag.name == "trans-unit":
        unit.pairs.append(_Pair())
    return unit


def _open_text(tag: Tag, unit: _OpenUnit) -> tuple[str, InlineContent] | None:
    """Return the text that a tag opens, after it is added to its unit; None if it opens none."""
    if tag.name == "segment" and tag.parent == "unit":
        attributes = tag.attributes
        unit.pairs.append(_Pair(attributes.get("id", ""), attributes.get("state", "")))
    elif tag.name in _TEXTS and tag.parent in _AROUND_TEXTS and unit.pairs:
        pair, content = unit.pairs[-1], InlineContent(tag)
        if tag.name == "target":
            pair.state = tag.attributes.get("state", pair.state)
        pair.contents[tag.name] = content
        return None if tag.closes else (tag.name, content)
    return None


def _segments(unit: _OpenUnit, document: str) -> Iterator[Unit]:
    n_pairs = len(unit.pairs)
    for number, pair in enumerate(unit.pairs, start=1):
        state = UNTRANSLATED if pair.state in _STATES else ""
        state = state if unit.is_translated else NOT_TO_TRANSLATE
        own_id = pair.id or (str(number) if n_pairs > 1 else "")
        name = f"{unit.id}/{own_id}" if own_id else unit.id
        for mid, source, target in _texts(pair.contents):
            key = Segment(document, f"{name}/{mid}" if mid else name)
            max_length = unit.max_length if n_pairs == 1 and not mid else None
            yield Unit(key, source, target, state, max_length)


def _texts(
    contents: dict[str, InlineContent],
) -> Iterator[tuple[str, CodedText | None, CodedText | None]]:
    """Yield the id of each segment that is marked, or "", with its source and its target."""
    sources = contents["seg-source"].segments if "seg-source" in contents else {}
    targets = contents["target"].segments if "target" in contents else {}
    if sources and (targets or "target" not in contents):
        for mid in dict.fromkeys((*sources, *targets)):
            yield mid, sources.get(mid), targets.get(mid)
        return
    source, target = (
        contents[name].whole if name in contents else None for name in ("source", "target")
    )
    yield "", source, target
