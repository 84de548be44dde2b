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
_SIMPLIFIED = {"hans", "cn", "sg"}
# A language, and its script, region or variants; a locale also has an encoding and a modifier.
_TAG = re.compile(
    r"([a-z]+(?:[-_][a-z0-9]{2,8})*)(?:\.[a-z0-9-]+)?(?:@[a-z0-9]+)?", re.ASCII | re.IGNORECASE
)
# Source and target. A region or script after a hyphen has a capital in the source.
_PAIR = re.compile(
    r"([a-z]{2,3}(?:_[A-Za-z]+|-[A-Z][A-Za-z]+)*)-([a-z]{2,3}(?:[-_][A-Za-z]{2,8})*)"
)

_ISO_639_1 = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu iw ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li
    ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
    pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th
    ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu yue fil""".split()
)
# Languages whose codes are words, or ends of words, in names such as `user_id` and `log_is`.
_WORDS = frozenset(
    "am an as be br ch co he hi id ie ii in io is it la me my no or so to tr ts".split()
)
_LOCALE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_](?:[A-Za-z]{2}|\d{3}))?")
_AT_END = re.compile(
    r"(.+?)[-_.]([A-Za-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_](?:[A-Z]{2}|\d{3}))?|"
    r"zh[-_](?i:hans|hant|cn|tw|hk|mo|sg))"
)
_ANDROID = re.compile(r"values-(?:b\+([A-Za-z0-9+]+)|([a-z]{2,3}(?:-r[A-Z]{2})?))(?:-.*)?")
# Plural categories of CLDR that whole numbers have.
PLURAL_CATEGORIES = {
    **dict.fromkeys("zh ja ko th lo km my vi id ms".split(), ("other",)),
    **dict.fromkeys("en de nl sv da it es pt fr el hu tr".split(), ("one", "other")),
    **dict.fromkeys("ru uk pl".split(), ("one", "few", "many", "other")),
    "cs": ("one", "few", "other"),
    "ar": ("zero", "one", "two", "few", "many", "other"),
}
CATEGORY_NAMES = ("zero", "one", "two", "few", "many", "other")

Ranges: TypeAlias = tuple[tuple[int, int], ...]  # their first and last characters
# の is left out, because signs and brands in Chinese have it.
HIRAGANA = ((0x3041, 0x306D), (0x306F, 0x3096))
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


def chinese_script(name: str) -> str:
    """Return the script that a language asks for, "Simplified" or "Traditional"; "" if it is open.

    >>> [chinese_script(name) for name in ("zh-Hant", "zh_HK", "zh-SG", "zho_Hans", "zh", "ja")]
    ['Traditional', 'Traditional', 'Simplified', 'Simplified', '', '']
    """
    if language_code(name) != "zh":
        return ""
    if is_traditional(name):
        return "Traditional"
    return "Simplified" if not _SIMPLIFIED.isdisjoint(_subtags(name)[1:]) else ""


def written_language(name: str) -> str:
    """Return the code of a language, with script or region where these say how Chinese is written.

    >>> [written_language(name) for name in ("zh_tw", "zho_Hans", "zh", "jp", "de-AT")]
    ['zh-TW', 'zh-Hans', 'zh', 'ja', 'de']
    """
    code = language_code(name)
    if not chinese_script(name):
        return code
    return canonical_tag("-".join([code, *_subtags(name)[1:]]))


def tag_in_path(path: str) -> str:
    """Return the language in the name of a file or of its folder, or "".

    >>> [tag_in_path(path) for path in ("app_zh_TW.arb", "common.zh-CN.json", "hyp.txt", "de.json")]
    ['zh-TW', 'zh-CN', '', 'de']
    >>> tag_in_path("res/values-zh-rCN/strings.xml"), tag_in_path("values-b+zh+Hant+TW/a.xml")
    ('zh-CN', 'zh-Hant-TW')
    >>> tag_in_path("zh-Hans.lproj/Localizable.strings"), tag_in_path("zh_HK/LC_MESSAGES/django.po")
    ('zh-Hans', 'zh-HK')
    >>> tag_in_path("user_id.json"), tag_in_path("sign_in.json"), tag_in_path("values/strings.xml")
    ('', '', '')
    """
    *folders, file = [part for part in re.split(r"[/\\]", path) if part]
    own = _tag_in_file(file)
    if own[0]:
        return own[0]
    while folders and folders[-1] in ("LC_MESSAGES", ".", "", "translations"):
        folders.pop()
    return tag_of_folder(folders[-1]) if folders else ""


def tag_of_folder(name: str) -> str:
    """Return the language that a folder of an app's texts is called by, or "".

    >>> [tag_of_folder(name) for name in ("values-zh-rTW", "zh_CN", "Base.lproj", "values-night")]
    ['zh-TW', 'zh-CN', '', '']
    """
    name = name.removesuffix(".lproj")
    if match := _ANDROID.fullmatch(name):
        name = (match[1] or match[2]).replace("+", "-").replace("-r", "-")
    return canonical_tag(name) if is_tag(name) else ""


def without_tag(file: str) -> str:
    """Return the name of a file without its language and its suffixes.

    >>> without_tag("app_zh_TW.arb"), without_tag("messages.properties"), without_tag("zh-CN.json")
    ('app', 'messages', '')
    """
    return _tag_in_file(file)[1]


def _tag_in_file(file: str) -> tuple[str, str]:
    """Return the language in the name of a file, and the rest of the name."""
    stem = file
    while (dot := stem.rfind(".")) > 0 and not is_tag(stem[dot + 1 :]):
        stem = stem[:dot]
    if is_tag(stem):
        return canonical_tag(stem), ""
    match = _AT_END.fullmatch(stem)
    if match and is_tag(match[2]) and match[2].lower() not in _WORDS:
        return canonical_tag(match[2]), match[1]
    return "", stem


def is_tag(name: str) -> bool:
    """Return whether a name is the tag of a language that software is translated into.

    >>> [is_tag(name) for name in ("zh-Hant-TW", "pt_BR", "zho_Hans", "ui", "app", "v2", "zh-9")]
    [True, True, True, False, False, False, False]
    """
    match = _LOCALE.fullmatch(name)
    return match is not None and (match[1].lower() in _ISO_639_1 or match[1].lower() in _CODES)


def _subtags(name: str) -> list[str]:
    match = _TAG.fullmatch(name.strip())
    return re.split("[-_]", match[1].lower()) if match else [name]
