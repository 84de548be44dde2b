"""The cache of compiled lexicons: where it is, how large it is, and what it gives up first.

A file is used or replaced as a whole, so another process may remove it at any time: whoever misses
it compiles the lexicon again. Files of other kinds in the folder, and its folders, are left alone.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from celab.base import io
from celab.base.errors import LexiconError
from celab.base.frozen import dataclass
from celab.base.options import Size

SUFFIX = ".lexc"
VARIABLE = "CELAB_CACHE_SIZE"
DEFAULT = Size("500M")


@dataclass(frozen=True, slots=True)
class CachedFile:
    """A compiled lexicon; when it was last used is its time of modification."""

    path: Path
    size: int
    used: int  # nanoseconds


def limit() -> Size:
    """Return the most bytes of all compiled lexicons; `LexiconError` if the variable is wrong."""
    text = os.environ.get(VARIABLE) or str(DEFAULT)
    with suppress(ValueError):
        if (size := Size(text)) >= 0:
            return size
    raise LexiconError(f"{VARIABLE} is {text!r}; it must be a number of bytes, such as 200M or 2G")


def path_of(name: str, key: str) -> Path:
    """Return the path of a compiled lexicon."""
    # A file name has at most 255 bytes, and is the same in every locale.
    return io.cache_folder() / os.fsdecode(f"{name[:40]}-{key[:24]}{SUFFIX}".encode())


def files() -> list[CachedFile]:
    """Return the compiled lexicons, the least recently used first."""
    found = []
    with suppress(OSError):
        for entry in os.scandir(io.cache_folder()):
            with suppress(OSError):  # another process has removed it
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(SUFFIX) and stat.S_ISREG(status.st_mode):
                    found.append(CachedFile(Path(entry.path), status.st_size, status.st_mtime_ns))
    return sorted(found, key=lambda file: (file.used, file.path))


def touch(path: Path) -> None:
    """Record that a compiled lexicon is used; raises `OSError`."""
    os.utime(path)


def prune(kept: Path, most: int) -> None:
    """Remove the least recently used compiled lexicons but `kept` until the rest has `most` bytes.

    What is being written has another name until it is complete.
    """
    cached = files()
    excess = sum(file.size for file in cached) - most
    for file in cached:
        if excess <= 0:
            break
        if file.path != kept and _remove(file):
            excess -= file.size


def clear() -> tuple[int, int]:
    """Remove all compiled lexicons; return how many there were, and their bytes."""
    removed = [file for file in files() if _remove(file)]
    return len(removed), sum(file.size for file in removed)


def _remove(file: CachedFile) -> bool:
    with suppress(OSError):  # another process has removed it
        file.path.unlink()
        return True
    return False
