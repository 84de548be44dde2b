"""A sample of each lexicon format, in the form of the published files, and how to read it.

`SAMPLES` has one for every reader: tests/unit/lexicon/test_readers.py reads, changes and
damages each of them.
"""

import gzip
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field

from celab.lexicon.readers import groups, reader
from celab.lexicon.source import ReaderSettings, SourceFile

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
900001,1,2,3,0,0,0,(),笠,,

900002,,,,,,,,雨,,
900003,1,1,1,0,0,0,(IT),パソコン,,
900003,1,0,1,0,0,1,(IT),"PC, personal",,
900002,,,,,,,,レイン,,
"""

TSV = "# licence: CC0\n雨伞\t伞\t# umbrella\n买\t购\n"
CILIN_TREE = """\
{"A": {"tag": "人", "sub": {"a": {"tag": "", "sub": {"01": {"tag": "", "sub": {
    "B": {"tag": "", "sub": {"02#": ["锅", "碗"], "01=": ["雨伞", "伞", "雨伞"]}},
    "A": {"tag": "", "sub": {"03@": ["火"], "01=": ["买", "购"]}}}}}}}},
 "B": {"tag": "物", "sub": {}}}
"""
CILIN = "Aa01A01= 雨伞 伞\nAa01A02# 锅 碗\n"
PAIRS = 'word,synonym\numbrella,brolly\n"Berlin, city",capital\nsame,same\n'
WIKTEXTRACT = (
    '{"word": "Schirm", "lang": "Deutsch", "lang_code": "de", "pos": "noun",'
    ' "senses": [{"glosses": ["gegen Regen"], "synonyms": [{"word": "Regenschirm"}]}]}\n'
)


def database(script):
    """The bytes of an SQLite file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return connection.serialize()


# What is read of the tables that wn 1.1 makes, with its column names; one that `wn` itself has made
# is in test_wordnets_wn_database.py.
WN_TABLES = """\
CREATE TABLE lexicons (rowid INTEGER PRIMARY KEY, id TEXT, label TEXT, language TEXT,
                       license TEXT, version TEXT, url TEXT);
CREATE TABLE entries (rowid INTEGER PRIMARY KEY, id TEXT, lexicon_rowid INTEGER, pos TEXT);
CREATE TABLE forms (rowid INTEGER PRIMARY KEY, entry_rowid INTEGER, form TEXT, rank INTEGER);
CREATE TABLE synsets (rowid INTEGER PRIMARY KEY, id TEXT, lexicon_rowid INTEGER);
CREATE TABLE senses (rowid INTEGER PRIMARY KEY, id TEXT, entry_rowid INTEGER,
                     synset_rowid INTEGER, synset_rank INTEGER);
"""
WN_ROWS = """\
INSERT INTO lexicons VALUES (1, 'probe', 'Probe', 'en', 'CC0', '1.4', 'http://example.org/probe'),
                            (2, 'probe-zh', 'Probe zwei', 'cmn-Hans', 'CC0', '2', NULL);
INSERT INTO entries VALUES (1, 'w1', 1, 'n'), (2, 'w2', 1, 'n'), (3, 'w3', 2, 'a'),
                           (4, 'w4', 2, 'a');
INSERT INTO forms VALUES (1, 1, 'umbrella', 0), (2, 1, 'umbrellas', 1), (3, 2, 'rain shelter', 0),
                         (4, 3, '有趣+的', 0), (5, 4, '好玩', 0);
INSERT INTO synsets VALUES (1, 'probe-1-n', 1), (2, 'probe-2-n', 1), (3, 'probe-zh-1-a', 2);
INSERT INTO senses VALUES (1, 's1', 1, 1, 1), (2, 's2', 2, 1, 0), (3, 's3', 1, 2, 0),
                          (4, 's4', 3, 3, 0), (5, 's5', 4, 3, 1);
"""
WN_DATABASE = database(WN_TABLES + WN_ROWS)
WN_BLANK = """\
INSERT INTO entries VALUES (9, 'w9', 1, 'n');
INSERT INTO forms VALUES (9, 9, ' ', 0);
INSERT INTO senses VALUES (9, 's9', 9, 1, 5);
"""


