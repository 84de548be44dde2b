"""Text files: path → text or lines, decompressed, decoded, and within `Limits`.

`-` is standard input. A file is read as a whole (`read_text`, `read_lines`), or a few lines at a
time if it is plain text in an encoding whose lines end at a byte 0x0A (`LineFile`, `iter_lines`).

A line ends at LF and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the
line, so that a hypothesis that contains one stays aligned with its references. One CR before an LF
belongs to the line end. Lines are read within limits, because a small compressed file can hold a
line without an end.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Literal, cast

from celab.base.errors import (
    EmptyFileError,
    EncodingError,
    InputError,
    LimitError,
    OptionError,
    Setting,
)
from celab.base.io.files import (
    BINARY_TABLES,
    AnyPath,
    descriptor_of,
    display_name,
    is_unpacked,
    open_binary,
    reading,
    refuse_binary,
)
from celab.base.options import LIMITS, PER_LINE, Limits
from celab.base.text.scripts import likely_codec

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Encodings: bytes → text.
#
# The encoding of a text is that of its byte order mark, else the one that the caller names, else
# the one that its XML declaration, or the header of a PO file, names, else UTF-8. A byte order
# mark belongs to no line.

UTF8_MARK = codecs.BOM_UTF8
# UTF-32 before UTF-16, because its little-endian mark begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WIDE_MARKS = tuple(mark for mark in MARKS if mark != UTF8_MARK)
_UNMARKED_XML = {b"<\0?\0x\0": "utf-16-le", b"\0<\0?\0x": "utf-16-be"}
_DECLARED = re.compile(rb"""\s*<\?xml\b[^<>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_DECLARATION_BYTES = 1000
_PO_HEADER = re.compile(  # after comments
    rb'(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+[ \t]*msgid[ \t]+""\s*msgstr[ \t]+"(?:[^\n]|\n[ \t]*")*?'
    rb"\bcharset=(?!CHARSET)([A-Za-z0-9._:-]+)"  # CHARSET is what templates have
)
_PO_HEADER_BYTES = 1 << 16
# XML begins with `<`, a PO file with a comment or with `msgid`.
_MAY_DECLARE = re.compile(rb"\0?\s*+[<#m]")
# GB 2312 and GBK are subsets of GB 18030, and files that claim the first often need the last.
# Big5 has no such superset: HKSCS and Big5-ETEN give the same bytes to different characters.
# A byte order mark is looked for in any file, but only at its beginning.
_SUPERSET = {"gb2312": "gb18030", "gbk": "gb18030", "utf-8-sig": "utf-8"}
_WITH_STATE = ("iso2022", "hz")
# Codecs of names and of escapes; the latter can decode to lone surrogates, which no file can hold.
_NO_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}


def find_codec(encoding: str) -> str:
    """Return Python's name of the encoding that the caller named; `OptionError` if it has none."""
    codec = _codec(encoding)
    if codec is None:
        hint = "it must be one that Python knows, such as utf-8, gb18030, big5 or utf-16"
        raise OptionError("encoding", encoding, hint)
    return codec


def has_byte_lines(codec: str, start: bytes) -> bool:
    """Return whether a file of that codec, with that beginning, can be split before it is decoded.

    In UTF-16 and UTF-32 a byte 0x0A can be half a character, in EBCDIC it is not a line end, and
    encodings with a state carry it from line to line.
    """
    if start.startswith(_WIDE_MARKS) or codec.startswith(_WITH_STATE):
        return False
    return "\n".encode(codec) == b"\n"


