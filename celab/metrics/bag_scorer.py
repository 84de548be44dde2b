"""Base class of the scorers whose score is a mean of the F of matched bags (`celab.exact.bags`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from celab._native.bags import match_bags
from celab.base.arrays import F64, I8, I32, I64, Bools
from celab.base.run import Progress, Run, batches, split, unproved
from celab.base.text.tokens import is_blank
from celab.exact import bags
from celab.exact.bags import (
    MAX_UNITS_PER_TEXT,
    BagFeatures,
    Problem,
    Units,
    mean_of_features,
    score_precision_recall,
)
from celab.lexicon.catalog import (
    LexiconSpec,
    LocatedLexicon,
    labeled,
    load,
    locate_with_fallback,
    warn_about,
)
from celab.metrics.base import Scorer
from celab.metrics.explaining.links import Feature, WordKind, WordLink, WordPair
from celab.metrics.options import TeslaMOptions
from celab.metrics.scores import Score, Segments
from celab.words.model import Word

_BATCH = 256  # segments in one call of the kernel

# Reference number and batch of segments → their features, and which pairs are proved.
Prepared = Callable[[int, slice], tuple[BagFeatures, Bools]]


class BagScorer(Scorer):
    """Scores each pair by the mean F of its bags; a blank hypothesis scores 0."""

    def _prepare(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        """Analyze hypotheses and references."""
        raise NotImplementedError

    def _figures(self, features: BagFeatures) -> F64:
        """Return score, precision and recall of each pair."""
        return score_precision_recall(features)

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        return Score.of(self._score_pairs(self._figures, hyps, refs, progress), self.signature)

    def features(
        self, hyps: list[str], refs: list[list[str]], progress: Progress | None = None
    ) -> Segments:
        """Return the score, then the F of each order and similarity, of each segment.

        An order that does not count gets the mean of the orders that do.
        """

        def columns(features: BagFeatures) -> F64:
            scores = self._figures(features)[:, :1]
            mean = mean_of_features(features.f, features.is_used)[:, None, None]
            mean = np.where(features.is_used.any(axis=(1, 2), keepdims=True), mean, 1.0)
            f = np.where(features.is_used, features.f, mean)
            return np.concatenate((scores, f.reshape(len(f), -1)), axis=1)

        return self._score_pairs(columns, hyps, refs, progress)

    def _score_pairs(
        self,
        compute: Callable[[BagFeatures], F64],
        hyps: list[str],
        refs: list[list[str]],
        progress: Progress | None,
    ) -> Segments:
        # Apply `compute` to each pair; a blank hypothesis gets 0.
        preparing, matching = split(progress, len(hyps), [1, 1])  # analysis takes longest
        features_of = self._prepare([hyps, *refs], preparing)
        blank = np.array([is_blank(text) for text in hyps])
        present = np.array([[not is_blank(text) for text in side] for side in refs])
        proved = np.ones(present.shape, np.bool_)
        figures_of: dict[tuple[int, int], F64] = {}

        def work(batch: slice) -> None:
            for r in range(len(refs)):
                features, proved[r, batch] = features_of(r, batch)
                figures_of[r, batch.start] = np.where(blank[batch, None], 0.0, compute(features))

        for batch in self.metric.run.map_in_order(work, batches(len(hyps), _BATCH)):
            if matching is not None:
                matching(batch.stop, len(hyps))
        scored = np.logical_and.reduce(proved | ~present)
        starts = [batch.start for batch in batches(len(hyps), _BATCH)]
        values = np.array(
            [np.concatenate([figures_of[r, start] for start in starts]) for r in range(len(refs))]
        )
        return Segments(values, self.metric.combine, present, scored)


Groups: TypeAlias = "tuple[I32, I32]"  # first index of each lemma, and its groups, sorted
# The matching of bags of words of two sentences, on which TESLA-M's scores are based.
#
#     Synonyms   words → numbers of lemmas, tags and synonym groups
#     Matcher    for each pair and order: the greatest total similarity by `ms`, `lem` and `pos`,
#                and the weights of hypothesis and reference; and the scores that follow from them
#     explain    for one pair: which n-grams one optimal solution matches
#
# The kernel gives totals and weights in whole numbers; the whole program checks it
# (`celab.exact.bags`).

SIMILARITIES = {"ms": 0, "lem": 1, "pos": 2}  # columns in the kernel's result
_PAIR = "the explained pair"
_MAX_LEXICONS_IN_MEMORY = 2  # each takes tens of megabytes


@dataclass(frozen=True, slots=True)
class WordSide:
    """Lemma, tag and function word of every word, and where sentences begin."""

    lemma: I32
    tag: I32
    function: I8
    start: I64

    def part(self, batch: slice) -> WordSide:
        """Return some of the sentences."""
        start = self.start[batch.start : batch.stop + 1]
        words = slice(start[0], start[-1])
        return WordSide(self.lemma[words], self.tag[words], self.function[words], start - start[0])

    @property
    def units(self) -> Units:
        """The lemmas of one sentence."""
        return Units(self.lemma, self.function, np.zeros_like(self.lemma), self.start)

    @property
    def arrays(self) -> tuple[I32, I32, I8, I64]:
        """Columns in the order of `match_bags`."""
        return self.lemma, self.tag, self.function, self.start


class Synonyms:
    """The synonym groups of lemmas; `spelt` turns a lexicon's word into the form of a lemma."""

    def __init__(
        self, spec: LexiconSpec, spelt: Callable[[str], str] = str, *, is_default: bool = False
    ) -> None:
        lexicons, self.notice = locate_with_fallback(spec, is_default=is_default)
        self.signature_id = "+".join(lexicon.signature_id for lexicon in lexicons) or "none"
        self.groups, self.labels, warnings = _groups_of(tuple(lexicons), spelt)
        for lexicon, of_lexicon in zip(lexicons, warnings, strict=True):
            warn_about(lexicon, of_lexicon)

    def number(self, sides: Iterable[list[list[Word]]]) -> tuple[list[WordSide], Groups]:
        """Return the sides with lemmas and tags as numbers, and the groups of each lemma."""
        lemmas: dict[str, int] = {}
        tags: dict[str, int] = {}
        numbered_sides = []
        for sentences in sides:
            words = [word for sentence in sentences for word in sentence]
            lemma = [lemmas.setdefault(word.lemma, len(lemmas)) for word in words]
            tag = [tags.setdefault(word.tag, len(tags)) for word in words]
            function = np.array([word.function for word in words], np.int8)
            start = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
            numbered_sides.append(
                WordSide(np.array(lemma, np.int32), np.array(tag, np.int32), function, start)
            )
        rows = [self.groups.get(lemma, []) for lemma in lemmas]
        group_start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        groups = np.array([group for row in rows for group in row], np.int32)
        return numbered_sides, (group_start, groups)

    def shared_labels(self, lemma: str, other: str) -> tuple[str, ...]:
        """Return the labels of the groups with both lemmas."""
        groups = set(self.groups.get(lemma, ())) & set(self.groups.get(other, ()))
        return tuple(self.labels[group] for group in sorted(groups))


