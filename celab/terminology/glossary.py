"""Glossaries: files → terms.

TSV and CSV have a term per line: the source term, its target terms separated by `|`, and, if there
are more columns, forbidden target terms and a note. The first line is a header if it has known
names, or names two languages, one of which must be the target language. JSON has the format of
WMT's terminology tasks: an object, or one per line, with the terms in `proper` (or in `terms`, as
systems get them), or one object that is the glossary itself. A term in several objects has all
their targets. The first sheet of a spreadsheet (XLSX) is read like TSV.

>>> parse("GPU\\t显卡|图形处理器\\n", "terms.tsv", "zh").terms[0].targets
('显卡', '图形处理器')
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple, TypeAlias, cast
from xml.etree.ElementTree import Element

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.json_files import JsonError, parse_json
from celab.base.languages import language_code
from celab.base.messages import warn
from celab.base.options import LIMITS, Limits, is_list
from celab.base.text.scripts import LETTERS, SCRIPT_OF, foreign_script, letters_of, script_mismatch
from celab.corpus.formats.elements import Document, first_element
from celab.corpus.formats.quoting import Row, rows_of
from celab.corpus.formats.record_values import check_result
from celab.corpus.formats.records import csv_rows, separator_of
from celab.corpus.formats.sheets import rows_of as rows_of_sheet
from celab.corpus.formats.sheets import sheet_text
from celab.corpus.formats.units import is_same_language
from celab.terminology.term_tokens import written_words

_COLUMNS = {
    "source": ("source", "src", "term", "source term"),
    "targets": ("target", "targets", "tgt", "translation", "target term", "target terms"),
    "forbidden": ("forbidden", "forbidden term", "forbidden terms"),
    "note": ("note", "notes", "comment"),
}
_COLUMN_OF = {name: column for column, names in _COLUMNS.items() for name in names}
_CHINESE_NAMES = {
    **dict.fromkeys(("中文", "汉语", "简体中文", "繁体中文", "漢語"), "zh"),
    **dict.fromkeys(("英文", "英语", "英語"), "en"),
    **dict.fromkeys(("日文", "日语", "日語", "日本語"), "ja"),
    **dict.fromkeys(("韩文", "韩语", "韓文", "한국어"), "ko"),
    **dict.fromkeys(("德文", "德语", "德語"), "de"),
}
_OTHER_NAMES = dict(
    zip(
        "french spanish russian portuguese italian vietnamese arabic dutch".split(),
        "fr es ru pt it vi ar nl".split(),
        strict=True,
    )
)
_CODES = {*_CHINESE_NAMES.values(), *_OTHER_NAMES.values(), "th", "lo", "km", "my"}
_LANGUAGE = re.compile(
    r"([A-Za-z]+(?:[-_][A-Za-z]{2,4})*)(?: terms?| \([A-Za-z]+\))?|("
    + "|".join(_CHINESE_NAMES)
    + ")"
)
# A first line that differs from so many terms below it is a header.
_MIN_TERMS_BELOW_HEADER = 3
_SEPARATOR = "|"
_HALF = re.compile("[\ud800-\udfff]")  # JSON can spell it, but no output could write it
_MAX_SHOWN_CHARACTERS = 40  # characters of a term in a message


@dataclass(frozen=True, slots=True)
class Term:
    """A source term, its allowed target terms, and the forbidden ones."""

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    note: str = ""
    where: str = field(default="", compare=False, repr=False)  # its place in a file, for messages


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms with different sources, the name of their file, and a digest of the terms."""

    terms: tuple[Term, ...]
    name: str = "glossary"

    @property
    def digest(self) -> str:
        """The first 8 hexadecimal digits of the SHA-256 of the terms, without notes."""
        text = "\n".join(
            "\t".join((term.source, _SEPARATOR.join(term.targets), _SEPARATOR.join(term.forbidden)))
            for term in self.terms
        )
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


GlossarySpec: TypeAlias = Glossary | io.AnyPath | Mapping[str, str | Iterable[str]] | Iterable[Term]


