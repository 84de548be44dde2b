"""The scripts of texts: swapped files, outputs in another language, Japanese scored as Chinese.

Chinese and Japanese are both written in Han characters, so the script alone does not tell them
apart. Kana do, but Chinese text also has some: names of brands, mostly katakana, の as a stylish
的, and what a system left untranslated. Hiragana other than の count, because Japanese grammar is
written in them. In Japanese of WMT 21 and 24 they are 36% or more of the Han characters and kana
of every file; in Chinese that was translated from Japanese, 1% or less.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from celab.base.errors import Setting, Text
from celab.base.languages import EAST_ASIAN, HIRAGANA, RANGES, Ranges
from celab.base.messages import warn

if TYPE_CHECKING:
    # Import cycle; and the build has no NumPy.
    from celab.base.text.counts import TraitCounter, TraitCounts

MIN_SCRIPT_SHARE = 0.2  # share of letters in the script
MIN_LETTERS = 50  # fewer decide nothing
LOOKED_AT = 1000  # segments
_ALMOST_NONE = 0.01  # share of letters in the script of the language
_MAX_CHARACTERS_READ = 1000  # at the beginning of a text
_MIN_HIRAGANA_SHARE = 0.2  # share among Han characters and kana
_DISTINCT = 3  # different hiragana; a brand such as すき家 has fewer
_SAMPLE = 100  # texts of a side that are looked at
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
WORDS = {
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
_MIN_WORD_SHARE = 0.15  # their share of all words
_CLEARLY = 1.5  # times the share of the next language


def letters_of(script: str, text: str) -> int:
    """Return the number of letters that are in a script."""
    return sum(map(len, re.findall(_PATTERNS[script], text)))


def _any_of(ranges: Ranges) -> str:
    """Return the pattern of a character in ranges."""
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


# Texts, which `re` compiles at their first use: all take longer than scoring a short text.
_PATTERNS = {script: f"{_any_of(ranges)}+" for script, ranges in RANGES.items()}


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
    by_script = (
        lang for name, lang in _LANGUAGE_OF.items() if share_of(name, text) >= MIN_SCRIPT_SHARE
    )
    return next(by_script, None) or _language_of_words(text)


def _language_of_words(text: str) -> str | None:
    words = re.findall(r"[^\W\d_]+", text.lower())
    shares = {lang: sum(word in known for word in words) for lang, known in WORDS.items()}
    (lang, n_known), (_, n_next) = sorted(shares.items(), key=lambda item: -item[1])
    is_clear = n_known > _MIN_WORD_SHARE * len(words) and n_known > _CLEARLY * n_next
    return lang if words and is_clear else None


def hiragana_share(texts: Iterable[str]) -> float | None:
    """Return the share of hiragana if the texts, taken together, are Japanese, else None.

    >>> hiragana_share(["私は学生です。"])
    0.5
    >>> hiragana_share(["我在すき家吃饭", "优の良品"])
    """
    text = "".join(text[:_MAX_CHARACTERS_READ] for text in texts)
    pattern = _any_of(HIRAGANA)
    if re.search(pattern, text) is None:  # quick for Chinese
        return None
    hiragana = re.findall(pattern, text)
    share = len(hiragana) / len(re.findall(_any_of(EAST_ASIAN), text))
    return share if share >= _MIN_HIRAGANA_SHARE and len(set(hiragana)) >= _DISTINCT else None


def sample(texts: Sequence[str], size: int = _SAMPLE) -> Sequence[str]:
    """Return a sample of the texts, evenly spaced, of at most `size`."""
    return texts[:: -(-len(texts) // size)] if len(texts) > size else texts


def warn_if_japanese(*sides: Sequence[str], where: str = "the texts") -> None:
    """Warn with `InputWarning` if a sample of texts, which are read as Chinese, is Japanese."""
    share = hiragana_share(text for side in sides for text in sample(side))
    if share is not None:
        warn(
            (
                f"{where}: {share:.0%} of the Han characters and kana are hiragana, as in Japanese,"
                " but they are scored as Chinese; use ",
                Setting("lang", "ja"),
            )
        )


class _Sample:
    """The beginnings of the first texts of a side, and the numbers of their characters by trait."""

    def __init__(self, texts: Iterable[str], counts: TraitCounts | None = None) -> None:
        from celab.base.text.counts import count_traits

        beginning = [*islice(texts, LOOKED_AT)]
        self.texts = [text[:_MAX_CHARACTERS_READ] for text in beginning]
        if counts is None or self.texts != beginning:
            counts = count_traits(self.texts)
        self.counts = counts.totals(LOOKED_AT)

    def mismatch(self, lang: str) -> tuple[float, str, str | None] | None:
        """Return the share of letters in the script of the language if it is too low, else None."""
        script, n_letters = SCRIPT_OF[lang], self.counts["letter"]
        if n_letters < MIN_LETTERS:
            return None
        own = self.counts[script] / n_letters
        return None if own >= MIN_SCRIPT_SHARE else (own, script, language_of(" ".join(self.texts)))


def script_mismatch(texts: Iterable[str], lang: str) -> tuple[float, str, str | None] | None:
    """Return evidence that texts are in another script than their language's, else None.

    The result is the share of letters in the script of the language, which is below
    `MIN_SCRIPT_SHARE`, the name of that script, and a language that would fit, if there is one.
    Texts of fewer than `MIN_LETTERS` letters, and languages outside `SCRIPT_OF`, are not checked.

    >>> script_mismatch(["Every letter of this sentence is Latin, and it has many letters."], "zh")
    (0.0, 'Han', 'en')
    >>> script_mismatch(["short"], "zh")
    """
    return _Sample(texts).mismatch(lang) if lang in SCRIPT_OF else None


def script_warnings(
    lang: str, sides: Sequence[tuple[str, Sequence[str]]], count: TraitCounter | None = None
) -> Iterator[Text]:
    """Yield warnings about Japanese that is scored as Chinese, and about texts in another script.

    `sides` are the names and the texts of systems and references; `count` knows the counts of whole
    sides (default: those of samples are counted).

    >>> from celab.base.errors import spell
    >>> texts = ["Every letter of this sentence is Latin, and it has many letters."]
    >>> [spell(warning) for warning in script_warnings("zh", [("A", texts), ("ref", ["买雨伞"])])]
    ['A: almost no Chinese characters found; check that this is the right file']
    >>> [spell(warning) for warning in script_warnings("zh", [("A", texts), ("ref", texts)])]
    ["A, ref: almost no Chinese characters found; did you mean lang='en'?"]
    """
    if lang not in SCRIPT_OF:
        return
    n_sides = len(sides)
    samples = [(name, _Sample(texts, count and count(texts))) for name, texts in sides]
    if lang == "zh":
        japanese = {
            name: share
            for name, sample in samples
            if sample.counts["hiragana"] and (share := hiragana_share(sample.texts)) is not None
        }
        if japanese:
            yield _scored_as_chinese(japanese, n_sides)
        samples = [(name, sample) for name, sample in samples if name not in japanese]
    mismatches = [
        (name, mismatch)
        for name, sample in samples
        if (mismatch := sample.mismatch(lang)) is not None
    ]
    if not mismatches:
        return
    names = [name for name, _ in mismatches]
    share = max(mismatch[0] for _, mismatch in mismatches)
    script = mismatches[0][1][1]
    few = "almost no" if share < _ALMOST_NONE else "few"
    right_files = "this is the right file" if len(names) == 1 else "these are the right files"
    found = f"{_listed(names)}: {few} {LETTERS[script]} found; "
    # Another language does not help if it does not fit all sides.
    languages = {mismatch[2] for _, mismatch in mismatches}
    other_lang = languages.pop() if len(languages) == 1 else None
    if other_lang and len(mismatches) == n_sides:
        yield (f"{found}did you mean ", Setting("lang", other_lang), "?")
    else:
        yield f"{found}check that {right_files}"


def _scored_as_chinese(japanese: Mapping[str, float], n_sides: int) -> Text:
    names = list(japanese)
    at_least = "at least " if len(names) > 1 else ""
    found = (
        f"{_listed(names)}: {at_least}{min(japanese.values()):.0%} of the Han characters and kana"
        " are hiragana, as in Japanese; "
    )
    if len(names) < n_sides:
        return f"{found}check that these are the right files"
    return (f"{found}did you mean ", Setting("lang", "ja"), "?")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")


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


# The language of a text, as far as it can be guessed: hints are tried before they are given.
#
# A hint that is obeyed must lead to the text that was meant. So a message names a language, an
# encoding or a column only if the text itself, read in that way, passes one of these tests.

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
_MIN_KANJI_SHARE = 0.1
_MIN_FREQUENT_SHARE = 0.4  # part of that share that a text must have at least
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
        return share_of(script, text) >= MIN_SCRIPT_SHARE
    if not any(map(str.isalpha, text)) or " " not in text:  # an id has no space
        return False
    is_known = script is None or sum(map(str.isalpha, text)) < MIN_LETTERS
    return is_known or language_of(text) == lang


def plausibility(text: str, lang: str) -> float:
    """Return the plausibility that a decoded text is in a language; 0 if it is not.

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
        is_valid = hiragana_share([text]) is not None and n_frequent >= _MIN_KANJI_SHARE * n_kanji
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
    return result if is_valid and result >= _MIN_FREQUENT_SHARE else 0.0


