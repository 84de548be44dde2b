"""Matched bags of words: what TESLA-M's scores are made of, for pairs of sentences.

    Synonyms   words → numbers of lemmas, tags and synonym groups
    Matcher    for each pair and order: the greatest total similarity by `ms`, `lem` and `pos`, and
               the weights of hypothesis and reference; and the scores that follow from them
    explained  for one pair: which n-grams one optimal solution matches

The transport kernel gives totals and weights in whole numbers; the whole program checks it
(`celab.metrics.whole_bags`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from celab._native.bags import match_bags
from celab.arrays import F64, Bools
from celab.errors import OptionError, SolverError
from celab.explanation import Feature, WordKind, WordLink, WordPair
from celab.lexicon.catalogue import LexiconSpec, labelled, load, located_or_stand_in
from celab.metrics import whole_bags
from celab.metrics.whole_bags import WordSide
from celab.run import Run, unproved

if TYPE_CHECKING:
    from celab.analysis.model import Word
    from celab.metrics.whole_bags import Groups
    from celab.options import TeslaMOptions


SIMILARITIES = {"ms": 0, "lem": 1, "pos": 2}  # where the kernel puts them
MOST_WORDS = 100_000  # in a sentence
_MOST = 2**62  # what the kernel's whole numbers can hold
_PAIR = "the explained pair"


class Synonyms:
    """The groups of lemmas; `spelt` spells a lexicon's word as the analyser spells a lemma."""

    def __init__(
        self, spec: LexiconSpec, spelt: Callable[[str], str] = str, *, is_default: bool = False
    ) -> None:
        found, self.notice = located_or_stand_in(spec, is_default=is_default)
        self.cited = "+".join(one.cited for one in found) or "none"
        self.groups: dict[str, list[int]] = {}
        self.labels: list[str] = []
        for one in found:
            for group in labelled(load(one)):
                for word in dict.fromkeys(map(spelt, group.words)):
                    self.groups.setdefault(word, []).append(len(self.labels))
                self.labels.append(group.label)

    def numbered(self, sides: Iterable[list[list[Word]]]) -> tuple[list[WordSide], Groups]:
        """The sides of a corpus with lemmas and tags as numbers, and the groups of each lemma."""
        lemmas: dict[str, int] = {}
        tags: dict[str, int] = {}
        made = []
        for sentences in sides:
            words = [word for sentence in sentences for word in sentence]
            lemma = [lemmas.setdefault(word.lemma, len(lemmas)) for word in words]
            tag = [tags.setdefault(word.tag, len(tags)) for word in words]
            function = np.array([word.function for word in words], np.int8)
            start = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
            made.append(
                WordSide(np.array(lemma, np.int32), np.array(tag, np.int32), function, start)
            )
        rows = [self.groups.get(lemma, []) for lemma in lemmas]
        group_start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        return made, (group_start, np.array([group for row in rows for group in row], np.int32))

    def shared(self, lemma: str, other: str) -> tuple[str, ...]:
        """The labels of the groups that hold both."""
        both = set(self.groups.get(lemma, ())) & set(self.groups.get(other, ()))
        return tuple(self.labels[group] for group in sorted(both))


@dataclass(frozen=True, slots=True)
class Features:
    """Precision, recall and F of each pair, order and similarity, and which of them count."""

    precision: F64
    recall: F64
    f: F64
    counts: Bools


