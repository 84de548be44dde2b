"""Judgements → arrays: what people think of systems, of pairs of translations, and of each other.

A system's score is, by what the set has,

    human-sys.tsv   as it stands there
    human-seg.tsv   the mean of its segments' scores
    rankings.tsv    the share of its pairs that it won, of those that the judges tell apart

On resamples of the segments the last two are computed again, and the first too if it is the mean
of the segments' scores, as it often is; otherwise it stays, because nothing is known of its parts.

Pairs of translations are those of the rankings, each judge's counted, or else those of the
segments' scores. Judges are packed into full sets of judgements, as the paper does (2012, section
4.2): on each segment the first judge goes to the first set, the second to the second, and so on.
Which judges meet is not changed by this, so neither are κ nor the counts of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from celab.meta.dataset import Dataset
from celab.statistics import judges
from celab.statistics.consistency import PairCounts, pair_counts
from celab.statistics.pairs import sign
from celab.statistics.resampling import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

ALIKE = 1e-3  # of the range of scores: closer to the means of segments, they are these means


@dataclass(frozen=True, slots=True)
class People:
    """Rows are systems in the order of the corpus, columns are segments, NaN where absent."""

    systems: F64  # one score each
    systems_from: str  # the files that it comes from
    parts: F64 | None  # systems × segments × 2: their ratio is the score; None if it is fixed
    segments: F64 | None  # for correlation across translations
    sets: list[F64]  # of judgements, of which every pair counts
    pairs_from: str
    kappa: dict[str, judges.Agreement]  # by file

    @classmethod
    def of(cls, dataset: Dataset) -> People:
        """What a set tells of its systems."""
        rankings = packed(dataset.rankings.values()) if dataset.rankings else []
        by_judge = packed(dataset.judges.values()) if dataset.judges else []
        systems, systems_from, parts = _systems(dataset, rankings)
        sets, pairs_from = rankings, "rankings.tsv"
        if not rankings:
            sets = [] if dataset.human_seg is None else [dataset.human_seg]
            pairs_from = "human-seg.tsv"
        several = len(dataset.corpus.systems) > 1
        return cls(
            systems,
            systems_from,
            parts,
            dataset.human_seg,
            sets if several else [],
            pairs_from,
            {
                name: judges.ranking_kappa(some)
                for name, some in (("rankings.tsv", rankings), ("human-seg.tsv", by_judge))
                if len(some) > 1 and several
            },
        )

    @property
    def ranked(self) -> NDArray[np.intp]:
        """Numbers of the systems that people gave a score."""
        return np.flatnonzero(~np.isnan(self.systems))

    def counts(self, metric: F64) -> PairCounts | None:
        """How the metric orders the judged pairs; none if there are no pairs."""
        if not self.sets:
            return None
        counted = [pair_counts(scores, metric) for scores in self.sets]
        return PairCounts(
            sum_of(one.concordant for one in counted),
            sum_of(one.discordant for one in counted),
            sum_of(one.metric_ties for one in counted),
            sum_of(one.human_ties for one in counted),
        )


def sum_of(counts: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Segment by segment."""
    return np.asarray(np.sum(list(counts), axis=0), dtype=np.int64)


def packed(by_judge: Iterable[F64]) -> list[F64]:
    """As few sets as there are judges of one segment, each with one judge a segment at most."""
    matrices = list(by_judge)
    sets: list[F64] = []
    n_before = np.zeros(matrices[0].shape[1], dtype=np.int64)
    for matrix in matrices:
        judged = ~np.isnan(matrix).all(axis=0)
        for number in np.unique(n_before[judged]).tolist():
            if number == len(sets):
                sets.append(np.full(matrix.shape, np.nan))
            here = judged & (n_before == number)
            sets[number][:, here] = matrix[:, here]
        n_before += judged
    return sets


def wins(sets: Sequence[F64]) -> F64:
    """Systems × segments × 2: pairs that the system won, and those told apart."""
    found = np.zeros((*sets[0].shape, 2))
    for scores in sets:
        for i, of_system in enumerate(scores):
            order = sign(of_system - scores)
            found[i, :, 0] += (order > 0).sum(axis=0)
            found[i, :, 1] += (np.abs(order) == 1).sum(axis=0)
    return found


def _systems(dataset: Dataset, rankings: Sequence[F64]) -> tuple[F64, str, F64 | None]:
    names = list(dataset.corpus.systems)
    parts, source = None, ""
    if dataset.human_seg is not None:
        judged = ~np.isnan(dataset.human_seg)
        parts = np.stack((np.where(judged, dataset.human_seg, 0.0), judged), axis=2)
        source = "human-seg.tsv"
    elif rankings:
        parts, source = wins(rankings), "rankings.tsv"
    if dataset.human_sys is None:
        assert parts is not None  # a set has judgements of some kind
        return ratio(parts.sum(axis=1), 0), source, parts
    given = np.array([dataset.human_sys.get(name, np.nan) for name in names])
    if parts is not None and source == "human-seg.tsv":
        means = ratio(parts.sum(axis=1), 0)
        known = ~np.isnan(given)
        apart = np.abs(given - means)[known]
        if known.any() and (apart <= ALIKE * np.ptp(given[known])).all():
            return given, "human-sys.tsv, means of human-seg.tsv", parts
    return given, "human-sys.tsv", None
