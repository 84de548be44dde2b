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
>>> found = metric.sentence_score("a b", ["a x b c"])
>>> round(found.score, 4)  # F of P = 2/2, R = 2/4 and of P = 1/1, R = 1/6: the mean of 5/9 and 1/5
0.3778
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any, Literal

import numpy as np

from celab.analysis.languages import LANGUAGES, Cached, analyser
from celab.analysis.model import SentenceError, Word
from celab.base.arrays import F64, I64, Bools
from celab.base.errors import OptionError, Setting, nearest
from celab.base.options import SUMMARY_UNITS, Case, Combine, Punctuation, TeslaSOptions, Unit
from celab.base.run import TIME_LIMIT, OnError, Run, Solver, pair_namer
from celab.base.signature import Signature
from celab.base.text.tokens import cut, is_blank
from celab.base.version import __version__
from celab.exact import bags
from celab.exact.bags import Bags, Features, Units
from celab.metrics.bag_metric import BagMetric, Prepared
from celab.metrics.base import Progress
from celab.metrics.explanation import Feature, WordExplanation, WordLink, WordPair

_MOST_AT_ONCE = 1 << 18  # units whose bags are in memory together
_PER_TEXT = 2**31  # more units than any text has


class TeslaS(BagMetric):
    """TESLA-S with its settings and analyser.

    Parameters:
        lang: language of the summaries: zh, ja or ko (characters), de or en (words).
        unit: "char" or "word" (default: by language); Chinese has both.
        analysis: words from another source than the language's analyser: "tagged" (word|lemma|TAG
            as given), "surface" (split at spaces and punctuation; no function words) or, for
            Chinese, "rjieba" (extra of the same name).
        separator, function_tags: those of tagged text.
        skip: most units between the two of a skip bigram; 0: plain bigrams.
        across: let skip bigrams cross line breaks, which end sentences.
        alpha: weight of recall in F.
        discount: what a weight is multiplied by for each function word; characters have none.
        case: "lower" or "keep".
        punctuation: "drop" tokens without a letter or digit, or "keep" them.
        combine: "max" over the references of a summary, or "mean".
        jobs, solver, time_limit, on_error: as in `TeslaCelab`; only HiGHS needs a time limit.

    >>> import celab
    >>> round(celab.TeslaS(lang="zh").corpus_score(["他买雨伞"], [["他买伞。"]]).score, 4)
    0.8854
    """

    name = "tesla-s"
    has_links = True
    options: TeslaSOptions
    _analyser: Cached | None
    _discount: Fraction

    def __init__(
        self,
        *,
        lang: str | None = None,
        unit: Unit | None = None,
        analysis: Literal["tagged", "surface", "rjieba"] | None = None,
        separator: str | None = None,
        function_tags: Sequence[str] | None = None,
        skip: int = 4,
        across: bool = False,
        alpha: float = 0.8,
        discount: float = 0.1,
        case: Case = "lower",
        punctuation: Punctuation = "drop",
        combine: Combine = "max",
        jobs: int = 1,
        solver: Solver = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: OnError = "raise",
    ) -> None:
        settings: dict[str, Any] = {
            "unit": unit or ("word" if analysis else _usual_unit(lang)),
            "skip": skip,
            "across": across,
            "alpha": alpha,
            "discount": discount,
            "case": case,
            "punctuation": punctuation,
            "combine": combine,
        }
        options = TeslaSOptions(**settings)
        run = Run(jobs=jobs, solver=solver, time_limit=time_limit, on_error=on_error)
        tagged = {"separator": separator, "function_tags": function_tags}
        words = _analyser(options.unit, lang, analysis, tagged)
        parts = options.signature_parts(
            across="yes" if across else "no", **({} if words else {"discount": "none"})
        )
        parts += [("words", words.name)] if words else []
        self._freeze(
            {"lang": lang, "analysis": analysis, **settings, **tagged},
            options=options,
            combine=combine,
            lang=lang,
            run=run,
            _analyser=words,
            _discount=bags.whole_discount(discount, 2, (skip + 1) * _PER_TEXT),
            signature=Signature(self.name, [*parts, ("v", __version__)]),
        )

    @property
    def _orders(self) -> tuple[tuple[int, int], ...]:
        # Order and skip of the two bags.
        return (1, 0), (2, self.options.skip)

    def _bags(self, units: Units) -> list[Bags]:
        return [bags.grams(units, *order, self._discount)[0] for order in self._orders]

    def _prepared(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        numbers = _Numbers(self.options.punctuation == "keep")
        units = []
        for side, texts in enumerate(sides):

            def tell(n_done: int, n_new: int, side: int = side) -> None:
                if progress is not None:
                    progress(int(len(sides[0]) * (side + n_done / n_new) / len(sides) / 2))

            units.append(self._numbered(texts, side, numbers, tell))
        hyp, *refs = units

        def features(r: int, batch: slice) -> tuple[Features, Bools]:
            parts = [
                self._matched(
                    hyp.batch(rows), refs[r].batch(rows), self.run, pair_namer(rows.start, r)
                )
                for rows in _small(batch, hyp.start + refs[r].start)
            ]
            matched, proved = (np.concatenate(part) for part in zip(*parts, strict=True))
            return self._features(matched), proved

        return features

    def _matched(
        self, hyp: Units, ref: Units, run: Run, name: Callable[[int], str]
    ) -> tuple[F64, Bools]:
        # (pairs, 2, 3): S and both weights of unigrams and skip bigrams; which pairs are proved.
        pairs = list(zip(self._bags(hyp), self._bags(ref), strict=True))
        matched = np.stack([bags.match(x, y) for x, y in pairs], axis=1).astype(np.float64)
        proved = np.ones(len(matched), np.bool_)

        def whole(k: int, figures: F64, what: str) -> None:
            for order, (x, y) in enumerate(pairs):
                problem = bags.equal_problem(x, y, k, what)
                figures[order, 0] = bags.greatest(problem, what, run.time_limit)
                figures[order, 1:] = problem.hyp_weight.sum(), problem.ref_weight.sum()

        columns = ("form", *bags.WEIGHT_COLUMNS)
        return bags.judged(matched, proved, run, name, whole, columns), proved

    def _features(self, matched: F64) -> Features:
        s, hyp_weight, ref_weight = (matched[:, :, k : k + 1] for k in range(3))
        return bags.f_measure(s, hyp_weight, ref_weight, self.options.alpha)

    def _numbered(
        self, texts: list[str], side: int, numbers: _Numbers, tell: Callable[[int, int], object]
    ) -> Units:
        # The units of one side: 0 the hypotheses, r reference r.
        sentences = [text.split("\n") for text in texts]
        ends = np.cumsum([0, *map(len, sentences)])
        every = [sentence for some in sentences for sentence in some]
        lower = self.options.case == "lower"
        if self._analyser is None:
            forms = [cut(text.lower() if lower else text, tokenize="char") for text in every]
            function = np.zeros(sum(map(len, forms)), np.int8)
            tell(1, 1)
        else:
            try:
                words = self._analyser.analyse(every, tell, self.run.threads)
            except SentenceError as error:
                number = int(np.searchsorted(ends, error.sentence))
                raise SentenceError(number, error.what, side) from None
            forms = [[w.form.lower() if lower else w.form for w in some] for some in words]
            function = np.array([word.function for some in words for word in some], np.int8)
        every_form = chain.from_iterable(forms)
        unit = np.fromiter(map(numbers.__getitem__, every_form), np.int32, len(function))
        begins = np.cumsum([0, *map(len, forms)])  # each sentence
        bounds = begins[ends] if self.options.across else begins
        part = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
        kept = unit >= 0
        start = np.concatenate(([0], np.cumsum(kept)))[begins[ends]]
        return Units(unit[kept], function[kept], part[kept], start.astype(np.int64))

    def _explain(self, hyp: str, ref: str) -> WordExplanation:
        numbers = _Numbers(self.options.punctuation == "keep")
        x, y = (
            self._numbered([text], side, numbers, lambda *_: None)
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
        run = replace(self.run, on_error="raise")
        matched, _ = self._matched(x, y, run, lambda _: "the explained pair")
        found = self._features(matched)
        features = tuple(
            self._feature(x, y, k, matched[0, k].tolist(), found)
            for k in np.flatnonzero(found.counts[0]).tolist()
        )
        figures = np.zeros(3) if is_blank(hyp) else bags.figures(found)[0]
        score, precision, recall = figures.tolist()
        return WordExplanation(
            hyp_words, ref_words, score, precision, recall, features, self.signature
        )

    def _feature(self, x: Units, y: Units, k: int, sums: list[float], found: Features) -> Feature:
        order, skip = self._orders[k]
        (hyp, hyp_places), (ref, ref_places) = (
            bags.grams(units, order, skip, self._discount) for units in (x, y)
        )
        unit = self._discount.denominator**order
        links = []
        for i, j, amount in bags.paired(hyp, ref):
            h, r = hyp_places[i].tolist(), ref_places[j].tolist()
            pairs = [WordPair(*pair, "equal", (), 1.0) for pair in zip(h, r, strict=True)]
            spans = (h[0], h[-1] + 1), (r[0], r[-1] + 1)
            links.append(WordLink(*spans, 1.0, amount / unit, tuple(pairs)))
        return Feature(
            order,
            f"form, skip {skip}" if order == 2 else "form",
            sums[0] / unit,
            sums[1] / unit,
            sums[2] / unit,
            float(found.precision[0, k, 0]),
            float(found.recall[0, k, 0]),
            float(found.f[0, k, 0]),
            tuple(sorted(links, key=lambda link: (link.ref, link.hyp))),
        )


class _Numbers(dict[str, int]):
    # A number for each form; -1 for one that is left out, having no letter or digit.
    def __init__(self, keeps_all: bool) -> None:
        self._keeps_all = keeps_all

    def __missing__(self, form: str) -> int:
        is_kept = self._keeps_all or any(map(str.isalnum, form))
        self[form] = number = len(self) if is_kept else -1
        return number


def _usual_unit(lang: str | None) -> str:
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


def _analyser(
    unit: str, lang: str | None, analysis: str | None, tagged: dict[str, Any]
) -> Cached | None:
    # The source of words; None for characters.
    given = {name: value for name, value in tagged.items() if value is not None}
    if unit == "char":
        if analysis or given:
            name = "analysis" if analysis else next(iter(given))
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
    return Cached(analyser(lang, analysis, **given))


def _small(batch: slice, ends: I64) -> list[slice]:
    # The batch in slices of few units each, at least one text.
    found, first = [], batch.start
    while first < batch.stop:
        most = int(np.searchsorted(ends, ends[first] + _MOST_AT_ONCE, "right")) - 1
        found.append(slice(first, min(batch.stop, max(first + 1, most))))
        first = found[-1].stop
    return found
