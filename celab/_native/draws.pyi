from typing import Self, final

import numpy as np
from numpy.typing import NDArray

@final
class Draws:
    def __new__(cls, seed: int) -> Self: ...
    def count(self, counts: NDArray[np.float64]) -> None: ...
    def fill(self, words: NDArray[np.uint32]) -> None: ...
