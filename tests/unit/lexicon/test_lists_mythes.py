"""MyThes: its encoding, and a wrong count."""

import pytest
from reader_samples import read

# ---- OpenThesaurus and MyThes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "codec", "words"),
    [
        ("utf8", "utf-8", "Tür Pförtchen"),
        ("ISO8859-1", "latin-1", "Tür Pförtchen"),
        ("ISO-8859-15", "iso8859-15", "Tür Pförtchen"),
        ("microsoft-cp1252", "cp1252", "Tür Pförtchen"),
        ("GB18030", "gb18030", "伞 雨伞"),
        ("KOI8-R", "koi8-r", "дверь вход"),
        ("TIS620-2533", "tis-620", "ร่ม กลด"),
    ],
)
def test_mythes_encoding_is_as_the_file_says(name, codec, words, write_source):
    head, synonym = words.split()
    content = f"{name}\n{head}|1\n-|{synonym}\n".encode(codec)
    assert read("mythes", write_source(content)) == {f"{head}, meaning 1": words}


def test_mythes_finds_its_way_after_a_wrong_count(write_source):
    content = "UTF-8\na|3\n-|b\nc|1\n-|d\n-|e\nf|2\n-|2\n"
    source = write_source(content)
    assert read("mythes", source) == {
        "a, meaning 1": "a b",
        "c, meaning 1": "c d",
        "f, meaning 1": "f 2",
    }
    assert source.skipped == [
        "line 4: 'a' has 1 of 3 announced meanings",
        "line 6: '-|e' is not an entry such as 'word|2'",
        "end: 'f' has 1 of 2 announced meanings",
    ]
