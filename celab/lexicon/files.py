"""Source files: decompressed, decoded, and read as a stream.

`SourceFile` is what a reader gets. It counts what has been read, so that a progress bar can show
it, and either skips and records a line that cannot be read, or raises. No source
and no line is read beyond the limits below, so that memory is bounded, whatever is in a file.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any

from celab.base.errors import LexiconError
from celab.base.files import open_binary, reading, sha256_of
from celab.lexicon.model import Settings

HEAD_BYTES = 1 << 16
MOST_BYTES = 1 << 28  # of a source, decompressed, whose words are kept while it is read
MOST_STREAMED = 1 << 36  # of one that is read an entry at a time, and of any file on the disk
LONGEST_LINE = 1 << 24  # bytes
MOST_LINES = 1 << 23  # of a source that is no stream of entries; they take time, blank ones too
MOST_SKIPPED = 1 << 20
STORED = b"celab-lexicon "  # how a `.lex` file begins
MOST_REMEMBERED = 100  # of what was skipped: a file in another format is nothing but that
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


class SourceFile:
    """One file (or folder) that holds a thesaurus."""

    def __init__(
        self,
        path: Path,
        name: str,
        settings: Settings,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        self.path = path
        self.name = name
        self.settings = settings
        self.progress = progress  # called with the bytes of the file read so far
        self.skipped: list[str] = []
        self.n_skipped = 0

    @property
    def size(self) -> int:
        """Bytes on disk, in a folder those of WordNet's data files."""
        paths = self.path.glob("data.*") if self.path.is_dir() else [self.path]
        return sum(path.stat().st_size for path in paths)

    def skip(self, line: int | str, why: str) -> None:
        """Records something that cannot be read; raises if the settings are strict."""
        where = f"line {line}" if isinstance(line, int) else line
        if self.settings.strict:
            raise LexiconError(f"lexicon {self.path}, {where}: {why}")
        if len(self.skipped) < MOST_REMEMBERED:
            self.skipped.append(f"{where}: {why}")
        self.n_skipped += 1
        if self.n_skipped > MOST_SKIPPED:
            raise LexiconError(
                f"lexicon {self.path} has more than {MOST_SKIPPED:,} lines or entries that cannot"
                f" be read, the last at {where}; check its format"
            )

    @contextmanager
    def open(self, *, streamed: bool = False) -> Iterator[IO[bytes]]:
        """The decompressed bytes; damage and a passed limit, found while reading, are errors."""
        most = MOST_STREAMED if streamed else MOST_BYTES
        with (
            reading(f"lexicon {self.path}", LexiconError),
            open_binary(self.path, self.progress) as stream,
        ):
            yield BufferedReader(_Limited(stream, self.path, most), HEAD_BYTES)

    def head(self) -> str:
        """The beginning, as text, to recognise the format by."""
        if self.path.is_dir():
            return ""
        with self.open() as stream:
            data = stream.read(HEAD_BYTES)
        # The last character may be cut in two.
        return data.decode(_encoding_of(data), errors="replace").removeprefix("\ufeff")

    def lines(self, encoding: str | None = None) -> Iterator[tuple[int, str]]:
        """Number and text of each line, without its end: LF, with one CR before it or not."""
        with self.open() as stream:
            sample = stream.read(HEAD_BYTES)
            named, encoding = encoding, encoding or _encoding_of(sample)
            *first, last = sample.split(b"\n")
            for number, line in enumerate(_chained(first, last, stream), 1):
                if number > MOST_LINES:
                    raise LexiconError(
                        f"lexicon {self.path} has more than {MOST_LINES:,} lines, which is the"
                        " limit"
                    )
                if len(line) > LONGEST_LINE:
                    raise LexiconError(
                        f"lexicon {self.path}, line {number} has more than"
                        f" {LONGEST_LINE >> 20} MiB; lines must be shorter"
                    )
                try:
                    text = line.removesuffix(b"\n").removesuffix(b"\r").decode(encoding)
                except UnicodeDecodeError as error:
                    raise LexiconError(
                        f"lexicon {self.path}, line {number}: byte"
                        f" 0x{line[error.start]:02X} is not a valid character;"
                        f" the text must be {named or 'UTF-8 or GB18030'}"
                    ) from None
                yield number, (text.removeprefix("\ufeff") if number == 1 else text)

    def rows(self) -> Iterator[tuple[int, str]]:
        """Those lines that are neither blank nor comments."""
        return ((number, line) for number, line in self.lines() if _is_row(line))


def rows_of(head: str) -> list[str]:
    """The lines of a head that are neither blank nor comments."""
    return [line for line in head.split("\n") if _is_row(line)]


def _is_row(line: str) -> bool:
    line = line.lstrip()
    return bool(line) and not line.startswith("#")


def _chained(first: list[bytes], line: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    # A line that is too long comes cut.
    yield from first
    line += stream.readline(LONGEST_LINE + 1)
    while line:
        yield line
        line = stream.readline(LONGEST_LINE + 1)


class _Limited(RawIOBase):
    """What is read from a stream, up to a limit."""

    def __init__(self, stream: BufferedReader, path: Path, most: int) -> None:
        self._stream = stream
        self._path = path
        self._most = self._left = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_bytes = self._stream.readinto(buffer)
        self._left -= n_bytes
        if self._left < 0:
            raise too_large(self._path, self._most)
        return n_bytes


def _encoding_of(sample: bytes) -> str:
    # The one that reads further, and UTF-8 if both do; a sample may end inside a character.
    read = {}
    for encoding in ("utf-8", "gb18030"):
        try:
            sample.decode(encoding)
            return encoding
        except UnicodeDecodeError as error:
            if len(sample) >= HEAD_BYTES and error.start > len(sample) - 4:
                return encoding
            read[encoding] = error.start
    return max(read, key=lambda encoding: read[encoding])


def name_of(path: Path) -> str:
    """What labels and signatures call a file, in every locale."""
    try:
        name = os.fsencode(path.name).decode(errors="replace")  # a name may be no text
    except UnicodeEncodeError:  # no system call takes it
        name = path.name.encode(errors="replace").decode()
    return re.sub(r"[\s|+:@]", "_", name)  # these have a meaning in the signature


def too_large(path: Path, most: int) -> LexiconError:
    """The refusal of a source that has more bytes than may be read."""
    return LexiconError(
        f"lexicon {path} has more than {most >> 20:,} MiB, decompressed, which is the limit"
    )


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, of a `.lex` file's head, or of a folder's files with their names."""
    seen = path.stat()
    if stat.S_ISDIR(seen.st_mode):
        inside = sorted(file for file in path.iterdir() if file.is_file())
        listed = "".join(f"{file.name}\0{digest_of(file)}\n" for file in inside)
        return hashlib.sha256(os.fsencode(listed)).hexdigest()
    if not stat.S_ISREG(seen.st_mode):
        kind = _KINDS.get(stat.S_IFMT(seen.st_mode), "neither file nor folder")
        raise LexiconError(f"lexicon {path} is {kind}; it must be a regular file or a folder")
    if seen.st_size > MOST_STREAMED:
        raise too_large(path, MOST_STREAMED)
    with path.open("rb") as file:
        if (start := file.readline(64)).startswith(STORED):
            # A file of ours: its head holds the digest of the rest, and is quickly read.
            head = file.readline(LONGEST_LINE)
            if len(head) < LONGEST_LINE:
                return hashlib.sha256(start + head).hexdigest()
    return sha256_of(path)
