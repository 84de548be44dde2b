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

from collections.abc import Collection, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from celab.base.errors import InputError, Setting
from celab.corpus.formats.elements import Document, first_element
from celab.corpus.formats.units import is_same_language

_ROOTS = ("tbx", "martif")
_CONCEPTS, _LANGUAGES = ("conceptEntry", "termEntry"), ("langSec", "langSet")
_TERMS = ("termSec", "tig", "ntig")
_STATUS = "administrativeStatus"
_FORBIDDEN = ("deprecated", "superseded")
Strings = tuple[str, ...]


class _Word(NamedTuple):
    language: str
    text: str
    is_forbidden: bool


def is_tbx(text: str) -> bool:
    """Return whether a text is a term base."""
    return text.lstrip()[:1] == "<" and first_element(text.lstrip()) in _ROOTS


def tbx_terms(text: str, name: str, lang: str) -> Iterator[tuple[str, Strings, Strings]]:
    """Yield source terms with their target terms in a language, and those that are forbidden."""
    document = Document(text, name)
    concepts = [list(_words(document, concept)) for concept in _inside(document.root, _CONCEPTS)]
    languages = list(dict.fromkeys(word.language for words in concepts for word in words))
    source = _source_language(languages, document.root.get("xml:lang", ""), name, lang)
    terms: dict[str, list[_Word]] = {}
    for words in concepts:
        targets = [word for word in words if is_same_language(word.language, lang)]
        for word in words:
            is_translated = any(not target.is_forbidden for target in targets)
            if is_translated and word.language == source and not word.is_forbidden:
                terms.setdefault(word.text, []).extend(targets)
    for term, targets in terms.items():
        allowed = dict.fromkeys(word.text for word in targets if not word.is_forbidden)
        others = dict.fromkeys(word.text for word in targets if word.is_forbidden)
        # What one concept forbids, another may allow.
        yield term, tuple(allowed), tuple(text for text in others if text not in allowed)


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


def _words(document: Document, concept: Element) -> Iterator[_Word]:
    """Yield the terms of a concept, in all languages."""
    for section in _inside(concept, _LANGUAGES):
        language = section.get("xml:lang") or section.get("lang", "")
        if not language:
            raise InputError(
                f"{document.place(section)}: this <{section.tag}> has no xml:lang; add it"
            )
        for part in _inside(section, _TERMS):
            is_forbidden = any(
                _text(note).startswith(_FORBIDDEN) for note in part.iter() if _is_status(note)
            )
            for term in document.unique(("term", term) for term in part.iter("term")).values():
                if text := _text(term):
                    yield _Word(language, text, is_forbidden)


def _inside(element: Element, names: Collection[str]) -> list[Element]:
    return [inner for inner in element.iter() if inner.tag in names]


def _is_status(element: Element) -> bool:
    name = element.tag.rpartition(":")[2]
    return name == _STATUS or (name == "termNote" and element.get("type") == _STATUS)


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
