"""Minimum Bayes risk: the candidates of a sentence → their order by expected utility.

Each candidate is scored against all as if they were references. With u the metric and p the
weights of the candidates, normalised to 1, the expected utility of candidate h is

    E(h) = Σ_r p(r) · u(h, r)

The sum includes h itself. (With equal weights it might as well not: where u(h, h) is the same for
all, this adds the same to all.) Weights are uniform, or a softmax of the model's scores s,

    p(r) ∝ exp(scale · s(r))

A text that is k times in the list has k weights, and is scored once. A candidate without tokens,
or whose tokens all have weight 0, is no reference, and the weights of the others are those
normalised. If none can serve as a reference, all utilities are 0. If any utility that counts is not
proved (`on_error="skip"`), the sentence has no choice.

The choice is the best E: the greatest, or for a metric such as TER the least. Those that agree to
12 decimals are equal, and of equals the earlier comes first.

>>> from celab.metrics.celab import TeslaCelab
>>> from celab.family.reranking.nbest import Candidate, Sentence
>>> texts = ["卖伞", "买伞", "买雨伞"]
>>> sentence = Sentence("example", 0, tuple(Candidate(t, i) for i, t in enumerate(texts, 1)))
>>> rerank(TeslaCelab(lexicon=None), sentence).best.text
'买雨伞'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from celab.analysis.model import SentenceError
from celab.base.errors import InputError, OptionError
from celab.family.reranking.nbest import Candidate, Sentence

if TYPE_CHECKING:
    from celab.metrics.base import Metric

WEIGHTS = ("uniform", "softmax")
_EQUAL = 12  # decimals


@dataclass(frozen=True, slots=True)
class Reranked:
    """A sentence, the expected utility of each candidate, and their places from the best on.

    Both lists are empty if there is no choice, because a utility is not proved.
    """

    sentence: Sentence
    expected: list[float]
    order: list[int]

    @property
    def best(self) -> Candidate | None:
        """The candidate that is chosen, or None if none can be."""
        return self.sentence.candidates[self.order[0]] if self.order else None

    @property
    def ordered(self) -> Iterator[tuple[Candidate, float]]:
        """The candidates with their expected utilities, from the best on."""
        return ((self.sentence.candidates[i], self.expected[i]) for i in self.order)


def rerank(
    metric: Metric, sentence: Sentence, weights: str = "uniform", scale: float = 1.0
) -> Reranked:
    """The candidates by expected utility; `scale` counts for softmax only."""
    each: dict[str, list[float]] = {}  # the weights of each distinct text
    for candidate, mass in zip(sentence.candidates, masses(sentence, weights, scale), strict=True):
        each.setdefault(candidate.text, []).append(mass)
    texts = list(each)
    try:
        utilities = metric.pairwise(texts, texts)
    except SentenceError as error:
        wrong = texts[error.sentence - 1]
        line = next(c.line for c in sentence.candidates if c.text == wrong)
        raise InputError(f"{sentence.where}, line {line}: {error.what}") from None
    # The column of a text that is no reference is NaN whatever was proved.
    mass_of = [math.fsum(mass) if metric.is_reference(text) else 0.0 for text, mass in each.items()]
    of_text = dict(zip(texts, expected(map(np.ndarray.tolist, utilities), mass_of), strict=True))
    of_candidate = [of_text[candidate.text] for candidate in sentence.candidates]
    if any(map(math.isnan, of_candidate)):
        return Reranked(sentence, [], [])
    sign = -1 if metric.higher_is_better else 1
    order = sorted(range(len(of_candidate)), key=lambda i: sign * round(of_candidate[i], _EQUAL))
    return Reranked(sentence, of_candidate, order)


def expected(utilities: Iterable[Sequence[float]], mass: Sequence[float]) -> list[float]:
    """The mean of each row by the mass of the columns, of those that have any.

    >>> expected([[1.0, 0.5, math.nan], [0.0, 1.0, math.nan]], [3, 1, 0])
    [0.875, 0.25]
    """
    kept = [j for j, weight in enumerate(mass) if weight]
    if not kept:
        return [0.0 for _ in utilities]
    total = math.fsum(mass[j] for j in kept)
    # fsum rounds once, so that the order of the candidates cannot make or break a tie.
    return [math.fsum(mass[j] * row[j] for j in kept) / total for row in utilities]


def masses(sentence: Sentence, weights: str, scale: float = 1.0) -> list[float]:
    """The weight of each candidate up to a factor, the greatest being 1."""
    if weights not in WEIGHTS:
        raise OptionError("weights", weights, f"it must be one of: {', '.join(WEIGHTS)}")
    if weights == "uniform":
        return [1.0] * len(sentence.candidates)
    if not 0 < scale < math.inf:
        raise OptionError("scale", scale, "it must be a number above 0")
    scores = []
    for candidate in sentence.candidates:
        if candidate.score is None:
            raise InputError(
                f"{sentence.where}, line {candidate.line}: no model score; softmax weights need"
                " one for each candidate"
            )
        scores.append(candidate.score)
    greatest = max(scores)
    if greatest == -math.inf:
        raise InputError(
            f"{sentence.where}, line {sentence.candidates[0].line}: all candidates of sentence"
            f" {sentence.id} have weight 0; at least one must have more"
        )
    return [math.exp(scale * (score - greatest)) for score in scores]
