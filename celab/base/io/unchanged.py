"""Files that are saved while they are read: a digest must be that of the bytes that were used.

A file may be read in several passes, and by other libraries, so its digest is taken before and
after. A file that was changed and changed back has another `state_of`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from celab.base.errors import CelabError, ChangedError
from celab.base.io.binary import check_regular, reading, sha256_of
from celab.base.io.paths import AnyPath

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


def once_more(read: Callable[[], T]) -> T:
    """Call `read`, and again if a file was saved meanwhile; then it is an error."""
    with suppress(ChangedError):
        return read()
    return read()


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

    def read_once() -> T:
        with reading(name, error, right):
            check_regular(path, name, error, right)
            before = version_of(path)
        with unchanged(name, lambda: version_of(path), before):
            return read(before[1])

    return once_more(read_once)
