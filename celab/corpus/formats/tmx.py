"""TMX 1.1 to 1.4: translation memories.

    <tmx> <header srclang>
      <tu tuid srclang>
        <tuv xml:lang> <seg> text </seg>               `lang` in old files

A segment is a `tu`, by `tuid`, or by its number if it has none. The caller's languages choose the
`tuv`s: the target language, or, if it is not known, the only one beside the source language; the
source language, or that of the header, or the only other one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from celab.base.errors import InputError, Setting
from celab.corpus.formats.elements import Document, InlineContent, Tag
from celab.corpus.formats.units import Unit, is_same_language, parts_of
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_ALL = "*all*"
_MOST_LISTED = 12


class _Entry(NamedTuple):
    """A translation unit: its texts by language."""

    id: str
    texts: dict[str, CodedText]


def tmx(file: TextFile) -> list[FilePart]:
    """Return the source and the translations in the languages of the caller."""
    reader = _Reader(file)
    entries = list(reader.entries())
    languages = list(dict.fromkeys(name for entry in entries for name in entry.texts))
    target = _target(file, languages, reader.source_language)
    source = _source(file, languages, reader.source_language, target)
    units = (
        Unit(
            Segment("", entry.id),
            entry.texts.get(source) if source else None,
            entry.texts.get(target),
        )
        for entry in entries
    )
    return parts_of(file, units, target)


class _Reader:
    """Reads the translation units of a file, tag by tag, and the source language of its header."""

    def __init__(self, file: TextFile) -> None:
        self.source_language = _ALL
        self._document = Document(file.text, file.name)
        self._entry, self._language, self._number = _Entry("", {}), "", 0
        self._content: InlineContent | None = None  # of the text that is open

    def entries(self) -> Iterator[_Entry]:
        """Yield all translation units, in order."""
        for tag in self._document.tags():
            if self._content is not None:
                self._read_text(tag, self._content)
            elif tag.name == "header" and tag.opens:
                self.source_language = tag.attributes.get("srclang", _ALL)
            elif tag.name == "tu":
                if tag.opens:
                    self._number += 1
                    self._entry = _Entry(tag.attributes.get("tuid") or str(self._number), {})
                if tag.closes:
                    yield self._entry
            elif tag.name == "tuv" and tag.opens:
                self._open_variant(tag)
            elif tag.name == "seg" and tag.opens and tag.parent == "tuv":
                self._content = None if tag.closes else InlineContent(tag)
                self._entry.texts[self._language] = CodedText("")

    def _read_text(self, tag: Tag, content: InlineContent) -> None:
        if tag.name == "seg" and not tag.opens:
            content.finish(tag)
            self._entry.texts[self._language] = content.whole
            self._content = None
        else:
            content.add(tag)

    def _open_variant(self, tag: Tag) -> None:
        attributes = tag.attributes
        self._language = attributes.get("xml:lang") or attributes.get("lang", "")
        if not self._language:
            raise InputError(f"{self._document.place(tag)}: this <tuv> has no xml:lang; add it")
        if self._language in self._entry.texts:
            raise InputError(
                f"{self._document.place(tag)}: this <tu> has two texts in {self._language}; keep"
                " one"
            )


def _target(file: TextFile, languages: Sequence[str], declared: str) -> str:
    wanted = file.pair.partition("-")[2] if file.pair else ""
    wanted = wanted or file.lang or ""
    if not wanted:
        others = [name for name in languages if name not in _named_source(languages, declared)]
        chinese = [name for name in others if is_same_language(name, "zh")]
        return _only(file, chinese or others, languages, "zh" if chinese or not others else "")
    return _only(file, _matching(languages, wanted), languages, wanted)


def _source(file: TextFile, languages: Sequence[str], declared: str, target: str) -> str:
    """Return the language of the source, "" if it cannot be told."""
    others = [name for name in languages if name != target]
    if file.pair and "-" in file.pair:
        wanted = file.pair.partition("-")[0]
        return _only(file, _matching(others, wanted), languages, wanted)
    named = [name for name in _named_source(languages, declared) if name != target]
    candidates = named or others
    return candidates[0] if len(candidates) == 1 else ""


def _named_source(languages: Sequence[str], declared: str) -> list[str]:
    return [] if declared.lower() == _ALL else _matching(languages, declared)


def _matching(languages: Sequence[str], wanted: str) -> list[str]:
    wanted = wanted.replace("_", "-").lower()
    same = [name for name in languages if name.replace("_", "-").lower() == wanted]
    return same or [name for name in languages if is_same_language(name, wanted)]


def _only(file: TextFile, candidates: Sequence[str], languages: Sequence[str], wanted: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    seen = ", ".join(languages[:_MOST_LISTED]) or "no languages"
    if candidates:
        raise InputError(
            f"{file.name} has {len(candidates)} languages"
            f" that may be {f'meant by {wanted}' if wanted else 'the target'}:"
            f" {', '.join(candidates[:_MOST_LISTED])}",
            hint=("name source and target with ", Setting("language_pair")),
        )
    raise InputError(
        f"{file.name} has no text in {wanted}; there are: {seen}",
        hint=("give the languages with ", Setting("language_pair")),
    )
