"""The formats: `markup` reads SGML and WMT's XML, `tables` TSV, CSV, JSON Lines and JSON, `logs`
those of evaluations of language models; `xliff`, `tmx`, `po`, `subtitles` and `sheets` read
translators' files.

Plain text has one segment per line, identified by line numbers; blank lines are data. Markup begins
with `<`, JSON Lines with `{` and a JSON array with `[`; logs have fields of their own. A file with
the suffix `.csv` is a table, one with `.tsv` only if its columns are named, by the caller or by its
first line. Catalogs of gettext and subtitles are known by their first lines, whatever their names.
Everything else is plain text. Unknown markup is an error, because no translation begins
with an XML declaration, and so is broken JSON in a file that is called JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from celab.base import io
from celab.base.errors import InputError, OptionError, Setting, warn
from celab.base.options import Limits
from celab.corpus.doubts import plain_doubt, texts_doubt
from celab.corpus.formats import logs, markup, tables
from celab.corpus.formats.fields import listed
from celab.corpus.formats.first_lines import by_first_lines, may_be_structured
from celab.corpus.formats.json_text import is_json_array, json_object, whole_object
from celab.corpus.model import FORMATS, FilePart, TextFile


def _plain(file: TextFile) -> list[FilePart]:
    return [FilePart(file.role or "reference", file.name, file.name, io.split_lines(file.text))]


def _late(module: str, parser: str) -> Callable[[TextFile], list[FilePart]]:
    """Return a parser whose module is loaded when the first file needs it."""

    def parse(file: TextFile) -> list[FilePart]:
        loaded = import_module(f"celab.corpus.formats.{module}")
        parts: list[FilePart] = getattr(loaded, parser)(file)
        return parts

    return parse


_PARSERS = {
    "plain": _plain,
    "sgml": markup.sgml,
    "wmt": markup.wmt,
    "tsv": tables.tsv,
    "csv": tables.csv,
    "jsonl": tables.jsonl,
    "json": tables.json_array,
    "lm-eval": logs.lm_eval,
    "inspect": logs.inspect,
    "openai-evals": logs.openai_evals,
    "xliff": _late("xliff", "xliff"),
    "tmx": _late("tmx", "tmx"),
    "po": _late("po", "po"),
    "srt": _late("subtitles", "srt"),
    "vtt": _late("subtitles", "vtt"),
}
_SHEET = "xlsx"
_ROLE_NAMES = {"reference": "ref", "system": "hyp", "source": "source"}  # of encodings
_WITHOUT_LINES = ("sgml", "wmt", "json", "inspect", "xliff", "tmx")
_MARKUP = ("<?xml", "<!doctype", "<!entity")
_MARKUP_SUFFIXES = tuple(".sgm .sgml .xml .html .htm .xhtml .tmx .xlf .xliff .ttml".split())
_STRUCTURED = (".csv", ".json", ".jsonl", ".ndjson", *_MARKUP_SUFFIXES)
_BEGINS = re.compile(r'[<{]|\[\s*(?:["{\]]|$)')  # markup and JSON; or it is too early to tell
_HEAD = 1 << 16  # characters


def read_file(template: TextFile, path: str, encoding: str | None, limits: Limits) -> TextFile:
    """Return a file with its text; the template has its role and what the caller says of it."""
    name, role = io.display_name(path), _ROLE_NAMES[template.role or "reference"]
    text = io.read_text_or_archive(path, encoding, limits, role)
    if isinstance(text, bytes):
        from celab.corpus.formats.sheets import sheet_text

        text = sheet_text(text, name, limits)
        return replace(template, path=path, name=name, text=text, format=_SHEET)
    return replace(template, path=path, name=name, text=text)


def parse(file: TextFile, format: str | None) -> list[FilePart]:
    """Return the parts of a file; the default format is the one that `recognize` returns.

    A file without a part of its role is an `InputError`.
    """
    warn_of_plain(file, format)
    if format is not None and format not in FORMATS:
        raise OptionError("format", format, f"choose from {', '.join(FORMATS)}")
    if file.format == _SHEET:
        parts = _late("sheets", "xlsx")(file)
    else:
        format = format or recognize(file)
        if format not in _WITHOUT_LINES:
            io.refuse_lone_cr(file.text, file.name)
        parts = _PARSERS[format](file)
    role = file.role
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


def warn_of_plain(file: TextFile, format: str | None) -> None:
    """Warn if a file is read as plain text that seems to be in another format."""
    if format == "plain" and (other := by_first_lines(file.text)):
        message = f"{file.name} is read as plain text, but it looks like {other.upper()}; leave "
        warn((message, Setting("format"), " out to read its texts alone"))
        return
    is_plain = format is None and not file.format and recognize(file) == "plain"
    if is_plain and (doubt := plain_doubt(file.path, file.name, file.text)):
        warn(doubt)


def is_plain_text(path: str, start: str) -> bool:
    """Return whether a file is plain text, by its name and its beginning, whatever follows.

    Files that are read a few lines at a time must be, and `recognize` asks the same.
    """
    suffix, text = io.suffix_of(path), start.lstrip()
    if suffix in _STRUCTURED or not text or _BEGINS.match(text):
        return False
    if may_be_structured(start):
        return False
    first, end, _ = start.partition("\n")
    return suffix != ".tsv" or (bool(end) and not tables.is_header(first.removesuffix("\r")))


def recognize(file: TextFile) -> str:
    """Return the format of a file, by its suffix and its beginning."""
    text, suffix = file.text.lstrip(), io.suffix_of(file.path)
    if suffix == ".tsv" and (file.fields or tables.has_header(file)):
        return "tsv"
    if is_plain_text(file.path, file.text[:_HEAD]):
        return "plain"
    if format := by_first_lines(file.text):
        return format
    if suffix == ".csv":
        return "csv"
    if is_json_array(file):
        return "json"
    if format := _recognize_objects(file, text, suffix):
        return format
    if text[:1] != "<":
        _refuse_misnamed(file, text, suffix)
        return "plain"
    element = markup.first_element(text)
    if element in markup.FORMATS:
        return markup.FORMATS[element]
    is_page = element.lower() in ("html", "tt")
    if is_page or suffix in _MARKUP_SUFFIXES or text[:10].lower().startswith(_MARKUP):
        markup.refuse_entities(file.text, file.name)
        seen = f"its first element is {element!r}" if element else "it has no element"
        raise InputError(
            f"{file.name} is XML of an unknown format: {seen}; it must be mteval, "
            "srcset, refset, tstset, dataset, xliff or tmx, or give the format"
        )
    return "plain"


def _refuse_misnamed(file: TextFile, text: str, suffix: str) -> None:
    """Raise `InputError` if text that is neither JSON nor markup has a name that says so."""
    kind, begin = ("JSON", "{ or [") if suffix == ".json" else ("markup", "<")
    is_array = kind == "JSON" and text[:1] == "["  # of something else, which is warned about
    if suffix in (".json", *_MARKUP_SUFFIXES) and not is_array:
        raise InputError(
            f"{file.name} is not {kind}, although its name ends in {suffix}: it begins with"
            f" {text[:10]!r}",
            hint=(f"it must begin with {begin}, or give ", Setting("format", "plain")),
        )


def _recognize_objects(file: TextFile, text: str, suffix: str) -> str:
    """Return the format of a file of JSON objects; "" if it is none."""
    first = json_object(text.partition("\n")[0]) if text[:1] == "{" else None
    if first is not None:
        # The caller who names fields knows better which they are.
        return ("" if file.fields else logs.recognize(first)) or "jsonl"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"  # which says where it is broken
    if text[:1] != "{":
        return ""
    whole = whole_object(file) if suffix == ".json" else json_object(text)
    if whole is None:
        return ""
    format = logs.recognize(whole)
    if not format and suffix == ".json":
        raise InputError(
            f"{file.name} is one JSON object, with the fields {listed(list(whole))}; it must be an"
            " array, or have one object per line"
        )
    return format
