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
from celab.lexicon.model import Labelled
from celab.lexicon.readers.omw import chinese_forms, speaks
from celab.lexicon.source import MAX_LINE, SourceFile

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
    """Where `wn` keeps its database, if that has a lexicon of the language."""
    folder = os.environ.get("WN_DATA_DIR") or os.path.join("~", ".wn_data")
    path = Path(os.path.expanduser(folder), "wn.db")
    if not os.path.isfile(path):
        return None
    try:
        with _opened(path) as database:
            return path if _lexicons(database, language) else None
    except LexiconError:  # nobody has named it
        return None


def recognises(path: Path, head: str) -> bool:
    """By how every SQLite file begins."""
    return head.startswith(_MAGIC)


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """What the lexicons of the language say of themselves, without what was said before."""
    with _opened(source.path) as database:
        found = _lexicons(database, source.settings.language)
    return (
        "; ".join(", ".join(filter(None, (one.label, one.url))) for one in found),
        "; ".join(dict.fromkeys(one.licence for one in found)),
        "; ".join(f"{one.id}:{one.version}" for one in found),
    )


def read_groups(source: SourceFile) -> Labelled:
    """One group per synset, lexicon by lexicon."""
    with _opened(source.path) as database:
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
    found = [_Lexicon(n, *("" if x is None else str(x) for x in said)) for n, *said in rows]
    return [one for one in found if language is None or speaks(one.language, language)]


@contextmanager
def _opened(path: Path) -> Iterator[Connection]:
    import sqlite3  # here, because every reader is imported to recognise a format

    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        # A view without end and a product of tables end too: no true database takes so many steps.
        left = iter(range(100 + path.stat().st_size // 250))
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE)
            database.set_progress_handler(lambda: next(left, None) is None, 10_000)
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages may be no UTF-8
        raise LexiconError(
            f"lexicon {path} cannot be read as the database of the package wn ({error});"
            " it must be complete and uncompressed"
        ) from None
