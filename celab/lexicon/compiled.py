"""Compiled lexicons: groups of words → arrays for the kernels, cached as files.

A file is a head and the arrays, in the order of `_TYPES`, each filled up with zeros:

    magic (8 bytes) | BLAKE2b of all that follows (32) | BLAKE2b of the key (32)
    | number of items of each array (8 each) | zeros | arrays

The key says what was compiled and how. A file with another key is stale, one with another digest
is damaged, and one whose arrays `_is_sound` rejects is not ours; all are compiled again.
Files are written under a name of their own and then renamed, so that a reader sees a whole one,
even while another process is writing. They are read, not mapped: what was checked cannot change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from celab._native import lexicon as native
from celab._native.tokens import cut
from celab.arrays import I64, Numbers
from celab.errors import LexiconError
from celab.files import written
from celab.lexicon.grades import check_nested
from celab.normalize import Normalizer

if TYPE_CHECKING:
    from celab.lexicon.model import Group

Compiled = dict[str, Numbers]

MAGIC = b"CELABLX5"
MOST_LETTERS = 1 << 26  # of all words; the trie of so many is built in 2 GiB
MOST_BYTES = 1 << 31  # of a file; a larger lexicon is compiled anew each time
_TYPES = {
    "slots": "i4",
    "root": "i4",
    "word_start": "i4",
    "word_group": "i4",
    "label_start": "i8",
    "label_text": "u1",
    "grades": "i4",
}
_DIGEST, _KEY, _LENGTHS, _HEAD = 8, 40, 72, 128  # where these begin, and where the head ends
_ALIGN = 64


def compile_groups(
    groups: list[Group],
    *,
    normalizer: Normalizer,
    respell: Callable[[list[str]], list[str]] | None = None,
    ranges: Sequence[tuple[int, int]] = (),
    keys: Sequence[str] = (),
) -> Compiled:
    """The trie, the groups and their names. Groups of fewer than two distinct words are dropped.

    Words are respelt first, as text is that they are to be found in. They are kept as letters
    without white space: any run of tokens may spell them. `ranges` says which groups make each
    grade (default: one grade of all groups), and `keys` names the grades in errors.
    """
    words = [word for group in groups for word in group.words]
    words = normalizer.words(respell(words) if respell else words)
    joined = ("".join(cut(word, False, normalizer.folds)) for word in words)

    ids: dict[str, int] = {}
    labels: list[str] = []
    kept: list[list[str]] = []
    n_before = [0]  # groups that are kept before each
    group_of_entry: list[int] = []
    word_of_entry: list[int] = []
    for group in groups:
        members = {next(joined): None for _ in group.words}  # a set that keeps the order
        members.pop("", None)
        n_before.append(n_before[-1] + (len(members) > 1))
        if len(members) < 2:
            continue
        kept.append(list(members))
        word_of_entry += [ids.setdefault(word, len(ids)) for word in members]
        group_of_entry += [len(labels)] * len(members)
        labels.append(group.label)
    grades = [(n_before[a], n_before[b]) for a, b in ranges or [(0, len(groups))]]
    check_nested(kept, grades, keys)

    by_word = np.argsort(np.asarray(word_of_entry, np.int64), kind="stable")
    counts = np.bincount(np.asarray(word_of_entry, np.int64), minlength=len(ids))
    letters = np.frombuffer("".join(ids).encode("utf-32-le", "surrogatepass"), "<i4")
    if len(letters) >= MOST_LETTERS:
        raise LexiconError(
            f"the lexicon is too large: its words have {len(letters):,} letters;"
            f" they must have fewer than {MOST_LETTERS:,}"
        )
    lengths = np.asarray([len(word) for word in ids], np.int64)
    slots, root = native.build_trie(letters.astype(np.int32), _offsets(lengths))
    encoded = [label.encode(errors="replace") for label in labels]
    return {
        "slots": slots,
        "root": root,
        "word_start": _offsets(counts).astype(np.int32),
        "word_group": np.asarray(group_of_entry, np.int32)[by_word],
        "label_start": _offsets(np.asarray([len(label) for label in encoded], np.int64)),
        "label_text": np.frombuffer(b"".join(encoded), np.uint8),
        "grades": np.asarray(grades, np.int32).ravel(),
    }


def _offsets(lengths: I64) -> I64:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def save(compiled: Compiled, key: str, path: Path) -> None:
    """Writes the file in one piece, or raises `OSError` and leaves nothing behind."""
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is not a regular file")
    body = bytearray(_digest(key.encode()))
    for name in _TYPES:
        body += len(compiled[name]).to_bytes(8, "little")
    body += bytes(_HEAD - _KEY - len(body))
    for name in _TYPES:
        array = compiled[name]
        body += array.tobytes() + bytes(-array.nbytes % _ALIGN)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written(path) as file:
        file.write(MAGIC + _digest(body) + body)


def load(key: str, path: Path) -> Compiled | None:
    """The file's content, or None if it is absent, malformed or has another key."""
    try:
        if not path.is_file() or not _HEAD <= path.stat().st_size <= MOST_BYTES:
            return None
        data = np.fromfile(path, np.uint8)
        head = data[:_HEAD].tobytes()
        if (
            head[:_DIGEST] != MAGIC
            or head[_KEY:_LENGTHS] != _digest(key.encode())
            or head[_DIGEST:_KEY] != _digest(data.data[_KEY:])
        ):
            return None
        compiled: Compiled = {}
        at = _HEAD
        lengths = np.frombuffer(head, "<i8", len(_TYPES), _LENGTHS).tolist()
        for (name, dtype), length in zip(_TYPES.items(), lengths, strict=True):
            end = at + length * np.dtype(dtype).itemsize
            if not at <= end <= len(data):
                return None
            compiled[name] = np.frombuffer(data.data, dtype, length, at)
            at = -(-end // _ALIGN) * _ALIGN
        return compiled if at == len(data) and _is_sound(compiled) else None
    except (OSError, ValueError, MemoryError):  # ValueError: it is being changed
        return None


def _digest(data: bytes | bytearray | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()


def _is_sound(compiled: Compiled) -> bool:
    # Whether the arrays could be what `compile_groups` gives. Kernels and `Lexicon` rely on it.
    start, group = compiled["word_start"], compiled["word_group"]
    labels, text = compiled["label_start"], compiled["label_text"]
    n_words, n_groups = len(start) - 1, len(labels) - 1
    if not (_are_offsets(start, len(group)) and _are_offsets(labels, len(text))):
        return False
    if not (start[1:] > start[:-1]).all():  # every word is in a group
        return False
    if n_words:
        rises = group[1:] > group[:-1]
        rises[start[1:-1] - 1] = True  # between two words anything may happen
        if not (rises.all() and group.min() >= 0 and group.max() < n_groups):
            return False
    first, last = compiled["grades"][::2], compiled["grades"][1::2]
    if not len(first) or len(first) != len(last):
        return False
    if not ((first >= 0) & (first <= last) & (last <= n_groups)).all():
        return False
    inner = labels[labels < len(text)]
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    if ((text[inner] & 0xC0) == 0x80).any():  # a label that begins inside a character
        return False
    return native.is_trie(compiled["slots"], compiled["root"], n_words)


def _are_offsets(start: Numbers, end: int) -> bool:
    return bool(
        len(start) and start[0] == 0 and start[-1] == end and (start[1:] >= start[:-1]).all()
    )
