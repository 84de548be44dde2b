"""Whether a text is in the script of a language, to detect swapped files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from celab.base.errors import Setting, Text
from celab.base.text.japanese import hiragana_share

LOOKED_AT = 1000  # segments
_ALMOST_NONE = 0.01  # share of letters in the script of the language
LEAST = 0.2  # the share of letters that must be in the script
_ENOUGH = 50  # letters needed to tell
_MOST = 1000  # characters of a segment

# Patterns are compiled when they are needed: all of them take longer than scoring a short text.
_SCRIPTS = {
    "Han": r"[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]",
    "kana": r"[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]",
    "Hangul": r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]",
    "Latin": r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]",
    "Thai": r"[\u0e00-\u0e7f]",
    "Lao": r"[\u0e80-\u0eff]",
    "Khmer": r"[\u1780-\u17ff]",
    "Burmese": r"[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]",
}
LETTERS = {name: f"{name} letters" for name in _SCRIPTS} | {
    "Han": "Chinese characters",
    "kana": "kana",
    "Hangul": "Hangul",
}
# Japanese text has kana; Han alone would be Chinese.
_FITTING = {
    "kana": "ja",
    "Hangul": "ko",
    "Han": "zh",
    "Latin": "de",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Burmese": "my",
}
SCRIPT_OF = {lang: script for script, lang in _FITTING.items()} | {"en": "Latin"}


def misfit(texts: Iterable[str], lang: str) -> tuple[float, str, str | None] | None:
    """Return the share of letters in the script of the language if it is below `LEAST`, else None.

    With it come the name of the script, and a language that would fit, if there is one. A text with
    few letters, and a language that is not in `SCRIPT_OF`, are not checked.

    >>> misfit(["Every letter of this sentence is Latin, and it has many letters."], "zh")
    (0.0, 'Han', 'de')
    >>> misfit(["short"], "zh")
    """
    script = SCRIPT_OF.get(lang)
    text = "".join(segment[:_MOST] for segment in islice(texts, LOOKED_AT))
    n_letters = sum(map(str.isalpha, text))
    if script is None or n_letters < _ENOUGH:
        return None

    def share(name: str) -> float:
        return len(re.findall(_SCRIPTS[name], text)) / n_letters

    own = share(script)
    if own >= LEAST:
        return None
    fitting = next((lang for name, lang in _FITTING.items() if share(name) >= LEAST), None)
    return own, script, fitting


def script_doubts(lang: str, sides: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Text]:
    """Yield warnings about Japanese that is scored as Chinese, and about texts in another script.

    `sides` are the names and the texts of systems and references.

    >>> from celab.base.errors import spell
    >>> texts = ["Every letter of this sentence is Latin, and it has many letters."]
    >>> [spell(doubt) for doubt in script_doubts("zh", [("A", texts), ("ref", ["买雨伞"])])]
    ["A: almost no Chinese characters found; check that this is the right file, or use lang='de'"]
    """
    if lang == "zh":
        shares = {name: hiragana_share(texts[:LOOKED_AT]) for name, texts in sides}
        japanese = {name: share for name, share in shares.items() if share is not None}
        if japanese:
            yield _scored_as_chinese(japanese, len(shares))
        sides = [(name, texts) for name, texts in sides if name not in japanese]
    mismatches = [
        (name, mismatch) for name, texts in sides if (mismatch := misfit(texts, lang)) is not None
    ]
    if not mismatches:
        return
    names = [name for name, _ in mismatches]
    share = max(mismatch[0] for _, mismatch in mismatches)
    _, script, other_lang = mismatches[0][1]
    few = "almost no" if share < _ALMOST_NONE else "few"
    right_files = "this is the right file" if len(names) == 1 else "these are the right files"
    found = f"{_listed(names)}: {few} {LETTERS[script]} found; "
    if other_lang and len(mismatches) == len(sides):
        yield (f"{found}did you mean ", Setting("lang", other_lang), "?")
    elif other_lang:
        yield (f"{found}check that {right_files}, or use ", Setting("lang", other_lang))
    else:
        yield f"{found}check that {right_files}"


def _scored_as_chinese(japanese: Mapping[str, float], n_sides: int) -> Text:
    names = list(japanese)
    at_least = "at least " * (len(names) > 1)
    found = (
        f"{_listed(names)}: {at_least}{min(japanese.values()):.0%} of the Han characters and kana"
        " are hiragana, as in Japanese; "
    )
    if len(names) < n_sides:
        return (f"{found}check that these are the right files, or use ", Setting("lang", "ja"))
    return (f"{found}did you mean ", Setting("lang", "ja"), "?")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:2]) + f" and {len(names) - 2} more" * (len(names) > 2)


# Scripts that terms of a language may have beside their own: names stay in Latin letters.
_USED_BY = {
    "zh": {"Han", "Latin"},
    "ja": {"Han", "kana", "Latin"},
    "ko": {"Hangul", "Han", "Latin"},
    "de": {"Latin"},
    "en": {"Latin"},
    "th": {"Thai", "Latin"},
    "lo": {"Lao", "Latin"},
    "km": {"Khmer", "Latin"},
    "my": {"Burmese", "Latin"},
}


def foreign_script(term: str, lang: str, source: str = "") -> str | None:
    """Return a script of the term's letters that its language does not use, or None.

    Latin letters alone are foreign in a language of another script, too, unless the source term has
    some: a name may stay as it is. The long vowel mark of Japanese is not looked at.

    >>> foreign_script("サーバー", "zh"), foreign_script("GPU", "zh", "GPU")
    ('kana', None)
    >>> foreign_script("cloud", "zh", "云")
    'Latin'
    """
    used = _USED_BY.get(lang)
    if used is None:
        return None
    term = re.sub("[・ー]", "", term)  # also in Chinese, between the parts of a name
    scripts = [name for name, pattern in _SCRIPTS.items() if re.search(pattern, term)]
    foreign = next((name for name in scripts if name not in used), None)
    is_latin_only = scripts == ["Latin"] and SCRIPT_OF[lang] != "Latin"
    if is_latin_only and source and not re.search(_SCRIPTS["Latin"], source):
        return "Latin"
    return foreign
