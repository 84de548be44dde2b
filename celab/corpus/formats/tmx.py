"""TMX 1.1 to 1.4: translation memories.

    <tmx> <header srclang>
      <tu tuid srclang>
        <tuv xml:lang> <seg> text </seg>               `lang` in old files

A segment is a `tu`, by `tuid`, or by its number if it has none. The caller's languages choose the
`tuv`s: the target language, or, if it is not known, the only one beside the source language; the
source language, or that of the header, or the only other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from celab.base.errors import InputError, Setting
from celab.corpus.formats.elements import Document, InlineContent, paths_to
from celab.corpus.formats.units import Unit, is_same_language, parts_of
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_ALL = "*all*"
_MOST_LISTED = 12


def tmx(file: TextFile) -> list[FilePart]:
    """Return the source and the translations in the languages of the caller."""
    document = Document(file.text, file.name)
    header = document.root.find("header")
    declared = _ALL if header is None else header.get("srclang", _ALL)
    entries = [
        (path[-1].get("tuid") or str(number), _texts(document, *path))
        for number, path in enumerate(paths_to(("tu",), document.root), start=1)
    ]
    languages = list(dict.fromkeys(name for _, texts in entries for name in texts))
    target = _target(file, languages, declared)
    source = _source(file, languages, declared, target)
    units = (
        Unit(Segment("", name), texts.get(source) if source else None, texts.get(target))
        for name, texts in entries
    )
    return parts_of(file, units, target)


def _texts(document: Document, *path: Element) -> dict[str, CodedText]:
    """Return the texts of a translation unit by language."""
    variants = []
    for variant in path[-1].iter("tuv"):
        language = variant.attrib.get("xml:lang") or variant.attrib.get("lang", "")
        variants.append((language, variant))
        if not language:
            raise InputError(f"{document.place(variant)}: this <tuv> has no xml:lang; add it")
    return {
        language: InlineContent(*path, variant, text).whole
        for language, variant in document.unique(variants).items()
        for text in document.unique(("seg", text) for text in variant.findall("seg")).values()
    }


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