# Encodings to try for a text that is not UTF-8, and the language that it must then be in. Of those
# for one language, the first that can decode it is taken.
_TRIED = (
    (("utf-16-le",), ("zh", "ja", "ko", "th", "western")),
    (("utf-16-be",), ("zh", "ja", "ko", "th", "western")),
    (("gb18030",), ("zh",)),
    (("big5", "cp950", "big5hkscs"), ("zh",)),
    (("euc-jp",), ("ja",)),
    (("shift_jis", "cp932"), ("ja",)),
    (("euc-kr", "cp949"), ("ko",)),
    (("tis-620", "cp874"), ("th",)),
    (("cp1252",), ("western",)),
)
_MIN_RATIO_TO_NEXT = 1.5  # times as plausible as the next encoding
_SAMPLE_BYTES = 100_000


def likely_codec(data: bytes | bytearray) -> str:
    """Return the encoding in which all of the text can be decoded and reads as a language, else "".

    The same bytes are characters of several encodings, so all are tried, and one must be clearly
    more plausible than the others.

    >>> likely_codec("我们今天去北京".encode("gb18030")), likely_codec("我們今天去".encode("big5"))
    ('gb18030', 'big5')
    >>> likely_codec("明日は雨が降るでしょう".encode("euc-jp")), likely_codec(b"\\xff\\xfe\\xfd")
    ('euc-jp', '')
    """
    sample = bytes(data[:_SAMPLE_BYTES])
    tried: list[tuple[float, str]] = []
    for names, languages in _TRIED:
        for codec in names:
            text = _strictly_decoded(sample, codec, final=len(data) == len(sample))
            if text is not None:
                tried.append((max(plausibility(text, lang) for lang in languages), codec))
                break
    (best, codec), (second, _) = [*sorted(tried, reverse=True), (0.0, ""), (0.0, "")][:2]
    is_clear = best > _MIN_RATIO_TO_NEXT * second
    return codec if is_clear and _strictly_decoded(bytes(data), codec) is not None else ""


def _strictly_decoded(data: bytes, codec: str, final: bool = True) -> str | None:
    try:
        return codecs.getincrementaldecoder(codec)().decode(data, final)
    except UnicodeDecodeError:
        return None
