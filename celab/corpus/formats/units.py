"""Units of translators' files: a source and its translation → parts.

A file has the role that the caller gives it: its translations are a reference or a system, and its
sources are a source. One rule holds for all formats. A unit counts if it is to be translated and
has a translation; the others are left out of the file, and counted by reason:

    not to translate  XLIFF: translate="no"
    untranslated      no target or an empty one; a cue without text
    in state …        a target, but a state that says it is no translation: `new` and
                      `needs-translation` in XLIFF 1.2, `initial` in XLIFF 2
    fuzzy             PO: the flag `fuzzy`

Proposals (`alt-trans`, matches of XLIFF 2) and obsolete entries of PO are not units.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from xml.etree.ElementTree import Element

from celab.base import io
from celab.base.errors import InputError, Setting
from celab.base.languages import canonical_tag, language_code, split_pair
from celab.base.options import is_digits
from celab.corpus.formats.elements import Document, InlineContent, nearest, paths_to
from celab.corpus.model import CodedText, FilePart, Role, Segment, TextFile, gather_parts
from celab.tables.cells import quantity

NOT_TO_TRANSLATE, UNTRANSLATED, FUZZY = "not to translate", "untranslated", "fuzzy"
# States of XLIFF → the reason to leave out a unit that has a target.
_UNTRANSLATED_STATES = {
    state: f"in state {state}" for state in ("new", "needs-translation", "initial")
}


class Unit(NamedTuple):
    """A segment of a bilingual file."""

    key: Segment
    source: CodedText | None
    target: CodedText | None
    state: str = ""  # the reason why it is left out, if the file says so
    max_length: int | None = None  # characters
    times: tuple[int, int] | None = None  # start and end of a cue, in milliseconds

    @property
    def reason(self) -> str:
        """Why it is left out of the translations, or ""."""
        is_blank = self.target is None or not self.target.text.strip()
        if is_blank and self.state not in (NOT_TO_TRANSLATE, FUZZY):
            return UNTRANSLATED
        return self.state


def parts_of(file: TextFile, units: Iterable[Unit], lang: str = "") -> list[FilePart]:
    """Return the source and the translations of a file; `InputError` if it has no translation.

    `lang` is the language that the file says it is translated into.
    """
    units = list(units)
    role: Role = file.role or "reference"
    left_out = Counter(unit.reason for unit in units if unit.reason)
    if role != "source" and left_out.total() == len(units):
        counted = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
        raise InputError(
            f"{file.name} has no translation"
            + (f": {quantity(len(units), 'unit')}, {counted}" if units else " and no unit"),
            hint="give the translated file" + _states_hint(left_out),
        )
    codes: dict[tuple[Role, Segment], tuple[str, ...]] = {}

    def texts() -> Iterator[tuple[Role, str, Segment, str]]:
        for text_role, key, (text, own_codes) in _sides(units, role):
            codes[text_role, key] = own_codes
            yield text_role, file.name, key, text

    parts = gather_parts(file, texts())
    with_codes = {text_role for (text_role, _), own_codes in codes.items() if own_codes}
    return [
        replace(
            part,
            codes=[codes[part.role, key] for key in part.keys or ()],
            had_codes=part.role in with_codes,
            max_lengths={unit.key: unit.max_length for unit in units if unit.max_length},
            times={unit.key: unit.times for unit in units if unit.times},
            n_left_out={} if part.role == "source" else dict(left_out),
            is_bilingual=True,
            lang="" if part.role == "source" else lang,
        )
        for part in parts
    ]


def _states_hint(left_out: Iterable[str]) -> str:
    """Return advice if targets are translations, although their states say otherwise."""
    has_states = any(reason in _UNTRANSLATED_STATES.values() for reason in left_out)
    return ', or give its translations state="translated"' if has_states else ""


def _sides(units: Iterable[Unit], role: Role) -> Iterator[tuple[Role, Segment, CodedText]]:
    for unit in units:
        is_needed = unit.state != NOT_TO_TRANSLATE if role == "source" else not unit.reason
        if not is_needed:
            continue
        if unit.source is not None:
            yield "source", unit.key, unit.source
        if role != "source" and unit.target is not None:
            yield role, unit.key, unit.target


def check_language(file: TextFile, declared: str) -> None:
    """Raise `InputError` if a file declares another target language than the caller does."""
    if file.role == "source" or not declared or not file.lang:
        return
    if not is_same_language(declared, file.lang):
        raise InputError(
            f"{file.name} is translated into {declared}, but the target language is {file.lang}",
            hint=("give another file, or ", Setting("lang", language_code(declared))),
        )


def check_languages(parts: Sequence[FilePart]) -> None:
    """Raise `InputError` if files say that they are translated into different languages."""
    first = parts[0]
    for part in parts:
        if not is_same_language(first.lang, part.lang):
            raise InputError(
                f"{part.where} is translated into {part.lang}, but {first.where} into {first.lang}",
                hint=f"if {first.where} is the source, use --source {first.where}"
                if part.is_keyed and first.role == "reference"
                else "give files in one language",
            )


def is_same_language(code: str, other: str) -> bool:
    """Return whether two codes mean one language, whatever the region.

    >>> is_same_language("zh-CN", "zho_Hant"), is_same_language("pt-BR", "de")
    (True, False)
    """
    first, second = (language_code(re.split("[-_]", name.lower())[0]) for name in (code, other))
    return first == second


# XLIFF 1.2 and 2.x.
#
#     <xliff version="1.2">                          <xliff version="2.0" trgLang>
#       <file original target-language>                <file id>
#         <trans-unit id translate maxwidth>             <unit id translate>
#           <source>  <target state>                       <segment id state>
#           <seg-source> <mrk mtype="seg" mid>               <source>  <target>
#
# A segment is a unit, or one of the segments in it: `mrk` in 1.2, `segment` in 2.x. Its document
# is the file, by `original` or `id`, and its id that of the unit, followed by `/` and that of the
# segment, or its number, if there are several. `maxwidth` counts if its unit is characters (`size-
# unit="char"`). The header of a PO file, which converters write as a unit, is none.

_UNITS = ("trans-unit", "unit")
_CONTAINERS = frozenset((*_UNITS, "xliff", "file", "body", "group", "segment"))
_TEXTS = ("source", "target", "seg-source")
_PO_HEADER = "x-gettext-domain-header"


def xliff(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a file."""
    document = Document(file.text, file.name)
    document.refuse_text_in(_CONTAINERS, "target")
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
        reason = NOT_TO_TRANSLATE if is_left_out else _UNTRANSLATED_STATES.get(state, "")
        own_id = segment.get("id") or (str(number) if len(segments) > 1 else "")
        for mid, source, target in _texts(document, texts, contents):
            ids = (name, own_id if segment is not unit else "", mid)
            key = Segment(original, "/".join(filter(None, ids)))
            max_length = int(width) if has_length and len(segments) == 1 and not mid else None
            yield Unit(key, source, target, reason, max_length)


