import numpy as np
from numpy.typing import NDArray

from celab._native.matches import Matches
from celab._native.program import Program
from celab._native.tokens import Sentences

_Covered = NDArray[np.int64]  # rows of reference, hypothesis
_Steps = NDArray[np.int8]
_Numbers = NDArray[np.int32]  # of sentences

def cover_pairs(
    hyp: Sentences,
    ref: Sentences,
    max_order: int,
    release: bool,
    hyp_at: _Numbers,
    ref_at: _Numbers,
    time_limit: float = 0.0,
    failed: dict[int, Exception] | None = None,
    skip: bool = True,
    grade: int = -1,
    matches: Matches | None = None,
    crowd: int = ...,
) -> tuple[_Covered, _Steps, Program]: ...
