"""Generate: a recipe → pairs of sentences and a lexicon of synonym groups, from a seed.

A reference is a row of units: words of the lexicon, and single characters outside of it. A
hypothesis keeps a share `overlap` of them, in stretches, a word in half of the cases as one of its
group; it replaces the others, and exchanges two parts of itself.

    density      share of the reference's tokens that stand in words of the lexicon
    repetition   share of the other tokens that repeat an earlier one of the sentence
    overlap      share of the reference's units that the hypothesis keeps

>>> recipe = Recipe(pairs=2, length=6, overlap=1.0, density=0.0, repetition=0.0)
>>> generated = generate(recipe)
>>> [sorted(hyp) == sorted(ref) for hyp, ref in zip(generated.hyps, generated.refs, strict=True)]
[True, True]
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from celab.benchmark.pairs import Pairs
from celab.options import Options, option

_GROUPS, _WORDS_IN_GROUP, _WORD_LENGTHS = 20, (2, 5), (1, 2, 2, 2, 3)
_STRETCH = 4  # units that are kept or replaced together, on average, before it is drawn again
_IN_WORDS = 30  # characters, of which all words are made, so that words meet inside each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe(Options):
    """What the text is to be like."""

    pairs: int = option(100, "how many; of files, a sample", between=(1, 100_000))
    length: int = option(40, "mean length of a reference, in tokens", between=(1, 10_000))
    overlap: float = option(0.6, "share that the hypothesis keeps", between=(0.0, 1.0))
    density: float = option(0.5, "share of tokens in words with synonyms", between=(0.0, 1.0))
    repetition: float = option(0.2, "share of tokens that repeat others", between=(0.0, 1.0))
    seed: int = option(1, "of whatever is drawn", between=(0, 2**32))


@dataclass(frozen=True, slots=True)
class Generated(Pairs):
    """Pairs, and the groups of synonyms that stand in them."""

    groups: list[list[str]]


@dataclass(frozen=True, slots=True)
class _Unit:
    text: str
    group: int = -1  # none


def generate(recipe: Recipe) -> Generated:
    """The same text for the same recipe."""
    writer = _Writer(recipe)
    hyps, refs = [], []
    for _ in range(recipe.pairs):
        hyp, ref = writer.pair()
        hyps.append(hyp)
        refs.append(ref)
    origin = (
        f"generated text (overlap {recipe.overlap:g}, density {recipe.density:g}, repetition"
        f" {recipe.repetition:g}, seed {recipe.seed})"
    )
    return Generated(origin, hyps, refs, writer.groups if recipe.density else [])


class _Writer:
    """The lexicon, and where the drawing of numbers stands."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.draw = random.Random(recipe.seed)
        # The first plane of GB 2312: the characters in common use, all of them Simplified.
        characters = [
            bytes((a, b)).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)
        ]
        self.draw.shuffle(characters)
        self.in_words, self.plain = characters[:_IN_WORDS], characters[_IN_WORDS:]
        self.groups = [self._group() for _ in range(_GROUPS)]
        mean = sum(sum(map(len, group)) / len(group) for group in self.groups) / _GROUPS
        # Of units, so that of tokens, of which a word has several, it is `density`.
        self.share = recipe.density / (mean - recipe.density * (mean - 1))

    def _group(self) -> list[str]:
        n_words = self.draw.randint(*_WORDS_IN_GROUP)
        words: dict[str, None] = {}
        while len(words) < n_words:
            length = self.draw.choice(_WORD_LENGTHS)
            words["".join(self.draw.choices(self.in_words, k=length))] = None
        return list(words)

    def pair(self) -> tuple[str, str]:
        """A hypothesis and its reference."""
        least = (self.recipe.length + 1) // 2
        n_tokens = self.draw.randint(least, 2 * self.recipe.length - least)
        used: set[str] = set()  # the hypothesis's own characters are not the reference's
        ref: list[_Unit] = []
        seen: list[str] = []
        while n_tokens > 0:
            unit = self._word() if self.draw.random() < self.share else None
            if unit is None or len(unit.text) > n_tokens:
                unit = self._character(seen, used)
            ref.append(unit)
            n_tokens -= len(unit.text)
        hyp = self._translated(ref, used)
        return _text(hyp), _text(ref)

    def _translated(self, ref: list[_Unit], used: set[str]) -> list[_Unit]:
        hyp: list[_Unit] = []
        seen: list[str] = []
        keeps = self._keeps()
        for unit in ref:
            is_word = unit.group >= 0
            if self.draw.random() < 1 / _STRETCH:
                keeps = self._keeps()
            if not keeps:
                unit = self._word() if is_word else self._character(seen, used)
            elif not is_word:
                seen.append(unit.text)
            elif self.draw.random() < 0.5:
                unit = _Unit(self.draw.choice(self.groups[unit.group]), unit.group)
            hyp.append(unit)
        a, b, c = sorted(self.draw.randint(0, len(hyp)) for _ in range(3))
        return hyp[:a] + hyp[b:c] + hyp[a:b] + hyp[c:]

    def _keeps(self) -> bool:
        return self.draw.random() < self.recipe.overlap

    def _word(self) -> _Unit:
        group = self.draw.randrange(_GROUPS)
        return _Unit(self.draw.choice(self.groups[group]), group)

    def _character(self, seen: list[str], used: set[str]) -> _Unit:
        # One that was seen, the more likely the more often, or one that the pair does not have yet.
        if seen and self.draw.random() < self.recipe.repetition:
            character = self.draw.choice(seen)
        else:
            if len(used) == len(self.plain):  # the sentence is longer than there are characters
                used.clear()
            character = self.draw.choice(self.plain)
            while character in used:
                character = self.draw.choice(self.plain)
            used.add(character)
        seen.append(character)
        return _Unit(character)


def _text(units: list[_Unit]) -> str:
    return "".join(unit.text for unit in units)
