r"""Apple: tables of strings, dictionaries of plurals and catalogs of strings → texts.

    "save" = "Save";               .strings; comments are /* … */ and // …; a key may be bare
    <key>%d files</key> <dict>     .stringsdict: a property list, key `%d files[other]`

    {"sourceLanguage": "en", "strings": {"save": {"localizations": {"zh-Hans": {"stringUnit":
     {"state": "translated", "value": "保存"}}}}}}          .xcstrings: all languages

A catalog's text without a translation is missing, and so is one in state `new`. Where the source
language has no text, the key is the text. Keys that are not to be translated, and stale ones, which
the code no longer has, have no text. Variations by device are keys of their own, such as
`tap[device.mac]`. The variation `other` has the key `tap`; a language without a variation for some
device has this text for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from celab.base.errors import InputError
from celab.base.languages import CATEGORY_NAMES
from celab.corpus.formats.elements import Document
from celab.corpus.formats.json_text import whole_object
from celab.corpus.formats.keyed import KeyedText, parts_by_language, parts_of, plural
from celab.corpus.model import FilePart, PluralForm, TextFile

_TOKEN = re.compile(
    r"(?P<skipped>\s++|/\*(?s:.*?)\*/|//[^\n]*+)"
    r'|"(?P<quoted>(?:[^"\\]|\\(?s:.))*+)"|(?P<bare>(?!/[*/])[\w.$:/-]++)|(?P<sign>[=;])'
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_FORMAT_KEY = "NSStringLocalizedFormatKey"
_ONLY_VARIABLE = re.compile(r"%(?:\d+\$)?#@(.+)@")
_DEVICE = re.compile(r"\[device\.\w+\]")
_RIGHT = 'each line must be "key" = "text", with a semicolon at its end'
_PLIST = ("<?xml", "<!doctype", "<plist")


def strings(file: TextFile) -> list[FilePart]:
    """Return the texts of a table of strings, which may be a property list."""
    if file.text.lstrip()[:8].lower().startswith(_PLIST):
        document = Document(file.text, file.name)
        return parts_of(file, _of_dictionary(document))
    return parts_of(file, _of_table(file))


def _of_table(file: TextFile) -> Iterator[KeyedText]:
    text, place, line, end = file.text.removeprefix("\ufeff"), 0, 1, 0
    tokens: list[tuple[str, str]] = []
    while place < len(text):
        match = _TOKEN.match(text, place)
        line, end = line + text.count("\n", end, place), place
        where = f"{file.name}, line {line}"
        if match is None:
            what = {'"': "this text has no end", "/": "this comment has no end"}.get(text[place])
            raise InputError(
                f"{where}: {what or f'{text[place : place + 20]!r} is neither key nor text'};"
                f" {_RIGHT}"
            )
        place = match.end()
        if match["skipped"] is not None:
            continue
        kind = match.lastgroup or ""
        if kind != "sign":
            tokens.append(("text", unescaped(match[kind])))
        elif match["sign"] == "=":
            tokens.append(("=", ""))
        else:
            yield _entry(tokens, where)
            tokens = []
    if tokens:
        raise InputError(f"{file.name}, line {line}: {tokens[0][1]!r} has no semicolon at its end")


def _entry(tokens: Sequence[tuple[str, str]], where: str) -> KeyedText:
    kinds = [kind for kind, _ in tokens]
    if kinds == ["text"]:  # a key alone is its own text
        return KeyedText(tokens[0][1], tokens[0][1], where)
    if kinds != ["text", "=", "text"]:
        raise InputError(
            f"{where}: this is not a valid line of a table of strings; {_RIGHT}",
            hint='a quotation mark in a text is written \\"',
        )
    return KeyedText(tokens[0][1], tokens[2][1], where)


def unescaped(text: str) -> str:
    r"""Return a text of a table of strings.

    >>> unescaped(r'\"\U4E70\"\n')
    '"买"\n'
    """
    if "\\" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return chr(int(match[2], 8)) if match[2] else _ESCAPED.get(match[3], match[3])

    return _ESCAPE.sub(character, text)


def stringsdict(file: TextFile) -> list[FilePart]:
    """Return the texts of a dictionary of plurals."""
    document = Document(file.text, file.name)
    return parts_of(file, _of_dictionary(document))


def _of_dictionary(document: Document) -> Iterator[KeyedText]:
    lines = document.lines()
    for key, element in _pairs(document, _dictionary(document, document.root)):
        where = f"{document.name}, line {lines[element]}"
        if element.tag == "string":
            yield KeyedText(key, element.text or "", where)
            continue
        if element.tag != "dict":
            raise InputError(f"{where}: {key} is a <{element.tag}>; it must be a text or a <dict>")
        inner = _pairs(document, element)
        variables = [(name, value) for name, value in inner if value.tag == "dict"]
        format = next((value.text or "" for name, value in inner if name == _FORMAT_KEY), "")
        only = _ONLY_VARIABLE.fullmatch(format)
        is_plain = only is not None and [name for name, _ in variables] == [only[1]]
        if format and not is_plain:
            yield KeyedText(key, format, where)
        for variable, forms in variables:
            base = key if is_plain else f"{key}.{variable}"
            for category, text in _pairs(document, forms):
                if category in CATEGORY_NAMES:
                    place = f"{document.name}, line {lines[text]}"
                    yield plural(PluralForm(base, category), text.text or "", place)


def _dictionary(document: Document, root: Element) -> Element:
    found = root if root.tag == "dict" else root.find("dict")
    if root.tag not in ("plist", "dict") or found is None:
        raise InputError(f"{document.place(root)}: the property list has no <dict> of keys")
    return found


def _pairs(document: Document, dictionary: Element) -> list[tuple[str, Element]]:
    """Return the keys of a dictionary of a property list, with their values."""
    children = [*dictionary]
    pairs = list(zip(children[::2], children[1::2], strict=False))
    for key, value in pairs:
        if key.tag != "key" or value.tag == "key":
            raise InputError(
                f"{document.place(key)}: in a <dict>, a <key> and a value must take turns"
            )
    if len(children) % 2:
        raise InputError(f"{document.place(children[-1])}: this <key> has no value")
    return [(key.text or "", value) for key, value in pairs]


def xcstrings(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a catalog of strings."""
    whole = whole_object(file)
    source, entries = whole.get("sourceLanguage"), whole.get("strings")
    if not isinstance(source, str) or not isinstance(entries, Mapping):
        raise InputError(
            f"{file.name} is no catalog of strings: it has no sourceLanguage or no strings"
        )
    texts: dict[str, list[KeyedText]] = {source: []}
    for key, entry in entries.items():
        where = f"{file.name}, {key!r}"
        if not isinstance(entry, Mapping):
            raise InputError(f"{where} is {type(entry).__name__}; it must be an object")
        is_needed = entry.get("shouldTranslate") is not False
        if entry.get("extractionState") == "stale" or not is_needed or not key.strip():
            continue
        by_language = entry.get("localizations") or {}
        if not isinstance(by_language, Mapping):
            raise InputError(f"{where}: the localizations must be an object")
        if source not in by_language:
            texts[source].append(KeyedText(key, key, where))
        for language, localization in by_language.items():
            of_language = texts.setdefault(language, [])
            of_language += _variations(localization, key, where, is_source=language == source)
    for language, own in texts.items():
        if language != source:
            own += _of_devices(texts[source], own)
    return parts_by_language(file, texts, source)


