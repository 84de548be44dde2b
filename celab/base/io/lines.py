"""Lines of a stream, within limits: a small compressed file can hold a line without an end.

A line ends at LF and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the
line, so that a hypothesis that contains one stays aligned with its references. One CR before an LF
belongs to the line end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from io import BufferedReader, RawIOBase
from itertools import chain
from typing import IO, TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


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
