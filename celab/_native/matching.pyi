import numpy as np
from numpy.typing import NDArray

_Indices = NDArray[np.int32]
_Capacities = NDArray[np.int32]
_Flags = NDArray[np.bool_]
_Amounts = NDArray[np.int64]

def maximum_flow(
    first: _Indices, target: _Indices, left_capacity: _Capacities, right_capacity: _Capacities
) -> tuple[int, _Flags]: ...
def greatest_profit(
    first: _Indices, target: _Indices, profit: _Indices, supply: _Amounts, demand: _Amounts
) -> tuple[int, _Amounts]: ...
