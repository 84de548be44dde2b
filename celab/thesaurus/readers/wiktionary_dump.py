"""Wiktionary as it is written: `…-pages-articles.xml.bz2` of the German or the Chinese edition.

German: the lines of `{{Synonyme}}` in entries of `{{Sprache|Deutsch}}`, by their sense numbers.

    {{Synonyme}}
    :[1] [[Tafel]], ''umgangssprachlich:'' [[Brett]]

Chinese: `{{syn|zh|…}}` below a definition, and sections 同義詞, in the entry 漢語.

    # 名詞釋義。
    #: {{syn|zh|電子計算機/电子计算机|wuu:方言詞}}

A group is the page's title and what one sense lists, labelled `Tisch, sense 1`. A line that names
no sense is a group of its own, `Tisch, no sense`, unless the word has one sense only. What a
template fetches from elsewhere (`{{zh-dial}}`) is not in the dump.

mwxml takes the dump apart, a page at a time, and mwparserfromhell the lines that matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.etree.ElementTree import ParseError

from celab.errors import LexiconError
from celab.thesaurus.files import SourceFile
from celab.thesaurus.model import Group
from celab.thesaurus.readers.wiktextract import LICENCE, fitting, is_dialect, sense_numbers

FORMAT = "wiktionary-dump"
LONGEST_PAGE = 1 << 24  # bytes of XML; MediaWiki keeps no text of more than 2 MiB
LONGEST_LINE = 1 << 15  # characters; no list that a person wrote is longer

# Nothing but the declaration may stand before the root, so there is no room for a DTD.
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml(?:\s[^>]*?)?\?>\s*)?<mediawiki[\s>]", re.IGNORECASE
)
_OTHER_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-?8|us-ascii)", re.IGNORECASE)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_EDITIONS = {"de": "German", "zh": "Chinese"}

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Item(NamedTuple):
    """A line of a list of synonyms: the senses that it names, and its words."""

    senses: list[str]
    words: list[str]


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
        lists = _german if edition == "de" else _chinese
        for title, text in pages:
            for items, n_senses in lists(_COMMENT.sub("", text), parse):
                yield from _groups(title, edition, items, n_senses)


def _groups(title: str, edition: str, items: Iterable[Item], n_senses: int) -> Iterator[Group]:
    by_sense: dict[str, list[str]] = {}
    unnamed: list[list[str]] = []
    for senses, words in items:
        for sense in senses or (["1"] if n_senses == 1 else []):
            by_sense.setdefault(sense, []).extend(words)
        if not senses and n_senses != 1:
            unnamed.append(words)
    labelled = [(f"sense {sense}", words) for sense, words in by_sense.items()]
    labelled += (("no sense", words) for words in unnamed)
    for label, words in labelled:
        group = tuple(dict.fromkeys([*fitting(title, edition), *words]))
        if len(group) > 1:
            yield Group(f"{title}, {label}", group)


# The dump


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
            if found and any(marker in found for marker in _MARKERS[edition]):
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


# Only a page that has one of these is worth taking apart.
_MARKERS = {
    "de": ("{{Synonyme",),
    "zh": ("{{syn|", "{{synonyms|", "{{zh-syn|", "同義詞", "同义词"),
}


def _sections(text: str) -> Iterator[tuple[int, str, list[str]]]:
    # Level, heading and lines of each.
    level, heading = 1, ""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.rstrip()
        if line.startswith("==") and line.endswith("=="):
            yield level, heading, lines
            heading = line.strip("= ")
            level, lines = len(line) - len(line.lstrip("=")), []
        elif len(line) <= LONGEST_LINE:
            lines.append(line)
    yield level, heading, lines


# German

_GERMAN = re.compile(r"\{\{\s*Sprache\s*\|\s*Deutsch\s*\}\}")
_BLOCK = re.compile(r"\{\{([^{}|]*)(?:\|[^{}]*)?\}\}(.*)")
_MARKED = r"\[([\d\s*?,;.–—a-z/-]*)\]"
_MARK = re.compile(rf"\s*{_MARKED}")
# Links are set between these while the text around them is looked at.
_IN, _OUT = "\x02", "\x03"
_PARTS = re.compile(rf"(?:[^,;/{_IN}\[]|{_IN}[^{_OUT}]*{_OUT}|{_MARKED}|\[)+")
_TRAILING = re.compile(rf"\([^{_IN}{_OUT}()]*\)$|(?<!\w)(?:usw|etc|u\. ?a)\.$")
_LEADING = re.compile(
    r"(?:auch|oder|und|sowie|bzw\.|beziehungsweise|kurz|ugs\.|(?:umgangs|fach)sprachlich"
    r"|veralte(?:t|nd)|selten(?:er)?|regional|landschaftlich|gehoben|abwertend|scherzhaft"
    r"|(?:nord|süd|ost)?deutsch|österreichisch|schweiz(?:erisch|\.))\s+"
)
_REFERRING = re.compile(r"(?:siehe|vergleiche|vgl\.|s\.|kein)(?!\w)", re.IGNORECASE)


def _german(text: str, parse: Any) -> Iterator[tuple[list[Item], int]]:
    german = False
    for level, heading, lines in _sections(text):
        if level == 2:
            german = bool(_GERMAN.search(heading))
        if not german:
            continue
        block = ""
        items: list[Item] = []
        meanings: set[str] = set()
        for line in lines:
            if line.startswith("{{") and (found := _BLOCK.match(line)):
                block, line = found[1].strip(), found[2].strip()
            elif line and not line.startswith((":", "*")):
                block = ""
            if block == "Bedeutungen" and (mark := _MARK.match(line.lstrip(":*"))):
                meanings.update(sense_numbers(mark[1]))
            elif block == "Synonyme" and line:
                deeper = line.startswith(("::", ":*", "**"))
                senses = items[-1].senses if deeper and items else []
                items += _german_items(line.lstrip(":* "), senses, parse)
        yield items, len(meanings)


def _german_items(line: str, senses: list[str], parse: Any) -> Iterator[Item]:
    words: list[str] = []
    for found in _PARTS.finditer(_flat(parse(line).nodes)):
        part = found[0]
        while mark := _MARK.match(part):  # at the start, or later in the line
            if words:
                yield Item(senses, words)
            senses, words, part = sense_numbers(mark[1]), [], part[mark.end() :]
        words += _german_words(part)
    yield Item(senses, words)


def _german_words(part: str) -> list[str]:
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
            named = re.match(r":|[\w-]+:(?!\s)", str(node.title).strip())
            pieces.append("" if named else f"{_IN}{shown}{_OUT}")
        elif kind == "Tag" and str(node.tag) not in ("i", "ref", "em") and node.contents:
            pieces.append(_flat(node.contents.nodes))
        elif kind == "HTMLEntity":
            pieces.append(node.normalize())
    return "".join(pieces)


# Chinese

_CHINESE = re.compile(
    r"[漢汉][語语]|中文|官[話话]|[國国][語语]|\{\{[-=]?(?:zh|zho|cmn)[-=]?\}\}", re.IGNORECASE
)
_SYNONYMS = re.compile(r"(?:\{\{)?同[義义][詞词](?:\}\})?\d*")
_DEFINITION = re.compile(r"(#+)(?![#:*])")
_INLINE = frozenset({"syn", "synonyms", "zh-syn"})
_LINKS = frozenset({"l", "link", "ll", "m", "mention"})  # language, word, what is shown
_CHINESE_LINKS = frozenset({"zh-l", "zh-m"})  # Traditional, perhaps Simplified, …
_COLUMNS = re.compile(r"col(?:\d(?:-u)?|-auto)?|syn-saurus|syn|synonyms")  # language, words
_CHINESE_LISTS = frozenset({"zh-syn", "zh-syn-list", "zh-syn-saurus"})  # words
_SENSES = frozenset({"s", "sense", "語義", "语义"})
_NOTES = re.compile(r"q|qual|qualifier|lb|label|lbl|i|a|accent|gloss")
_COMMA = re.compile("[、，,；;]")
_PREFIX = re.compile(r"([a-z]{2,3}(?:-[a-z]+)*):(.*)", re.DOTALL)
_BEFORE_COLON = re.compile(r"[\[('（]*([^\[\]{}：:]{1,12}?)[\])'）]*[：:]")
_MODIFIER = re.compile(r"<([a-z]+):([^<>]*)>|<[^<>]*>")


def _chinese(text: str, parse: Any) -> Iterator[tuple[list[Item], int]]:
    chinese = False
    n_senses = 0  # of the last part of speech
    for level, heading, lines in _sections(text):
        if level == 2:
            chinese = bool(_CHINESE.fullmatch(heading))
            n_senses = 0
        if not chinese:
            continue
        if _SYNONYMS.fullmatch(heading):
            # A template may go over several lines.
            yield [_chinese_item(line, parse) for line in _joined(lines)], n_senses
            continue
        items, counts = _inline(lines, parse)
        n_senses = counts or n_senses
        yield items, n_senses


def _inline(lines: list[str], parse: Any) -> tuple[list[Item], int]:
    items: list[Item] = []
    numbers: list[int] = []
    n_definitions = 0
    for line in _joined(lines):
        if found := _DEFINITION.match(line):
            depth = min(len(found[1]), 4)
            numbers = (numbers + [0] * depth)[:depth]
            numbers[-1] += 1
            n_definitions += 1
        elif line.startswith("#") and "{{" in line:
            sense = ".".join(map(str, numbers)) or "1"
            for node in parse(line.lstrip("#:* ")).nodes:
                if type(node).__name__ == "Template" and _name(node) in _INLINE:
                    items.append(Item([sense], _template_words(node)))
    return items, n_definitions


def _joined(lines: list[str]) -> Iterator[str]:
    # Lines, but a template that goes over several is one; a list's next line ends one left open.
    held: list[str] = []
    n_open = size = 0
    for line in lines:
        if held and (n_open <= 0 or size > LONGEST_LINE or line.startswith(("#", "*"))):
            yield "\n".join(held)
            held, n_open, size = [], 0, 0
        held.append(line)
        size += len(line)
        n_open += line.count("{{") - line.count("}}")
    yield "\n".join(held)


def _chinese_item(line: str, parse: Any) -> Item:
    """A line of a section: links, templates, and notes that hold for what stands beside them."""
    senses: list[str] = []
    parts: list[tuple[list[str], list[str]]] = [([], [])]  # words and notes between commas
    line = line.lstrip(":*# ")
    if (before := _BEFORE_COLON.match(line)) and is_dialect(before[1]):
        return Item([], [])
    _collect(parse(line).nodes, parts, senses)
    if parts and not parts[0][0] and any(map(is_dialect, parts[0][1])):
        return Item([], [])
    words = [w for found, notes in parts if not any(map(is_dialect, notes)) for w in found]
    return Item(senses, words)


def _collect(
    nodes: Iterable[Any], parts: list[tuple[list[str], list[str]]], senses: list[str]
) -> None:
    for node in nodes:
        kind = type(node).__name__
        if kind == "Text":
            first, *rest = _COMMA.split(str(node))
            parts[-1][1].append(first)
            for note in rest:
                parts.append(([], [note]))
        elif kind == "Wikilink":
            parts[-1][0].extend(_link_words(node))
        elif kind == "Template":
            name = _name(node)
            if name in _SENSES:
                gloss = " ".join(_positional(node)[-1:]).strip()
                senses += sense_numbers(gloss) or [f"“{gloss[:40]}”"]
            elif _NOTES.fullmatch(name):
                parts[-1][1].extend(_positional(node))
            else:
                parts[-1][0].extend(_template_words(node))
        elif kind == "Tag" and node.contents and str(node.tag) != "ref":
            if str(node.tag) in ("i", "em"):
                parts[-1][1].append(str(node.contents.strip_code()))
            else:
                _collect(node.contents.nodes, parts, senses)


def _template_words(template: Any) -> list[str]:
    name = _name(template)
    values = [p.value for p in template.params if not p.showkey]
    if name in _CHINESE_LINKS:
        # The second is the Simplified form, or else a pronunciation or gloss.
        words = _item_words(values[0]) if values else []
        more = _item_words(values[1]) if len(values) > 1 else []
        return words + [w for w in more if len(words) == 1 and len(w) == len(words[0])]
    if name in _CHINESE_LISTS:
        items = values
    elif name in _LINKS or _COLUMNS.fullmatch(name):
        if not values or str(values[0]).strip() not in ("zh", "cmn"):
            return []
        items = [v for v in values[1:] if str(v).strip()][:1] if name in _LINKS else values[1:]
    else:
        return []
    notes = {str(p.name).strip(): str(p.value) for p in template.params if p.showkey}
    words = []
    for position, value in enumerate(items, 1):
        qualifiers = (notes.get(f"{key}{position}", "") for key in ("q", "qq", "l", "ll", "lb"))
        if not any(map(is_dialect, qualifiers)):
            words += _item_words(value)
    return words


def _item_words(value: Any) -> list[str]:
    if any(type(node).__name__ in ("Wikilink", "Template") for node in value.nodes):
        parts: list[tuple[list[str], list[str]]] = [([], [])]
        _collect(value.nodes, parts, [])
        return [word for words, _ in parts for word in words]
    text = str(value)
    if any(is_dialect(found[2]) for found in _MODIFIER.finditer(text) if found[2]):
        return []
    words = []
    for part in re.split("[,，]", _MODIFIER.sub("", text).partition(";")[0]):
        part = part.strip().lstrip("*^")
        if found := _PREFIX.fullmatch(part):
            if found[1] not in ("zh", "cmn"):
                continue
            part = found[2]
        words += fitting(part.removeprefix("Thesaurus:"), "zh")
    return words


def _link_words(link: Any) -> list[str]:
    title = str(link.title).partition("#")[0].strip().removeprefix("Thesaurus:")
    return fitting(title or str(link.text or ""), "zh") if ":" not in title else []


def _name(template: Any) -> str:
    return str(template.name).strip().lower()


def _positional(template: Any) -> list[str]:
    return [str(p.value) for p in template.params if not p.showkey]
