import numpy as np
from numpy.typing import NDArray

from celab._native.tokens import Sentences

_Links = NDArray[np.int32]  # rows of hyp start, hyp order, ref start, ref order

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
