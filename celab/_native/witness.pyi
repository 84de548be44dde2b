import numpy as np
from numpy.typing import NDArray

from celab._native.tokens import Sentences

_Links = NDArray[np.int32]  # rows of hyp start, hyp order, ref start, ref order
_Flags = NDArray[np.bool_]
_Piece = tuple[int, int, int, int, int, int]
_Cover = NDArray[np.float64]

def whole_solution(
    hyp: Sentences,
    hyp_sentence: int,
    ref: Sentences,
    ref_sentence: int,
    links: _Links,
    time_limit: float = 0.0,
) -> tuple[_Flags, _Flags, _Cover, _Cover, int, int]: ...
def cut_links(
    hyp: Sentences,
    hyp_sentence: int,
    ref: Sentences,
    ref_sentence: int,
    links: _Links,
    release: bool,
    grade: int = -1,
) -> list[list[_Piece]]: ...
