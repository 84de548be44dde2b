"""Wiktionary as wiktextract gives it (kaikki.org): one JSON object a line, one word each.

    {"word": "Messe", "lang_code": "de", "pos": "noun", "senses": [{"synonyms": [{"word": …}]}]}

A group is a headword and what one of its senses lists, labelled `Messe (noun), sense 2`. An item
of the entry's own list counts for the sense that it names (`sense_index`, or `sense`, a gloss);
items that name none are read with `top_level` only. Traditional and Simplified forms are words of
one group. Dialect words, other forms of a word, romanisations and misspellings go by their tags;
`fitting` says which words are of no use to anyone.

The English, the German and the Chinese edition are known; they differ in tags, not in shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from celab.thesaurus.files import SourceFile
from celab.thesaurus.model import Group

FORMAT = "wiktextract"
LICENCE = "CC BY-SA 4.0 and GFDL (Wiktionary)"
LONGEST_LINE = 1 << 25  # bytes; the longest of a true file have a few million
_LONGEST_WORD = 100
_MOST_SENSES = 60  # of one list such as [1–3]

_HAN = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_OPEN_ENDED = re.compile(r"[()\[\]{}<>（）［］〔〕【】…⋯~～〜|=]|\.\.")
_SHORT_VARIABLE = re.compile(r"(?<!\w)(?:etw|jm?d[nms]?|jds|sb|sth|smb|smth)(?!\w)")
# Only inside a phrase: "etwas", "someone" and "X" are words too.
_VARIABLE = re.compile(
    r"(?<!\w)(?:X|Y|some(?:one|body|thing)|one(?:self|['’]s)|jemand(?:e[nms])?|etwas|einer Sache)"
    r"(?!\w)"
)
_HAN_VARIABLE = re.compile(r"(?<![A-Za-z])(?:A[^A-Za-z]+B|X[^A-Za-z]+Y|V[^A-Za-z]V)(?![A-Za-z])")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Tags in lower case with hyphens. Taiwan, Austria and the like are no lects: what is written there
# is standard Chinese or German.
_LECTS = _names(
    """
    cantonese yue taishanese toishanese guangzhou hoisanese hakka sixian hailu meixian min
    hokkien taiwanese-hokkien taiwanese teochew hainanese puxian fuzhou eastern-min northern-min
    southern-min leizhou wu shanghainese suzhounese wenzhounese ningbonese northern-wu gan xiang
    jin huizhou pinghua waxiang shehua dungan old-chinese middle-chinese dialect dialectal dialects
    topolect regional classical classical-chinese literary-chinese obsolete archaic
    bavarian alemannic swabian low-german plattdeutsch kölsch luxembourgish pennsylvania-german
    dialektal mundartlich landschaftlich veraltet
    """
)
_OTHER_FORMS = _names(
    """
    alt-of alternative alternative-form alternative-forms alternative-spelling form-of other-form
    other-forms variant variant-form romanization romanisation transliteration pinyin hanyu-pinyin
    tongyong-pinyin wade-giles jyutping bopomofo zhuyin pe̍h-ōe-jī poj tai-lo misspelling
    common-misspelling misspellings misconstruction error-misspelling nonstandard-spelling
    """
)
_HAN_TAGS = re.compile(
    "[粵粤閩闽贛赣]|客家|客語|客语|[吳吴湘晉晋徽]語|[吴湘晋徽]语|[臺台]語|台语|平話|平话|潮州|潮汕"
    "|上海話|上海话|方言|文言|古[語语典漢汉]|[廢废]|其他形式|異體|异体|另一種寫法|拼音|注音|羅馬字"
    "|罗马字|錯別字|错别字|[誤误]寫"
)
# A row of the table of dialects is tagged Mandarin and a place.
_WITH_MANDARIN = _names(
    """
    mandarin traditional-chinese simplified-chinese standard standard-chinese taiwan hong-kong macau
    mainland-china china singapore malaysia formal informal colloquial literary written slang polite
    honorific humorous dated rare figuratively neologism internet euphemistic derogatory
    written-vernacular-chinese
    """
)
_CODES = {"zh": {"zh", "cmn"}}


def recognises(path: Path, head: str) -> bool:
    """By objects that have a word's language or senses."""
    return head.lstrip().startswith("{") and bool(re.search(r'"(?:lang_code|senses)"\s*:', head))


def provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """The edition shows in the names of languages; of its age the file says nothing."""
    named = re.search(r'"lang"\s*:\s*"([^"\\]*)"', head)
    edition = "English"
    if named and _HAN.search(named[1]):
        edition = "Chinese"
    elif named and re.search(r"(?:sch|international)$", named[1], re.IGNORECASE):
        edition = "German"
    return f"Wiktionary, {edition} edition, by wiktextract", LICENCE, ""


def read(source: SourceFile) -> Iterator[Group]:
    """The groups of each word of the wanted language."""
    language = source.settings.language
    codes = _CODES.get(language, {language}) if language else None
    with source.open() as stream:
        for number, line in enumerate(_lines(stream), 1):
            try:
                entry = json.loads(line.decode()) if line.strip() else {}
            except (ValueError, RecursionError):  # ValueError: no JSON, no UTF-8, endless digits
                why = "too long a line" if len(line) > LONGEST_LINE else "not valid JSON"
                source.skip(number, f"{why}; it must be one object")
                continue
            if not isinstance(entry, dict):
                source.skip(number, f"{line[:20].decode(errors='replace')!r} is not a JSON object")
                continue
            code = _text(entry.get("lang_code"))
            if codes is None or code in codes:
                yield from _groups(entry, code, source.settings.top_level)


