from array import array

import numpy as np
from numpy.typing import NDArray

_Items = array[int] | NDArray[np.int32]

def count_shared(x: _Items, refs: list[_Items], n_orders: int) -> list[int]: ...
