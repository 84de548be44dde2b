"""The database of the package `wn`: one written for the tests, and one that `wn` has made."""

import subprocess
import sys

import pytest
from reader_samples import WN_DATABASE, WN_LMF, WN_ROWS, WN_TABLES, database, provenance, put, read

from celab.lexicon import catalog
from celab.lexicon.readers.wordnets import wn_database_path

EXTENSION = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
  <LexiconExtension id="more" label="More" language="de" email="a@example.org"
                    license="CC0" version="1">
    <Extends id="probe" version="1.4"/>
    <LexicalEntry id="m1">
      <Lemma writtenForm="Knirps" partOfSpeech="n"/>
      <Sense id="m1-1" synset="probe-1-n"/>
    </LexicalEntry>
    <ExternalSynset id="probe-1-n"/>
  </LexiconExtension>
</LexicalResource>
"""


@pytest.mark.parametrize(
    ("language", "labels", "version"),
    [
        ("en", ["probe:1.4 probe-1-n"], "probe:1.4"),
        ("zh", ["probe-zh:2 probe-zh-1-a"], "probe-zh:2"),
        ("de", [], ""),
    ],
)
def test_lexicons_are_chosen_by_language(language, labels, version, write_source):
    source = write_source(WN_DATABASE, language=language)
    assert list(read("wn-database", source)) == labels
    assert provenance("wn-database", source)[2] == version


def test_a_lexicon_that_says_nothing_of_itself_is_read(write_source):
    # Found by fuzzing: a cell may be NULL, or no text.
    silent = "UPDATE lexicons SET license = NULL, label = NULL, url = x'ff', version = 2 WHERE id ="
    source = write_source(database(f"{WN_TABLES}{WN_ROWS}{silent} 'probe';"), language="en")
    assert provenance("wn-database", source) == ("b'\\xff'", "", "probe:2")
    assert list(read("wn-database", source)) == ["probe:2 probe-1-n"]


def test_reading_changes_nothing_and_leaves_no_file(write_source):
    source = write_source(WN_DATABASE, "100%? #1.db")  # signs that mean something in an address
    assert len(read("wn-database", source)) == 2
    assert source.path.read_bytes() == WN_DATABASE
    assert [path.name for path in source.path.parent.iterdir()] == [source.path.name]


@pytest.mark.parametrize(
    ("content", "is_usable"),
    [
        (WN_DATABASE, True),
        (database(WN_TABLES + WN_ROWS.replace("'en'", "'de'")), False),
        (database("CREATE TABLE words (word TEXT);"), False),
        (b"nonsense", False),
        (None, False),
    ],
)
def test_it_is_looked_for_where_wn_keeps_it(content, is_usable, tmp_path, monkeypatch):
    folder = tmp_path / ".wn_data"
    folder.mkdir()
    if content is not None:
        put(folder / "wn.db", content)
    expected = folder / "wn.db" if is_usable else None

    def data_path(home):
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("USERPROFILE", str(home))
        return wn_database_path("en")

    monkeypatch.delenv("WN_DATA_DIR", raising=False)
    assert data_path(tmp_path) == expected
    assert data_path(tmp_path / "none") is None
    monkeypatch.setenv("WN_DATA_DIR", str(folder))
    assert data_path(tmp_path / "none") == expected


def test_a_database_that_wn_has_made(tmp_path, monkeypatch):
    pytest.importorskip("wn", reason="the package wn is not installed: it cannot make a database")
    german = WN_LMF.replace("LMF-1.0", "LMF-1.1").replace(
        "http://purl.org/dc/elements/1.1/", "https://globalwordnet.github.io/schemas/dc/"
    )
    english = german.replace("probe", "english").replace('"de"', '"en"')
    for number, text in enumerate((german, english, EXTENSION)):
        put(tmp_path / f"{number}.xml", text)
    # In a process of its own: the package keeps one connection open, whatever the folder.
    script = (
        "import sys, wn\n"
        "wn.config.data_directory = sys.argv[1]\n"
        "for path in sys.argv[2:]: wn.add(path, progress_handler=None)\n"
    )
    paths = [str(tmp_path / f"{number}.xml") for number in range(3)]
    folder = tmp_path / "data"
    subprocess.run([sys.executable, "-c", script, str(folder), *paths], check=True, timeout=120)

    monkeypatch.setenv("WN_DATA_DIR", str(folder))
    assert wn_database_path("en") == folder / "wn.db"
    assert wn_database_path("zh") is None
    thesaurus = catalog.load(catalog.locate(folder / "wn.db"))
    assert {group.label: group.words for group in thesaurus.groups} == {
        "probe:1.4 probe-1-n": ("Schirm", "Regenschirm", "Knirps"),
        "probe:1.4 probe-2-n": ("Schirm", "Monitor"),
        "english:1.4 english-1-n": ("Schirm", "Regenschirm"),
        "english:1.4 english-2-n": ("Schirm", "Monitor"),
    }
    (source,) = thesaurus.sources
    assert (source.format, source.licence) == ("wn-database", "CC0")
    assert source.version == "probe:1.4; english:1.4; more:1"
