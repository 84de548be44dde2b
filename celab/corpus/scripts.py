"""Whether a text is in the script of a language, to detect swapped files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

LOOKED_AT = 1000  # segments
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
