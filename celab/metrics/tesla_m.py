"""TESLA-M: words in, scores out (Liu, Dahlmeier and Ng 2010, "TESLA: Translation Evaluation of
Sentences with Linear-programming-based Analysis", section 3).

Bags of word n-grams of orders 1 to 3 are matched by a linear program, once by the similarity `ms`
(lemmas, synonyms and tags) and once by `pos` (tags). An n-gram weighs its count, times 0.1 for each
of its function words. With S the greatest total similarity and W the total weights of a side,

    precision = S / W_hyp,   recall = S / W_ref,   F = P·R / (α·P + (1 - α)·R),   α = 0.8

and the score is the mean of the six F. Several references: the mean over those present. System: the
mean over segments. Where the papers are silent: tokens without a letter or digit are left out; an
order for which both bags are empty (a two-word sentence has no trigram) does not count; if one bag
is empty, its F is 0; precision and recall of a segment are means like the score.

>>> metric = TeslaM(analysis="tagged", function_tags=["ART"], lexicon="none")
>>> found = metric.sentence_score("ein|ein|ART Haus|Haus|NN", ["das|die|ART Haus|Haus|NN"])
>>> round(found.score, 4)  # the mean of 1.05 / 1.1, 1, 0.75 and 1; there are no trigrams
0.9261
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native.bags import match_bags
from celab.analysis.compounds import Compounds
from celab.analysis.languages import Cached, analyser
from celab.analysis.model import Word
from celab.errors import InputError, OptionError, SolverError
from celab.metrics.base import Metric, Score, check_corpus
from celab.options import TeslaMOptions
from celab.thesaurus.catalogue import DEFAULTS, LexiconSpec, labelled, load, locate, specs
from celab.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

SIMILARITIES = {"ms": 0, "lem": 1, "pos": 2}  # where the kernel puts them
_MOST = 2**62  # what the kernel's whole numbers can hold
_MOST_WORDS = 100_000  # in a sentence


class TeslaM(Metric):
    """The metric with its settings, analyser and lexicon.

    `analysis` is a language's unless it says `tagged` or `surface`; what else it can be told
    (`separator` and `function_tags` of tagged text, `splitter` of German compounds) goes to it.
    """

    def __init__(
        self,
        lang: str | None = None,
        *,
        analysis: str | None = None,
        lexicon: LexiconSpec | None = "default",
        max_order: int = 3,
        alpha: float = 0.8,
        discount: float = 0.1,
        similarities: str = "ms+pos",
        jobs: int = 1,
        **analysis_options: Any,
    ) -> None:
        if lang is None and analysis is None:
            raise OptionError("TESLA-M needs words: give a language, or analysis='tagged'")
        self.options = TeslaMOptions(
            max_order=max_order, alpha=alpha, discount=discount, similarities=similarities,
            jobs=jobs,
        )  # fmt: skip
        self.discount = _as_fraction(discount, max_order)
        if analysis is None and lang == "de":
            analysis_options.setdefault("splitter", Compounds())
        self.analyser = Cached(analyser(analysis or str(lang), **analysis_options), jobs=jobs)
        if lexicon == "default":
            lexicon = DEFAULTS.get(lang or "", "none")
        self.synonyms = Synonyms(lexicon)

    @property
    def signature(self) -> str:
        """Everything that can move a score, in one line."""
        parts = self.options.signature_parts()
        return "|".join(
            ["tesla-m", *parts, f"words:{self.analyser.name}", f"lex:{self.synonyms.cited}",
             f"v:{__version__}"]
        )  # fmt: skip

    def corpus_score(
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """A system's output against one sequence of sentences per reference."""
        hyp_side, ref_sides = check_corpus(hyps, refs)
        numbers = Numbers()
        hyp = numbers.side(self._words(hyp_side))
        sides = [numbers.side(self._words(side)) for side in ref_sides]
        groups = self.synonyms.rows(numbers.lemmas)
        for side in (hyp, *sides):
            if np.diff(side[3]).max() > _MOST_WORDS:
                raise InputError(f"a sentence has more than {_MOST_WORDS:,} words; it must be cut")
        p, q = self.discount.numerator, self.discount.denominator
        values = np.empty((len(sides), len(hyp_side), 3))
        for r, ref in enumerate(sides):
            try:
                matched = match_bags(*hyp, *ref, *groups, self.options.max_order, p, q)
            except ArithmeticError as error:
                raise SolverError(f"reference {r + 1}: {error}") from None
            values[r] = self._statistics(matched)
            values[r][np.diff(ref[3]) == 0] = np.nan
            if progress is not None:
                progress(len(hyp_side) * (r + 1) // len(sides))
        return Score.of(values, self.signature)

    def _words(self, sentences: list[str]) -> list[list[Word]]:
        # Those with a letter or digit in them.
        return [
            [word for word in words if any(map(str.isalnum, word.form))]
            for words in self.analyser.analyse(sentences)
        ]

    def _statistics(self, matched: F64) -> F64:
        # Score, precision and recall of each pair: means over orders and similarities.
        wanted = [SIMILARITIES[name] for name in self.options.similarities.split("+")]
        similarity = matched[:, :, wanted]
        hyp_weight, ref_weight = matched[:, :, 3:4], matched[:, :, 4:5]
        with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 where a bag is empty
            precision = np.where(hyp_weight > 0, similarity / hyp_weight, 0.0)
            recall = np.where(ref_weight > 0, similarity / ref_weight, 0.0)
            mixed = self.options.alpha * precision + (1 - self.options.alpha) * recall
            f = np.where(mixed > 0, precision * recall / mixed, 0.0)
        counts = (hyp_weight > 0) | (ref_weight > 0)
        n = np.maximum(counts.sum(axis=(1, 2)) * len(wanted), 1)
        sums = [np.where(counts, x, 0.0).sum(axis=(1, 2)) for x in (f, precision, recall)]
        return np.asarray(np.stack(sums, axis=1) / n[:, None], np.float64)


def _as_fraction(discount: float, max_order: int) -> Fraction:
    # As it is written: 0.1 is a tenth. All weights are then whole multiples of 1 / q**n.
    fraction = Fraction(repr(float(discount)))
    if fraction.denominator**max_order * 2 * max_order * _MOST_WORDS >= _MOST:
        raise OptionError(
            f"discount is {discount!r}; it must have fewer decimals at orders up to {max_order}"
        )
    return fraction


class Synonyms:
    """The groups of lemmas."""

    def __init__(self, spec: LexiconSpec) -> None:
        found = [locate(one) for one in specs(spec)]
        self.cited = "+".join(one.cited for one in found) or "none"
        self.groups: dict[str, list[int]] = {}
        number = 0
        for one in found:
            for group in labelled(load(one)):
                for word in dict.fromkeys(group.words):
                    self.groups.setdefault(word, []).append(number)
                number += 1

    def rows(self, lemmas: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where the groups of each lemma begin, and all of them, sorted."""
        rows = [self.groups.get(lemma, []) for lemma in lemmas]
        start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        return start, np.array([g for row in rows for g in row], np.int32)


class Numbers:
    """Lemmas and tags as numbers, for both sides of a corpus."""

    def __init__(self) -> None:
        self.lemmas: dict[str, int] = {}
        self.tags: dict[str, int] = {}

    def side(
        self, sentences: list[list[Word]]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int8], NDArray[np.int64]]:
        """Lemma, tag and function word of every word, and where sentences begin."""
        words = [word for sentence in sentences for word in sentence]
        lemma = [self.lemmas.setdefault(word.lemma, len(self.lemmas)) for word in words]
        tag = [self.tags.setdefault(word.tag, len(self.tags)) for word in words]
        return (
            np.array(lemma, np.int32),
            np.array(tag, np.int32),
            np.array([word.function for word in words], np.int8),
            np.cumsum([0, *map(len, sentences)], dtype=np.int64),
        )
