"""A score → a table of its segments, one a line, counted from 1 as lines of a file are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from celab.metrics.base import Score

HEADER = "segment\tscore\tprecision\trecall\n"


def segments(scores: Mapping[str, Score]) -> str:
    """The whole table, with its header; of several metrics, with a column for the metric's name."""
    several = len(scores) > 1
    table = f"metric\t{HEADER}" if several else HEADER
    for name, score in scores.items():
        start = f"{name}\t" if several else ""
        rows = enumerate(score.segments.statistics.tolist(), start=1)
        table += "".join(f"{start}{i}\t{s:.6f}\t{p:.6f}\t{r:.6f}\n" for i, (s, p, r) in rows)
    return table
