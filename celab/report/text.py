"""A score → the one line that a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celab.campaign import Campaign
    from celab.metrics.base import Score


def all_scores(found: Campaign) -> Iterator[tuple[str, Score]]:
    """System and score, in the order of the files, metric after metric."""
    for of_metric in found.scores.values():
        yield from of_metric.items()


def line(score: Score) -> str:
    """Score, precision, recall and signature: all that is needed to cite the number."""
    return f"{score}\n"


def brief(score: Score) -> str:
    """The number alone, for scripts."""
    return f"{digits(score)}\n"


def digits(score: Score) -> str:
    """The number, with as many digits as mean something."""
    return f"{score.score:.{decimals(score)}f}"


def decimals(score: Score) -> int:
    """Four of a score from 0 to 1, two of one from 0 to 100."""
    return 4 if score.precision is not None else 2
