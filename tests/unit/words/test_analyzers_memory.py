"""Words of slow analyzers are remembered on disk; nothing that is wrong there can be seen."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from celab.base.errors import SentenceError
from celab.words import analyzers
from celab.words.analyzers import CachedAnalyzer
from celab.words.model import Analyzer, Word

SENTENCES = ["ein Haus", "", "a|b 雨", "\udc80 \x00\t", "ein Haus"]


class Counted(Analyzer):
    """Splits at spaces, and counts the sentences that it is given."""

    lasting = True
    name = "counted-1"

    def __init__(self):
        self.seen = []

    def _words(self, sentence, number):
        if sentence == "bad":
            raise SentenceError(number, "cannot be read")
        self.seen.append(sentence)
        return tuple(
            Word(form, form.lower(), f"t{k}", k % 2 == 1)
            for k, form in enumerate(sentence.split(" "))
        )


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path))
    return tmp_path


def analyzed(sentences=SENTENCES, name="counted-1"):
    """The words, and which sentences had to be analyzed."""
    analyzer = Counted()
    analyzer.name = name
    return CachedAnalyzer(analyzer).analyze(sentences), analyzer.seen


def the_file(cache):
    (path,) = (cache / "words").iterdir()
    return path


def test_the_second_run_analyses_nothing(cache):
    first, seen = analyzed()
    assert seen == list(dict.fromkeys(SENTENCES))
    again, seen = analyzed()
    assert (again, seen) == (first, [])
    assert stat.S_IMODE(the_file(cache).stat().st_mode) == 0o600


def test_only_new_sentences_are_analyzed():
    analyzed(["a b"])
    words, seen = analyzed(["a b", "c d"])
    assert seen == ["c d"]
    assert [word.form for sentence in words for word in sentence] == ["a", "b", "c", "d"]


def test_another_analyzer_or_version_has_its_own_words(monkeypatch):
    analyzed(["a"])
    assert analyzed(["a"], "counted-2")[1] == ["a"]
    monkeypatch.setattr(analyzers, "__version__", "other")
    assert analyzed(["a"])[1] == ["a"]


def test_it_can_be_turned_off(cache, monkeypatch):
    monkeypatch.setenv("CELAB_REMEMBER", "0")
    analyzed()
    assert not (cache / "words").exists()


def test_an_error_keeps_what_was_done_before_it():
    with pytest.raises(SentenceError):
        CachedAnalyzer(Counted()).analyze([*(f"s {k}" for k in range(100)), "bad"])
    assert analyzed(["s 1"])[1] == []


def test_a_folder_that_cannot_be_written(cache, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", os.path.join(os.devnull, "celab"))
    assert analyzed()[1] == list(dict.fromkeys(SENTENCES))


def test_a_large_file_takes_no_more(monkeypatch):
    analyzed(["a"])
    monkeypatch.setattr(analyzers, "MAX_MEMORY_BYTES", 10)
    analyzed(["b"])
    assert analyzed(["a", "b"])[1] == ["b"]


ROWS = ["", "[]", "[[1], [2], [3], [4]]", "[" * 100_000]
CONTENTS = [b"", b"no database", b"SQLite format 3\0" + bytes(200)]


def update_rows(path, text):
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE words SET words = ?", [text])


def spoil_definition(path, _):
    data = path.read_bytes()
    assert b"CREATE TABLE" in data
    path.write_bytes(data.replace(b"CREATE TABLE", b"CREATE TABL\xde"))


def take_column(path, name):
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(f"ALTER TABLE words DROP COLUMN {name}")


@pytest.mark.parametrize(
    ("change", "value"),
    [
        *((Path.write_bytes, content) for content in CONTENTS),
        *((update_rows, row) for row in ROWS),
        (spoil_definition, None),
        (take_column, "digest"),
    ],
    ids=range(9),
)
def test_what_is_wrong_in_the_file_is_not_used(cache, change, value):
    first, _ = analyzed(["a b"])
    change(the_file(cache), value)
    again, seen = analyzed(["a b"])
    assert again == first and seen == ["a b"]


def test_no_flipped_bit_changes_a_word(cache):
    """A bit of every byte that SQLite has written, and of some between, flipped one at a time."""
    sentences = ["ein Haus", "a|b 雨", ""]
    first, _ = analyzed(sentences)
    right = dict(zip(sentences, first, strict=True))
    path = the_file(cache)
    data = path.read_bytes()
    lasting = analyzers.Memory("Counted|counted-1")
    assert lasting.path == path and lasting.recall(sentences) == right
    flipped = [at for at, byte in enumerate(data) if byte or at % 41 == 0]
    n_damaged = 0
    for at in flipped:
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        recalled = lasting.recall(sentences)
        assert recalled.items() <= right.items()
        n_damaged += recalled != right
    assert n_damaged > len(flipped) // 3  # much of what is written matters


def test_a_damaged_row_is_written_anew(cache):
    first, _ = analyzed(["a b", "c d"])
    update_rows(the_file(cache), '[["x"], ["x"], ["t"], "0"]')
    assert analyzed(["a b", "c d"]) == (first, ["a b", "c d"])
    assert analyzed(["a b", "c d"]) == (first, [])


def test_a_row_of_another_sentence_is_not_used(cache):
    first, _ = analyzed(["a b", "c d"])
    with closing(sqlite3.connect(the_file(cache))) as file, file:
        rows = file.execute("SELECT key, words, digest FROM words").fetchall()
        for (key, _, _), (_, words, digest) in zip(rows, reversed(rows), strict=True):
            file.execute(
                "UPDATE words SET words = ?, digest = ? WHERE key = ?", [words, digest, key]
            )
    assert analyzed(["a b", "c d"]) == (first, ["a b", "c d"])
