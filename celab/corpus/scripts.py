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
