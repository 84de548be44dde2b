"""Paths: which are open files or devices, what messages call them, and where the cache is."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import stat
from pathlib import Path

from celab.base.errors import InputError

AnyPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz")  # the suffixes of compressed files
_DESCRIPTOR = re.compile(
    r"/dev/std(?P<std>in|out|err)|(?:/dev|/proc/(?:(?:thread-)?self|(?P<pid>\d+)))/fd/(?P<n>\d{1,9})"
)
_MOST_LINKS = 40


def display_name(path: AnyPath) -> str:
    """Return what messages call a file; `-` is standard input."""
    name = os.fspath(path)
    return "standard input" if name == "-" else name


def expand(path: AnyPath) -> list[str]:
    """Return the files of a folder, or those that match a pattern, sorted; else the path itself.

    Hidden files and folders inside a folder are left out. A file whose name has the characters of
    a pattern is that file. `InputError` if there is no file.
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        entries = sorted(entry for entry in os.listdir(name) if not entry.startswith("."))
        files = [os.path.join(name, entry) for entry in entries]
        files = [file for file in files if not os.path.isdir(file)]
        if not files:
            raise InputError(f"{name}: no files in this folder")
        return files
    if not glob.has_magic(name) or os.path.lexists(name):
        return [name]
    files = sorted(file for file in glob.glob(name) if not os.path.isdir(file))
    if not files:
        raise InputError(f"{name}: no file matches")
    return files


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
    for _ in range(_MOST_LINKS):
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
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return not stat.S_ISREG(mode)
    return False


def cache_folder() -> Path:
    """Return the folder of compiled lexicons, fetched sources and remembered words."""
    if folder := os.environ.get("CELAB_LEXICONS"):
        return Path(folder)
    from platformdirs import user_cache_path  # not at the top: the build does not have it

    try:
        path = user_cache_path("celab", appauthor=False)
    except RuntimeError:  # a user without a home; older versions return a relative path
        path = Path()
    return path if path.is_absolute() else Path(os.devnull, "celab")  # nothing can be written
