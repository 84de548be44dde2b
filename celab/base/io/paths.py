"""Paths: which are open files or devices, what messages call them, and where the cache is."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from celab.base.errors import InputError

AnyPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz")  # the suffixes of compressed files
_DESCRIPTOR = re.compile(
    r"/dev/std(?P<std>in|out|err)|(?:/dev|/proc/(?:(?:thread-)?self|(?P<pid>\d+)))/fd/(?P<n>\d{1,9})"
)
_MOST_LINKS = 40
_MOST_ENTRIES = 10_000  # of a folder, among which a name is looked for


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


def near_file(path: AnyPath) -> str:
    """Return a hint about the path of a file that does not exist; "" if there is none.

    Several files in one word, or a file whose name differs in its suffix, case or quotes.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        return ""
    for mark in (",", ";", " "):
        parts = [part.strip() for part in name.split(mark)]
        if len(parts) > 1 and all(map(os.path.exists, parts)):
            return f"these are several files; give each by itself: {' '.join(parts)}"
    folder, file = os.path.split(name)
    with contextlib.suppress(OSError, ValueError):
        files = [entry.name for entry in islice(os.scandir(folder or "."), _MOST_ENTRIES)]
        stem = _stem(file)
        others = [entry for entry in files if stem and _stem(entry) == stem]
        if len(others) == 1 and not os.path.isdir(os.path.join(folder, others[0])):
            return f"did you mean {os.path.join(folder, others[0])}?"
    return ""


def _stem(file: str) -> str:
    return file.strip("“”‘’'\"，,；;").partition(".")[0].lower()


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
    with contextlib.suppress(OSError, ValueError):
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
    from platformdirs import user_cache_path  # not at the top: the build does not have it

    try:
        path = user_cache_path("celab", appauthor=False)
    except RuntimeError:  # a user without a home; older versions return a relative path
        path = Path()
    return path if path.is_absolute() else Path(os.devnull, "celab")  # nothing can be written


# Names of files that are made from names in other files, such as those of systems.
#
# Such a name may come from an untrusted file. Whatever it is, the file is in the folder that the
# caller has chosen, and every system has a file of its own.

# Separators, what Windows refuses, control characters and lone surrogates, which UTF-8 cannot
# encode; at the start, the marks of hidden files, options and homes.
_REFUSED = re.compile(r'^[.~-]|[/\\:*?"<>|\x00-\x1f\x7f-\x9f\ud800-\udfff]')


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
        safe = _REFUSED.sub("_", name) or "_"
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
