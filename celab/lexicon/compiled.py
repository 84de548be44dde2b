"""Compiled lexicons: groups of words → arrays for the kernels, cached as files.

A file with another key is stale, and one with another digest is damaged; both are compiled again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from celab._native import tokens as native
from celab._native.tokens import cut
from celab.base import io
from celab.base.arrays import I64, Numbers
from celab.base.errors import LexiconError
from celab.base.options import Size
from celab.base.text.normalize import Normalization, Normalizer
from celab.base.text.tokens import TOKENIZER_IDS
from celab.base.version import __version__
from celab.lexicon.catalog import LocatedLexicon
from celab.lexicon.grades import WHOLE, check_nested
from celab.lexicon.source import Group

# The cache of compiled lexicons.
#
# A file is used or replaced as a whole, so another process may remove it at any time; a process
# that misses it compiles the lexicon again. Files of other kinds in the folder, and its folders,
# are left alone.

SUFFIX = ".lexc"
SIZE_VARIABLE = "CELAB_CACHE_SIZE"
DEFAULT_SIZE = Size("500M")


class CachedFile(NamedTuple):
    """A compiled lexicon; when it was last used is its time of modification."""

    path: Path
    size: int
    used: int  # nanoseconds


def limit() -> Size:
    """Return the maximum size of the cache; `LexiconError` if CELAB_CACHE_SIZE is not a size."""
    text = os.environ.get(SIZE_VARIABLE)
    if not text:
        return DEFAULT_SIZE
    with suppress(ValueError):
        if (size := Size(text)) >= 0:
            return size
    raise LexiconError(
        f"{SIZE_VARIABLE} is {text!r}; it must be a number of bytes, such as 200M or 2G"
    )


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


def prune(kept: Path, max_bytes: int) -> None:
    """Remove the least recently used compiled lexicons until all together have `max_bytes`.

    `kept` is never removed. A file that is being written has another name until it is complete.
    """
    cached = files()
    excess = sum(file.size for file in cached) - max_bytes
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


Arrays: TypeAlias = "dict[str, Numbers]"
Compiled: TypeAlias = Arrays

MAGIC = b"CELABLX6"
MAX_LETTERS = 1 << 26  # the trie of words with so many letters is built in 2 GiB
_MAX_FILES_IN_MEMORY = 4  # each takes some megabytes
_TYPES = {
    "slots": "i4",
    "root": "i4",
    "word_start": "i4",
    "word_group": "i4",
    "label_start": "i8",
    "label_text": "u1",
    "grades": "i4",
    "lengths": "i4",
    "origins": "i4",
    "warnings": "u1",
}


def compile_groups(
    groups: list[Group],
    *,
    normalizer: Normalizer,
    ranges: Sequence[tuple[int, int]] = (),
    keys: Sequence[str] = (),
    tokenize: str = "char",
    origins: Mapping[str, int] = MappingProxyType({}),
    warnings: Sequence[str] = (),
) -> Compiled:
    """Return the trie, the groups and their labels, without groups of fewer than two words.

    Words are normalized like the texts and stored without white space, so a word matches however it
    is tokenized. `ranges` says which groups make each grade (default: one grade of all groups), and
    `keys` names the grades in errors.

    `lengths` are in tokens of `tokenize`, of the shortest way in which the groups write a word.
    `origins` has the number of the user's file for each of its words, and `warnings` has a line for
    each source.
    """
    words = [word for group in groups for word in group.words]
    normalized = normalizer.texts(words)
    spelled = _join(normalized, normalizer)
    joined = iter(spelled)

    ids: dict[str, int] = {}
    labels: list[str] = []
    kept: list[list[str]] = []
    n_before = [0]  # number of groups kept before each group
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
    if len(letters) >= MAX_LETTERS:
        raise LexiconError(
            f"the lexicon is too large: its words have {len(letters):,} letters;"
            f" they must have fewer than {MAX_LETTERS:,}"
        )
    n_letters = np.asarray([len(word) for word in ids], np.int64)
    slots, root = native.build_trie(letters.astype(np.int32), _offsets(n_letters))
    n_tokens: dict[str, int] = {}
    for text, form in dict(zip(normalized, spelled, strict=True)).items():
        n = len(cut(text, TOKENIZER_IDS[tokenize], normalizer.folds))
        n_tokens[form] = min(n, n_tokens.get(form, n))
    origin = {
        form: origins[word] for word, form in zip(words, spelled, strict=True) if word in origins
    }
    encoded = [label.encode(errors="replace") for label in labels]
    return {
        "slots": slots,
        "root": root,
        "word_start": _offsets(counts).astype(np.int32),
        "word_group": np.asarray(group_of_entry, np.int32)[by_word],
        "label_start": _offsets(np.asarray([len(label) for label in encoded], np.int64)),
        "label_text": np.frombuffer(b"".join(encoded), np.uint8),
        "grades": np.asarray(grades, np.int32).ravel(),
        "lengths": np.asarray([n_tokens[word] for word in ids], np.int32),
        "origins": np.asarray([origin.get(word, -1) for word in ids], np.int32),
        "warnings": np.frombuffer("\n".join(warnings).encode(errors="replace"), np.uint8),
    }


def spell(words: list[str], normalizer: Normalizer) -> list[str]:
    """Return words in the spelling of a compiled lexicon."""
    return _join(normalizer.texts(words), normalizer)


def _join(words: list[str], normalizer: Normalizer) -> list[str]:
    # Words are stored without white space.
    return ["".join(cut(word, TOKENIZER_IDS["space"], normalizer.folds)) for word in words]


def _offsets(lengths: I64) -> I64:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def save(compiled: Compiled, key: str, path: Path) -> None:
    """Write the file atomically; raise `OSError` if that is not possible."""
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is not a regular file")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_arrays(compiled, _TYPES, MAGIC, key, path)


def load(key: str, path: Path) -> Compiled | None:
    """Return the arrays of a file; None if it is absent, malformed or of another key.

    The arrays of the last few files are kept in memory, so that metrics with the same lexicon share
    them, until another process touches the file. At worst, two threads read the same file.
    """
    try:
        stamp = _stamp_of(path)
    except OSError:
        return None
    kept_stamp, compiled = _kept.pop((key, path), ((), None))
    if kept_stamp != stamp:
        content = load_arrays(_TYPES, MAGIC, key, path)
        compiled = content and content[0]
    if compiled is None:
        return None
    with suppress(OSError):  # it is gone, or the folder cannot be written to
        _kept[key, path] = stamp, compiled
        os.utime(path)  # the time of last use, for `prune`
        _kept[key, path] = _stamp_of(path), compiled
    for oldest in list(_kept)[:-_MAX_FILES_IN_MEMORY]:
        _kept.pop(oldest, None)
    return compiled


def _stamp_of(path: Path) -> tuple[int, ...]:
    # Numbers that change when the file is replaced.
    file = path.stat()
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns


_kept: dict[tuple[str, Path], tuple[tuple[int, ...], Compiled]] = {}  # the most recently used last


# Recipes: all that the compiled form of a lexicon depends on.
#
# A lexicon is compiled from its recipe and the bytes of its sources, and cached under the key of
# the recipe, which is made of all its fields: what is not in a recipe cannot change a compiled
# lexicon.

# The format of the file, and the version that decides how words are cut and numbered.
COMPILER = f"{MAGIC.decode()} {sys.byteorder} {__version__}"


class GradeRecipe(NamedTuple):
    """The groups of a grade: a part of some sources, or all of their groups."""

    part: str
    sources: tuple[LocatedLexicon, ...]


class LexiconRecipe(NamedTuple):
    """How to compile a lexicon: its grades, from the finest to the coarsest, and their words."""

    grades: tuple[GradeRecipe, ...]
    cilin_lines: str
    normalization: Normalization
    tokenize: str  # what the lengths of words count
    compiler: str = COMPILER

    @property
    def sources(self) -> tuple[LocatedLexicon, ...]:
        """The sources of all grades, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(grade.sources for grade in self.grades)))

    @property
    def has_levels(self) -> bool:
        """Whether a grade is a level of Cilin, which groups of one word belong to as well."""
        return any("level" in grade.part for grade in self.grades if grade.part != WHOLE)

    @property
    def key(self) -> str:
        """Digest of all fields."""
        return hashlib.sha256(repr(self).encode()).hexdigest()


