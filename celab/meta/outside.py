"""Scores that another program gave, a TSV → the same shape as our own.

    system  segment  score     every segment of every system, counted from 0 or from 1
    system  score              scores of systems only, or a system's segments in their order

The first needs a header; without `system` it is about the only system there is. A system may also
be named by the path of its output. If there is a column `metric`, as `celab-score --segments` has
for several metrics, rows of the given name are taken. A system's score is the mean of its
segments'. A metric of which only the scores of systems are known cannot be resampled: its figures
stand without error and significance.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from celab.errors import InputError
from celab.meta import table
from celab.meta.scored import Scored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]


def read(
    name: str,
    path: str | os.PathLike[str],
    systems: Sequence[str],
    n_segments: int,
    higher_is_better: bool = True,
) -> Scored:
    """The scores of these systems; others in the file are passed over."""
    found = table.read(path)
    if found.columns and "system" not in found.columns and len(systems) > 1:
        found.need("system")
    rows = _of_metric(found, name)
    by_system: dict[str, dict[int | None, float]] = {system: {} for system in systems}
    for row in rows:
        system = _known(row.system or systems[0], by_system)
        if system is None:
            continue
        if row.score is None:
            raise found.wrong(row, "score is absent; a metric must score all")
        if row.segment in by_system[system]:
            where = "" if row.segment is None else f", segment {row.segment}"
            raise found.wrong(row, f"system {system}{where} is there again; it must be there once")
        by_system[system][row.segment] = row.score
    for system, scores in by_system.items():
        if not scores:
            raise InputError(f"{found.name} has no score of system {system}; it must have one")
    signature = f"{name}|given:{os.path.basename(found.name)}"
    if all(set(scores) == {None} for scores in by_system.values()):
        alone = np.array([scores[None] for scores in by_system.values()])
        return Scored(name, signature, alone, None, None, higher_is_better=higher_is_better)
    matrix = np.array([_in_order(found.name, s, by_system[s], n_segments) for s in by_system])
    return Scored(
        name, signature, matrix.mean(axis=1), matrix, matrix[:, :, None],
        higher_is_better=higher_is_better,
    )  # fmt: skip


def _known(name: str, systems: Collection[str]) -> str | None:
    """The system of that name, or of the file of that name."""
    if name in systems:
        return name
    stem = os.path.basename(name).partition(".txt")[0]
    return stem if stem in systems else None


def _of_metric(found: table.Table, name: str) -> list[table.Row]:
    names = list(dict.fromkeys(row.metric for row in found.rows))
    if len(names) == 1:
        return found.rows
    if name not in names:
        raise InputError(
            f"{found.name} has the metrics {', '.join(names)}, and {name} is asked for;"
            " the name must be one of them"
        )
    return [row for row in found.rows if row.metric == name]


def _in_order(
    where: str, system: str, scores: dict[int | None, float], n_segments: int
) -> list[float]:
    for first in (0, 1):
        wanted = range(first, first + n_segments)
        if scores.keys() == set(wanted):
            return [scores[segment] for segment in wanted]
    raise InputError(
        f"{where} has {len(scores)} segments of system {system}; it must have all {n_segments},"
        " numbered from 0 or from 1"
    )
