from array import array
from collections.abc import Sequence

_Run = tuple[int, int, int]  # both starts, and the length
_Range = tuple[int, int]

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
