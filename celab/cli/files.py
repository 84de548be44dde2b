"""A file that a command writes: whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile

from celab.errors import InputError


def write(path: str, text: str) -> None:
    """In UTF-8, under another name first, so that what was there stays until all is written."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".celab-", suffix=".tmp")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror}); its folder must be there and writable"
        ) from None
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise InputError(f"{path} cannot be written ({error.strerror})") from None
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
