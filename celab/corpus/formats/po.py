r"""PO: catalogs of gettext.

    #, fuzzy
    msgctxt "menu"
    msgid "%d file"
    msgid_plural "%d files"
    msgstr[0] "%d 个文件"

A segment is an entry, or a plural form of one. Its id is the `msgid`, with the context and U+0004
before it, as in compiled catalogs, and with the number of the plural form after it: `%d file[0]`.
Escapes such as `\xe4` are bytes of the encoding that the header names.
The source of the first of two forms is `msgid`; of all others, and in languages with more forms,
whose first is for 21 too, it is `msgid_plural`. The header and
obsolete entries (`#~`) are not segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field

from celab.base import io
from celab.base.errors import InputError
from celab.base.frozen import dataclass
from celab.corpus.formats.units import FUZZY, Unit, check_language, parts_of
from celab.corpus.model import CodedText, FilePart, Segment, TextFile

_LINE = re.compile(
    r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]{1,3}\])?)[ \t]*)?"((?:[^"\\]|\\.)*+)"\s*'
)
_ESCAPE = re.compile(r'\\(?:([abfnrtv"\\])|([0-7]{1,3})|x([0-9A-Fa-f]{2}))')
_ESCAPED = dict(zip('abfnrtv"\\', '\a\b\f\n\r\t\v"\\', strict=True))
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z_@.-]+)", re.MULTILINE)
_CHARSET = re.compile(r"^Content-Type:.*?charset=(?!CHARSET)([\w.:-]+)", re.MULTILINE)
_CONTEXT_END = "\x04"
_BYTES = re.compile("[\udc80-\udcff]")  # escaped, as the error handler surrogateescape writes them


def po(file: TextFile) -> list[FilePart]:
    """Return the source and the translations of a catalog."""
    entries = list(_entries(file))
    header = next((entry.text("msgstr") or "" for entry in entries if entry.is_header), "")
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
            if entry.is_whole or is_obsolete:  # whose flags are not those of the next entry
                entry = _Entry()
            entry.is_fuzzy |= line.startswith("#,") and "fuzzy" in re.split(r"[,\s]+", line)
            continue
        match = _LINE.fullmatch(line)
        if match is None or not (match[1] or entry.strings):
            raise InputError(
                f"{file.name}, line {number}: this is no line of a PO file; there may be msgctxt,"
                " msgid, msgid_plural and msgstr, each with a text in quotation marks"
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
