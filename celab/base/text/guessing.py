"""The language of a text, as far as it can be guessed: hints are tried before they are given.

A hint that is obeyed must lead to the text that was meant. So a message names a language, an
encoding or a column only if the text itself, read in that way, passes one of these tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from celab.base.text.scripts import (
    ENOUGH,
    LEAST,
    SCRIPT_OF,
    WORDS,
    hiragana_share,
    language_of,
    letters_of,
    share_of,
)

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
        return float(is_whole and language_of(text) in WORDS)
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
