"""Words remembered on disk, so that the next run need not analyze the same sentences again.

One SQLite file for each analyzer in the cache folder, named by a digest of the analyzer's name,
which has the versions of its tools and models, of celab's version and of the table. Only its owner
may read it.
A row is the digest of a sentence, its words, and a digest of both: a row with another digest is
damaged, and the sentence is analyzed as if it were not there.
`CELAB_REMEMBER=0` in the environment turns this off.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path

from celab.analysis.model import Word
from celab.base import io
from celab.base.version import __version__

MOST_BYTES = 1 << 29  # a file this large takes no more
_AT_ONCE = 500  # SQLite allows 999 parameters
_DAMAGE = (sqlite3.Error, OSError, UnicodeDecodeError)  # the last: damaged text
_TABLE = """CREATE TABLE IF NOT EXISTS
    words (key BLOB PRIMARY KEY, words TEXT, digest BLOB) WITHOUT ROWID"""

Words = tuple[Word, ...]


class Memory:
    """The words of sentences by one analyzer."""

    def __init__(self, analyzer: str) -> None:
        name = blake2b(f"{analyzer}|{__version__}|{_TABLE}".encode(), digest_size=8).hexdigest()
        self.path: Path | None = io.cache_folder() / "words" / f"{name}.sqlite"
        if os.environ.get("CELAB_REMEMBER", "1") == "0":
            self.path = None
        self._words: dict[tuple[str, str, str, bool], Word] = {}

    def recall(self, sentences: Sequence[str]) -> dict[str, Words]:
        """Return the words of the sentences that are remembered."""
        known: dict[str, Words] = {}
        if self.path is None or not sentences or not self.path.is_file():
            return known
        by_key = {_key(text): text for text in sentences}
        keys = list(by_key)
        with suppress(*_DAMAGE), closing(self._connect("ro")) as file:
            for i in range(0, len(keys), _AT_ONCE):
                batch = keys[i : i + _AT_ONCE]
                marks = ",".join("?" * len(batch))
                rows = file.execute(
                    f"SELECT key, words, digest FROM words WHERE key IN ({marks})", batch
                )
                for key, text, digest in rows:
                    if key in by_key and digest == _digest(key, text):
                        cells = zip(*json.loads(text), strict=True)
                        known[by_key[key]] = tuple(self._shared(cells))
        return known

    def remember(self, known: Mapping[str, Words]) -> None:
        """Add the words of these sentences, if the file can be written."""
        if self.path is None or not known:
            return
        with suppress(*_DAMAGE):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            if not self.path.is_file() or self.path.stat().st_size > MOST_BYTES:
                return
            rows = [_row(_key(text), _written(words)) for text, words in known.items()]
            with closing(self._connect("rw")) as file, file:
                file.execute(_TABLE)
                file.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", rows)

    def _connect(self, mode: str) -> sqlite3.Connection:
        assert self.path is not None
        return sqlite3.connect(f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=1.0)

    def _shared(self, cells: Iterable[tuple[str, str, str, str]]) -> Iterator[Word]:
        # The same word is the same object, which saves most of the time.
        for form, lemma, tag, function in cells:
            key = (form, lemma, tag, function == "1")
            word = self._words.get(key)
            if word is None:
                word = self._words[key] = Word(*key)
            yield word


def _key(sentence: str) -> bytes:
    return blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _row(key: bytes, words: str) -> tuple[bytes, str, bytes]:
    return key, words, _digest(key, words)


def _digest(key: bytes, words: object) -> bytes:
    """Return the digest of a row; words that are no text have that of another row."""
    return blake2b(key + str(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _written(words: Words) -> str:
    functions = "".join("01"[word.function] for word in words)
    columns = ([getattr(word, name) for word in words] for name in ("form", "lemma", "tag"))
    return json.dumps([*columns, functions])
