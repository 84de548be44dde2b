"""Correlation of two lists of scores: pairs of lists in, one number each out.

With x and y of length n, and over pairs i < j:

- Pearson: Σ (x_i − x̄)(y_i − ȳ) / √(Σ (x_i − x̄)² · Σ (y_i − ȳ)²);
- Spearman: Pearson's of the ranks, where equal scores share the mean of their ranks;
- Kendall's τ-b, see `PairCounts.tau_b`;
- pairwise accuracy (Kocmi et al. 2021): the share of pairs of systems, human ties excluded, that
  the metric puts in the same order. A tie of the metric counts as wrong.

The last axis holds a list and the axes before it are kept, so resamples can be handed over as rows.
Without a spread there is no correlation: a constant list, fewer than two scores, a NaN among them,
or nothing but human ties, gives NaN. Lists are those of systems, so none is very long.

Lists of translations are long. The functions `flat_…` correlate them on every resample of their
segments, one number for each row of weights. A resample that has a segment w times has its
translations w times, but nothing is copied; with the weight w_i of a translation, that of its
segment,

- Pearson's r follows from the weighted sums of x, y, x², y² and xy;
- Spearman's ρ is the same of weighted ranks: those of x are Σ_{x_j < x_i} w_j plus half of
  1 + Σ_{x_j = x_i} w_j, the mean of the ranks that the copies of equal scores would share;
- Kendall's τ-b is a quotient of quadratic forms. With A_ij and B_ij the signs of x_i − x_j and
  y_i − y_j, it is w'(A∘B)w / √(w'(A∘A)w · w'(B∘B)w). Copies of one translation tie, as they should,
  since A_ii is 0. Weights are of segments, so the matrices are first summed to segments × segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from celab.base.arrays import F64, I8, I32, I64, Bools
from celab.base.run import batches
from celab.statistics.resampling import quotient

# Counts of pairs of systems by how two sides order them.
#
# Of every two systems, if both sides scored both, by whether people and the metric (or another
# judge) tell the two apart:
#
#     C  both do, in the same order        T  people do, the metric ties
#     D  both do, in opposite orders       H  the metric does, people tie
#
# - Consistency is C / (C + D + T). The TESLA papers define it as the share of judged pairs that are
#   predicted correctly, and leave out pairs that people tie (2010, section 5.1). The TESLA-CELAB
#   paper (2012, section 4.3.1) excludes ties and does not say whose; as in 2010 we take them to be
#   people's. A pair that the metric ties is not predicted, hence not correct.
# - With metric ties counted half right, consistency is (C + T / 2) / (C + D + T).
# - WMT14's τ (Macháček and Bojar 2014) is (C − D) / (C + D + T).
# - Kendall's τ-b (1945) is (C − D) / √((C + D + T)(C + D + H)).
# - κ between judges is (P(A) − P(E)) / (1 − P(E)), with P(A) = C / (C + D) over all pairs of
#   judges. It is the TESLA-CELAB paper's (2012, sections 4.1 and 4.2): what either judge ties is
#   left out, so that a verdict is one of two and P(E) = 1/2.
#
# All are functions of counts per segment, so a bootstrap over segments is a weighted sum.

# Scores no further apart are a tie, of segments and of systems: a mean of three judgments, or a
# linear program's value, may differ from its equal in the last digits.
SAME = 1e-9


class PairCounts(NamedTuple):
    """C, D, T and H of each segment."""

    concordant: I64
    discordant: I64
    metric_ties: I64
    human_ties: I64

    @property
    def human_ranked(self) -> I64:
        """The number of pairs of each segment without a human tie."""
        return self.concordant + self.discordant + self.metric_ties

    @property
    def tau_b(self) -> F64:
        """Kendall's τ-b of each segment, NaN where a side ties all pairs."""
        both = self.concordant + self.discordant
        scale = np.sqrt(both + self.metric_ties) * np.sqrt(both + self.human_ties)
        return np.clip(quotient(self.concordant - self.discordant, scale), -1.0, 1.0)


def pair_counts(human: ArrayLike, metric: ArrayLike) -> PairCounts:
    """Count pairs by scores, systems × segments; NaN where there is none.

    >>> counts = pair_counts([[90, 70, 50], [80, 70, 60]], [[0.6, 0.5, 0.7], [0.5, 0.4, 0.6]])
    >>> [column.tolist() for column in counts]
    [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]]
    """
    people, scores = np.asarray(human, np.float64), np.asarray(metric, np.float64)
    counts = np.zeros((4, *people.shape[1:]), dtype=np.int64)
    for i in range(len(people) - 1):  # one system at a time, so that memory stays bounded
        theirs = sign(people[i] - people[i + 1 :])
        ours = sign(scores[i] - scores[i + 1 :])
        product = theirs * ours
        counts[0] += (product > 0).sum(axis=0)
        counts[1] += (product < 0).sum(axis=0)
        counts[2] += ((ours == 0) & (np.abs(theirs) == 1)).sum(axis=0)
        counts[3] += ((theirs == 0) & (np.abs(ours) == 1)).sum(axis=0)
    return PairCounts(*counts)


