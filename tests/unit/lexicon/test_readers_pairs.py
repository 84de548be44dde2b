"""Pairs of words, with and without weights."""

import pytest
from reader_samples import read

# ---- Sudachi, pairs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\nc, d;e\n", {"line 1": "a b", "line 2": "c, d e"}),
        ("# word,synonym\n\na , b\n", {"line 3": "a b"}),
        ("Word;Synonym\na;b\n", {"line 2": "a b"}),
        ("a,b\nword,synonym\n", {"line 1": "a b", "line 2": "word synonym"}),
        ('"a ""b""", c\n', {"line 1": 'a "b" c'}),
    ],
)
def test_pairs(content, expected, write_source):
    source = write_source(content)
    assert read("pairs", source) == expected
    assert source.skipped == []
