"""The score of a corpus that is scored part by part: sums of statistics → the score of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from celab.base.signature import Signature
from celab.metrics.formulas import check_sums, has_tokens

if TYPE_CHECKING:
    from celab.metrics.scores import Score
    from celab.statistics.resampling import Aggregate


class RunningScore:
    """The score of the parts so far; segments that were skipped do not count.

    >>> from celab.metrics.celab import TeslaCelab
    >>> running, metric = RunningScore(), TeslaCelab()
    >>> for hyp, ref in (("买伞", "买雨伞"), ("去", "去北京")):
    ...     running.add(metric.corpus_score([hyp], [[ref]]))
    >>> round(running.value, 4)
    0.6
    """

    def __init__(self) -> None:
        self.n_scored = 0
        self._sums: np.ndarray | float = 0.0
        self._aggregate: Aggregate | None = None
        self._signature = Signature("")

    def add(self, score: Score) -> None:
        """Add the score of the next part."""
        rows = score.statistics[score.segments.scored]
        self._sums = self._sums + rows.sum(axis=0)
        self.n_scored += len(rows)
        self._aggregate, self._signature = score.aggregate, score.signature

    @property
    def has_tokens(self) -> bool:
        """Whether the references so far have what an error rate counts; true for other metrics."""
        return has_tokens(np.asarray(self._sums), self._signature)

    @property
    def value(self) -> float | None:
        """The score of all parts; None if nothing was scored.

        Raises `InputError` if it is an error rate and the references have nothing that counts.
        """
        if self._aggregate is None or not self.n_scored:
            return None
        sums = np.asarray(self._sums)
        check_sums(sums, self._signature)
        return float(self._aggregate(sums, self.n_scored))
