"""Princeton WordNet: a folder with its database files `data.noun`, `data.verb`, `data.adj`, …

    02084071 05 n 03 dog 0 domestic_dog 0 Canis_familiaris 0 023 @ 02083346 n … | a member of …

offset, file number, kind, number of words (hexadecimal), then each word with a digit that tells its
senses apart; the rest relates the synset to others. Lines that start with two spaces are the
header. Adjectives may end in a marker of their position: `(a)`, `(p)`, `(ip)`. The label is the
part of speech and the offset: `noun 02084071`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from celab.base.errors import LexiconError
from celab.base.progress import split
from celab.lexicon.source import Labeled, SourceFile

PARTS = ("noun", "verb", "adj", "adv")
OURS = "CELAB_WORDNET"
# Where installers put it: Debian's wordnet-base, Arch, Fedora, Homebrew, and WordNet's own.
PLACES = (
    "/usr/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/share/wordnet-3.0/dict",
    "/usr/local/share/wordnet",
    "/usr/local/share/wordnet/dict",
    "/opt/homebrew/opt/wordnet/dict",
    "/usr/local/opt/wordnet/dict",
    "/usr/local/WordNet-3.1/dict",
    "/usr/local/WordNet-3.0/dict",
)
_START = re.compile(r"(\d{8}) \d\d [nvasr] ([0-9a-f]{2}) ", re.ASCII)
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_VERSION = re.compile(r"WordNet (\d[\w.]*) Copyright")


def data_path() -> Path | None:
    """Return the folder of an installed WordNet, or None.

    If CELAB_WORDNET is set, only that path is used; it may also be a file, in any format.
    WordNet's own variables come next, then `PLACES`.
    """
    if named := os.environ.get(OURS):
        path = Path(os.path.expanduser(named))
        located = path if os.path.isfile(path) else _first((path, path / "dict"))
        if located is None:
            raise LexiconError(
                f"{OURS} is {named!r}, but no WordNet was found there;"
                " it must be the folder of WordNet's data.noun, data.verb, data.adj and data.adv"
            )
        return located
    places = [*PLACES]
    if home := os.environ.get("WNHOME"):
        places.insert(0, os.path.join(home, "dict"))
    if searched := os.environ.get("WNSEARCHDIR"):
        places.insert(0, searched)
    return _first(map(Path, places))


def recognizes(path: Path, head: str) -> bool:
    """Return whether the path is a folder with data files."""
    return path.is_dir() and bool(_files(path))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin, license and version from the header of the first data file."""
    text = ""
    for _, path in _files(source.path)[:1]:
        lines = SourceFile(path, source.name, source.settings).head().split("\n")
        # Header lines are numbered: "  14 WordNet 3.0 Copyright 2006 by Princeton University."
        text = " ".join(line.strip().lstrip("0123456789 ") for line in lines if line[:2] == "  ")
    match = _VERSION.search(text)
    version = match[1] if match else ""
    origin = "Princeton WordNet" if "Princeton University" in text else ""
    free = "Permission to use, copy, modify and distribute" in text
    licence = f"{f'WordNet {version}'.strip()} licence (permissive, notice kept)" if free else ""
    return origin, licence, version


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, file by file."""
    files = _files(source.path)
    sizes = [os.path.getsize(path) for _, path in files]
    shares = split(source.progress, sum(sizes), sizes)
    for (part, path), share in zip(files, shares, strict=True):
        file = SourceFile(path, source.name, source.settings, share)
        for number, line in file.lines():
            if line.startswith("  ") or not line.strip():
                continue
            start = _START.match(line)
            fields = line[start.end() :].split(" ") if start else []
            n_words = int(start[2], 16) if start else 0
            words = [_plain(word) for word in fields[: 2 * n_words : 2]]
            if not start or len(fields) < 2 * n_words or not all(words):
                source.skip(f"{path.name}, line {number}", f"{line[:30]!r} is not a synset")
                continue
            yield f"{part} {start[1]}", words


def _files(folder: Path) -> list[tuple[str, Path]]:
    paths = [(part, folder / f"data.{part}") for part in PARTS]
    return [(part, path) for part, path in paths if os.path.isfile(path)]


def _first(folders: Iterable[Path]) -> Path | None:
    return next((folder for folder in folders if _files(folder)), None)


def _plain(word: str) -> str:
    return _MARKER.sub("", word).replace("_", " ").strip()
