import numpy as np
from numpy.typing import NDArray

_Lines = NDArray[np.float64]  # rows × lines
_Places = NDArray[np.int64]

def envelopes(
    height: _Lines, slope: _Lines
) -> tuple[_Places, _Places, NDArray[np.float64], _Places, _Places]: ...
