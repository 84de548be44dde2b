"""Known sources: URLs of the usual thesauri, for `fetch`.

Most URLs are moving targets: the file is updated daily or weekly, so that it has no fixed SHA-256.
The others name a commit, so their bytes are known. The file is kept under a name of ours, never
under one that the server chooses.

>>> KNOWN["cow"].licence
'WordNet-style, permissive: keep the notice'
"""

from __future__ import annotations

from collections.abc import Iterable

from celab.base.dicts import JsonObject
from celab.base.frozen import dataclass
from celab.base.options import Size
from celab.base.text.escapes import escape_controls
from celab.lexicon.source import Thesaurus

_WIKTIONARY = "CC BY-SA 4.0 and GFDL"
_WORDNET = "WordNet-style, permissive: keep the notice"
_KAIKKI = "https://kaikki.org/dictionary"
_RAW = "https://raw.githubusercontent.com"
_OMW = f"{_RAW}/omwn/omw-data/f75be19ec590da12a7a5665e361690b5badb7a25/wns"
_SUDACHI = f"{_RAW}/WorksApplications/SudachiDict/2c7cbcf2914edaccab53a28ae0d3e4befb524053"


@dataclass(frozen=True, slots=True)
class Known:
    """A source that can be fetched."""

    name: str
    file: str  # its name in the cache
    url: str
    licence: str
    what: str
    sha256: str | None = None  # of what the URL gives; None for a moving target
    member: str | None = None  # if the URL gives a ZIP: what to take out of it


_ALL = (
    Known(
        "kaikki-en-zh",
        "kaikki-en-zh.jsonl.gz",
        f"{_KAIKKI}/Chinese/kaikki.org-dictionary-Chinese.jsonl.gz",
        _WIKTIONARY,
        "Chinese words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        "kaikki-en-de",
        "kaikki-en-de.jsonl.gz",
        f"{_KAIKKI}/German/kaikki.org-dictionary-German.jsonl.gz",
        _WIKTIONARY,
        "German words of Wiktionary's English edition, extracted by kaikki.org",
    ),
    Known(
        "kaikki-zh",
        "kaikki-zh.jsonl.gz",
        f"{_KAIKKI}/downloads/zh/zh-extract.jsonl.gz",
        _WIKTIONARY,
        "Wiktionary, Chinese edition, extracted by kaikki.org",
    ),
    Known(
        "kaikki-de",
        "kaikki-de.jsonl.gz",
        f"{_KAIKKI}/downloads/de/de-extract.jsonl.gz",
        _WIKTIONARY,
        "Wiktionary, German edition, extracted by kaikki.org",
    ),
    Known(
        "cow",
        "wn-data-cmn.tab",
        f"{_OMW}/cow/wn-data-cmn.tab",
        _WORDNET,
        "Chinese Open Wordnet (Simplified), from the Open Multilingual Wordnet",
        "379fd2e41d3e1395f9f27cf23a39c6181849ffb4020c14a07ed2a4d4dd651122",
    ),
    Known(
        "cwn",
        "wn-data-qcn.tab",
        f"{_OMW}/cwn/wn-data-qcn.tab",
        _WORDNET,
        "Chinese Wordnet (Traditional), from the Open Multilingual Wordnet",
        "ffbd78a9c390a5c06538e7e431db8b1c5949787fb07611adfa230a22e6f8ca11",
    ),
    Known(
        "omw-wikt-zh",
        "wn-wikt-cmn.tab",
        f"{_OMW}/wikt/wn-wikt-cmn.tab",
        "CC BY-SA 3.0 and GFDL",
        "Chinese words that Wiktionary's translations put on one synset",
        "a850d11dd39d24a972797fcbdedecd737485b74d8b4e0665008a80916520f6d0",
    ),
    Known(
        "omw-wikt-de",
        "wn-wikt-deu.tab",
        f"{_OMW}/wikt/wn-wikt-deu.tab",
        "CC BY-SA 3.0 and GFDL",
        "German words that Wiktionary's translations put on one synset",
        "88df94afe560db68126f117232678502a08f27a4edcf8ff5bf0793bf013ad2df",
    ),
    Known(
        "cedict",
        "cedict_1_0_ts_utf-8_mdbg.txt.gz",
        "https://www.mdbg.net/chinese/export/cedict/cedict_1_0_ts_utf-8_mdbg.txt.gz",
        "CC BY-SA 4.0",
        "CC-CEDICT, a Chinese-English dictionary, as MDBG gives it out",
    ),
    Known(
        "openthesaurus",
        "openthesaurus.txt",
        "https://www.openthesaurus.de/export/OpenThesaurus-Textversion.zip",
        "LGPL 2.1 or later, or CC BY-SA 4.0",
        "OpenThesaurus, German, the text version of the day",
        member="openthesaurus.txt",
    ),
    Known(
        "odenet",
        "odenet.xml",
        f"{_RAW}/hdaSprachtechnologie/odenet/master/odenet/wordnet/deWordNet.xml",
        "CC BY-SA 4.0",
        "OdeNet, the Open German Wordnet, as its makers have it now",
    ),
    Known(
        "sudachi",
        "sudachi-synonyms.txt",
        f"{_SUDACHI}/src/main/text/synonyms.txt",
        "Apache-2.0",
        "Sudachi's synonym dictionary, Japanese",
        "db5f2ce5d937d0c5e75c123bb81c688ed77d252e5ed40f6149ca121b7deca73e",
    ),
)

