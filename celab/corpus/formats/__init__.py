"""The formats: `markup` reads SGML and WMT's XML, `tables` TSV, CSV, JSON Lines and JSON.

Plain text has one segment per line, identified by line numbers; blank lines are data. Markup begins
with `<`, JSON Lines with `{` and a JSON array with `[`. A file with the suffix `.csv` is a table,
one with `.tsv` only if its columns are named. Everything else is plain text. Unknown markup is an
error, because no translation begins with an XML declaration.
"""

from __future__ import annotations

from celab.base import io
from celab.base.errors import InputError, OptionError, warn
from celab.corpus.doubts import plain_doubt, texts_doubt
from celab.corpus.formats import markup, tables
from celab.corpus.model import FilePart, TextFile


def _plain(file: TextFile) -> list[FilePart]:
    return [FilePart(file.role or "reference", file.name, file.name, io.split_lines(file.text))]


_PARSERS = {
    "plain": _plain,
    "sgml": markup.sgml,
    "wmt": markup.wmt,
    "tsv": tables.tsv,
    "csv": tables.csv,
    "jsonl": tables.jsonl,
    "json": tables.json_array,
}
FORMATS = tuple(_PARSERS)
_MARKUP = ("<?xml", "<!doctype", "<!entity")


def parse(file: TextFile, format: str | None) -> list[FilePart]:
    """Return the parts of a file; the default format is the one that `recognize` returns.

    A file without a part of its role is an `InputError`.
    """
    if format is None:
        format = recognize(file)
        if format == "plain" and (doubt := plain_doubt(file.path, file.name, file.text)):
            warn(doubt)
    if format not in FORMATS:
        raise OptionError("format", format, f"choose from {', '.join(FORMATS)}")
    parts, role = _PARSERS[format](file), file.role
    if not parts or (role and all(part.kind != role for part in parts)):
        others = ", ".join(sorted({part.kind for part in parts}))
        raise InputError(
            f"{file.name} holds no {role or 'segment'}{f', only: {others}' if others else ''}; "
            f"it must hold at least one{'' if role else ' of a reference or a system'}"
        )
    for part in parts:
        if part.kind != "source" and (doubt := texts_doubt(part.label, part.texts)):
            warn(doubt)
    return parts


def recognize(file: TextFile) -> str:
    """Return the format of a file, by its suffix and its beginning."""
    text = file.text.lstrip()
    if file.fields and io.suffix_of(file.path) == ".tsv":
        return "tsv"
    if tables.is_csv(file):
        return "csv"
    if tables.is_json_array(file):
        return "json"
    if text[:1] == "{" and tables.json_object(text.partition("\n")[0]) is not None:
        return "jsonl"
    if text[:1] != "<":
        return "plain"
    element = markup.first_element(text)
    if element in markup.FORMATS:
        return markup.FORMATS[element]
    if text[:10].lower().startswith(_MARKUP):
        markup.refuse_entities(file.text, file.name)
        seen = f"its first element is {element!r}" if element else "it has no element"
        raise InputError(
            f"{file.name} is XML of an unknown format: {seen}; it must be mteval, "
            "srcset, refset, tstset or dataset, or give the format"
        )
    return "plain"
