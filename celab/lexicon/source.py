"""Sources of lexicons: files and folders, as readers see them.

A `SourceFile` is decompressed, decoded and read as a stream, no further than the limits below, so
that memory is bounded whatever a file contains. A line that cannot be read is skipped and recorded,
or is an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from celab.base import io
from celab.base.errors import LexiconError
from celab.base.run import Progress

# The types of a thesaurus.

Labeled = Iterator[tuple[str, Iterable[str]]]  # labels and words of groups, from a reader


class Group(NamedTuple):
    """Words that are synonyms of each other."""

    label: str  # its place in the source: "Bp31B01=", "line 7", "Messe, sense 2"
    words: tuple[str, ...]
    source: int = 0  # index in the sources of the thesaurus


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The source of groups."""

    name: str  # shown in labels and signatures
    format: str
    origin: str
    licence: str
    version: str  # version or date that the source states, or ""
    digest: str  # SHA-256 of the file


class ReaderSettings(NamedTuple):
    """Options of a reader."""

    language: str | None = None  # zh, de, en, ja, ko; None for all in the source
    top_level: bool = False  # Wiktionary: also lists of synonyms without a sense
    strict: bool = False  # raise an error for a line that cannot be read
    single: bool = False  # keep groups of one word, such as Cilin's `@` lines


@dataclass(kw_only=True, eq=False, repr=False)
class Thesaurus:
    """Groups of synonyms, and the sources that they refer to."""

    name: str
    sources: list[Provenance]
    groups: list[Group]
    skipped: list[str] = field(default_factory=list)  # the first lines that cannot be read
    n_skipped: int = 0
    warnings: list[str] = field(default_factory=list)  # each with its place in the file

    def __repr__(self) -> str:
        return f"<Thesaurus {self.name}: {len(self.groups):,} groups>"


HEAD_BYTES = 1 << 16
# Decompressed size of a source whose words are kept in memory while it is read.
MAX_BYTES = 1 << 28
# Decompressed size of a source that is read entry by entry, and size of any file on disk.
MAX_STREAMED_BYTES = 1 << 36
MAX_LINE_BYTES = 1 << 24
MAX_SKIPPED_KEPT = 100  # every line of a file in another format is skipped
STORED = b"celab-lexicon "  # the beginning of a `.lex` file
STORED_FORMAT = 1
_KIND_BYTES = 64  # more than the first line of a `.lex` file has


class SourceFile:
    """A file or folder that holds a thesaurus."""

    def __init__(
        self,
        path: Path,
        name: str,
        settings: ReaderSettings,
        progress: Progress | None = None,
    ) -> None:
        self.path = path
        self.name = name
        self.settings = settings
        self.progress = progress  # called with the bytes of the file read so far
        self.skipped: list[str] = []
        self.n_skipped = 0
        self.warnings: list[str] = []  # each with its place in the file

    @property
    def size(self) -> int:
        """Bytes on the disk; of a folder, those of WordNet's data files."""
        paths = self.path.glob("data.*") if self.path.is_dir() else [self.path]
        return sum(path.stat().st_size for path in paths)

    def skip(self, line: int | str, why: str) -> None:
        """Record a line or entry that cannot be read; raise if the settings are strict."""
        where = f"line {line}" if isinstance(line, int) else line
        if self.settings.strict:
            raise LexiconError(f"lexicon {self.path}, {where}: {why}")
        if len(self.skipped) < MAX_SKIPPED_KEPT:
            self.skipped.append(f"{where}: {why}")
        self.n_skipped += 1

    def add_warning(self, line: int, text: str) -> None:
        """Record a warning about what was read; raise if the settings are strict."""
        if self.settings.strict:
            raise LexiconError(f"lexicon {self.path}, line {line}: {text}")
        self.warnings.append(f"line {line}: {text}")

    @contextmanager
    def stream(self, *, by_entry: bool = False) -> Iterator[IO[bytes]]:
        """Open the decompressed bytes; damage and an exceeded limit are a `LexiconError`.

        `by_entry` allows more bytes, if the reader keeps only one entry in memory at a time.
        """
        max_bytes = MAX_STREAMED_BYTES if by_entry else MAX_BYTES
        try:
            with (
                io.reading(f"lexicon {self.path}", LexiconError),
                io.open_binary(self.path, self.progress) as stream,
            ):
                yield io.LimitedReader(stream, max_bytes, HEAD_BYTES)
        except io.TooLarge as excess:
            raise self._limit_error(excess, max_bytes) from None

    def _limit_error(self, excess: io.TooLarge, max_bytes: int) -> LexiconError:
        if excess.what == "line":
            return LexiconError(
                f"lexicon {self.path}, line {excess.number} has more than"
                f" {MAX_LINE_BYTES >> 20} MiB; lines must be shorter"
            )
        return too_large(self.path, max_bytes)

    def _sample(self) -> bytes:
        with self.stream() as stream:
            start = stream.read(HEAD_BYTES)
            if len(start) < HEAD_BYTES or rows_of(_decoded(start)):
                return start
            # The format is that of the rows after all comments.
            comments, end, last = start.rpartition(b"\n")
            first = last + stream.readline(MAX_LINE_BYTES)
            for line in io.limited_lines(stream, MAX_LINE_BYTES, first=first):
                if _is_row(_decoded(line)):
                    return comments + end + (line + stream.read(HEAD_BYTES))[:HEAD_BYTES]
            return start

    def head(self) -> str:
        """Return the first 64 KiB as text, to recognize the format by; "" for a folder.

        If they are comments, the first 64 KiB after these follow.
        """
        if self.path.is_dir():
            return ""
        data = self._sample()
        # The last character may be cut in two.
        return data.decode(_guess_encoding(data), errors="replace").removeprefix("\ufeff")

    def lines(self, encoding: str | None = None) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line, without its end (LF or CR LF).

        The default encoding is UTF-8 or GB18030, whichever decodes more of the beginning.
        """
        codec = encoding or _guess_encoding(self._sample())
        with self.stream() as stream:
            lines = io.limited_lines(stream, MAX_LINE_BYTES)
            for number, line in enumerate(lines, 1):
                try:
                    text = line.removesuffix(b"\n").removesuffix(b"\r").decode(codec)
                except UnicodeDecodeError as error:
                    raise LexiconError(
                        f"{io.locate_byte(error, f'lexicon {self.path}', number)} is not a valid"
                        f" character; the text must be {encoding or 'UTF-8 or GB18030'}"
                    ) from None
                yield number, (text.removeprefix("\ufeff") if number == 1 else text)

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield the numbered lines that are neither blank nor comments."""
        return ((number, line) for number, line in self.lines() if _is_row(line))


