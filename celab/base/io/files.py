"""Files: their paths, bytes and digests; errors of the disk as one line.

Compression is recognized by the first bytes; a file with a suffix in `COMPRESSED` must be
compressed.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, FileIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from celab.base.errors import CelabError, InputError
from celab.base.run import Progress

if TYPE_CHECKING:
    from bz2 import BZ2File
    from gzip import GzipFile
    from lzma import LZMAFile

    from _typeshed import WriteableBuffer

AnyPath = str | os.PathLike[str]

SAVED = "was saved while it was read; try again when it is complete"
COMPRESSED = (".gz", ".bz2", ".xz")  # the suffixes of compressed files
_DESCRIPTOR = re.compile(
    r"/dev/std(?P<std>in|out|err)|(?:/dev|/proc/(?:(?:thread-)?self|(?P<pid>\d+)))/fd/(?P<n>\d{1,9})"
)
_MAX_LINKS = 40
# Entries of a folder among which a similar name is searched.
_MAX_ENTRIES_SEARCHED = 10_000


def display_name(path: AnyPath) -> str:
    """Return the name of a file for messages; "standard input" for `-`."""
    name = os.fspath(path)
    return "standard input" if name == "-" else readable(name)


def readable(name: str) -> str:
    """Return a file name or an argument with its bytes read as UTF-8, not by the locale.

    What is not UTF-8 stays as Python has read it. A file can be opened by its own name only.
    """
    try:
        return os.fsencode(name).decode()
    except UnicodeError:
        return name


def expand(*paths: AnyPath) -> list[str]:
    """Return the files in folders, the files that match patterns, and other paths unchanged.

    They are in natural order. Hidden files and folders inside a folder are left out. A file whose
    name has the characters of a pattern is that file. `InputError` if there is no file.
    """
    files: list[str] = []
    for path in paths:
        name = os.fspath(path)
        if os.path.isdir(name):
            found = [
                os.path.join(name, entry) for entry in os.listdir(name) if not entry.startswith(".")
            ]
            absence = "no files in this folder"
        elif glob.has_magic(name) and not os.path.lexists(name):
            found, absence = glob.glob(name), "no file matches"
        else:
            files.append(name)
            continue
        found = [file for file in found if not os.path.isdir(file)]
        if not found:
            raise InputError(f"{name}: {absence}")
        files += sorted(found, key=_file_order)
    return files


def _file_order(path: str) -> tuple[list[tuple[int, int, str, str]], str]:
    """Return a key by the name without its suffix, so that v9.zh is before v9.1.zh."""
    stem, suffix = os.path.splitext(path)
    return natural_order(os.path.splitext(stem)[0] if suffix in COMPRESSED else stem), path


def natural_order(name: str) -> list[tuple[int, int, str, str]]:
    """Return a key that sorts v2 before v10, by digits, of which there may be thousands.

    >>> sorted(["v10", "v9.1", "v9"], key=natural_order)
    ['v9', 'v9.1', 'v10']
    """
    key = []
    for piece in re.findall(r"[0-9]+|[^0-9]+", name):
        is_word, digits = piece[0] not in "0123456789", piece.lstrip("0")
        key.append((1, 0, piece, "") if is_word else (0, len(digits), digits, piece))
    return key


def near_file(path: AnyPath) -> str:
    """Return a hint about the path of a file that does not exist; "" if there is none.

    Several files in one word, or the only file whose name differs in its suffix, case or quotes, or
    else by one slip of the keyboard.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        return ""
    for mark in (",", ";", " "):
        parts = [part.strip() for part in name.split(mark)]
        if len(parts) > 1 and all(map(os.path.exists, parts)):
            return f"these are several files; give each by itself: {' '.join(parts)}"
    folder, file = os.path.split(name)
    with suppress(OSError, ValueError):
        files = [entry.name for entry in islice(os.scandir(folder or "."), _MAX_ENTRIES_SEARCHED)]
        stem = _stem(file)
        others = [entry for entry in files if stem and _stem(entry) == stem]
        others = others or [entry for entry in files if _is_misspelt(file.lower(), entry.lower())]
        if len(others) == 1 and not os.path.isdir(os.path.join(folder, others[0])):
            return f"did you mean {os.path.join(folder, others[0])}?"
    return ""


