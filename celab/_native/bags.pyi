import numpy as np
from numpy.typing import NDArray

_Ids = NDArray[np.int32]
_Flags = NDArray[np.int8]
_Offsets = NDArray[np.int64]

def match_bags(
    hyp_lemma: _Ids,
    hyp_tag: _Ids,
    hyp_function: _Flags,
    hyp_start: _Offsets,
    ref_lemma: _Ids,
    ref_tag: _Ids,
    ref_function: _Flags,
    ref_start: _Offsets,
    group_start: _Ids,
    group: _Ids,
    max_order: int,
    p: int,
    q: int,
    most_words: int = ...,
    time_limit: float = 0.0,
    skip: bool = True,
    failed: dict[int, Exception] | None = None,
) -> NDArray[np.float64]: ...
