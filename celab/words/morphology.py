"""HanTa's models on our kernel: the same tags and morphemes, many times as fast.

HanTa (C. Wartena, "A Probabilistic Morphology Model for German Lemmatization", KONVENS 2019) has
two Markov models, one of the morphemes of a word, one of the words of a sentence. A state of either
is a pair of tags, the last two; `celab._native.lattice` says how the likeliest path is found. The
numbers are those of HanTa's own model file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

from celab._native.lattice import Chain, Morphemes

# HanTa versions whose tags and morphemes equal ours, by tests/unit/words/test_hanover.py.
COMPARED_VERSIONS = {"1.2.1"}

_NONE, _START, _END, _UNKNOWN = 0, 1, 2, 3  # tags that have a meaning in the models
_MORPHEMES, _WORDS = 3, 5  # beam widths (see `lattice`), within words and within sentences
_LENGTHS = 25
_MAX_BELOW_BEST = 5  # tags of a word with a value further below the best are left out

Arcs = tuple[list[int], list[float]]  # the states they lead to, and their weights


class TaggerModel:
    """Fast replacements of slow methods of HanTa's tagger, under their names.

    The results for `memo` words are remembered.
    """

    def __init__(self, tagger: Any, memo: int) -> None:
        self._tagger = tagger
        finals = {tag for tag in tagger.int2tag if tag < 0}
        word, self._tag, number = _chain(tagger.LP_trans, finals, None, _MORPHEMES)
        known = {n: tagger.LP_m_t[tag] for tag, n in number.items() if tag in tagger.LP_m_t}
        new = {}
        for tag in (tag for tag in tagger.LP_hapax_t if tag in tagger.LP_s_t and tag in number):
            first = tagger.Int_t + tagger.LP_hapax_t[tag]
            lengths = [first + value for value in tagger.LP_len_t[tag][:_LENGTHS]]
            new[number[tag]] = lengths, tagger.LP_s_t[tag]
        self._morphemes = Morphemes(word, known, new)
        self._allowed = {
            tag: bytes(label == tag or label in before for label in self._tag)
            for tag, before in tagger.reachability.items()
        }
        self._sentence, self._word_tag, self._word_number = _chain(
            tagger.LP_trans_word, {_END}, (_NONE, _END), _WORDS
        )
        self._values = lru_cache(maxsize=memo)(self._values_of)

    def analyze_forward(self, word: str) -> list[tuple[int, float]]:
        """Return the tags that a word can have, with their values, the best first."""
        values: dict[int, Any] = {}
        for label, value in self._morphemes.ends(word):
            tag = -self._tag[label]
            values[tag] = np.logaddexp(values[tag], value) if tag in values else value
        return sorted(values.items(), key=itemgetter(1), reverse=True) or [(_UNKNOWN, 0)]

    def analyze_viterbi(self, word: str, final: int) -> list[tuple[int, int]]:
        """Return (tag, end) of each morpheme of a word, and of the final state, whose tag is given.

        Unknown morphemes are tried only if known morphemes cannot make up the word.
        """
        allowed = self._allowed.get(final)
        path = allowed and (
            self._morphemes.path(word, True, allowed) or self._morphemes.path(word, False, allowed)
        )
        if not path:
            return [(_UNKNOWN, len(word)), (-_UNKNOWN, len(word) + 1)]
        return [(self._tag[label], end) for label, end in path]

    def tag_sent_viterbi(self, forms: Sequence[str], casesensitive: bool = True) -> list[int]:
        """Return the tag of each word of a sentence."""
        path = self._sentence.path([self._values(form, k > 0) for k, form in enumerate(forms)])
        # Some 100,000 words have no finite path, so each half is tagged.
        if not path and len(forms) > 1:
            half = len(forms) // 2
            return self.tag_sent_viterbi(forms[:half]) + self.tag_sent_viterbi(forms[half:])
        return [self._word_tag[label] for label in path]

    def _values_of(self, form: str, with_case: bool) -> list[tuple[int, float]]:
        tags = self._tagger._tag_word(form, _MAX_BELOW_BEST, with_case, True)
        if [tag for tag, _ in tags] == [_UNKNOWN]:
            return []
        end = self._word_number[_END]  # no word has it
        return [(self._word_number.get(tag, end), value) for tag, value in tags]


def _chain(
    transitions: Mapping[tuple[int, int], Mapping[int, float]],
    final_tags: set[int],
    end: tuple[int, int] | None,
    width: int,
) -> tuple[Chain, list[int], dict[int, int]]:
    """Return a model's states as a chain; the tag of each label, and the label of each tag.

    Arcs of final states lead to the state `end`, unless it is None.
    """
    states = {(_NONE, _START): 0}
    arcs: tuple[dict[int, Arcs], ...] = ({}, {})
    for (before, tag), weights in transitions.items():
        source = states.setdefault((before, tag), len(states))
        for final in (False, True):
            tags = [other for other in weights if (other in final_tags) is final]
            pairs = ((final and end) or (tag, other) for other in tags)
            targets = [states.setdefault(pair, len(states)) for pair in pairs]
            arcs[final][source] = targets, [weights[other] for other in tags]
    number: dict[int, int] = {}
    labels = [number.setdefault(tag, len(number)) for _, tag in states]
    others, finals = ([kind.get(s, ([], [])) for s in range(len(states))] for kind in arcs)
    return Chain(labels, others, finals, width), list(number), number
