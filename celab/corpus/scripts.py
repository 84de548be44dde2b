"""The scripts of texts, to detect swapped files, and outputs in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from celab.base.arrays import U32, Bools
from celab.base.errors import Setting, Text
from celab.base.text.japanese import hiragana_share
from celab.base.text.scripts import (
    ENOUGH,
    LEAST,
    LETTERS,
    RANGES,
    SCRIPT_OF,
    language_of,
    letters_of,
)

LOOKED_AT = 1000  # segments
_ALMOST_NONE = 0.01  # share of letters in the script of the language
_MOST = 1000  # characters of a segment


def in_script(characters: U32, script: str) -> Bools:
    """Return which code points are letters of a script."""
    result = np.zeros(len(characters), np.bool_)
    for first, last in RANGES[script]:
        result |= (characters >= first) & (characters <= last)
    return result


def misfit(texts: Iterable[str], lang: str) -> tuple[float, str, str | None] | None:
    """Return the share of letters in the script of the language if it is below `LEAST`, else None.

    With it come the name of the script, and a language that would fit, if there is one. A text with
    few letters, and a language that is not in `SCRIPT_OF`, are not checked.

    >>> misfit(["Every letter of this sentence is Latin, and it has many letters."], "zh")
    (0.0, 'Han', 'en')
    >>> misfit(["short"], "zh")
    """
    script = SCRIPT_OF.get(lang)
    text = "".join(segment[:_MOST] + " " for segment in islice(texts, LOOKED_AT))
    n_letters = sum(map(str.isalpha, text))
    if script is None or n_letters < ENOUGH:
        return None
    own = letters_of(script, text) / n_letters
    return None if own >= LEAST else (own, script, language_of(text))


def script_doubts(lang: str, sides: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Text]:
    """Yield warnings about Japanese that is scored as Chinese, and about texts in another script.

    `sides` are the names and the texts of systems and references.

    >>> from celab.base.errors import spell
    >>> texts = ["Every letter of this sentence is Latin, and it has many letters."]
    >>> [spell(doubt) for doubt in script_doubts("zh", [("A", texts), ("ref", ["买雨伞"])])]
    ['A: almost no Chinese characters found; check that this is the right file']
    >>> [spell(doubt) for doubt in script_doubts("zh", [("A", texts), ("ref", texts)])]
    ["A, ref: almost no Chinese characters found; did you mean lang='en'?"]
    """
    n_sides = len(sides)
    if lang == "zh":
        shares = {name: hiragana_share(texts[:LOOKED_AT]) for name, texts in sides}
        japanese = {name: share for name, share in shares.items() if share is not None}
        if japanese:
            yield _scored_as_chinese(japanese, n_sides)
        sides = [(name, texts) for name, texts in sides if name not in japanese]
    mismatches = [
        (name, mismatch) for name, texts in sides if (mismatch := misfit(texts, lang)) is not None
    ]
    if not mismatches:
        return
    names = [name for name, _ in mismatches]
    share = max(mismatch[0] for _, mismatch in mismatches)
    script = mismatches[0][1][1]
    few = "almost no" if share < _ALMOST_NONE else "few"
    right_files = "this is the right file" if len(names) == 1 else "these are the right files"
    found = f"{_listed(names)}: {few} {LETTERS[script]} found; "
    # Another language is no way out if it does not fit all sides.
    languages = {mismatch[2] for _, mismatch in mismatches}
    other_lang = languages.pop() if len(languages) == 1 else None
    if other_lang and len(mismatches) == n_sides:
        yield (f"{found}did you mean ", Setting("lang", other_lang), "?")
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
        return f"{found}check that these are the right files"
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
    scripts = [name for name in RANGES if letters_of(name, term)]
    foreign = next((name for name in scripts if name not in used), None)
    is_latin_only = scripts == ["Latin"] and SCRIPT_OF[lang] != "Latin"
    if is_latin_only and source and not letters_of("Latin", source):
        return "Latin"
    return foreign
