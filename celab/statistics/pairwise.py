"""How two sides order pairs of systems: scores in, counts of pairs out.

Of every two systems, if both sides scored both, by whether people and the metric (or another
judge) tell the two apart:

    C  both do, in the same order        T  people do, the metric ties
    D  both do, in opposite orders       H  the metric does, people tie

- Consistency is C / (C + D + T). The TESLA papers define it as the share of judged pairs that are
  predicted correctly, and leave out pairs that people tie (2010, section 5.1). The TESLA-CELAB
  paper (2012, section 4.3.1) excludes ties and does not say whose; as in 2010 we take them to be
  people's. A pair that the metric ties is not predicted, hence not correct.
- With metric ties counted half right, consistency is (C + T / 2) / (C + D + T).
- WMT14's τ (Macháček and Bojar 2014) is (C − D) / (C + D + T).
- Kendall's τ-b (1945) is (C − D) / √((C + D + T)(C + D + H)).
- κ between judges is (P(A) − P(E)) / (1 − P(E)), with P(A) = C / (C + D) over all pairs of judges.
  It is the TESLA-CELAB paper's (2012, sections 4.1 and 4.2): what either judge ties is left out, so
  that a verdict is one of two and P(E) = 1/2.

All are functions of counts per segment, so a bootstrap over segments is a weighted sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from celab.base.arrays import F64, I64
from celab.statistics.resampling import quotient

# Scores no further apart are a tie: a mean of three judgments, or a linear program's value, may
# differ from its equal in the last digits.
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


def pair_counts(human: ArrayLike, metric: ArrayLike, tolerance: float = SAME) -> PairCounts:
    """Count pairs by scores, systems × segments; NaN where there is none.

    >>> counts = pair_counts([[90, 70, 50], [80, 70, 60]], [[0.6, 0.5, 0.7], [0.5, 0.4, 0.6]])
    >>> [column.tolist() for column in counts]
    [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]]
    """
    people, scores = np.asarray(human, np.float64), np.asarray(metric, np.float64)
    counts = np.zeros((4, *people.shape[1:]), dtype=np.int64)
    for i in range(len(people) - 1):  # one system at a time, so that memory stays bounded
        theirs = sign(people[i] - people[i + 1 :], tolerance)
        ours = sign(scores[i] - scores[i + 1 :], tolerance)
        product = theirs * ours
        counts[0] += (product > 0).sum(axis=0)
        counts[1] += (product < 0).sum(axis=0)
        counts[2] += ((ours == 0) & (np.abs(theirs) == 1)).sum(axis=0)
        counts[3] += ((theirs == 0) & (np.abs(ours) == 1)).sum(axis=0)
    return PairCounts(*counts)


def preference_counts(preferences: I64, metric: F64) -> PairCounts:
    """Count rows of segment, better and worse system; `metric` is systems × segments.

    >>> counts = preference_counts(np.array([[0, 1, 0], [0, 0, 1]]), np.array([[0.5], [0.7]]))
    >>> [column.tolist() for column in counts]
    [[1], [1], [0], [0]]
    """
    segment, better, worse = preferences.T
    order = sign(metric[better, segment] - metric[worse, segment])
    n = metric.shape[1]
    right, wrong, tied = (np.bincount(segment[order == k], minlength=n) for k in (1, -1, 0))
    return PairCounts(right, wrong, tied, np.zeros(n, dtype=np.int64))


def sign(difference: F64, tolerance: float = SAME) -> F64:
    """Return 1, −1, or 0 within the tolerance; NaN stays NaN."""
    return np.where(np.abs(difference) <= tolerance, 0.0, np.sign(difference))


CHANCE = 1 / 2  # P(E)


class Kappa(NamedTuple):
    """Agreement between judges, over cases of two judges and two systems on a segment."""

    n_agreed: int
    n_cases: int

    @property
    def observed(self) -> float:
        """The share of cases in which they agree."""
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
