"""Plain text a few lines at a time, for files that do not fit into memory and for pipes.

The rules of `files` and `join` hold: a line ends at LF, all files must have equally many, and one
may be blank in some of the references but not in all. What cannot be read so (markup, JSON, UTF-16)
is not streamed, and nothing is consumed from it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import islice

from celab.base.errors import EmptyFileError, InputError
from celab.base.files import AnyPath
from celab.base.options import LIMITS, Limits
from celab.corpus import files
from celab.corpus.join import blank_rows, check_counts, without_text

_AT_ONCE = 1000  # lines
HEAD = 1 << 16  # bytes that are looked at to tell what a file is


class LineFile:
    """One file, opened; `is_plain` says whether it can be read in this way."""

    def __init__(self, path: str, encoding: str | None, limits: Limits = LIMITS) -> None:
        self.path, self.name, self.limits = path, files.name_of(path), limits
        self.codec = files.codec_of(encoding) or "utf-8"
        self.n_read = 0
        self._digest = hashlib.blake2b(digest_size=32)
        self.stream = files.open_stream(path)
        with files.refusals(path):
            head = self.stream.peek(HEAD)[:HEAD]
        start = head.removeprefix(files.UTF8_MARK).lstrip()[:1]
        wide = self.codec.startswith(("utf-16", "utf-32", "utf_16", "utf_32"))
        wide = wide or head.startswith(files.WIDE_MARKS)
        self.is_plain = start not in (b"<", b"{") and not wide

    @property
    def digest(self) -> str:
        """That of the lines read so far."""
        return self._digest.hexdigest()

    def lines(self, n_lines: int) -> list[str]:
        """The next lines, at most so many; fewer only at the end."""
        with files.refusals(self.path):
            lines = files.lines_within(self.limits, self.stream, self.name, self.n_read)
            data = list(islice(lines, n_lines))
        self._digest.update(b"".join(data))
        if data and not data[-1].endswith(b"\n"):
            self._digest.update(b"\n")  # the last line may get its end later
        if self.n_read == 0:
            if not data or data == [files.UTF8_MARK]:
                raise EmptyFileError(self.path, self.name)
            data[0] = data[0].removeprefix(files.UTF8_MARK)
        texts = []
        for line in data:
            self.n_read += 1
            try:
                text = line.decode(self.codec)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name}, line {self.n_read}: byte 0x{line[error.start]:02X} is not part"
                    f" of a character of {self.codec}; the text must be {self.codec}"
                ) from None
            texts.append(text.removesuffix("\n").removesuffix("\r"))
        return texts


def open_lines(
    paths: Sequence[tuple[str, str | None]], limits: Limits = LIMITS
) -> list[LineFile] | None:
    """All files, with their encodings; None if any cannot be streamed, and nothing is lost then."""
    opened: list[LineFile] = []
    for path, encoding in paths:  # no file is waited for after one that is not plain
        opened.append(LineFile(path, encoding, limits))
        if not opened[-1].is_plain:
            break
    else:
        return opened
    for file in opened:
        files.close(file.stream, file.path)
    return None


def each_line(path: AnyPath) -> Iterator[str]:
    """The lines of one file, of any length; a file that is not plain text is read as a whole."""
    file = LineFile(os.fspath(path), None)
    try:
        if not file.is_plain:
            yield from files.read_lines(path)
        while some := file.is_plain and file.lines(_AT_ONCE):
            yield from some
    finally:
        files.close(file.stream, file.path)


def batches(
    hyp: LineFile, refs: Sequence[LineFile], n_lines: int
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Hypotheses and references, `n_lines` of each at a time."""
    every = [hyp, *refs]
    while True:
        hyps, *sides = (file.lines(n_lines) for file in every)
        if any(len(side) != len(hyps) for side in sides):
            for file in every:  # how many there are of each is part of the message
                while file.lines(n_lines):
                    pass
            check_counts([(file.name, file.n_read) for file in every], "line")
        if not hyps:
            return
        if blank := blank_rows(sides):
            line = hyp.n_read - len(hyps) + blank[0] + 1
            raise without_text(f"line {line}", [ref.name for ref in refs])
        yield hyps, sides
        del hyps, sides  # before the next are read
