import numpy as np
from numpy.typing import NDArray

_Nodes = NDArray[np.int32]
_Amounts = NDArray[np.int64]

def greatest_profit(
    first: _Nodes, target: _Nodes, profit: _Nodes, supply: _Amounts, demand: _Amounts
) -> tuple[int, _Amounts]: ...
