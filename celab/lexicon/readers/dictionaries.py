"""Dictionaries, whose entries make groups: CC-CEDICT, and extracts of Wiktionary."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from celab.base import io
from celab.lexicon.source import Labeled, Reader, SourceFile, rows_of

# CC-CEDICT: `傳統 传统 [chuan2 tong3] /tradition/traditional/`, a Chinese-English dictionary.
#
# Entries that share a gloss are a group, labeled with it; both the Traditional and the Simplified
# form of an entry are words.
#
# Notes in brackets are removed. A leading article goes, but `to` stays: it tells a verb from a
# noun. Capitals are made small in glosses of several words; in one word they tell a name (May,
# Turkey, Fox) from what it was made of. Remarks that translate nothing are left out. A gloss of
# more than 12 entries is too vague to make synonyms of them (`bright`, 86 times).
#
# A gloss such as `variant of 嘗|尝[chang2]` makes the entry a synonym of the entry that it names.

MAX_ENTRIES = 12
_ENTRY = re.compile(r"(\S+) (\S+) \[\[?[^\[\]]*\]\]? /(.*)/\s*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_ARTICLE = re.compile(r"^(?:an?|the) (?=\S)", re.IGNORECASE)
_VARIANT = re.compile(
    r"(?:variant of|also written|same as) ([^\s\x00-\x7f]+)(?:\|([^\s\x00-\x7f]+))?"
)
_REMARK = re.compile(
    r"surname |cl:|classifier for|abbr\.|see (?:also )?[^\x00-\x7f]"
    r"|also (?:called|known as|pr\.|written)|(?:\S+ )*variant of|same as|used in|taiwan pr\.|pr\."
    r"|place name$|name of$",
    re.IGNORECASE,
)


def is_cedict(path: Path, head: str) -> bool:
    """Return whether the first line that is not a comment is an entry."""
    return bool(_ENTRY.fullmatch(next(iter(rows_of(head)), "")))


def cedict_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return origin, license and date from lines such as `#! date=2023-11-07T06:42:16Z`."""
    properties = dict(re.findall(r"^#! ?(\w+)=(\S*)", head, re.MULTILINE))
    publisher = f" ({properties['publisher']})" if properties.get("publisher") else ""
    return f"CC-CEDICT{publisher}", properties.get("license", ""), properties.get("date", "")


def cedict_groups(source: SourceFile) -> Labeled:
    """Yield variants in the order of entries, then one group per gloss."""
    sharing: dict[str, dict[tuple[str, str], None]] = {}
    for number, line in source.rows():
        entry = entry_of(line)
        if not entry:
            source.skip(
                number, f"{line[:20]!r} is not an entry such as '傳統 传统 [chuan2 tong3] /…/'"
            )
            continue
        pair, text = entry
        for variant in _VARIANT.finditer(text):
            yield f"variant of {variant[1]}", (*pair, *filter(None, variant.groups()))
        for gloss in glosses(text):
            entries = sharing.setdefault(gloss, {})
            if len(entries) <= MAX_ENTRIES:  # one more tells that there are too many
                entries[pair] = None
    for gloss, entries in sharing.items():
        if 1 < len(entries) <= MAX_ENTRIES:
            yield gloss, (word for pair in entries for word in pair)


def entry_of(line: str) -> tuple[tuple[str, str], str] | None:
    """Return the Traditional and Simplified form of an entry, and the text of its glosses."""
    entry = _ENTRY.fullmatch(line)
    return ((entry[1], entry[2]), entry[3]) if entry else None


def glosses(text: str) -> Iterator[str]:
    """Yield the glosses of an entry in the form in which entries are compared.

    >>> list(glosses("a book (CL)/to book; to reserve/surname Shu/CL:本[ben3]"))
    ['book', 'to book', 'to reserve']
    """
    for gloss in re.split(r"[/;]", _BRACKETS.sub(" ", text)):
        gloss = " ".join(gloss.split())
        if not _REMARK.match(gloss):
            gloss = _ARTICLE.sub("", gloss)
            if any(map(str.isalnum, gloss)):
                yield gloss.lower() if " " in gloss else gloss


# Wiktionary as wiktextract gives it (kaikki.org): one JSON object a line, one word each.
#
#     {"word": "Messe", "lang_code": "de", "pos": "noun", "senses": [{"synonyms": [{"word": …}]}]}
#
# A group is a headword and what one of its senses lists, labeled `Messe (noun), sense 2`. An item
# of the entry's own list counts for the sense that it names (`sense_index`, or `sense`, a gloss);
# items that name none are read with `top_level` only. Traditional and Simplified forms are words of
# one group. Dialect words, other forms of a word, romanizations and misspellings go by their tags;
# `fitting` removes words that no text can contain.
#
# The English, the German and the Chinese edition are known; they differ in tags, not in shape.

