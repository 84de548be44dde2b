"""Arrays in one file: for compiled lexicons and pivot tables.

A file is a head and the arrays, in the order of their types, each filled up with zeros:

    magic (8 bytes) | BLAKE2b of all that follows (32) | BLAKE2b of the key (32)
    | number of items of each array (8 each) | zeros | arrays

The key identifies the content and its settings. Files are read, not mapped: what was checked cannot
change, and a file that is truncated while in use cannot end the process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from celab.base import io

if TYPE_CHECKING:
    from celab.base.arrays import Numbers

Arrays: TypeAlias = "dict[str, Numbers]"

MOST_BYTES = 1 << 31  # of a file
_DIGEST, _KEY, _LENGTHS = 8, 40, 72  # where these begin
_ALIGN = 64


def save(arrays: Arrays, types: Mapping[str, str], magic: bytes, key: str, path: Path) -> None:
    """Write the file atomically; raise `OSError` if that is not possible."""
    body = bytearray(_digest(key.encode()))
    for name in types:
        body += len(arrays[name]).to_bytes(8, "little")
    body += bytes(_head(types) - _KEY - len(body))
    for name in types:
        array = arrays[name]
        body += array.tobytes() + bytes(-array.nbytes % _ALIGN)
    with io.open_atomic(path) as file:
        file.write(magic + _digest(body) + body)


def load(types: Mapping[str, str], magic: bytes, key: str, path: Path) -> tuple[Arrays, str] | None:
    """Return the arrays and their digest; None if the file is absent, malformed or of another key.

    The content of the arrays is not checked.
    """
    try:
        start = _head(types)
        if not path.is_file() or not start <= path.stat().st_size <= MOST_BYTES:
            return None
        data = np.fromfile(path, np.uint8)
        head = data[:start].tobytes()
        if (
            head[:_DIGEST] != magic
            or head[_KEY:_LENGTHS] != _digest(key.encode())
            or head[_DIGEST:_KEY] != _digest(data.data[_KEY:])
        ):
            return None
        arrays: Arrays = {}
        at = start
        lengths = np.frombuffer(head, "<i8", len(types), _LENGTHS).tolist()
        for (name, dtype), length in zip(types.items(), lengths, strict=True):
            arrays[name] = np.frombuffer(data.data, dtype, length, at)
            at = -(-(at + arrays[name].nbytes) // _ALIGN) * _ALIGN
        return (arrays, head[_DIGEST:_KEY].hex()) if at == len(data) else None
    except (OSError, ValueError, MemoryError):  # ValueError: lengths that do not fit
        return None


def are_rows(start: Numbers, items: Numbers, n: int) -> bool:
    """Return whether every row has items, all from 0 to below `n`."""
    return bool(
        len(start)
        and start[0] == 0
        and start[-1] == len(items)
        and (start[1:] > start[:-1]).all()
        and (items >= 0).all()
        and (items < n).all()
    )


def _head(types: Mapping[str, str]) -> int:
    return -(-(_LENGTHS + 8 * len(types)) // _ALIGN) * _ALIGN


def _digest(data: bytes | bytearray | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
