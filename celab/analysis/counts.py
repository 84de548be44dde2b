"""Counts: a file of the user's → how often each word occurs, for the splitting of compounds.

The file is a text, whose words are counted, or a table of words and counts; see `counts_from`.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import inf
from pathlib import Path

from celab.corpus import DECOMPRESS, name_of, read_lines
from celab.errors import InputError

_LETTERS = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"[^\t]+\t\d+(\.\d+)?\s*")
_OF_SIGNATURES = re.compile(r"[\s|+:@,]")  # these have a meaning there
_CHUNK = 1 << 20


def counts_from(path: str | os.PathLike[str]) -> dict[str, float]:
    """Counts of lower-cased words, from a corpus or from a table of words and counts.

    A file is a table if it is named `.tsv` or its first line is a word, a tab and a number; blank
    lines and lines that begin with # are skipped then. Everything else is text, of which the runs
    of letters are counted. Either may be compressed.
    """
    lines = read_lines(path)
    name = name_of(os.fspath(path))
    stem, suffix = os.path.splitext(os.fspath(path).lower())
    if suffix in DECOMPRESS:
        suffix = os.path.splitext(stem)[1]
    counts: Mapping[str, float]
    if suffix == ".tsv" or _COUNTED.fullmatch(lines[0]):
        counts = _read_table(lines, name)
    else:
        counter = Counter[str]()
        for line in lines:
            counter.update(_LETTERS.findall(unicodedata.normalize("NFC", line).lower()))
        counts = counter
    if not counts:
        raise InputError(f"{name} has no words; it must be a text, or lines of word, tab, count")
    if not 0 < (total := sum(counts.values())) < inf:
        raise InputError(
            f"{name}: the counts of {len(counts)} words add up to {total};"
            " they must be positive numbers"
        )
    return dict(counts)


def _read_table(lines: list[str], name: str) -> dict[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, *rest = line.split("\t")
        try:
            (count,) = map(float, rest)
        except ValueError:
            count = -1.0
        if not (word.strip() and 0 <= count < inf):
            raise InputError(
                f"{name}, line {number}: {line[:60]!r} is not a word, a tab and a count; "
                "the count must be a number that is not negative"
            )
        counts[unicodedata.normalize("NFC", word.strip()).lower()] += count
    return counts


def stem_of(path: str | os.PathLike[str]) -> str:
    """What signatures call the file: its name without its ending, nor that of its compression.

    >>> stem_of("texts/news 2019.de.tsv.gz")
    'news_2019.de'
    """
    name = Path(path).name.encode(errors="replace").decode()  # a path may hold what is no text
    stem, suffix = os.path.splitext(name)
    if suffix.lower() in DECOMPRESS:
        stem = os.path.splitext(stem)[0]
    return _OF_SIGNATURES.sub("_", stem)


def digest_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of the file's bytes as they lie on the disk."""
    total = hashlib.sha256()
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            while chunk := os.read(number, _CHUNK):
                total.update(chunk)
        finally:
            os.close(number)
    except OSError as error:
        name = name_of(os.fspath(path))
        raise InputError(
            f"{name} cannot be read ({error.strerror}); it must be a readable file"
        ) from None
    return total.hexdigest()