# Arrays in one file: for compiled lexicons and pivot tables.
#
# A file is a head and the arrays, in the order of their types, each filled up with zeros:
#
#     magic (8 bytes) | BLAKE2b of all that follows (32) | BLAKE2b of the key (32)
#     | number of items of each array (8 each) | zeros | arrays
#
# The key identifies the content and its settings. Files are read, not mapped: what was checked
# cannot change, and a file that is truncated while in use cannot end the process.

MAX_FILE_BYTES = 1 << 31
# Offsets in the head of a file.
_DIGEST, _KEY, _LENGTHS = 8, 40, 72
_ALIGN = 64


def save_arrays(
    arrays: Arrays, types: Mapping[str, str], magic: bytes, key: str, path: Path
) -> None:
    """Write the file atomically; raise `OSError` if that is not possible."""
    body = bytearray(_blake2b(key.encode()))
    for name in types:
        body += len(arrays[name]).to_bytes(8, "little")
    body += bytes(_head(types) - _KEY - len(body))
    for name in types:
        array = arrays[name]
        body += array.tobytes() + bytes(-array.nbytes % _ALIGN)
    with io.open_atomic(path) as file:
        file.write(magic + _blake2b(body) + body)


def load_arrays(
    types: Mapping[str, str], magic: bytes, key: str, path: Path
) -> tuple[Arrays, str] | None:
    """Return the arrays and their digest; None if the file is absent, malformed or of another key.

    The content of the arrays is not checked.
    """
    try:
        start = _head(types)
        if not path.is_file() or not start <= path.stat().st_size <= MAX_FILE_BYTES:
            return None
        data = np.fromfile(path, np.uint8)
        head = data[:start].tobytes()
        if (
            head[:_DIGEST] != magic
            or head[_KEY:_LENGTHS] != _blake2b(key.encode())
            or head[_DIGEST:_KEY] != _blake2b(data.data[_KEY:])
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


def _blake2b(data: bytes | bytearray | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