@lru_cache(_MAX_LEXICONS_IN_MEMORY)  # slow to read, so metrics share it
def _groups_of(
    lexicons: tuple[LocatedLexicon, ...], spelt: Callable[[str], str]
) -> tuple[dict[str, list[int]], list[str], list[list[str]]]:
    # The numbers of the groups of each word, the labels of the groups, and warnings about lexicons.
    groups: dict[str, list[int]] = {}
    labels: list[str] = []
    thesauri = [load(lexicon) for lexicon in lexicons]
    for thesaurus in thesauri:
        for group in labeled(thesaurus):
            for word in dict.fromkeys(map(spelt, group.words)):
                groups.setdefault(word, []).append(len(labels))
            labels.append(group.label)
    return groups, labels, [thesaurus.warnings for thesaurus in thesauri]


class Matcher:
    """Matches bags of words by the options."""

    def __init__(self, options: TeslaMOptions) -> None:
        self.options = options
        self.names = options.similarities.split("+")
        n = options.max_order
        self.discount = bags.whole_discount(options.discount, n, 2 * n * MAX_UNITS_PER_TEXT)

    def match(
        self, hyp: WordSide, ref: WordSide, groups: Groups, run: Run, name: Callable[[int], str]
    ) -> tuple[F64, Bools]:
        """Return the (pairs, orders, 5) array of `match_bags`, and which pairs are proved.

        An unproved pair is skipped, or an error with its `name`.
        """
        p, q = self.discount.numerator, self.discount.denominator
        failed: dict[int, Exception] = {}
        matched = match_bags(
            *hyp.arrays,
            *ref.arrays,
            *groups,
            max_order=self.options.max_order,
            p=p,
            q=q,
            most_words=MAX_UNITS_PER_TEXT,
            time_limit=run.time_limit,
            skip=run.skips,
            failed=failed,
        )
        is_proved = np.ones(len(matched), np.bool_)
        for s, error in failed.items():
            if not run.skips:
                raise unproved(name(s), error, run.time_limit)
            matched[s], is_proved[s] = 0.0, False

        def solve_whole(s: int, figures: F64, pair_name: str) -> None:
            sides = hyp.part(slice(s, s + 1)), ref.part(slice(s, s + 1))
            for similarity in self.names:
                words = halves(similarity, *sides, groups, pair_name)
                for order in range(1, self.options.max_order + 1):
                    problem = self.problem(words, *sides, order)
                    total = bags.optimum(problem, pair_name, run.time_limit)
                    figures[order - 1, SIMILARITIES[similarity]] = total / (2 * order * q**order)
                    figures[order - 1, 3] = problem.hyp_weight.sum() / q**order
                    figures[order - 1, 4] = problem.ref_weight.sum() / q**order

        columns = (*SIMILARITIES, *bags.WEIGHT_COLUMNS)
        matched = bags.check_with_solver(matched, is_proved, run, name, solve_whole, columns)
        return matched, is_proved

    def problem(self, words: I64, hyp: WordSide, ref: WordSide, order: int) -> Problem:
        """Return the n-grams at all positions, from the similarities of `words` (`halves`).

        The similarity of two n-grams is the sum over their words; 0 if a word has none.
        """
        n_hyp, n_ref = (max(0, n - order + 1) for n in words.shape)
        along = np.stack([words[k : k + n_hyp, k : k + n_ref] for k in range(order)])
        similarity = np.where((along > 0).all(axis=0), along.sum(axis=0), 0)
        weights = [bags.grams(side.units, order, 0, self.discount)[0].weight for side in (hyp, ref)]
        return Problem(similarity, *weights)

    def features(self, matched: F64) -> BagFeatures:
        """Return precision, recall and F from the result of `match`."""
        similarity = matched[:, :, [SIMILARITIES[name] for name in self.names]]
        return bags.f_measure(
            similarity, matched[:, :, 3:4], matched[:, :, 4:5], self.options.alpha
        )


