"""Discourse relations of a text, by connectives; `celab.trained.conll` has those of parsers.

A relation has a class, is explicit or not, and has two arguments, each of which lists the terms in
it by sentence. A term is the lemma of a content word, in lower case, without digits, of at least
three letters, or two Chinese characters.

**Connectives** (`connectives-en.txt` and `connectives-zh.txt` name their sources) have the class
that they have most often. A connective relates the text before it to the text after it: within its
sentence, if both have two terms. At the head of its sentence it relates the sentence before to its
own, or if it opens a clause (*because*) and a comma follows, what is after the comma to what is
before it. A pair (*if … then*) relates what is between its parts to what follows. Sentences side by
side that no connective at a head relates have an entity relation if they share a term, else a
non-explicit expansion.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from celab.base.text.tokens import has_letters
from celab.words.model import Word

Words = Sequence[Word]
Argument = Mapping[int, frozenset[str]]


class Relation(NamedTuple):
    """A relation between two spans of a text; an argument has the terms of its span by sentence."""

    kind: str  # Temp, Cont, Comp, Exp, EntRel or NoRel
    explicit: bool
    arg1: Argument
    arg2: Argument


class Discourse(NamedTuple):
    """The distinct terms of each sentence of a text, in order, and the relations of the text."""

    sentences: list[list[str]]
    relations: list[Relation]


# ---- sentences ----

_TITLES = frozenset("mr mrs ms dr prof st gen sen rep gov lt col capt vs".split())
_COMPANIES = frozenset("inc co corp ltd jr sr no".split())  # may also end a sentence
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")  # U.S, e.g
# A mark that ends a sentence, others after it, and closing quotes and brackets.
_END = re.compile(r"[.!?。！？…]+['\"”’」』)）\]】]*")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text that have a letter or digit; a line ends a sentence, too.

    >>> split_sentences('Mr. Hu left at 3.15. "Why?" Nobody knows.')
    ['Mr. Hu left at 3.15.', '"Why?"', 'Nobody knows.']
    >>> split_sentences("他走了。“为什么？”没人知道。")
    ['他走了。', '“为什么？”', '没人知道。']
    """
    sentences = []
    for line in text.splitlines():
        start = 0
        for mark in _END.finditer(line):
            if _ends(line[start : mark.start()], mark[0], line[mark.end() :]):
                sentences.append(line[start : mark.end()])
                start = mark.end()
        sentences.append(line[start:])
    return [sentence.strip() for sentence in sentences if has_letters(sentence)]


def _ends(before: str, mark: str, after: str) -> bool:
    """Return whether a mark between two texts ends a sentence."""
    if mark[0] in ".!?" and after and not after[0].isspace():  # 3.15
        return False
    words = before.split()
    if mark[0] != "." or not words:
        return True
    word, after = words[-1].lstrip("(\"'“‘").lower(), after.lstrip()
    if word in _TITLES or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    return after[:1].isupper() or not (word in _COMPANIES or _INITIALS.fullmatch(word))


# ---- terms ----

_HAN = re.compile("[\u3400-\u9fff]")


def term_of(word: Word) -> str | None:
    """Return the term that a word is; None if it is a function word, a number or too short."""
    letters = word.form if word.form.isalpha() else [c for c in word.form if c.isalpha()]
    is_long = len(letters) >= (2 if _HAN.search(word.form) else 3)
    if word.function or not is_long or any(map(str.isdigit, word.form)):
        return None
    return word.lemma.lower()


def terms_of(words: Iterable[Word]) -> list[str]:
    """Return the distinct terms among words, in order."""
    return list(dict.fromkeys(term for word in words if (term := term_of(word))))


# ---- connectives ----

PAIRED = "…"  # between the parts of a pair, in the lists
_COMMAS = frozenset(",，")
_MIN_ARGUMENT_TERMS = 2  # applies to arguments within a sentence


class Connective(NamedTuple):
    """A connective: its class, whether it opens its clause, and the second part of a pair."""

    kind: str
    opens_clause: bool
    second: str


