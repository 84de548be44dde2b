"""Files of the corpus: paths → text. The only module of this package that opens any.

A file is plain or compressed, and `-` is standard input. Its encoding is what its byte order mark
says, else what the caller says, else what its XML declaration says, else UTF-8. A line ends at LF
and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the line, so
that a hypothesis that contains one stays aligned with its references. One CR before an
LF belongs to the line end, and a byte order mark to no line.

A file is read line by line, decompressed on the way, and no further than `Limits` allow: a small
file can hold a compressed line without an end.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from io import BufferedReader
from typing import IO, cast

from celab.base.errors import EmptyFileError, InputError, LimitError, OptionError, Setting
from celab.base.files import COMPRESSED, AnyPath, open_binary, reading
from celab.base.options import LIMITS, PER_LINE, Limits

# UTF-32 before UTF-16, whose little-endian mark its own begins with.
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_UNMARKED_XML = {b"<\0?\0x\0": "utf-16-le", b"\0<\0?\0x": "utf-16-be"}
_DECLARED = re.compile(rb"""\s*<\?xml\b[^<>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARATION_BYTES = 1000
# GB 2312 and GBK are subsets of GB 18030, and files that claim the first often need the last.
# Big5 has no such superset: HKSCS and Big5-ETEN give the same bytes to different characters.
_SUPERSET = {"gb2312": "gb18030", "gbk": "gb18030"}
# Codecs of names and of escapes; the latter can give half characters, which no file can hold.
_NO_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}

# Bytes that may precede the first character that is not white space, in any encoding.
_BEFORE_TEXT = bytes({*b"".join(_MARKS), *b"\0 \t\r\n"})

UTF8_MARK = codecs.BOM_UTF8
WIDE_MARKS = tuple(mark for mark in _MARKS if mark != UTF8_MARK)


def text_of(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> str:
    """The decoded text of one file, which is not empty."""
    path = os.fspath(path)
    chosen = codec_of(encoding)
    stream = open_stream(path)
    data = bytearray()
    with refusals(path):
        for line in lines_within(limits, stream, name_of(path), or_markup=True):
            data += line
    close(stream, path)
    text = _decoded(data, name_of(path), chosen)
    if not text:
        raise EmptyFileError(os.fspath(path), name_of(path))
    return text


def lines_within(
    limits: Limits, stream: IO[bytes], name: str, n_before: int = 0, *, or_markup: bool = False
) -> Iterator[bytes]:
    """The lines that follow the `n_before` that have been read, with their ends.

    Raises `LimitError` as soon as one is too long, or all that follow are. Markup may come in
    pieces that are not lines.
    """
    is_markup, size = False, 0
    lines = iter(partial(stream.readline, min(limits.max_line, limits.max_file) + 1), b"")
    for number, line in enumerate(lines, start=n_before + 1):
        if or_markup and size == 0:
            is_markup = line.lstrip(_BEFORE_TEXT)[:1] == b"<"
        size += len(line) + PER_LINE * (line.count(b"<") if is_markup else 1)
        if size > limits.max_file:
            where = name if is_markup else f"{name}, lines {n_before + 1} to {number}"
            raise LimitError(
                f"more than {limits.max_file} bytes to hold in memory, counting {PER_LINE} more"
                f" for each {'tag' if is_markup else 'line'}",
                place=where,
                hint=("split the file, or use a greater ", Setting("max_file")),
                can_stream=not is_markup,
            )
        if len(line) > limits.max_line and not line.endswith(b"\n") and not is_markup:
            raise LimitError(
                f"the line has more than {limits.max_line} bytes",
                place=f"{name}, line {number}",
                hint=("shorten it, or use a greater ", Setting("max_line")),
            )
        yield line


def codec_of(encoding: str | None) -> str | None:
    """The name by which Python knows an encoding that was asked for."""
    chosen = None if encoding is None else _codec(encoding)
    if encoding is not None and chosen is None:
        hint = "it must be one that Python knows, such as utf-8, gb18030, big5 or utf-16"
        raise OptionError("encoding", encoding, hint)
    return chosen


def read_lines(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> list[str]:
    """The lines of one file, without their ends."""
    return lines_of(text_of(path, encoding, limits))


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:  # an LF ends a line, so there is no line after the last one
        lines.pop()
    return lines


def name_of(path: str) -> str:
    """What messages call the file."""
    return "standard input" if path == "-" else path


def suffix_of(path: str) -> str:
    """The suffix before that of a compression, in lower case: `.tsv` for `a.TSV.gz`."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSED else suffix


def open_stream(path: str) -> BufferedReader:
    """A file to be read from its beginning, decompressed on the way."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; give the path of a file instead of -")
        return cast(BufferedReader, sys.stdin.buffer)
    with refusals(path):
        return open_binary(path)


def close(stream: BufferedReader, path: str) -> None:
    """Closes a stream, except standard input."""
    if path != "-":
        stream.close()


def refusals(path: str) -> AbstractContextManager[None]:
    """Turns errors of the disk or of a decompressor into an `InputError`."""
    return reading(name_of(path), InputError, "a text file, or - for standard input")


def _decoded(data: bytearray, name: str, chosen: str | None) -> str:
    codec, why = chosen or "utf-8", ""
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if mark:
        codec, why = _MARKS[mark], ", as its byte order mark says"
        del data[: len(mark)]
    elif chosen is None and (declared := _declared(data, name)):
        codec, why = declared, ", as its XML declaration says, or give its encoding"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        # Counted in the text: a byte 0x0A can be half a character of UTF-16.
        line = data[: error.start].decode(codec, errors="ignore").count("\n") + 1
        byte = f"{name}, line {line}: byte 0x{data[error.start]:02X}"
    if codec == "utf-8":
        right = "" if chosen or why else ", or give its encoding"
        raise InputError(
            f"{byte} is not part of a UTF-8 character; the text must be UTF-8{right}"
        ) from None
    raise InputError(
        f"{byte} is not part of a character of {codec}; the text must be {codec}{why}"
    ) from None


def _declared(data: bytearray, name: str) -> str | None:
    for start, codec in _UNMARKED_XML.items():
        if data.startswith(start):
            return codec
    found = _DECLARED.match(data[:_DECLARATION_BYTES])
    if found is None:
        return None
    label = found[1].decode("ascii")
    declared = _codec(label)
    # A declaration that can be read as ASCII cannot be right about UTF-16.
    if declared is None or found[0].decode(declared, errors="replace") != found[0].decode("latin1"):
        raise InputError(
            f"{name} declares the encoding {label!r}, in which it cannot be read; "
            "give the right encoding"
        )
    return declared


def _codec(label: str) -> str | None:
    """The name by which Python knows the encoding, `None` if it is no encoding of texts."""
    try:
        codec = codecs.lookup(label).name
        b"\0\0\0\0".decode(codec)
    except UnicodeDecodeError:  # a text encoding in which these bytes mean nothing
        pass
    except (LookupError, ValueError):  # ValueError: a name with a NUL or with half a character
        return None
    if codec.replace("_", "-") in _NO_FILES:
        return None
    return _SUPERSET.get(codec, codec)
