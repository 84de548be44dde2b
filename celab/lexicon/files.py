"""Source files: decompressed, decoded, and read as a stream.

`SourceFile` is what a reader gets. It counts what has been read, so that a progress bar can show
it, and knows what to do with a line that makes no sense: skip and remember it, or raise.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from celab.errors import LexiconError
from celab.files import open_binary, reading, sha256_of
from celab.lexicon.model import Settings

HEAD_BYTES = 1 << 16
STORED = b"celab-lexicon "  # how a `.lex` file begins
MOST_REMEMBERED = 100  # of what was skipped: a file in another format is nothing but that


class SourceFile:
    """One file (or folder) that holds a thesaurus."""

    def __init__(
        self, path: Path, name: str, settings: Settings,
        progress: Callable[[int], object] | None = None,
    ) -> None:  # fmt: skip
        self.path = path
        self.name = name
        self.settings = settings
        self.progress = progress  # is told the bytes of the file read so far
        self.skipped: list[str] = []
        self.n_skipped = 0

    @property
    def size(self) -> int:
        """Bytes on disk, in a folder those of WordNet's data files."""
        paths = self.path.glob("data.*") if self.path.is_dir() else [self.path]
        return sum(path.stat().st_size for path in paths)

    def skip(self, line: int | str, why: str) -> None:
        """Remembers something that cannot be read; raises if the settings are strict."""
        where = f"line {line}" if isinstance(line, int) else line
        if self.settings.strict:
            raise LexiconError(f"lexicon {self.path}, {where}: {why}")
        if len(self.skipped) < MOST_REMEMBERED:
            self.skipped.append(f"{where}: {why}")
        self.n_skipped += 1

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes; damage found while reading is a `LexiconError`."""
        with (
            reading(f"lexicon {self.path}", LexiconError),
            open_binary(self.path, self.progress) as stream,
        ):
            yield stream

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
            number = 0
            for number, line in enumerate(_chained(first, last + stream.readline(), stream), 1):
                try:
                    text = line.removesuffix(b"\n").removesuffix(b"\r").decode(encoding)
                except UnicodeDecodeError as error:
                    raise LexiconError(
                        f"lexicon {self.path}, line {number}: byte"
                        f" 0x{line[error.start]:02X} is part of no character;"
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


def _chained(first: list[bytes], last: bytes, stream: Iterable[bytes]) -> Iterator[bytes]:
    yield from first
    if last:
        yield last
    yield from stream


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
    """What labels and signatures call a file."""
    name = path.name.encode(errors="replace").decode()  # a path may hold what is no text
    return re.sub(r"[\s|+:@]", "_", name)  # these have a meaning in the signature


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, of a `.lex` file's head, or of a folder's files with their names."""
    if path.is_dir():
        inside = sorted(file for file in path.iterdir() if file.is_file())
        listed = "".join(f"{file.name}\0{digest_of(file)}\n" for file in inside)
        return hashlib.sha256(listed.encode()).hexdigest()
    with path.open("rb") as file:
        if (start := file.readline(64)).startswith(STORED):
            # A file of ours: its head holds the digest of the rest, and is quickly read.
            return hashlib.sha256(start + file.readline()).hexdigest()
    return sha256_of(path)
