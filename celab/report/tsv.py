"""A score → a table of its segments, one a line, counted from 1 as lines of a file are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celab.metrics.base import Score

HEADER = "segment\tscore\tprecision\trecall\n"


def segments(score: Score) -> str:
    """The whole table, with its header."""
    rows = enumerate(score.segments.statistics.tolist(), start=1)
    return HEADER + "".join(f"{i}\t{s:.6f}\t{p:.6f}\t{r:.6f}\n" for i, (s, p, r) in rows)
