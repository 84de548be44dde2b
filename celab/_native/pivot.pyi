from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from celab._native.tokens import Lexicon

_Ids = NDArray[np.int32]
_Offsets = NDArray[np.int64]

UNIT: int

@final
class Counts:
    def __len__(self) -> int: ...
    def add(
        self,
        target: _Ids,
        target_start: _Offsets,
        pivot: _Ids,
        pivot_start: _Offsets,
        count: _Offsets,
    ) -> None: ...
    def extract(
        self,
        target: _Ids,
        target_start: _Offsets,
        pivot: _Ids,
        pivot_start: _Offsets,
        link: _Ids,
        link_start: _Offsets,
        other: _Ids | None = None,
        other_start: _Offsets | None = None,
        longest: int = 4,
        count: int = 1,
    ) -> None: ...
    def arrays(self) -> tuple[_Ids, _Offsets, _Ids, _Offsets, _Ids, _Ids, _Offsets]: ...

@final
class Networks:
    def __new__(
        cls,
        trie: Lexicon,
        p: _Ids,
        cost: _Offsets,
        start: _Offsets,
        word: _Ids,
        unknown: int,
        n_words: int,
    ) -> Self: ...
    def segments(self, token: _Ids, start: _Offsets) -> tuple[_Ids, _Ids, _Offsets]: ...
    def grams(
        self, token: _Ids, start: _Offsets, max_order: int
    ) -> list[tuple[_Ids, _Offsets, _Offsets]]: ...

def symmetrized(link: _Ids, other: _Ids, n_x: int, n_y: int) -> list[tuple[int, int]]: ...
def labeled(
    gram: _Ids,
    mass: _Offsets,
    lemma: _Ids,
    tag: _Ids,
    function: NDArray[np.int8],
    factor: _Offsets,
) -> tuple[_Ids, _Ids, _Offsets]: ...