def decode(data: bytearray, name: str, chosen: str | None) -> str:
    """Return the text of a file; `chosen` is the codec that the caller named."""
    codec, why = chosen or "utf-8", ""
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    if mark:
        codec, why = MARKS[mark], ", as its byte order mark says"
        del data[: len(mark)]
    elif chosen is None and _MAY_DECLARE.match(data):
        declared = _declared_codec(data, name) or codec
        if declared != codec:
            codec, why = declared, ", as it declares, or give its encoding"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        # Counted in the text: a byte 0x0A can be half a character of UTF-16.
        line = data[: error.start].decode(codec, errors="ignore").count("\n") + 1
        byte = locate_byte(error, name, line)
    if codec == "utf-8":
        likely = "" if chosen or why else likely_codec(data)
        right = "" if chosen or why else ", or give its encoding"
        raise EncodingError(
            f"{byte} is not part of a UTF-8 character",
            hint=f"the text must be UTF-8{right}",
            likely=likely,
        ) from None
    raise InputError(
        f"{byte} is not part of a character of {codec}; the text must be {codec}{why}"
    ) from None


def locate_byte(error: UnicodeDecodeError, name: str, line: int) -> str:
    """Return the file, the line and the byte that cannot be decoded, for a message."""
    return f"{name}, line {line}: byte 0x{error.object[error.start]:02X}"


def _declared_codec(data: bytearray, name: str) -> str | None:
    for start, codec in _UNMARKED_XML.items():
        if data.startswith(start):
            return codec
    declaration = _DECLARED.match(data[:_DECLARATION_BYTES])
    declaration = declaration or _PO_HEADER.match(data[:_PO_HEADER_BYTES])
    if declaration is None:
        return None
    label = declaration[1].decode("ascii")
    declared = _codec(label)
    # A declaration that can be read as ASCII cannot be right about UTF-16.
    if declared is None or declaration[1].decode(declared, errors="replace") != label:
        raise InputError(
            f"{name} declares the encoding {label!r}, in which it cannot be read; "
            "give the right encoding"
        )
    return declared


def _codec(label: str) -> str | None:
    """Return Python's name of the encoding; None if it is not an encoding of texts."""
    try:
        codec = codecs.lookup(label).name
        b"\0\0\0\0".decode(codec)
    except UnicodeDecodeError:  # a text encoding in which these bytes mean nothing
        pass
    except (LookupError, ValueError):  # ValueError: a name with a NUL or with a lone surrogate
        return None
    if codec.replace("_", "-") in _NO_FILES:
        return None
    return _SUPERSET.get(codec, codec)


# Lines within limits.

_BLOCK = 1 << 20  # bytes


class TooLarge(Exception):
    """A stream exceeds a limit; callers raise their own error for it.

    `what` exceeds its limit at line `number`: the length of that line, or the bytes of all lines.
    """

    def __init__(self, what: Literal["line", "bytes"], number: int = 0) -> None:
        super().__init__(what, number)
        self.what, self.number = what, number


def limited_lines(
    stream: IO[bytes],
    max_line: int,
    *,
    max_bytes: int | None = None,
    overhead: int = 0,
    unit: bytes = b"",
    n_before: int = 0,
    first: bytes = b"",
    long_lines: Literal["refuse", "split", "cut"] = "refuse",
) -> Iterator[bytes]:
    """Yield lines with their ends; raise `TooLarge` before more than the limits is in memory.

    For `max_bytes`, each line counts `overhead` bytes more, or each `unit` in it, if there is one.
    `n_before` lines came before, and `first` has been read from the stream already. A line
    with more than `max_line` bytes is refused, split into pieces, or cut off.
    """
    total = 0
    max_piece = max_line if max_bytes is None else min(max_line, max_bytes)
    pieces = iter(partial(stream.readline, max_piece + 1), b"")
    for number, line in enumerate(chain([first] if first else [], pieces), n_before + 1):
        if max_bytes is not None:
            total += len(line) + overhead * (line.count(unit) if unit else 1)
            if total > max_bytes:
                raise TooLarge("bytes", number)
        is_long = len(line) > max_line and not line.endswith(b"\n")
        if is_long and long_lines == "refuse":
            raise TooLarge("line", number)
        yield line
        while is_long and long_lines == "cut" and (rest := stream.readline(max_piece + 1)):
            is_long = not rest.endswith(b"\n")