def _of_devices(sources: Sequence[KeyedText], own: Sequence[KeyedText]) -> list[KeyedText]:
    """Return a text for each device that only the source tells apart: the one for all devices."""
    by_key = {text.key: text for text in own}
    keys = ((text.key, _DEVICE.sub("", text.key)) for text in sources if text.key not in by_key)
    return [by_key[base]._replace(key=key, form=None) for key, base in keys if base in by_key]


def _variations(value: Any, base: str, where: str, *, is_source: bool) -> Iterator[KeyedText]:
    """Yield the texts of a localization: its own text, its variations, and its substitutions."""
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: a localization must be an object")
    unit = value.get("stringUnit")
    text, state = (unit.get("value"), unit.get("state")) if isinstance(unit, Mapping) else ("", "")
    if isinstance(text, str) and text.strip() and (is_source or state != "new"):
        yield KeyedText(base, text, where)
    variations = value.get("variations")
    for kind, by_name in variations.items() if isinstance(variations, Mapping) else ():
        for name, inner in by_name.items() if isinstance(by_name, Mapping) else ():
            if kind != "plural":
                key = base if name == "other" else f"{base}[{kind}.{name}]"
                yield from _variations(inner, key, where, is_source=is_source)
                continue
            form = PluralForm(base, name)
            for text_of_form in _variations(inner, form.key, where, is_source=is_source):
                is_form = text_of_form.key == form.key
                yield text_of_form._replace(form=form) if is_form else text_of_form
    substitutions = value.get("substitutions")
    for name, inner in substitutions.items() if isinstance(substitutions, Mapping) else ():
        yield from _variations(inner, f"{base}.{name}", where, is_source=is_source)
