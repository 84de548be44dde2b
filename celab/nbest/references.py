"""A metric and the references of a test set, loaded once; candidates of any segment, at any time.

Each candidate gets a row: score, precision and recall, or only the score if the metric has no
rates. The scores are those of `Metric.corpus_score`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from celab.base import io
from celab.base.errors import CelabError, InputError, SentenceError, SolverError
from celab.base.messages import warn
from celab.base.options import LIMITS, Limits, is_digits
from celab.base.text.escapes import escape_controls
from celab.corpus.formats import plain_text_warning, recognize, texts_warning
from celab.corpus.join import blank_line_error, blank_numbers, blank_rows, check_counts
from celab.corpus.model import TextFile
from celab.metrics.base import Metric
from celab.nbest.nbest import SEPARATOR, abbreviate

# The line protocol of `celab stream`: bytes → requests, rows of figures → replies.
#
# A request is a line in UTF-8, of at most 65,536 bytes or `--max-line`, in one of two forms:
#
#     SEGMENT<TAB>TEXT                 the text is all that follows the first tab
#     SEGMENT ||| TEXT                 the text ends at the next |||, so that n-best lists may be
#     SEGMENT ||| TEXT ||| …           sent as they are
#
# SEGMENT is the number of a line of the references, counted from 0 as in n-best lists, or from 1
# with `--from-one`. Each line gets one line in reply, in the order of the requests: figures
# separated by tabs, in the shortest form that gives the same double again, or `ERROR` and a
# message.

MAX_BYTES = 65_536
ERROR = "ERROR "


class Lines:
    """Splits a stream, which arrives in pieces, into lines."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = min(max_bytes, MAX_BYTES)
        self._rest = b""
        self._first = True

    def whole(self, piece: bytes) -> list[bytes]:
        """Return the lines completed by the piece, without line ends; long ones may be cut."""
        *lines, rest = (self._rest + piece).split(b"\n")
        self._rest = rest[: self.max_bytes + 2]  # +2: still too long after its CR is removed
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
    line: bytes, n_segments: int, first: int = 0, max_bytes: int = MAX_BYTES
) -> tuple[int, str]:
    r"""Return the segment, counted from 0, and the text; `InputError` if the line is malformed.

    >>> parse_request("2\t买伞".encode(), n_segments=3)
    (2, '买伞')
    """
    if len(line) > max_bytes:
        raise InputError(f"the line is longer than {max_bytes:d} bytes")
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
    # A longer number is out of range, and int() refuses very long ones.
    segment = int(number) if len(number) < 19 else last + 1
    if not first <= segment <= last:
        cut = number if len(number) <= 20 else f"{number[:20]}..."
        raise InputError(f"the segment is {cut}; it must be {first} to {last}")
    return segment - first, rest


def reply(row: Sequence[float] | str) -> str:
    r"""Return the line that answers a request: figures, or an error message.

    >>> reply([0.5, 0.25])
    '0.5\t0.25\n'
    """
    if isinstance(row, str):
        return f"{ERROR}{escape_controls(row)}\n"
    if not all(map(math.isfinite, row)):
        return f"{ERROR}the score could not be proved\n"
    return "\t".join(map(repr, row)) + "\n"


Row = list[float] | CelabError  # figures, or the error


class LoadedReferences:
    """Scores candidates against the references of their segments, counted from `first`."""

    def __init__(self, metric: Metric, sides: Sequence[list[str]], first: int = 0) -> None:
        self.sides, self.first = sides, first
        # Requests rarely repeat the same batch of segments, so caching them does not pay.
        self.score = metric.scorer(sides, cache_references=False)
        # Fail early on invalid references, and fill the cache of the analyzer.
        self.signature = self.score([""] * len(sides[0]), sides).signature

    def answers(self, lines: Sequence[bytes], max_bytes: int = MAX_BYTES) -> list[Row]:
        """Return a row for each request; a line of more than `max_bytes` is an error."""
        rows: list[Row] = []
        places, segments, texts = [], [], []
        for place, line in enumerate(lines):
            try:
                segment, text = parse_request(line, len(self.sides[0]), self.first, max_bytes)
            except InputError as error:
                rows.append(error)
                continue
            rows.append([])
            places.append(place)
            segments.append(segment)
            texts.append(text)
        for place, row in zip(places, self.rows(segments, texts), strict=True):
            rows[place] = row
        return rows

    def rows(self, segments: Sequence[int], texts: Sequence[str]) -> list[Row]:
        """Return a row for each candidate; segments count from 0, failures do not affect others."""
        if not texts:
            return []
        refs = [[side[s] for s in segments] for side in self.sides]
        try:
            return list(self.score(texts, refs).segments.figures.tolist())
        except CelabError as error:
            if len(texts) == 1:  # the error's sentence or segment number would only be 1
                if isinstance(error, SentenceError):
                    return [InputError(error.what)]
                if isinstance(error, SolverError):
                    place = error.place.removeprefix("segment 1, ")
                    return [SolverError(error.message, hint=error.hint, place=place)]
                return [error]
        half = len(texts) // 2
        return self.rows(segments[:half], texts[:half]) + self.rows(segments[half:], texts[half:])


def read_references(
    paths: Sequence[str | os.PathLike[str]],
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> list[list[str]]:
    """Read the lines of each file: equally many in all files, and none blank in every file."""
    names = [io.display_name(path) for path in paths]
    sides = []
    for path, name in zip(paths, names, strict=True):
        file = TextFile(
            path=os.fspath(path),
            name=name,
            text=io.read_text(path, encoding, limits),
            role="reference",
        )
        if recognize(file) != "plain":
            raise InputError(
                f"{name} is not plain text; references must be text files, one segment per line"
            )
        io.refuse_lone_cr(file.text, name)
        sides.append(io.split_lines(file.text))
        warning = plain_text_warning(
            file.path, name, file.text, "give a text file with one segment per line"
        )
        if warning := warning or texts_warning(name, sides[-1]):
            warn(warning)
    counts = [*zip(names, map(len, sides), strict=True)]
    check_counts(counts, "line", find_blank=lambda: [*map(blank_numbers, sides)])
    if blank := blank_rows(sides):
        raise blank_line_error(f"line {blank[0] + 1}", names)
    return sides
