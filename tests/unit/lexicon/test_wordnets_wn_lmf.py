"""WN-LMF: hostile document types, the order of members, languages, extensions."""

import socket

import pytest
from reader_samples import WN_LMF, provenance, read

from celab import LexiconError

# ---- WN-LMF -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "system",
    [
        "",
        *(
            f'SYSTEM "{scheme}://globalwordnet.github.io/schemas/WN-LMF-{version}.dtd"'
            for scheme, version in (("http", "1.0"), ("https", "1.3"), ("https", "relaxed-1.0"))
        ),
        'SYSTEM "WN-LMF-1.3.dtd"',
    ],
)
def test_wn_lmf_document_type_is_not_fetched(system, write_source, monkeypatch):
    def refuse(*_):
        raise AssertionError("a file was looked for on the net")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    content = f"<!DOCTYPE LexicalResource {system}>\n" + WN_LMF.split("\n", 2)[2]
    assert len(read("wn-lmf", write_source(content))) == 2


BOMB = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">'

SCHEMA = "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd"


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        (f"[{BOMB}]", "entity 'a' is declared"),
        ('[<!ENTITY x SYSTEM "file:///etc/passwd">]', "entity 'x'"),
        ('[<!ENTITY % p "x"> %p;]', "entity 'p'"),
        (f'SYSTEM "{SCHEMA}" [<!ENTITY c "x">]', "entity 'c'"),
        ('SYSTEM "http://example.org/x.dtd"', "example.org"),
        ('SYSTEM "file:///etc/WN-LMF-1.0.dtd"', "file:///etc"),
        ('SYSTEM "../WN-LMF-1.0.dtd"', "document type"),
        (f'PUBLIC "-//X//Y" "{SCHEMA}"', "-//X//Y"),
    ],
)
@pytest.mark.parametrize("call", [read, provenance])
def test_wn_lmf_hostile_document_types_are_refused(declared, why, call, write_source):
    body = WN_LMF.split("\n", 2)[2].replace("Regenschirm", "&c;")
    with pytest.raises(LexiconError, match=why):
        call("wn-lmf", write_source(f"<!DOCTYPE LexicalResource {declared}>{body}"))


@pytest.mark.parametrize("members", ["w2 w1", "w2-1 w1-1", "w9 w2 w2-1"])
def test_wn_lmf_members_give_the_order(members, write_source):
    content = WN_LMF.replace('id="probe-1-n"', f'id="probe-1-n" members="{members}"')
    assert read("wn-lmf", write_source(content))["probe-1-n"] == "Regenschirm Schirm"


def test_wn_lmf_lexicons_are_chosen_by_language(write_source):
    inner = WN_LMF[WN_LMF.index("  <Lexicon") : WN_LMF.index("</LexicalResource>")]
    chinese = (
        inner.replace('language="de"', 'language="cmn-Hans"')
        .replace("probe", "zh")
        .replace("Schirm", "有趣+的")
        .replace("1.4", "2.0")
    )
    content = f"<LexicalResource>{inner}{chinese}</LexicalResource>"
    assert list(read("wn-lmf", write_source(content, language="de"))) == ["probe-1-n", "probe-2-n"]
    source = write_source(content, language="zh")
    assert read("wn-lmf", source)["zh-2-n"] == "有趣的 有趣 Monitor"
    assert provenance("wn-lmf", source)[2] == "2.0"
    assert len(read("wn-lmf", write_source(content))) == 4
    assert read("wn-lmf", write_source(content, language="ko")) == {}


def test_wn_lmf_extensions_have_entries_without_words(write_source):
    content = """<LexicalResource><LexiconExtension id="x" language="en">
    <ExternalLexicalEntry id="e1"><Sense id="s0" synset="x-1"/></ExternalLexicalEntry>
    <LexicalEntry id="e2"><Lemma writtenForm="brolly"/><Sense id="s1" synset="x-1"/></LexicalEntry>
    <LexicalEntry id="e3"><Lemma writtenForm="gamp"/><Sense id="s2" synset="x-1"/></LexicalEntry>
    </LexiconExtension></LexicalResource>"""
    assert read("wn-lmf", write_source(content)) == {"x-1": "brolly gamp"}
