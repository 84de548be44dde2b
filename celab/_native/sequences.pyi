from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_Begin = NDArray[np.int64]
_Items = array[int] | NDArray[np.int32]
_Range = tuple[int, int]
_Run = tuple[int, int, int]  # both starts, and the length
_Tokens = NDArray[np.int32]

def count_shared(x: _Items, refs: list[_Items], n_orders: int) -> list[int]: ...
def count_edits(
    hyps: _Tokens, hyp_begin: _Begin, refs: _Tokens, ref_begin: _Begin
) -> NDArray[np.int64]: ...
def list_edits(
    hyps: _Tokens, hyp_begin: _Begin, refs: _Tokens, ref_begin: _Begin
) -> NDArray[np.int64]: ...
def heaviest_runs(
    x: array[int],
    weights: bytes,
    y: array[int],
    x_range: _Range,
    y_range: _Range,
) -> list[_Run]: ...
def moved_runs(
    x: array[int], y: array[int], counts: bytearray, places: Sequence[tuple[_Range, _Range]]
) -> list[_Run]: ...
