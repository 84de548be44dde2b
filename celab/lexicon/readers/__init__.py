"""The readers of lexicon formats.

A new format needs its reader in `READERS` of a module here, and a sample in tests/reader_samples.py
with which it must pass tests/unit/lexicon/test_readers.py. Users find the format in the table of
docs/lexicons.md. `celab.lexicon.source.Reader` says what a reader is; `groups` removes repeated
words, and groups of one word.
"""

from __future__ import annotations

from collections.abc import Iterator

from celab.base.errors import LexiconError
from celab.lexicon.readers import dictionaries, lists, wordnets
from celab.lexicon.source import Group, Reader, SourceFile, rows_of

# Characters of labels and words, and four for each word, because a short one takes memory too.
MAX_KEPT = 1 << 26

READERS = dictionaries.READERS | lists.READERS | wordnets.READERS
FORMATS = tuple(sorted(READERS))


def reader(name: str) -> Reader:
    """Return the reader of a format."""
    if name not in READERS:
        raise LexiconError(f"format {name!r} is not known; choose from {', '.join(FORMATS)}")
    return READERS[name]


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
    for name in sorted(FORMATS, key=lambda name: READERS[name].generality):
        if READERS[name].recognizes(source.path, head):
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