@cache
def _connectives(lang: str) -> tuple[dict[str, list[Connective]], str]:
    """Return the connectives of a language by their text or first part, and their digest."""
    data = (files(__package__) / f"connectives-{lang}.txt").read_bytes()
    table: dict[str, list[Connective]] = {}
    for line in data.decode("utf-8").splitlines():
        if not line.startswith("#"):
            text, kind, *place = line.split("\t")
            first, _, second = text.partition(PAIRED)
            table.setdefault(first, []).append(Connective(kind, place == ["clause"], second))
    for known in table.values():
        known.sort(key=lambda connective: not connective.second)  # pairs are tried first
    return table, hashlib.sha256(data).hexdigest()


class Connectives:
    """Relations by the list of connectives of a language."""

    def __init__(self, lang: str) -> None:
        self._table, digest = _connectives(lang)
        self.name = f"connectives@{digest[:12]}"
        self._space = "" if lang == "zh" else " "
        texts = {*self._table, *(each.second for known in self._table.values() for each in known)}
        self._longest = max(len(text.split(" ") if self._space else text) for text in texts)

    def relate(self, sentences: Sequence[Words]) -> Discourse:
        """Return the terms and the relations of a text."""
        terms = [terms_of(words) for words in sentences]
        relations = []
        for number, words in enumerate(sentences):
            own, previous = frozenset(terms[number]), frozenset(terms[number - 1])
            is_related = number == 0
            for kind, before, after in self._arguments(words):
                arg2 = frozenset(terms_of(after))
                if before is None:
                    if number and previous and arg2:
                        relations.append(
                            Relation(kind, True, {number - 1: previous}, {number: arg2})
                        )
                    is_related = True
                    continue
                arg1 = frozenset(terms_of(before))
                if min(len(arg1), len(arg2)) >= _MIN_ARGUMENT_TERMS:
                    relations.append(Relation(kind, True, {number: arg1}, {number: arg2}))
            if not is_related and previous and own:
                kind = "EntRel" if previous & own else "Exp"
                relations.append(Relation(kind, False, {number - 1: previous}, {number: own}))
        return Discourse(terms, relations)

    def _arguments(self, words: Words) -> Iterator[tuple[str, Words | None, Words]]:
        """Yield the class of each connective of a sentence, and the words of both arguments.

        The first argument is None if it is the sentence before.
        """
        forms = [word.form.lower() for word in words]
        taken: set[int] = set()  # indices of words in connectives
        for start in range(len(forms)):
            if start in taken:
                continue
            stop, connective, second = self._connective(forms, start)
            if connective is None:
                continue
            taken.update(range(start, stop))
            before: Words | None = words[:start]
            after = words[stop:]
            if second is not None:
                taken.update(range(*second))
                before, after = words[stop : second[0]], words[second[1] :]
            elif not terms_of(words[:start]):
                comma = next((i for i, word in enumerate(after) if word.form in _COMMAS), None)
                before = None
                if connective.opens_clause and comma is not None:
                    before, after = after[comma + 1 :], after[:comma]
            yield connective.kind, before, after

    def _connective(
        self, forms: Sequence[str], start: int
    ) -> tuple[int, Connective | None, tuple[int, int] | None]:
        """Return the longest connective at `start`: its end, itself, its second part's span."""
        for stop in range(min(len(forms), start + self._longest), start, -1):
            for connective in self._table.get(self._space.join(forms[start:stop]), ()):
                second = None
                if connective.second:
                    second = self._find(forms, connective.second, stop)
                if second is not None or not connective.second:
                    return stop, connective, second
        return start, None, None

    def _find(self, forms: Sequence[str], text: str, start: int) -> tuple[int, int] | None:
        """Return the span of a text among the forms from `start` on; None if it is not there."""
        for i in range(start, len(forms)):
            for j in range(i + 1, min(len(forms), i + self._longest) + 1):
                if self._space.join(forms[i:j]) == text:
                    return i, j
        return None
