"""Wiktionary as it is written: `…-pages-articles.xml.bz2` of the German or the Chinese edition.

mwxml takes the dump apart, a page at a time. What is in a page's wikitext is for the edition's own
module, `wiktionary/german.py` or `wiktionary/chinese.py`, which mwparserfromhell helps. A dump that
has a DTD, another encoding or an endless page is refused before it can do harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from celab.errors import LexiconError
from celab.lexicon.files import SourceFile
from celab.lexicon.model import Group
from celab.lexicon.wiktionary import LICENCE, chinese, german

FORMAT = "wiktionary-dump"
LONGEST_PAGE = 1 << 24  # bytes of XML; MediaWiki keeps no text of more than 2 MiB

# Nothing but the declaration may stand before the root, so there is no room for a DTD.
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml(?:\s[^>]*?)?\?>\s*)?<mediawiki[\s>]", re.IGNORECASE
)
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-?8|us-ascii)", re.IGNORECASE)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_EDITIONS = {"de": "German", "zh": "Chinese"}
_WIKITEXT = {"de": german, "zh": chinese}


def recognises(path: Path, head: str) -> bool:
    """By the root element, wherever it stands: `read` says what is wrong before it."""
    return head.lstrip().startswith("<") and "<mediawiki" in head


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """The edition from the head, the date from the name of the file."""
    database = re.search(r"<dbname>\s*(\w+)\s*</dbname>", head)
    language = re.search(r"<mediawiki[^>]*\sxml:lang=[\"']([\w-]+)", head)
    code = database[1][:2] if database else language[1] if language else ""
    dated = re.search(r"(?<!\d)(20\d{6})(?!\d)", source.path.name)
    generator = re.search(r"<generator>\s*([^<]*?)\s*</generator>", head)
    version = dated[1] if dated else generator[1] if generator else ""
    return f"Wiktionary, {_EDITIONS.get(code, 'unknown')} edition, dump", LICENCE, version


def read(source: SourceFile) -> Iterator[Group]:
    """The groups of each page of the main namespace."""
    try:
        mwxml = import_module("mwxml")
        parse = import_module("mwparserfromhell").parse
    except ImportError as error:
        raise LexiconError(
            f"lexicon {source.path} is a Wiktionary dump, and the package {error.name} that reads"
            " it is not installed; get it with: pip install celab[wiktionary]"
        ) from None
    with source.open() as stream:
        edition, pages = _opened(source, stream, mwxml)
        for title, text in pages:
            yield from _WIKITEXT[edition].groups(title, text, parse)


class _Guarded:
    """A dump's bytes, if they begin as one does and no page is longer than any can be."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._head = stream.read(4096)
        self._since_page = 0
        self._tail = b""
        if not _PROLOG.match(self._head) or _OTHER_ENCODING.search(self._head):
            dtd = b"<!doctype" in self._head.lower() or b"<!entity" in self._head.lower()
            raise LexiconError(
                f"lexicon {path} {'has a DTD' if dtd else 'does not begin as a dump does'};"
                " a Wiktionary dump is UTF-8 and begins with <mediawiki>"
            )

    def read(self, size: int = -1) -> bytes:
        data = self._head or self._stream.read(1 << 16 if size < 0 else size)
        self._head = b""
        at = (self._tail + data).rfind(b"</page>")
        self._since_page = self._since_page + len(data) if at < 0 else len(data) - at
        self._tail = data[-6:]
        if self._since_page > LONGEST_PAGE:
            raise LexiconError(
                f"lexicon {self._path} has a page of more than {LONGEST_PAGE >> 20} MiB;"
                " it must be a dump of the current pages only (pages-articles)"
            )
        return data


def _opened(
    source: SourceFile, stream: IO[bytes], mwxml: Any
) -> tuple[str, Iterator[tuple[str, str]]]:
    guarded = _Guarded(stream, source.path)
    # What mwxml lets through if a dump is not as it expects: int("x"), None.replace and so on.
    failures = (
        ParseError, mwxml.errors.MalformedXML, AssertionError,
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError,
    )  # fmt: skip

    def damaged(error: Exception) -> LexiconError:
        why = " ".join(str(error).split())[:120] or type(error).__name__
        return LexiconError(
            f"lexicon {source.path} is cut short or is no dump ({why});"
            " it must be a whole pages-articles.xml"
        )

    def pages() -> Iterator[tuple[str, str]]:
        while True:
            try:
                page = next(dump, None)
                if page is None:
                    return
                found = None
                if page.namespace == 0 and page.redirect is None:
                    for revision in page:
                        found = revision.slots["main"].text or ""
            except LexiconError:
                raise
            except failures as error:
                raise damaged(error) from None
            if found and any(marker in found for marker in _WIKITEXT[edition].MARKERS):
                yield page.title, found
            # mwxml empties a page that has been read, but leaves it hanging on the root.
            root.element.clear()

    try:
        # What `mwxml.Dump.from_file` does, but with the root in our hands.
        root = mwxml.element_iterator.ElementIterator.from_file(guarded)
        if root.tag != "mediawiki":
            raise ValueError(f"its root is <{root.tag}>")
        spoken = root.attr(_LANGUAGE, "")
        dump = mwxml.Dump.from_element(root)
    except LexiconError:
        raise
    except failures as error:
        raise damaged(error) from None
    edition = _edition(source, dump.site_info, spoken)
    return edition, pages()


def _edition(source: SourceFile, site: Any, spoken: str) -> str:
    address = re.match(r"https?://([a-z-]+)\.(?:m\.)?(\w+)\.", site.base or "")
    if site.dbname:
        wiki = str(site.dbname)
    elif address:
        wiki = address[1] + address[2]
    else:
        wiki = f"{spoken}wiktionary"
    code = wiki.removesuffix("wiktionary")
    if code not in _EDITIONS or code == wiki:
        raise LexiconError(
            f"lexicon {source.path} is a dump of {wiki[:40]!r}; it must be of dewiktionary or"
            " zhwiktionary (for other editions take wiktextract's files, from kaikki.org)"
        )
    if source.settings.language not in (None, code):
        raise LexiconError(
            f"lexicon {source.path} is a dump of {wiki}, of which celab reads the language"
            f" {code!r} only, not {source.settings.language!r}"
        )
    return code
