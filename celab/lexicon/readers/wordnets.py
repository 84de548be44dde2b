"""Wordnets: tab files, Princeton's database files, the database of the package `wn`, and WN-LMF."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from celab.base.errors import LexiconError
from celab.base.run import split
from celab.lexicon.source import Labeled, Reader, SourceFile, rows_of

if TYPE_CHECKING:
    from sqlite3 import Connection

# Open Multilingual Wordnet, tab files: one row per sense, `02124623-v<TAB>cmn:lemma<TAB>看见`.
#
# The rows of a synset need not stand together; its id is the label. Only lemmas are read: other
# rows (`cmn:def`, `cmn:exe`, `arb:lemma:root`) are not words of the synset. Old files have `lemma`
# without a language. The first line is `# name<TAB>language<TAB>address<TAB>license`.
#
# In Chinese, `+` marks a joint inside a word. It is removed; a form that ends in 的 or 地 after a
# joint stands for two, because text has both.

_ROW = re.compile(r"\d{8}-[a-z]\t(?:\w+:)?(?:lemma|def|exe)\b", re.ASCII)
_ID = re.compile(r"\d{8}-[a-z]", re.ASCII)
# A joint has Chinese on one side at least, unlike the signs of C++ and A+.
_JOINT = re.compile(r"(?<=[^\s\x00-\x7f])\s*\+\s*(?=\S)|(?<=\S)\s*\+\s*(?=[^\s\x00-\x7f])")

# Wordnets name languages by three letters or two; `qcn` is their own code for Chinese of Taiwan.
_LANGUAGES = {
    "zh": {"zh", "zho", "chi", "cmn", "qcn"},
    "de": {"de", "deu", "ger"},
    "en": {"en", "eng"},
    "ja": {"ja", "jpn"},
    "ko": {"ko", "kor"},
}


def speaks(code: str, language: str) -> bool:
    """Return whether a wordnet's code, such as `cmn` or `zh-Hant`, means the language."""
    first = code.lower().replace("_", "-").split("-")[0]
    return first in _LANGUAGES.get(language, {language})


def chinese_forms(word: str) -> Iterator[str]:
    """Yield the forms that a word with joints stands for.

    >>> list(chinese_forms("有经验+的"))
    ['有经验的', '有经验']
    """
    *stems, last = _JOINT.split(word)
    yield "".join([*stems, last])
    if stems and last in ("的", "地"):
        yield "".join(stems)


