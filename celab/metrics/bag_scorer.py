"""Base class of the scorers whose score is a mean of the F of matched bags (`celab.exact.bags`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from celab.base.arrays import F64, Bools
from celab.base.progress import Progress, split
from celab.base.run import batches
from celab.base.text.tokens import is_blank
from celab.exact.bags import Features, figures, mean_of_features
from celab.metrics.base import Scorer
from celab.metrics.scores import Score, Segments

_BATCH = 256  # segments in one call of the kernel

# Reference number and batch of segments → their features, and which pairs are proved.
Prepared = Callable[[int, slice], tuple[Features, Bools]]


class BagScorer(Scorer):
    """Scores each pair by `figures`; a blank hypothesis scores 0."""

    def _prepare(self, sides: list[list[str]], progress: Progress | None) -> Prepared:
        """Analyze hypotheses and references."""
        raise NotImplementedError

    def _figures(self, features: Features) -> F64:
        """Return score, precision and recall of each pair."""
        return figures(features)

    def _score(self, hyps: list[str], refs: list[list[str]], progress: Progress | None) -> Score:
        return Score.of(self._score_pairs(self._figures, hyps, refs, progress), self.signature)

    def features(
        self, hyps: list[str], refs: list[list[str]], progress: Progress | None = None
    ) -> Segments:
        """Return the score, then the F of each order and similarity, of each segment.

        An order that does not count has the mean of the others.
        """

        def columns(features: Features) -> F64:
            scores = self._figures(features)[:, :1]
            mean = mean_of_features(features.f, features.counts)[:, None, None]
            mean = np.where(features.counts.any(axis=(1, 2), keepdims=True), mean, 1.0)
            f = np.where(features.counts, features.f, mean)
            return np.concatenate((scores, f.reshape(len(f), -1)), axis=1)

        return self._score_pairs(columns, hyps, refs, progress)

    def _score_pairs(
        self,
        compute: Callable[[Features], F64],
        hyps: list[str],
        refs: list[list[str]],
        progress: Progress | None,
    ) -> Segments:
        # `compute` of each pair; 0 for a blank hypothesis.
        preparing, matching = split(progress, len(hyps), [1, 1])  # analysis takes longest
        features_of = self._prepare([hyps, *refs], preparing)
        blank = np.array([is_blank(text) for text in hyps])
        present = np.array([[not is_blank(text) for text in side] for side in refs])
        proved = np.ones(present.shape, np.bool_)
        figures_of: dict[tuple[int, int], F64] = {}

        def work(batch: slice) -> None:
            for r in range(len(refs)):
                features, proved[r, batch] = features_of(r, batch)
                figures_of[r, batch.start] = np.where(blank[batch, None], 0.0, compute(features))

        for batch in self.metric.run.map_in_order(work, batches(len(hyps), _BATCH)):
            if matching is not None:
                matching(batch.stop, len(hyps))
        scored = np.logical_and.reduce(proved | ~present)
        starts = [batch.start for batch in batches(len(hyps), _BATCH)]
        values = np.array(
            [np.concatenate([figures_of[r, start] for start in starts]) for r in range(len(refs))]
        )
        return Segments(values, self.metric.combine, present, scored)
