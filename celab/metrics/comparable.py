"""Whether scores of systems can be compared: same metric, settings, references and segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from celab.base.errors import InputError

if TYPE_CHECKING:
    from celab.metrics.scores import Score


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
        # Skipped segments depend on time, and are left out for both systems. Whether a file tells
        # its documents apart, or has times, decides what its aligner knows, not how its lines are
        # scored.
        ours, theirs = (
            score.signature.without("skipped", "align-docs", "align-times")
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
