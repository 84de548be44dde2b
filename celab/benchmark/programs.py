"""Programs: the whole programs of many pairs → one, with a block a pair, that a file can keep."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from celab.program import Program


def stacked(programs: Sequence[Program]) -> Program:
    """Several programs as blocks of one; each is owned by its place."""
    columns = _before([len(one.cost) for one in programs])
    rows = _before([len(one.row_upper) for one in programs])
    entries = _before([len(one.index) for one in programs])
    return Program(
        np.concatenate([one.cost for one in programs]),
        np.concatenate([one.column_upper for one in programs]),
        np.concatenate([one.row_upper for one in programs]),
        np.concatenate([one.row_start + k for one, k in zip(programs, entries, strict=True)]),
        np.concatenate([one.index + k for one, k in zip(programs, columns, strict=True)]),
        np.concatenate([one.value for one in programs]),
        columns,
        rows,
        np.arange(len(programs), dtype=np.int32),
    )


def parts(program: Program, n_blocks: int) -> list[Program]:
    """The blocks again, so many in each program."""
    single = [program.block(b) for b in range(len(program.block_owner))]
    if n_blocks == 1:
        return single
    return [stacked(single[b : b + n_blocks]) for b in range(0, len(single), n_blocks)]


def save(path: str | os.PathLike[str], program: Program) -> None:
    """All arrays under their names."""
    np.savez(path, **{field.name: getattr(program, field.name) for field in fields(Program)})


def load(path: str | os.PathLike[str]) -> Program:
    """What `save` kept."""
    with np.load(path) as arrays:
        return Program(**{field.name: arrays[field.name] for field in fields(Program)})


def _before(counts: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    # Where each begins, if they stand one after another.
    return np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int32)
