"""TESLA-M: words in, scores out (Liu, Dahlmeier and Ng 2010, "TESLA: Translation Evaluation of
Sentences with Linear-programming-based Analysis", section 3).

Bags of word n-grams of orders 1 to 3 are matched by a linear program, once by the similarity `ms`
(lemmas, synonyms and tags) and once by `pos` (tags). An n-gram weighs its count, times 0.1 for each
of its function words. With S the greatest total similarity and W the total weights of a side,

    precision = S / W_hyp,   recall = S / W_ref,   F = P·R / (α·P + (1 - α)·R),   α = 0.8

and the score is the mean of the six F. Several references: the mean over those present. System: the
mean over segments. Where the papers are silent: tokens without a letter or digit are left out; an
order for which both bags are empty (a two-word sentence has no trigram) does not count; if one bag
is empty, its F is 0; where neither side has a word ("..." against "!") the score is 1, but 0 for a
blank hypothesis; precision and recall of a segment are means like the score.

Other settings give relatives: with unit weights (`discount=1`) the program is the bipartite
matching of MaxSim (Chan and Ng 2008). TESLA-S (Lin and others 2012) compares forms only and takes
the best reference: `analysis="surface", similarities="lem", discount=1, combine="max"`; its skip
bigrams are not here.

>>> metric = TeslaM(analysis="tagged", function_tags=["ART"], lexicon=None)
>>> found = metric.sentence_score("ein|ein|ART Haus|Haus|NN", ["das|die|ART Haus|Haus|NN"])
>>> round(found.score, 4)  # the mean of 1.05 / 1.1, 1, 0.75 and 1; there are no trigrams
0.9261
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native.bags import match_bags
from celab.analysis.compounds import Compounds
from celab.analysis.languages import Cached, analyser
from celab.analysis.model import SentenceError, Word
from celab.errors import InputError, OptionError, SolverError
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec
from celab.metrics import whole_bags
from celab.metrics.base import Metric, Score, check_corpus
from celab.metrics.batches import batches, in_threads
from celab.metrics.word_numbers import Numbers, Side, Synonyms
from celab.options import TIME_LIMIT, TeslaMOptions
from celab.tokens import is_blank
from celab.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.explanation import WordExplanation
    from celab.metrics.whole_bags import Words

    F64 = NDArray[np.float64]
    I32 = NDArray[np.int32]

SIMILARITIES = {"ms": 0, "lem": 1, "pos": 2}  # where the kernel puts them
_MOST = 2**62  # what the kernel's whole numbers can hold
_MOST_WORDS = 100_000  # in a sentence
_BATCH = 256  # segments in one call of the kernel
_AGREE = 1e-9


class TeslaM(Metric):
    """The metric with its settings, analyser and lexicon.

    `analysis` is a language's unless it says `tagged` or `surface`; what else it can be told
    (`separator` and `function_tags` of tagged text, `splitter` of German compounds) goes to it.
    `counts` names a corpus, or a table, whose words say how compounds are split.
    """

    def __init__(
        self,
        *,
        lang: str | None = None,
        analysis: str | None = None,
        lexicon: LexiconSpec = "default",
        counts: str | os.PathLike[str] | None = None,
        max_order: int = 3,
        alpha: float = 0.8,
        discount: float = 0.1,
        similarities: str = "ms+pos",
        average: str = "arithmetic",
        combine: str = "mean",
        solver: str = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: str = "raise",
        jobs: int = 1,
        **analysis_options: Any,
    ) -> None:
        if lang is None and analysis is None:
            raise OptionError("TESLA-M needs words: give a language, or analysis='tagged'")
        self.options = TeslaMOptions(
            max_order=max_order, alpha=alpha, discount=discount, similarities=similarities,
            average=average, combine=combine, solver=solver, time_limit=time_limit,
            on_error=on_error, jobs=jobs,
        )  # fmt: skip
        self.discount = _as_fraction(discount, max_order)
        if analysis is None and lang == "de":
            analysis_options.setdefault("splitter", Compounds(counts))
        elif counts is not None:
            raise OptionError("counts are of German words, to split compounds; leave them out")
        self.analyser = Cached(analyser(analysis or str(lang), **analysis_options), jobs=jobs)
        is_default = lexicon == "default"
        if is_default:
            lexicon = DEFAULTS.get(lang or "")
        self.synonyms = Synonyms(lexicon, self.analyser.spelt, is_default=is_default)
        if self.synonyms.notice:
            warnings.warn(self.synonyms.notice, stacklevel=2)

    @property
    def signature(self) -> str:
        """Everything that can move a score, in one line."""
        parts = self.options.signature_parts()
        return "|".join(
            ["tesla-m", *parts, f"words:{self.analyser.name}", f"lex:{self.synonyms.cited}",
             f"v:{__version__}"]
        )  # fmt: skip

    @property
    def similarities(self) -> list[str]:
        """By name."""
        return self.options.similarities.split("+")

    def corpus_score(
        self,
        hyps: Sequence[str],
        refs: Sequence[Sequence[str | None]],
        progress: Callable[[int], object] | None = None,
    ) -> Score:
        """A system's output against one sequence of sentences per reference.

        `progress` is told how many segments are done. Analysis, which takes longest, counts as half
        of each: at its end half of the segments are.
        """
        hyp_side, ref_sides = check_corpus(hyps, refs)
        tell = Progress(progress, len(hyp_side), 1 + len(ref_sides))
        numbers = Numbers()
        hyp, *sides = [
            numbers.side(self._side(side, stream, tell))
            for stream, side in enumerate((hyp_side, *ref_sides))
        ]
        groups = self.synonyms.rows(numbers.lemmas)
        for side in (hyp, *sides):
            if side.lengths.max() > _MOST_WORDS:
                raise InputError(f"a sentence has more than {_MOST_WORDS:,} words; it must be cut")
        blank = np.array([[is_blank(text) for text in side] for side in (hyp_side, *ref_sides)])
        values = np.empty((len(sides), len(hyp_side), 3))
        skipped: set[int] = set()

        def run(batch: slice) -> None:
            for r, ref in enumerate(sides):
                matched = self._matched(hyp.part(batch), ref.part(batch), groups, batch.start, r)
                lost = np.isnan(matched).any(axis=(1, 2)) & ~blank[1 + r, batch]
                skipped.update((batch.start + np.flatnonzero(lost)).tolist())
                values[r, batch] = self.statistics(matched)
                values[r, batch][blank[0, batch]] = 0.0
                values[r, batch][blank[1 + r, batch]] = np.nan

        for batch in in_threads(run, batches(len(hyp_side), _BATCH), self.options.jobs):
            tell.matched(batch.stop)
        return Score.of(values, self.signature, self.options.combine, skipped)

    def explain(self, hyp: str, ref: str) -> WordExplanation:
        """Where the score of one hypothesis against one reference comes from."""
        from celab.metrics.explain_words import explain

        return explain(self, hyp, ref)

    def words(
        self, sentences: list[str], progress: Callable[[int, int], object] | None = None
    ) -> list[list[Word]]:
        """Those of each sentence that have a letter or digit in them."""
        return [
            [word for word in words if any(map(str.isalnum, word.form))]
            for words in self.analyser.analyse(sentences, progress)
        ]

    def _side(self, sentences: list[str], stream: int, tell: Progress) -> list[list[Word]]:
        # One side of a corpus; an error says which.
        try:
            return self.words(sentences, tell.analysed)
        except SentenceError as error:
            raise error.of(stream) from None

    def _matched(self, hyp: Side, ref: Side, groups: tuple[I32, I32], first: int, r: int) -> F64:
        # (pairs, orders, 5), as the kernel `match_bags` gives it; NaN where that is not proved and
        # may be skipped.
        n_orders, n_pairs = self.options.max_order, len(hyp.lengths)
        p, q = self.discount.numerator, self.discount.denominator
        try:
            matched = match_bags(*hyp.arrays, *ref.arrays, *groups, n_orders, p, q)
        except ArithmeticError as error:
            if n_pairs > 1:  # one by one, to name it
                alone = (slice(s, s + 1) for s in range(n_pairs))
                return np.concatenate([
                    self._matched(hyp.part(s), ref.part(s), groups, first + s.start, r)
                    for s in alone
                ])  # fmt: skip
            if self.options.on_error == "raise":
                raise SolverError(f"{_name(first, r)}: {error}") from None
            return np.full((1, n_orders, 5), np.nan)
        if self.options.solver == "auto":
            return matched
        whole = self._whole(hyp, ref, groups, first, r, matched)
        if self.options.solver == "check":
            _compare(matched, whole, first, r)
        return whole

    def _whole(
        self, hyp: Side, ref: Side, groups: tuple[I32, I32], first: int, r: int, matched: F64
    ) -> F64:
        # The same, with each optimum by the whole program.
        start, group = (array.tolist() for array in groups)
        whole = matched.copy()

        def groups_of(lemma: int) -> set[int]:
            return set(group[start[lemma] : start[lemma + 1]])

        for s in range(len(matched)):
            pair = hyp.sentence(s), ref.sentence(s)
            try:
                whole[s] = self._whole_pair(*pair, groups_of, whole[s], _name(first + s, r))
            except SolverError:
                if self.options.on_error == "raise":
                    raise
                whole[s] = np.nan
        return whole

    def _whole_pair(
        self, hyp: Words, ref: Words, groups: Callable[[int], set[int]], matched: F64, what: str
    ) -> F64:
        # Of one pair: (orders, 5).
        whole = matched.copy()
        for name in self.similarities:
            words = whole_bags.halves(name, hyp, ref, groups)
            for order in range(1, self.options.max_order + 1):
                hyp_weight, ref_weight = (
                    whole_bags.weights(side, order, self.discount) for side in (hyp, ref)
                )
                unit = self.discount.denominator**order
                similarity = whole_bags.ngram_halves(words, order)
                total = whole_bags.greatest(
                    similarity, hyp_weight, ref_weight, what, self.options.time_limit
                )
                whole[order - 1, SIMILARITIES[name]] = total / (2 * order * unit)
        return whole

    def features(self, matched: F64) -> tuple[F64, F64, F64, NDArray[np.bool_]]:
        """Precision, recall and F of each pair, order and similarity, and which of them count."""
        wanted = [SIMILARITIES[name] for name in self.similarities]
        similarity = matched[:, :, wanted]
        hyp_weight, ref_weight = matched[:, :, 3:4], matched[:, :, 4:5]
        with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 where a bag is empty
            precision = np.where(hyp_weight > 0, similarity / hyp_weight, 0.0)
            recall = np.where(ref_weight > 0, similarity / ref_weight, 0.0)
            mixed = self.options.alpha * precision + (1 - self.options.alpha) * recall
            f = np.where(mixed > 0, precision * recall / mixed, 0.0)
        counts = np.broadcast_to((hyp_weight > 0) | (ref_weight > 0), f.shape)
        return precision, recall, f, counts

    def statistics(self, matched: F64) -> F64:
        """Score, precision and recall of each pair: means over orders and similarities."""
        precision, recall, f, counts = self.features(matched)
        n = np.maximum(counts.sum(axis=(1, 2)), 1)
        wordless = (counts.sum(axis=(1, 2)) == 0)[:, None]
        if self.options.average == "geometric":
            with np.errstate(divide="ignore"):  # the logarithm of 0, and 0 again by exp
                sums = [np.log(x).sum(axis=(1, 2), where=counts) for x in (f, precision, recall)]
            means = np.exp(np.stack(sums, axis=1) / n[:, None])
        else:
            sums = [x.sum(axis=(1, 2), where=counts) for x in (f, precision, recall)]
            means = np.stack(sums, axis=1) / n[:, None]
        return np.where(wordless, 1.0, means)


class Progress:
    """Tells how many segments are done, half of each by analysis and half by matching."""

    def __init__(self, told: Callable[[int], object] | None, n_segments: int, n_sides: int) -> None:
        self.told, self.n_segments, self.n_sides = told, n_segments, n_sides
        self.n_analysed = 0

    def analysed(self, n_done: int, n_new: int) -> None:
        """So many of the sentences of a side that were new."""
        share = (self.n_analysed + n_done / n_new) / self.n_sides
        self.n_analysed += n_done == n_new
        if self.told is not None:
            self.told(int(self.n_segments * share / 2))

    def matched(self, n_done: int) -> None:
        """So many segments."""
        if self.told is not None:
            self.told((self.n_segments + n_done + 1) // 2)


def _name(segment: int, r: int) -> str:
    return f"segment {segment + 1}, reference {r + 1}"


def _compare(matched: F64, whole: F64, first: int, r: int) -> None:
    wrong = np.abs(matched - whole) > _AGREE * np.maximum(1.0, np.abs(whole))
    if wrong.any():
        s, order, name = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"{_name(first + s, r)}: at order {order + 1} the kernel matches"
            f" {matched[s, order, name]!r} by {list(SIMILARITIES)[name]}, the whole program"
            f" {whole[s, order, name]!r}; they must agree to {_AGREE}"
        )


def _as_fraction(discount: float, max_order: int) -> Fraction:
    # As it is written: 0.1 is a tenth. All weights are then whole multiples of 1 / q**n.
    fraction = Fraction(repr(float(discount)))
    if fraction.denominator**max_order * 2 * max_order * _MOST_WORDS >= _MOST:
        raise OptionError(
            f"discount is {discount!r}; it must have fewer decimals at orders up to {max_order}"
        )
    return fraction
