"""Files of the corpus: paths → text. The only file of this room that opens any.

A file is plain or compressed (by its suffix), and `-` is standard input. Its encoding is what its
byte order mark says, else what the caller says, else what its XML declaration says, else UTF-8.
A line ends at LF and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the
line they stand in, because a hypothesis that holds one must not slip out of step with its
references. One CR before an LF belongs to the line end, and a byte order mark to no line.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import islice
from typing import IO, Any, cast

from celab.errors import InputError, OptionError

DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
}
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


UTF8_MARK = codecs.BOM_UTF8
WIDE_MARKS = tuple(mark for mark in _MARKS if mark != UTF8_MARK)
_OPEN: dict[str, Callable[..., IO[bytes]]] = {
    ".gz": gzip.open,  # type: ignore[dict-item]
    ".xz": lzma.open,
    ".bz2": bz2.open,
}
_BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


def text_of(path: str | os.PathLike[str], encoding: str | None = None) -> str:
    """The decoded text of one file, which is not empty."""
    path = os.fspath(path)
    chosen = codec_of(encoding)
    text = _decoded(_decompressed(_bytes_of(path), path), name_of(path), chosen)
    if not text:
        raise InputError(f"{name_of(path)} is empty; it must have at least one line")
    return text


def codec_of(encoding: str | None) -> str | None:
    """The name by which Python knows an encoding that was asked for."""
    chosen = None if encoding is None else _codec(encoding)
    if encoding is not None and chosen is None:
        raise OptionError(
            f"encoding is {encoding!r}; it must be one that Python knows, such as "
            "utf-8, gb18030, big5 or utf-16"
        )
    return chosen


def read_lines(path: str | os.PathLike[str], encoding: str | None = None) -> list[str]:
    """The lines of one file, without their ends."""
    return lines_of(text_of(path, encoding))


def lines_of(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:  # an LF ends a line, so nothing after the last one is no line
        lines.pop()
    return lines


def name_of(path: str) -> str:
    """What messages call the file."""
    return "standard input" if path == "-" else path


def suffix_of(path: str) -> str:
    """The suffix that tells of the content, in small letters: `.tsv` of `a.TSV.gz`."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in DECOMPRESS else suffix


def open_stream(path: str) -> BufferedReader:
    """A file to be read from its beginning, decompressed on the way."""
    if path == "-":
        return cast(BufferedReader, _stdin())
    suffix = os.path.splitext(path)[1].lower()
    with _readable(path):
        raw = open(path, "rb")  # noqa: SIM115 (whoever reads the stream closes it, at the end)
    return BufferedReader(cast(Any, _OPEN[suffix](raw))) if suffix in _OPEN else raw


def peeked(stream: BufferedReader, path: str, n_bytes: int) -> bytes:
    """What the stream begins with, without taking it."""
    with _undamaged(path):
        return stream.peek(n_bytes)[:n_bytes]


def next_lines(stream: BufferedReader, path: str, n_lines: int) -> list[bytes]:
    """The next lines with their ends, at most so many."""
    with _undamaged(path):
        return list(islice(stream, n_lines))


def give_back(stream: BufferedReader, path: str) -> None:
    """Closes a stream that was only peeked into; of standard input nothing was taken."""
    if path != "-":
        stream.close()


@contextlib.contextmanager
def _undamaged(path: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        suffix = os.path.splitext(path)[1].lower()
        what = f"decompressed ({error}); it must be a whole, undamaged {suffix} file"
        if suffix not in DECOMPRESS:
            reason = getattr(error, "strerror", None) or error
            what = f"read ({reason}); it must be a readable file"
        raise InputError(f"{name_of(path)} cannot be {what}") from None


def _stdin() -> IO[bytes]:
    if sys.stdin is None:
        raise InputError("standard input is closed; give the path of a file instead of -")
    return sys.stdin.buffer


def _bytes_of(path: str) -> bytes:
    if path == "-":
        return _stdin().read()
    with _readable(path), open(path, "rb") as file:
        return file.read()


@contextlib.contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist; it must be a text file, or - for standard input"
        ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; it must be a text file") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}); it must be a readable file") from None


def _decompressed(data: bytes, path: str) -> bytes:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in DECOMPRESS:
        return data
    try:
        return DECOMPRESS[suffix](data)
    except _BROKEN as error:
        raise InputError(
            f"{path} cannot be decompressed ({error}); it must be a whole, undamaged {suffix} file"
        ) from None


def _decoded(data: bytes, name: str, chosen: str | None) -> str:
    codec, why = chosen or "utf-8", ""
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if mark:
        codec, why = _MARKS[mark], ", as its byte order mark says"
        data = data[len(mark) :]
    elif chosen is None and (declared := _declared(data, name)):
        codec, why = declared, ", as its XML declaration says, or be given its --encoding"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        # Counted in the text: a byte 0x0A can be half a character of UTF-16.
        line = data[: error.start].decode(codec, errors="ignore").count("\n") + 1
        byte = f"{name}, line {line}: byte 0x{data[error.start]:02X}"
    if codec == "utf-8":
        right = "" if chosen or why else "without --encoding "
        raise InputError(
            f"{byte} is not part of a UTF-8 character; {right}the text must be UTF-8"
        ) from None
    raise InputError(
        f"{byte} is not part of a character of {codec}; the text must be {codec}{why}"
    ) from None


def _declared(data: bytes, name: str) -> str | None:
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
            "give the right one with --encoding"
        )
    return declared


def _codec(label: str) -> str | None:
    """The name by which Python knows the encoding, `None` if it is no encoding of texts."""
    try:
        codec = codecs.lookup(label).name
        b"\0\0\0\0".decode(codec)
    except UnicodeError:  # a text encoding in which these bytes mean nothing
        pass
    except (LookupError, ValueError):  # ValueError: a name with a NUL
        return None
    if codec.replace("_", "-") in _NO_FILES:
        return None
    return _SUPERSET.get(codec, codec)