def _texts(
    document: Document, texts: dict[str, Element], contents: dict[str, InlineContent]
) -> Iterator[tuple[str, CodedText | None, CodedText | None]]:
    """Yield the id of each segment that is marked, or "", with its source and its target."""
    sources, targets = (
        contents[name].segments(document) if name in contents else {}
        for name in ("seg-source", "target")
    )
    if sources and (targets or "target" not in contents):
        if targets and (outside := contents["target"].outside()):
            raise InputError(
                f"{document.place(texts['target'])}: {outside[:40]!r} is in no"
                ' <mrk mtype="seg">; if a target has them, all of its text must be in one'
            )
        for mid in dict.fromkeys((*sources, *targets)):
            yield mid, sources.get(mid), targets.get(mid)
        return
    source, target = (
        contents[name].whole if name in contents else None for name in ("source", "target")
    )
    yield "", source, target


# TMX 1.1 to 1.4: translation memories.
#
#     <tmx> <header srclang>
#       <tu tuid srclang>
#         <tuv xml:lang> <seg> text </seg>               `lang` in old files
#
# A segment is a `tu`, by `tuid`, or by its number if it has none. Languages that differ in nothing
# but case, or `_` for `-`, are one. The caller's languages choose the `tuv`s: the target language,
# or, if it is not known, the only one beside the source language; the source language, or that of
# the header, or the only other one.

_ALL = "*all*"
MAX_LANGUAGES_LISTED = 12


