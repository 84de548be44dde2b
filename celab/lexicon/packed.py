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
            end = at + length * np.dtype(dtype).itemsize
            if not at <= end <= len(data):
                return None
            arrays[name] = np.frombuffer(data.data, dtype, length, at)
            at = -(-end // _ALIGN) * _ALIGN
        return (arrays, head[_DIGEST:_KEY].hex()) if at == len(data) else None
    except (OSError, ValueError, MemoryError):  # ValueError: it is being changed
        return None


def are_offsets(start: Numbers, end: int) -> bool:
    """Return whether the numbers never fall and reach from 0 to `end`."""
    return bool(
        len(start) and start[0] == 0 and start[-1] == end and (start[1:] >= start[:-1]).all()
    )


def are_texts(start: Numbers, text: Numbers) -> bool:
    """Return whether the bytes are UTF-8 and no text begins inside a character."""
    if not are_offsets(start, len(text)):
        return False
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return not ((text[start[start < len(text)]] & 0xC0) == 0x80).any()


def are_rising(start: Numbers, items: Numbers, n: int) -> bool:
    """Return whether every row has items, rising, from 0 to below `n`."""
    if not (are_offsets(start, len(items)) and (start[1:] > start[:-1]).all()):
        return False
    if not len(items):
        return True
    rises = items[1:] > items[:-1]
    rises[start[1:-1] - 1] = True  # items may fall from one row to the next
    return bool(rises.all() and items.min() >= 0 and items.max() < n)


def _head(types: Mapping[str, str]) -> int:
    return -(-(_LENGTHS + 8 * len(types)) // _ALIGN) * _ALIGN


def _digest(data: bytes | bytearray | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
