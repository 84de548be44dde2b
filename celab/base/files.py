"""Files: opened with decompression, digested, and written atomically; the cache folder.

    open_binary   path → bytes, decompressed on the way (gzip, bzip2, xz)
    reading       errors of the disk or of a decompressor → a `CelabError`
    sha256_of     path → digest
    written       a file that appears under its name when it is complete, or not at all
    write         the same for a given text
    writing       errors of the disk → a `CelabError`
    cache_folder  where celab keeps what it can make or fetch again

Compression is recognised by the first bytes; a file with a suffix in `COMPRESSED` must be
compressed.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import hashlib
import lzma
import os
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path
from typing import IO, Any

from celab.base.errors import CelabError, InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

AnyPath = str | os.PathLike[str]

_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_MAGIC = {
    ".gz": re.compile(rb"\x1f\x8b\x08"),
    ".bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),  # no text begins so: BZhang would
    ".xz": re.compile(rb"\xfd7zXZ\x00"),
}
COMPRESSED = tuple(_OPEN)  # the suffixes of compressed files
_DESCRIPTOR = re.compile(
    r"/dev/std(?P<std>in|out|err)|(?:/dev|/proc/(?:(?:thread-)?self|(?P<pid>\d+)))/fd/(?P<n>\d{1,9})"
)
_MOST_LINKS = 40
_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)
_CAREFUL = _NO_TERMINAL | sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
)  # neither follows a link nor waits for the other end of a pipe


def open_binary(path: AnyPath, watch: Callable[[int], object] | None = None) -> BufferedReader:
    """The bytes of a file, decompressed; `watch` is called with how many were read from the disk.

    Raises `OSError` if the file cannot be opened. `reading` handles later errors.
    """
    try:
        stream: BufferedReader = BufferedReader(_Watched(path, watch))
    except ValueError as error:  # a path that no system call takes
        raise OSError(errno.EINVAL, str(error)) from None
    start = stream.peek(16)
    named = os.path.splitext(os.fspath(path))[1].lower()
    kind = next((kind for kind, magic in _MAGIC.items() if magic.match(start)), named)
    return _Unpacked(_OPEN[kind](stream, "rb"), stream) if kind in _OPEN else stream


class _Watched(FileIO):
    """A file that says how far it has been read."""

    def __init__(self, path: AnyPath, watch: Callable[[int], object] | None) -> None:
        super().__init__(path, "rb")
        self._watch = watch

    def readinto(self, buffer: Any) -> int:
        n_bytes = super().readinto(buffer)
        if self._watch is not None:
            self._watch(self.tell())
        return n_bytes or 0


class _Unpacked(BufferedReader):
    """The stream of a decompressor, which does not close the compressed file itself."""

    def __init__(self, unpacked: Any, packed: BufferedReader) -> None:
        super().__init__(unpacked)
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


@contextmanager
def reading(name: str, error: type[CelabError], right: str = "a readable file") -> Iterator[None]:
    """Turns errors of the disk or of a decompressor into an `error` of one line."""
    try:
        yield
    except FileNotFoundError:
        raise error(f"{name} does not exist; it must be {right}") from None
    except IsADirectoryError:
        raise error(f"{name} is a directory; it must be {right}") from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as refusal:
        if isinstance(refusal, OSError) and refusal.errno is not None:
            raise error(f"{name} cannot be read ({refusal.strerror}); it must be {right}") from None
        raise error(
            f"{name} cannot be decompressed ({refusal}); it must be a whole, undamaged file"
        ) from None


def sha256_of(path: AnyPath) -> str:
    """The SHA-256 of the bytes on the disk; raises `OSError`."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def descriptor_of(path: AnyPath) -> int | None:
    """The file descriptor of a name such as /dev/stdout or /dev/fd/3."""
    name = os.fspath(path)
    for _ in range(_MOST_LINKS):
        if found := _DESCRIPTOR.fullmatch(os.path.abspath(name)):
            pid = found["pid"]
            ours = not pid or pid == str(os.getpid())
            return int(found["n"] or ("in", "out", "err").index(found["std"])) if ours else None
        if not os.path.islink(name):
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


def is_special(path: AnyPath) -> bool:
    """Whether the path is a device, a pipe or an open file; raises `OSError`."""
    if os.path.basename(path) in ("", ".", ".."):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if descriptor_of(path) is not None:
        return True
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return not stat.S_ISREG(mode)
    return False


