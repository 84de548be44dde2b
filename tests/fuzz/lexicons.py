"""Compiled lexicons made by somebody else: edited anywhere, and with the digest that fits.

Such a file is refused, so that the lexicon is compiled again, or it means what a slow reading of
its arrays says: every word, its groups, and the scores that follow from them by the oracle.
"""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from oracle import links, program, tokens

import celab
from fuzz.target import Target

SOURCES = [
    [["雨伞", "伞", "洋伞"], ["买", "购买"], ["买", "要"]],
    [["卡拉OK", "KTV"], ["𠮷利", "吉利", "𠮷"], ["吉", "利"]],
    [["伞", "傘"], ["a", "ab", "abc", "abcd"], ["b", "bc"], ["ab", "b"], ["伞a", "aa"]],
    [[f"{a}{b}" for b in "雨伞洋买购"] for a in "雨伞洋买购"],
]
# The bytes of an item of each array.
ARRAYS = {
    "slots": 4,
    "root": 4,
    "word_start": 4,
    "word_group": 4,
    "label_start": 8,
    "label_text": 1,
}
KINDS = [
    *["item"] * 12,
    *["swap"] * 2,
    *["bits"] * 2,
    *["move"] * 2,
    "fill",
    "run",
    "length",
    "alias",
    "cut",
    "pad",
    "byte",
    "twice",
]
BASES = ("zero", "items", "states", "words", "groups", "least", "most")
LETTERS = "雨伞买购要卡OK 𠮷利吉abc"
MAX_ORDER = 3


def resealed(data: bytes | bytearray) -> bytes:
    """The same with the digest that fits."""
    digest = hashlib.blake2b(data[40:], digest_size=32).digest()
    return bytes(data[:8]) + digest + bytes(data[40:])


