"""Bytes: files opened with decompression, errors of the disk as one line, and digests.

Compression is recognized by the first bytes; a file with a suffix in `COMPRESSED` must be
compressed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from io import BufferedReader, BytesIO, FileIO
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from celab.base.errors import CelabError, ChangedError, InputError, LimitError, Setting
from celab.base.io.paths import COMPRESSED, AnyPath, near_file
from celab.base.options import LIMITS, Limits
from celab.base.run import Progress

if TYPE_CHECKING:
    from bz2 import BZ2File
    from gzip import GzipFile
    from lzma import LZMAFile
    from zipfile import ZipFile

    from _typeshed import WriteableBuffer


_ENDLESS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_MAGIC = {
    ".gz": re.compile(rb"\x1f\x8b\x08"),
    ".bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),  # not just BZh: text may be "BZhang"
    ".xz": re.compile(rb"\xfd7zXZ\x00"),
}
ZIP = b"PK\x03\x04"  # how an archive begins
PARQUET = b"PAR1"
BINARY_TABLES = (ZIP, PARQUET)  # a workbook is a ZIP archive
_NO_TEXT = {  # how files begin that are no text, what they are and what to do
    ZIP: (
        "a ZIP archive",
        "extract it, save a spreadsheet as CSV or a document as text, or write a log of Inspect as"
        " JSON: inspect log dump FILE > FILE.json",
    ),
    b"%PDF-": ("a PDF document", "copy its text to a text file"),
    b"{\\rtf": ("an RTF document", "save it as text"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an Office document",
        "save a spreadsheet as .xlsx, or a document as text",
    ),
    PARQUET: ("a Parquet file", "write it as JSON Lines"),
    b"ARROW1\0": ("an Arrow file", "write it as JSON Lines"),
    b"\x93NUMPY": ("a NumPy array", "write it as text, one segment per line"),
    b"\x80\x04\x95": ("a pickle of Python", "write it as text, one segment per line"),
    b"SQLite format 3\0": ("an SQLite database", "write its table as CSV"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "extract it"),
    b"Rar!\x1a\x07": ("a RAR archive", "extract it"),
    b"\x28\xb5\x2f\xfd": ("compressed by Zstandard", "decompress it: unzstd FILE"),
    b"\x1f\x8b\x08": ("compressed twice", "decompress it once: gunzip FILE"),
    b"\x89PNG\r\n": ("a picture", "give the text"),
}
_TAR = slice(257, 262), b"ustar"


def refuse_binary(start: bytes | bytearray, name: str) -> None:
    """Raise `InputError` if a decompressed file begins as one of a kind that has no lines does."""
    kinds = (kind for magic, kind in _NO_TEXT.items() if start.startswith(magic))
    what, hint = next(kinds, ("", ""))
    if start[_TAR[0]] == _TAR[1]:
        what, hint = "a tar archive", "extract it: tar xf FILE"
    if what:
        raise InputError(f"{name} is {what}", hint=hint)


def open_binary(path: AnyPath, progress: Progress | None = None) -> BufferedReader:
    """Open a file for reading, decompressed; `progress` counts the bytes read from the disk.

    Raises `OSError` if the file cannot be opened. `reading` handles later errors.
    """
    try:
        file = FileIO(path) if progress is None else _Watched(path, progress)
    except ValueError as error:  # a path that no system call accepts
        raise OSError(errno.EINVAL, str(error)) from None
    stream: BufferedReader = BufferedReader(file)
    start = stream.peek(16)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    kind = next((kind for kind, magic in _MAGIC.items() if magic.match(start)), suffix)
    return _Unpacked(_unpack(kind, stream), stream) if kind in COMPRESSED else stream


def _unpack(suffix: str, packed: BufferedReader) -> GzipFile | BZ2File | LZMAFile:
    # Decompressors are imported for compressed files alone.
    if suffix == ".gz":
        import gzip

        return gzip.open(packed, "rb")
    if suffix == ".bz2":
        import bz2

        return bz2.open(packed, "rb")
    import lzma

    return lzma.open(packed, "rb")


def is_unpacked(stream: BufferedReader) -> bool:
    """Return whether a stream that `open_binary` has opened is of a compressed file."""
    return isinstance(stream, _Unpacked)


class _Watched(FileIO):
    """A file that reports how far it has been read."""

    def __init__(self, path: AnyPath, progress: Progress) -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_bytes = super().readinto(buffer)
        self._progress(self.tell())
        return n_bytes or 0


class _Unpacked(BufferedReader):
    """The stream of a decompressor, which does not close the compressed file itself."""

    def __init__(self, unpacked: GzipFile | BZ2File | LZMAFile, packed: BufferedReader) -> None:
        super().__init__(unpacked)
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


def kind_of(mode: int) -> str | None:
    """Return what a file is that may have no end, by its mode: a pipe, a device or a socket."""
    return _ENDLESS.get(stat.S_IFMT(mode))


def check_regular(path: AnyPath, name: str, error: type[CelabError], expected: str) -> None:
    """Raise an `error` if the path is a device, a pipe or a socket; raises `OSError`, too."""
    try:
        kind = kind_of(os.stat(path).st_mode)
    except ValueError as refusal:  # a path that no system call takes
        raise OSError(errno.EINVAL, str(refusal)) from None
    if kind is not None:
        raise error(f"{name} is {kind}; it must be {expected}")


def _read_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the disk and of decompressors, which are imported for them alone."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError


@contextmanager
def reading(
    name: str, error: type[CelabError], right: str = "a readable file", advice: str = ""
) -> Iterator[None]:
    """Turn errors of the disk or of a decompressor into an `error` of one line.

    `right` is what the file must be, and `advice` what to do if it does not exist.
    """
    try:
        yield
    except FileNotFoundError as absence:
        hint = advice or near_file(absence.filename or "")
        raise error(f"{name}: no such file", hint=hint) from None
    except IsADirectoryError:
        raise error(f"{name} is a directory; it must be {right}") from None
    except _read_errors() as refusal:
        if isinstance(refusal, OSError) and refusal.errno is not None:
            raise error(f"{name} cannot be read ({refusal.strerror}); it must be {right}") from None
        raise error(
            f"{name} cannot be decompressed ({refusal}); it must be a whole, undamaged file"
        ) from None


def first_lines(path: AnyPath, *sizes: int) -> list[bytes]:
    """Return the first lines on the disk, one for each size, cut to it; raises `OSError`."""
    with open(path, "rb") as file:
        return [file.readline(size) for size in sizes]


def first_lines_and_sha256(path: AnyPath, *sizes: int) -> tuple[list[bytes], str]:
    """Return the first lines as `first_lines` does, and the SHA-256 of all that follows them."""
    with open(path, "rb") as file:
        lines = [file.readline(size) for size in sizes]
        return lines, hashlib.file_digest(file, "sha256").hexdigest()


def read_bytes(path: AnyPath) -> bytes:
    """Return the bytes on the disk, not decompressed; raises `OSError`."""
    with open(path, "rb") as file:
        return file.read()


def sha256_of(path: AnyPath) -> str:
    """Return the SHA-256 of the bytes on the disk; raises `OSError`."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Files that are saved while they are read: a digest must be that of the bytes that were used.
