import numpy as np
from numpy.typing import NDArray

_Ids = NDArray[np.int32]
_Flags = NDArray[np.int8]
_Offsets = NDArray[np.int64]  # where texts begin; weights have this type, too

def match_equal(
    x_gram: _Ids,
    x_weight: _Offsets,
    x_start: _Offsets,
    y_gram: _Ids,
    y_weight: _Offsets,
    y_start: _Offsets,
) -> _Offsets: ...
def list_grams(
    unit: _Ids,
    is_function: _Flags,
    part: _Ids,
    start: _Offsets,
    order: int,
    skip: int,
    p: int,
    q: int,
) -> tuple[_Ids, _Offsets, _Offsets, _Ids]: ...
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