def tmx(file: TextFile) -> list[FilePart]:
    """Return the source and the translations in the languages of the caller."""
    document = Document(file.text, file.name)
    document.refuse_text_in(("tmx", "body", "tu", "tuv"), "seg")
    header = document.root.find("header")
    declared = _ALL if header is None else header.get("srclang", _ALL)
    entries = [
        (path[-1].get("tuid") or str(number), _variants(document, *path))
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


def _variants(document: Document, *path: Element) -> dict[str, CodedText]:
    """Return the texts of a translation unit by language."""
    variants = []
    for variant in path[-1].iter("tuv"):
        language = variant.attrib.get("xml:lang") or variant.attrib.get("lang", "")
        language = canonical_tag(language)
        variants.append((language, variant))
        if not language:
            raise InputError(f"{document.place(variant)}: this <tuv> has no xml:lang; add it")
    return {
        language: InlineContent(*path, variant, text).whole
        for language, variant in document.unique(variants).items()
        for text in document.unique(("seg", text) for text in variant.findall("seg")).values()
    }


def _target(file: TextFile, languages: Sequence[str], declared: str) -> str:
    wanted = split_pair(file.pair)[1] if file.pair else file.lang or ""
    if not wanted:
        others = [name for name in languages if name not in _named_source(languages, declared)]
        chinese = [name for name in others if is_same_language(name, "zh")]
        return _only(file, chinese or others, languages, "zh" if chinese or not others else "")
    return _only(file, _matching(languages, wanted), languages, wanted)


def _source(file: TextFile, languages: Sequence[str], declared: str, target: str) -> str:
    """Return the language of the source, "" if it cannot be told."""
    others = [name for name in languages if name != target]
    if wanted := split_pair(file.pair or "")[0]:
        return _only(file, _matching(others, wanted), languages, wanted)
    named = [name for name in _named_source(languages, declared) if name != target]
    candidates = named or others
    return candidates[0] if len(candidates) == 1 else ""


def _named_source(languages: Sequence[str], declared: str) -> list[str]:
    return [] if declared.lower() == _ALL else _matching(languages, declared)


def _matching(languages: Sequence[str], wanted: str) -> list[str]:
    wanted = canonical_tag(wanted)
    same = [name for name in languages if name == wanted]
    return same or [name for name in languages if is_same_language(name, wanted)]


def _only(file: TextFile, candidates: Sequence[str], languages: Sequence[str], wanted: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    seen = ", ".join(languages[:MAX_LANGUAGES_LISTED]) or "no languages"
    if candidates:
        raise InputError(
            f"{file.name} has {len(candidates)} languages"
            f" that may be {f'meant by {wanted}' if wanted else 'the target'}:"
            f" {', '.join(candidates[:MAX_LANGUAGES_LISTED])}",
            hint=("name source and target with ", Setting("language_pair")),
        )
    raise InputError(
        f"{file.name} has no text in {wanted}; there are: {seen}",
        hint=("give the languages with ", Setting("language_pair")),
    )


# PO: catalogs of gettext.
#
#     #, fuzzy
#     msgctxt "menu"
#     msgid "%d file"
#     msgid_plural "%d files"
#     msgstr[0] "%d 个文件"
#
# A segment is an entry, or a plural form of one. Its id is the `msgid`, with the context and U+0004
# before it, as in compiled catalogs, and with the number of the plural form after it: `%d file[0]`.
# Escapes such as `\xe4` are bytes of the encoding that the header names. If there are
# two plural forms, the first has the source `msgid`, the second `msgid_plural`. If there is one, or
# more than two, of which the first may be that of 21, all have `msgid_plural`. The header and
# obsolete entries (`#~`) are not segments.

_LINE = re.compile(
    r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]{1,3}\])?)[ \t]*)?"((?:[^"\\]|\\.)*+)"\s*'
)
_ESCAPE = re.compile(r'\\(?:([abfnrtv"\\])|([0-7]{1,3})|x([0-9A-Fa-f]{2}))')
_ESCAPED = dict(zip('abfnrtv"\\', '\a\b\f\n\r\t\v"\\', strict=True))
_HEADER_FIELD = re.compile(r"^[A-Za-z][A-Za-z-]*:", re.MULTILINE)
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z_@.-]+)", re.MULTILINE)
_CHARSET = re.compile(r"^Content-Type:.*?charset=(?!CHARSET)([\w.:-]+)", re.MULTILINE)
_CONTEXT_END = "\x04"
_BYTES = re.compile("[\udc80-\udcff]")  # escaped, as the error handler surrogateescape writes them