def halves(name: str, hyp: WordSide, ref: WordSide, groups: Groups, pair_name: str) -> I64:
    """Return the similarity of each hypothesis word and reference word in halves: 0, 1 or 2.

    `pair_name` names the pair in the error for one with too many words.
    """
    bags.check_size(len(hyp.lemma), len(ref.lemma), "words", pair_name)
    same_lemma = np.equal.outer(hyp.lemma, ref.lemma)
    same_tag = np.equal.outer(hyp.tag, ref.tag)
    if name != "ms":
        return 2 * (same_lemma if name == "lem" else same_tag).astype(np.int64)
    start, group = groups
    hyp_groups, ref_groups = [
        [set(group[start[lemma] : start[lemma + 1]].tolist()) for lemma in side.lemma]
        for side in (hyp, ref)
    ]
    shared = np.array(
        [[not a.isdisjoint(b) for b in ref_groups] for a in hyp_groups], np.bool_
    ).reshape(same_tag.shape)
    return np.where(same_lemma, 2, shared.astype(np.int64) + same_tag)


def explain(
    matcher: Matcher, synonyms: Synonyms, hyp: list[Word], ref: list[Word], run: Run
) -> tuple[tuple[Feature, ...], list[float]]:
    """Return the features that count, with their links; score, precision and recall.

    The links are one optimal matching of n-grams at their positions; the score is the kernel's.
    """
    (hyp_side, ref_side), groups = synonyms.number([[hyp], [ref]])
    sides = hyp_side, ref_side
    run = replace(run, on_error="raise")
    matched, _ = matcher.match(*sides, groups, run, lambda _: _PAIR)
    rates = matcher.features(matched)
    features = []
    for _, order, k in np.argwhere(rates.is_used).tolist():
        name, n, at = matcher.names[k], order + 1, (0, order, k)
        problem = matcher.problem(halves(name, *sides, groups, _PAIR), *sides, n)
        hyp_weight, ref_weight = matched[0, order, 3:].tolist()
        pairs, flow = bags.nearest(problem, _PAIR, run.time_limit)
        links = [
            WordLink(
                (h, h + n),
                (r, r + n),
                float(problem.similarity[h, r]) / (2 * n),
                weight / matcher.discount.denominator**n,
                tuple(_pair(name, synonyms, hyp, ref, h + i, r + i) for i in range(n)),
            )
            for (h, r), weight in zip(pairs.tolist(), flow.tolist(), strict=True)
        ]
        features.append(
            Feature(
                order=n,
                similarity=name,
                total=sum(link.similarity * link.weight for link in links),
                hyp_weight=hyp_weight,
                ref_weight=ref_weight,
                precision=float(rates.precision[at]),
                recall=float(rates.recall[at]),
                f=float(rates.f[at]),
                links=tuple(sorted(links, key=lambda link: (link.ref, link.hyp))),
            )
        )
    return tuple(features), bags.score_precision_recall(rates, matcher.options.average)[0].tolist()


def _pair(
    name: str, synonyms: Synonyms, hyp: list[Word], ref: list[Word], h: int, r: int
) -> WordPair:
    x, y = hyp[h], ref[r]
    if name == "pos" or x.lemma == y.lemma:
        return WordPair(h, r, "equal" if x.lemma == y.lemma else "tag", (), 1.0)
    shared = synonyms.shared_labels(x.lemma, y.lemma)
    kind: WordKind = "synonym" if shared else "tag"
    return WordPair(h, r, kind, shared, (bool(shared) + (x.tag == y.tag)) / 2)
