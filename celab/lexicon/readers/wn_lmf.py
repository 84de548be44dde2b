"""Wordnets in WN-LMF, the XML of the Global WordNet Association, versions 1.0 to 1.3.

    <LexicalEntry id="w1"><Lemma writtenForm="Schirm"/><Sense id="s1" synset="de-1-n"/>…
    <Synset id="de-1-n" members="w1 w2"/>

A group is a synset: the lemmas whose senses name it, in the order of its `members`, which may be
entries or senses. Its id is the label. All that is needed stands in attributes, so the parser
builds no elements: only the words of one `Lexicon` are in memory at a time.

A document type may be named, if it is that of WN-LMF; it is not fetched. Entities are not expanded:
a file that declares one is refused.

`wn.lmf` is no replacement: it builds the whole document (on WordNet 3.0, twice the time and 3.7
times the memory), reads no compressed files, and one incomplete entry makes it refuse the file
without saying where.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from celab.base.errors import LexiconError
from celab.lexicon.readers.omw import chinese_forms, speaks
from celab.lexicon.source import Labeled, SourceFile

LONGEST_TAG = 1 << 20  # bytes; a parser reads the beginning of one again with each chunk

_CHUNK = 1 << 16
_ROOT = re.compile(r"<LexicalResource[\s>]")
_DTD = re.compile(r"(?:https?://globalwordnet\.github\.io/schemas/)?WN-LMF[\w.-]*\.dtd")
_LEXICONS = ("Lexicon", "LexiconExtension")


def recognizes(path: Path, head: str) -> bool:
    """Return whether the root element is that of WN-LMF."""
    return head.lstrip().startswith("<") and bool(_ROOT.search(head))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin, license and version of the first lexicon of the language."""
    with source.stream() as stream:
        parser = _Parser(source)
        while not parser.lexicon and (chunk := stream.read(_CHUNK)):
            parser.feed(chunk)
    attributes = parser.lexicon
    origin = ", ".join(filter(None, (attributes.get("label"), attributes.get("url"))))
    return origin, attributes.get("license", ""), attributes.get("version", "")


def read_groups(source: SourceFile) -> Labeled:
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
            if self._n_bytes - self._expat.CurrentByteIndex > LONGEST_TAG:
                raise self._refusal(f"a tag has more than {LONGEST_TAG >> 20} MiB", "WN-LMF")
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