@dataclass
class Sample:
    """A file (text or bytes) or a folder (a dict of files) in some format."""

    content: str | bytes | dict
    groups: dict[str, tuple[str, ...]]  # what is read from it: words by label
    provenance: tuple[str, str, str]  # origin, licence, version
    # Damaged contents, and a regular expression for the message. Of the first kind, one line or
    # entry is skipped and all that the sample has is still read; the others cannot be read.
    skipped: list[tuple[str | bytes | dict, str]] = field(default_factory=list)
    refused: list[tuple[str | bytes | dict, str]] = field(default_factory=list)
    variants: list[str | bytes | dict] = field(default_factory=list)  # recognized, too
    others: list[str] = field(default_factory=list)  # similar, but not recognized


SAMPLES = {
    "cedict": Sample(
        CEDICT,
        {
            "variant of 定": ("訂", "订", "定"),
            "variant of 傘": ("鏽傘", "锈伞", "傘", "伞"),
            "umbrella": ("雨傘", "雨伞", "傘", "伞"),
            "parasol": ("傘", "伞", "陽傘", "阳伞"),
            "to reserve": ("預訂", "预订", "訂", "订"),
            "fifth month": ("五月", "五月份"),
            "may": ("可以", "能"),
        },
        ("CC-CEDICT (Probe)", "https://example.org/by-sa/", "2030-11-07T06:42:16Z"),
        skipped=[(CEDICT + "甲 [jia3] /x/\n", "line 17: '甲 .* is not an entry")],
        variants=[CEDICT[CEDICT.index("雨傘") :]],
    ),
    "cilin": Sample(
        CILIN,
        {"Aa01A01=": ("雨伞", "伞"), "Aa01A02#": ("锅", "碗")},
        (
            "HIT IR-Lab Tongyici Cilin (Extended)",
            "no licence granted by its makers: for research",
            "",
        ),
        refused=[
            (CILIN + "nonsense 买\n", "line 3: 'nonsense 买' has no Cilin code"),
            (CILIN_TREE[:-9], "is not a complete Cilin tree"),
            (CILIN_TREE.replace('"01="', '"1="'), "'Aa01B1=' is not a Cilin code"),
            (CILIN_TREE.replace('"03@"', '"03"'), "'Aa01A03' is not a Cilin code"),
            (CILIN_TREE.replace('["火"]', "[1]"), "'Aa01A03@' is not a Cilin code"),
            (CILIN_TREE.replace('["火"]', '"x"'), "'Aa01A03@' is not a Cilin code"),
            ('{"A": {"tag": "", "sub": ' + "[" * 100_000, "is not a complete Cilin tree"),
        ],
        variants=[CILIN_TREE],
    ),
    "mythes": Sample(
        MYTHES,
        {
            "Schirm, meaning 1": ("Schirm", "Regenschirm", "Knirps"),
            "Schirm, meaning 2": ("Schirm", "Bildschirm", "Monitor"),
            "gehen, meaning 1": ("gehen", "laufen", "weggehen"),
        },
        ("MyThes thesaurus", "", ""),
        skipped=[
            (MYTHES + "nonsense\n", "line 8: 'nonsense' is not an entry"),
            (MYTHES + "x|1\nnonsense\n", "line 9: 'nonsense' is not a meaning"),
        ],
        refused=[
            *(
                (f"{name}\na|1\n-|b\n", "is not an encoding; the first line must be one")
                for name in ("", "hex", "rot13", "UTF-16", "ISO8859-12", "Ünicode", "a|1")
            ),
            (
                "UTF-8\nTor|1\n-|Pförtchen\n".encode("latin-1"),
                r"line 3: byte 0xF6 is not a valid character.*UTF-8",
            ),
        ],
        variants=[MYTHES.replace("UTF-8", "ISO8859-15").encode("iso8859-15")],
        others=["UTF-8\nnonsense\n", MYTHES.split("\n", 1)[1]],
    ),
    "omw": Sample(
        OMW,
        {
            "90000001-n": ("雨伞", "伞"),
            "90000002-a": ("有趣的", "有趣"),
            "90000003-r": ("慢慢地", "慢慢", "缓缓"),
        },
        ("Probewortnetz, http://example.org/wn/", "CC BY 4.0", ""),
        skipped=[
            (OMW + "nonsense\n", "line 10: 'nonsense' is not a row"),
            (OMW + "9-n\tcmn:lemma\t甲\n", "line 10: '9-n.* is not a row"),
            (OMW + "90000001-n\tcmn:lemma\t \n", "line 10: synset 90000001-n .* without a word"),
        ],
        variants=[OMW.split("\n", 1)[1], OMW.replace("cmn:", "")],
    ),
    "openthesaurus": Sample(
        OPENTHESAURUS,
        {
            "line 9": ("Schirm", "Regenschirm", "Knirps"),
            "line 10": ("weggehen", "abhauen", "sich auf den Weg machen"),
            "line 12": ("ansteigen", "steigen", "klettern", "Gemenge", "Gemeng"),
            "line 13": ("na,!", "ach so", "Gott", "ja"),
            "line 14": ("#", "Rautenzeichen"),
        },
        ("OpenThesaurus, http://www.openthesaurus.de", "LGPL 2.1 or later", "2030-02-03"),
        skipped=[(OPENTHESAURUS + "allein\n", "line 15: 'allein' is one term")],
        variants=[
            OPENTHESAURUS[OPENTHESAURUS.index("Schirm") :],
            "# OpenThesaurus\nSchirm;Regenschirm\n",
        ],
        others=["Schirm;Regenschirm\n", "Schirm;Regenschirm;Knirps\nallein\n"],
    ),
    "pairs": Sample(
        PAIRS,
        {"line 2": ("umbrella", "brolly"), "line 3": ("Berlin, city", "capital")},
        ("", "", ""),
        skipped=[
            (PAIRS + "a\n", "line 5: 'a' is not a pair"),
            (PAIRS + "a,b,c\n", "line 5: 'a,b,c' is not a pair"),
            (PAIRS + 'a,"b\nc,d\n', "line 5: 'a,\"b' is not a pair"),
            (PAIRS + "a,\n", "line 5: 'a,' is not a pair"),
        ],
        variants=[
            "a,b\n",
            "ein Schirm;der Regenschirm\n# x\n\nBerlin, Stadt;Hauptstadt\n",
            '"a";"b"\nc;d\n',
        ],
    ),
    "sudachi": Sample(
        SUDACHI,
        {
            "group 900001": ("傘", "かさ"),
            "group 900002": ("雨", "レイン"),
            "group 900003": ("パソコン", "PC, personal"),
        },
        ("Sudachi synonym dictionary (Works Applications)", "Apache-2.0", ""),
        skipped=[
            (SUDACHI + "900001,1,0,1,0,0,0,()\n", r"line 9: '900001,1,0,1,0,0,0,\(' has no group"),
            (SUDACHI + "x,1,0,1,0,0,0,(),傘,,\n", "line 9: "),
            (SUDACHI + '900001,1,0,1,0,0,0,(),"傘,,\n', "line 9: .* is not valid CSV"),
        ],
    ),
    "tsv": Sample(
        TSV,
        {"line 2 (umbrella)": ("雨伞", "伞"), "line 3": ("买", "购")},
        ("", "CC0", ""),
        refused=[
            (TSV + "allein\n", "line 4: 'allein' is one word"),
            (TSV + "allein\t# gloss\n", "line 4: 'allein.* is one word"),
        ],
        variants=["雨伞\t伞\n"],
    ),
    "wiktextract": Sample(
        WIKTEXTRACT,
        {"Schirm (noun), sense 1": ("Schirm", "Regenschirm")},
        ("Wiktionary, German edition, by wiktextract", "CC BY-SA 4.0 and GFDL (Wiktionary)", ""),
        skipped=[
            *(
                (
                    f"{WIKTEXTRACT}\n{line}\n{WIKTEXTRACT}",
                    "line 3: not valid JSON; it must be one object",
                )
                for line in ("nonsense", '{"word": "雨', "[" * 100_000, "\x00", "1" * 5000)
            ),
            (WIKTEXTRACT + "[1]\n", r"line 2: '\[1\].*' is not a JSON object"),
            (WIKTEXTRACT + "null\n", r"line 2: 'null.*' is not a JSON object"),
            (b'{"word": "\xff"}\r\n' + WIKTEXTRACT.encode(), "line 1: not valid JSON; it must be"),
        ],
        others=["{}", "[1]"],
    ),
    "wn-database": Sample(
        WN_DATABASE,
        {
            "probe:1.4 probe-1-n": ("rain shelter", "umbrella"),
            "probe-zh:2 probe-zh-1-a": ("有趣的", "有趣", "好玩"),
        },
        ("Probe, http://example.org/probe; Probe zwei", "CC0", "probe:1.4; probe-zh:2"),
        skipped=[
            (
                database(WN_TABLES + WN_ROWS + WN_BLANK),
                "^synset 'probe-1-n': ' ' is not a word|, synset 'probe-1-n': ' ' is not a word",
            )
        ],
        refused=[
            (content, rf"cannot be read as the .* wn \(.*{why}")
            for content, why in (
                (database("CREATE TABLE words (word TEXT);"), "no such table: lexicons"),
                (database(WN_TABLES.replace("synset_rank", "place") + WN_ROWS), "synset_rank"),
                (
                    database(WN_TABLES + WN_ROWS.replace("'umbrella'", "CAST(x'ff41' AS TEXT)")),
                    "decode",
                ),
                (WN_DATABASE[:5000], "malformed"),
                (b"SQLite format 3\0" + bytes(3000), "not a database"),
                (gzip.compress(WN_DATABASE), "not a database"),
            )
        ],
    ),
    "wn-lmf": Sample(
        WN_LMF,
        {"probe-1-n": ("Schirm", "Regenschirm"), "probe-2-n": ("Schirm", "Monitor")},
        ("Probe & Co, http://example.org/probe", "CC0", "1.4"),
        skipped=[
            (
                WN_LMF.replace(
                    '<Synset id="probe-1-n"',
                    '<LexicalEntry id="w4"><Lemma partOfSpeech="n"/></LexicalEntry>'
                    '<Synset id="probe-1-n"',
                ),
                "line 20: entry 'w4' has a lemma",
            ),
            (
                WN_LMF.replace('<Sense id="w3-1"', '<Sense id="w3-0"/><Sense id="w3-1"'),
                "line 18: sense 'w3-0' names no synset",
            ),
        ],
        refused=[
            (WN_LMF[:-40], "cannot be read"),
            (WN_LMF.replace("</Lexicon>", ""), "line 23: XML cannot be read .mismatched tag.;"),
            (WN_LMF.replace("UTF-8", "klingon"), "cannot be read"),
            (WN_LMF.replace("UTF-8", "gb18030"), "cannot be read"),
            (WN_LMF.encode().replace(b"Monitor", b"\xe4\xf6"), "cannot be read"),
            ("<html><LexicalResource /></html>", "root element is 'html'"),
            ("", "no element"),
        ],
        variants=[WN_LMF.split("\n", 2)[2]],
    ),
    "wordnet": Sample(
        WORDNET,
        {
            "noun 00000101": ("rain shelter", "brolly"),
            "noun 00000303": tuple("abcdefghijk"),
            "adj 00000404": ("asleep", "at rest", "former"),
        },
        ("Princeton WordNet", "WordNet 9.1 licence (permissive, notice kept)", "9.1"),
        skipped=[
            (WORDNET | {"data.adv": content}, f"data.adv, line 1: {why}")
            for content, why in (
                ("nonsense\n", "'nonsense' is not a synset"),
                ("00000001 02 r 02 a 0 b\n", ""),
                ("00000001 02 r 02 (a) 0 b 0 000 | x\n", ""),
            )
        ],
        variants=[{"data.verb": WORDNET["data.adj"]}],
    ),
}


def source_at(path, content, **settings):
    put(path, content)
    return SourceFile(path, path.name, ReaderSettings(**settings))


def put(path, content):
    if isinstance(content, dict):
        path.mkdir(exist_ok=True)
        for name, text in content.items():
            put(path / name, text)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def read(name, source):
    return {group.label: " ".join(group.words) for group in groups(name, source)}


def words(name, source):
    return [list(group.words) for group in groups(name, source)]


def provenance(name, source):
    return reader(name).provenance(source, source.head())