class Reader(NamedTuple):
    """A reader of a format.

    `recognizes(path, head)` says whether the beginning of a file looks like the format; `head` is
    the first 64 KiB as text, empty for a folder. `provenance(source, head)` is origin, license and
    version, as far as the source names them. `read_groups(source)` returns its groups as a stream,
    each with its label, and passes what it cannot read to `source.skip`. A format without a mark of
    its own has a greater `generality`, so that it is tried after the others.
    """

    recognizes: Callable[[Path, str], bool]
    provenance: Callable[[SourceFile, str], tuple[str, str, str]]
    read_groups: Callable[[SourceFile], Labeled]
    generality: int = 0


def rows_of(head: str) -> list[str]:
    """Return the lines of a head that are neither blank nor comments."""
    return [line for line in head.split("\n") if _is_row(line)]


def _decoded(text: bytes) -> str:
    # Only to see where rows are: `#` and line ends are the same bytes in UTF-8 and GB18030.
    return text.decode(errors="replace").removeprefix("\ufeff")


def _is_row(line: str) -> bool:
    line = line.lstrip()
    return bool(line) and not line.startswith("#")


def _guess_encoding(sample: bytes) -> str:
    # The codec that decodes more of the sample, and UTF-8 if both decode all of it. The sample may
    # end inside a character.
    n_decoded = {}
    for encoding in ("utf-8", "gb18030"):
        try:
            sample.decode(encoding)
            return encoding
        except UnicodeDecodeError as error:
            if len(sample) >= HEAD_BYTES and error.start > len(sample) - 4:
                return encoding
            n_decoded[encoding] = error.start
    return max(n_decoded, key=lambda encoding: n_decoded[encoding])


def label_of(path: Path) -> str:
    """Return the name of a file in labels and signatures, the same in every locale."""
    try:
        name = os.fsencode(path.name).decode(errors="replace")  # it may be no valid UTF-8
    except UnicodeEncodeError:  # a name that no system call accepts
        name = path.name.encode(errors="replace").decode()
    return re.sub(r"[\s|+:@]", "_", name)  # these have a meaning in the signature


def too_large(path: Path, max_bytes: int) -> LexiconError:
    """Return the error about a source with more bytes than may be read."""
    return LexiconError(
        f"lexicon {path} has more than {max_bytes >> 20:,} MiB, decompressed, which is the limit"
    )


def _files_of(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file())


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, of a `.lex` file's head, or of a folder's names and files.

    `LexiconError` if the groups of a `.lex` file are not those that its head names.
    """
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        listing = "".join(f"{file.name}\0{digest_of(file)}\n" for file in _files_of(path))
        return hashlib.sha256(os.fsencode(listing)).hexdigest()
    if not stat.S_ISREG(status.st_mode):
        kind = io.kind_of(status.st_mode) or "neither file nor folder"
        raise LexiconError(f"lexicon {path} is {kind}; it must be a regular file or a folder")
    if status.st_size > MAX_STREAMED_BYTES:
        raise too_large(path, MAX_STREAMED_BYTES)
    (start,) = io.first_lines(path, _KIND_BYTES)
    if start.startswith(STORED):
        # The head of a `.lex` file holds the digest of the rest, so it identifies the whole file,
        # unless somebody has edited it.
        if status.st_size > MAX_BYTES:
            raise too_large(path, MAX_BYTES)
        (start, head), digest = io.first_lines_and_sha256(path, _KIND_BYTES, MAX_LINE_BYTES)
        if len(head) < MAX_LINE_BYTES:
            if start == STORED + b"%d\n" % STORED_FORMAT:
                check_stored(path, _stated_digest(head), digest)
            return hashlib.sha256(start + head).hexdigest()
    return io.sha256_of(path)


def check_stored(path: Path, stated: str | None, digest: str) -> None:
    """Raise `LexiconError` unless the groups of a `.lex` file have the digest that its head states.

    `stated` is None if the head states no digest, which is an error when the file is read.
    """
    if stated is not None and stated != digest:
        raise LexiconError(
            f"lexicon {path} is damaged: its groups have the digest {digest[:12]},"
            f" its header says {stated[:12]}; build it again"
        )


def _stated_digest(head: bytes) -> str | None:
    try:
        stated = json.loads(head)["sha256"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return stated if isinstance(stated, str) else None