CHINESE_CODES = frozenset({"zh", "cmn"})
_MAX_WORD_CHARACTERS = 100
_MAX_SENSES_LISTED = 60  # a list such as [1–3]

HAN = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
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


# Tags in lower case with hyphens. Taiwan, Austria and the like are not among them: what is written
# there is standard Chinese or German.
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
    other-forms variant variant-form romanisation romanization transliteration pinyin hanyu-pinyin
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


@lru_cache(maxsize=4096)  # tags are few, items many
def is_dialect(text: str) -> bool:
    """Return whether a qualifier, in English or Chinese, marks a word as non-standard."""
    return bool(_HAN_TAGS.search(text)) or any(map(_unwanted, re.split(r"[,;、，；/()（）]", text)))


def are_of_dialect(tags: Collection[str]) -> bool:
    """Return whether the tags of an item, alone or together, mark it as non-standard."""
    names = {_tag_name(tag) for tag in tags}
    return any(map(is_dialect, tags)) or ("mandarin" in names and not names <= _WITH_MANDARIN)


def fitting(text: str, language: str) -> list[str]:
    """Return the words that an item stands for; none if no text can contain it.

    Traditional and Simplified may stand side by side with a slash. A phrase that leaves something
    open (`jmdm. etwas sagen`, `從…到…`, `越A越B`) is of no use, nor is an item with brackets or, in
    Chinese, one without a Chinese character.
    """
    text = " ".join(_INVISIBLE.sub("", text).split())
    chinese = language in CHINESE_CODES
    parts = re.split(r"\s*(?://|[/／])\s*", text) if chinese else [text]
    words = []
    for word in parts:
        if (
            not 0 < len(word) <= _MAX_WORD_CHARACTERS
            or not word.isprintable()  # control characters, half a surrogate pair
            or _OPEN_ENDED.search(word)
            or _SHORT_VARIABLE.search(word)
            or word.lower().startswith("thesaurus:")
            or not any(map(str.isalnum, word))
        ):
            continue
        if " " in word and _VARIABLE.search(word):
            continue
        if chinese and (not HAN.search(word) or _HAN_VARIABLE.search(word)):
            continue
        words.append(word)
    return words


def sense_numbers(text: str) -> list[str]:
    """Return the senses that `1`, `1, 3`, `1–3`, `2a, b` or `1a–c` stand for; none for `*`.

    >>> sense_numbers("1, 3–5, 7a, c")
    ['1', '3', '4', '5', '7a', '7c']
    """
    senses: list[str] = []
    number = ""  # number of the last sense, which senses that are only a letter share
    for part in re.split(r"[,;/]|\bund\b", text):
        ends = re.fullmatch(
            r"(\d{0,3})([a-z]?)\s*(?:[-–—]\s*(\d{0,3})([a-z]?))?", part.replace(".", "").strip()
        )
        if not ends or not (ends[1] or (ends[2] and number)):
            continue
        number = ends[1] or number
        first, last = ends[2], ends[4] or ""
        until = ends[3] or number
        if first and last and until == number:
            senses += (f"{number}{chr(code)}" for code in range(ord(first), ord(last) + 1))
        elif first or last or not ends[3]:
            senses.append(number + first)
            if last or ends[3]:
                senses.append(until + last)
        else:
            senses += map(str, range(int(number), int(until) + 1))
        if len(senses) > _MAX_SENSES_LISTED:
            break
        number = until
    return list(dict.fromkeys(senses))[:_MAX_SENSES_LISTED]


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


MAX_LINE = 1 << 25  # bytes; the longest lines of published files have a few million

_LICENSE = "CC BY-SA 4.0 and GFDL (Wiktionary)"
_CODES = {"zh": CHINESE_CODES}


def is_wiktextract(path: Path, head: str) -> bool:
    """Return whether the text is an object with the language or the senses of a word."""
    return head.lstrip().startswith("{") and bool(re.search(r'"(?:lang_code|senses)"\s*:', head))


def wiktextract_provenance(source: SourceFile, head: str) -> tuple[str, str, str]:
    """Return the edition, by the names of languages; the file does not state its age."""
    language = re.search(r'"lang"\s*:\s*"([^"\\]*)"', head)
    edition = "English"
    if language and HAN.search(language[1]):
        edition = "Chinese"
    elif language and re.search(r"(?:sch|international)$", language[1], re.IGNORECASE):
        edition = "German"
    return f"Wiktionary, {edition} edition, by wiktextract", _LICENSE, ""


def wiktextract_groups(source: SourceFile) -> Labeled:
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
    numbers: dict[str, str] = {}  # gloss → number of its sense
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


READERS = {
    "cedict": Reader(is_cedict, cedict_provenance, cedict_groups),
    "wiktextract": Reader(is_wiktextract, wiktextract_provenance, wiktextract_groups),
}
