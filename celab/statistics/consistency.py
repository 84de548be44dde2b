"""Does a metric order translations of one segment as people do? Two score matrices in, shares out.

Two systems' translations of one segment make a pair, if people scored both. Over the pairs, by
whether people and the metric tell the two apart:

    C  both do, in the same order        T  people do, the metric ties
    D  both do, in opposite orders       H  the metric does, people tie

- Consistency is C / (C + D + T). The TESLA papers define it as the share of judged pairs that are
  predicted correctly, and leave out pairs that people tie (2010, section 5.1). The TESLA-CELAB
  paper (2012, section 4.3.1) excludes ties and does not say whose; as in 2010 we take them to be
  people's. A pair that the metric ties is not predicted, hence not correct.
- WMT14's τ (Macháček and Bojar 2014) is (C − D) / (C + D + T).
- τ-b within segments, averaged: (C − D) / √((C + D + T)(C + D + H)) of each segment, then the mean
  over the segments where it is defined: those with a pair that people tell apart and a pair that
  the metric does.
- The flat correlations forget which segment a score belongs to: one list of all judged
  translations, so they also reward a metric for knowing which segments are hard.

All but the flat ones are functions of counts per segment, so a bootstrap over segments is a
weighted sum: `PairCounts.statistics` is what `resampling.scores_of` takes, with its `ratio`.

>>> people = [[90, 70, 50], [80, 70, 60]]
>>> metric = [[0.6, 0.5, 0.7], [0.5, 0.4, 0.6]]
>>> counts = pair_counts(people, metric)
>>> consistency(counts), counts.n_pairs
(0.5, 2)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from celab.errors import InputError
from celab.statistics.correlation import kendall, pearson, spearman
from celab.statistics.pairs import SAME, judged_scores, metric_scores, orders, sign

F64: TypeAlias = NDArray[np.float64]
I64: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """C, D, T and H of each segment."""

    concordant: I64
    discordant: I64
    metric_ties: I64
    human_ties: I64

    @property
    def told_apart(self) -> I64:
        """Pairs of each segment that people tell apart."""
        return self.concordant + self.discordant + self.metric_ties

    @property
    def n_pairs(self) -> int:
        """All pairs that people tell apart."""
        return int(self.told_apart.sum())

    @property
    def statistics(self) -> F64:
        """Segments × 2: pairs ordered as by people, and pairs that people tell apart."""
        return np.stack((self.concordant, self.told_apart), axis=1).astype(np.float64)


def pair_counts(human: ArrayLike, metric: ArrayLike, tolerance: float = SAME) -> PairCounts:
    """From scores, systems × segments; NaN where people gave none.

    Scores of people, or of the metric, no further apart than `tolerance` are a tie.
    """
    people = judged_scores(human, "people's scores")
    scores = metric_scores(metric, people.shape)
    found = np.zeros((4, people.shape[1]), dtype=np.int64)
    for theirs, ours in zip(orders(people, tolerance), orders(scores, tolerance), strict=True):
        for count, hit in zip(found, _kinds(theirs, ours), strict=True):
            count += hit.sum(axis=0)
    return PairCounts(*found)


def judgement_counts(
    judgements: Iterable[tuple[int, int, int, int]],
    metric: ArrayLike,
    tolerance: float = SAME,
) -> PairCounts:
    """From judgements of two translations, each of them (segment, system a, system b, preferred).

    `preferred` is 1 for a, −1 for b and 0 for neither; numbers of segments and systems start at 0.
    Every judgement counts, so a pair that three people judged counts three times.
    """
    scores = metric_scores(metric)
    rows = np.array(list(judgements))
    if not rows.size:
        rows = np.empty((0, 4), dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != 4 or not np.issubdtype(rows.dtype, np.integer):
        raise InputError(
            f"judgements make an array of {rows.dtype} and shape {rows.shape};"
            " each must be four whole numbers: segment, system a, system b, preferred"
        )
    segment, a, b, preferred = rows.T
    n_systems, n_segments = scores.shape
    known = (a >= 0) & (a < n_systems) & (b >= 0) & (b < n_systems) & (a != b)
    known &= (segment >= 0) & (segment < n_segments) & (np.abs(preferred) <= 1)
    if not known.all():
        wrong = int(known.argmin())
        raise InputError(
            f"judgement {wrong + 1} is {tuple(rows[wrong].tolist())}; it must name a segment below"
            f" {n_segments}, two systems below {n_systems}, and 1, 0 or -1"
        )
    ours = sign(scores[a, segment] - scores[b, segment], tolerance)
    kinds = _kinds(preferred.astype(np.float64), ours)
    return PairCounts(*(np.bincount(segment[hit], minlength=n_segments) for hit in kinds))


def consistency(counts: PairCounts) -> float:
    """C / (C + D + T) over all segments; NaN if people tell no pair apart."""
    n_pairs = counts.n_pairs
    return int(counts.concordant.sum()) / n_pairs if n_pairs else math.nan


def wmt14_tau(counts: PairCounts) -> float:
    """(C − D) / (C + D + T) over all segments; NaN if people tell no pair apart."""
    n_pairs = counts.n_pairs
    surplus = int(counts.concordant.sum()) - int(counts.discordant.sum())
    return surplus / n_pairs if n_pairs else math.nan


def segment_tau_b(counts: PairCounts) -> F64:
    """τ-b of each segment, over its judged pairs of systems; NaN where it is not defined."""
    both = counts.concordant + counts.discordant
    scale = np.sqrt(both + counts.metric_ties) * np.sqrt(both + counts.human_ties)
    found = np.full(both.shape, np.nan)
    np.divide(counts.concordant - counts.discordant, scale, out=found, where=scale > 0)
    return found


def mean_tau_b(counts: PairCounts) -> float:
    """The mean of the segments' τ-b, over those where it is defined; NaN if there is none."""
    found = segment_tau_b(counts)
    defined = found[~np.isnan(found)]
    return float(defined.mean()) if len(defined) else math.nan


def flat_pearson(human: ArrayLike, metric: ArrayLike) -> float:
    """Pearson's r over all judged translations, of whichever segment."""
    return float(pearson(*_judged(human, metric)))


def flat_spearman(human: ArrayLike, metric: ArrayLike) -> float:
    """Spearman's ρ over all judged translations, of whichever segment."""
    return float(spearman(*_judged(human, metric)))


def flat_kendall(human: ArrayLike, metric: ArrayLike) -> float:
    """Kendall's τ-b over all judged translations, of whichever segment."""
    return float(kendall(*_judged(human, metric)))


def _judged(human: ArrayLike, metric: ArrayLike) -> tuple[F64, F64]:
    people = judged_scores(human, "people's scores")
    scores = metric_scores(metric, people.shape)
    present = ~np.isnan(people)
    return people[present], scores[present]


def _kinds(human: F64, metric: F64) -> tuple[NDArray[np.bool_], ...]:
    """Which pairs belong to C, D, T and H; a pair with NaN, or tied by both, to none."""
    product = human * metric
    return (
        product > 0,
        product < 0,
        (metric == 0) & (np.abs(human) == 1),
        (human == 0) & (np.abs(metric) == 1),
    )
