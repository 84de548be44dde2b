"""The readers, one file a format. Each module has

    FORMAT                       its name on the command line
    recognises(path, head)       whether the beginning of a file looks like it
    provenance(source, head)     (origin, licence, version) as far as the source says
    read(source)                 its groups, as a stream

`head` is the first 64 KiB as text, empty for a folder. What `read` cannot make sense of it hands to
`source.skip`. Readers are tried in this order, so the particular stand before the general.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from celab.errors import LexiconError
from celab.lexicon.files import SourceFile
from celab.lexicon.model import Group

FORMATS = {
    "wiktionary-dump": "wiktionary_dump",
    "wiktextract": "wiktextract",
    "cilin": "cilin",
    "wordnet": "wordnet",
    "wn-database": "wn_database",
    "wn-lmf": "wn_lmf",
    "omw": "omw",
    "openthesaurus": "openthesaurus",
    "mythes": "mythes",
    "cedict": "cedict",
    "sudachi": "sudachi",
    "tsv": "tsv",
    "pairs": "pairs",
}


class Reader(Protocol):
    """What each module of this folder is."""

    FORMAT: str

    def recognises(self, path: Path, head: str) -> bool: ...  # noqa: D102
    def provenance(self, source: SourceFile, head: str) -> tuple[str, str, str]: ...  # noqa: D102
    def read(self, source: SourceFile) -> Iterator[Group]: ...  # noqa: D102


def reader(name: str) -> Reader:
    """The reader of that format."""
    if name not in FORMATS:
        raise LexiconError(f"format {name!r} is not known; it must be one of: {', '.join(FORMATS)}")
    return cast(Reader, import_module(f"celab.lexicon.readers.{FORMATS[name]}"))


def recognise(source: SourceFile, head: str) -> Reader:
    """The first reader that takes the source for its own."""
    for name in FORMATS:
        candidate = reader(name)
        if candidate.recognises(source.path, head):
            return candidate
    if source.path.is_dir():
        raise LexiconError(
            f"lexicon {source.path} is a folder without WordNet's data files;"
            " it must be a file, or a folder with them"
        )
    lines = [line.strip() for line in head.split("\n")]
    if all(not line or line.startswith("#") for line in lines):
        raise LexiconError(f"lexicon {source.path} is empty; it must hold groups of words")
    for _ in source.lines():  # if it is no text at all, that is what to say
        pass
    line = next(line for line in lines if line)
    raise LexiconError(
        f"lexicon {source.path} is in no format that celab knows; its first line is"
        f" {line[:30]!r}; name the format with --format, or write one group a line with tabs"
    )
