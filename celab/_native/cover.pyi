from typing import TypedDict, final

import numpy as np
from numpy.typing import NDArray

from celab._native.links import Matches
from celab._native.tokens import Sentences

_Covered = NDArray[np.int64]  # rows of reference, hypothesis
_Steps = NDArray[np.int8]
_Numbers = NDArray[np.int32]  # indices of sentences
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
def cover_pairs(
    hyp: Sentences,
    ref: Sentences,
    max_order: int,
    release: bool,
    hyp_at: _Numbers,
    ref_at: _Numbers,
    time_limit: float = 0.0,
    failed: dict[int, Exception] | None = None,
    skip: bool = True,
    grade: int = -1,
    matches: Matches | None = None,
    crowd: int = ...,
) -> tuple[_Covered, _Steps, Program]: ...
