"""Minimum error rate training (Och 2003): features and statistics of candidates → weights.

For weights w, each sentence chooses the candidate with the greatest w · x, the earliest if several
are equal. The score follows from the statistics of the chosen candidates, summed over sentences s,

    score(w) = aggregate(Σ_s statistics of the choice of s, number of sentences)

which is any metric that bootstrap resampling can compute: means of sentence scores, and BLEU.

On a line w + t · d, the product of each candidate is a line in t, too. A sentence's choices are the
upper envelope of its lines, so the score changes only where two lines of an envelope cross. The
line search visits all crossings of all sentences in order and keeps running sums, so the best
interval of t is exact. The result is its middle, or, if it is open at one end, the point at
distance 1 from the other end. Of intervals with the same score, the nearest to t = 0 is taken.
Scores are equal if they agree to 10 decimals. Intervals narrower than 1e-9 are left out.

The search goes along all axes and as many random directions, until a whole round gains less than
1e-5 of the scale, from each of several starts: first the initial weights, then random ones.

Features are divided by their mean range within sentences first, so that their units do not matter.
A feature that never differs within a sentence has weight 0. Arrays have a row per sentence; a row
with fewer candidates repeats its first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from celab._native.envelopes import envelopes
from celab.base.arrays import F64, I64
from celab.statistics.resampling import Aggregate

MAX_ROUNDS = 100
_EQUAL_DECIMALS = 10
_MIN_INTERVAL = 1e-9
_MIN_GAIN = 1e-5
_MIN_RANGE = 1e-100


@dataclass(frozen=True, slots=True)
class Start:
    """Result of a search from one start: its weights, and the score before and after each round."""

    weights: F64
    history: list[float]


@dataclass(frozen=True, slots=True)
class Lists:
    """N-best lists as arrays.

    `features` are features × sentences × candidates, `statistics` sentences × candidates × k.
    """

    features: F64
    statistics: F64
    aggregate: Aggregate
    sign: int = 1  # -1 if lower scores are better

    @property
    def ranges(self) -> F64:
        """The mean range of each feature within a sentence."""
        return np.asarray(np.ptp(self.features, axis=2).mean(axis=1))

    def products(self, weights: F64) -> F64:
        """Return w · x of each candidate, summed in one order, so that equal candidates tie."""
        total = np.zeros(self.features.shape[1:])
        for k in np.flatnonzero(weights):
            total += weights[k] * self.features[k]
        return total

    def score(self, chosen: I64) -> float:
        """Return the score of a choice."""
        sums = self.statistics[np.arange(len(chosen)), chosen].sum(axis=0)
        return float(self.aggregate(sums, len(chosen)))

    def line_search(self, products: F64, slopes: F64) -> float:
        """Return the best t for products + t · slopes."""
        first, *changes = envelopes(products, slopes)
        order = np.argsort(changes[1], kind="stable")  # the changes of a sentence stay in order
        at, times, left, taken = (column[order] for column in changes)
        n = len(first)
        gains = self.statistics[at, taken] - self.statistics[at, left]
        sums = np.concatenate(
            (self.statistics[np.arange(n), first].sum(axis=0, keepdims=True), gains)
        ).cumsum(axis=0)
        ends = np.concatenate(([-np.inf], times, [np.inf]))
        wide = np.diff(ends) > _MIN_INTERVAL
        low, high = ends[:-1][wide], ends[1:][wide]
        scores = np.round(self.sign * self.aggregate(sums[wide], n), _EQUAL_DECIMALS)
        best = np.flatnonzero(scores == scores.max())
        nearest = best[np.maximum(0.0, np.maximum(low, -high))[best].argmin()]
        return _middle(float(low[nearest]), float(high[nearest]))


def _middle(low: float, high: float) -> float:
    if low == -np.inf:
        return 0.0 if high == np.inf else high - 1
    return low + 1 if high == np.inf else (low + high) / 2


def search(
    lists: Lists,
    initial: Sequence[F64],
    n_restarts: int,
    seed: int,
    scale: float = 1.0,
) -> list[Start]:
    """Return the results of all starts: first from the `initial` weights, then from random ones.

    `scale` is the score of a perfect translation. Weights are for the features as they are.
    """
    varies = lists.ranges > _MIN_RANGE
    unit = lists.ranges[varies]
    relative = lists.features[varies] - lists.features[varies, :, :1]
    scaled = replace(lists, features=relative / unit[:, None, None])
    starts = []
    seeds = np.random.SeedSequence(seed).spawn(len(initial) + n_restarts)
    for number, child in enumerate(seeds):
        random = np.random.default_rng(child)
        is_initial = number < len(initial)
        start = initial[number][varies] * unit if is_initial else random.normal(size=len(unit))
        weights = np.zeros(len(varies))
        weights[varies], history = _climb(scaled, start, random, _MIN_GAIN * scale)
        weights[varies] /= unit
        starts.append(Start(_normalized(weights), history))
    return starts


def _climb(
    lists: Lists, weights: F64, random: np.random.Generator, gain: float
) -> tuple[F64, list[float]]:
    history: list[float] = []
    axes = np.eye(len(weights))
    while True:
        weights = _normalized(weights)
        products = lists.products(weights)
        score = lists.score(products.argmax(axis=1))
        history.append(score)
        is_over = len(history) > 1 and lists.sign * (score - history[-2]) <= gain
        if is_over or len(history) > MAX_ROUNDS:
            return weights, history
        for direction in np.concatenate((axes, random.normal(size=axes.shape))):
            slopes = lists.products(direction)
            t = lists.line_search(products, slopes)
            there = products + t * slopes
            score_there = lists.score(there.argmax(axis=1))
            # Rounding may make another choice than the line search where lines are close.
            if (weights + t * direction).any() and lists.sign * (
                score_there - score
            ) > -_MIN_INTERVAL:
                weights, products, score = weights + t * direction, there, score_there


def _normalized(weights: F64) -> F64:
    total = np.abs(weights).sum()
    return weights / total if total else weights
