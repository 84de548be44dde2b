"""Languages as people write them: `jp`, `zh-CN`, `zho_Hans`, `Chinese` → the codes that celab uses.

A code that is not known stays as it is, so that a message shows what was typed. Scripts are known
by the ranges of their characters.
"""

from __future__ import annotations

import re
from typing import TypeAlias, overload

from celab.base.errors import OptionError, Setting

# Codes of ISO 639-2 and 639-3, countries that are taken for languages, and names.
_NAMES = {
    "zh": ("zho", "chi", "cmn", "cn", "chinese", "mandarin", "中文", "汉语"),
    "ja": ("jpn", "jp", "japanese", "日本語", "日语"),
    "ko": ("kor", "kr", "korean", "한국어"),
    "de": ("deu", "ger", "german", "deutsch"),
    "en": ("eng", "english"),
    "th": ("tha", "thai"),
    "lo": ("lao",),
    "km": ("khm", "khmer"),
    "my": ("mya", "bur", "burmese"),
}
_CODES = {name: code for code, names in _NAMES.items() for name in (code, *names)}
_TRADITIONAL = {"hant", "tw", "hk", "mo"}  # a script, and the regions that write in it
# A language, and its script, region or variants; a locale also has an encoding and a modifier.
_TAG = re.compile(
    r"([a-z]+(?:[-_][a-z0-9]{2,8})*)(?:\.[a-z0-9-]+)?(?:@[a-z0-9]+)?", re.ASCII | re.IGNORECASE
)
# Source and target. A region or script after a hyphen has a capital in the source.
_PAIR = re.compile(
    r"([a-z]{2,3}(?:_[A-Za-z]+|-[A-Z][A-Za-z]+)*)-([a-z]{2,3}(?:[-_][A-Za-z]{2,8})*)"
)

Ranges: TypeAlias = tuple[tuple[int, int], ...]  # their first and last characters
HIRAGANA = ((0x3041, 0x306D), (0x306F, 0x3096))  # without の
EAST_ASIAN = (
    *((0x3041, 0x3096), (0x30A1, 0x30FA), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    *((0x3005, 0x3007), (0x3400, 0x9FFF), (0xF900, 0xFAFF)),
)
RANGES: dict[str, Ranges] = {
    "Han": ((0x3005, 0x3007), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)),
    "Hangul": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)),
    "Latin": (
        *((0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0x24F)),
        *((0x1E00, 0x1EFF), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A)),
    ),
    "Thai": ((0x0E00, 0x0E7F),),
    "Lao": ((0x0E80, 0x0EFF),),
    "Khmer": ((0x1780, 0x17FF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
}


@overload
def language_code(name: str) -> str: ...
@overload
def language_code(name: None) -> None: ...
@overload
def language_code(name: str | None) -> str | None: ...
def language_code(name: str | None) -> str | None:
    """Return the code of a language: without region and script, in lower case.

    >>> [language_code(name) for name in ("zh-CN", "zh_Hans", "cmn", "jp", "de-AT", "Korean")]
    ['zh', 'zh', 'zh', 'ja', 'de', 'ko']
    >>> language_code("pt-BR"), language_code("zhh"), language_code("zh_CN.UTF-8")
    ('pt-BR', 'zhh', 'zh')
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise OptionError(
            (Setting("lang"), f" is of type {type(name).__name__}"),
            hint="it must be a language code, such as 'zh'",
        )
    return _CODES.get(_subtags(name)[0], name)


def split_pair(pair: str) -> tuple[str, str]:
    """Return the languages of a pair, source and target; the source is "" if it is one language.

    >>> split_pair("en-zh"), split_pair("en-US-zh-CN"), split_pair("eng_Latn-zho_Hans")
    (('en', 'zh'), ('en-US', 'zh-CN'), ('eng_Latn', 'zho_Hans'))
    >>> split_pair("zh-CN"), split_pair("zh"), split_pair("EN-ZH"), split_pair("ZH-CN")
    (('', 'zh-CN'), ('', 'zh'), ('en', 'zh'), ('', 'ZH-CN'))
    """
    match = _PAIR.fullmatch(pair)
    if match is None and pair.isupper() and (upper := _PAIR.fullmatch(pair.lower())):
        codes = [language_code(_subtags(name)[0]) for name in upper.groups()]
        match = upper if codes[1] in _NAMES and codes[0] != codes[1] else None
    return (match[1], match[2]) if match else ("", pair)


def canonical_tag(name: str) -> str:
    """Return a code of a language with hyphens, script and region in the usual case.

    >>> canonical_tag("ZH_cn"), canonical_tag("zh-hant-TW"), canonical_tag("EN")
    ('zh-CN', 'zh-Hant-TW', 'en')
    """
    first, *others = re.split("[-_]", name.strip())
    cased = (x.upper() if len(x) == 2 else x.title() if len(x) == 4 else x.lower() for x in others)
    return "-".join([first.lower(), *cased])


def is_traditional(name: object) -> bool:
    """Return whether a language, as it was written, is Chinese in Traditional characters.

    >>> [is_traditional(name) for name in ("zh-TW", "zho_Hant", "zh-Hans-HK", "zh-CN", "tw")]
    [True, True, False, False, False]
    """
    if not isinstance(name, str) or language_code(name) != "zh":
        return False
    _, *others = _subtags(name)
    return "hans" not in others and not _TRADITIONAL.isdisjoint(others)


def _subtags(name: str) -> list[str]:
    match = _TAG.fullmatch(name.strip())
    return re.split("[-_]", match[1].lower()) if match else [name]
