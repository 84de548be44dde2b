"""Dumps of Wiktionary: `…-pages-articles.xml.bz2` of the German or the Chinese edition.

The dump is read a page at a time. The wikitext of a page is parsed by the module of the edition,
`wiktionary/german.py` or `wiktionary/chinese.py`, with mwparserfromhell. A dump that has a DTD,
another encoding or an endless page is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from celab.base.errors import LexiconError
from celab.base.extras import install_command
from celab.lexicon.model import Labeled
from celab.lexicon.source import SourceFile
from celab.lexicon.wiktionary import LICENSE, chinese, german

LONGEST_PAGE = 1 << 24  # bytes of XML; MediaWiki keeps no text of more than 2 MiB
MOST_ELEMENTS = 10_000  # between the ends of two pages; a page has about twenty

_CHUNK = 1 << 16  # bytes; a parser reads the beginning of a tag again with each chunk

# Only the declaration may come before the root, so a DTD is rejected.
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml(?:\s[^>]*?)?\?>\s*)?<mediawiki[\s>]", re.IGNORECASE
)
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-?8|us-ascii)", re.IGNORECASE)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_EDITIONS = {"de": "German", "zh": "Chinese"}
_WIKITEXT = {"de": german, "zh": chinese}


def recognizes(path: Path, head: str) -> bool:
    """Return whether the root element is there, at any position.

    `read_groups` reports what must not precede it.
    """
    return head.lstrip().startswith("<") and "<mediawiki" in head


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return the edition, from the head, and the date, from the name of the file."""
    database = re.search(r"<dbname>\s*(\w+)\s*</dbname>", head)
    language = re.search(r"<mediawiki[^<>]*\sxml:lang=[\"']([\w-]+)", head)
    code = database[1][:2] if database else language[1] if language else ""
    dated = re.search(r"(?<!\d)(20\d{6})(?!\d)", source.path.name)
    generator = re.search(r"<generator>([^<]*)</generator>", head)
    version = dated[1] if dated else generator[1].strip() if generator else ""
    return f"Wiktionary, {_EDITIONS.get(code, 'unknown')} edition, dump", LICENSE, version


def read_groups(source: SourceFile) -> Labeled:
    """Yield the groups of each page of the main namespace."""
    try:
        parse = import_module("mwparserfromhell").parse
    except ImportError as error:
        raise LexiconError(
            f"lexicon {source.path} is a Wiktionary dump, and the package {error.name} that reads"
            f" it is not installed; get it with: {install_command('wiktionary')}"
        ) from None
    with source.stream(by_entry=True) as stream:
        for edition, title, text in _pages(source, stream):
            if any(marker in text for marker in _WIKITEXT[edition].MARKERS):
                yield from _WIKITEXT[edition].groups(title, text, parse)


class _Guarded:
    """The bytes of a dump; `LexiconError` if the beginning or the length of a page is wrong."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._head = stream.read(4096)
        self._since_page = 0
        self._tail = b""
        if not _PROLOG.match(self._head) or _OTHER_ENCODING.search(self._head):
            dtd = b"<!doctype" in self._head.lower() or b"<!entity" in self._head.lower()
            raise LexiconError(
                f"lexicon {path} {'has a DTD' if dtd else 'does not begin like a dump'};"
                " a Wiktionary dump is UTF-8 and begins with <mediawiki>"
            )

    def read(self, size: int = -1) -> bytes:
        data = self._head or self._stream.read(_CHUNK)
        self._head = b""
        at = (self._tail + data).rfind(b"</page>")
        self._since_page = self._since_page + len(data) if at < 0 else len(data) - at
        self._tail = data[-6:]
        if self._since_page > LONGEST_PAGE:
            raise _too_large(self._path, f"{LONGEST_PAGE >> 20} MiB")
        return data


def _too_large(path: Path, what: str) -> LexiconError:
    return LexiconError(
        f"lexicon {path} has a page of more than {what};"
        " it must be a dump of the current pages only (pages-articles)"
    )


def _pages(source: SourceFile, stream: IO[bytes]) -> Iterator[tuple[str, str, str]]:
    """Yield edition, title and text of the pages of the main namespace, without redirects."""
    edition = ""
    root = None
    n_elements = 0
    try:
        for event, element in iterparse(_Guarded(stream, source.path), ("start", "end")):
            if root is None:
                root = element
            n_elements += event == "start"
            if n_elements > MOST_ELEMENTS:
                raise _too_large(source.path, f"{MOST_ELEMENTS:,} elements")
            name = element.tag.rpartition("}")[2]
            if event == "end" and name == "siteinfo":
                edition = _edition(source, element, root.get(_LANGUAGE, ""))
            elif event == "end" and name == "page":
                title, space = element.findtext("{*}title", ""), element.findtext("{*}ns", "")
                if not (edition and title and space.lstrip("-").isdecimal()):
                    raise ParseError("a page without siteinfo before it, title or namespace")
                if space == "0" and element.find("{*}redirect") is None:
                    texts = element.findall("{*}revision/{*}text")
                    yield edition, title, (texts[-1].text if texts else "") or ""
                root.clear()  # or it would keep all pages
                n_elements = 0
    except ParseError as error:
        raise LexiconError(
            f"lexicon {source.path} is truncated or not a dump ({error});"
            " it must be a complete pages-articles.xml"
        ) from None


def _edition(source: SourceFile, site: Element, spoken: str) -> str:
    base = site.findtext("{*}base") or ""
    address = re.match(r"https?://([a-z-]+)\.(?:m\.)?(\w+)\.", base)
    wiki = site.findtext("{*}dbname") or (
        address[1] + address[2] if address else f"{spoken}wiktionary"
    )
    code = wiki.removesuffix("wiktionary")
    if code not in _EDITIONS or code == wiki:
        raise LexiconError(
            f"lexicon {source.path} is a dump of {wiki[:40]!r}; it must be of dewiktionary or"
            " zhwiktionary (for other editions take wiktextract's files, from kaikki.org)"
        )
    if source.settings.language not in (None, code):
        raise LexiconError(
            f"lexicon {source.path} is a dump of {wiki}; celab reads only the language"
            f" {code!r} from it, not {source.settings.language!r}"
        )
    return code
