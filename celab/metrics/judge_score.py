"""Scores that celab has not computed: of external metrics, or of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from celab.base.arrays import F64, I64
from celab.base.errors import InputError
from celab.base.signature import Signature
from celab.metrics.scores import Score, Segments
from celab.statistics import resampling
from celab.statistics.documents import SIGNATURE_KEY
from celab.statistics.resampling import mean, mean_of


@dataclass(frozen=True, kw_only=True)
class JudgeScore(Score):
    """The score of a system by another judge.

    Segments that the judge gave no score are absent. `is_mean` is false if the score is not the
    mean of those of the segments, so that it cannot be resampled.
    """

    unscored: ClassVar[str] = "there is no score"
    is_mean: bool = field(default=True, repr=False)

    @classmethod
    def make(
        cls,
        name: str,
        source: str,
        segments: F64,
        *,
        system: float | None = None,
        higher_is_better: bool = True,
        n_references: int = 0,
    ) -> JudgeScore:
        """Return the score of a system.

        Parameters:
            name: the judge.
            source: source of the scores, for the signature.
            segments: a score per segment; NaN for an absent one.
            system: score of the system, if it is not the mean of the segments.
            higher_is_better: whether higher scores are better.
            n_references: number of references of the texts.
        """
        scored = ~np.isnan(segments)
        score = mean_of(segments[scored]) if system is None else system
        return cls(
            score=score,
            precision=None,
            recall=None,
            segments=Segments(segments[None, :, None], "all", scored=scored),
            signature=Signature(name, [("given", source)], label=name),
            n_references=n_references,
            statistics=segments[:, None],
            aggregate=mean,
            higher_is_better=higher_is_better,
            is_mean=system is None,
        )

    @property
    def n_skipped(self) -> int:
        """0: segments without a judge's score are absent, not skipped."""
        return 0

    @property
    def n_scored(self) -> int:
        """Number of segments that the judge scored."""
        return int(self.segments.scored.sum())

    @property
    def digits(self) -> int:
        """Number of decimals to show: two for scales such as 0 to 100 and MQM, else four."""
        return digits_for(self)

    def of_segments(self, chosen: I64) -> float:
        """Return the score of some segments; NaN if it does not follow from segment scores."""
        return Score.of_segments(self, chosen) if self.is_mean else np.nan

    def interval(
        self,
        n_resamples: int = resampling.N_RESAMPLES,
        seed: int = resampling.SEED,
        documents: Sequence[str] | None = None,
    ) -> tuple[float, float] | None:
        """Return the 95% bootstrap interval; None if it does not follow from the segments."""
        return Score.interval(self, n_resamples, seed, documents) if self.is_mean else None


def has_judge_scores(scores: Mapping[str, Score]) -> bool:
    """Return whether the scores are by a judge, not by a metric of celab."""
    return any(isinstance(score, JudgeScore) for score in scores.values())


def digits_for(score: Score) -> int:
    """Return the number of decimals for a score of any scale: four from -1 to 1, else two."""
    known = score.segments.scores[score.segments.scored]
    largest = np.abs(known).max(initial=abs(score.score))
    return 2 if largest > 1.5 else 4


def shared_segments(scores: Mapping[str, Score]) -> int:
    """Return the number of segments that have a score for every system."""
    masks = [score.segments.scored for score in scores.values()]
    return int(np.logical_and.reduce(masks).sum())


def is_testable(scores: Mapping[str, Score]) -> bool:
    """Return whether systems can be compared by a test, for which segment scores are needed."""
    judged = [score for score in scores.values() if isinstance(score, JudgeScore)]
    if not judged:
        return True
    return len(scores) > 1 and all(s.is_mean for s in judged) and shared_segments(scores) > 0


# Scores of systems are comparable if metric, settings, references and segments are the same.


def check_comparable(scores: Mapping[str, Score]) -> None:
    """Raise `InputError` if two of the scores, which the keys name, cannot be compared.

    A score without digests of its references, such as one made by hand, is compared without them.

    >>> import celab
    >>> metrics = celab.TeslaCelab(), celab.TeslaCelab(max_order=3)
    >>> a, b = (metric.corpus_score(["买伞"], [["买雨伞"]]) for metric in metrics)
    >>> check_comparable({"A": a, "B": b})
    Traceback (most recent call last):
    celab.base.errors.InputError: A and B have different settings, n:4 and n:3; ...
    """
    (first_name, first), *others = scores.items()
    for name, other in others:
        pair = f"{first_name} and {name}"
        # Some parts of signatures may differ: skipped segments, which depend on time and are left
        # out for both systems, and the documents and times of aligned files, which change no score
        # of a line.
        ours, theirs = (
            score.signature.without("skipped", SIGNATURE_KEY, "align-docs", "align-times")
            for score in (first, other)
        )
        if ours.name != theirs.name:
            raise InputError(
                f"{pair} are scores of different metrics, {ours.name} and {theirs.name}; score both"
                " with the same metric"
            )
        n_segments = len(first.segments), len(other.segments)
        if n_segments[0] != n_segments[1]:
            raise InputError(
                f"{pair} have {n_segments[0]} and {n_segments[1]} segments; score both on the same"
                " test set"
            )
        if first.n_references != other.n_references:
            raise InputError(
                f"{pair} have {first.n_references} and {other.n_references} references; score both"
                " with the same references"
            )
        _check_references(pair, first, other)
        if difference := ours.difference(theirs):
            raise InputError(
                f"{pair} have different settings, {' and '.join(difference)}; score both with the"
                " same"
            )


def _check_references(pair: str, first: Score, other: Score) -> None:
    # Scores that an earlier version pickled do not even have the attribute.
    ours, theirs = (getattr(score, "digests", None) for score in (first, other))
    if ours is None or theirs is None or np.array_equal(ours, theirs):
        return
    segment = int((ours != theirs).argmax()) + 1
    difference = "references"
    if np.array_equal(np.sort(ours), np.sort(theirs)):
        difference = "references in another order"
    raise InputError(
        f"{pair} have different {difference}, first in segment {segment}; score both on the same"
        " test set, in the same order"
    )