def read_limited(
    stream: IO[bytes], max_line: int, *, max_bytes: int, overhead: int = 0, first: bytes = b""
) -> bytearray:
    r"""Return the bytes of all lines; raise what `limited_lines` raises.

    Blocks are read instead of lines, and lines are looked at only where one may be too long.

    >>> from io import BytesIO
    >>> read_limited(BytesIO(b"a\nb"), 1, max_bytes=3)
    bytearray(b'a\nb')
    """
    data, n_open, n_lines = bytearray(), 0, 0  # the length of the last line, if it has no end yet
    size = min(_BLOCK, max_line, max_bytes) + 1
    blocks = iter(partial(stream.read, size), b"")
    for block in chain([first] if first else [], blocks):
        data += block
        n_ends, n_before = block.count(b"\n"), n_open
        n_open = len(block) - block.rfind(b"\n") - 1 + (0 if n_ends else n_before)
        n_lines += n_ends
        longest = max(n_before + block.find(b"\n"), n_open)  # others are within the block
        total = len(data) + overhead * (n_lines + (n_open > 0))
        if longest > max_line or total > max_bytes:
            lines = limited_lines(
                cast(IO[bytes], _Reread(data, stream)),
                max_line,
                max_bytes=max_bytes,
                overhead=overhead,
            )
            deque(lines, maxlen=0)  # raises
    return data


class _Reread:
    """The lines of bytes that were read, then those that follow in the stream."""

    def __init__(self, data: bytearray, stream: IO[bytes]) -> None:
        self._data, self._stream, self._place = data, stream, 0

    def readline(self, size: int) -> bytes:
        start, stop = self._place, self._place + size
        self._place = self._data.find(b"\n", start, stop) + 1 or min(len(self._data), stop)
        line = bytes(self._data[start : self._place])
        if line.endswith(b"\n") or len(line) == size:
            return line
        return line + self._stream.readline(size - len(line))


class LimitedReader(BufferedReader):
    """A stream that raises `TooLarge` once more than `max_bytes` have been read from it."""

    def __init__(self, stream: BufferedReader, max_bytes: int, buffer_size: int) -> None:
        super().__init__(_Counted(stream, max_bytes), buffer_size)


class _Counted(RawIOBase):
    def __init__(self, stream: BufferedReader, max_bytes: int) -> None:
        self._stream = stream
        self._n_left = max_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_bytes = self._stream.readinto(buffer)
        self._n_left -= n_bytes
        if self._n_left < 0:
            raise TooLarge("bytes")
        return n_bytes


def n_lines(stream: IO[bytes]) -> int:
    r"""Return the number of lines of a stream, as `limited_lines` reads it.

    >>> from io import BytesIO
    >>> n_lines(BytesIO(b"a\r\n\nb")), n_lines(BytesIO(b""))
    (3, 0)
    """
    n_ends, last = 0, b"\n"
    while block := stream.read(_BLOCK):
        n_ends, last = n_ends + block.count(b"\n"), block[-1:]
    return n_ends + (last != b"\n")


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text, without their ends.

    >>> split_lines("a\r\nb\u2028c\n")
    ['a', 'b\u2028c']
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:  # an LF ends a line, so there is no line after the last one
        lines.pop()
    return lines


# Texts of files.

_BATCH_LINES = 1000
_HEAD_BYTES = 1 << 16  # enough to tell plain text from markup
_EXPECTED = "a text file, or - for standard input"
_MIN_HEAD_BYTES = 4  # a pipe may give less than a byte order mark at first
# Bytes that may precede the first character that is not white space, in any encoding.
_BEFORE_TEXT = bytes({*b"".join(MARKS), *b"\0 \t\r\n"})