def _stem(file: str) -> str:
    return file.strip("“”‘’'\"，,；;").partition(".")[0].lower()


def _is_misspelt(name: str, other: str) -> bool:
    """Return whether a name is another one but for a letter, or two that are exchanged.

    Names that differ in a digit, and names of one or two letters, are those of other files.

    >>> [_is_misspelt(name, "hyp.zh") for name in ("hpy.zh", "hy.zh", "hyyp.zh", "hup.zh", "yh.zh")]
    [True, True, True, True, False]
    >>> _is_misspelt("hyp2.zh", "hyp1.zh"), _is_misspelt("a.zh", "b.zh")
    (False, False)
    """
    pairs = enumerate(zip(name, other, strict=False))
    start = next((place for place, (x, y) in pairs if x != y), min(len(name), len(other)))
    a, b = name[start:], other[start:]
    is_one_letter = a[1:] == b[1:] or a == b[1:] or a[1:] == b
    is_exchange = a[:2] == b[1::-1] and a[2:] == b[2:]
    numbers = ([letter for letter in text if letter.isdigit()] for text in (name, other))
    is_long_enough = len(_stem(other)) > 2
    return is_long_enough and (is_one_letter or is_exchange) and next(numbers) == next(numbers)


def suffix_of(path: str) -> str:
    """Return the suffix before that of a compression, in lower case.

    >>> suffix_of("a.TSV.gz"), suffix_of("a.txt"), suffix_of("a")
    ('.tsv', '.txt', '')
    """
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSED else suffix


def descriptor_of(path: AnyPath) -> int | None:
    """Return the file descriptor of a name such as /dev/stdout or /dev/fd/3, else None."""
    name = os.fspath(path)
    for _ in range(_MAX_LINKS):
        if match := _DESCRIPTOR.fullmatch(os.path.abspath(name)):
            pid = match["pid"]
            ours = not pid or pid == str(os.getpid())
            return int(match["n"] or ("in", "out", "err").index(match["std"])) if ours else None
        if not os.path.islink(name):
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


def is_special(path: AnyPath) -> bool:
    """Return whether the path is a device, a pipe or an open file; raises `OSError`."""
    if os.path.basename(path) in ("", ".", ".."):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if descriptor_of(path) is not None:
        return True
    with suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return not stat.S_ISREG(mode)
    return False


def identity_of(path: AnyPath | int) -> object:
    """Return an identifier of a regular file under any of its names; None for others.

    A number is that of an open file. A file that does not exist is known by its path alone.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if isinstance(path, int):
            return None
        real = os.path.realpath(path)
        return real.casefold() if sys.platform in ("darwin", "win32") else real
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def files_at(path: AnyPath) -> Iterator[str]:
    """Yield the files that a path stands for: itself, those in a folder, or those that match."""
    name = os.fspath(path)
    with suppress(OSError, ValueError):
        if os.path.isdir(name):
            yield from (entry.path for entry in os.scandir(name))
            return
        if glob.has_magic(name) and not os.path.lexists(name):
            yield from glob.glob(name)
            return
    yield name


def check_no_input(path: AnyPath, inputs: Iterable[AnyPath]) -> None:
    """Raise `InputError` if a file to write is one of the files that were read."""
    identity = identity_of(path)
    for name in inputs:
        if identity is not None and identity_of(name) == identity:
            raise InputError(f"{path} is the same file as input {name}; choose another")


def cache_folder() -> Path:
    """Return the folder of compiled lexicons, fetched sources and remembered words."""
    if folder := os.environ.get("CELAB_LEXICONS"):
        return Path(folder)
    if sys.platform == "win32":
        path = Path(os.environ.get("LOCALAPPDATA", ""), "celab", "Cache")
    else:
        usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
        path = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(usual), "celab")
    # A user without a home has no such folder: then nothing can be written.
    return path if path.is_absolute() else Path(os.devnull, "celab")


# Names of files that are made from names in other files, such as those of systems.
#
# Such a name may come from an untrusted file. Whatever it is, the file is in the folder that the
# caller has chosen, and every system has a file of its own.

# Separators, what Windows refuses, control characters and lone surrogates, which UTF-8 cannot
# encode; at the start, the marks of hidden files, options and homes.
_REFUSED = r'^[.~-]|[/\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]'


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name; no two are equal in any case.

    A name that can be a file name is kept. Otherwise characters are replaced by `_`, and a number
    before the suffix tells apart what would be the same.

    >>> file_names(["GPT-4.txt", "../victim.txt", "gpt-4.txt"])
    {'GPT-4.txt': 'GPT-4.txt', '../victim.txt': '_._victim.txt', 'gpt-4.txt': 'gpt-4-2.txt'}
    """
    taken: set[str] = set()
    files: dict[str, str] = {}
    for name in dict.fromkeys(names):
        safe = re.sub(_REFUSED, "_", name) or "_"
        file, number = safe, 1
        stem, suffix = os.path.splitext(safe)
        while _folded(file) in taken:
            number += 1
            file = f"{stem}-{number}{suffix}"
        taken.add(_folded(file))
        files[name] = file
    return files


