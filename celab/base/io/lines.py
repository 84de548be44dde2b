"""Lines of a stream, within limits: a small compressed file can hold a line without an end.

A line ends at LF and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the
line, so that a hypothesis that contains one stays aligned with its references. One CR before an LF
belongs to the line end.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain
from typing import IO, TYPE_CHECKING, Literal, cast

from celab.base.errors import EncodingError, InputError, OptionError

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
_MAY_DECLARE = re.compile(rb"\0?\s*+[<#m]")  # as XML, and as comments and `msgid` of a PO file
# GB 2312 and GBK are subsets of GB 18030, and files that claim the first often need the last.
# Big5 has no such superset: HKSCS and Big5-ETEN give the same bytes to different characters.
# A byte order mark is looked for in any file, but only at its beginning.
_SUPERSET = {"gb2312": "gb18030", "gbk": "gb18030", "utf-8-sig": "utf-8"}
_WITH_STATE = ("iso2022", "hz")
# Encodings to try for a text that is not UTF-8, and the language that it must then be in. Of those
# for one language, the first that can decode it is taken.
_TRIED = (
    (("utf-16-le",), ("zh", "ja", "ko", "th", "western")),
    (("utf-16-be",), ("zh", "ja", "ko", "th", "western")),
    (("gb18030",), ("zh",)),
    (("big5", "cp950", "big5hkscs"), ("zh",)),
    (("euc-jp",), ("ja",)),
    (("shift_jis", "cp932"), ("ja",)),
    (("euc-kr", "cp949"), ("ko",)),
    (("tis-620", "cp874"), ("th",)),
    (("cp1252",), ("western",)),
)
_CLEARLY = 1.5  # times as plausible as the next encoding
_SAMPLE_BYTES = 100_000
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

    In UTF-16 and UTF-32 a byte 0x0A can be half a character, in EBCDIC it is no line end, and
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


def likely_codec(data: bytes | bytearray) -> str:
    """Return the encoding in which all of the text can be decoded and reads as a language, else "".

    The same bytes are characters of several encodings, so all are tried, and one must be clearly
    more plausible than the others.

    >>> likely_codec("我们今天去北京".encode("gb18030")), likely_codec("我們今天去".encode("big5"))
    ('gb18030', 'big5')
    >>> likely_codec("明日は雨が降るでしょう".encode("euc-jp")), likely_codec(b"\\xff\\xfe\\xfd")
    ('euc-jp', '')
    """
    from celab.base.text.scripts import plausibility  # for this message only

    sample = bytes(data[:_SAMPLE_BYTES])
    tried: list[tuple[float, str]] = []
    for names, languages in _TRIED:
        for codec in names:
            text = _strictly_decoded(sample, codec, final=len(data) == len(sample))
            if text is not None:
                tried.append((max(plausibility(text, lang) for lang in languages), codec))
                break
    (best, codec), (second, _) = [*sorted(tried, reverse=True), (0.0, ""), (0.0, "")][:2]
    is_clear = best > _CLEARLY * second
    return codec if is_clear and _strictly_decoded(bytes(data), codec) is not None else ""


def _strictly_decoded(data: bytes, codec: str, final: bool = True) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final)
    except UnicodeDecodeError:
        return None


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


_BLOCK = 1 << 20  # bytes


class TooLarge(Exception):
    """A stream exceeds a limit; callers turn it into an error of theirs.

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
