"""The readers, one module per format. Each has

    recognises(path, head)       whether the beginning of a file looks like it
    provenance(source, head)     (origin, licence, version) as far as the source says
    read(source)                 its groups as a stream, each with its label

`head` is the first 64 KiB as text, empty for a folder. What `read` cannot read it passes to
`source.skip`; repeated words, and groups of one word, go in `groups`. Readers are tried in this
order, so the particular stand before the general.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from celab.base.errors import LexiconError
from celab.lexicon.model import Group, Labelled
from celab.lexicon.source import SourceFile, rows_of

# Characters of labels and words, and four for each word, because a short one takes memory too.
MOST_KEPT = 1 << 26

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

    def recognises(self, path: Path, head: str) -> bool: ...  # noqa: D102
    def provenance(self, source: SourceFile, head: str) -> tuple[str, str, str]: ...  # noqa: D102
    def read(self, source: SourceFile) -> Labelled: ...  # noqa: D102


def reader(name: str) -> Reader:
    """The reader of that format."""
    if name not in FORMATS:
        raise LexiconError(f"format {name!r} is not known; it must be one of: {', '.join(FORMATS)}")
    return cast(Reader, import_module(f"celab.lexicon.readers.{FORMATS[name]}"))


def groups(name: str, source: SourceFile) -> Iterator[Group]:
    """The groups that the reader of that format finds: of two or more words, unless set so."""
    left, fewest = MOST_KEPT, 1 if source.settings.single else 2
    for label, words in reader(name).read(source):
        if len(distinct := tuple(dict.fromkeys(words))) >= fewest:
            left -= len(label) + sum(map(len, distinct)) + 4 * len(distinct)
            if left < 0:
                raise LexiconError(
                    f"lexicon {source.path} has too many words: more than {MOST_KEPT >> 20} Mi"
                    " characters; use a part of it"
                )
            yield Group(label, distinct)


def recognise(source: SourceFile, head: str) -> str:
    """The first format whose reader recognises the source."""
    if head.startswith("CELABLX"):
        raise LexiconError(
            f"lexicon {source.path} is a compiled lexicon from celab's cache; use the source"
            " or the .lex file that it was compiled from"
        )
    for name in FORMATS:
        if reader(name).recognises(source.path, head):
            return name
    if source.path.is_dir():
        raise LexiconError(
            f"lexicon {source.path} is a folder without WordNet's data files;"
            " it must be a file, or a folder with them"
        )
    if not rows_of(head):
        raise LexiconError(f"lexicon {source.path} is empty; it must contain groups of words")
    for _ in source.lines():  # if it is no text at all, that is what to say
        pass
    raise LexiconError(
        f"lexicon {source.path} has an unknown format; its first line is"
        f" {head.strip()[:30].splitlines()[0]!r}; give the format"
        " (celab lexicon build --format), or write one group per line, separated by tabs"
    )
