"""TESLA-S: summaries in, scores out (Lin, Liu, Ng and Kan 2012, "Combining Coherence Models and
Machine Translation Evaluation Metrics for Summarization Evaluation", section 3).

Two bags are matched by equal forms: unigrams, and skip bigrams with at most four units between. A
unigram or skip bigram weighs its count, times 0.1 for each of its function words. With S the sum of
the lesser weights and W the weights of a side,

    precision = S / W_hyp,   recall = S / W_ref,   F = P·R / (α·P + (1 - α)·R),   α = 0.8

The score is the mean of the two F. Several references: the best. System: the mean over summaries.

Where the paper is silent: the "window size of four" is read as in ROUGE, up to four units between;
a skip bigram lies within a sentence, and sentences end at line breaks (a text without one is a
single sentence); the discounts of two function words multiply; letters are compared in lower case;
tokens without a letter or digit are left out; if neither side has a skip bigram, the unigrams alone
count. Units are words for German and English, and characters for Chinese, Japanese and Korean;
characters have no closed classes, so nothing is discounted.

>>> metric = TeslaS(analysis="surface")
>>> score = metric.sentence_score("a b", ["a x b c"])
>>> round(score.score, 4)  # F of P = 2/2, R = 2/4 and of P = 1/1, R = 1/6: the mean of 5/9 and 1/5
0.3778
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from celab.base.arguments import Arguments
from celab.base.arrays import F64, I64, Bools
from celab.base.errors import OptionError, SentenceError, Setting, nearest
from celab.base.run import Progress, Run, RunOptions, pair_namer, split
from celab.base.signature import Signature
from celab.base.text.tokens import cut, has_letters, is_blank
from celab.base.version import __version__
from celab.exact import bags
from celab.exact.bags import BagFeatures, Bags, Units
from celab.metrics.bag_scorer import BagScorer, Prepared
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import WordExplanation
from celab.metrics.explaining.links import Feature, WordLink, WordPair
from celab.metrics.options import SUMMARY_UNITS, TeslaSOptions, WordData
from celab.words.analyzers import LANGUAGES, CachedAnalyzer, analyzer
from celab.words.model import Word

_MAX_BATCH_UNITS = 1 << 18  # their bags are in memory together
_TEXT_STRIDE = 2**31  # more units than any text has


class TeslaSScorer(BagScorer):
    """Scores unigrams and skip bigrams of units."""

    metric: TeslaS

    @property
    def _orders(self) -> tuple[tuple[int, int], ...]:
        # Order and skip of the two bags.
        return (1, 0), (2, self.metric.options.skip)

    def _bags(self, units: Units) -> list[Bags]:
        return [bags.grams(units, *order, self.metric.exact_discount)[0] for order in self._orders]

    def _prepare(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        numbers = _Numbers(self.metric.options.punctuation == "keep")
        units = []
        shares = split(progress, len(sides[0]), [1] * len(sides))
        for side, (texts, share) in enumerate(zip(sides, shares, strict=True)):
            units.append(self._number(texts, side, numbers, share))
        hyp, *refs = units

        def features(r: int, batch: slice) -> tuple[BagFeatures, Bools]:
            parts = [
                self._match(
                    hyp.batch(rows), refs[r].batch(rows), self.metric.run, pair_namer(rows.start, r)
                )
                for rows in _split_batch(batch, hyp.start + refs[r].start)
            ]
            matched, proved = (np.concatenate(part) for part in zip(*parts, strict=True))
            return self._features(matched), proved

        return features

    def _match(
        self, hyp: Units, ref: Units, run: Run, name: Callable[[int], str]
    ) -> tuple[F64, Bools]:
        # (pairs, 2, 3): S and both weights of unigrams and skip bigrams; which pairs are proved.
        pairs = list(zip(self._bags(hyp), self._bags(ref), strict=True))
        matched = np.stack([bags.match(x, y) for x, y in pairs], axis=1).astype(np.float64)
        proved = np.ones(len(matched), np.bool_)

        def solve_whole(k: int, figures: F64, pair_name: str) -> None:
            for order, (x, y) in enumerate(pairs):
                problem = bags.equal_problem(x, y, k, pair_name)
                figures[order, 0] = bags.optimum(problem, pair_name, run.time_limit)
                figures[order, 1:] = problem.hyp_weight.sum(), problem.ref_weight.sum()

        columns = ("form", *bags.WEIGHT_COLUMNS)
        return bags.check_with_solver(matched, proved, run, name, solve_whole, columns), proved

    def _features(self, matched: F64) -> BagFeatures:
        s, hyp_weight, ref_weight = (matched[:, :, k : k + 1] for k in range(3))
        return bags.f_measure(s, hyp_weight, ref_weight, self.metric.options.alpha)

    def _number(
        self, texts: list[str], side: int, numbers: _Numbers, progress: Progress | None
    ) -> Units:
        """Return the units of texts; `side` is named in errors: 0 hypotheses, r reference r."""
        sentences = [text.split("\n") for text in texts]
        ends = np.cumsum([0, *map(len, sentences)])
        all_sentences = [sentence for text_sentences in sentences for sentence in text_sentences]
        lower = self.metric.options.case == "lower"
        if self.metric.analyzer is None:
            forms = [
                cut(text.lower() if lower else text, tokenize="char") for text in all_sentences
            ]
            function = np.zeros(sum(map(len, forms)), np.int8)
            if progress is not None:
                progress(1, 1)
        else:
            try:
                words = self.metric.analyzer.analyze(
                    all_sentences, progress, self.metric.run.threads
                )
            except SentenceError as error:
                number = int(np.searchsorted(ends, error.sentence))
                raise SentenceError(number, error.what, side) from None
            forms = [
                [w.form.lower() if lower else w.form for w in sentence_words]
                for sentence_words in words
            ]
            function = np.array(
                [word.function for sentence_words in words for word in sentence_words], np.int8
            )
        all_forms = chain.from_iterable(forms)
        unit = np.fromiter(map(numbers.__getitem__, all_forms), np.int32, len(function))
        begins = np.cumsum([0, *map(len, forms)])  # each sentence
        bounds = begins[ends] if self.metric.options.across else begins
        part = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
        is_kept = unit >= 0
        start = np.concatenate(([0], np.cumsum(is_kept)))[begins[ends]]
        return Units(unit[is_kept], function[is_kept], part[is_kept], start.astype(np.int64))

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> WordExplanation:
        numbers = _Numbers(self.metric.options.punctuation == "keep")
        x, y = (
            self._number([text], side, numbers, lambda *_: None)
            for side, text in enumerate((hyp, ref))
        )
        forms = {number: form for form, number in numbers.items()}
        hyp_words, ref_words = (
            tuple(
                Word(forms[unit], forms[unit], "", bool(function))
                for unit, function in zip(side.unit.tolist(), side.function.tolist(), strict=True)
            )
            for side in (x, y)
        )
        run = replace(self.metric.run, on_error="raise")
        matched, _ = self._match(x, y, run, lambda _: "the explained pair")
        rates = self._features(matched)
        features = tuple(
            self._feature(x, y, k, matched[0, k].tolist(), rates)
            for k in np.flatnonzero(rates.is_used[0]).tolist()
        )
        figures = np.zeros(3) if is_blank(hyp) else bags.score_precision_recall(rates)[0]
        score, precision, recall = figures.tolist()
        return WordExplanation(
            hyp_words=hyp_words,
            ref_words=ref_words,
            score=score,
            precision=precision,
            recall=recall,
            features=features,
            signature=self.signature,
        )

    def _feature(
        self, x: Units, y: Units, k: int, sums: list[float], rates: BagFeatures
    ) -> Feature:
        order, skip = self._orders[k]
        (hyp, hyp_places), (ref, ref_places) = (
            bags.grams(units, order, skip, self.metric.exact_discount) for units in (x, y)
        )
        unit = self.metric.exact_discount.denominator**order
        links = []
        for i, j, amount in bags.paired(hyp, ref):
            h, r = hyp_places[i].tolist(), ref_places[j].tolist()
            pairs = [WordPair(*pair, "equal", (), 1.0) for pair in zip(h, r, strict=True)]
            spans = (h[0], h[-1] + 1), (r[0], r[-1] + 1)
            links.append(WordLink(*spans, 1.0, amount / unit, tuple(pairs)))
        return Feature(
            order=order,
            similarity=f"form, skip {skip}" if order == 2 else "form",
            total=sums[0] / unit,
            hyp_weight=sums[1] / unit,
            ref_weight=sums[2] / unit,
            precision=float(rates.precision[0, k, 0]),
            recall=float(rates.recall[0, k, 0]),
            f=float(rates.f[0, k, 0]),
            links=tuple(sorted(links, key=lambda link: (link.ref, link.hyp))),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaS(Metric, RunOptions, TeslaSOptions, WordData):
    """TESLA-S with its options and analyzer.

    The unit is a character for zh, ja and ko, a word for de and en, and a word with `analysis`,
    unless it is given; Chinese can be scored by either. Only HiGHS needs a time limit.

    >>> import celab
    >>> round(celab.TeslaS(lang="zh").corpus_score(["他买雨伞"], [["他买伞。"]]).score, 4)
    0.8854
    """

    name = "tesla-s"
    scorer_class = TeslaSScorer
    explained_by = "links"

    def __post_init__(self) -> None:
        self._check_arguments()
        self._compute("options", "run", "analyzer", "exact_discount", "signature")

    @cached_property
    def options(self) -> TeslaSOptions:
        """The options in effect: explicit values, or the defaults of language and analysis."""
        unit = self.unit or ("word" if self.analysis else _default_unit(self.lang))
        return TeslaSOptions.of(self, unit=unit)

    @cached_property
    def analyzer(self) -> CachedAnalyzer | None:
        """The analyzer of sentences; None if units are characters."""
        tagged = {"separator": self.separator, "function_tags": self.function_tags}
        return _analyzer(self.options.unit, self.lang, self.analysis, tagged)

    @cached_property
    def exact_discount(self) -> Fraction:
        """The weight of a function word, as a fraction."""
        return bags.whole_discount(self.options.discount, 2, (self.options.skip + 1) * _TEXT_STRIDE)

    @property
    def assumed_language(self) -> str | None:
        """Language that texts are taken for; tagged words are checked by their tags alone."""
        return None if self.analysis == "tagged" else self.language

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        words = self.analyzer
        instead = {"across": "yes" if self.across else "no"}
        if words is None:
            instead["discount"] = "none"
        parts = self.options.signature_parts(**instead)
        parts += [("words", words.name)] if words else []
        return Signature(self.name, [*parts, ("v", __version__)])

    def arguments(self) -> Arguments:
        """Return the arguments that make an equal metric, with absolute paths and without `run`."""
        arguments = super().arguments() | {"unit": self.options.unit}
        # Last, as in models that were trained before.
        return arguments | {name: arguments.pop(name) for name in ("separator", "function_tags")}


class _Numbers(dict[str, int]):
    # A number for each form; -1 for one that is left out, having no letter or digit.
    def __init__(self, keeps_all: bool) -> None:
        self._keeps_all = keeps_all

    def __missing__(self, form: str) -> int:
        is_kept = self._keeps_all or has_letters(form)
        self[form] = number = len(self) if is_kept else -1
        return number


def _default_unit(lang: str | None) -> str:
    if lang is None:
        return "char"
    if lang not in SUMMARY_UNITS:
        if close := nearest(lang, SUMMARY_UNITS):
            raise OptionError("lang", lang, f"did you mean {close!r}?")
        raise OptionError(
            "lang",
            lang,
            (
                f"TESLA-S supports {', '.join(SUMMARY_UNITS)}; for other languages, give ",
                Setting("analysis", "surface"),
                ", or ",
                Setting("unit", "char"),
            ),
        )
    return SUMMARY_UNITS[lang]


def _analyzer(
    unit: str | None, lang: str | None, analysis: str | None, tagged: Mapping[str, object]
) -> CachedAnalyzer | None:
    # The source of words; None for characters.
    settings = {name: value for name, value in tagged.items() if value is not None}
    if unit == "char":
        if analysis or settings:
            name = "analysis" if analysis else next(iter(settings))
            raise OptionError(
                (Setting(name), " is for words"),
                hint=("leave it out, or give ", Setting("unit", "word")),
            )
        return None
    if analysis is None and lang is None:
        raise OptionError("unit", "word", ("give a language, or ", Setting("analysis", "surface")))
    if analysis is None and lang not in LANGUAGES:
        raise OptionError(
            (
                Setting("unit"),
                f" is 'word', but there is no word analysis for language {lang!r}, only for"
                f" {', '.join(LANGUAGES)}",
            ),
            hint=("give ", Setting("unit", "char"), ", or ", Setting("analysis", "surface")),
        )
    return CachedAnalyzer(analyzer(lang, analysis, **settings))


def _split_batch(batch: slice, ends: I64) -> list[slice]:
    # The batch in slices of few units each, at least one text.
    parts, first = [], batch.start
    while first < batch.stop:
        stop = int(np.searchsorted(ends, ends[first] + _MAX_BATCH_UNITS, "right")) - 1
        parts.append(slice(first, min(batch.stop, max(first + 1, stop))))
        first = parts[-1].stop
    return parts