def is_omw(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment is a row of a synset."""
    return bool(_ROW.match(next(iter(rows_of(head)), "")))


def omw_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin and license from the header, which has no version."""
    first = head.split("\n", 1)[0]
    if not first.startswith("#"):
        return "", "", ""
    name, _, address, licence, *_ = [*map(str.strip, first.lstrip("#").split("\t")), "", "", ""]
    return ", ".join(filter(None, (name, address))), licence, ""


def omw_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, in the order of their first rows."""
    only = source.settings.language
    synsets: dict[str, list[str]] = {}
    for number, line in source.rows():
        synset, kind, word, *_ = [*line.split("\t"), "", ""]
        language, _, kind = kind.rpartition(":")
        if not _ID.fullmatch(synset) or not kind:
            source.skip(number, f"{line[:20]!r} is not a row such as '00001740-v, cmn:lemma, 呼吸'")
            continue
        if kind != "lemma" or (only and language and not speaks(language, only)):
            continue
        word = " ".join(word.replace("_", " ").split())
        if not word:
            source.skip(number, f"synset {synset} has a lemma without a word")
            continue
        chinese = speaks(language or only or "", "zh")
        synsets.setdefault(synset, []).extend(chinese_forms(word) if chinese else (word,))
    yield from synsets.items()


# Princeton WordNet: a folder with its database files `data.noun`, `data.verb`, `data.adj`, …
#
#     02084071 05 n 03 dog 0 domestic_dog 0 Canis_familiaris 0 023 @ 02083346 n … | a member of …
#
# offset, file number, kind, number of words (hexadecimal), then each word with a digit that tells
# its senses apart; the rest relates the synset to others. Lines that start with two spaces are the
# header. Adjectives may end in a marker of their position: `(a)`, `(p)`, `(ip)`. The label is the
# part of speech and the offset: `noun 02084071`.

PARTS = ("noun", "verb", "adj", "adv")
OURS = "CELAB_WORDNET"
# Folders of WordNet by installer: Debian's wordnet-base, Arch, Fedora, Homebrew, WordNet's own.
PLACES = (
    "/usr/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/share/wordnet-3.0/dict",
    "/usr/local/share/wordnet",
    "/usr/local/share/wordnet/dict",
    "/opt/homebrew/opt/wordnet/dict",
    "/usr/local/opt/wordnet/dict",
    "/usr/local/WordNet-3.1/dict",
    "/usr/local/WordNet-3.0/dict",
)
_START = re.compile(r"(\d{8}) \d\d [nvasr] ([0-9a-f]{2}) ", re.ASCII)
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
_VERSION = re.compile(r"WordNet (\d[\w.]*) Copyright")


def wordnet_path() -> Path | None:
    """Return the folder of an installed WordNet, or None.

    If CELAB_WORDNET is set, only that path is used; it may also be a file, in any format.
    WordNet's own variables come next, then `PLACES`.
    """
    if named := os.environ.get(OURS):
        path = Path(os.path.expanduser(named))
        located = path if os.path.isfile(path) else _first((path, path / "dict"))
        if located is None:
            raise LexiconError(
                f"{OURS} is {named!r}, but no WordNet was found there;"
                " it must be the folder of WordNet's data.noun, data.verb, data.adj and data.adv"
            )
        return located
    places = [*PLACES]
    if home := os.environ.get("WNHOME"):
        places.insert(0, os.path.join(home, "dict"))
    if searched := os.environ.get("WNSEARCHDIR"):
        places.insert(0, searched)
    return _first(map(Path, places))


def is_wordnet(path: Path, head: str) -> bool:
    """Return whether the path is a folder with data files."""
    return path.is_dir() and bool(_files(path))


def wordnet_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin, license and version from the header of the first data file."""
    text = ""
    for _, path in _files(source.path)[:1]:
        lines = SourceFile(path, source.name, source.settings).head().split("\n")
        # Header lines are numbered: "  14 WordNet 3.0 Copyright 2006 by Princeton University."
        text = " ".join(line.strip().lstrip("0123456789 ") for line in lines if line[:2] == "  ")
    match = _VERSION.search(text)
    version = match[1] if match else ""
    origin = "Princeton WordNet" if "Princeton University" in text else ""
    free = "Permission to use, copy, modify and distribute" in text
    licence = f"{f'WordNet {version}'.strip()} licence (permissive, notice kept)" if free else ""
    return origin, licence, version


def wordnet_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, file by file."""
    files = _files(source.path)
    sizes = [os.path.getsize(path) for _, path in files]
    shares = split(source.progress, sum(sizes), sizes)
    for (part, path), share in zip(files, shares, strict=True):
        file = SourceFile(path, source.name, source.settings, share)
        for number, line in file.lines():
            if line.startswith("  ") or not line.strip():
                continue
            start = _START.match(line)
            fields = line[start.end() :].split(" ") if start else []
            n_words = int(start[2], 16) if start else 0
            words = [_plain(word) for word in fields[: 2 * n_words : 2]]
            if not start or len(fields) < 2 * n_words or not all(words):
                source.skip(f"{path.name}, line {number}", f"{line[:30]!r} is not a synset")
                continue
            yield f"{part} {start[1]}", words


def _files(folder: Path) -> list[tuple[str, Path]]:
    paths = [(part, folder / f"data.{part}") for part in PARTS]
    return [(part, path) for part, path in paths if os.path.isfile(path)]


def _first(folders: Iterable[Path]) -> Path | None:
    return next((folder for folder in folders if _files(folder)), None)


def _plain(word: str) -> str:
    return _MARKER.sub("", word).replace("_", " ").strip()


# The database of the package `wn`: an SQLite file with the wordnets that it has downloaded.
#
#     lexicons (id, version, language, label, license, url)
#     synsets (id, lexicon) ← senses (synset, entry, rank in the synset) → forms (entry, rank)
#
# A group is a synset: of each entry that has a sense in it the lemma, which is the form of rank 0,
# in the synset's own order. Entries of an extension join the synsets of the lexicon that they
# extend. The label is the lexicon with its version, and the synset: `oewn:2024 oewn-02086723-n`.
# The file is only read, and the package is not needed.

_MAGIC = "SQLite format 3\0"
_SELECTED = "SELECT rowid, id, version, language, label, license, url FROM lexicons ORDER BY rowid"
_SENSES = """
    SELECT synsets.rowid, synsets.id, forms.form
    FROM synsets
    JOIN senses ON senses.synset_rowid = synsets.rowid
    JOIN forms ON forms.entry_rowid = senses.entry_rowid AND forms.rank = 0
    WHERE synsets.lexicon_rowid = ?
    ORDER BY synsets.rowid, senses.synset_rank, senses.rowid
"""


class _Lexicon(NamedTuple):
    rowid: int
    id: str
    version: str
    language: str
    label: str
    licence: str
    url: str


def wn_database_path(language: str) -> Path | None:
    """Return the path of the database of `wn` if it has a lexicon of the language, else None."""
    folder = os.environ.get("WN_DATA_DIR") or os.path.join("~", ".wn_data")
    path = Path(os.path.expanduser(folder), "wn.db")
    if not os.path.isfile(path):
        return None
    try:
        with _open_database(path) as database:
            return path if _lexicons(database, language) else None
    except LexiconError:  # no error, because the user did not name it
        return None


def is_wn_database(path: Path, head: str) -> bool:
    """Return whether the file begins like an SQLite file."""
    return head.startswith(_MAGIC)


def wn_database_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return what the lexicons of the language state, without repetitions."""
    with _open_database(source.path) as database:
        lexicons = _lexicons(database, source.settings.language)
    return (
        "; ".join(", ".join(filter(None, (lexicon.label, lexicon.url))) for lexicon in lexicons),
        "; ".join(dict.fromkeys(lexicon.licence for lexicon in lexicons)),
        "; ".join(f"{lexicon.id}:{lexicon.version}" for lexicon in lexicons),
    )


def wn_database_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset, lexicon by lexicon."""
    with _open_database(source.path) as database:
        for lexicon in _lexicons(database, source.settings.language):
            rows = database.execute(_SENSES, (lexicon.rowid,))
            for (_, synset), members in groupby(rows, key=lambda row: (row[0], row[1])):
                words: list[str] = []
                for _, _, form in members:
                    if not isinstance(form, str) or not form.strip():
                        source.skip(f"synset {synset!r}", f"{form!r} is not a word")
                    elif speaks(lexicon.language, "zh"):
                        words += chinese_forms(form.strip())
                    else:
                        words.append(form.strip())
                yield f"{lexicon.id}:{lexicon.version} {synset}", words
    if source.progress is not None:
        source.progress(source.size)


def _lexicons(database: Connection, language: str | None) -> list[_Lexicon]:
    rows = database.execute(_SELECTED)
    # A cell of SQLite may hold anything, or nothing, whatever its column is declared to be.
    lexicons = [_Lexicon(n, *("" if x is None else str(x) for x in cells)) for n, *cells in rows]
    return [
        lexicon for lexicon in lexicons if language is None or speaks(lexicon.language, language)
    ]


@contextmanager
def _open_database(path: Path) -> Iterator[Connection]:
    import sqlite3  # not at the top, because all readers are imported to recognize a format

    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages may be no UTF-8
        raise LexiconError(
            f"lexicon {path} cannot be read as the database of the package wn ({error});"
            " it must be complete and uncompressed"
        ) from None


# Wordnets in WN-LMF, the XML of the Global WordNet Association, versions 1.0 to 1.3.
#
#     <LexicalEntry id="w1"><Lemma writtenForm="Schirm"/><Sense id="s1" synset="de-1-n"/>…
#     <Synset id="de-1-n" members="w1 w2"/>
#
# A group is a synset: the lemmas whose senses name it, in the order of its `members`, which may be
# entries or senses. Its id is the label. All that is needed stands in attributes, so the parser
# builds no elements: only the words of one `Lexicon` are in memory at a time.
#
# A document type may be named, if it is that of WN-LMF; it is not fetched. Entities are not
# expanded: a file that declares one is refused.
#
# `wn.lmf` does not replace it: it builds the whole document (on WordNet 3.0, twice the time and 3.7
# times the memory), reads no compressed files, and one incomplete entry makes it refuse the file
# without saying where.

MAX_TAG_BYTES = 1 << 20  # the parser reads an unfinished tag again with each chunk

_CHUNK = 1 << 16
_ROOT = re.compile(r"<LexicalResource[\s>]")
_DTD = re.compile(r"(?:https?://globalwordnet\.github\.io/schemas/)?WN-LMF[\w.-]*\.dtd")
_LEXICONS = ("Lexicon", "LexiconExtension")


def is_wn_lmf(path: Path, head: str) -> bool:
    """Return whether the root element is that of WN-LMF."""
    return head.lstrip().startswith("<") and bool(_ROOT.search(head))


def wn_lmf_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin, license and version of the first lexicon of the language."""
    with source.stream() as stream:
        parser = _Parser(source)
        while not parser.lexicon and (chunk := stream.read(_CHUNK)):
            parser.feed(chunk)
    attributes = parser.lexicon
    origin = ", ".join(filter(None, (attributes.get("label"), attributes.get("url"))))
    return origin, attributes.get("license", ""), attributes.get("version", "")


def wn_lmf_groups(source: SourceFile) -> Labeled:
    """Yield one group per synset."""
    with source.stream() as stream:
        parser = _Parser(source)
        while chunk := stream.read(_CHUNK):
            yield from parser.feed(chunk)
        yield from parser.feed(b"", last=True)


class _Parser:
    """Incremental parser that returns the groups of a lexicon once it has seen its end tag."""

    def __init__(self, source: SourceFile) -> None:
        self.lexicon: dict[str, str] = {}  # attributes of the first lexicon of the language
        self._source = source
        self._n_bytes = 0
        self._depth = 0
        self._reading = False  # within a lexicon of the language
        self._chinese = False
        self._entry = self._word = ""
        self._words: dict[str, str] = {}  # id of an entry or a sense → its lemma
        self._synsets: dict[str, dict[str, None]] = {}
        self._ready: list[tuple[str, list[str]]] = []
        self._handlers = {
            "Lexicon": self._start_lexicon,
            "LexiconExtension": self._start_lexicon,
            "LexicalEntry": self._start_entry,
            "Lemma": self._start_lemma,
            "Sense": self._start_sense,
            "Synset": self._start_synset,
        }
        parser = self._expat = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity

    def feed(self, data: bytes, *, last: bool = False) -> list[tuple[str, list[str]]]:
        """Parse more bytes and return the groups completed by them."""
        self._n_bytes += len(data)
        try:
            self._expat.Parse(data, last)
            if self._n_bytes - self._expat.CurrentByteIndex > MAX_TAG_BYTES:
                raise self._refusal(f"a tag has more than {MAX_TAG_BYTES >> 20} MiB", "WN-LMF")
        except LexiconError:
            raise
        # LookupError: an unknown encoding. ValueError: a multi-byte encoding.
        except (expat.ExpatError, LookupError, ValueError) as error:
            why = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else error
            raise self._refusal(f"XML cannot be read ({why})", "well-formed WN-LMF") from None
        ready, self._ready = self._ready, []
        return ready

    def _refusal(self, what: str, right: str) -> LexiconError:
        where = f"lexicon {self._source.path}, line {self._expat.CurrentLineNumber}"
        return LexiconError(f"{where}: {what}; it must be {right}")

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        if public or not (system is None or _DTD.fullmatch(system)):
            raise self._refusal(
                f"document type {public or system!r} is not known", "that of WN-LMF, or none"
            )

    def _entity(self, name: str, *_: object) -> None:
        raise self._refusal(f"entity {name!r} is declared", "WN-LMF, which has no entities")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._depth == 0 and tag != "LexicalResource":
            raise self._refusal(f"root element is {tag!r}", "'LexicalResource'")
        self._depth += 1
        handler = self._handlers.get(tag)
        if handler is not None and (self._reading or tag in _LEXICONS):
            handler(attributes)

    def _start_lexicon(self, attributes: dict[str, str]) -> None:
        language = attributes.get("language", "")
        wanted = self._source.settings.language
        self._reading = wanted is None or not language or speaks(language, wanted)
        self._chinese = speaks(language or wanted or "", "zh")
        if self._reading:
            self.lexicon = self.lexicon or attributes

    def _start_entry(self, attributes: dict[str, str]) -> None:
        self._entry, self._word = attributes.get("id", ""), ""

    def _start_lemma(self, attributes: dict[str, str]) -> None:
        self._word = " ".join(attributes.get("writtenForm", "").replace("_", " ").split())
        if not self._word:
            self._skip(f"entry {self._entry!r} has a lemma without a written form")
        self._words[self._entry] = self._word

    def _start_sense(self, attributes: dict[str, str]) -> None:
        synset = attributes.get("synset")
        if not synset:
            self._skip(f"sense {attributes.get('id', '')!r} names no synset")
        elif self._word:  # an entry that extends another lexicon's has no lemma
            self._synsets.setdefault(synset, {})[self._word] = None
            if "id" in attributes:
                self._words[attributes["id"]] = self._word

    def _start_synset(self, attributes: dict[str, str]) -> None:
        if members := attributes.get("members", "").split():
            label = attributes.get("id", "")
            in_order = {self._words[m]: None for m in members if self._words.get(m)}
            self._synsets[label] = in_order | self._synsets.get(label, {})

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "LexicalEntry":
            self._entry = self._word = ""
        elif tag in _LEXICONS:
            for label, words in self._synsets.items():
                forms = [f for w in words for f in chinese_forms(w)] if self._chinese else [*words]
                self._ready.append((label, forms))
            self._synsets, self._words, self._reading = {}, {}, False

    def _skip(self, why: str) -> None:
        self._source.skip(self._expat.CurrentLineNumber, why)


READERS = {
    "omw": Reader(is_omw, omw_provenance, omw_groups),
    "wordnet": Reader(is_wordnet, wordnet_provenance, wordnet_groups),
    "wn-database": Reader(is_wn_database, wn_database_provenance, wn_database_groups),
    "wn-lmf": Reader(is_wn_lmf, wn_lmf_provenance, wn_lmf_groups),
}
