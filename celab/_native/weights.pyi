from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

from celab._native.tokens import Sentences

_Letters = NDArray[np.uint8]  # one for each code point
_Factors = NDArray[np.int32]  # one for each order
_Weights = NDArray[np.int64]

@final
class Weights:
    @property
    def max_order(self) -> int: ...
    def __init__(
        self,
        sentences: Sentences,
        letters: _Letters,
        weigh: Callable[[str], int],
        factor: _Factors,
    ) -> None: ...
    def totals(self) -> _Weights: ...
    def divisors(self) -> _Weights: ...
    def ngrams(self, sentences: Sentences, sentence: int) -> _Weights: ...
