"""References of each segment → a list for each reference."""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.text.sequences import items_of


def reference_columns(rows: Sequence[str | Sequence[str | None]]) -> list[list[str | None]]:
    """Return one list per reference, as `corpus_score` takes them.

    Parameters:
        rows: the references of each segment, or its only one; segments may have different numbers
            of them.

    >>> reference_columns([["买雨伞", "买把伞"], ["去北京"]])
    [['买雨伞', '去北京'], ['买把伞', None]]
    """
    lists = [
        [row] if isinstance(row, str) else items_of(row, f"segment {number}")
        for number, row in enumerate(items_of(rows, "rows"), 1)
    ]
    n_references = max(map(len, lists), default=0)
    return [[row[r] if r < len(row) else None for row in lists] for r in range(n_references)]