def read_text(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> str:
    """Return the text of a file; an empty one is an `InputError`."""
    text = read_text_or_table(path, encoding, limits)
    if isinstance(text, bytes):
        refuse_binary(text[:_HEAD_BYTES], display_name(path))
    return cast(str, text)


def read_text_or_table(
    path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS, role: str = ""
) -> str | bytes:
    """Return the text of a file, as `read_text` does, or the bytes of a workbook or a Parquet file.

    `role` is the one whose encoding messages name: ref, hyp or source.
    """
    path, name = os.fspath(path), display_name(path)
    codec = None if encoding is None else find_codec(encoding)
    with reading(name, InputError, _EXPECTED):
        stream = open_binary(path) if path != "-" else _standard_input()
        data = _read_bytes(stream, name, limits)
    if path != "-":
        stream.close()
    if isinstance(data, bytes):
        return data
    refuse_binary(data[:_HEAD_BYTES], name)
    try:
        text = decode(data, name, codec)
    except EncodingError as error:
        raise error.for_role(role) from None
    if not text:
        raise _empty(path, name)
    return text


def read_lines(path: AnyPath, encoding: str | None = None, limits: Limits = LIMITS) -> list[str]:
    """Return the lines of a file, without their ends."""
    text = read_text(path, encoding, limits)
    refuse_lone_cr(text, display_name(path))
    return split_lines(text)


def refuse_lone_cr(text: str, name: str) -> None:
    """Raise `InputError` if all lines of a text end in CR, so that it would be a single line."""
    if "\n" not in text and (n_ends := text.rstrip("\r").count("\r")):
        raise InputError(
            f"{name} has {n_ends + 1} lines that end in a carriage return (CR), as on old Macs, and"
            " none in a line feed (LF)",
            hint="convert its line ends: tr '\\r' '\\n' < FILE > NEW",
        )


def iter_lines(path: AnyPath) -> Iterator[str]:
    """Yield the lines of a file of any length; UTF-16 and UTF-32 are read as a whole."""
    file = LineFile(os.fspath(path), None)
    try:
        if not file.has_byte_lines:
            yield from read_lines(path)
        while lines := file.has_byte_lines and file.lines(_BATCH_LINES):
            yield from lines
    finally:
        file.close()


def limit_error(
    excess: TooLarge, name: str, limits: Limits = LIMITS, n_before: int = 0
) -> LimitError:
    """Return the error about a line, or lines that follow `n_before` others, that are too large."""
    if excess.what == "line":
        return LimitError(
            f"the line has more than {limits.max_line} bytes",
            place=f"{name}, line {excess.number}",
            hint=("shorten it, or use a greater ", Setting("max_line")),
        )
    return _too_large(f"{name}, lines {n_before + 1} to {excess.number}", "line", limits)


def input_lines(stream: IO[bytes], limits: Limits = LIMITS, n_before: int = 0) -> Iterator[bytes]:
    """Return an iterator over the lines that follow `n_before` others, with their ends.

    It raises `TooLarge` as soon as a line is too long, or all are together; `limit_error` says so.
    """
    return limited_lines(
        stream,
        limits.max_line,
        max_bytes=limits.max_file,
        overhead=PER_LINE,
        n_before=n_before,
    )


def _read_bytes(stream: IO[bytes], name: str, limits: Limits) -> bytearray | bytes:
    """Return the bytes of a text, or, unchangeable, of a binary table."""
    data = bytearray()
    first = stream.readline(min(limits.max_line, limits.max_file) + 1)
    if first.startswith(BINARY_TABLES):
        data += first
        while len(data) <= limits.max_file and (piece := stream.read(_HEAD_BYTES)):
            data += piece
        return bytes(data)
    if first.lstrip(_BEFORE_TEXT)[:1] != b"<":
        try:
            return read_limited(
                stream,
                limits.max_line,
                max_bytes=limits.max_file,
                overhead=PER_LINE,
                first=first,
            )
        except TooLarge as excess:
            raise limit_error(excess, name, limits) from None
    # Markup need not have lines; its tags are what takes memory.
    pieces = limited_lines(
        stream,
        limits.max_line,
        max_bytes=limits.max_file,
        overhead=PER_LINE,
        unit=b"<",
        first=first,
        long_lines="split",
    )
    try:
        for piece in pieces:
            data += piece
    except TooLarge:
        raise _too_large(name, "tag", limits) from None
    return data


def _too_large(where: str, unit: str, limits: Limits) -> LimitError:
    return LimitError(
        f"more than {limits.max_file} bytes to hold in memory, counting {PER_LINE} more for each"
        f" {unit}",
        place=where,
        hint=("split the file, or use a greater ", Setting("max_file")),
        can_stream=unit == "line",
    )


class LineFile:
    """An open file; `has_byte_lines` says whether it can be read a few lines at a time.

    UTF-16, UTF-32 and encodings with a state cannot. `start` is the beginning of the text, from
    which the caller can tell the format; nothing is consumed until lines are read. `may_end` says
    that it may be all of the text.
    `role` is the one whose encoding messages name: ref or hyp.
    """

    def __init__(
        self, path: str, encoding: str | None, limits: Limits = LIMITS, role: str = ""
    ) -> None:
        self.path, self.name, self.limits = path, display_name(path), limits
        self.role, self._names_codec = role, encoding is not None
        self.codec = "utf-8" if encoding is None else find_codec(encoding)
        self.n_read = 0
        with reading(self.name, InputError, _EXPECTED):
            self._stream = open_binary(path) if path != "-" else _standard_input()
            head = self._stream.peek(_HEAD_BYTES)[:_HEAD_BYTES]
        if head.startswith(UTF8_MARK):
            self.codec = "utf-8"  # whatever the caller says, as in `decode`
        is_table = head.startswith(BINARY_TABLES)
        if not is_table:
            refuse_binary(head, self.name)
        self.has_byte_lines = not is_table and has_byte_lines(self.codec, head)
        start = head.removeprefix(UTF8_MARK) if len(head) >= _MIN_HEAD_BYTES else b""
        self.start = start.decode(self.codec, errors="replace")
        self.may_end = len(head) < _HEAD_BYTES

    def lines(self, n_lines: int) -> list[str]:
        """Read the next lines, at most `n_lines`; fewer only at the end of the file."""
        with reading(self.name, InputError, _EXPECTED):
            try:
                data = list(islice(input_lines(self._stream, self.limits, self.n_read), n_lines))
            except TooLarge as excess:
                raise limit_error(excess, self.name, self.limits, self.n_read) from None
        if self.n_read == 0:
            if not data or data == [UTF8_MARK]:
                raise _empty(self.path, self.name)
            data[0] = data[0].removeprefix(UTF8_MARK)
        texts = []
        for line in data:
            self.n_read += 1
            try:
                text = line.decode(self.codec)
            except UnicodeDecodeError as error:
                raise EncodingError(
                    f"{locate_byte(error, self.name, self.n_read)} is not part"
                    f" of a character of {self.codec}",
                    hint=f"the text must be {self.codec}",
                    likely="" if self._names_codec else likely_codec(b"".join(data)),
                ).for_role(self.role) from None
            if self.n_read == 1:
                refuse_lone_cr(text, self.name)
            texts.append(text.removesuffix("\n").removesuffix("\r"))
        return texts

    def count_lines(self) -> int | None:
        """Return the number of lines in the file; None if that takes as long as reading them.

        Compressed files, pipes and standard input are not counted. Nothing is consumed.
        """
        is_open = self.path == "-" or descriptor_of(self.path) is not None
        if is_open or not os.path.isfile(self.path) or is_unpacked(self._stream):
            return None
        with reading(self.name, InputError, _EXPECTED), open(self.path, "rb") as file:
            return n_lines(file)

    def share_read(self) -> float | None:
        """Return the share of the file that was read, compressed or not; None of a pipe.

        Bytes that were read ahead count.
        """
        with suppress(OSError):
            descriptor = self._stream.fileno()
            size, position = os.fstat(descriptor).st_size, os.lseek(descriptor, 0, os.SEEK_CUR)
            return min(1.0, position / size) if size and position else None
        return None

    def close(self) -> None:
        """Close the file, unless it is standard input."""
        if self.path != "-":
            self._stream.close()


def _empty(path: str, name: str) -> EmptyFileError:
    return EmptyFileError(f"{name} is empty", hint="it must have at least one line", path=path)


def _standard_input() -> BufferedReader:
    if sys.stdin is None:
        raise InputError("standard input is closed; give the path of a file instead of -")
    return cast(BufferedReader, sys.stdin.buffer)
