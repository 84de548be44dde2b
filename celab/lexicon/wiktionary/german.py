"""The German edition's wikitext: the lines of `{{Synonyme}}` in entries of `{{Sprache|Deutsch}}`.

A page's title and text → groups, by the sense numbers of the lines.

    {{Synonyme}}
    :[1] [[Tafel]], ''umgangssprachlich:'' [[Brett]]

A word has a link in it; notes about it are in italics, brackets or templates, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from celab.lexicon.model import Labeled
from celab.lexicon.wiktionary.wikitext import Item, labeled, sections
from celab.lexicon.wiktionary.words import fitting, sense_numbers

if TYPE_CHECKING:
    from celab.lexicon.wiktionary.wikitext import Parse

MARKERS = ("{{Synonyme",)  # only pages with one of these have synonyms

_GERMAN = re.compile(r"\{\{\s*Sprache\s*\|\s*Deutsch\s*\}\}")
_BLOCK = re.compile(r"\{\{([^{}|]*)(?:\|[^{}]*)?\}\}(.*)")
_MARKED = r"\[([\d\s*?,;.–—a-z/-]*)\]"
_MARK = re.compile(rf"\s*{_MARKED}")
# Links are put between these while the text around them is parsed.
_IN, _OUT = "\x02", "\x03"
_PARTS = re.compile(rf"(?:[^,;/{_IN}\[]|{_IN}[^{_OUT}]*{_OUT}|{_MARKED}|\[)+")
_TRAILING = re.compile(rf"\([^{_IN}{_OUT}()]*\)$|(?<!\w)(?:usw|etc|u\. ?a)\.$")
_LEADING = re.compile(
    r"(?:auch|oder|und|sowie|bzw\.|beziehungsweise|kurz|ugs\.|(?:umgangs|fach)sprachlich"
    r"|veralte(?:t|nd)|selten(?:er)?|regional|landschaftlich|gehoben|abwertend|scherzhaft"
    r"|(?:nord|süd|ost)?deutsch|österreichisch|schweiz(?:erisch|\.))\s+"
)
_REFERRING = re.compile(r"(?:siehe|vergleiche|vgl\.|s\.|kein)(?!\w)", re.IGNORECASE)


def groups(title: str, text: str, parse: Parse) -> Labeled:
    """Yield the groups of a page; `parse` is that of mwparserfromhell."""
    for items, n_senses in _lists(text, parse):
        yield from labeled(title, "de", items, n_senses)


def _lists(text: str, parse: Parse) -> Iterator[tuple[list[Item], int]]:
    # The items of each section, and how many senses it has.
    german = False
    for level, heading, lines in sections(text):
        if level == 2:
            german = bool(_GERMAN.search(heading))
        if not german:
            continue
        block = ""
        items: list[Item] = []
        meanings: set[str] = set()
        for line in lines:
            if line.startswith("{{") and (block_line := _BLOCK.match(line)):
                block, line = block_line[1].strip(), block_line[2].strip()
            elif line and not line.startswith((":", "*")):
                block = ""
            if block == "Bedeutungen" and (mark := _MARK.match(line.lstrip(":*"))):
                meanings.update(sense_numbers(mark[1]))
            elif block == "Synonyme" and line:
                deeper = line.startswith(("::", ":*", "**"))
                senses = items[-1].senses if deeper and items else []
                items += _items(line.lstrip(":* "), senses, parse)
        yield items, len(meanings)


def _items(line: str, senses: list[str], parse: Parse) -> Iterator[Item]:
    words: list[str] = []
    for match in _PARTS.finditer(_flat(parse(line).nodes)):
        part = match[0]
        while mark := _MARK.match(part):  # at the start, or later in the line
            if words:
                yield Item(senses, words)
            senses, words, part = sense_numbers(mark[1]), [], part[mark.end() :]
        words += _words(part)
    yield Item(senses, words)


def _words(part: str) -> list[str]:
    before, link, after = part.replace("''", "").replace("()", "").partition(_IN)
    if not link:
        return []
    part = before.rpartition(":")[2] + link + after
    part = _TRAILING.sub("", part.strip()).strip()
    while leading := _LEADING.match(part):
        part = part[leading.end() :]
    part = part.rstrip(".")
    if _REFERRING.match(part):
        return []
    return fitting(part.replace(_IN, "").replace(_OUT, ""), "de")


def _flat(nodes: Iterable[Any]) -> str:
    # Text as it is read, without notes: italics, templates and references.
    pieces = []
    for node in nodes:
        kind = type(node).__name__
        if kind == "Text":
            pieces.append(str(node).translate({2: None, 3: None}))
        elif kind == "Wikilink":
            shown = _flat(node.text.nodes) if node.text else str(node.title).partition("#")[0]
            shown = shown.replace(_IN, "").replace(_OUT, "")
            namespace = re.match(r":|[\w-]+:(?!\s)", str(node.title).strip())
            pieces.append("" if namespace else f"{_IN}{shown}{_OUT}")
        elif kind == "Tag" and str(node.tag) not in ("i", "ref", "em") and node.contents:
            pieces.append(_flat(node.contents.nodes))
        elif kind == "HTMLEntity":
            pieces.append(node.normalize())
    return "".join(pieces)
