"""Phrases in tokens: where each is found, and which finds are disjoint.

The phrases are in a trie of tokens, nested dicts, which is walked from every token of a text. Most
tokens begin no phrase, so that this is one look-up per token. On 12 outputs of 634 segments with
10,000 terms it takes a fraction of a second, which no automaton of a package would make worth a
dependency (docs/terms.md has the figures).

>>> index = PhraseIndex([["云", "平", "台"], ["平", "台"]])
>>> disjoint(index.find(list("云平台和平台")), list("云平台和平台"))
[Found(start=0, stop=3, phrases=(0,)), Found(start=4, stop=6, phrases=(1,))]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise, product
from typing import Any, NamedTuple, cast

from celab.evaluation.terms.readings import Token

_END = None  # key of the phrases that end at a node; no token is None
_MOST_VARIANTS = 64  # of a phrase whose words have several keys each


class Found(NamedTuple):
    """Tokens of a text that are one or more phrases; those with exactly its words come first."""

    start: int
    stop: int
    phrases: tuple[int, ...]


class PhraseIndex:
    """Phrases, by number; a word with several keys may have any of them."""

    def __init__(self, phrases: Iterable[Sequence[Token]]) -> None:
        self._root: dict[Any, Any] = {}
        self._forms: list[tuple[str, ...]] = []
        ends: dict[tuple[str, ...], list[tuple[bool, int]]] = {}
        for number, phrase in enumerate(phrases):
            variants = _variants(phrase)
            self._forms.append(variants[0])
            for variant in variants:
                ends.setdefault(variant, []).append((variant != variants[0], number))
        ends.pop((), None)  # a phrase without words is nowhere
        # How phrases begin: with a word that is all of them, or with two words.
        self._words = frozenset(variant[0] for variant in ends if len(variant) == 1)
        self._pairs = frozenset(variant[:2] for variant in ends if len(variant) > 1)
        for variant, numbers in ends.items():
            node = self._root
            for key in variant:
                node = node.setdefault(key, {})
            node[_END] = tuple(number for _, number in sorted(numbers))

    def find(self, tokens: Sequence[Token]) -> list[Found]:
        """Return everything that is found, by start, then stop; finds may overlap."""
        if _are_words(tokens):
            return self._find_words(cast("Sequence[str]", tokens))
        found: list[Found] = []
        for start, token in enumerate(tokens):
            nodes = [self._root[key] for key in _keys(token) if key in self._root]
            stop = start + 1
            while nodes:
                numbers = {number for node in nodes for number in node.get(_END, ())}
                if numbers:
                    found.append(Found(start, stop, self._ordered(numbers, tokens, start, stop)))
                if stop == len(tokens):
                    break
                keys = _keys(tokens[stop])
                nodes = [node[key] for node in nodes for key in keys if key in node]
                stop += 1
        return found

    def _find_words(self, tokens: Sequence[str]) -> list[Found]:
        # As `find`, in a tenth of the time: words with one key are at one node, and few pairs of
        # words begin a phrase.
        words, pairs = self._words, self._pairs
        starts = [
            start
            for start, pair in enumerate(pairwise([*tokens, ""]))
            if pair in pairs or pair[0] in words
        ]
        found: list[Found] = []
        root, n_tokens = self._root, len(tokens)
        for start in starts:
            node, stop = root[tokens[start]], start
            while node is not None:
                stop += 1
                if _END in node:
                    found.append(Found(start, stop, node[_END]))
                node = node.get(tokens[stop]) if stop < n_tokens else None
        return found

    def _ordered(
        self, numbers: set[int], tokens: Sequence[Token], start: int, stop: int
    ) -> tuple[int, ...]:
        if len(numbers) == 1:
            return tuple(numbers)
        keys = [_keys(token) for token in tokens[start:stop]]

        def inflected(number: int) -> int:
            # How many words of the phrase are found by another key than that of their form.
            return sum(
                form != key[0] and (form not in key or form.lower() != key[0])
                for form, key in zip(self._forms[number], keys, strict=True)
            )

        return tuple(sorted(numbers, key=lambda number: (inflected(number), number)))


def disjoint(found: Sequence[Found], tokens: Sequence[Token]) -> list[Found]:
    """Return finds that do not overlap, by start: the longest go first, then the leftmost.

    The length is that of the tokens' characters.
    """
    if all(one.stop <= other.start for one, other in pairwise(found)):
        return list(found)
    words = tokens if _are_words(tokens) else [_keys(token)[0] for token in tokens]
    ends = [0, *accumulate(map(len, words))]
    taken, chosen = bytearray(len(tokens)), []
    # Finds are by start, and sorting keeps the order of equals.
    for find in sorted(found, key=lambda find: ends[find[0]] - ends[find[1]]):
        start, stop, _ = find
        # One that is not shorter than another cannot lie within it, so its ends tell.
        if not taken[start] and not taken[stop - 1]:
            taken[start:stop] = b"\1" * (stop - start)
            chosen.append(find)
    return sorted(chosen)


def _keys(token: Token) -> tuple[str, ...]:
    return (token,) if isinstance(token, str) else token


def _are_words(tokens: Sequence[Token]) -> bool:
    """Return whether all tokens have one key."""
    return {*map(type, tokens)} <= {str}


def _variants(phrase: Sequence[Token]) -> list[tuple[str, ...]]:
    """Return the ways to spell a phrase by the keys of its words; the first is as it is written."""
    if _are_words(phrase):
        return [cast("tuple[str, ...]", tuple(phrase))]
    keys = [_keys(token) for token in phrase]
    n_several = sum(len(several) > 1 for several in keys)  # so that the product is a small number
    if n_several > _MOST_VARIANTS or math.prod(map(len, keys)) > _MOST_VARIANTS:
        # As written, or all words by their lemmas.
        return [tuple(several[0] for several in keys), tuple(several[-1] for several in keys)]
    return list(product(*keys))