@lru_cache(maxsize=4096)  # tags are few, items many
def is_dialect(text: str) -> bool:
    """Whether a qualifier, in English or Chinese, says that a word is no standard one."""
    return bool(_HAN_TAGS.search(text)) or any(map(_unwanted, re.split(r"[,;、，；/()（）]", text)))


def fitting(text: str, language: str) -> list[str]:
    """The words that an item stands for: none if it can never be found in a text.

    Traditional and Simplified may stand side by side with a slash. A phrase that leaves something
    open (`jmdm. etwas sagen`, `從…到…`, `越A越B`) is of no use, nor is an item with brackets or, in
    Chinese, one without a Chinese character.
    """
    text = " ".join(_INVISIBLE.sub("", text).split())
    chinese = language in _CODES["zh"]
    parts = re.split(r"\s*(?://|[/／])\s*", text) if chinese else [text]
    words = []
    for word in parts:
        if (
            not 0 < len(word) <= _LONGEST_WORD
            or not word.isprintable()  # control characters, half a surrogate pair
            or _OPEN_ENDED.search(word)
            or _SHORT_VARIABLE.search(word)
            or word.lower().startswith("thesaurus:")
            or not any(map(str.isalnum, word))
        ):
            continue
        if " " in word and _VARIABLE.search(word):
            continue
        if chinese and (not _HAN.search(word) or _HAN_VARIABLE.search(word)):
            continue
        words.append(word)
    return words


def sense_numbers(text: str) -> list[str]:
    """What is meant by `1`, `1, 3`, `1–3`, `2a, b` or `1a–c`; nothing by `*` and other signs.

    >>> sense_numbers("1, 3–5, 7a, c")
    ['1', '3', '4', '5', '7a', '7c']
    """
    found: list[str] = []
    number = ""  # of the last sense, for one that is a letter only
    for part in re.split(r"[,;/]|\bund\b", text):
        ends = re.fullmatch(
            r"\s*(\d{0,3})([a-z]?)\s*(?:[-–—]\s*(\d{0,3})([a-z]?)\s*)?", part.replace(".", "")
        )
        if not ends or not (ends[1] or (ends[2] and number)):
            continue
        number = ends[1] or number
        first, last = ends[2], ends[4] or ""
        until = ends[3] or number
        if first and last and until == number:
            found += (f"{number}{chr(code)}" for code in range(ord(first), ord(last) + 1))
        elif first or last or not ends[3]:
            found.append(number + first)
            if last or ends[3]:
                found.append(until + last)
        else:
            found += map(str, range(int(number), int(until) + 1))
        if len(found) > _MOST_SENSES:
            break
        number = until
    return list(dict.fromkeys(found))[:_MOST_SENSES]


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    # One that is too long for an entry comes cut, so that it is no JSON, and fills no memory.
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 1)


def _groups(entry: dict[str, Any], code: str, top_level: bool) -> Iterator[Group]:
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
        words = tuple(dict.fromkeys([*head, *items]))
        if len(words) > 1:
            yield Group(f"{name}, {sense_name or 'no sense'}", words)


def _senses_of(item: dict[str, Any], numbers: dict[str, str]) -> list[str]:
    # "" is the sense of an item that names none.
    index = item.get("sense_index")
    if found := sense_numbers(_text(index) or ", ".join(map(_text, _list(index)))):
        return [f"sense {number}" for number in found]
    gloss = _text(item.get("sense"))
    if gloss in numbers:
        return [f"sense {numbers[gloss]}"]
    return [f"sense “{gloss[:40]}”" if gloss else ""]


def _words(item: dict[str, Any], code: str) -> list[str]:
    tags = [_text(tag) for key in ("tags", "raw_tags") for tag in _list(item.get(key))]
    names = {_tag_name(tag) for tag in tags}
    if any(map(is_dialect, tags)) or ("mandarin" in names and not names <= _WITH_MANDARIN):
        return []
    word, roman = _text(item.get("word")), _text(item.get("roman"))
    return [] if word == roman else fitting(word, code)


def _unwanted(tag: str) -> bool:
    name = _tag_name(tag)
    if name in ("standard-mandarin", "taiwan-mandarin", "taiwanese-mandarin"):
        return False
    return (
        name in _LECTS
        or name in _OTHER_FORMS
        or name.startswith("min-")
        or name.endswith(("-mandarin", "-min", "-hokkien", "-hakka", "-wu", "-cantonese"))
    )


def _tag_name(tag: str) -> str:
    return re.sub(r"[\s_-]+", "-", tag.strip().lower())


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 1000 else ""
    return value.strip() if isinstance(value, str) else ""


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> Iterable[dict[str, Any]]:
    # One that is none still counts: the numbers of senses are positions.
    return (item if isinstance(item, dict) else {} for item in _list(value))


def _items(value: object) -> Iterable[dict[str, Any]]:
    return (item if isinstance(item, dict) else {"word": item} for item in _list(value))
