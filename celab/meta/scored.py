"""Metrics and texts → the scores of all systems, in one shape for our metrics and for others'."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from celab.errors import SolverError
from celab.statistics.resampling import Aggregate, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.corpus import Corpus
    from celab.metrics.base import Metric, Score

    F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scored:
    """All systems of a set by one metric, in the order of its corpus, in the metric's own units.

    A metric that is known only by its scores of systems has no segments and no statistics.
    """

    name: str
    signature: str
    systems: F64  # one score each
    segments: F64 | None  # systems × segments
    statistics: F64 | None = field(repr=False)  # systems × segments × k
    aggregate: Aggregate = mean
    higher_is_better: bool = True

    @property
    def sign(self) -> float:
        """What makes a higher score a better one."""
        return 1.0 if self.higher_is_better else -1.0


def score(
    metrics: Mapping[str, Metric],
    corpus: Corpus,
    progress: Callable[[str, str, int], object] | None = None,
) -> list[Scored]:
    """Every system by every metric.

    `progress` is told metric, system and how many of its segments are done.
    """
    found = []
    for name, metric in metrics.items():
        scores = []
        for system, hyps in corpus.systems.items():
            tell = None if progress is None else partial(progress, name, system)
            scores.append(metric.corpus_score(hyps, corpus.refs, progress=tell))
        found.append(of_scores(name, scores))
    return found


def of_scores(name: str, scores: list[Score]) -> Scored:
    """The scores of all systems by one metric, put together."""
    first = scores[0]
    if n_skipped := sum(one.n_skipped for one in scores):
        raise SolverError(
            f"{n_skipped} scores of segments by {name} are not proved; agreement with people needs"
            " all of them, so that on_error must be 'raise'"
        )
    return Scored(
        name,
        first.signature,
        np.array([one.score for one in scores]),
        np.stack([one.segments.scores for one in scores]),
        np.stack([one.statistics for one in scores]),
        first.aggregate,
        first.higher_is_better,
    )
