"""Pairs of sentences, generated from options and a seed, or sampled from real ones.

A generated reference is a sequence of units: words of a generated lexicon, and single characters
that are in none of its words. A hypothesis keeps a share of these units in runs, half of the kept
words as another word of their group. It replaces all other units, and swaps two parts of the
sentence.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import celab

_GROUPS, _WORDS_IN_GROUP, _WORD_LENGTHS = 20, (2, 5), (1, 2, 2, 2, 3)
_RUN = 4  # units, on average, that are kept or replaced together
_IN_WORDS = 30  # characters that all words are made of; few, so that words overlap
_Unit = tuple[str, list[str]]  # the text, and its group of synonyms; a character has none


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """What generated pairs are like."""

    pairs: int = 100
    length: int = 40  # mean reference length, in tokens
    overlap: float = 0.6  # share of the reference that the hypothesis keeps
    density: float = 0.5  # share of the reference's tokens in words with synonyms
    repetition: float = 0.2  # share of the other tokens that repeat an earlier one
    seed: int = 1


@dataclass(frozen=True)
class TextPairs:
    """Hypotheses and their references, none of them blank."""

    origin: str
    hyps: Sequence[str]
    refs: Sequence[str]
    groups: Sequence[Sequence[str]] = field(default=(), kw_only=True)  # synonyms of generated text

    def __len__(self) -> int:
        return len(self.hyps)

    def generated_metric(self) -> celab.TeslaCelab:
        """The metric for generated pairs, with their groups of synonyms as its lexicon."""
        if not self.groups:
            return celab.TeslaCelab(lexicon=None, script="keep")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "generated.tsv")
            lines = ["\t".join(words) + "\n" for words in self.groups]
            path.write_text("".join(lines), encoding="utf-8")
            return celab.TeslaCelab(lexicon=path, script="keep")


def sample(
    origin: str, systems: Sequence[Sequence[str]], refs: Sequence[str], n: int, seed: int
) -> TextPairs:
    """`n` pairs from all systems, in their order; all pairs if there are fewer."""
    everything = (pair for hyps in systems for pair in zip(hyps, refs, strict=True))
    candidates = [pair for pair in everything if all(side.strip() for side in pair)]
    if not candidates:
        raise ValueError(f"{origin}: all pairs have a blank side; at least one must have text")
    if n < len(candidates):
        chosen = sorted(random.Random(seed).sample(range(len(candidates)), n))
        candidates = [candidates[i] for i in chosen]
    return TextPairs(origin, *zip(*candidates, strict=True))


def generate(options: TextOptions) -> TextPairs:
    """Generate pairs; equal options give equal pairs."""
    writer = _Writer(options)
    origin = (
        f"generated text (overlap {options.overlap:g}, density {options.density:g}, repetition"
        f" {options.repetition:g}, seed {options.seed})"
    )
    sides = zip(*(writer.pair() for _ in range(options.pairs)), strict=True)
    return TextPairs(origin, *sides, groups=writer.groups if options.density else ())


class _Writer:
    """The lexicon and the random number generator. Its calls, in this order, make the text."""

    def __init__(self, options: TextOptions) -> None:
        self.options = options
        self.draw = random.Random(options.seed)
        # Level 1 of GB 2312: the characters in common use, all of them Simplified.
        characters = [
            bytes((a, b)).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)
        ]
        self.draw.shuffle(characters)
        self.in_words, self.plain = characters[:_IN_WORDS], characters[_IN_WORDS:]
        self.groups = [self._group() for _ in range(_GROUPS)]
        mean = sum(sum(map(len, group)) / len(group) for group in self.groups) / _GROUPS
        # The share of units that are words; the share of tokens, several in a word, is `density`.
        self.share = options.density / (mean - options.density * (mean - 1))

    def pair(self) -> tuple[str, str]:
        """Return a hypothesis and its reference."""
        least = (self.options.length + 1) // 2
        n_tokens = self.draw.randint(least, 2 * self.options.length - least)
        used: set[str] = set()  # the hypothesis's own characters are not the reference's
        seen: list[str] = []
        ref: list[_Unit] = []
        while n_tokens > 0:
            unit = self._word() if self._happens(self.share) else ("", [])
            if not 0 < len(unit[0]) <= n_tokens:
                unit = self._character(seen, used)
            ref.append(unit)
            n_tokens -= len(unit[0])
        seen = []
        hyp: list[str] = []
        keeps = self._happens(self.options.overlap)
        for text, group in ref:
            if self._happens(1 / _RUN):
                keeps = self._happens(self.options.overlap)
            if not keeps:
                text, _ = self._word() if group else self._character(seen, used)
            elif not group:
                seen.append(text)
            elif self._happens(0.5):
                text = self.draw.choice(group)
            hyp.append(text)
        a, b, c = sorted(self.draw.randint(0, len(hyp)) for _ in range(3))
        hyp = hyp[:a] + hyp[b:c] + hyp[a:b] + hyp[c:]
        return "".join(hyp), "".join(text for text, _ in ref)

    def _happens(self, probability: float) -> bool:
        return self.draw.random() < probability

    def _group(self) -> list[str]:
        n_words = self.draw.randint(*_WORDS_IN_GROUP)
        words: dict[str, None] = {}
        while len(words) < n_words:
            length = self.draw.choice(_WORD_LENGTHS)
            words["".join(self.draw.choices(self.in_words, k=length))] = None
        return list(words)

    def _word(self) -> _Unit:
        group = self.draw.choice(self.groups)
        return self.draw.choice(group), group

    def _character(self, seen: list[str], used: set[str]) -> _Unit:
        # One that was seen, likelier the more often it was, or one that the pair does not have yet.
        if seen and self._happens(self.options.repetition):
            character = self.draw.choice(seen)
        else:
            if len(used) == len(self.plain):  # the sentence is longer than there are characters
                used.clear()
            while (character := self.draw.choice(self.plain)) in used:
                pass
            used.add(character)
        seen.append(character)
        return character, []
