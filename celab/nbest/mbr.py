"""Minimum Bayes risk: the candidates of a sentence → their order by expected utility.

Each candidate is scored against all as if they were references. With u the metric and p the
weights of the candidates, normalized to 1, the expected utility of candidate h is

    E(h) = Σ_r p(r) · u(h, r)

The sum includes h itself; with uniform weights, this changes no order if u(h, h) is the same for
all. Weights are uniform, or a softmax of the model's scores s,

    p(r) ∝ exp(scale · s(r))

A text that is k times in the list has the sum of k weights, and is scored once. A candidate without
tokens, or whose tokens all have weight 0, cannot be a reference; the weights of the others are then
normalized to 1. If no candidate can be a reference, all utilities are 0. If any utility that counts
is not proved (`on_error="skip"`), the sentence has no choice.

The choice has the greatest E, or for a metric such as TER the least. Utilities that agree to 12
decimals are equal; the earlier candidate then comes first.

>>> from celab.metrics.celab import TeslaCelab
>>> from celab.nbest.nbest import Candidate, Sentence
>>> texts = ["卖伞", "买伞", "买雨伞"]
>>> sentence = Sentence("example", 0, tuple(Candidate(t, i) for i, t in enumerate(texts, 1)))
>>> rerank(TeslaCelab(lexicon=None), sentence).best.text
'买雨伞'
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from celab.base.arguments import JsonObject, check_list, check_number
from celab.base.errors import InputError, OptionError, SentenceError
from celab.base.text.escapes import dump_json
from celab.base.text.sequences import texts_of
from celab.base.version import __version__
from celab.lexicon.catalog import LexiconSpec
from celab.metrics.base import Metric
from celab.metrics.factory import make_only_metric
from celab.nbest.nbest import SEPARATOR, Candidate, Sentence, abbreviate

WEIGHTS = ("uniform", "softmax")
_EQUAL_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Reranked:
    """A sentence, the expected utility of each candidate, and their indices, best first.

    Both lists are empty if no candidate can be chosen because a utility is not proved.
    """

    sentence: Sentence
    expected: list[float]
    order: list[int]

    @property
    def best(self) -> Candidate | None:
        """Chosen candidate, or None if none can be chosen."""
        return self.sentence.candidates[self.order[0]] if self.order else None

    @property
    def ordered(self) -> Iterator[tuple[Candidate, float]]:
        """Candidates with their expected utilities, best first."""
        return ((self.sentence.candidates[i], self.expected[i]) for i in self.order)


def mbr(
    candidates: Sequence[str],
    metric: str | Metric = "celab",
    *,
    model_scores: Sequence[float] | None = None,
    scale: float = 1.0,
    lang: str | None = None,
    lexicon: LexiconSpec = "default",
    **settings: object,
) -> Reranked:
    """Order the candidates of a sentence by expected utility (minimum Bayes risk).

    Parameters:
        candidates: translations of one sentence.
        metric: the utility: a name (celab, tesla-m, bleu, chrf, ter, ...; case-insensitive), or a
            metric.
        model_scores: log-probabilities of the candidates, whose softmax weights them (default: all
            have the same weight).
        scale: factor of the model scores before softmax.
        lang, lexicon: arguments of a metric that is given by name.
        settings: its other arguments, such as max_order.

    Returns a `Reranked`: `.best.text` is the choice, and `.ordered` yields all candidates with
    their expected utilities, best first.

    >>> import celab
    >>> celab.mbr(["卖伞", "买伞", "买雨伞"]).best.text
    '买雨伞'
    """
    utility = make_only_metric(metric, lang=lang, lexicon=lexicon, **settings)
    texts = texts_of(candidates, "candidate", "candidates")
    check_number("scale", scale)
    if model_scores is not None:
        check_list("model_scores", model_scores)
    scores = [None] * len(texts) if model_scores is None else list(model_scores)
    if not all(score is None or isinstance(score, Real) for score in scores):
        raise OptionError("model_scores", model_scores, "each must be a number")
    if len(scores) != len(texts):
        raise InputError(
            f"there are {len(scores)} model scores for {len(texts)} candidates; give one for each"
        )
    pairs = enumerate(zip(texts, scores, strict=True), 1)
    sentence = Sentence("candidates", 0, tuple(Candidate(t, i, s) for i, (t, s) in pairs))
    return rerank(utility, sentence, "uniform" if model_scores is None else "softmax", scale)


def rerank(
    metric: Metric, sentence: Sentence, weights: str = "uniform", scale: float = 1.0
) -> Reranked:
    """Order the candidates by expected utility; `scale` is for softmax only."""
    masses_by_text: dict[str, list[float]] = {}
    for candidate, mass in zip(sentence.candidates, masses(sentence, weights, scale), strict=True):
        masses_by_text.setdefault(candidate.text, []).append(mass)
    texts = list(masses_by_text)
    try:
        utilities = metric.pairwise(texts, texts)
    except SentenceError as error:
        text = texts[error.sentence - 1]
        line = next(c.line for c in sentence.candidates if c.text == text)
        raise InputError(f"{sentence.where}, line {line}: {error.what}") from None
    # The column of a text that cannot be a reference is NaN, so it must not have any mass.
    reference_masses = [
        math.fsum(parts) if metric.is_reference(text) else 0.0
        for text, parts in masses_by_text.items()
    ]
    means = expected(map(np.ndarray.tolist, utilities), reference_masses)
    by_text = dict(zip(texts, means, strict=True))
    expectations = [by_text[candidate.text] for candidate in sentence.candidates]
    if any(map(math.isnan, expectations)):
        return Reranked(sentence, [], [])
    sign = -1 if metric.higher_is_better else 1
    order = sorted(
        range(len(expectations)), key=lambda i: sign * round(expectations[i], _EQUAL_DECIMALS)
    )
    return Reranked(sentence, expectations, order)


def expected(utilities: Iterable[Sequence[float]], mass: Sequence[float]) -> list[float]:
    """Return the mean of each row, weighted by the mass of the columns.

    Columns without mass are ignored, whatever they hold.

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
    """Return the weight of each candidate, scaled so that the greatest is 1."""
    if weights not in WEIGHTS:
        raise OptionError("weights", weights, f"choose from {', '.join(WEIGHTS)}")
    if weights == "uniform":
        return [1.0] * len(sentence.candidates)
    if not 0 < scale <= sys.float_info.max:
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


