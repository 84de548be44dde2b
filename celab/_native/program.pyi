from typing import TypedDict, final

import numpy as np
from numpy.typing import NDArray

_Costs = NDArray[np.float64]
_Bounds = NDArray[np.float64]
_Values = NDArray[np.float64]
_Indices = NDArray[np.int32]
_Weights = NDArray[np.int64]
_Links = NDArray[np.int32]  # rows of hyp start, hyp order, ref start, ref order

class _Arrays(TypedDict):
    cost: _Costs
    column_upper: _Bounds
    row_upper: _Bounds
    row_start: _Indices
    index: _Indices
    value: _Values
    block_column: _Indices
    block_row: _Indices
    block_owner: _Indices

@final
class Program:
    def __len__(self) -> int: ...
    def take(self) -> _Arrays: ...

def count_ngrams(length: int, max_order: int) -> int: ...
def pair_program(
    links: _Links,
    hyp_length: int,
    ref_length: int,
    max_order: int,
    hyp_weight: _Weights | None = None,
    ref_weight: _Weights | None = None,
) -> Program: ...
