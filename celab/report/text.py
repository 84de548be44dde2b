"""A score → the one line that a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celab.metrics.base import Score


def line(score: Score) -> str:
    """Score, precision, recall and signature: all that is needed to cite the number."""
    return f"{score}\n"


def brief(score: Score) -> str:
    """The number alone, for scripts."""
    return f"{score.score:.4f}\n"
