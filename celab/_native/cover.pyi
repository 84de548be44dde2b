import numpy as np
from numpy.typing import NDArray

from celab._native.lexicon import Lexicon
from celab._native.program import Program
from celab._native.tokens import Sentences

_Covered = NDArray[np.int64]  # rows of reference, hypothesis
_Steps = NDArray[np.int8]

def cover_pairs(
    hyp: Sentences, ref: Sentences, lexicon: Lexicon | None, max_order: int, release: bool
) -> tuple[_Covered, _Steps, Program]: ...
