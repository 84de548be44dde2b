from collections.abc import Mapping
from typing import final

_Arcs = list[tuple[list[int], list[float]]]  # targets and weights, for each state

@final
class Chain:
    @property
    def n_labels(self) -> int: ...
    def __init__(self, labels: list[int], arcs: _Arcs, finals: _Arcs, width: int) -> None: ...
    def path(self, values: list[list[tuple[int, float]]]) -> list[int]: ...

@final
class Morphemes:
    def __init__(
        self,
        chain: Chain,
        known: dict[int, Mapping[str, float]],
        new: dict[int, tuple[list[float], Mapping[str, float]]],
    ) -> None: ...
    def ends(self, word: str) -> list[tuple[int, float]]: ...
    def path(self, word: str, strict: bool, allowed: bytes) -> list[tuple[int, int]]: ...
