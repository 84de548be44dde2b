"""Source files: opened, decompressed, decoded, and read as a stream.

`SourceFile` is what a reader gets. It knows how far it has been read, so that a progress bar can
show it, and what to do with a line that makes no sense: skip and remember it, or raise.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from celab.errors import LexiconError
from celab.lexicon.model import Settings

HEAD_BYTES = 1 << 16
STORED = b"celab-lexicon "  # how a `.lex` file begins
MOST_REMEMBERED = 100  # of what was skipped: a file in another format is nothing but that
_OPEN: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}


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
        try:
            with self.path.open("rb") as raw:
                watched = _Watched(raw, self.progress)
                start = raw.read(6)
                raw.seek(0)
                unpack = next((f for magic, f in _OPEN.items() if start.startswith(magic)), None)
                if unpack is None:
                    yield io.BufferedReader(watched)
                else:
                    with unpack(io.BufferedReader(watched), "rb") as stream:
                        yield stream
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise LexiconError(
                f"lexicon {self.path} is damaged or cut short ({error}); it must be a whole file"
            ) from None
        except OSError as error:
            if error.errno is None:  # how bz2 reports damage
                raise LexiconError(
                    f"lexicon {self.path} is damaged ({error}); it must be a whole file"
                ) from None
            raise LexiconError(f"lexicon {self.path} cannot be read ({error.strerror})") from None

    def head(self) -> str:
        """The beginning, as text, to recognise the format by."""
        if self.path.is_dir():
            return ""
        with self.open() as stream:
            data = stream.read(HEAD_BYTES)
        # The last character may be cut in two.
        text = data.decode(self._encoding_of(data), errors="replace")
        return text.removeprefix("\ufeff")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Number and text of each line, without its end."""
        with self.open() as stream:
            sample = stream.read(HEAD_BYTES)
            encoding = self._encoding_of(sample)
            number = 0
            for number, line in enumerate(_split(sample, stream), 1):
                try:
                    text = line.decode(encoding)
                except UnicodeDecodeError as error:
                    raise LexiconError(
                        f"lexicon {self.path}, line {number}: byte"
                        f" 0x{line[error.start]:02X} is part of no character;"
                        " the text must be UTF-8 or GB18030"
                    ) from None
                yield number, (text.removeprefix("\ufeff") if number == 1 else text)

    @staticmethod
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


def _split(sample: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    # Lines end at LF, with one CR before it or not, and nowhere else.
    *whole, last = sample.split(b"\n")
    for line in whole:
        yield line.removesuffix(b"\r")
    last += stream.readline()
    if last:
        yield last.removesuffix(b"\n").removesuffix(b"\r")
    for line in stream:
        yield line.removesuffix(b"\n").removesuffix(b"\r")


class _Watched(io.RawIOBase):
    """A raw file that says how far it has been read."""

    def __init__(self, raw: IO[bytes], progress: Callable[[int], object] | None) -> None:
        self._raw = raw
        self._progress = progress

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        buffer[: len(data)] = data
        if self._progress is not None:
            self._progress(self._raw.tell())
        return len(data)


def name_of(path: Path) -> str:
    """What labels and signatures call a file."""
    name = path.name.encode(errors="replace").decode()  # a path may hold what is no text
    return re.sub(r"[\s|+:@]", "_", name)  # these have a meaning in the signature


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, of a `.lex` file's head, or of a folder's files with their names."""
    total = hashlib.sha256()
    if not path.is_dir():
        with path.open("rb") as file:
            if (start := file.readline(64)).startswith(STORED):
                # A file of ours: its head holds the digest of the rest, and is quickly read.
                return hashlib.sha256(start + file.readline()).hexdigest()
            file.seek(0)
            while chunk := file.read(1 << 20):
                total.update(chunk)
        return total.hexdigest()
    for file_path in sorted(p for p in path.iterdir() if p.is_file()):
        total.update(f"{file_path.name}\0{digest_of(file_path)}\n".encode())
    return total.hexdigest()
