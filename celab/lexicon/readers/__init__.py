"""The readers of lexicon formats, one module each.

A new format needs a module here and a sample in tests/reader_samples.py, and no line elsewhere in
the code: every module of this package is a reader, named like its format (`wn_lmf.py` reads
`wn-lmf`), and must pass tests/unit/lexicon/test_readers.py with its sample. Users find the
format in the table of docs/lexicons.md. A reader has

    recognizes(path, head)       whether the beginning of a file looks like the format
    provenance(source, head)     (origin, licence, version) as far as the source names them
    read_groups(source)          its groups as a stream, each with its label

`head` is the first 64 KiB as text, empty for a folder. `read_groups` passes what it cannot read to
`source.skip`; `groups` removes repeated words, and groups of one word. A format without a mark of
its own sets `GENERALITY`, so that it is tried after the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from celab.base.errors import LexiconError
from celab.lexicon.source import Group, Labeled, SourceFile, rows_of

# Characters of labels and words, and four for each word, because a short one takes memory too.
MAX_KEPT = 1 << 26

FORMATS = tuple(sorted(module.name.replace("_", "-") for module in iter_modules(__path__)))


class Reader(Protocol):
    """A module of this package."""

    def recognizes(self, path: Path, head: str) -> bool: ...  # noqa: D102
    def provenance(self, source: SourceFile, head: str) -> tuple[str, str, str]: ...  # noqa: D102
    def read_groups(self, source: SourceFile) -> Labeled: ...  # noqa: D102


def reader(name: str) -> Reader:
    """Return the reader of a format."""
    if name not in FORMATS:
        raise LexiconError(f"format {name!r} is not known; choose from {', '.join(FORMATS)}")
    return cast(Reader, import_module(f"{__name__}.{name.replace('-', '_')}"))


def groups(name: str, source: SourceFile) -> Iterator[Group]:
    """Yield the groups of a source in that format: of two or more words, unless `single` is set."""
    n_left, min_words = MAX_KEPT, 1 if source.settings.single else 2
    for label, words in reader(name).read_groups(source):
        if len(distinct := tuple(dict.fromkeys(words))) >= min_words:
            n_left -= len(label) + sum(map(len, distinct)) + 4 * len(distinct)
            if n_left < 0:
                raise LexiconError(
                    f"lexicon {source.path} has too many words: more than {MAX_KEPT >> 20} Mi"
                    " characters; use a part of it"
                )
            yield Group(label, distinct)


def recognize(source: SourceFile, head: str) -> str:
    """Return the format of the source; `LexiconError` if no reader recognizes it."""
    if head.startswith("CELABLX"):
        raise LexiconError(
            f"lexicon {source.path} is a compiled lexicon from celab's cache; use the source"
            " or the .lex file that it was compiled from"
        )
    if "<mediawiki" in head:
        raise LexiconError(
            f"lexicon {source.path} is a raw dump of Wiktionary; use an extract of the same"
            " edition, which celab lexicon fetch kaikki-zh or kaikki-de downloads"
        )
    for name in sorted(FORMATS, key=lambda name: getattr(reader(name), "GENERALITY", 0)):
        if reader(name).recognizes(source.path, head):
            return name
    if source.path.is_dir():
        raise LexiconError(
            f"lexicon {source.path} is a folder without WordNet's data files;"
            " it must be a file, or a folder with them"
        )
    if not rows_of(head):
        raise LexiconError(f"lexicon {source.path} is empty; it must contain groups of words")
    for _ in source.lines():  # a file that is not text is an error of its own
        pass
    raise LexiconError(
        f"lexicon {source.path} has an unknown format; its first line is"
        f" {head.strip()[:30].splitlines()[0]!r}; give the format"
        " (celab lexicon build --format), or write one group per line, separated by tabs"
    )
