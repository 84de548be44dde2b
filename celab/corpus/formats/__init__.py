"""The formats: `markup` reads SGML and WMT's XML, `records` TSV, CSV, JSON Lines and JSON, `logs`
those of evaluations of language models, `recognition` results of batch APIs; `units` (XLIFF, TMX),
`po`, `subtitles` and `sheets` read translators' files, `sheets` also Parquet.

Plain text has one segment per line, identified by line numbers; blank lines are data. Markup begins
with `<`, JSON Lines with `{` and a JSON array with `[`; logs have fields of their own. A file with
the suffix `.csv` is a table, one with `.tsv` only if its columns are named, by the caller or by its
first line. Catalogs of gettext and subtitles are known by their first lines, whatever their names.
Everything else is plain text. Unknown markup is an error, because no translation begins
with an XML declaration, and so is broken JSON in a file that is called JSON, or a file that is
called a catalog or subtitles and is none. Texts of apps with keys are refused.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import InputError, OptionError, Setting, warn
from celab.corpus.model import FilePart, TextFile

if TYPE_CHECKING:
    from celab.base.options import Limits


# Catalogs of gettext and subtitles, known by their first lines, whatever their names.
#
# Files that are read a few lines at a time have shown only a beginning, so an answer may be None:
# it is too early to tell.

CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
_PO = re.compile(r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+msg(?:ctxt|id)[ \t]+\"")
_EARLY_PO = re.compile(  # a beginning that may still become one
    r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+"
    r"(?:[ \t\r]*+(?:#[^\n]*+)?|m(?:s(?:g(?:i(?:d[ \t]*)?|c(?:t(?:x(?:t[ \t]*)?)?)?)?)?)?)"
)
_SRT = re.compile(rf"\s*+(?:\d{{1,9}}[ \t\r]*+\n[ \t]*+)?{CLOCK}[ \t]*+-->")
_EARLY_SRT = re.compile(r"\s*+(?:\d{1,9}[ \t\r]*+(?:\n[ \t]*+)?)?[\d:,.]*+[ \t]*+-{0,2}")
_MAGIC = "WEBVTT"
_VTT = re.compile(rf"{_MAGIC}[ \t\r\n]")
_LOOKED_AT = 4096  # characters
# Characters, beside digits, that one of them may begin with, after white space.
BEGIN = "#mW:,.-"


def by_first_lines(start: str) -> str:
    r"""Return the format of a catalog or of subtitles, by the beginning of a text; else "".

    >>> by_first_lines("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"), by_first_lines("Hi")
    ('vtt', '')
    """
    answers = zip(_FORMATS, _answers(start), strict=True)
    return next((name for name, answer in answers if answer), "")


def may_be_structured(start: str) -> bool:
    r"""Return whether a text begins as one of the formats does, or may if more is read.

    >>> may_be_structured("1\n00:00:"), may_be_structured("1 umbrella\n")
    (True, False)
    """
    answers = _answers(start)
    return any(answers) or (len(start) < _LOOKED_AT and None in answers)


def _answers(start: str) -> list[bool | None]:
    return [is_format(start[:_LOOKED_AT]) for is_format in _FORMATS.values()]


def is_po(start: str) -> bool | None:
    """Return whether a text begins with an entry of a catalog, after comments.

    None means that it is too early to tell.

    >>> is_po('# Chinese\\n\\nmsgid ""\\n'), is_po("msgid is a keyword\\n"), is_po("# a")
    (True, False, None)
    """
    if _PO.match(start):
        return True
    return None if _EARLY_PO.fullmatch(start) else False


def is_srt(start: str) -> bool | None:
    r"""Return whether a text begins with a cue of SubRip; None if it is too early to tell.

    >>> is_srt("1\n00:00:01,000 --> 00:00:02,500\nHi\n"), is_srt("1\n00:00:01 is the time\n")
    (True, False)
    >>> is_srt("1\n00:00:")
    """
    if _SRT.match(start):
        return True
    return None if _EARLY_SRT.fullmatch(start) else False


def is_vtt(start: str) -> bool | None:
    """Return whether a text begins as WebVTT does; None if it is too early to tell."""
    if _VTT.match(start):
        return True
    return None if _MAGIC.startswith(start) else False


_FORMATS = {"po": is_po, "srt": is_srt, "vtt": is_vtt}


def _plain(file: TextFile) -> list[FilePart]:
    return [FilePart(file.role or "reference", file.name, file.name, io.split_lines(file.text))]


# Imported when a file has the format.
_PARSERS = {
    "sgml": "celab.corpus.formats.markup.sgml",
    "wmt": "celab.corpus.formats.markup.wmt",
    "tsv": "celab.corpus.formats.records.tsv",
    "csv": "celab.corpus.formats.records.csv",
    "jsonl": "celab.corpus.formats.records.jsonl",
    "json": "celab.corpus.formats.records.json_array",
    "lm-eval": "celab.corpus.formats.logs.lm_eval",
    "inspect": "celab.corpus.formats.logs.inspect",
    "openai-evals": "celab.corpus.formats.logs.openai_evals",
    "batch": "celab.corpus.formats.recognition.batch",
    "xliff": "celab.corpus.formats.units.xliff",
    "tmx": "celab.corpus.formats.units.tmx",
    "po": "celab.corpus.formats.po.po",
    "srt": "celab.corpus.formats.subtitles.srt",
    "vtt": "celab.corpus.formats.subtitles.vtt",
}
BY_ELEMENT = {  # formats of XML, by the first element
    "dataset": "wmt",
    **dict.fromkeys(("mteval", "srcset", "refset", "tstset"), "sgml"),
    "xliff": "xliff",
    "tmx": "tmx",
}
FORMATS = ("plain", *_PARSERS)
_SHEET = "xlsx"  # known by its bytes, so that nobody has to name it
ROLE_NAMES = {"reference": "ref", "system": "hyp", "source": "source"}  # of encodings
_WITHOUT_LINES = ("sgml", "wmt", "json", "inspect", "xliff", "tmx")
MARKUP_SUFFIXES = tuple(".sgm .sgml .xml .html .htm .xhtml .tmx .xlf .xliff .ttml".split())
_BY_SUFFIX = {".po": "po", ".pot": "po", ".srt": "srt", ".vtt": "vtt"}  # an error if they are not
APP_SUFFIXES = {  # of texts with keys
    ".strings": "Apple strings",
    ".stringsdict": "Apple strings",
    ".xcstrings": "Apple strings",
    ".properties": "Java properties",
    ".resx": ".NET resources",
    ".resw": ".NET resources",
    ".arb": "an Application Resource Bundle",
    ".yml": "YAML",
    ".yaml": "YAML",
}
_STRUCTURED = (".csv", ".json", ".jsonl", ".ndjson", *_BY_SUFFIX, *MARKUP_SUFFIXES, *APP_SUFFIXES)
_BEGINS = re.compile(r'[<{]|\[\s*(?:["{\]]|$)')  # markup and JSON; or it is too early to tell
_HEAD = 1 << 16  # characters


def read_file(template: TextFile, path: str, encoding: str | None, limits: Limits) -> TextFile:
    """Return a file with its text; the template has its role and what the caller says of it."""
    name, role = io.display_name(path), ROLE_NAMES[template.role or "reference"]
    text = io.read_text_or_table(path, encoding, limits, role)
    if isinstance(text, bytes) and text.startswith(io.PARQUET):
        from celab.corpus.formats.sheets import parquet_text

        text = parquet_text(text, name, limits)
        return replace(template, path=path, name=name, text=text, format="jsonl")
    if isinstance(text, bytes):
        from celab.corpus.formats.sheets import sheet_text

        text = sheet_text(text, name, limits)
        return replace(template, path=path, name=name, text=text, format=_SHEET)
    return replace(template, path=path, name=name, text=text)


def parse(file: TextFile, format: str | None) -> list[FilePart]:
    """Return the parts of a file; the default format is the one that `recognize` returns.

    A file without a part of its role is an `InputError`.
    """
    if format is not None and format not in FORMATS:
        raise OptionError("format", format, f"choose from {', '.join(FORMATS)}")
    known = format or file.format or recognize(file)
    if known == "plain":
        warn_of_plain(file, is_given=format is not None)
    if file.format == _SHEET:
        parts = _loaded("celab.corpus.formats.sheets.xlsx")(file)
    else:
        if known not in _WITHOUT_LINES:
            io.refuse_lone_cr(file.text, file.name)
        parts = _parser(known)(file)
    role = file.role
    if not parts or (role and all(part.kind != role for part in parts)):
        others = ", ".join(sorted({part.kind for part in parts}))
        raise InputError(
            f"{file.name} holds no {role or 'segment'}{f', only: {others}' if others else ''}; "
            f"it must hold at least one{'' if role else ' of a reference or a system'}"
        )
    from celab.corpus.text_warnings import texts_warning

    for part in parts:
        if part.kind != "source" and (warning := texts_warning(part.label, part.texts)):
            warn(warning)
    return parts


def _parser(format: str) -> Callable[[TextFile], list[FilePart]]:
    return _plain if format == "plain" else _loaded(_PARSERS[format])


def _loaded(path: str) -> Callable[[TextFile], list[FilePart]]:
    module, _, name = path.rpartition(".")
    parser: Callable[[TextFile], list[FilePart]] = getattr(importlib.import_module(module), name)
    return parser


def warn_of_plain(file: TextFile, *, is_given: bool) -> None:
    """Warn if plain text, by a format that is given or was recognized, seems to be another."""
    if not is_given:
        from celab.corpus.text_warnings import plain_text_warning

        if warning := plain_text_warning(file.path, file.name, file.text):
            warn(warning)
    elif other := by_first_lines(file.text):
        message = f"{file.name} is read as plain text, but it looks like {other.upper()}; leave "
        warn((message, Setting("format"), " out to read its texts alone"))


def is_plain_text(path: str, start: str) -> bool:
    """Return whether a file is plain text, by its name and its beginning, whatever follows.

    Files that are read a few lines at a time must be, and `recognize` asks the same.
    """
    suffix, text = io.suffix_of(path), start.lstrip()
    if suffix in _STRUCTURED or not text or _BEGINS.match(text):
        return False
    if (text[0] in BEGIN or text[0].isdecimal()) and may_be_structured(start):
        return False
    if suffix != ".tsv":
        return True
    from celab.corpus.formats.records import is_header

    first, end, _ = start.partition("\n")
    return bool(end) and not is_header(first.removesuffix("\r"))


def recognize(file: TextFile) -> str:
    """Return the format of a file, by its suffix and its beginning."""
    suffix = io.suffix_of(file.path)
    if suffix == ".tsv":
        from celab.corpus.formats.records import has_header

        if file.fields or has_header(file):
            return "tsv"
    if is_plain_text(file.path, file.text[:_HEAD]):
        return "plain"
    if format := by_first_lines(file.text):
        return format
    if suffix == ".csv":
        return "csv"
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    from celab.corpus.formats.recognition import recognize_structured

    return recognize_structured(file)
