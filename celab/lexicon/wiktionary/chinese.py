"""The Chinese edition's wikitext: `{{syn|zh|…}}` below a definition, and sections 同義詞, in 漢語.

A page's title and text → groups, by the definitions, counted, or by what a section's line names.

    # 名詞釋義。
    #: {{syn|zh|電子計算機/电子计算机|wuu:方言詞}}

Words of dialects go by the language before them, and by notes beside them. What a template fetches
from elsewhere (`{{zh-dial}}`) is not in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from celab.lexicon.model import Labeled
from celab.lexicon.wiktionary.wikitext import LONGEST_LINE, Item, labeled, sections
from celab.lexicon.wiktionary.words import fitting, is_dialect, sense_numbers

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Template, Wikilink
    from mwparserfromhell.wikicode import Wikicode

    from celab.lexicon.wiktionary.wikitext import Parse

# Only a page that has one of these is worth taking apart.
MARKERS = ("{{syn|", "{{synonyms|", "{{zh-syn|", "同義詞", "同义词")

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
_BEFORE_COLON = re.compile(r"[\[('（]*+([^\[\]{}：:]{1,12}?)[\])'）]*[：:]")
_MODIFIER = re.compile(r"<([a-z]+):([^<>]*)>|<[^<>]*>")


def groups(title: str, text: str, parse: Parse) -> Labeled:
    """Yield the groups of a page; `parse` is that of mwparserfromhell."""
    for items, n_senses in _lists(text, parse):
        yield from labeled(title, "zh", items, n_senses)


def _lists(text: str, parse: Parse) -> Iterator[tuple[list[Item], int]]:
    """Yield the items of each section, and the number of senses that its part of speech has."""
    chinese = False
    n_senses = 0  # of the last part of speech
    for level, heading, lines in sections(text):
        if level == 2:
            chinese = bool(_CHINESE.fullmatch(heading))
            n_senses = 0
        if not chinese:
            continue
        if _SYNONYMS.fullmatch(heading):
            # A template may go over several lines.
            yield [_item(line, parse) for line in _joined(lines)], n_senses
            continue
        items, counts = _inline(lines, parse)
        n_senses = counts or n_senses
        yield items, n_senses


def _inline(lines: list[str], parse: Parse) -> tuple[list[Item], int]:
    """Return the synonyms below the definitions of a section, and the number of definitions."""
    items: list[Item] = []
    numbers: list[int] = []
    n_definitions = 0
    for line in _joined(lines):
        if definition := _DEFINITION.match(line):
            depth = min(len(definition[1]), 4)
            numbers = (numbers + [0] * depth)[:depth]
            numbers[-1] += 1
            n_definitions += 1
        elif line.startswith("#") and "{{" in line:
            sense = ".".join(map(str, numbers)) or "1"
            nodes: list[Any] = parse(line.lstrip("#:* ")).nodes
            for node in nodes:
                if type(node).__name__ == "Template" and _name(node) in _INLINE:
                    items.append(Item([sense], _template_words(node)))
    return items, n_definitions


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield the lines; one with a template goes on until the template, or the list's item, ends."""
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


def _item(line: str, parse: Parse) -> Item:
    """Return the senses and words of a line: its links and templates, but not those of dialects."""
    senses: list[str] = []
    parts: list[tuple[list[str], list[str]]] = [([], [])]  # words and notes between commas
    line = line.lstrip(":*# ")
    if (before := _BEFORE_COLON.match(line)) and is_dialect(before[1]):
        return Item([], [])
    _collect(parse(line).nodes, parts, senses)
    if parts and not parts[0][0] and any(map(is_dialect, parts[0][1])):
        return Item([], [])
    words = [word for group, notes in parts if not any(map(is_dialect, notes)) for word in group]
    return Item(senses, words)


def _collect(
    nodes: Iterable[Any], parts: list[tuple[list[str], list[str]]], senses: list[str]
) -> None:
    """Add the words and notes of nodes to the last of `parts`, a new one for each comma."""
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


def _template_words(template: Template) -> list[str]:
    """Return the Chinese words that a template links to or lists, but for those of dialects."""
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


def _item_words(value: Wikicode) -> list[str]:
    """Return the words of one argument of a template, separated by commas, without modifiers."""
    if any(type(node).__name__ in ("Wikilink", "Template") for node in value.nodes):
        parts: list[tuple[list[str], list[str]]] = [([], [])]
        _collect(value.nodes, parts, [])
        return [word for words, _ in parts for word in words]
    text = str(value)
    if any(is_dialect(match[2]) for match in _MODIFIER.finditer(text) if match[2]):
        return []
    words = []
    for part in re.split("[,，]", _MODIFIER.sub("", text).partition(";")[0]):
        part = part.strip().lstrip("*^")
        if match := _PREFIX.fullmatch(part):
            if match[1] not in ("zh", "cmn"):
                continue
            part = match[2]
        words += fitting(part.removeprefix("Thesaurus:"), "zh")
    return words


def _link_words(link: Wikilink) -> list[str]:
    """Return the words that a link leads to; none if that is a page of another kind."""
    title = str(link.title).partition("#")[0].strip().removeprefix("Thesaurus:")
    return fitting(title or str(link.text or ""), "zh") if ":" not in title else []


def _name(template: Template) -> str:
    """Return the name of a template as our tables have it."""
    return str(template.name).strip().lower()


def _positional(template: Template) -> list[str]:
    """Return the arguments of a template that have no name."""
    return [str(p.value) for p in template.params if not p.showkey]
