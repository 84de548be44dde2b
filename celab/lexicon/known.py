"""Known sources: where the usual thesauri lie, for `fetch`.

Most addresses are moving targets: the file behind them is made anew from day to day or week to
week, so no SHA-256 can be expected of it. The others name a commit, so their bytes are known. The
name under which a file is kept is ours, never the server's.

>>> KNOWN["cow"].licence
'WordNet-style, permissive: keep the notice'
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One source that can be fetched."""

    name: str
    address: str
    file: str  # its name in the cache
    format: str  # as --format calls it
    language: str
    licence: str
    what: str
    sha256: str | None = None  # of what the address gives; None for a moving target
    size: int | None = None  # in bytes, likewise
    member: str | None = None  # if the address gives a ZIP: what to take out of it


_WIKTIONARY = "CC BY-SA 4.0 and GFDL"
_DUMPS = "https://dumps.wikimedia.org"
_KAIKKI = "https://kaikki.org/dictionary"
_RAW = "https://raw.githubusercontent.com"
_OMW = f"{_RAW}/omwn/omw-data/f75be19ec590da12a7a5665e361690b5badb7a25/wns"
_SUDACHI = f"{_RAW}/WorksApplications/SudachiDict/2c7cbcf2914edaccab53a28ae0d3e4befb524053"

_ALL = (
    Known(
        name="zhwiktionary",
        address=f"{_DUMPS}/zhwiktionary/latest/zhwiktionary-latest-pages-articles.xml.bz2",
        file="zhwiktionary-latest-pages-articles.xml.bz2",
        format="wiktionary-dump",
        language="zh",
        licence=_WIKTIONARY,
        what="Wiktionary, Chinese edition, the latest dump",
    ),
    Known(
        name="dewiktionary",
        address=f"{_DUMPS}/dewiktionary/latest/dewiktionary-latest-pages-articles.xml.bz2",
        file="dewiktionary-latest-pages-articles.xml.bz2",
        format="wiktionary-dump",
        language="de",
        licence=_WIKTIONARY,
        what="Wiktionary, German edition, the latest dump",
    ),
    Known(
        name="kaikki-en-zh",
        address=f"{_KAIKKI}/Chinese/kaikki.org-dictionary-Chinese.jsonl.gz",
        file="kaikki-en-zh.jsonl.gz",
        format="wiktextract",
        language="zh",
        licence=_WIKTIONARY,
        what="Chinese words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-en-de",
        address=f"{_KAIKKI}/German/kaikki.org-dictionary-German.jsonl.gz",
        file="kaikki-en-de.jsonl.gz",
        format="wiktextract",
        language="de",
        licence=_WIKTIONARY,
        what="German words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-zh",
        address=f"{_KAIKKI}/downloads/zh/zh-extract.jsonl.gz",
        file="kaikki-zh.jsonl.gz",
        format="wiktextract",
        language="zh",
        licence=_WIKTIONARY,
        what="Wiktionary, Chinese edition, extracted by kaikki.org",
    ),
    Known(
        name="kaikki-de",
        address=f"{_KAIKKI}/downloads/de/de-extract.jsonl.gz",
        file="kaikki-de.jsonl.gz",
        format="wiktextract",
        language="de",
        licence=_WIKTIONARY,
        what="Wiktionary, German edition, extracted by kaikki.org",
    ),
    Known(
        name="cow",
        address=f"{_OMW}/cow/wn-data-cmn.tab",
        file="wn-data-cmn.tab",
        format="omw",
        language="zh",
        licence="WordNet-style, permissive: keep the notice",
        what="Chinese Open Wordnet (Simplified), from the Open Multilingual Wordnet",
        sha256="379fd2e41d3e1395f9f27cf23a39c6181849ffb4020c14a07ed2a4d4dd651122",
        size=2547318,
    ),
    Known(
        name="cwn",
        address=f"{_OMW}/cwn/wn-data-qcn.tab",
        file="wn-data-qcn.tab",
        format="omw",
        language="zh",
        licence="WordNet-style, permissive: keep the notice",
        what="Chinese Wordnet (Traditional), from the Open Multilingual Wordnet",
        sha256="ffbd78a9c390a5c06538e7e431db8b1c5949787fb07611adfa230a22e6f8ca11",
        size=214500,
    ),
    Known(
        name="omw-wikt-zh",
        address=f"{_OMW}/wikt/wn-wikt-cmn.tab",
        file="wn-wikt-cmn.tab",
        format="omw",
        language="zh",
        licence="CC BY-SA 3.0 and GFDL",
        what="Chinese words that Wiktionary's translations put on one synset",
        sha256="a850d11dd39d24a972797fcbdedecd737485b74d8b4e0665008a80916520f6d0",
        size=560761,
    ),
    Known(
        name="omw-wikt-de",
        address=f"{_OMW}/wikt/wn-wikt-deu.tab",
        file="wn-wikt-deu.tab",
        format="omw",
        language="de",
        licence="CC BY-SA 3.0 and GFDL",
        what="German words that Wiktionary's translations put on one synset",
        sha256="88df94afe560db68126f117232678502a08f27a4edcf8ff5bf0793bf013ad2df",
        size=928182,
    ),
    Known(
        name="cedict",
        address="https://www.mdbg.net/chinese/export/cedict/cedict_1_0_ts_utf-8_mdbg.txt.gz",
        file="cedict_1_0_ts_utf-8_mdbg.txt.gz",
        format="cedict",
        language="zh",
        licence="CC BY-SA 4.0",
        what="CC-CEDICT, a Chinese-English dictionary, as MDBG gives it out",
    ),
    Known(
        name="openthesaurus",
        address="https://www.openthesaurus.de/export/OpenThesaurus-Textversion.zip",
        file="openthesaurus.txt",
        format="openthesaurus",
        language="de",
        licence="LGPL 2.1 or later, or CC BY-SA 4.0",
        what="OpenThesaurus, German, the text version of the day",
        member="openthesaurus.txt",
    ),
    Known(
        name="odenet",
        address=f"{_RAW}/hdaSprachtechnologie/odenet/master/odenet/wordnet/deWordNet.xml",
        file="odenet.xml",
        format="wn-lmf",
        language="de",
        licence="CC BY-SA 4.0",
        what="OdeNet, the Open German Wordnet, as its makers have it now",
    ),
    Known(
        name="sudachi",
        address=f"{_SUDACHI}/src/main/text/synonyms.txt",
        file="sudachi-synonyms.txt",
        format="sudachi",
        language="ja",
        licence="Apache-2.0",
        what="Sudachi's synonym dictionary, Japanese",
        sha256="db5f2ce5d937d0c5e75c123bb81c688ed77d252e5ed40f6149ca121b7deca73e",
        size=2911472,
    ),
)

KNOWN = {one.name: one for one in _ALL}
