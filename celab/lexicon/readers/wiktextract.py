"""Wiktionary as wiktextract gives it (kaikki.org): one JSON object a line, one word each.

    {"word": "Messe", "lang_code": "de", "pos": "noun", "senses": [{"synonyms": [{"word": …}]}]}

A group is a headword and what one of its senses lists, labeled `Messe (noun), sense 2`. An item
of the entry's own list counts for the sense that it names (`sense_index`, or `sense`, a gloss);
items that name none are read with `top_level` only. Traditional and Simplified forms are words of
one group. Dialect words, other forms of a word, romanizations and misspellings go by their tags;
`fitting` removes words that no text can contain.

The English, the German and the Chinese edition are known; they differ in tags, not in shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from celab.base import io
from celab.lexicon.model import Labeled
from celab.lexicon.source import SourceFile
from celab.lexicon.wiktionary_words import (
    CHINESE_CODES,
    HAN,
    are_of_dialect,
    fitting,
    sense_numbers,
)

MAX_LINE = 1 << 25  # bytes; the longest lines of published files have a few million

_LICENSE = "CC BY-SA 4.0 and GFDL (Wiktionary)"
_CODES = {"zh": CHINESE_CODES}


def recognizes(path: Path, head: str) -> bool:
    """Return whether the text is an object with the language or the senses of a word."""
    return head.lstrip().startswith("{") and bool(re.search(r'"(?:lang_code|senses)"\s*:', head))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return the edition, by the names of languages; the file does not state its age."""
    language = re.search(r'"lang"\s*:\s*"([^"\\]*)"', head)
    edition = "English"
    if language and HAN.search(language[1]):
        edition = "Chinese"
    elif language and re.search(r"(?:sch|international)$", language[1], re.IGNORECASE):
        edition = "German"
    return f"Wiktionary, {edition} edition, by wiktextract", _LICENSE, ""


def read_groups(source: SourceFile) -> Labeled:
    """Yield the groups of each word of the language."""
    language = source.settings.language
    codes = _CODES.get(language, {language}) if language else None
    with source.stream(by_entry=True) as stream:
        # A line that is too long for an entry is cut off, so that it is not JSON.
        lines = io.limited_lines(stream, MAX_LINE, long_lines="cut")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except (ValueError, RecursionError):  # ValueError: no JSON, no UTF-8, endless digits
                why = "too long a line" if len(line) > MAX_LINE else "not valid JSON"
                source.skip(number, f"{why}; it must be one object")
                continue
            if not isinstance(entry, dict):
                source.skip(number, f"{line[:20].decode(errors='replace')!r} is not a JSON object")
                continue
            code = _text(entry.get("lang_code"))
            if codes is None or code in codes:
                yield from _groups(entry, code, source.settings.top_level)


def _groups(entry: dict[str, object], code: str, top_level: bool) -> Labeled:
    word, pos = _text(entry.get("word")), _text(entry.get("pos"))
    by_sense: dict[str, list[str]] = {}
    numbers: dict[str, str] = {}  # by gloss
    for position, sense in enumerate(_dicts(entry.get("senses")), 1):
        number = next(iter(sense_numbers(_text(sense.get("sense_index")))), str(position))
        glosses = sense.get("glosses")
        for gloss in glosses if isinstance(glosses, list) else ():
            numbers.setdefault(_text(gloss), number)
        for item in _items(sense.get("synonyms")):
            by_sense.setdefault(f"sense {number}", []).extend(_words(item, code))
    for item in _items(entry.get("synonyms")):
        for sense_name in _senses_of(item, numbers):
            by_sense.setdefault(sense_name, []).extend(_words(item, code))
    if not top_level:
        by_sense.pop("", None)
    name = f"{word} ({pos})" if pos else word
    head = fitting(word, code) if by_sense else []
    for sense_name, items in by_sense.items():
        yield f"{name}, {sense_name or 'no sense'}", [*head, *items]


def _senses_of(item: dict[str, object], numbers: dict[str, str]) -> list[str]:
    # "" is the sense of an item that names none.
    index = item.get("sense_index")
    if numbered := sense_numbers(_text(index) or ", ".join(map(_text, _list(index)))):
        return [f"sense {number}" for number in numbered]
    gloss = _text(item.get("sense"))
    if gloss in numbers:
        return [f"sense {numbers[gloss]}"]
    return [f"sense “{gloss[:40]}”" if gloss else ""]


def _words(item: dict[str, object], code: str) -> list[str]:
    tags = [_text(tag) for key in ("tags", "raw_tags") for tag in _list(item.get(key))]
    if are_of_dialect(tags):
        return []
    word, roman = _text(item.get("word")), _text(item.get("roman"))
    return [] if word == roman else fitting(word, code)


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 1000 else ""
    return value.strip() if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> Iterable[dict[str, object]]:
    # An item that is not an object still counts: the numbers of senses are positions.
    return (item if isinstance(item, dict) else {} for item in _list(value))


def _items(value: object) -> Iterable[dict[str, object]]:
    return (item if isinstance(item, dict) else {"word": item} for item in _list(value))
