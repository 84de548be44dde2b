"""Readings: texts → tokens in which terms are looked for, by the rules of a language.

A token is a word of a script that separates words by spaces, with its digits, or any other single
character that is not white space: of Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese each
character. So a term in Latin script is found as whole words, and one in Chinese as a substring:
`AI` is in `用AI翻译`, but not in `OpenAI`.

Width and script are normalized as TESLA-CELAB does it, by its options or the language's, and
letters are composed. In Chinese and the other languages that write no spaces, case is as for
scores, too. In the others it counts only for words that the glossary writes in capitals: `US` is
not `us`, but `server` is `Server`. German and English words are also found by their lemmas, if the
packages for that are installed, and a plural of capitals (`GPUs`) by its singular.

>>> reading = Reading("zh")
>>> reading.tokens(["用ＡＩ翻譯 GPU"])
[['用', 'AI', '翻', '译', 'GPU']]
>>> Reading(None).tokens(["US servers"])
[[('us', 'US'), 'servers']]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from celab.analysis.analyzers import CachedAnalyzer, analyzer
from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.base.text.normalize import Normalizer
from celab.metrics.options import LANGUAGE_DEFAULTS, TeslaCelabOptions

Token = str | tuple[str, ...]  # a key, or several, any of which may be the term's
Span = tuple[int, int]

# Scripts without spaces between words, or with words that particles join.
_CHARACTERS = (
    r"\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff"
    r"\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    r"\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W_{_CHARACTERS}]"
_TOKEN = re.compile(rf"(?:{_LETTER}[\u0300-\u036f]*)+|\S")
_PLURAL = re.compile(r"([A-Z][A-Z0-9]+)s")  # of an abbreviation
_HYPHEN = re.compile("[-‐‑]")
# Full-width forms and the ideographic space are folded; characters that nobody sees are left out.
_FOLDED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF, *range(8), 0x7F])
_FOLD = _FOLDED | _INVISIBLE
_UNSPACED = ("zh", "ja", "ko", "th", "lo", "km", "my")
_INFLECTED = ("de", "en")
# Frequent words, by which a source is taken for one of the languages that have an analyzer.
_FREQUENT = {
    "en": frozenset("the of and to in is that for it was with are be this have".split()),
    "de": frozenset("der die und das ist nicht ein eine den mit von zu auf für im".split()),
}
_LEAST_FREQUENT = 0.1  # share of such words; English and German texts have 20% or more
_LOOKED_AT = 1000  # texts
_SCRIPTS = {"ja": "[\u3041-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u3400-\u9fff]"}


class Reading:
    """How the texts of a language are compared with the terms of a glossary.

    `options` are those of the metric that scores the texts (default: those of the language).
    """

    def __init__(self, lang: str | None, options: TeslaCelabOptions | None = None) -> None:
        self.lang = lang
        self.is_spaced = lang not in _UNSPACED
        if options is None:
            defaults: Arguments = (
                {"script": "keep"} if self.is_spaced else LANGUAGE_DEFAULTS[str(lang)]
            )
            options = TeslaCelabOptions(script=defaults.get("script"))
        if self.is_spaced:  # keys see to case, and the analyzer needs capitals
            options = replace(options, case="keep")
        self.options = options
        self.normalizer = Normalizer.of(options, lang=lang)
        self._fold = _FOLD if self.normalizer.folds else _INVISIBLE

    @cached_property
    def analyzer(self) -> CachedAnalyzer | None:
        """The analyzer of the language, if there is one and its packages are installed."""
        if self.lang not in _INFLECTED:
            return None
        try:
            return CachedAnalyzer(analyzer(self.lang))
        except OptionError:
            return None

    def normalize(self, texts: Iterable[str]) -> list[str]:
        """Return texts with width, script and composition normalized."""
        folded = [unicodedata.normalize("NFC", text.translate(self._fold)) for text in texts]
        return self.normalizer.texts(folded)

    def tokens(self, texts: Sequence[str]) -> list[list[Token]]:
        """Return the tokens of each text."""
        return self._read(texts, _text_keys)

    def phrases(self, terms: Sequence[str]) -> list[list[Token]]:
        """Return the tokens of each term, as it is looked for; the first key is its own form."""
        return self._read(terms, _term_keys)

    def _read(self, texts: Sequence[str], keys: Callable[[str, str], Token]) -> list[list[Token]]:
        normalized = self.normalize(texts)
        words = [_TOKEN.findall(text) for text in normalized]
        if not self.is_spaced:
            return words
        lemmas = self._lemmas(normalized) or [[""] * len(in_text) for in_text in words]
        return [list(map(keys, *pair)) for pair in zip(words, lemmas, strict=True)]

    def words(self, text: str) -> list[str]:
        """Return the tokens of a text as it has them, only normalized."""
        (normalized,) = self.normalize([text])
        words: list[str] = _TOKEN.findall(normalized)
        return words

    def spans(self, text: str) -> list[Span]:
        """Return where each token is in the text; nothing if normalization moves characters.

        The letters that `width` folds may be moved.
        """
        (normalized,) = self.normalize([text])
        origins = self.normalizer.forms.spans(text)
        if len(normalized) != len(origins):
            return []
        return [
            (origins[match.start()][0], origins[match.end() - 1][1])
            for match in _TOKEN.finditer(normalized)
        ]

    def _lemmas(self, texts: list[str]) -> list[list[str]]:
        """Return a key for the lemma of each word, "" if it has none; nothing without analyzer."""
        if self.analyzer is None:
            return []
        analyzed = self.analyzer.analyze(texts)
        return [
            _aligned(text, [(word.form, word.lemma) for word in words])
            for text, words in zip(texts, analyzed, strict=True)
        ]


def guess_language(texts: Sequence[str]) -> str | None:
    """Return the language of texts if its script or its words tell: zh, ja, ko, de or en.

    >>> guess_language(["The name of the house is in the book."]), guess_language(["Ça va bien ?"])
    ('en', None)
    """
    text = "\n".join(texts[:_LOOKED_AT]).lower()
    n_letters = sum(map(str.isalpha, text))
    for lang, pattern in _SCRIPTS.items():
        # Japanese has kana beside Han; a name in Chinese may have a few.
        if len(re.findall(pattern, text)) > 0.2 * n_letters:
            return lang
    words = [token for token in _TOKEN.findall(text) if token.isalpha()]
    shares = {
        lang: sum(word in frequent for word in words) / max(1, len(words))
        for lang, frequent in _FREQUENT.items()
    }
    lang = max(shares, key=lambda name: shares[name])
    return lang if shares[lang] >= _LEAST_FREQUENT else None


@lru_cache(maxsize=1 << 16)
def word_key(word: str) -> str:
    """Return the key of a term's word: capitals stay, anything else is in lower case.

    >>> word_key("US"), word_key("Server"), word_key("C")
    ('US', 'server', 'c')
    """
    return word if is_capitals(word) else word.lower()


def is_capitals(word: str) -> bool:
    """Return whether a word is written in capitals; one letter is not enough to tell."""
    return len(word) > 1 and word.isupper()


@lru_cache(maxsize=1 << 16)
def written_words(term: str) -> tuple[str, ...]:
    """Return the keys of a term as it is written, by which two terms are the same."""
    return tuple(map(word_key, _TOKEN.findall(unicodedata.normalize("NFC", term.translate(_FOLD)))))


def _text_keys(word: str, lemma: str) -> Token:
    """Return the keys by which a word of a text is found; the first is that of its form."""
    form = word.lower()
    if plural := _PLURAL.fullmatch(word):
        return form, plural[1], plural[1].lower()
    if is_capitals(word):
        return form, word
    return (form, lemma) if lemma not in (form, "") else form


def _term_keys(word: str, lemma: str) -> Token:
    form = word_key(word)
    has_lemma = lemma not in (form, "") and not is_capitals(word)  # no lemma has capitals
    return (form, lemma) if has_lemma else form


def _aligned(text: str, words: list[tuple[str, str]]) -> list[str]:
    """Return the lemma's key for each token that is a word of the analyzer, or a part of one."""
    spans = [match.span() for match in _TOKEN.finditer(text)]
    number = {start: k for k, (start, _) in enumerate(spans)}
    lemmas, position = [""] * len(spans), 0
    plain = text.replace("’", "'")  # as the analyzers have it
    for form, lemma in words:
        start = plain.find(form, position)
        if start < 0:  # the analyzer has changed the text
            return [""] * len(spans)
        position = start + len(form)
        first = number.get(start)
        if first is None:
            continue
        parts = _HYPHEN.split(lemma)
        last = first + 2 * (len(parts) - 1)  # hyphens are tokens between the parts
        if last < len(spans) and spans[last][1] == position:
            for k, part in enumerate(parts):
                lemmas[first + 2 * k] = word_key(part)
    return lemmas