def load_glossary(glossary: GlossarySpec, lang: str, limits: Limits = LIMITS) -> Glossary:
    """Return a glossary from a file, a dict of targets by source term, or terms.

    >>> load_glossary({"GPU": ["显卡"], "cloud": "云|云端"}, "zh").terms[1].targets
    ('云', '云端')
    """
    if isinstance(glossary, Glossary):
        return glossary
    if isinstance(glossary, str | os.PathLike):
        return read(glossary, lang, limits)
    if isinstance(glossary, Mapping):
        terms = [
            Term(_text(source, f"term {k}"), _listed(targets, f"term {k}"))
            for k, (source, targets) in enumerate(glossary.items(), 1)
        ]
    else:
        terms = list(glossary) if is_list(glossary) else [cast("Term", glossary)]
        for term in terms:
            if not isinstance(term, Term):
                raise InputError(
                    f"the glossary has a value of type {type(term).__name__}",
                    hint="give a path, a dict of targets by source term, or a list of Term",
                )
    terms = [replace(term, where=f"term {k}") for k, term in enumerate(terms, 1)]
    return _glossary(terms, "the glossary", lang)


def read(path: io.AnyPath, lang: str, limits: Limits = LIMITS) -> Glossary:
    """Read a glossary; `lang` is the language of its targets."""
    text, name = io.read_text_or_table(path, None, limits), io.display_name(path)
    if isinstance(text, bytes):
        rows = list(rows_of_sheet(sheet_text(text, name, limits)))
        for number, cells in rows:
            for cell in cells:
                check_result(f"{name}, row {number}", cell)
        return _of_table(iter(rows), name, lang, "row")
    return parse(text, name, lang)


def parse(text: str, name: str, lang: str) -> Glossary:
    """Return the glossary in the text of a file, which is CSV if `name` ends so."""
    suffix = io.suffix_of(name)
    if is_tbx(text):
        terms = [Term(*term, where=name) for term in tbx_terms(text, name, lang)]
        return _glossary(terms, name, lang)
    if text.lstrip()[:1] in ("{", "[") and suffix not in (".tsv", ".csv"):
        return _glossary(_json_terms(text, name, has_lines=suffix == ".jsonl"), name, lang)
    io.refuse_lone_cr(text, name)
    is_csv = suffix == ".csv"
    rows = csv_rows(text, name, separator_of(text, _COLUMN_OF)) if is_csv else rows_of(text, name)
    return _of_table(rows, name, lang, "line")


def _of_table(rows: Iterator[Row], name: str, lang: str, unit: str) -> Glossary:
    terms = list(_table_terms(rows, name, lang, unit))
    _warn_of_header(terms, lang)
    return _glossary(terms, name, lang)


# ---- tables ----


def _table_terms(rows: Iterator[Row], name: str, lang: str, unit: str) -> Iterator[Term]:
    filled = ((line, cells) for line, cells in rows if any(map(str.strip, cells)))
    first = next(filled, None)
    if first is None:
        raise InputError(f"{name} has only blank lines", hint="it must have a term per line")
    columns = _header(first[1], f"{name}, {unit} {first[0]}", lang)
    data = filled if columns else chain([first], filled)
    columns = columns or {column: place for place, column in enumerate(_COLUMNS)}
    width = max(columns.values()) + 1
    for line, cells in data:
        where = f"{name}, {unit} {line}"
        if len(cells) < 2:
            raise InputError(
                f"{where}: {_shown(cells[0])} is all there is",
                hint="a source term and its target terms must be separated by a tab, in CSV by a"
                " comma",
            )
        if any(map(str.strip, cells[width:])):
            raise InputError(
                f"{where}: {len(cells)} columns",
                hint="there may be 4: source term, target terms, forbidden terms and note",
            )
        cell = {
            column: cells[place].strip() if place < len(cells) else ""
            for column, place in columns.items()
        }
        yield Term(
            cell["source"],
            _listed(cell["targets"], where),
            _listed(cell.get("forbidden", ""), where),
            cell.get("note", ""),
            where,
        )


def _warn_of_header(terms: list[Term], lang: str) -> None:
    """Warn if only the first line has a target in another script: it may be a header."""
    script = SCRIPT_OF.get(lang)
    if script is None or len(terms) < _MIN_TERMS_BELOW_HEADER or not terms[0].targets:
        return
    first, *others = (letters_of(script, "".join(term.targets)) for term in terms)
    source, target = terms[0].source, terms[0].targets[0]
    if not first and all(others) and source.lower() != target.lower():
        warn(
            f"{terms[0].where}: {_shown(source)} and {_shown(target)} are read as a term; if this"
            " is a header, call its columns source and target"
        )