def _folded(file: str) -> str:
    # Some file systems take letters in any case, and composed or not, for the same.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", file).casefold())


# Bytes: files opened with decompression.

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
# ZIP archives of office programs: how a name ends, or what a member is called.
_SAVE_AS_TEXT = "save it as text, one segment per line"
_OFFICE = (
    ((".docx", ".docm"), b"word/", "a Word document", _SAVE_AS_TEXT),
    ((".odt",), b"opendocument.text", "an OpenDocument text", _SAVE_AS_TEXT),
    ((".pptx", ".odp"), b"ppt/", "a presentation", _SAVE_AS_TEXT),
    ((".ods",), b"opendocument.spreadsheet", "an OpenDocument table", "save it as .xlsx"),
)


def refuse_binary(start: bytes | bytearray, name: str) -> None:
    """Raise `InputError` if a decompressed file begins as one of a kind that has no lines does."""
    kinds = (kind for magic, kind in _NO_TEXT.items() if start.startswith(magic))
    what, hint = next(kinds, ("", ""))
    if start.startswith(ZIP):
        for suffixes, mark, office, advice in _OFFICE:
            if name.lower().endswith(suffixes) or mark in start:
                what, hint = office, advice
                break
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
    """Return "a pipe", "a device" or "a socket", by the mode of a file; None for other files."""
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
    except MemoryError:
        raise  # before decompressors are imported, for which there may be no memory
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
    with open(os.fspath(path), "rb") as file:
        return [file.readline(size) for size in sizes]


def first_lines_and_sha256(path: AnyPath, *sizes: int) -> tuple[list[bytes], str]:
    """Return the first lines as `first_lines` does, and the SHA-256 of all that follows them."""
    with open(os.fspath(path), "rb") as file:
        lines = [file.readline(size) for size in sizes]
        return lines, hashlib.file_digest(file, "sha256").hexdigest()


def read_bytes(path: AnyPath) -> bytes:
    """Return the bytes on the disk, not decompressed; raises `OSError`."""
    with open(os.fspath(path), "rb") as file:
        return file.read()


def sha256_of(path: AnyPath) -> str:
    """Return the SHA-256 of the bytes on the disk; raises `OSError`."""
    with open(os.fspath(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def digested(
    path: AnyPath, name: str, error: type[CelabError], right: str = "a regular file"
) -> Iterator[str]:
    """Give the SHA-256 of a file that is read in the block, perhaps several times.

    If the file is another after the block, it was saved meanwhile: an `error` says so, because the
    digest may not be that of the bytes that were used.
    """
    with reading(name, error, right):
        check_regular(path, name, error, right)
        digest = sha256_of(path)
    yield digest
    with reading(name, error, right):
        if sha256_of(path) != digest:
            raise error(f"{name} {SAVED}")
