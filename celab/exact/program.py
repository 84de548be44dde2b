"""Programs: linear programs as arrays in HiGHS's order, one or several as blocks of one.

    maximize  cost · x   subject to   A x <= row_upper,   0 <= x <= column_upper

All numbers are whole, no bound is negative, and A is stored by rows (`row_start, index, value`).
The kernel `celab._native.program` builds the paper's program and documents its columns;
`celab._native.cover` builds the small ones.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from celab._native import program as native
from celab.base.arrays import F64, I32
from celab.base.frozen import dataclass


def _zero() -> I32:
    return np.zeros(1, np.int32)


@dataclass(frozen=True, slots=True)
class Program:
    """The arrays of a program, or of several as its blocks.

    Block b has the columns from `block_column[b]` on, and the rows from `block_row[b]` on, to the
    next block's. The default is one block.
    """

    cost: F64
    column_upper: F64
    row_upper: F64
    row_start: I32
    index: I32
    value: F64
    block_column: I32 = field(default_factory=_zero)
    block_row: I32 = field(default_factory=_zero)
    block_owner: I32 = field(default_factory=_zero)

    @classmethod
    def of(cls, built: native.Program) -> Program:
        """Return the arrays of a program that a kernel built."""
        return cls(**built.take())

    def block(self, b: int) -> Program:
        """Return block b as a program of its own."""
        columns = np.append(self.block_column, len(self.cost))
        rows = np.append(self.block_row, len(self.row_upper))
        starts = np.append(self.row_start, len(self.index))
        column, row = slice(columns[b], columns[b + 1]), slice(rows[b], rows[b + 1])
        entry = slice(starts[row.start], starts[row.stop])
        return Program(
            self.cost[column],
            self.column_upper[column],
            self.row_upper[row],
            self.row_start[row] - np.int32(entry.start),
            self.index[entry] - self.block_column[b],
            self.value[entry],
            block_owner=self.block_owner[b : b + 1],
        )