def places(data: bytes | bytearray) -> dict[str, tuple[int, int]]:
    """Where each array of a sound file begins, and how many items it has."""
    found, at = {}, 192
    for k, (name, size) in enumerate(ARRAYS.items()):
        length = int.from_bytes(data[72 + 8 * k : 80 + 8 * k], "little")
        found[name] = at, length
        at += -(-length * size // 64) * 64
    return found


def arrays_of(data: bytes | bytearray) -> dict[str, Any]:
    """The arrays of a sound file; to write to, if `data` can be written to."""
    return {
        name: np.frombuffer(data, f"{'u' if ARRAYS[name] == 1 else 'i'}{ARRAYS[name]}", n, at)
        for name, (at, n) in places(data).items()
    }


def words_of(arrays: dict[str, Any]) -> dict[str, set[int]]:
    """All words of a trie with their groups, by going through all transitions."""
    below: dict[int, list[tuple[int, int, int]]] = {}
    root = arrays["root"].reshape(-1, 4)
    for letter in root[:, 2].nonzero()[0].tolist():
        below.setdefault(0, []).append((letter, int(root[letter, 2]), int(root[letter, 3])))
    for state, letter, after, word in arrays["slots"].reshape(-1, 4).tolist():
        if after:
            below.setdefault(state, []).append((letter, after, word))
    start, group = arrays["word_start"].tolist(), arrays["word_group"].tolist()
    found: dict[str, set[int]] = {}
    left = [(0, "")]
    while left:
        state, text = left.pop()
        for letter, after, word in below.get(state, ()):
            left.append((after, text + chr(letter)))
            if word >= 0:
                found[text + chr(letter)] = set(group[start[word] : start[word + 1]])
    return found


# ---- edits ------------------------------------------------------------------------------------


def make_crafted(rng: Random) -> Any:
    edits = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.choice(KINDS)
        name = rng.choice(list(ARRAYS))
        value = rng.choice(BASES), rng.choice((-1, 0, 0, 1, 2, rng.randint(-(1 << 31), 1 << 31)))
        edits.append((kind, name, rng.randrange(1 << 20), rng.randrange(1 << 20), value))
    texts = ["".join(rng.choices(LETTERS, k=rng.randint(1, 4))) for _ in range(4)]
    return rng.randrange(len(SOURCES)), edits, texts


def edited(whole: bytes, edits: Any) -> bytes:
    """The file with these edits, and with the digest that fits."""
    data = bytearray(whole)
    for kind, name, i, j, (base, delta) in edits:
        arrays = arrays_of(data)
        array = arrays[name]
        slots, root = arrays["slots"].reshape(-1, 4), arrays["root"].reshape(-1, 4)
        used = slots[:, 2].nonzero()[0]
        first = root[:, 2].nonzero()[0]
        bases = {
            "zero": 0,
            "items": len(array),
            "states": len(used) + len(first),
            "words": len(arrays["word_start"]) - 1,
            "groups": len(arrays["label_start"]) - 1,
            "least": -(1 << 31),
            "most": (1 << 31) - 1,
        }
        value = (bases[base] + delta + (1 << 31)) % (1 << 32) - (1 << 31)
        if kind == "item" and len(array):
            at = i % len(array)
            if name == "root" and j % 4:  # an entry that is used, mostly
                at = int(first[i % len(first)]) * 4 + i % 4
            elif name == "slots" and j % 4 and len(used):
                at = int(used[i % len(used)]) * 4 + i % 4
            array[at] = value % 256 if name == "label_text" else value
        elif kind == "swap":
            a, b = i % len(slots), j % len(slots)
            slots[[a, b]] = slots[[b, a]]
        elif kind == "twice" and len(used):
            slots[j % len(slots)] = slots[used[i % len(used)]]
        elif kind == "move":  # a first letter: the trie stays one
            a, b = int(first[i % len(first)]), j % len(root)
            root[[a, b]] = root[[b, a]]
        elif kind == "fill":
            empty = slots[:, 2] == 0
            slots[empty] = [1, 0x4E00, len(used) + len(first), -1]
        elif kind == "run":  # all but one slot in use
            slots[slots[:, 2] == 0] = [1, 0x4E00, 1, -1]
            slots[i % len(slots)] = 0
        elif kind == "bits":
            root[int(first[i % len(first)]), j % 2] ^= 1 << j // 2 % 31
        elif kind == "length":
            k = list(ARRAYS).index(name)
            data[72 + 8 * k : 80 + 8 * k] = ((len(array) + delta) % (1 << 64)).to_bytes(8, "little")
            break  # the arrays are no longer where they were
        elif kind == "alias":
            other = list(arrays.values())[i % len(arrays)]
            n = min(len(array), len(other))
            array[:n] = other[:n].astype(array.dtype)
        elif kind == "byte":
            data[i % len(data)] ^= 1 << j % 8
            if data[72:120] != whole[72:120]:
                break
        elif kind in ("cut", "pad"):
            n = (1, 8, 64, 4096)[i % 4]
            data = data[:-n] if kind == "cut" else data + bytes(n)
            break
    return resealed(data)


_sound: dict[int, tuple[str, bytes]] = {}


def cached(which: int, folder: Path) -> tuple[Path, Path, bytes]:
    """A source, where its compiled form lies, and what that is if it is sound."""
    source = folder / f"crafted{which}.tsv"
    source.write_text("".join("\t".join(group) + "\n" for group in SOURCES[which]), "utf-8")
    if which not in _sound:
        for old in folder.glob(f"{source.name}-*.lexc"):
            old.unlink()
        opened(source)
        (path,) = folder.glob(f"{source.name}-*.lexc")
        _sound[which] = path.name, path.read_bytes()
    name, whole = _sound[which]
    return source, folder / name, whole


def opened(source: Path) -> celab.TeslaCelab:
    return celab.TeslaCelab(lexicon=source, script="keep", max_order=MAX_ORDER)


def check_crafted(case: Any, folder: Path) -> bool:
    which, edits, texts = case
    source, path, whole = cached(which, folder)
    crafted = edited(whole, edits)
    path.write_bytes(crafted)
    metric = opened(source)
    now = path.read_bytes()
    assert now in (whole, crafted), "neither taken nor made again"
    lexicon, arrays = metric.engine.lexicon, arrays_of(now)
    words = words_of(arrays)
    groups: list[list[str]] = [[] for _ in range(lexicon.n_groups)]
    for word, of in words.items():
        for group in of:
            groups[group].append(word)
    for group in range(lexicon.n_groups):
        assert isinstance(lexicon.label(group), str)
    for word, of in words.items():
        found = lexicon.native.find(np.asarray([*map(ord, word)], np.int32))
        assert found >= 0 and lexicon.groups_of(found) == of
        assert lexicon.native.find(np.asarray([*map(ord, word), 1], np.int32)) == -1
    short = [word for word in words if len(word) <= 3]
    texts = [*texts, *short[: 2 * len(texts)][-2:]]
    for hyp, ref in zip(texts[::2], texts[1::2], strict=False):
        compare(metric, groups, hyp, ref)
    return now == crafted


def compare(metric: celab.TeslaCelab, groups: list[list[str]], hyp: str, ref: str) -> None:
    """The score of a pair is the oracle's, with the groups that the file holds."""
    sides = [tokens.tokens(tokens.fold_width(text)) for text in (hyp, ref)]
    if not all(sides):
        return
    linked = links.phrase_links(*sides, groups, MAX_ORDER)
    expected = program.score(linked, *map(len, sides), MAX_ORDER, Fraction(1, 4))
    found = metric.sentence_score(hyp, [ref]).score
    assert math.isclose(found, expected, abs_tol=1e-9), (hyp, ref, found, expected)


TARGETS = {"crafted": Target(make_crafted, check_crafted)}
