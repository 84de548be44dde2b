"""Wiktionary, raw: which dumps and pages are read, and what is refused."""

import bz2
import re
import sys
from xml.etree.ElementTree import iterparse

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wiktionary_sources import CHINESE, GERMAN, dump, page, raw, read, source_of

from celab import LexiconError
from celab.lexicon.readers import groups, recognize, wiktionary_dump

SMALL = dump("de", page("Tisch", GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")))
FOUND = [("Tisch, sense 1", "Tisch Tafel")]


@pytest.mark.parametrize("code", ["de", "zh"])
def test_only_pages_of_words(tmp_path, code):
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    if code == "zh":
        text = CHINESE.format(
            inline="#: {{syn|zh|計算機}}", section="", language="漢語", heading="同義詞"
        )
    redirect = '    <redirect title="b" />\n'
    pages = [
        page("頭一", text),
        page("Template:a", text, 10),
        page("Thesaurus:a", text, 110),
        page("頭二", text, 0, redirect),
        page("空", ""),
        page("頭三", text),
    ]
    found = raw(tmp_path, dump(code, *pages))
    assert [label for label, _ in found] == ["頭一, sense 1", "頭三, sense 1"]


def test_damaged_bz2(tmp_path):
    packed = bytearray(bz2.compress(SMALL.encode()))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(LexiconError, match="cannot be decompressed"):
        raw(tmp_path, bytes(packed), "x.xml.bz2")


LAUGHS = (
    '<!DOCTYPE mediawiki [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]>"
)
EXTERNAL = '<!DOCTYPE mediawiki [<!ENTITY a11 SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("dtd", [LAUGHS, EXTERNAL, "<!DOCTYPE mediawiki>"], ids=len)
@pytest.mark.parametrize(
    "before", ["", '<?xml version="1.0"?>\n', "\ufeff", "<!-- -->", " " * 5000]
)
def test_a_dtd_is_refused(tmp_path, dtd, before):
    content = before + dtd + SMALL.replace("[[Tafel]]", "[[&a11;]]")
    source = source_of(tmp_path, content, "x.xml")
    assert recognize(source, source.head()) == "wiktionary-dump"
    with pytest.raises(LexiconError, match=r"has a DTD|does not begin"):
        read(wiktionary_dump, source)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_dtd_in_another_encoding_is_refused(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}{SMALL}'.encode(encoding)
    with pytest.raises(LexiconError, match="does not begin"):
        raw(tmp_path, content)


def test_edition_without_a_database_name(tmp_path):
    content = re.sub("<dbname>.*</dbname>", "", SMALL)
    assert raw(tmp_path, content) == FOUND
    assert raw(tmp_path, re.sub("<base>.*</base>", "", content)) == FOUND
    with pytest.raises(LexiconError, match="'dewikipedia'"):
        raw(tmp_path, content.replace("wiktionary.org", "wikipedia.org"))


def test_language_must_be_the_editions(tmp_path):
    assert raw(tmp_path, SMALL, language="de") == FOUND
    with pytest.raises(LexiconError, match="reads only the language 'de' from it, not 'zh'"):
        raw(tmp_path, SMALL, language="zh")


def test_a_package_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(LexiconError, match=r"mwparserfromhell .*pip install .*\[wiktionary\]"):
        raw(tmp_path, SMALL)


def test_a_page_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(wiktionary_dump, "LONGEST_PAGE", 100_000)
    pages = [page(f"Tisch{i}", "x" * 900) for i in range(300)]
    assert raw(tmp_path, dump("de", *pages)) == []
    with pytest.raises(LexiconError, match="a page of more than"):
        raw(tmp_path, dump("de", page("Tisch", "x" * 200_000)))


def test_the_root_keeps_no_pages(tmp_path, monkeypatch):
    elements = []

    def watched(*given):
        for event, element in iterparse(*given):
            elements[:] = elements or [element]
            yield event, element

    monkeypatch.setattr(wiktionary_dump, "iterparse", watched)
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    source = source_of(tmp_path, dump("de", *[page("Tisch", text)] * 1000), "x.xml")
    left = [len(elements[0]) for _ in wiktionary_dump.read_groups(source)]
    assert len(left) == 1000 and max(left) < 100  # those of one read of the file


MARKUP = "{{ }} [[ ]] | '' : [1] [1–3] # * = ; , {{syn|zh| {{zh-l| {{col3|zh|"
MARKUP += " 詞 Wort <ref> </ref> <!-- -->"
HEADINGS = ["== A ({{Sprache|Deutsch}}) ==\n", "\n{{Synonyme}}\n", "==漢語==\n", "====同義詞====\n"]
WIKITEXT = st.lists(
    st.sampled_from([*MARKUP.split(), "\n", *HEADINGS])
    | st.text(st.characters(blacklist_categories=["Cs", "Cc", "Cn"]), max_size=3),
    max_size=40,
).map("".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wiktionary")


@given(WIKITEXT, st.sampled_from(["de", "zh"]))
def test_any_wikitext_makes_proper_groups_or_none(folder, text, code):
    source = source_of(folder, dump(code, page("詞", text)), "x.xml")
    for group in groups("wiktionary-dump", source):
        assert len(set(group.words)) == len(group.words) > 1
        assert all(word and word.isprintable() for word in group.words)


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("dewiktionary-20240601-pages-articles.xml", SMALL, ("German", "20240601")),
        ("zhwiktionary-latest.xml", dump("zh"), ("Chinese", "MediaWiki 1.44.0-wmf.1")),
    ],
)
def test_the_edition_and_its_version(tmp_path, name, content, facts):
    source = source_of(tmp_path, content, name)
    assert recognize(source, source.head()) == "wiktionary-dump"
    origin, _, version = wiktionary_dump.provenance(source, source.head())
    assert (origin, version) == (f"Wiktionary, {facts[0]} edition, dump", facts[1])
