"""The database of the package `wn`: an SQLite file with the wordnets that it has downloaded.

    lexicons (id, version, language, label, license, url)
    synsets (id, lexicon) ← senses (synset, entry, rank in the synset) → forms (entry, rank)

A group is a synset: of each entry that has a sense in it the lemma, which is the form of rank 0, in
the synset's own order. Entries of an extension join the synsets of the lexicon that they extend.
The label is the lexicon with its version, and the synset: `oewn:2024 oewn-02086723-n`. The file is
only read, and the package is not needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from celab.base.errors import LexiconError
from celab.lexicon.readers.omw import chinese_forms, speaks
from celab.lexicon.source import Labeled, SourceFile

if TYPE_CHECKING:
    from sqlite3 import Connection

_MAGIC = "SQLite format 3\0"
_LEXICONS = "SELECT rowid, id, version, language, label, license, url FROM lexicons ORDER BY rowid"
_SENSES = """
    SELECT synsets.rowid, synsets.id, forms.form
    FROM synsets
    JOIN senses ON senses.synset_rowid = synsets.rowid
    JOIN forms ON forms.entry_rowid = senses.entry_rowid AND forms.rank = 0
    WHERE synsets.lexicon_rowid = ?
    ORDER BY synsets.rowid, senses.synset_rank, senses.rowid
"""


class _Lexicon(NamedTuple):
    rowid: int
    id: str
    version: str
    language: str
    label: str
    licence: str
    url: str


def data_path(language: str) -> Path | None:
    """Return the path of the database of `wn` if it has a lexicon of the language, else None."""
    folder = os.environ.get("WN_DATA_DIR") or os.path.join("~", ".wn_data")
    path = Path(os.path.expanduser(folder), "wn.db")
    if not os.path.isfile(path):
        return None
    try:
        with _open_database(path) as database:
            return path if _lexicons(database, language) else None
    except LexiconError:  # no error, because the user did not name it
        return None


def recognizes(path: Path, head: str) -> bool:
    """Return whether the file begins like an SQLite file."""
    return head.startswith(_MAGIC)


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what the lexicons of the language state, without repetitions."""
    with _open_database(source.path) as database:
        lexicons = _lexicons(database, source.settings.language)
    return (
        "; ".join(", ".join(filter(None, (lexicon.label, lexicon.url))) for lexicon in lexicons),
        "; ".join(dict.fromkeys(lexicon.licence for lexicon in lexicons)),
        "; ".join(f"{lexicon.id}:{lexicon.version}" for lexicon in lexicons),
    )


def read_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, lexicon by lexicon."""
    with _open_database(source.path) as database:
        for lexicon in _lexicons(database, source.settings.language):
            rows = database.execute(_SENSES, (lexicon.rowid,))
            for (_, synset), members in groupby(rows, key=lambda row: (row[0], row[1])):
                words: list[str] = []
                for _, _, form in members:
                    if not isinstance(form, str) or not form.strip():
                        source.skip(f"synset {synset!r}", f"{form!r} is not a word")
                    elif speaks(lexicon.language, "zh"):
                        words += chinese_forms(form.strip())
                    else:
                        words.append(form.strip())
                yield f"{lexicon.id}:{lexicon.version} {synset}", words
    if source.progress is not None:
        source.progress(source.size)


def _lexicons(database: Connection, language: str | None) -> list[_Lexicon]:
    rows = database.execute(_LEXICONS)
    # A cell of SQLite may hold anything, or nothing, whatever its column is declared to be.
    lexicons = [_Lexicon(n, *("" if x is None else str(x) for x in cells)) for n, *cells in rows]
    return [
        lexicon for lexicon in lexicons if language is None or speaks(lexicon.language, language)
    ]


@contextmanager
def _open_database(path: Path) -> Iterator[Connection]:
    import sqlite3  # not at the top, because all readers are imported to recognize a format

    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages may be no UTF-8
        raise LexiconError(
            f"lexicon {path} cannot be read as the database of the package wn ({error});"
            " it must be complete and uncompressed"
        ) from None
