"""Texts → tokens, by the rules of a language, and where phrases are in them.

A token is a run of letters and digits in a script that separates words by spaces, or any other
single character that is not white space, such as each character of Chinese, Japanese, Korean, Thai,
Lao, Khmer and Burmese. So a term in Latin script is found as whole words, and one in Chinese as a
substring: `AI` is in `用AI翻译`, but not in `OpenAI`.

Width and script are normalized as by TESLA-CELAB, with its options or those of the language, and
letters are composed. So is case in languages without spaces. In other languages, case counts only
for words that the glossary writes in capitals: `US` is not `us`, but `server` is `Server`. German
and English words are also found by their lemmas, if the packages for that are installed, and a
plural of capitals (`GPUs`) by its singular.

>>> reading = Reading("zh")
>>> reading.tokens(["用ＡＩ翻譯 GPU"])
[['用', 'AI', '翻', '译', 'GPU']]
>>> Reading(None).tokens(["US servers"])
[[('us', 'US'), 'servers']]

The phrases are in a trie of tokens, nested dicts, which is walked from every token of a text. Most
tokens begin no phrase, so that this is one look-up per token. It takes a fraction of a second for
12 outputs of 634 segments with 10,000 terms (docs/terms.md), so an automaton of another package is
not worth a dependency.

>>> index = PhraseIndex([["云", "平", "台"], ["平", "台"]])
>>> disjoint(index.find(list("云平台和平台")), list("云平台和平台"))
[Hit(start=0, stop=3, phrases=(0,)), Hit(start=4, stop=6, phrases=(1,))]
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise, product
from typing import Any, NamedTuple, cast

from celab.base.arguments import Arguments
from celab.base.errors import OptionError
from celab.base.text.normalize import Normalizer
from celab.metrics.options import LANGUAGE_DEFAULTS, TeslaCelabOptions
from celab.words.analyzers import CachedAnalyzer, analyzer

Token = str | tuple[str, ...]  # a key, or several keys; a term matches if it has one of them
Span = tuple[int, int]

# Scripts without spaces between words, or with words that particles join.
_CHARACTERS = (
    r"\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff"
    r"\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    r"\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W_{_CHARACTERS}]"
_TOKEN = re.compile(rf"(?:{_LETTER}[\u0300-\u036f]*)+|\S")
_PLURAL_ABBREVIATION = re.compile(r"([A-Z][A-Z0-9]+)s")
_HYPHEN = re.compile("[-‐‑]")
# Full-width forms and the ideographic space are folded; invisible characters are left out.
_FOLDED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), 0x2060, 0xFEFF, *range(8), 0x7F])
_FOLD = _FOLDED | _INVISIBLE
_UNSPACED = ("zh", "ja", "ko", "th", "lo", "km", "my")
_INFLECTED = ("de", "en")
# Frequent words, by which a source is recognized as one of the languages that have an analyzer.
_FREQUENT = {
    "en": frozenset("the of and to in is that for it was with are be this have".split()),
    "de": frozenset("der die und das ist nicht ein eine den mit von zu auf für im".split()),
}
_MIN_FREQUENT_WORDS = 0.1  # share of such words; English and German texts have 20% or more
_MAX_TEXTS_READ = 1000
_SCRIPTS = {"ja": "[\u3041-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u3400-\u9fff]"}


class Reading:
    """The rules by which texts of a language are compared with terms of a glossary.

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
        if self.is_spaced:  # keys fold case later, and the analyzer needs capitals
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
        """Return the tokens of each term; the first key of a token is the form as written."""
        return self._read(terms, _term_keys)

    def _read(self, texts: Sequence[str], keys: Callable[[str, str], Token]) -> list[list[Token]]:
        normalized = self.normalize(texts)
        words = [_TOKEN.findall(text) for text in normalized]
        if not self.is_spaced:
            return words
        lemmas = self._lemmas(normalized) or [[""] * len(in_text) for in_text in words]
        return [list(map(keys, *pair)) for pair in zip(words, lemmas, strict=True)]

    def words(self, text: str) -> list[str]:
        """Return the tokens of a text as written, only normalized."""
        (normalized,) = self.normalize([text])
        words: list[str] = _TOKEN.findall(normalized)
        return words

    def spans(self, text: str) -> list[Span]:
        """Return the span of each token in the text; empty if normalization moves characters.

        Only the letters that the option `width` folds may move.
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
        """Return a key for the lemma of each word, or ""; empty without an analyzer."""
        if self.analyzer is None:
            return []
        analyzed = self.analyzer.analyze(texts)
        return [
            _aligned(text, [(word.form, word.lemma) for word in words])
            for text, words in zip(texts, analyzed, strict=True)
        ]


def guess_language(texts: Sequence[str]) -> str | None:
    """Return the language of texts by its script or frequent words: zh, ja, ko, de, en or None.

    >>> guess_language(["The name of the house is in the book."]), guess_language(["Ça va bien ?"])
    ('en', None)
    """
    text = "\n".join(texts[:_MAX_TEXTS_READ]).lower()
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
    return lang if shares[lang] >= _MIN_FREQUENT_WORDS else None


def word_key(word: str) -> str:
    """Return the key of a term's word: capitals stay, anything else is in lower case.

    >>> word_key("US"), word_key("Server"), word_key("C")
    ('US', 'server', 'c')
    """
    return word if is_capitals(word) else word.lower()


def is_capitals(word: str) -> bool:
    """Return whether a word is written in capitals; one letter is not enough to tell."""
    return len(word) > 1 and word.isupper()


def written_words(term: str) -> tuple[str, ...]:
    """Return the keys of a term as written; two terms with equal keys are the same term."""
    return tuple(map(word_key, _TOKEN.findall(unicodedata.normalize("NFC", term.translate(_FOLD)))))


def _text_keys(word: str, lemma: str) -> Token:
    """Return the keys by which a word of a text is found; the first is the key of its form."""
    form = word.lower()
    if plural := _PLURAL_ABBREVIATION.fullmatch(word):
        return form, plural[1], plural[1].lower()
    if is_capitals(word):
        return form, word
    return (form, lemma) if lemma not in (form, "") else form


def _term_keys(word: str, lemma: str) -> Token:
    form = word_key(word)
    has_lemma = lemma not in (form, "") and not is_capitals(word)  # no lemma has capitals
    return (form, lemma) if has_lemma else form


def _aligned(text: str, words: list[tuple[str, str]]) -> list[str]:
    """Return the key of a lemma for each token; "" for a token that is not in an analyzed word."""
    spans = [match.span() for match in _TOKEN.finditer(text)]
    number = {start: k for k, (start, _) in enumerate(spans)}
    lemmas, position = [""] * len(spans), 0
    # Analyzers return words with the plain apostrophe.
    plain = text.replace("’", "'")
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


_END = None  # key of the phrases that end at a node; no token is None
# A phrase whose words have several keys each has their product of variants.
_MAX_PHRASE_VARIANTS = 64


class Hit(NamedTuple):
    """A range of tokens, and the phrases that it matches; exact matches of the words come first."""

    start: int
    stop: int
    phrases: tuple[int, ...]


class PhraseIndex:
    """A trie of phrases, numbered in order; a word with several keys matches by any of them."""

    def __init__(self, phrases: Iterable[Sequence[Token]]) -> None:
        self._root: dict[Any, Any] = {}
        self._forms: list[tuple[str, ...]] = []
        ends: dict[tuple[str, ...], list[tuple[bool, int]]] = {}
        for number, phrase in enumerate(phrases):
            variants = _variants(phrase)
            self._forms.append(variants[0])
            for variant in variants:
                ends.setdefault(variant, []).append((variant != variants[0], number))
        ends.pop((), None)  # a phrase without words never matches
        # The phrases of one word, and the first two words of longer phrases.
        self._words = frozenset(variant[0] for variant in ends if len(variant) == 1)
        self._pairs = frozenset(variant[:2] for variant in ends if len(variant) > 1)
        for variant, numbers in ends.items():
            node = self._root
            for key in variant:
                node = node.setdefault(key, {})
            node[_END] = tuple(number for _, number in sorted(numbers))

    def find(self, tokens: Sequence[Token]) -> list[Hit]:
        """Return all hits, sorted by start, then stop; hits may overlap."""
        if _are_words(tokens):
            return self._find_words(cast("Sequence[str]", tokens))
        hits: list[Hit] = []
        for start, token in enumerate(tokens):
            nodes = [self._root[key] for key in _keys(token) if key in self._root]
            stop = start + 1
            while nodes:
                numbers = {number for node in nodes for number in node.get(_END, ())}
                if numbers:
                    hits.append(Hit(start, stop, self._ordered(numbers, tokens, start, stop)))
                if stop == len(tokens):
                    break
                keys = _keys(tokens[stop])
                nodes = [node[key] for node in nodes for key in keys if key in node]
                stop += 1
        return hits

    def _find_words(self, tokens: Sequence[str]) -> list[Hit]:
        # The same as `find` for words with one key, in a tenth of the time: few pairs of words
        # begin a phrase.
        words, pairs = self._words, self._pairs
        starts = [
            start
            for start, pair in enumerate(pairwise([*tokens, ""]))
            if pair in pairs or pair[0] in words
        ]
        hits: list[Hit] = []
        root, n_tokens = self._root, len(tokens)
        for start in starts:
            node, stop = root[tokens[start]], start
            while node is not None:
                stop += 1
                if _END in node:
                    hits.append(Hit(start, stop, node[_END]))
                node = node.get(tokens[stop]) if stop < n_tokens else None
        return hits

    def _ordered(
        self, numbers: set[int], tokens: Sequence[Token], start: int, stop: int
    ) -> tuple[int, ...]:
        if len(numbers) == 1:
            return tuple(numbers)
        keys = [_keys(token) for token in tokens[start:stop]]

        def inflected(number: int) -> int:
            # The number of words of the phrase that match by another key than that of their form.
            return sum(
                form != key[0] and (form not in key or form.lower() != key[0])
                for form, key in zip(self._forms[number], keys, strict=True)
            )

        return tuple(sorted(numbers, key=lambda number: (inflected(number), number)))


def disjoint(hits: Sequence[Hit], tokens: Sequence[Token]) -> list[Hit]:
    """Return hits that do not overlap, by start: the longest are chosen first, then the leftmost.

    Length is counted in characters.
    """
    if all(one.stop <= other.start for one, other in pairwise(hits)):
        return list(hits)
    words = tokens if _are_words(tokens) else [_keys(token)[0] for token in tokens]
    ends = [0, *accumulate(map(len, words))]
    taken, chosen = bytearray(len(tokens)), []
    # Hits are sorted by start, and sorting by length keeps this order among equals.
    for hit in sorted(hits, key=lambda hit: ends[hit[0]] - ends[hit[1]]):
        start, stop, _ = hit
        # A later hit is not longer than those taken, so it overlaps one only at an end.
        if not taken[start] and not taken[stop - 1]:
            taken[start:stop] = b"\1" * (stop - start)
            chosen.append(hit)
    return sorted(chosen)


def _keys(token: Token) -> tuple[str, ...]:
    return (token,) if isinstance(token, str) else token


def _are_words(tokens: Sequence[Token]) -> bool:
    """Return whether all tokens have one key."""
    return {*map(type, tokens)} <= {str}


def _variants(phrase: Sequence[Token]) -> list[tuple[str, ...]]:
    """Return the spellings of a phrase by the keys of its words; the first is as written."""
    if _are_words(phrase):
        return [cast("tuple[str, ...]", tuple(phrase))]
    keys = [_keys(token) for token in phrase]
    n_several = sum(len(several) > 1 for several in keys)
    if n_several > _MAX_PHRASE_VARIANTS or math.prod(map(len, keys)) > _MAX_PHRASE_VARIANTS:
        # Too many variants: only the phrase as written, and with all words as lemmas.
        return [tuple(several[0] for several in keys), tuple(several[-1] for several in keys)]
    return list(product(*keys))
