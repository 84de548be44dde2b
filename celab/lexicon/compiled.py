"""Compiled lexicons: groups of words in, arrays that kernels walk out; kept as files.

A file is a head, checked before anything is believed, and named arrays behind it:

    magic (8 bytes) | SHA-256 of all that follows (32) | length of the index (8) | index | arrays

The index is JSON: the key that says what was compiled and how, where each array lies, and the
names of things. A file with another key is stale, one with another digest is damaged; both are
made again. Files are written under a name of their own and then renamed, so that a reader sees a
whole one, even while another process is writing.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native import lexicon as native
from celab._native.tokens import cut
from celab.arrays import I64, Numbers
from celab.files import written
from celab.normalize import Normalizer

if TYPE_CHECKING:
    from celab.lexicon.model import Group

MAGIC = b"CELABLX3"
_HEAD = len(MAGIC) + 32 + 8
_ALIGN = 64


class Compiled:
    """Named arrays and an index, in memory or mapped from a file."""

    def __init__(self, index: dict[str, Any], arrays: dict[str, Numbers], owner: Any) -> None:
        self.index = index
        self.arrays = arrays
        self.owner = owner  # the mapping, which must live as long as the arrays


def compile_groups(
    groups: list[Group],
    *,
    normalizer: Normalizer,
    respell: Callable[[list[str]], list[str]] | None = None,
) -> Compiled:
    """The trie, the groups and their names. Groups of fewer than two distinct words say nothing.

    Words are respelt first, as text is that they are to be found in. They are kept as letters
    without white space: any run of tokens may spell them.
    """
    words = [word for group in groups for word in group.words]
    words = normalizer.words(respell(words) if respell else words)
    joined = ("".join(cut(word, False, normalizer.folds)) for word in words)

    ids: dict[str, int] = {}
    labels: list[str] = []
    group_of_entry: list[int] = []
    word_of_entry: list[int] = []
    for group in groups:
        members = {next(joined): None for _ in group.words}  # a set that keeps the order
        members.pop("", None)
        if len(members) < 2:
            continue
        word_of_entry += [ids.setdefault(word, len(ids)) for word in members]
        group_of_entry += [len(labels)] * len(members)
        labels.append(group.label)

    by_word = np.argsort(np.asarray(word_of_entry, np.int64), kind="stable")
    counts = np.bincount(np.asarray(word_of_entry, np.int64), minlength=len(ids))
    letters = np.frombuffer("".join(ids).encode("utf-32-le", "surrogatepass"), "<i4")
    lengths = np.asarray([len(word) for word in ids], np.int64)
    slots, root = native.build_trie(letters.astype(np.int32), _offsets(lengths))
    encoded = [label.encode() for label in labels]
    arrays: dict[str, Numbers] = {
        "slots": slots,
        "root": root,
        "word_start": _offsets(counts).astype(np.int32),
        "word_group": np.asarray(group_of_entry, np.int32)[by_word],
        "label_start": _offsets(np.asarray([len(label) for label in encoded], np.int64)),
        "label_text": np.frombuffer(b"".join(encoded), np.uint8),
    }
    return Compiled({"n_groups": len(labels)}, arrays, None)


def _offsets(lengths: I64) -> I64:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def save(compiled: Compiled, key: str, path: Path) -> None:
    """Writes the file in one piece, or raises `OSError` and leaves nothing behind."""
    layout, at = {}, 0
    for name, array in compiled.arrays.items():
        layout[name] = [array.dtype.str, at, array.nbytes]
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    index = json.dumps(compiled.index | {"key": key, "arrays": layout}).encode()
    index += b" " * (-(_HEAD + len(index)) % _ALIGN)
    body = bytearray(len(index).to_bytes(8, "little") + index)
    for array in compiled.arrays.values():
        body += array.tobytes() + bytes(-array.nbytes % _ALIGN)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written(path) as file:
        file.write(MAGIC + hashlib.sha256(body).digest() + body)


def load(key: str, path: Path) -> Compiled | None:
    """The file's content, or None if it is absent, damaged or not what `key` asks for."""
    try:
        with open(path, "rb") as file:
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # an empty file cannot be mapped
        return None
    view = memoryview(mapping)
    if bytes(view[: len(MAGIC)]) != MAGIC:
        return None
    if hashlib.sha256(view[_HEAD - 8 :]).digest() != view[len(MAGIC) : _HEAD - 8]:
        return None
    start = _HEAD + int.from_bytes(view[_HEAD - 8 : _HEAD], "little")
    index = json.loads(bytes(view[_HEAD:start]))
    if index["key"] != key:
        return None
    arrays = {
        name: np.frombuffer(view[start + at : start + at + size], dtype)
        for name, (dtype, at, size) in index["arrays"].items()
    }
    return Compiled(index, arrays, mapping)
