"""Explain TESLA-M: one pair in, a `WordExplanation` out: what was matched, order by order.

A match is between n-grams at their places in the sentences. There are many optimal solutions; shown
is one that prefers like places (`whole_bags.nearest`). The score itself is the kernel's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from celab._native.bags import match_bags
from celab.errors import InputError, SolverError
from celab.explanation import Feature, WordExplanation, WordLink, WordOf, WordPair
from celab.metrics import whole_bags
from celab.metrics.word_numbers import Numbers
from celab.tokens import is_blank

if TYPE_CHECKING:
    from celab.analysis.model import Word
    from celab.explanation import WordKind
    from celab.metrics.tesla_m import TeslaM
    from celab.metrics.word_numbers import Synonyms

_PAIR = "the explained pair"


def explain(metric: TeslaM, hyp: str, ref: str) -> WordExplanation:
    """The explanation of one pair of sentences."""
    if is_blank(ref):
        raise InputError("the reference is empty; it must hold more than white space")
    hyp_words, ref_words = metric.words([hyp, ref])
    numbers = Numbers()
    sides = numbers.side([hyp_words]), numbers.side([ref_words])
    groups = metric.synonyms.rows(numbers.lemmas)
    fraction, max_order = metric.discount, metric.options.max_order
    try:
        matched = match_bags(*sides[0].arrays, *sides[1].arrays, *groups, max_order,
                             fraction.numerator, fraction.denominator)  # fmt: skip
    except ArithmeticError as error:
        raise SolverError(f"{_PAIR}: {error}") from None
    precision, recall, f, counts = metric.features(matched)
    pair = sides[0].sentence(0), sides[1].sentence(0)
    start, group = (array.tolist() for array in groups)
    features = []
    for order in range(1, max_order + 1):
        hyp_weight, ref_weight = (whole_bags.weights(side, order, fraction) for side in pair)
        unit = fraction.denominator**order
        for k, name in enumerate(metric.similarities):
            if not counts[0, order - 1, k]:
                continue
            words = whole_bags.halves(
                name, *pair, lambda lemma: set(group[start[lemma] : start[lemma + 1]])
            )
            similarity = whole_bags.ngram_halves(words, order)
            pairs, flow = whole_bags.nearest(
                similarity, hyp_weight, ref_weight, _PAIR, metric.options.time_limit
            )
            links = [
                WordLink(
                    (h, h + order),
                    (r, r + order),
                    float(similarity[h, r]) / (2 * order),
                    weight / unit,
                    tuple(
                        _pair(name, metric.synonyms, hyp_words, ref_words, h + i, r + i)
                        for i in range(order)
                    ),
                )
                for (h, r), weight in zip(pairs.tolist(), flow.tolist(), strict=True)
            ]
            total = sum(link.similarity * link.weight for link in links)
            features.append(
                Feature(
                    order, name, total,
                    float(matched[0, order - 1, 3]), float(matched[0, order - 1, 4]),
                    float(precision[0, order - 1, k]), float(recall[0, order - 1, k]),
                    float(f[0, order - 1, k]),
                    tuple(sorted(links, key=lambda link: (link.ref, link.hyp))),
                )
            )  # fmt: skip
    score, mean_precision, mean_recall = metric.statistics(matched)[0].tolist()
    if is_blank(hyp):
        score = mean_precision = mean_recall = 0.0
    return WordExplanation(
        tuple(map(_word, hyp_words)), tuple(map(_word, ref_words)),
        score, mean_precision, mean_recall, tuple(features), metric.signature,
    )  # fmt: skip


def _word(word: Word) -> WordOf:
    return WordOf(word.form, word.lemma, word.tag, word.function)


def _pair(
    name: str, synonyms: Synonyms, hyp: list[Word], ref: list[Word], h: int, r: int
) -> WordPair:
    x, y = hyp[h], ref[r]
    if name == "pos":
        return WordPair(h, r, "equal" if x.lemma == y.lemma else "tag", (), 1.0)
    if x.lemma == y.lemma:
        return WordPair(h, r, "equal", (), 1.0)
    shared = synonyms.shared(x.lemma, y.lemma)
    kind: WordKind = "synonym" if shared else "tag"
    return WordPair(h, r, kind, shared, (bool(shared) + (x.tag == y.tag)) / 2)
