"""Wiktionary, raw: which dumps and pages are read, and what is refused."""

import bz2
import re
import sys
from pathlib import Path
from xml.etree.ElementTree import iterparse

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wiktionary_sources import CHINESE, GERMAN, dump, page, raw, read, source_of

from celab import LexiconError
from celab.lexicon.readers import groups, recognise, wiktionary_dump

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


def test_bz2_in_several_streams(tmp_path):
    half = len(SMALL) // 2
    content = bz2.compress(SMALL[:half].encode()) + bz2.compress(SMALL[half:].encode())
    source = source_of(tmp_path, content, "x.xml.bz2")
    seen = []
    source.progress = seen.append
    assert read(wiktionary_dump, source) == FOUND
    assert seen[-1] == source.size


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_cut_short(tmp_path, share):
    many = SMALL.replace("</mediawiki>", "  <!-- z -->\n" * 3000 + "</mediawiki>").encode()
    packed = bz2.compress(many)
    for content, name in [(packed, "x.xml.bz2"), (SMALL.encode(), "x.xml")]:
        with pytest.raises(LexiconError, match=r"truncated|cannot be decompressed"):
            raw(tmp_path, content[: int(len(content) * share)], name)


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
    assert recognise(source, source.head()) == "wiktionary-dump"
    with pytest.raises(LexiconError, match=r"has a DTD|does not begin"):
        read(wiktionary_dump, source)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_dtd_in_another_encoding_is_refused(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}{SMALL}'.encode(encoding)
    with pytest.raises(LexiconError, match="does not begin"):
        raw(tmp_path, content)


@pytest.mark.parametrize("encoding", ["cp037", "utf-7", "latin-1", "utf-16"])
def test_a_declared_encoding_must_be_utf_8(tmp_path, encoding):
    with pytest.raises(LexiconError, match="is UTF-8"):
        raw(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?>{SMALL}')


def test_an_xml_declaration_is_fine(tmp_path):
    assert raw(tmp_path, f"\ufeff<?xml version='1.0' encoding='UTF-8'?>\n{SMALL}") == FOUND


def test_an_entity_without_a_dtd_is_refused(tmp_path):
    with pytest.raises(LexiconError, match="undefined entity"):
        raw(tmp_path, SMALL.replace("[[Tafel]]", "[[&a;]]"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<ns>0</ns>", "<ns>x</ns>"),
        ("<ns>0</ns>", "<ns></ns>"),
        ("<title>Tisch</title>", "<title></title>"),
        ("<title>Tisch</title>", "<surprise/>"),
        ("</revision>", "</page>"),
        ("  <page>", "  <sheet>"),
        ("<siteinfo>", "<sites>"),
        ("</mediawiki>", ""),
        ("Tafel", "\x01"),
    ],
)
def test_what_is_no_dump_is_an_error(tmp_path, old, new):
    assert old in SMALL
    with pytest.raises(LexiconError, match="truncated or not a dump"):
        raw(tmp_path, SMALL.replace(old, new, 1))


def test_bytes_that_are_no_utf_8(tmp_path):
    with pytest.raises(LexiconError, match="not a dump"):
        raw(tmp_path, SMALL.encode().replace(b"Tafel", b"\xff\xfe"))


@pytest.mark.parametrize("wiki", ["enwiktionary", "dewiki", "wiktionary", "frwiktionary", "dewikt"])
def test_other_wikis_are_refused(tmp_path, wiki):
    content = SMALL.replace("dewiktionary", wiki)
    with pytest.raises(LexiconError, match=f"dump of '{wiki}'; it must be of dewiktionary or"):
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
    with pytest.raises(LexiconError, match=r"mwparserfromhell .*pip install celab\[wiktionary\]"):
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


WIKITEXT = st.lists(
    st.sampled_from(
        [
            *(
                "{{",
                "}}",
                "[[",
                "]]",
                "|",
                "''",
                "\n",
                ":",
                "[1]",
                "[1–3]",
                "#",
                "*",
                "=",
                ";",
                ",",
            ),
            *(
                "== A ({{Sprache|Deutsch}}) ==\n",
                "\n{{Synonyme}}\n",
                "==漢語==\n",
                "====同義詞====\n",
            ),
            *("{{syn|zh|", "{{zh-l|", "{{col3|zh|", "詞", "Wort", "<ref>", "</ref>", "<!--", "-->"),
        ]
    )
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
        (
            "dewiktionary-20240601-pages-articles.xml",
            SMALL,
            ("Wiktionary, German edition, dump", "20240601"),
        ),
        (
            "zhwiktionary-latest.xml",
            dump("zh"),
            ("Wiktionary, Chinese edition, dump", "MediaWiki 1.44.0-wmf.1"),
        ),
    ],
)
def test_recognised_by_content(tmp_path, name, content, facts):
    source = source_of(tmp_path, content, name)
    head = source.head()
    assert recognise(source, head) == "wiktionary-dump"
    origin, licence, version = wiktionary_dump.provenance(source, head)
    assert (origin, version) == facts and "CC BY-SA" in licence


@pytest.mark.parametrize("content", ["", "{}", "雨伞\t伞\n", "<LexicalResource/>", "[1]"])
def test_not_taken_for_it(content):
    assert not wiktionary_dump.recognises(Path("x"), content)
