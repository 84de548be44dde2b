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

With unit weights (`discount=1`) the program is the bipartite matching of MaxSim (Chan and Ng 2008).

>>> metric = TeslaM(analysis="tagged", function_tags=["ART"], lexicon=None)
>>> found = metric.sentence_score("ein|ein|ART Haus|Haus|NN", ["das|die|ART Haus|Haus|NN"])
>>> round(found.score, 4)  # the mean of 1.05 / 1.1, 1, 0.75 and 1; there are no trigrams
0.9261
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from celab.analysis.compounds import Compounds
from celab.analysis.languages import Cached, analyser
from celab.analysis.model import SentenceError, Word
from celab.base.arrays import Bools
from celab.base.errors import OptionError, Setting
from celab.base.options import Average, Combine, Similarities, TeslaMOptions
from celab.base.run import TIME_LIMIT, OnError, Run, Solver, pair_namer
from celab.base.signature import Signature
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.exact.bags import Features
from celab.lexicon.catalogue import DEFAULTS, LexiconSpec, portable
from celab.metrics import word_match
from celab.metrics.bag_metric import BagMetric, Prepared
from celab.metrics.base import Progress
from celab.metrics.explanation import WordExplanation
from celab.metrics.word_match import Matcher, Synonyms


class TeslaM(BagMetric):
    """TESLA-M with its settings, analyser and lexicon.

    Parameters:
        lang: target language: de, en or zh; each needs the extra of its name.
        analysis: in place of a language's: "tagged" (word|lemma|TAG as given), "surface" (forms)
            or, for Chinese, "rjieba" (its words and tags; extra of the same name).
        lexicon: name or path of a lexicon, a list of them, or None for no synonyms (default: that
            of the language).
        counts: German: a corpus, or a table of words and counts, by which compounds are split.
        separator, function_tags: those of tagged text.
        max_order: longest n-gram, 1 to 6.
        alpha: weight of recall in F.
        discount: what an n-gram's weight is multiplied by for each function word.
        similarities: how words are compared: ms, lem and pos, joined by +.
        average: mean of the F values over orders and similarities, "arithmetic" or "geometric".
        combine: "mean" over the references of a segment, or "max".
        jobs, solver, time_limit, on_error: as in `TeslaCelab`.

    >>> import celab
    >>> metric = celab.TeslaM(analysis="surface", lexicon=None)
    >>> metric.sentence_score("ein Haus", ["ein Haus"]).score
    1.0
    """

    name = "tesla-m"
    has_links = True
    options: TeslaMOptions
    _analyser: Cached
    _synonyms: Synonyms
    _matcher: Matcher

    def __init__(
        self,
        *,
        lang: str | None = None,
        analysis: Literal["tagged", "surface", "rjieba"] | None = None,
        lexicon: LexiconSpec = "default",
        counts: str | os.PathLike[str] | None = None,
        separator: str | None = None,
        function_tags: Sequence[str] | None = None,
        max_order: int = 3,
        alpha: float = 0.8,
        discount: float = 0.1,
        similarities: Similarities = "ms+pos",
        average: Average = "arithmetic",
        combine: Combine = "mean",
        jobs: int = 1,
        solver: Solver = "auto",
        time_limit: float = TIME_LIMIT,
        on_error: OnError = "raise",
    ) -> None:
        if lang is None and analysis is None:
            raise OptionError(
                ("TESLA-M needs words: give a language, or ", Setting("analysis", "tagged"))
            )
        settings: dict[str, Any] = {
            "max_order": max_order,
            "alpha": alpha,
            "discount": discount,
            "similarities": similarities,
            "average": average,
            "combine": combine,
        }
        options = TeslaMOptions(**settings)
        run = Run(jobs=jobs, solver=solver, time_limit=time_limit, on_error=on_error)
        matcher = Matcher(options)
        tagged: dict[str, Any] = {"separator": separator, "function_tags": function_tags}
        tagged = {name: value for name, value in tagged.items() if value is not None}
        given = {"lang": lang, "analysis": analysis, **settings, **tagged}
        if counts is not None:
            given["counts"] = os.path.abspath(counts)
        if analysis is None and lang == "de":
            tagged["splitter"] = Compounds(counts)
        elif counts is not None:
            raise OptionError("counts are used only to split German compounds; leave them out")
        words = Cached(analyser(lang, analysis, **tagged))
        is_default = lexicon == "default"
        if is_default:
            lexicon = DEFAULTS.get(lang or "")
        synonyms = Synonyms(lexicon, words.spelt, is_default=is_default)
        if synonyms.notice:
            warnings.warn(synonyms.notice, stacklevel=2)
        given["lexicon"] = portable(lexicon, synonyms.notice)
        parts = [("words", words.name), ("lex", synonyms.cited), ("v", __version__)]
        self._freeze(
            given,
            options=options,
            combine=combine,
            average=average,
            lang=lang,
            run=run,
            signature=Signature(self.name, [*options.signature_parts(), *parts]),
            _analyser=words,
            _synonyms=synonyms,
            _matcher=matcher,
        )

    def _prepared(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        (hyp, *refs), groups = self._synonyms.numbered(self._analysed(sides, progress))

        def features(r: int, batch: slice) -> tuple[Features, Bools]:
            matched, proved = self._matcher.matched(
                hyp.part(batch), refs[r].part(batch), groups, self.run, pair_namer(batch.start, r)
            )
            return self._matcher.features(matched), proved

        return features

    def _explain(self, hyp: str, ref: str) -> WordExplanation:
        hyp_words, ref_words = self._words([hyp, ref])
        features, (score, precision, recall) = word_match.explained(
            self._matcher, self._synonyms, hyp_words, ref_words, self.run
        )
        if is_blank(hyp):
            score = precision = recall = 0.0
        return WordExplanation(
            tuple(hyp_words), tuple(ref_words), score, precision, recall, features, self.signature
        )

    def _words(
        self, sentences: list[str], progress: Callable[[int, int], object] | None = None
    ) -> list[list[Word]]:
        # Those of each sentence that have a letter or digit in them.
        return [
            [word for word in words if any(map(str.isalnum, word.form))]
            for words in self._analyser.analyse(sentences, progress, self.run.threads)
        ]

    def _analysed(
        self, sides: list[list[str]], progress: Progress | None
    ) -> Iterator[list[list[Word]]]:
        # The words of each side. They take longest, and count as half of each segment's progress.
        for number, texts in enumerate(sides):

            def tell(n_done: int, n_new: int, number: int = number, n: int = len(texts)) -> None:
                if progress is not None:
                    progress(int(n * (number + n_done / n_new) / len(sides) / 2))

            try:
                yield self._words(texts, tell)
            except SentenceError as error:
                raise error.of(number) from None