def _header(cells: list[str], where: str, lang: str) -> dict[str, int]:
    """Return the index of each column; empty if the line is not a header."""
    names = [cell.strip().lower() for cell in cells]
    columns = _language_columns(cells, where, lang) or [_COLUMN_OF.get(name) for name in names]
    if "source" not in columns or "targets" not in columns:
        return {}
    places: dict[str, int] = {}
    for place, (name, column) in enumerate(zip(names, columns, strict=True)):
        if column is None:
            raise InputError(
                f"{where}: the header has the column {_shown(name)}",
                hint="the columns are source, target, forbidden and note",
            )
        if column in places:
            raise InputError(
                f"{where}: the header has two columns of {column}", hint="leave one out"
            )
        places[column] = place
    return places


def _language_columns(cells: list[str], where: str, lang: str) -> list[str | None]:
    """Return the columns of a header that names two languages; empty if the line does not."""
    languages = list(map(_language, cells))
    named = list(dict.fromkeys(filter(None, languages)))
    if len(named) != 2 or sum(map(bool, languages)) != 2:  # `English` and 英语 are a term
        return []
    if lang not in named:
        raise InputError(
            f"{where}: the header names the languages {' and '.join(cells[:2])}",
            hint=("one of them must be the target language, ", Setting("lang", lang)),
        )
    return [
        _COLUMN_OF.get(cell.strip().lower())
        if language is None
        else ("targets" if language == lang else "source")
        for cell, language in zip(cells, languages, strict=True)
    ]


def _language(cell: str) -> str | None:
    """Return the language that a cell of a header names, or None.

    >>> [_language(cell) for cell in ("English", "zh-CN", "中文", "EN term", "Chinese (CN)")]
    ['en', 'zh', 'zh', 'en', 'zh']
    >>> _language("server"), _language("Chinese wall")
    (None, None)
    """
    match = _LANGUAGE.fullmatch(cell.strip())
    if match is None:
        return None
    if match[2]:
        return _CHINESE_NAMES[match[2]]
    code = language_code(match[1]).lower()
    code = _OTHER_NAMES.get(code, re.split("[-_]", code)[0])
    return code if code in _CODES else None


# ---- JSON ----


def _json_terms(text: str, name: str, *, has_lines: bool) -> list[Term]:
    """Return the terms of all objects; in WMT's tasks, objects of segments repeat terms."""
    lines = [(number, line) for number, line in enumerate(io.split_lines(text), 1) if line.strip()]
    by_line = len(lines) > 1 and _is_object(lines[0][1])
    if not by_line and not has_lines:
        value = _parsed(text, name)
        items = value if isinstance(value, list) else [value]
        places = [f"{name}, item {k}" for k in range(1, len(items) + 1)]
        places = places if isinstance(value, list) else [name]
    else:
        places = [f"{name}, line {number}" for number, _ in lines]
        items = [_parsed(line, place) for (_, line), place in zip(lines, places, strict=True)]
    is_alone = len(items) == 1 and not has_lines
    merged: dict[tuple[str, ...], Term] = {}
    for where, item in zip(places, items, strict=True):
        for source, targets in _dictionary(item, where, is_alone).items():
            term = Term(_text(source, where), _listed(targets, where), where=where)
            first = merged.setdefault(written_words(term.source), term)
            all_targets = tuple(dict.fromkeys(first.targets + term.targets))
            merged[written_words(term.source)] = replace(first, targets=all_targets)
    return list(merged.values())


def _is_object(line: str) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except JsonError:
        return False


def _parsed(text: str, where: str) -> object:
    try:
        return parse_json(text)
    except JsonError as error:
        raise InputError(f"{where}: {error}", hint="it must be JSON or JSON Lines") from None


