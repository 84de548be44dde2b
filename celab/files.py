"""Files: opened with decompression, digested, and written atomically. Standard library only.

    open_binary   path → bytes, decompressed on the way (gzip, bzip2, xz)
    reading       refusals of the disk or of a decompressor → an error of ours, in one line
    sha256_of     path → digest
    written       a file that appears under its name when it is complete, or not at all
    write         the same for a text that is at hand

What a file is compressed with shows in its first bytes; a name that ends in one of `COMPRESSED`
must keep its promise.
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
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from typing import IO, Any

from celab.errors import CelabError, InputError

AnyPath = str | os.PathLike[str]

_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_MAGIC = {
    ".gz": re.compile(rb"\x1f\x8b\x08"),
    ".bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),  # no text begins so: BZhang would
    ".xz": re.compile(rb"\xfd7zXZ\x00"),
}
COMPRESSED = tuple(_OPEN)  # the suffixes of compressed files


def open_binary(path: AnyPath, watch: Callable[[int], object] | None = None) -> BufferedReader:
    """The bytes of a file, decompressed; `watch` is told how many have been read from the disk.

    Raises `OSError` if the file cannot be opened. What goes wrong later is for `reading`.
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
    """What a decompressor gives, which does not close the file below it by itself."""

    def __init__(self, unpacked: Any, packed: BufferedReader) -> None:
        super().__init__(unpacked)
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


@contextmanager
def reading(name: str, error: type[CelabError], right: str = "a readable file") -> Iterator[None]:
    """Turns refusals into an `error` that begins with the name and says what it must be."""
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


@contextmanager
def written(path: AnyPath) -> Iterator[IO[bytes]]:
    """A file to write to, which is renamed to `path` at the end of the block; raises `OSError`.

    Whoever reads `path` sees what was there before or the whole. If the block raises, nothing is
    left behind.
    """
    folder = os.path.dirname(os.path.abspath(path))
    unfinished = os.path.join(folder, f".celab-{secrets.token_hex(8)}.tmp")
    file = open(unfinished, "xb")  # noqa: SIM115 (closed before it is renamed, as Windows needs it)
    try:
        with file:
            yield file
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def write(path: AnyPath, content: str | bytes, error: type[CelabError] = InputError) -> None:
    """Writes a text, in UTF-8, or bytes; raises an `error` if that cannot be done.

    Names of files may hold bytes that are not UTF-8; these come out as `\\udcXX`.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    try:
        with written(path) as file:
            file.write(content)
    except FileNotFoundError:
        raise error(f"{path} cannot be written; its folder does not exist") from None
    except (OSError, ValueError) as refusal:  # ValueError: a path that no system call takes
        reason = getattr(refusal, "strerror", None) or refusal
        raise error(
            f"{path} cannot be written ({reason}); its folder must be there and writable"
        ) from None
