"""The scripts and languages of texts: what hints are tried with before they are given.

A hint that is obeyed must lead to the text that was meant. So a message names a language, an
encoding or a column only if the text itself, read in that way, passes one of these tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from celab.base.text.japanese import hiragana_share

LEAST = 0.2  # the share of letters that must be in the script
ENOUGH = 50  # letters needed to tell

# First and last characters of ranges.
RANGES: dict[str, tuple[tuple[int, int], ...]] = {
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
LETTERS = {name: f"{name} letters" for name in RANGES} | {
    "Han": "Chinese characters",
    "kana": "kana",
    "Hangul": "Hangul",
}
# Japanese text has kana; Han alone would be Chinese. Latin letters alone tell no language.
_LANGUAGE_OF = {
    "kana": "ja",
    "Hangul": "ko",
    "Han": "zh",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Burmese": "my",
}
SCRIPT_OF = {lang: script for script, lang in _LANGUAGE_OF.items()} | {"de": "Latin", "en": "Latin"}
# Words that no text of the language can do without. In English and German they are a third of all
# words; in Dutch or Danish, both lists have fewer than a tenth.
_WORDS = {
    "en": frozenset(
        "the of and to in is that it with as was are by this from have not be he she they we you"
        " his her which will has had but or were their been its would an on".split()
    ),
    "de": frozenset(
        "der die das und in zu den von mit ist des sich auf für nicht ein eine als auch es werden"
        " aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen zum war"
        " haben nur oder aber zur durch wurde wenn ich wir dem im".split()
    ),
}
_LEAST_WORDS = 0.15  # their share of all words
_CLEARLY = 1.5  # times the share of the next language
# The most frequent characters of a language, and about their share of what is not ASCII.
_FREQUENT = {
    "zh": ("的一是不了在人有我他这個个們们中來来上大為为和國国地到以說说時时要就出會会這", 0.2),
    "ja": ("".join(map(chr, range(0x3041, 0x3094))), 0.5),
    "ko": ("이다는을의에가를한고은하지로서기도어사시나인자해그", 0.4),
    "th": ("านรอกเงมยลวดทสตค่้ัีิะ", 0.7),
}
# A third of the kanji of a Japanese text. Kana have the same bytes in EUC-JP and in GB 2312.
_KANJI = frozenset(
    "日一人年大本中国出分時行見月後前生間上東今金入学高子外下来気小話女北書先名水男電語聞食車何"
    "天明私思方場自手会社部者同事的全地立内新問題答合体作用意言動度力最実対連現代主当化関成通性"
)
_LEAST_KANJI = 0.1
_LEAST_FREQUENT = 0.4  # part of that share that a text must have at least
# Vowels and tones of Thai above and below a consonant are a quarter of a text. None comes without
# a consonant, and two consonants are no longer written.
_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
_IMPOSSIBLE_THAI = f"(?:^|[^\u0e01-\u0e2e{_MARKS}])[{_MARKS}]|[\u0e03\u0e05]"
_LEAST_MARKS, _MOST_IMPOSSIBLE = 0.1, 0.01
# Characters beside ASCII that texts in English and German have.
_WESTERN = frozenset("äöüÄÖÜßáàâéèêëíîïóôúûçñÉÀ§°·«»„“”‚‘’–—…€£©®\u00a0")
_INSIDE_WORD = r"[^\W\d_][«»„“”‚§°€£©®][^\W\d_]"  # a letter that was decoded as a sign


def letters_of(script: str, text: str) -> int:
    """Return the number of letters that are in a script."""
    return sum(map(len, _pattern(script).findall(text)))


@cache
def _pattern(script: str) -> re.Pattern[str]:
    # Compiled when it is needed: all of them take longer than scoring a short text.
    ranges = (f"{chr(first)}-{chr(last)}" for first, last in RANGES[script])
    return re.compile(f"[{''.join(ranges)}]+")


def share_of(script: str, text: str) -> float:
    """Return the share of a text's letters that are in a script; 0 if it has none."""
    n_letters = sum(map(str.isalpha, text))
    return letters_of(script, text) / n_letters if n_letters else 0.0


def language_of(text: str) -> str | None:
    """Return the language of a text by its script, and if that is Latin, by its words.

    >>> language_of("他买了一把雨伞"), language_of("They went to the capital by train.")
    ('zh', 'en')
    >>> language_of("Wir fahren mit dem Zug."), language_of("Nous allons à la capitale en train.")
    ('de', None)
    """
    by_script = (lang for name, lang in _LANGUAGE_OF.items() if share_of(name, text) >= LEAST)
    return next(by_script, None) or _language_of_words(text)


def _language_of_words(text: str) -> str | None:
    words = re.findall(r"[^\W\d_]+", text.lower())
    shares = {lang: sum(word in known for word in words) for lang, known in _WORDS.items()}
    (lang, n_known), (_, n_next) = sorted(shares.items(), key=lambda item: -item[1])
    is_clear = n_known > _LEAST_WORDS * len(words) and n_known > _CLEARLY * n_next
    return lang if words and is_clear else None


def holds_language(texts: Sequence[str], lang: str) -> bool:
    """Return whether texts, such as those of a column, may be sentences in a language.

    >>> holds_language(["买雨伞"], "zh"), holds_language(["An umbrella"], "zh")
    (True, False)
    >>> holds_language(["An umbrella"], "en"), holds_language(["doc1", "doc2"], "en")
    (True, False)
    """
    text = "\n".join(texts)
    script = SCRIPT_OF.get(lang)
    if script not in (None, "Latin"):
        return share_of(script, text) >= LEAST
    if not any(map(str.isalpha, text)) or " " not in text:  # an id has no space
        return False
    is_known = script is None or sum(map(str.isalpha, text)) < ENOUGH
    return is_known or language_of(text) == lang


def plausibility(text: str, lang: str) -> float:
    """Return how well a text that was decoded reads in a language; 0 if it does not.

    About 1 is usual. What is not ASCII is looked at: its most frequent characters must be those
    of the language.
    """
    letters = [letter for letter in text if letter > "\x7f"]
    if any(letter < "\t" or "\x7f" <= letter < "\xa0" for letter in text) or not letters:
        return 0.0
    if lang == "western":
        is_whole = _WESTERN.issuperset(letters) and not re.search(_INSIDE_WORD, text)
        return float(is_whole and language_of(text) in _WORDS)
    frequent, usual = _FREQUENT[lang]
    result = sum(letter in frequent for letter in letters) / len(letters) / usual
    if lang == "ja":
        n_kanji, n_frequent = letters_of("Han", text), sum(letter in _KANJI for letter in text)
        is_valid = hiragana_share([text]) is not None and n_frequent >= _LEAST_KANJI * n_kanji
    elif lang == "zh":
        is_valid = hiragana_share([text]) is None
    elif lang == "th":
        n_marks, n_impossible = (
            len(re.findall(pattern, text)) for pattern in (f"[{_MARKS}]", _IMPOSSIBLE_THAI)
        )
        is_valid = n_marks >= _LEAST_MARKS * len(letters)
        is_valid &= n_impossible <= _MOST_IMPOSSIBLE * len(letters)
    else:
        is_valid = True
    return result if is_valid and result >= _LEAST_FREQUENT else 0.0
