from typing import final

import numpy as np
from numpy.typing import NDArray

from celab._native.tokens import Sentences

_Links = NDArray[np.int32]  # rows of hyp start, hyp order, ref start, ref order
_Numbers = NDArray[np.int32]

def differing(
    hyp: Sentences,
    ref: Sentences,
    max_order: int,
    hyp_at: _Numbers,
    ref_at: _Numbers,
    fine: int,
    coarse: int,
) -> NDArray[np.bool_]: ...

@final
class Matches:
    def __len__(self) -> int: ...
    def select(self, pairs: NDArray[np.int64]) -> Matches: ...

def match_pairs(
    hyp: Sentences, ref: Sentences, max_order: int, hyp_at: _Numbers, ref_at: _Numbers
) -> Matches | None: ...
def link_pairs(
    hyp: Sentences,
    hyp_sentence: int,
    ref: Sentences,
    ref_sentence: int,
    max_order: int,
    release: bool,
    time_limit: float = 0.0,
    most: int = ...,
    grade: int = -1,
    crowd: int = ...,
) -> _Links: ...
