"""TBX: term bases, of version 2 and 3, in both styles (DCA and DCT).

    <tbx xml:lang="en"> <text> <body>                  `martif` in version 2
      <conceptEntry>                                   `termEntry`
        <langSec xml:lang="zh">                        `langSet`
          <termSec>                                    `tig`, `ntig`
            <term>渡轮</term>
            <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>

A term in the source language is translated by those of its concept in the target language;
deprecated and superseded ones are forbidden. The source language is that of the file (`xml:lang`),
or the only other one. Concepts without a term in either language are left out, and a term of
several concepts has the targets of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from celab.base.errors import InputError, Setting
from celab.corpus.formats.elements import Document, Tag
from celab.corpus.formats.markup import first_element, resolve_entities
from celab.corpus.formats.units import is_same_language

_ROOTS = ("tbx", "martif")
_CONCEPTS, _LANGUAGES = ("conceptEntry", "termEntry"), ("langSec", "langSet")
_TERMS = ("termSec", "tig", "ntig")
_STATUS = "administrativeStatus"
_FORBIDDEN = ("deprecated", "superseded")


class TbxTerm(NamedTuple):
    """A source term, its target terms, and those that must not be used."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...]


class _Word(NamedTuple):
    language: str
    text: str
    is_forbidden: bool


def is_tbx(text: str) -> bool:
    """Return whether a text is a term base."""
    return text.lstrip()[:1] == "<" and first_element(text.lstrip()) in _ROOTS


def tbx_terms(text: str, name: str, lang: str) -> list[TbxTerm]:
    """Return the terms of a term base whose targets are in a language."""
    reader = _Reader(Document(text, name))
    concepts = list(reader.concepts())
    languages = list(dict.fromkeys(word.language for words in concepts for word in words))
    source = _source_language(languages, reader.language, name, lang)
    terms: dict[str, TbxTerm] = {}
    for words in concepts:
        targets = [word for word in words if is_same_language(word.language, lang)]
        allowed = [word.text for word in targets if not word.is_forbidden]
        forbidden = [word.text for word in targets if word.is_forbidden]
        for word in words:
            if allowed and word.language == source and not word.is_forbidden:
                known = terms.get(word.text, TbxTerm(word.text, (), ()))
                terms[word.text] = _with_targets(known, allowed, forbidden)
    return list(terms.values())


def _with_targets(term: TbxTerm, allowed: Iterable[str], forbidden: Iterable[str]) -> TbxTerm:
    targets = tuple(dict.fromkeys((*term.targets, *allowed)))
    # What one concept forbids, another may allow.
    others = tuple(
        word for word in dict.fromkeys((*term.forbidden, *forbidden)) if word not in targets
    )
    return TbxTerm(term.source, targets, others)


def _source_language(languages: list[str], declared: str, name: str, lang: str) -> str:
    others = [language for language in languages if not is_same_language(language, lang)]
    if len(others) == len(languages):
        raise InputError(
            f"{name} has no terms in {lang}; there are: {', '.join(languages) or 'no languages'}",
            hint=("give another ", Setting("lang")),
        )
    same = [language for language in others if is_same_language(language, declared)]
    candidates = same or others
    if len(candidates) != 1:
        raise InputError(
            f"{name} has terms in {', '.join(languages)}, so the source language is not clear",
            hint="keep one language beside that of the targets",
        )
    return candidates[0]


class _Reader:
    """Reads the concepts of a term base, tag by tag, and the language that it declares."""

    def __init__(self, document: Document) -> None:
        self.language = ""
        self._document = document
        self._words: list[_Word] = []
        self._section = ""  # the language of the section that is open
        self._term, self._status = "", ""
        self._pieces: list[str] | None = None  # of the text that is open
        self._open = ""  # the name of its element

    def concepts(self) -> Iterator[list[_Word]]:
        """Yield the terms of each concept, in all languages."""
        for tag in self._document.tags():
            if self._pieces is not None:
                self._read_text(tag, self._pieces)
            elif tag.name in _CONCEPTS and not tag.opens:
                yield self._words
                self._words = []
            elif tag.name in _TERMS and not tag.opens:
                self._close_term()
            elif tag.opens:
                self._open_element(tag)

    def _open_element(self, tag: Tag) -> None:
        if tag.name in _ROOTS:
            self.language = tag.attributes.get("xml:lang", "")
        elif tag.name in _LANGUAGES:
            self._section = tag.attributes.get("xml:lang") or tag.attributes.get("lang", "")
            if not self._section:
                raise InputError(
                    f"{self._document.place(tag)}: this <{tag.name}> has no xml:lang; add it"
                )
        elif tag.name in ("term", _STATUS) or (
            tag.name == "termNote" and tag.attributes.get("type") == _STATUS
        ):
            self._pieces = None if tag.closes else []
            self._open = tag.name

    def _read_text(self, tag: Tag, pieces: list[str]) -> None:
        pieces.append(tag.text)
        if tag.name != self._open or tag.opens:
            return
        text = " ".join(resolve_entities("".join(pieces)).split())
        if tag.name == "term":
            self._term = text
        else:
            self._status = text
        self._pieces = None

    def _close_term(self) -> None:
        if self._term:
            is_forbidden = self._status.startswith(_FORBIDDEN)
            self._words.append(_Word(self._section, self._term, is_forbidden))
        self._term = self._status = ""