def preference_counts(preferences: I64, metric: F64) -> PairCounts:
    """Count judgments, which are rows of segment, preferred system and other system.

    `metric` is systems × segments.

    >>> counts = preference_counts(np.array([[0, 1, 0], [0, 0, 1]]), np.array([[0.5], [0.7]]))
    >>> [column.tolist() for column in counts]
    [[1], [1], [0], [0]]
    """
    segment, better, worse = preferences.T
    order = sign(metric[better, segment] - metric[worse, segment])
    n = metric.shape[1]
    right, wrong, tied = (np.bincount(segment[order == k], minlength=n) for k in (1, -1, 0))
    return PairCounts(right, wrong, tied, np.zeros(n, dtype=np.int64))


def sign(difference: F64) -> F64:
    """Return 1, −1, or 0 for a tie; NaN stays NaN."""
    return np.where(np.abs(difference) <= SAME, 0.0, np.sign(difference))


CHANCE = 1 / 2  # P(E)


class Kappa(NamedTuple):
    """Agreement between judges, over cases of two judges and two systems on a segment."""

    n_agreed: int
    n_cases: int

    @property
    def observed(self) -> float:
        """The share of cases in which the two judges agree."""
        return self.n_agreed / self.n_cases

    @property
    def kappa(self) -> float:
        """Agreement beyond chance."""
        return (self.observed - CHANCE) / (1 - CHANCE)


def ranking_kappa(judges: Sequence[ArrayLike]) -> Kappa | None:
    """Return κ over all pairs of judges, each systems × segments; None if there is no case.

    >>> kappa = ranking_kappa([[[3, 3, 1], [1, 2, 2]], [[5, 2, 1], [4, 3, 3]]])
    >>> round(kappa.observed, 4), kappa.n_cases, round(kappa.kappa, 4)
    (0.6667, 3, 0.3333)
    """
    counts = [pair_counts(a, b) for a, b in combinations(judges, 2)]
    n_agreed = sum(int(count.concordant.sum()) for count in counts)
    n_cases = n_agreed + sum(int(count.discordant.sum()) for count in counts)
    return Kappa(n_agreed, n_cases) if n_cases else None


MAX_BLOCK_NUMBERS = 2**21
# Share of the expected variance; a smaller variance comes from rounding.
MIN_VARIANCE_SHARE = 1e-12


def pearson(x: ArrayLike, y: ArrayLike) -> F64:
    """Return Pearson's r along the last axis.

    >>> float(pearson([1, 2, 3], [2, 4, 6]))
    1.0
    """
    a, b = (_centered(side) for side in _lists(x, y))
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return np.clip(quotient((a * b).sum(axis=-1), scale), -1.0, 1.0)


def spearman(x: ArrayLike, y: ArrayLike) -> F64:
    """Return Spearman's ρ along the last axis.

    >>> round(float(spearman([1, 2, 3, 4], [1, 10, 100, 50])), 4)
    0.8
    """
    a, b = _lists(x, y)
    return pearson(ranks(a), ranks(b))


def kendall(x: ArrayLike, y: ArrayLike) -> F64:
    """Return Kendall's τ-b along the last axis.

    >>> round(float(kendall([1, 2, 3, 4], [1, 3, 2, 4])), 4)
    0.6667
    """
    counts, known = _counts(x, y)
    return np.where(known, counts.tau_b, np.nan)


def pairwise_accuracy(metric: ArrayLike, human: ArrayLike) -> F64:
    """Return the share of pairs ordered as by people, along the last axis.

    >>> float(pairwise_accuracy([0.3, 0.2, 0.2], [70, 60, 50]))
    0.6666666666666666
    """
    counts, known = _counts(human, metric)
    return np.where(known, quotient(counts.concordant, counts.human_ranked), np.nan)


