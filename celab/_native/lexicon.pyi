from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

_Offsets = NDArray[np.int64]
_Slots = NDArray[np.int32]  # four to a transition: state, letter, next state, word
_Root = NDArray[np.int32]  # four to a first letter: the mask `second` in two, next state, word
_Letters = NDArray[np.int32]  # code points
_GroupOffsets = NDArray[np.int32]
_Groups = NDArray[np.int32]

@final
class Lexicon:
    @property
    def buffer(self) -> Any: ...
    @property
    def name(self) -> str: ...
    @property
    def n_words(self) -> int: ...
    def __new__(
        cls,
        name: str,
        slots: _Slots,
        root: _Root,
        word_start: _GroupOffsets,
        word_group: _Groups,
        n_groups: int,
        bounds: _GroupOffsets | None = None,
        ranges: _GroupOffsets | None = None,
    ) -> Self: ...
    def find(self, letters: _Letters) -> int: ...

def build_trie(letters: _Letters, start: _Offsets) -> tuple[_Slots, _Root]: ...
