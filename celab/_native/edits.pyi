import numpy as np
from numpy.typing import NDArray

_Tokens = NDArray[np.int32]
_Begin = NDArray[np.int64]

def count_edits(
    hyps: _Tokens, hyp_begin: _Begin, refs: _Tokens, ref_begin: _Begin
) -> NDArray[np.int64]: ...
def list_edits(
    hyps: _Tokens, hyp_begin: _Begin, refs: _Tokens, ref_begin: _Begin
) -> NDArray[np.int64]: ...
