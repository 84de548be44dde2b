"""The line protocol of `celab stream`: bytes → requests, rows of figures → replies.

A request is a line in UTF-8, of at most 65,536 bytes or `--max-line`, in one of two forms:

    SEGMENT<TAB>TEXT                 the text is all that follows the first tab
    SEGMENT ||| TEXT                 the text ends at the next |||, so that n-best lists may be sent
    SEGMENT ||| TEXT ||| …           as they are

SEGMENT is the number of a line of the references, counted from 0 as in n-best lists, or from 1
with `--from-one`. Each line gets one line in reply, in the order of the requests: figures
separated by tabs, in the shortest form that gives the same double again, or `ERROR` and a message.

>>> parse_request("2\\t买伞".encode(), n_segments=3)
(2, '买伞')
>>> reply([0.5, 0.25])
'0.5\\t0.25\\n'
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from celab.base.errors import InputError
from celab.base.numbers import is_digits
from celab.base.text.escapes import escape_controls
from celab.family.reranking.nbest import SEPARATOR, abbreviate

MOST_BYTES = 65_536
ERROR = "ERROR "


class Lines:
    """Splits a stream, which arrives in pieces, into lines."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self.most = min(most, MOST_BYTES)
        self._rest = b""
        self._first = True

    def whole(self, piece: bytes) -> list[bytes]:
        """Return the lines completed by the piece, without line ends; long ones may be cut."""
        *lines, rest = (self._rest + piece).split(b"\n")
        self._rest = rest[: self.most + 2]  # +2: still too long after its CR is removed
        return self._clean(lines)

    def last(self) -> list[bytes]:
        """Return the rest after the last line end, if there is any."""
        rest, self._rest = self._rest, b""
        return self._clean([rest] if rest else [])

    def _clean(self, lines: list[bytes]) -> list[bytes]:
        if self._first and lines:
            self._first = False
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        return [line.removesuffix(b"\r") for line in lines]


def parse_request(
    line: bytes, n_segments: int, first: int = 0, most: int = MOST_BYTES
) -> tuple[int, str]:
    """Return the segment, counted from 0, and the text; `InputError` if the line is malformed."""
    if len(line) > most:
        raise InputError(f"the line is longer than {most:d} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} of the line, 0x{line[error.start]:02X}, is not part of a"
            " UTF-8 character; the line must be UTF-8"
        ) from None
    number, tab, rest = text.partition("\t")
    if SEPARATOR in number:
        number, _, rest = text.partition(SEPARATOR)
        rest = rest.partition(SEPARATOR)[0]
    elif not tab:
        raise InputError(
            f"{abbreviate(text)} has neither a tab nor {SEPARATOR} after a segment number"
        )
    number = number.strip()
    if not is_digits(number):
        raise InputError(f"the segment is {abbreviate(number)}; it must be a whole number")
    last = first + n_segments - 1
    # A number this long is out of range, and int() refuses very long ones.
    segment = int(number) if len(number) < 19 else last + 1
    if not first <= segment <= last:
        cut = number if len(number) <= 20 else f"{number[:20]}..."
        raise InputError(f"the segment is {cut}; it must be {first} to {last}")
    return segment - first, rest


def reply(row: Sequence[float] | str) -> str:
    """Return the line that answers a request: figures, or an error message."""
    if isinstance(row, str):
        return f"{ERROR}{escape_controls(row)}\n"
    if not all(map(math.isfinite, row)):
        return f"{ERROR}the score could not be proved\n"
    return "\t".join(map(repr, row)) + "\n"