def ranks(x: ArrayLike) -> F64:
    """Return ranks from 1, the least, along the last axis; equal scores share the mean of theirs.

    >>> ranks([10, 30, 10, 20]).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    values = np.asarray(x, dtype=np.float64)
    result = np.where(np.isnan(values), np.nan, 0.0)
    for i in range(values.shape[-1]):
        value = values[..., i : i + 1]
        result += (values > value) + (values == value) / 2
    return result + 0.5


def flat_pearson(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """Return Pearson's r for each row of `weights`, which are resamples × segments.

    `segment[i]` is the column of `weights` that holds w_i.
    """
    a, b = _centered(x), _centered(y)
    by_segment = [np.bincount(segment, power, weights.shape[1]) for power in _powers(a, b)]
    return pearson_from_moments(
        weights @ np.stack(by_segment, axis=1), (a * a).mean(), (b * b).mean()
    )


def flat_spearman(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """Return Spearman's ρ for each row of `weights`; the arguments are those of `flat_pearson`."""
    result = np.empty(len(weights))
    for rows in batches(len(weights), max(1, MAX_BLOCK_NUMBERS // len(x))):
        w = weights[rows, segment]
        n = w.sum(axis=1, keepdims=True)
        a, b = (_weighted_ranks(side, w) - (n + 1) / 2 for side in (x, y))
        sums = np.stack([(w * power).sum(axis=1) for power in _powers(a, b)], axis=1)
        # 1.0: the variance of ranks is far larger.
        result[rows] = pearson_from_moments(sums, 1.0, 1.0)
    return result


def flat_kendall(x: F64, y: F64, segment: I64, weights: F64) -> F64:
    """Return Kendall's τ-b for each row of `weights`, by sums over all pairs."""
    order = np.argsort(segment, kind="stable")
    present, starts = np.unique(segment[order], return_index=True)
    drawn = weights[:, present]
    sides = [_levels(side[order]) for side in (x, y)]
    ends = np.append(starts[1:], len(order))
    sums = np.zeros((3, len(weights)))
    for segments in batches(
        len(present), max(1, MAX_BLOCK_NUMBERS // len(order) * len(present) // len(order))
    ):
        rows = slice(starts[segments][0], ends[segments][-1])
        a, b = (_signs(side[rows, None], side) for side in sides)
        for total, signs in zip(sums, (a * b, a * a, b * b), strict=True):
            by_row = np.add.reduceat(signs, starts, axis=1, dtype=np.int32)
            by_segment = np.add.reduceat(by_row, starts[segments] - rows.start, axis=0)
            total += (drawn[:, segments] * (drawn @ by_segment.T.astype(np.float64))).sum(axis=1)
    surplus, apart_x, apart_y = sums
    return np.clip(quotient(surplus, np.sqrt(apart_x) * np.sqrt(apart_y)), -1.0, 1.0)


def _levels(x: F64) -> I32 | F64:
    """Return integer levels with the same order and ties as the scores, for faster comparison.

    If ties are not transitive, the scores themselves are returned.
    """
    ordered = np.sort(x)
    levels = np.append(0, np.cumsum(np.diff(ordered) > SAME)).astype(np.int32)
    least = ordered[np.searchsorted(levels, levels)]
    is_whole = bool((ordered - least <= SAME).all())
    return levels[np.searchsorted(ordered, x)] if is_whole else x


def _signs(a: I32 | F64, b: I32 | F64) -> I8:
    """Return 1 where the score or level of the first is greater, −1 where less, 0 for a tie."""
    if a.dtype == np.int32:
        return (a > b).view(np.int8) - (a < b).view(np.int8)
    return sign(np.asarray(a - b, np.float64)).astype(np.int8)


def _lists(x: ArrayLike, y: ArrayLike) -> list[F64]:
    return list(np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64)))


def _counts(x: ArrayLike, y: ArrayLike) -> tuple[PairCounts, Bools]:
    """Return how both order pairs, and which lists have no NaN."""
    a, b = _lists(x, y)
    known = np.asarray(~np.isnan(a + b).any(axis=-1))
    return pair_counts(np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)), known


def _centered(x: F64) -> F64:
    """Return deviations from the mean, scaled so that their squares neither overflow nor vanish.

    All 0 for a constant list; one that holds NaN stays NaN.
    """
    if not x.shape[-1]:
        return x
    deviations = x - x.mean(axis=-1, keepdims=True)
    greatest = np.abs(deviations).max(axis=-1, keepdims=True)
    varies = x.max(axis=-1, keepdims=True) > x.min(axis=-1, keepdims=True)
    return np.asarray(np.divide(deviations, greatest, out=0 * deviations, where=varies))


def _weighted_ranks(x: F64, weights: F64) -> F64:
    """Return weighted ranks, in the order of the list, for each row of weights."""
    _, starts, group = np.unique(np.sort(x), return_index=True, return_inverse=True)
    order = np.argsort(x, kind="stable")
    each = np.add.reduceat(weights[:, order], starts, axis=1)
    result = np.empty_like(weights)
    result[:, order] = (np.cumsum(each, axis=1) - each / 2 + 0.5)[:, group]
    return result


def _powers(a: F64, b: F64) -> tuple[F64, ...]:
    return np.ones_like(a), a, b, a * a, b * b, a * b


def pearson_from_moments(sums: F64, expected_a: float, expected_b: float) -> F64:
    """Return Pearson's r, given weighted sums of the powers.

    A variance far below the expected one is rounding, and counts as 0.
    """
    n, a, b, aa, bb, ab = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_a, variance_b = aa / n - (a / n) ** 2, bb / n - (b / n) ** 2
        result = (ab / n - a * b / n**2) / np.sqrt(variance_a * variance_b)
    spread = (variance_a > MIN_VARIANCE_SHARE * expected_a) & (
        variance_b > MIN_VARIANCE_SHARE * expected_b
    )
    return np.where(spread, np.clip(result, -1.0, 1.0), np.nan)
