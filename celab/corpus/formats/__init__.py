"""The formats: `markup` reads SGML and WMT's XML, `records` TSV, CSV, JSON Lines and JSON, `logs`
those of evaluations of language models and results of batch APIs; `units` (XLIFF, TMX), `po`,
`subtitles` and `sheets` read translators' files, `sheets` also Parquet; `android`, `apple`,
`properties` and `json_keys` read texts of apps with keys (`keyed`); `utterances` and `timed` read
transcripts of speech. `ids` joins records by the fields that identify them.

Plain text has one segment per line, identified by line numbers; blank lines are data. Markup begins
with `<`, JSON Lines with `{` and a JSON array with `[`; logs have fields of their own. A file with
the suffix `.csv` is a table, one with `.tsv` only if its columns are named, by the caller or by its
first line. Catalogs of gettext and subtitles are known by their first lines, whatever their names.
Everything else is plain text. Unknown markup is an error, because no translation begins
with an XML declaration, and so is broken JSON in a file that is called JSON, or a file that is
called a catalog or subtitles and is none. Programs are refused, and so are texts of apps in formats
that are not read.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from celab.base import io
from celab.base.errors import EncodingError, InputError, OptionError, Setting, Text
from celab.base.messages import warn
from celab.base.options import Limits
from celab.base.text.tokens import is_blank
from celab.corpus.model import EXPORT, FilePart, TextFile


class _Format(NamedTuple):
    """A row of the table of formats: how files are recognized, and the module of the parser.

    A parser is imported when a file has its format.
    """

    parser: str
    elements: tuple[str, ...] = ()  # names of the first element, if it is XML
    suffixes: tuple[str, ...] = ()  # suffixes that are enough, whatever the file begins with
    has_lines: bool = True  # whether line ends count
    # `begins` matches a text of the format; `may_begin` matches a text too short to decide, as in
    # files that are read a few lines at a time.
    begins: re.Pattern[str] | None = None
    may_begin: re.Pattern[str] | None = None


CLOCK = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
_SETS = ("mteval", "srcset", "refset", "tstset")
_FORMATS = {
    "plain": _Format("plain"),
    "sgml": _Format("markup.sgml", elements=_SETS, has_lines=False),
    "wmt": _Format("markup.wmt", elements=("dataset",), has_lines=False),
    "tsv": _Format("records.tsv"),
    "csv": _Format("records.csv", suffixes=(".csv",)),
    "jsonl": _Format("records.jsonl"),
    "json": _Format("records.json_array", has_lines=False),
    "lm-eval": _Format("logs.lm_eval"),
    "inspect": _Format("logs.inspect", has_lines=False),
    "openai-evals": _Format("logs.openai_evals"),
    "batch": _Format("logs.batch"),
    "xliff": _Format("units.xliff", elements=("xliff",), has_lines=False),
    "tmx": _Format("units.tmx", elements=("tmx",), has_lines=False),
    "po": _Format(
        "units.po",
        suffixes=(".po", ".pot"),
        begins=re.compile(r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+msg(?:ctxt|id)[ \t]+\""),
        may_begin=re.compile(
            r"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+"
            r"(?:[ \t\r]*+(?:#[^\n]*+)?|m(?:s(?:g(?:i(?:d[ \t]*)?|c(?:t(?:x(?:t[ \t]*)?)?)?)?)?)?)"
        ),
    ),
    "srt": _Format(
        "subtitles.srt",
        suffixes=(".srt",),
        begins=re.compile(rf"\s*+(?:\d{{1,9}}[ \t\r]*+\n[ \t]*+)?{CLOCK}[ \t]*+-->"),
        may_begin=re.compile(r"\s*+(?:\d{1,9}[ \t\r]*+(?:\n[ \t]*+)?)?[\d:,.]*+[ \t]*+-{0,2}"),
    ),
    "vtt": _Format(
        "subtitles.vtt",
        suffixes=(".vtt",),
        begins=re.compile(r"WEBVTT[ \t\r\n]"),
        may_begin=re.compile("(?:W(?:E(?:B(?:V(?:TT?)?)?)?)?)?"),
    ),
    # Texts of apps, known by what their suffixes and their keys say together.
    "android": _Format("android.android", elements=("resources",), has_lines=False),
    "strings": _Format("apple.strings", has_lines=False),
    "stringsdict": _Format("apple.stringsdict", elements=("plist",), has_lines=False),
    "xcstrings": _Format("apple.xcstrings", has_lines=False),
    "arb": _Format("json_keys.arb", has_lines=False),
    "json-keys": _Format("json_keys.json_keys", has_lines=False),
    "chrome": _Format("json_keys.chrome", has_lines=False),
    "properties": _Format("properties.properties", has_lines=False),
    # Known by all files together (`utterances.find_ids`).
    "kaldi": _Format("utterances.kaldi"),
    "trn": _Format("utterances.trn"),
    "stm": _Format("timed.stm", suffixes=(".stm",)),
    "ctm": _Format("timed.ctm", suffixes=(".ctm",)),
}
FORMATS = tuple(_FORMATS)
_SHEET = _Format("sheets.xlsx", has_lines=False)  # known by its bytes; nobody has to name it
_BY_BEGINNING = {name: format for name, format in _FORMATS.items() if format.begins}
_BY_ELEMENT = {element: name for name, format in _FORMATS.items() for element in format.elements}
_BY_SUFFIX = {suffix: name for name, format in _FORMATS.items() for suffix in format.suffixes}
_LOOKED_AT = 4096  # characters
# First characters, besides digits and after white space, of the formats in `_BY_BEGINNING`.
BEGIN = "#mW:,.-"
ROLE_NAMES = {"reference": "ref", "system": "hyp", "source": "source"}  # keys of encodings
_MARKUP = ("<?xml", "<!doctype", "<!entity")
_MARKUP_SUFFIXES = tuple(".sgm .sgml .xml .html .htm .xhtml .tmx .xlf .xliff .ttml".split())
# Suffixes of texts with keys → their formats.
KEYED_SUFFIXES = {
    ".strings": "strings",
    ".stringsdict": "stringsdict",
    ".xcstrings": "xcstrings",
    ".arb": "arb",
    ".properties": "properties",
}
APP_FORMATS = ("android", *KEYED_SUFFIXES.values(), "json-keys", "chrome")
# Suffixes of texts with keys that are not read → what they are.
_REFUSED_SUFFIXES = {
    ".resx": ".NET resources",
    ".resw": ".NET resources",
    ".yml": "YAML",
    ".yaml": "YAML",
}
CODE_SUFFIXES = {
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "TypeScript"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "JavaScript"),
    ".php": "PHP",
    ".ftl": "Fluent",
    ".dart": "Dart",
}
_STRUCTURED = (".json", ".jsonl", ".ndjson", *_BY_SUFFIX, *_MARKUP_SUFFIXES)
_STRUCTURED += (*KEYED_SUFFIXES, *_REFUSED_SUFFIXES, *CODE_SUFFIXES)
_BEGINS = re.compile(r'[<{]|\[\s*(?:["{\]]|$)')  # markup and JSON; or it is too early to tell
_HEAD = 1 << 16  # characters
# Comments, then markup, JSON or a key; plain text with such a suffix does not match.
_KEYS = re.compile(
    r"(?:\s++|/\*(?s:.*?)\*/|(?:#|!|//|---)[^\n]*+)*+"
    r"(?:[<{]|\"(?:[^\"\\\n]|\\.)*+\"[ \t]*[=:]|[\w.$@\[\]/-]++[ \t]*[=:])"
)
_RESOURCES = re.compile(
    r"<(?:resources|plist)\b(?:[^<>]*/>|[^<>]*+>\s*+(?:<!--(?s:.*?)-->\s*+)*</?[A-Za-z])"
)
_QT = re.compile(r"<TS\b[^<>]*+>\s*+(?:<!--(?s:.*?)-->\s*+)*<(?:context|message)\b")
# Comments, then the beginning of a program; a file of translations with such a suffix does not
# match.
_CODE = re.compile(
    r"(?:\s++|/\*(?s:.*?)\*/|//[^\n]*+|#[^\n]*+|['\"]use strict['\"];?)*+(?:<\?(?:php|=)|"
    r"(?:export|import|const|let|var|module|exports|declare|interface|type|enum|class|function|"
    r"define|return|require|namespace|final|library|part|async)\b(?=[\s({.\['\"])|"
    r"[({\[]|-?[A-Za-z][\w-]*+[ \t]*=)"
)


def by_beginning(start: str) -> str:
    r"""Return the format of a catalog or of subtitles, by the beginning of a text; else "".

    >>> by_beginning("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"), by_beginning("Hi")
    ('vtt', '')
    >>> by_beginning('# Chinese\n\nmsgid ""\n'), by_beginning("msgid is a keyword\n")
    ('po', '')
    """
    known = (
        name
        for name, format in _BY_BEGINNING.items()
        if format.begins and format.begins.match(start[:_LOOKED_AT])
    )
    return next(known, "")


def may_be_structured(start: str) -> bool:
    r"""Return whether a text begins as one of the formats does, or may if more is read.

    >>> may_be_structured("1\n00:00:"), may_be_structured("1 umbrella\n")
    (True, False)
    """
    early = [format.may_begin for format in _BY_BEGINNING.values() if format.may_begin]
    is_early = len(start) < _LOOKED_AT and any(begin.fullmatch(start) for begin in early)
    return is_early or bool(by_beginning(start))


def plain(file: TextFile) -> list[FilePart]:
    """Return the lines of a file."""
    return [
        FilePart(
            role=file.role or "reference",
            name=file.name,
            where=file.name,
            texts=io.split_lines(file.text),
        )
    ]


def read_file(template: TextFile, path: str, encoding: str | None, limits: Limits) -> TextFile:
    """Return a file with its text; the template has its role and what the caller says of it."""
    name, role = io.display_name(path), ROLE_NAMES[template.role or "reference"]
    try:
        text = io.read_text_or_table(path, encoding, limits, role)
    except EncodingError:
        if encoding is not None or io.suffix_of(path) != ".properties":
            raise
        text = io.read_text_or_table(path, "latin-1", limits, role)  # Java's encoding of such files
    if isinstance(text, bytes) and text.startswith(io.PARQUET):
        from celab.corpus.formats.sheets import parquet_text

        text = parquet_text(text, name, limits)
        return template._replace(path=path, name=name, text=text, format="jsonl")
    if isinstance(text, bytes):
        from celab.corpus.formats.sheets import read_sheet

        return read_sheet(text, template._replace(path=path), name, limits)
    return template._replace(path=path, name=name, text=text)


def parse_keyed(file: TextFile, format: str | None) -> tuple[str, list[FilePart]]:
    """Return the format of a file and, if it is one of apps, its parts, of which it may have none.

    The default format is the one that `recognize` returns.
    """
    known = format or recognize(file)
    return known, parse(file, known, may_be_empty=True) if known in APP_FORMATS else []


def parse(file: TextFile, format: str | None, *, may_be_empty: bool = False) -> list[FilePart]:
    """Return the parts of a file; the default format is the one that `recognize` returns.

    A file without a part of its role is an `InputError`, unless it may be empty.
    """
    if format is not None and format not in FORMATS:
        raise OptionError("format", format, f"choose from {', '.join(FORMATS)}")
    known = format or file.format or recognize(file)
    if known == "plain":
        if format and io.suffix_of(file.path) == ".json":
            _refuse_object(file)
        warn_of_plain(file, is_given=format is not None)
    parser = _SHEET if file.format == "xlsx" else _FORMATS[known]
    if parser.has_lines and "\n" not in file.text:
        io.refuse_lone_cr(file.text, file.name)
    module, _, name = f"{__name__}.{parser.parser}".rpartition(".")
    parts: list[FilePart] = getattr(importlib.import_module(module), name)(file)
    role = file.role
    has_role = bool(parts) and (not role or any(part.role == role for part in parts))
    if not has_role and not may_be_empty:
        others = ", ".join(sorted({part.role for part in parts}))
        raise InputError(
            f"{file.name} holds no {role or 'segment'}{f', only: {others}' if others else ''}; "
            f"it must hold at least one{'' if role else ' of a reference or a system'}"
        )
    for part in parts:
        if part.role == "source":
            continue
        if warning := texts_warning(part.label, part.texts, are_messages=part.is_bilingual):
            warn(warning)
    return parts


def _refuse_object(file: TextFile) -> None:
    """Raise `InputError` if a file that is read as plain text holds a JSON object."""
    from celab.corpus.formats.json_text import json_object

    if file.text.lstrip()[:1] == "{" and (whole := json_object(file.text)) is not None:
        raise _one_object(file, whole)


def warn_of_plain(file: TextFile, *, is_given: bool) -> None:
    """Warn if text that is read as plain text seems to have another format."""
    if not is_given:
        if warning := plain_text_warning(file.path, file.name, file.text):
            warn(warning)
    elif other := by_beginning(file.text):
        message = f"{file.name} is read as plain text, but it looks like {other.upper()}; leave "
        warn((message, Setting("format"), " out to read its texts alone"))


def is_plain_text(path: str, start: str) -> bool:
    """Return whether a file is plain text, by its name and its beginning, whatever follows.

    Required of files that are read a few lines at a time; `recognize` uses it, too.
    """
    suffix, text = io.suffix_of(path), start.lstrip()
    if suffix in _STRUCTURED or not text or _BEGINS.match(text):
        return False
    if (text[0] in BEGIN or text[0].isdecimal()) and may_be_structured(start):
        return False
    if suffix != ".tsv":
        return True
    from celab.corpus.formats.records import is_header

    return "\n" in start and not is_header(start)


def recognize(file: TextFile) -> str:
    """Return the format of a file, by its suffix and its beginning."""
    suffix, text = io.suffix_of(file.path), file.text.lstrip()
    if suffix == ".tsv":
        from celab.corpus.formats.records import is_header

        if file.fields or is_header(file.text):
            return "tsv"
    if is_plain_text(file.path, file.text[:_HEAD]):
        return "plain"
    if format := by_beginning(file.text) or _BY_SUFFIX.get(suffix, ""):
        return format
    if (keyed := KEYED_SUFFIXES.get(suffix, "")) and _KEYS.match(text):
        return keyed
    refuse_code(file.name, text, suffix)
    from celab.corpus.formats.json_text import is_json_array

    if is_json_array(file):
        return "json"
    if format := _of_objects(file, text, suffix):
        return format
    return _of_markup(file, text, suffix) if text[:1] == "<" else _of_misnamed(file, text, suffix)


def refuse_code(name: str, text: str, suffix: str) -> None:
    """Raise `InputError` if a file is a program, or has texts of an app that are not read.

    >>> refuse_code("zh.ts", 'export default { save: "保存" }\\n', ".ts")
    Traceback (most recent call last):
    celab.base.errors.InputError: zh.ts is a program (TypeScript), whose texts celab does not read
    >>> refuse_code("zh.yml", "save: 保存\\n", ".yml")
    Traceback (most recent call last):
    celab.base.errors.InputError: zh.yml has keys and texts of an app (YAML), which celab does ...
    """
    app = _REFUSED_SUFFIXES.get(suffix, "") if _KEYS.match(text) else ""
    if text[:1] == "<" and _QT.search(text[:_HEAD]):
        app = "Qt"
    if app:
        raise InputError(
            f"{name} has keys and texts of an app ({app}), which celab does not read", hint=EXPORT
        )
    if (language := CODE_SUFFIXES.get(suffix, "")) and _CODE.match(text):
        raise InputError(
            f"{name} is a program ({language}), whose texts celab does not read",
            hint=f"write its texts as JSON of keys, or {EXPORT}",
        )


def _of_objects(file: TextFile, text: str, suffix: str) -> str:
    """Return the format of a file of JSON objects; "" if it has no known format."""
    from celab.corpus.formats import logs
    from celab.corpus.formats.json_text import json_object, whole_object

    first = json_object(text.partition("\n")[0]) if text[:1] == "{" else None
    if first is not None:
        # The caller who names fields knows better which they are.
        is_batch = logs.is_batch(first)
        own = "" if file.fields else "batch" if is_batch else logs.recognize(first)
        is_one = suffix == ".json" and "\n" not in text.rstrip()
        return own or (_of_keys(file, first) if is_one else "") or "jsonl"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"  # its parser says where the file is broken
    if text[:1] != "{":
        return ""
    whole = whole_object(file) if suffix == ".json" else json_object(text)
    if whole is None:
        return ""
    if format := logs.recognize(whole) or (_of_keys(file, whole) if suffix == ".json" else ""):
        return format
    raise _one_object(file, whole)


def _of_keys(file: TextFile, whole: Mapping[str, object]) -> str:
    """Return the format of an object of keys and texts; "" if it is a record, by its fields.

    Any other object is an `InputError`, even if the caller names fields, which would select only
    one of the texts.
    """
    from celab.corpus.formats import json_keys
    from celab.corpus.formats.fields import SIDES, TEXT_NAMES
    from celab.corpus.formats.json_text import paths_of

    names = {name.casefold() for name in paths_of(whole)}
    of_records = {
        name
        for name in names
        if name in TEXT_NAMES or re.fullmatch(rf"{SIDES}[a-z]{{2,3}}(?:[-_].*)?", name)
    }
    format = json_keys.recognize(whole, file.path)
    if 2 * len(of_records) > len(names) and format == "json-keys":
        return ""
    if not format and not of_records:
        raise _one_object(file, whole)
    return format


def _one_object(file: TextFile, whole: Mapping[str, object]) -> InputError:
    from celab.corpus.formats.fields import list_fields

    return InputError(
        f"{file.name} is one JSON object, with the fields {list_fields(list(whole))}; it must be an"
        " array, or have one object per line",
        hint=("if it has the keys of an app, give ", Setting("format", "json-keys")),
    )


def _of_markup(file: TextFile, text: str, suffix: str) -> str:
    """Return the format of a file that begins with `<`."""
    from celab.corpus.formats.elements import Document, first_element

    element = first_element(text)
    format = _BY_ELEMENT.get(element, "")
    if format and (format not in APP_FORMATS or _RESOURCES.search(text[:_HEAD])):
        return format
    is_page = element in ("html", "tt")
    if is_page or suffix in _MARKUP_SUFFIXES or text[:10].lower().startswith(_MARKUP):
        if not element:
            Document(file.text, file.name)  # raises the error that says why
        raise InputError(
            f"{file.name} is XML of an unknown format: its first element is {element!r}; it must be"
            " mteval, srcset, refset, tstset, dataset, xliff, tmx, resources or plist, or give the"
            " format"
        )
    return "plain"


def _of_misnamed(file: TextFile, text: str, suffix: str) -> str:
    """Return "plain"; raise `InputError` if the suffix says JSON or markup."""
    kind, begin = ("JSON", "{ or [") if suffix == ".json" else ("markup", "<")
    is_array = kind == "JSON" and text[:1] == "["  # plain text, which is warned about
    if suffix in (".json", *_MARKUP_SUFFIXES) and not is_array:
        raise InputError(
            f"{file.name} is not {kind}, although its name ends in {suffix}: it begins with"
            f" {text[:10]!r}",
            hint=(f"it must begin with {begin}, or give ", Setting("format", "plain")),
        )
    return "plain"


# ---- warnings about files that can be read, but are probably not what is meant ----

_SAMPLE = 1000  # lines that are looked at
_TABLE_SAMPLE = 10_000  # characters
_JSON = re.compile(r'\s*[\[{]\s*["\[{]')
_ESCAPED_BREAK = (r"\n",)
# Patterns of a line, marks of which it has one, what it is, and what is to be done.
_MARKED = (
    (
        re.compile(r"@@(?: |$)|\u2581"),  # marks of subword-nmt and SentencePiece
        ("@@", "\u2581"),
        "marks of subwords (@@ or ▁)",
        "join the subwords",
    ),
    (
        re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"),
        ("&",),
        "HTML entities",
        "replace them by the characters",
    ),
    (
        re.compile(r"\\u[0-9A-Fa-f]{4}"),
        ("\\u",),
        r"escapes such as \u4e70",
        "replace them by the characters",
    ),
    (re.compile(r"\\n"), _ESCAPED_BREAK, r"line breaks written as \n", "replace them by spaces"),
)
_NUMBER = re.compile(r"\s*[\[(（#]?([0-9]{1,9})(?![0-9])")  # before a line
_QUOTED = re.compile(r"\s*(?:\".*\"|“.*”|”.*”|「.*」|『.*』|„.*[“”]|«.*»|'.*')\s*", re.DOTALL)
_MIN_MARKED_LINES = 5  # numbered, or in quotation marks
_MIN_MARKED_SHARE = 0.95
_NBEST = re.compile(r"\s*[0-9]+ \|\|\| ")
_MIN_FOREIGN_SHARE = 0.1  # share of lines with marks of another notation
_MIN_LOST_SHARE = 0.01  # share of characters lost in decoding
_COMPARED = 200  # segments that are compared by their bigrams
# Minimum difference of shares by which a reference is nearer to the hypothesis. Human
# references are often a little nearer to systems than to each other: up to 0.08 in WMT21.
_NEARER = 0.15


def plain_text_warning(path: str, name: str, text: str, right: str = "") -> Text:
    """Return a warning about plain text that seems to be a table or JSON, else "".

    `right` is the advice, if the columns cannot be named. Of a long file, `text` may be the
    beginning.
    """
    if _JSON.match(text) and (io.suffix_of(path) == ".json" or _is_json(text)):
        advice = "write it as JSON Lines, with one object per line"
        return (f"{name} is read as plain text, but it is JSON; ", *_advice(right, advice))
    if "\t" not in (start := text[:_TABLE_SAMPLE]):
        return ""
    lines = [line for line in start.split("\n")[:-1] if line.strip()]
    n_tabs = {line.count("\t") for line in lines}
    # Text without a table's suffix seems to be a table only if all its lines, two or more, have the
    # same number of tabs.
    is_table = len(n_tabs) == 1 and len(lines) > 1 if io.suffix_of(path) != ".tsv" else True
    if not lines or 0 in n_tabs or not is_table:
        return ""
    return (f"{name} is read as plain text, tabs included; ", *_advice(right, "name its columns"))


def _advice(right: str, default: str) -> tuple[str | Setting, ...]:
    return (right,) if right else (f"{default}, or give ", Setting("format", "plain"))


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def nul_warning(name: str, texts: Sequence[str], n_before: int = 0) -> str:
    """Return a warning about NUL characters in the texts after the first `n_before`, else "".

    >>> nul_warning("hyp.zh", ["买伞", "去\\0北京"])
    'hyp.zh, line 2: NUL characters are dropped; remove them, or give the right encoding, ...'
    """
    number = next((n for n, text in enumerate(texts, n_before + 1) if "\0" in text), None)
    if number is None:
        return ""
    return (
        f"{name}, line {number}: NUL characters are dropped; remove them, or give the right"
        " encoding, such as utf-16"
    )


def texts_warning(name: str, texts: Sequence[str], *, are_messages: bool = False) -> str:
    r"""Return a warning about the texts of a reference or a system, judged by the first of them.

    Only NUL characters are looked for in all. Messages of a program may have \n as a placeholder.

    >>> texts_warning("hyp.zh", ["买@@ 雨@@ 伞", "去 北京"])
    'hyp.zh has marks of subwords (@@ or ▁) in 50% of its lines; join the subwords first'
    """
    if any("\0" in text for text in texts):
        return nul_warning(name, texts)
    sample = texts[:_SAMPLE]
    if len(sample) == 1 and sample[0].strip("\r").count("\r"):
        n = sample[0].strip("\r").count("\r") + 1
        return (
            f"{name} is one line with {n} parts that end in a carriage return; lines end in LF, so"
            " convert the line ends"
        )
    if all(map(is_blank, sample)) and all(map(is_blank, texts)):
        return f"{name} has no text, only blank lines; check that it is the right file"
    joined = "\n".join(sample)
    if warning := _mark_warning(name, sample, joined, are_messages):
        return warning
    if all(map(_NBEST.match, sample)):
        return f"{name} looks like an n-best list; keep one translation of each sentence"
    if warning := _frame_warning(name, sample):
        return warning
    n_lost = joined.count("\ufffd")
    if n_lost and n_lost >= _MIN_LOST_SHARE * sum(map(len, sample)):
        return (
            f"{name} has {n_lost} replacement characters (U+FFFD) in {len(sample)} lines, so it was"
            " decoded with the wrong encoding; make it again"
        )
    return ""


def _mark_warning(name: str, texts: Sequence[str], joined: str, are_messages: bool) -> str:
    """Return a warning about marks that are not of the language, else ""."""
    for pattern, marks, what, advice in _MARKED:
        if not any(mark in joined for mark in marks):  # quick for most texts
            continue
        n_marked = sum(pattern.search(text) is not None for text in texts)
        if n_marked >= _MIN_FOREIGN_SHARE * len(texts) and not (
            are_messages and marks is _ESCAPED_BREAK
        ):
            share = f"{n_marked / len(texts):.0%}"
            return f"{name} has {what} in {share} of its lines; {advice} first"
    return ""


def _frame_warning(name: str, texts: Sequence[str]) -> str:
    """Return a warning about texts that are numbered or all in quotation marks, else "".

    >>> _frame_warning("hyp.zh", [f"{n}. 伞" for n in range(1, 6)])
    'hyp.zh has numbers before 100% of its lines; remove them first'
    """
    for what, find in (("numbers before", _numbered), ("quotation marks around", _quoted)):
        if sum(find(texts[:_MIN_MARKED_LINES])) < _MIN_MARKED_LINES - 1:  # quick for most texts
            continue
        if (share := sum(find(texts)) / len(texts)) >= _MIN_MARKED_SHARE:
            return f"{name} has {what} {share:.0%} of its lines; remove them first"
    return ""


def _numbered(texts: Sequence[str]) -> list[bool]:
    """Return which texts begin with their number, counted from that of the first."""
    if (first := _NUMBER.match(texts[0])) is None:
        return []
    matches = enumerate(map(_NUMBER.match, texts), int(first[1]))
    return [match is not None and int(match[1]) == number for number, match in matches]


def _quoted(texts: Sequence[str]) -> list[bool]:
    """Return which texts are in quotation marks from the beginning to the end."""
    return [_QUOTED.fullmatch(text) is not None for text in texts]


def is_nearer(ref: Sequence[str], first: Sequence[str], hyp: Sequence[str]) -> bool:
    """Return whether a reference is so near to the hypothesis that it may be another system.

    It must share clearly more character bigrams with the hypothesis than either shares with the
    first reference; the fewer segments there are, the more.

    >>> is_nearer(["雨伞在门后面"], ["门背后有一把伞"], ["雨伞在门后边"])
    True
    """
    sides = [[_bigrams(text) for text in side[:_COMPARED]] for side in (ref, first, hyp)]
    n_segments = min(map(len, sides))
    if not n_segments:
        return False
    to_first, to_hyp = _shared(sides[0], sides[1]), _shared(sides[0], sides[2])
    margin = 1 + _NEARER * math.sqrt(_COMPARED / n_segments)
    return to_hyp > margin * max(to_first, _shared(sides[1], sides[2]))


def _bigrams(text: str) -> Counter[str]:
    letters = "".join(text.split())
    return Counter(letters[i : i + 2] for i in range(len(letters) - 1))


def _shared(a: Sequence[Counter[str]], b: Sequence[Counter[str]]) -> float:
    # Twice what is shared, over the size of both (Dice).
    pairs = list(zip(a, b, strict=False))
    size = sum(one.total() + other.total() for one, other in pairs)
    return 2 * sum((one & other).total() for one, other in pairs) / size if size else 0.0