KNOWN = {source.name: source for source in _ALL}


# Contents of a lexicon → text of `celab lexicon`.


def info(facts: JsonObject) -> str:
    """Return what `info` prints: sizes, sources, licenses."""
    lines = [
        f"{facts['name']}@{facts['digest'][:12]}",
        f"  groups   {facts['groups']:,}, {facts['mean_size']:.1f} words on average,"
        f" at most {facts['largest']:,}",
        f"  words    {facts['words']:,}",
        f"  reach    {facts['unreachable_share']:.0%} of entries can never match"
        f" at order {facts['max_order']}",
    ]
    for source in facts["sources"]:
        lines += [
            f"  source   {source['name']} ({source['format']}), sha256 {source['digest'][:12]}",
            f"    origin   {source['origin'] or 'not stated'}",
            f"    license  {source['licence'] or 'not stated'}",
            f"    version  {source['version'] or 'not stated'}",
        ]
    return _lines(lines)


def lookup(facts: dict[str, list[JsonObject]]) -> str:
    """Return what `lookup` prints: for each word its groups, with members and source."""
    lines = []
    for word, groups in facts.items():
        lines.append(f"{word}: {len(groups)} group{'s' * (len(groups) != 1)}")
        lines += [f"  {group['label']}: {' '.join(group['words'])}" for group in groups]
    return _lines(lines)


def diff(facts: JsonObject) -> str:
    """Return what `diff` prints: words and pairs that only one of two lexicons has."""
    lines = [
        f"{facts['a']} against {facts['b']}",
        f"  words   {facts['words']['both']:,} in both,"
        f" {facts['words']['only_a']:,} and {facts['words']['only_b']:,} in one only",
        f"  pairs   {facts['pairs']['both']:,} in both,"
        f" {facts['pairs']['only_a']:,} and {facts['pairs']['only_b']:,} in one only",
    ]
    for side, sign in (("only_a", "-"), ("only_b", "+")):
        lines += [f"  {sign} {x} = {y}" for x, y in facts["examples"][side]]
    return _lines(lines)


def listing(rows: Iterable[dict[str, str]]) -> str:
    """Return what `list` prints: one lexicon per line, and how to get it or where it is."""
    return _lines(
        f"{row['name']:<14} {row['kind']:<12} {row['digest'][:12]:<13}"
        + "; ".join(filter(None, (row["licence"], row.get("how"), row.get("path"))))
        for row in rows
    )


def cache(facts: JsonObject) -> str:
    """Return what `cache` prints: place and size of the cache, and what was removed from it."""
    lines = [facts["folder"]]
    if removed := facts.get("removed"):
        lines.append(f"  removed    {_cached(removed)}")
    lines.append(f"  compiled   {_cached(facts)}; the limit is {Size(facts['limit'])}")
    return _lines(lines)


def _cached(facts: dict[str, int]) -> str:
    n = facts["lexicons"]
    return f"{n:,} lexicon{'s' * (n != 1)}, {facts['bytes'] / Size('1M'):.1f}M"


def tsv(thesaurus: Thesaurus) -> str:
    """Return what `export --tsv` prints: a group per line, its label as the comment at the end."""
    names = [source.name for source in thesaurus.sources]
    return "".join(
        "\t".join((*group.words, escape_controls(f"# {names[group.source]} {group.label}"))) + "\n"
        for group in thesaurus.groups
    )


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{escape_controls(line)}\n" for line in lines)