def _dictionary(item: object, where: str, is_alone: bool) -> dict[str, object]:
    right = "it must be an object with the terms in 'proper' or 'terms'"
    if not isinstance(item, dict):
        raise InputError(f"{where}: this is not an object", hint=right)
    terms = next((item[key] for key in ("proper", "terms") if key in item), None)
    if terms is None and is_alone:
        terms = item
    if not isinstance(terms, dict):
        raise InputError(f"{where}: there is no dictionary of terms", hint=right)
    return terms


# ---- all ----


def _listed(targets: object, where: str) -> tuple[str, ...]:
    if isinstance(targets, str):
        parts = _text(targets, where).split(_SEPARATOR)
    elif isinstance(targets, Iterable) and not isinstance(targets, bytes | Mapping):
        parts = [_text(target, where) for target in targets]
    else:
        parts = [_text(targets, where)]
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: a term is of type {type(value).__name__}; terms must be texts")
    if _HALF.search(value):
        raise InputError(
            f"{where}: {_shown(value)} has half of a surrogate pair; write both halves"
        )
    return value.strip()


def _glossary(terms: list[Term], name: str, lang: str) -> Glossary:
    if not terms:
        raise InputError(f"{name} has no terms; it must have at least one")
    places: dict[tuple[str, ...], str] = {}
    for term in terms:
        _check(term, lang)
        key = written_words(term.source)
        if key in places:
            raise InputError(
                f"{term.where}: {_shown(term.source)} is also in"
                f" {places[key].removeprefix(f'{name}, ')}",
                hint=f"write all its target terms in one place, separated by {_SEPARATOR}",
            )
        places[key] = term.where
    targets = [target for term in terms for target in term.targets]
    if mismatch := script_mismatch(targets, lang):
        share, script, _ = mismatch
        raise InputError(
            f"{name}: {share:.0%} of the letters of its target terms are {LETTERS[script]}",
            hint=("exchange its columns if they are swapped, or give another ", Setting("lang")),
        )
    return Glossary(tuple(terms), name)


def _check(term: Term, lang: str) -> None:
    """Raise `InputError` unless a term has a source, targets of its language, and no clash."""
    if not written_words(term.source):
        raise InputError(f"{term.where}: no source term", hint="each term must have one")
    if not any(map(written_words, term.targets)):
        raise InputError(
            f"{term.where}: {_shown(term.source)} has no target term",
            hint="it must have at least one",
        )
    for target in term.forbidden:
        if target in term.targets:
            raise InputError(
                f"{term.where}: {_shown(target)} is both a target term and forbidden",
                hint="it must be one of them",
            )
    own = SCRIPT_OF.get(lang)
    for target in term.targets:
        if own and letters_of(own, target) == len(target):
            continue  # most targets; the search for other scripts is slow
        if script := foreign_script(target, lang, term.source):
            raise InputError(
                f"{term.where}: the target term {_shown(target)} has {LETTERS[script]}",
                hint=("it must be in the target language, ", Setting("lang", lang)),
            )


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…")


# TBX, the format of term bases, in versions 2 and 3 and in both styles (DCA and DCT).
#
#     <tbx xml:lang="en"> <text> <body>                  `martif` in version 2
#       <conceptEntry>                                   `termEntry`
#         <langSec xml:lang="zh">                        `langSet`
#           <termSec>                                    `tig`, `ntig`
#             <term>渡轮</term>
#             <termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>
#
# The targets of a source term are the terms of its concept in the target language; deprecated and
# superseded terms are forbidden. The source language is the language of the file (`xml:lang`), or
# the only one beside the target language. Concepts that lack a term in one of the two languages are
# left out, and a term of several concepts has the targets of all.

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
    """Yield source terms, each with its allowed and its forbidden terms in a language."""
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
        # A term that one concept forbids may be allowed by another.
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
                _content(note).startswith(_FORBIDDEN) for note in part.iter() if _is_status(note)
            )
            for term in document.unique(("term", term) for term in part.iter("term")).values():
                if text := _content(term):
                    yield _Word(language, text, is_forbidden)


def _inside(element: Element, names: Collection[str]) -> list[Element]:
    return [inner for inner in element.iter() if inner.tag in names]


def _is_status(element: Element) -> bool:
    name = element.tag.rpartition(":")[2]
    return name == _STATUS or (name == "termNote" and element.get("type") == _STATUS)


def _content(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