# Reranked candidates → output: a line, lines in Moses format, or JSON.
#
# ```
# {"celab_version": …, "signature": …, "weights": …, "scale": …,
#  "sentences": [{"id": …, "best": …,
#                 "candidates": [{"text": …, "expected": …, "line": …}, …]}, …]}
# ```
#
# `candidates` are in their new order, and `line` is the line of each in the file; `scale` is
# present for softmax only. A sentence without a choice is an empty line, no line in Moses' format,
# and in JSON has `best` null and no candidates.


def best(reranked: Reranked) -> str:
    """Return the chosen translation, as a line."""
    return f"{_one_line(reranked, reranked.best) if reranked.best else ''}\n"


def moses(reranked: Reranked) -> str:
    """Return all candidates, best first, with the expected utility after their own fields.

    Features and total score are written empty if there are none, so that the utility is the fifth
    field at the earliest, and always the last.
    """
    lines = []
    for candidate, expected in reranked.ordered:
        text = _one_line(reranked, candidate)
        for part in (text, str(reranked.sentence.id)):
            if SEPARATOR in part or "\n" in part:
                raise InputError(
                    f"{reranked.sentence.where}, line {candidate.line}: {abbreviate(part)} cannot"
                    " be written in Moses format; use --json"
                )
        rest = candidate.rest
        if not rest and candidate.score is not None and math.isfinite(candidate.score):
            rest = "", repr(candidate.score)
        rest += ("",) * (2 - len(rest))
        fields = str(reranked.sentence.id), text, *rest, f"{expected:.6f}"
        lines.append(f" {SEPARATOR} ".join(fields) + "\n")
    return "".join(lines)


def record(reranked: Reranked) -> JsonObject:
    """Return a sentence as a JSON object."""
    return {
        "id": reranked.sentence.id,
        "best": reranked.best.text if reranked.best else None,
        "candidates": [
            {"text": candidate.text, "expected": expected, "line": candidate.line}
            for candidate, expected in reranked.ordered
        ],
    }


def as_json(
    records: Sequence[JsonObject], signature: str, weights: str, scale: float | None
) -> str:
    """Return the report as one line of JSON, with every digit."""
    report = {"celab_version": __version__, "signature": signature, "weights": weights}
    scale_field = {"scale": scale} if weights == "softmax" else {}
    return dump_json({**report, **scale_field, "sentences": records})


def _one_line(reranked: Reranked, candidate: Candidate) -> str:
    if "\n" in candidate.text:
        raise InputError(
            f"{reranked.sentence.where}, line {candidate.line}: the translation"
            f" {abbreviate(candidate.text)} contains a line break; use --json"
        )
    return candidate.text