#
# A file may be read in several passes, and by other libraries, so its digest is taken before and
# after. A file that was changed and changed back has another `state_of`.

P = ParamSpec("P")
T = TypeVar("T")
State = tuple[int, ...]


def state_of(path: AnyPath) -> State:
    """Return numbers that are others when a file has been saved or replaced; raises `OSError`."""
    try:
        file = os.stat(path)
    except ValueError as error:  # a path that no system call accepts
        raise OSError(errno.EINVAL, str(error)) from None
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns


def version_of(path: AnyPath) -> tuple[State, str]:
    """Return the state of a file and the SHA-256 of its bytes; raises `OSError`."""
    return state_of(path), sha256_of(path)


@contextmanager
def unchanged(name: str, version: Callable[[], object], before: object) -> Iterator[None]:
    """Raise `ChangedError` if the version of a file is not as before at the end of the block.

    An error in the block counts only if the file has not changed.
    """

    def has_changed() -> bool:
        try:
            return version() != before
        except (OSError, CelabError):  # it is gone, or incomplete
            return True

    try:
        yield
    except CelabError:
        if not has_changed():
            raise
        raise ChangedError(name) from None
    if has_changed():
        raise ChangedError(name)


def once_more(read: Callable[P, T]) -> Callable[P, T]:
    """Let a function begin again if a file was saved meanwhile; if it is once more, raise."""

    @wraps(read)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with suppress(ChangedError):
            return read(*args, **kwargs)
        return read(*args, **kwargs)

    return call


def read_unchanged(
    path: AnyPath,
    name: str,
    error: type[CelabError],
    read: Callable[[str], T],
    right: str = "a readable file",
) -> T:
    """Return what `read` makes of a file; its argument is the SHA-256 of the bytes that it reads.

    `name`, `error` and `right` are those of `reading`.
    """

    @once_more
    def read_file() -> T:
        with reading(name, error, right):
            check_regular(path, name, error, right)
            before = version_of(path)
        with unchanged(name, lambda: version_of(path), before):
            return read(before[1])

    return read_file()


# ZIP archives: the texts of some of their members, within `Limits`.
#
# The sizes that an archive declares are checked before anything is unpacked, and no member gives
# more than its declared size.


def unpack(
    data: bytes, name: str, marker: str, is_wanted: Callable[[str], bool], limits: Limits = LIMITS
) -> dict[str, str]:
    """Return the texts of the members that are wanted, by name.

    `marker` is a member by which the kind of archive is known; others are an `InputError`.
    """
    import zlib
    from zipfile import BadZipFile, ZipFile  # few files are archives

    if len(data) > limits.max_file:
        raise _too_large(name, limits)
    if marker.encode() not in data:
        refuse_binary(data, name)
    try:
        with ZipFile(BytesIO(data)) as archive:
            texts = _texts(archive, name, is_wanted, limits)
            if marker not in texts:
                raise BadZipFile(f"it has no {marker}")
            return texts
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        # ValueError: bytes that are no text; RuntimeError: an encrypted member, or a new method.
        why = str(error).partition("\n")[0]
        raise InputError(f"{name} cannot be unpacked ({why}); save it again") from None


def _texts(
    archive: ZipFile, name: str, is_wanted: Callable[[str], bool], limits: Limits
) -> dict[str, str]:
    members = [member for member in archive.infolist() if is_wanted(member.filename)]
    if sum(member.file_size for member in members) > limits.max_file:
        raise _too_large(name, limits)
    texts = {}
    for member in members:
        with archive.open(member) as file:
            texts[member.filename] = file.read(member.file_size).decode("utf-8-sig")
    return texts


def _too_large(name: str, limits: Limits) -> LimitError:
    return LimitError(
        f"more than {limits.max_file} bytes when it is unpacked",
        place=name,
        hint=("split the file, or use a greater ", Setting("max_file")),
    )
