"""A sample of each format, written for the tests in the form of the true files; how to read it."""

import sqlite3
from contextlib import closing

from celab.lexicon.model import Settings
from celab.lexicon.readers import groups, reader
from celab.lexicon.source import SourceFile

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


def database(script):
    """The bytes of an SQLite file."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(script)
        return made.serialize()


# What is read of the tables that wn 1.1 makes, with its column names; test_wn_database.py has one
# that `wn` itself has made.
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
SAMPLES = {
    "wiktionary-dump": DUMP,
    "wiktextract": WIKTEXTRACT,
    "cilin": CILIN,
    "wordnet": WORDNET,
    "wn-database": WN_DATABASE,
    "wn-lmf": WN_LMF,
    "omw": OMW,
    "openthesaurus": OPENTHESAURUS,
    "mythes": MYTHES,
    "cedict": CEDICT,
    "sudachi": SUDACHI,
    "tsv": TSV,
    "pairs": PAIRS,
}


def source_at(path, content, **settings):
    put(path, content)
    return SourceFile(path, path.name, Settings(**settings))


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