class Matcher:
    """Matches bags of words by the options."""

    def __init__(self, options: TeslaMOptions) -> None:
        self.options = options
        self.names = options.similarities.split("+")
        # As it is written: 0.1 is a tenth. All weights are then whole multiples of 1 / q**n.
        self.discount = Fraction(repr(float(options.discount)))
        n = options.max_order
        if self.discount.denominator**n * 2 * n * MOST_WORDS >= _MOST:
            raise OptionError(
                f"discount is {options.discount!r}; it must have fewer decimals at orders up to {n}"
            )

    def matched(
        self, hyp: WordSide, ref: WordSide, groups: Groups, run: Run, name: Callable[[int], str]
    ) -> tuple[F64, Bools]:
        """(pairs, orders, 5), as the kernel `match_bags` gives it, and which pairs are proved.

        What is not proved is an error that calls the pair by its `name`, unless it is skipped.
        """
        n_orders, n_pairs = self.options.max_order, len(hyp.start) - 1
        p, q = self.discount.numerator, self.discount.denominator
        failed: dict[int, Exception] = {}
        matched = match_bags(
            *hyp.arrays, *ref.arrays, *groups, n_orders, p, q, MOST_WORDS, run.time_limit,
            run.skips, failed,
        )  # fmt: skip
        is_proved = np.ones(n_pairs, np.bool_)
        for s, error in failed.items():
            if not run.skips:
                raise unproved(name(s), error, run.time_limit)
            matched[s], is_proved[s] = 0.0, False
        if run.solver == "auto":
            return matched, is_proved
        whole = matched.copy()
        for s, pair in enumerate(zip(hyp.sentences(), ref.sentences(), strict=True)):
            if not is_proved[s]:
                continue
            try:
                self._whole(*pair, groups, whole[s], run, name(s))
            except SolverError:
                if not run.skips:
                    raise
                is_proved[s] = False
        if run.solver == "check":
            _compare(matched, whole, is_proved, name)
        return whole, is_proved

    def _whole(
        self, hyp: WordSide, ref: WordSide, groups: Groups, matched: F64, run: Run, what: str
    ) -> None:
        # Puts the whole programs' optima into `matched` (orders, 5) of one pair.
        for similarity in self.names:
            words = whole_bags.halves(similarity, hyp, ref, groups, what)
            for order in range(1, self.options.max_order + 1):
                bags = whole_bags.bags(words, hyp, ref, order, self.discount)
                total = whole_bags.greatest(bags, what, run.time_limit)
                unit = 2 * order * self.discount.denominator**order
                matched[order - 1, SIMILARITIES[similarity]] = total / unit

    def features(self, matched: F64) -> Features:
        """Precision, recall and F from what `matched` returns."""
        similarity = matched[:, :, [SIMILARITIES[name] for name in self.names]]
        hyp_weight, ref_weight = matched[:, :, 3:4], matched[:, :, 4:5]
        with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 where a bag is empty
            precision = np.where(hyp_weight > 0, similarity / hyp_weight, 0.0)
            recall = np.where(ref_weight > 0, similarity / ref_weight, 0.0)
            mixed = self.options.alpha * precision + (1 - self.options.alpha) * recall
            f = np.where(mixed > 0, precision * recall / mixed, 0.0)
        counts = np.broadcast_to((hyp_weight > 0) | (ref_weight > 0), f.shape)
        return Features(precision, recall, f, counts)

    def figures(self, matched: F64) -> F64:
        """Score, precision and recall of each pair: means over orders and similarities."""
        features = self.features(matched)
        counts = features.counts
        n = counts.sum(axis=(1, 2))[:, None]
        columns = [features.f, features.precision, features.recall]
        geometric = self.options.average == "geometric"
        with np.errstate(divide="ignore"):  # the logarithm of 0, and 0 again by exp
            columns = [np.log(x) for x in columns] if geometric else columns
        sums = np.stack([x.sum(axis=(1, 2), where=counts) for x in columns], axis=1)
        means = sums / np.maximum(n, 1)
        return np.where(n == 0, 1.0, np.exp(means) if geometric else means)  # 1: no words at all


def _compare(matched: F64, whole: F64, proved: Bools, name: Callable[[int], str]) -> None:
    # Both are quotients of the same whole numbers, but the kernel rounds very large ones first.
    wrong = (np.abs(matched - whole) > 2 * np.spacing(whole)) & proved[:, None, None]
    if wrong.any():
        s, order, column = np.argwhere(wrong)[0].tolist()
        raise SolverError(
            f"{name(s)}: at order {order + 1} the kernel matches {matched[s, order, column]!r} by"
            f" {list(SIMILARITIES)[column]}, the whole program {whole[s, order, column]!r};"
            " they must be equal"
        )


def explained(
    matcher: Matcher, synonyms: Synonyms, hyp: list[Word], ref: list[Word], time_limit: float
) -> tuple[tuple[Feature, ...], list[float]]:
    """The features that count, with their links; score, precision and recall.

    A match is between n-grams at their places in the sentences. The score itself is the kernel's.
    """
    (hyp_side, ref_side), groups = synonyms.numbered([[hyp], [ref]])
    sides = hyp_side, ref_side
    matched, _ = matcher.matched(*sides, groups, Run(time_limit=time_limit), lambda _: _PAIR)
    found = matcher.features(matched)
    features = []
    for _, order, k in np.argwhere(found.counts).tolist():
        name, n, at = matcher.names[k], order + 1, (0, order, k)
        words = whole_bags.halves(name, *sides, groups, _PAIR)
        of_order = whole_bags.bags(words, *sides, n, matcher.discount)
        hyp_weight, ref_weight = matched[0, order, 3:].tolist()
        pairs, flow = whole_bags.nearest(of_order, _PAIR, time_limit)
        links = [
            WordLink(
                (h, h + n), (r, r + n), float(of_order.similarity[h, r]) / (2 * n),
                weight / matcher.discount.denominator**n,
                tuple(_pair(name, synonyms, hyp, ref, h + i, r + i) for i in range(n)),
            )
            for (h, r), weight in zip(pairs.tolist(), flow.tolist(), strict=True)
        ]  # fmt: skip
        features.append(
            Feature(
                n, name, sum(link.similarity * link.weight for link in links),
                hyp_weight, ref_weight,
                float(found.precision[at]), float(found.recall[at]), float(found.f[at]),
                tuple(sorted(links, key=lambda link: (link.ref, link.hyp))),
            )
        )  # fmt: skip
    return tuple(features), matcher.figures(matched)[0].tolist()


def _pair(
    name: str, synonyms: Synonyms, hyp: list[Word], ref: list[Word], h: int, r: int
) -> WordPair:
    x, y = hyp[h], ref[r]
    if name == "pos" or x.lemma == y.lemma:
        return WordPair(h, r, "equal" if x.lemma == y.lemma else "tag", (), 1.0)
    shared = synonyms.shared(x.lemma, y.lemma)
    kind: WordKind = "synonym" if shared else "tag"
    return WordPair(h, r, kind, shared, (bool(shared) + (x.tag == y.tag)) / 2)
