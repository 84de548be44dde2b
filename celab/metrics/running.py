"""The score of a corpus that is scored part by part: sums of statistics → the score of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from celab.metrics.scores import Score
    from celab.statistics.resampling import Aggregate


class RunningScore:
    """The score of the parts so far.

    It goes on from the sums over `n_scored` segments, or is never known if these are None. Segments
    that were skipped do not count.

    >>> from celab.metrics.celab import TeslaCelab
    >>> running, metric = RunningScore(), TeslaCelab()
    >>> for hyp, ref in (("买伞", "买雨伞"), ("去", "去北京")):
    ...     running.add(metric.corpus_score([hyp], [[ref]]))
    >>> round(running.value, 4)
    0.6
    """

    def __init__(self, sums: Sequence[float] | None = (), n_scored: int = 0) -> None:
        self.sums = None if sums is None else list(sums)
        self.n_scored = n_scored
        self._aggregate: Aggregate | None = None

    def add(self, score: Score) -> None:
        """Add the score of the next part."""
        rows = score.statistics[score.segments.scored]
        sums = rows.sum(axis=0).tolist()
        if self.sums is not None and self.n_scored:
            is_alike = len(self.sums) == len(sums)
            sums = [a + b for a, b in zip(self.sums, sums, strict=True)] if is_alike else None
        self.sums = None if self.sums is None else sums
        self.n_scored += len(rows)
        self._aggregate = score.aggregate

    @property
    def value(self) -> float | None:
        """The score of all parts; None if it is not known, or nothing was scored."""
        if self._aggregate is None or self.sums is None or not self.n_scored:
            return None
        return float(self._aggregate(np.array(self.sums), self.n_scored))