@contextmanager
def written(path: AnyPath) -> Iterator[IO[bytes]]:
    """A file to write to, which is renamed to `path` at the end of the block; raises `OSError`.

    A reader of `path` sees what was there before or the whole. If the block raises, nothing is
    left behind; what a killed process leaves, the next writer of `path` removes. Symbolic links are
    followed and stay. Devices, pipes and open files are written to directly.
    """
    if is_special(path):
        with _through(path) as file:
            yield file
        return
    target = os.path.realpath(path)
    unfinished, file = _new_file(target)
    try:
        with file:
            yield file
            complete(file, target)
            if fcntl is not None:  # the lock holds until the file has its name
                os.replace(unfinished, target)
        if fcntl is None:  # Windows renames no open file
            os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def complete(file: IO[bytes], target: str) -> None:
    """All bytes to the disk, with the permissions of the file that this one will replace."""
    file.flush()
    os.fsync(file.fileno())
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)


def locked(descriptor: int, *, without: bool) -> bool:
    """Whether the lock of an open file could be taken; `without` is the answer if there is none.

    Windows and some file systems have no such locks.
    """
    if fcntl is None:
        return without
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without
    return True


def open_own(path: str, flags: int = 0, mode: int = 0o666) -> int:
    """Opens for reading and writing a regular file that has no other name, and follows no link.

    `flags` may add `os.O_CREAT` and `os.O_EXCL`; raises `OSError`.
    """
    descriptor = os.open(path, os.O_RDWR | flags | _CAREFUL, mode)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it must be a regular file with one name")


def _through(path: AnyPath) -> IO[bytes]:
    number = descriptor_of(path)
    if number is None:
        return open(os.open(path, os.O_WRONLY | _NO_TERMINAL), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what was printed before comes first
    return open(os.dup(number), "wb")


def _new_file(target: str) -> tuple[str, IO[bytes]]:
    """A locked file of its own in the target's folder, without those that killed writers left."""
    folder, name = os.path.split(target)
    mode = 0o666
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    start = f".celab-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}-"
    with contextlib.suppress(OSError):
        for left in [one.path for one in os.scandir(folder) if one.name.startswith(start)]:
            _remove_unlocked(left)
    while True:
        path = os.path.join(folder, f"{start}{secrets.token_hex(8)}.tmp")
        descriptor = open_own(path, os.O_CREAT | os.O_EXCL, mode | 0o600)
        # Another writer may take it for one that was left, in the moment before it is locked.
        if locked(descriptor, without=True) and os.path.exists(path):
            return path, open(descriptor, "wb")
        os.close(descriptor)
        with contextlib.suppress(OSError):
            os.unlink(path)


def _remove_unlocked(path: str) -> None:
    with contextlib.suppress(OSError), open(open_own(path), "r+b") as file:
        if locked(file.fileno(), without=False):
            os.unlink(path)


def write(path: AnyPath, content: str | bytes, error: type[CelabError] = InputError) -> None:
    """Writes a text, in UTF-8, or bytes; raises an `error` if that cannot be done.

    Names of files may hold bytes that are not UTF-8; these come out as `\\udcXX`.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    with writing(path, error), written(path) as file:
        file.write(content)


@contextmanager
def writing(path: AnyPath, error: type[CelabError] = InputError) -> Iterator[None]:
    """Turns errors into an `error` of one line, except a broken pipe."""
    try:
        yield
    except (BrokenPipeError, CelabError):
        raise
    except FileNotFoundError:
        raise error(f"{path} cannot be written; its folder does not exist") from None
    except IsADirectoryError:
        raise error(f"{path} cannot be written; it is a directory and must be a file") from None
    except (OSError, ValueError) as refusal:  # ValueError: a path that no system call takes
        reason = getattr(refusal, "strerror", None) or refusal
        raise error(f"{path} cannot be written ({reason})") from None


def cache_folder() -> Path:
    """Compiled lexicons, what `celab lexicon fetch` brought, and remembered words."""
    if named := os.environ.get("CELAB_LEXICONS"):
        return Path(named)
    from platformdirs import user_cache_path  # not at the top: the build does not have it

    try:
        folder = user_cache_path("celab", appauthor=False)
    except RuntimeError:  # a user without a home; older versions give a relative path then
        folder = Path()
    return folder if folder.is_absolute() else Path(os.devnull, "celab")  # nothing can be written
