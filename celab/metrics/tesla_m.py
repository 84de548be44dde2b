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
>>> score = metric.sentence_score("ein|ein|ART Haus|Haus|NN", ["das|die|ART Haus|Haus|NN"])
>>> round(score.score, 4)  # the mean of 1.05 / 1.1, 1, 0.75 and 1; there are no trigrams
0.9261
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from celab.base.arguments import Arguments
from celab.base.arrays import F64, Bools
from celab.base.errors import OptionError, SentenceError
from celab.base.languages import language_code
from celab.base.messages import warn
from celab.base.options import complete
from celab.base.run import Progress, RunOptions, pair_namer, split
from celab.base.signature import Signature
from celab.base.text.tokens import has_letters, is_blank
from celab.base.version import __version__
from celab.exact.bags import BagFeatures, score_precision_recall
from celab.lexicon.catalog import DEFAULTS, LexiconSpec, with_absolute_paths
from celab.metrics import bag_scorer
from celab.metrics.bag_scorer import BagScorer, Matcher, Prepared, Synonyms
from celab.metrics.base import Metric
from celab.metrics.explaining.explanation import WordExplanation
from celab.metrics.options import TeslaMData, TeslaMOptions
from celab.words.analyzers import CachedAnalyzer, analyzer
from celab.words.compounds import Compounds
from celab.words.model import Word


class TeslaMScorer(BagScorer):
    """Scores words by the metric's analyzer, lexicon and matcher."""

    metric: TeslaM

    def _prepare(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        matcher, run = self.metric.matcher, self.metric.run
        (hyp, *refs), groups = self.metric.synonyms.number(self._analyze(sides, progress))

        def features(r: int, batch: slice) -> tuple[BagFeatures, Bools]:
            matched, proved = matcher.match(
                hyp.part(batch), refs[r].part(batch), groups, run, pair_namer(batch.start, r)
            )
            return matcher.features(matched), proved

        return features

    def _figures(self, features: BagFeatures) -> F64:
        return score_precision_recall(features, self.metric.average)

    def _explain(self, hyp: str, ref: str, n_what_if: int | None = None) -> WordExplanation:
        hyp_words, ref_words = self._words([hyp, ref])
        features, (score, precision, recall) = bag_scorer.explain(
            self.metric.matcher, self.metric.synonyms, hyp_words, ref_words, self.metric.run
        )
        if is_blank(hyp):
            score = precision = recall = 0.0
        return WordExplanation(
            hyp_words=tuple(hyp_words),
            ref_words=tuple(ref_words),
            score=score,
            precision=precision,
            recall=recall,
            features=features,
            signature=self.signature,
        )

    def _words(self, sentences: list[str], progress: Progress | None = None) -> list[list[Word]]:
        # The words of each sentence that contain a letter or digit.
        return [
            [word for word in words if has_letters(word.form)]
            for words in self.metric.analyzer.analyze(sentences, progress, self.metric.run.threads)
        ]

    def _analyze(
        self, sides: list[list[str]], progress: Progress | None
    ) -> Iterator[list[list[Word]]]:
        # The words of each side.
        shares = split(progress, len(sides[0]), [1] * len(sides))
        for number, (texts, share) in enumerate(zip(sides, shares, strict=True)):
            try:
                yield self._words(texts, share)
            except SentenceError as error:
                raise error.of(number) from None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaM(Metric, RunOptions, TeslaMOptions, TeslaMData):
    """TESLA-M with its options, analyzer and lexicon.

    A language needs the extra of its name. `analysis` replaces that of the language; `separator`
    and `function_tags` are those of tagged text.

    >>> import celab
    >>> metric = celab.TeslaM(analysis="surface", lexicon=None)
    >>> metric.sentence_score("ein Haus", ["ein Haus"]).score
    1.0
    """

    name = "tesla-m"
    scorer_class = TeslaMScorer
    explained_by = "links"

    def __post_init__(self) -> None:
        self._set_language()
        self._check_arguments()
        self._compute("options", "run", "matcher", "analyzer", "synonyms", "signature")
        warn(self.synonyms.notice)
        if self.lexicon and self.lexicon != "default":
            # An absolute path, so that copies work in another folder.
            complete(self, lexicon=with_absolute_paths(self.lexicon, self.synonyms.notice))
        if self.counts is not None:
            complete(self, counts=os.path.abspath(self.counts))

    def _set_language(self) -> None:
        # Chinese is the default, as for TESLA-CELAB; an analysis may be for any language.
        if self.lang is None and self.analysis is None:
            complete(self, lang="zh")
        complete(self, lang=language_code(self.lang))

    @cached_property
    def options(self) -> TeslaMOptions:
        """The options that can change a score."""
        return TeslaMOptions.of(self)

    @cached_property
    def matcher(self) -> Matcher:
        """The matcher of bags of words."""
        return Matcher(self.options)

    @cached_property
    def analyzer(self) -> CachedAnalyzer:
        """The analyzer of sentences."""
        tagged: dict[str, object] = {
            "separator": self.separator,
            "function_tags": self.function_tags,
        }
        tagged = {name: value for name, value in tagged.items() if value is not None}
        if self.analysis is None and self.lang == "de":
            tagged["splitter"] = Compounds(self.counts)
        elif self.counts is not None:
            raise OptionError("counts are used only to split German compounds; leave them out")
        return CachedAnalyzer(analyzer(self.lang, self.analysis, **tagged))

    @property
    def _lexicon(self) -> LexiconSpec:
        # The explicit lexicon, or that of the language.
        return DEFAULTS.get(self.lang or "") if self.lexicon == "default" else self.lexicon

    @cached_property
    def synonyms(self) -> Synonyms:
        """The groups of synonyms."""
        is_default = self.lexicon == "default"
        return Synonyms(self._lexicon, self.analyzer.spelt, is_default=is_default)

    @property
    def assumed_language(self) -> str | None:
        """Language that texts are taken for; tagged words are checked by their tags alone."""
        return None if self.analysis == "tagged" else self.language

    @cached_property
    def signature(self) -> Signature:
        """Everything that can change a score, in one line."""
        parts = [("words", self.analyzer.name), ("lex", self.synonyms.signature_id)]
        parts = [*self.options.signature_parts(), *parts, ("v", __version__)]
        return Signature(self.name, parts)

    def arguments(self) -> Arguments:
        """Return the arguments that make an equal metric, with absolute paths and without `run`."""
        arguments = super().arguments()
        for name in ("separator", "function_tags", "counts"):
            if arguments[name] is None:
                del arguments[name]
        return arguments | {"lexicon": with_absolute_paths(self._lexicon, self.synonyms.notice)}