def po(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a catalog."""
    entries = list(_entries(file))
    header = _header(file, entries)
    language, charset = _LANGUAGE.search(header), _CHARSET.search(header)
    declared = language[1] if language else ""
    check_language(file, declared)
    _decode_escapes(file, entries, charset[1] if charset else "utf-8")
    return parts_of(file, _units(file, entries), declared)


@dataclass
class _Entry:
    """An entry of which not all is read yet: its strings by keyword."""

    line: int = 0
    strings: dict[str, list[str]] = field(default_factory=dict)
    is_fuzzy: bool = False

    @property
    def is_whole(self) -> bool:
        return any(name.startswith("msgstr") for name in self.strings)

    @property
    def is_header(self) -> bool:
        return self.text("msgid") == "" and "msgctxt" not in self.strings

    def text(self, name: str) -> str | None:
        return "".join(self.strings[name]) if name in self.strings else None


def _header(file: TextFile, entries: Iterable[_Entry]) -> str:
    """Return the header, or ""; `InputError` if another entry has an empty `msgid`."""
    empty = [entry for entry in entries if entry.is_header]
    header = (empty[0].text("msgstr") or "") if empty else ""
    others = empty[1:] if not header.strip() or _HEADER_FIELD.search(header) else empty
    if others:
        raise InputError(
            f"{file.name}, line {others[0].line}: the msgid is empty, but only that of the header"
            " may be; write the source text"
        )
    return header


def _decode_escapes(file: TextFile, entries: Iterable[_Entry], charset: str) -> None:
    """Replace escaped bytes by the characters that they and the text around them encode."""
    for entry in entries:
        for name in entry.strings:
            text = entry.text(name) or ""
            if not _BYTES.search(text):
                continue
            try:
                entry.strings[name] = [text.encode(charset, "surrogateescape").decode(charset)]
            except (LookupError, UnicodeError):
                raise InputError(
                    f"{file.name}, line {entry.line}: the escapes in {name} are not bytes of"
                    f" {charset}, the encoding of the catalog",
                    hint="write the characters themselves",
                ) from None


def _units(file: TextFile, entries: Iterable[_Entry]) -> Iterator[Unit]:
    for entry in entries:
        msgid = entry.text("msgid")
        if msgid is None or not entry.is_whole:
            lacks = "no msgid" if msgid is None else "no msgstr"
            raise InputError(
                f"{file.name}, line {entry.line}: the entry has {lacks}; each must have one"
            )
        if entry.is_header:
            continue
        context = entry.text("msgctxt")
        name = msgid if context is None else f"{context}{_CONTEXT_END}{msgid}"
        yield from _forms(entry, name, msgid)


def _forms(entry: _Entry, name: str, msgid: str) -> Iterator[Unit]:
    state = FUZZY if entry.is_fuzzy else ""
    plural = entry.text("msgid_plural")
    forms = [form for form in entry.strings if form.startswith("msgstr")]
    for form in forms:
        is_singular = plural is None or (form == "msgstr[0]" and len(forms) == 2)
        key = Segment("", name + form.removeprefix("msgstr"))
        source = CodedText(msgid if is_singular else plural or "")
        yield Unit(key, source, CodedText(entry.text(form) or ""), state)


def _entries(file: TextFile) -> Iterator[_Entry]:
    entry, current = _Entry(), ""
    for number, line in enumerate(io.split_lines(file.text), start=1):
        line = line.strip(" \t\r")
        if line.startswith("#") or not line:
            is_obsolete = line.startswith("#~")
            if entry.is_whole or (entry.strings and is_obsolete):
                yield entry
            if entry.is_whole or is_obsolete:  # its flags are not those of the next entry
                entry = _Entry()
            entry.is_fuzzy |= line.startswith("#,") and "fuzzy" in re.split(r"[,\s]+", line)
            continue
        match = _LINE.fullmatch(line)
        if match is None or not (match[1] or entry.strings):
            raise InputError(
                f"{file.name}, line {number}: this is not a valid line of a PO file; there may be"
                " msgctxt, msgid, msgid_plural and msgstr, each with a text in quotation marks"
            )
        name = match[1]
        if name:
            is_next = entry.is_whole or name in entry.strings
            if is_next and not name.startswith("msgstr"):
                yield entry
                entry = _Entry()
            if name in entry.strings:
                raise InputError(
                    f"{file.name}, line {number}: {name} comes twice in an entry; write it once"
                )
            entry.line, current = entry.line or number, name
        entry.strings.setdefault(current, []).append(_unescaped(match[2]))
    if entry.strings:
        yield entry


def _unescaped(text: str) -> str:
    r"""Return a string of C.

    >>> _unescaped(r'a\tb\"\\n')
    'a\tb"\\n'
    """
    if "\\" not in text:
        return text

    def character(escape: re.Match[str]) -> str:
        if escape[1]:
            return _ESCAPED[escape[1]]
        byte = (int(escape[2], 8) if escape[2] else int(escape[3], 16)) & 0xFF
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)

    return _ESCAPE.sub(character, text)
