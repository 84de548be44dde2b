"""Programs: linear programs as arrays in HiGHS's order, one or several as blocks of one.

    maximise  cost · x   subject to   A x <= row_upper,   0 <= x <= column_upper

A is stored by rows (`row_start, index, value`). The kernel `celab._native.program` states the
paper's program and says which column is which; `celab._native.cover` writes the small ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from celab._native import program as native

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Program:
    """The arrays of a program, or of several as its blocks.

    Block b has the columns from `block_column[b]` on, and the rows from `block_row[b]` on, to the
    next block's.
    """

    cost: NDArray[np.float64]
    column_upper: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    row_start: NDArray[np.int32]
    index: NDArray[np.int32]
    value: NDArray[np.float64]
    block_column: NDArray[np.int32]
    block_row: NDArray[np.int32]
    block_owner: NDArray[np.int32]

    @classmethod
    def of(cls, made: native.Program) -> Program:
        """The arrays of what a kernel made."""
        return cls(**made.take())

    def block(self, b: int) -> Program:
        """One block as a program of its own."""
        column = slice(self.block_column[b], _next(self.block_column, b, len(self.cost)))
        row = slice(self.block_row[b], _next(self.block_row, b, len(self.row_upper)))
        entry = slice(
            self.row_start[row.start], _next(self.row_start, row.stop - 1, len(self.index))
        )
        zero = np.zeros(1, np.int32)
        return Program(
            self.cost[column],
            self.column_upper[column],
            self.row_upper[row],
            self.row_start[row] - self.row_start[row.start],
            self.index[entry] - self.block_column[b],
            self.value[entry],
            zero,
            zero,
            self.block_owner[b : b + 1],
        )


def _next(start: NDArray[np.int32], b: int, end: int) -> Any:
    return start[b + 1] if b + 1 < len(start) else end


def pair_program(
    links: NDArray[np.int32], hyp_length: int, ref_length: int, max_order: int, f: float
) -> Program:
    """The paper's whole program for one pair; `links` as `celab._native.links` gives them."""
    return Program.of(native.pair_program(links, hyp_length, ref_length, max_order, f))
