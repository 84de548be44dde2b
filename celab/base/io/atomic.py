"""Files written atomically: they appear under their names when complete, or not at all.

What is unfinished is beside the target, in a file whose name follows from the target's and from the
machine, and which is locked as long as somebody writes it. A process that is killed leaves the file
without a lock: whoever writes the same target next on this machine removes it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

try:
    import fcntl
except ImportError:  # on Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]

from celab.base.errors import CelabError, InputError
from celab.base.io.files import AnyPath, descriptor_of, is_special

_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)
_BINARY = getattr(os, "O_BINARY", 0)  # Windows only


@contextmanager
def open_atomic(path: AnyPath) -> Iterator[IO[bytes]]:
    """Open a file for writing that is renamed to `path` at the end of the block; raises `OSError`.

    A reader of `path` sees the old file or the complete new one. If the block raises, nothing is
    left behind. Symbolic links are followed and stay. Devices, pipes and open files are written to
    directly.
    """
    if is_special(path):
        file = _open_special(path)
        try:
            yield file
        except BaseException:
            with suppress(OSError):  # the first error counts
                file.close()
            raise
        file.close()
        return
    target = os.path.realpath(path)
    unfinished, file = _new_file(target)
    # Locked until it has its name, but not open: Windows renames no open file.
    lock = None if fcntl is None else os.dup(file.fileno())
    try:
        with file:
            yield file
            _complete(file, target)
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _complete(file: IO[bytes], target: str) -> None:
    """Write all bytes to the disk and take over the permissions of the file to be replaced."""
    file.flush()
    os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)


def _open_special(path: AnyPath) -> IO[bytes]:
    number = descriptor_of(path)
    if number is None:
        return open(os.open(path, os.O_WRONLY | _NO_TERMINAL), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what was printed before comes first
    return open(os.dup(number), "wb")


def _new_file(target: str) -> tuple[str, IO[bytes]]:
    """Create and lock a file in the target's folder; remove the file of a killed process."""
    mode = 0o666
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode & 0o777
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder, name = os.path.split(target)
    machine = os.environ.get("COMPUTERNAME") if fcntl is None else os.uname().nodename
    digest = hashlib.sha256(f"{machine}\0{name}".encode(errors="surrogatepass")).hexdigest()[:16]
    path = os.path.join(folder, f".celab-{digest}.tmp")
    _remove_abandoned(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
    while True:
        with suppress(FileExistsError):
            number = os.open(path, flags, mode | 0o600)
            if _lock(number, path) is not False:
                return path, open(number, "wb")
            os.close(number)
        # Another process writes the same target now.
        path = os.path.join(folder, f".celab-{digest}-{os.urandom(8).hex()}.tmp")


def _lock(number: int, path: str) -> bool | None:
    """Lock an open file; return whether it is locked and still at the path, None without locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    try:
        return os.path.samestat(os.fstat(number), os.lstat(path))
    except FileNotFoundError:
        return False


def _remove_abandoned(path: str) -> None:
    """Remove an unfinished file of ours that nobody writes any more."""
    with suppress(OSError):
        if fcntl is None:
            os.unlink(path)  # Windows refuses it while the file is open
            return
        number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            status = os.fstat(number)
            is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if is_ours and _lock(number, path):
                os.unlink(path)
        finally:
            os.close(number)


def check_writable(path: AnyPath) -> None:
    """Raise `OSError` unless a file can be written; a new file is created to try it, and removed.

    Some folders, such as those of /proc, seem to be writable and take no new file.
    """
    special = is_special(path)
    if descriptor_of(path) is not None:
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError
    is_writable = special or os.access(folder, os.W_OK | os.X_OK)
    if not is_writable or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if not special:
        unfinished, file = _new_file(target)
        file.close()
        os.unlink(unfinished)


def write(path: AnyPath, content: str | bytes, error: type[CelabError] = InputError) -> None:
    """Write a text, in UTF-8, or bytes atomically; raise an `error` if that is not possible.

    Bytes of file names that are not UTF-8 are written as `\\udcXX`.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    with writing(path, error), open_atomic(path) as file:
        file.write(content)


def write_or_return(path: AnyPath | None, page: str) -> str:
    """Return a page; with a path, write it atomically, and return the path."""
    if path is None:
        return page
    write(path, page)
    return os.fspath(path)


@contextmanager
def writing(path: AnyPath, error: type[CelabError] = InputError) -> Iterator[None]:
    """Turn errors into an `error` of one line, except a broken pipe."""
    try:
        yield
    except (BrokenPipeError, CelabError):
        raise
    except FileNotFoundError:
        has_folder = os.path.isdir(os.path.dirname(os.path.realpath(path)))
        why = "its folder takes no new files" if has_folder else "its folder does not exist"
        raise error(f"{path} cannot be written; {why}") from None
    except IsADirectoryError:
        raise error(f"{path} cannot be written; it is a directory and must be a file") from None
    except (OSError, ValueError) as refusal:  # ValueError: a path that no system call accepts
        reason = getattr(refusal, "strerror", None) or refusal
        raise error(f"{path} cannot be written ({reason})") from None
