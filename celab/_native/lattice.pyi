from collections.abc import Iterable, Mapping, Sequence
from typing import final

@final
class Chain:
    @property
    def n_labels(self) -> int: ...
    def __init__(
        self,
        labels: list[int],
        arcs: list[tuple[Sequence[int], Iterable[float]]],
        finals: list[tuple[Sequence[int], Iterable[float]]],
        width: int,
    ) -> None: ...
    def path(self, values: list[list[tuple[int, float]]]) -> list[int]: ...

@final
class Morphemes:
    def __init__(
        self,
        chain: Chain,
        known: dict[int, Mapping[str, float]],
        new: dict[int, tuple[Sequence[float], Mapping[str, float]]],
    ) -> None: ...
    def ends(self, word: str) -> list[tuple[int, float]]: ...
    def path(self, word: str, strict: bool, allowed: bytes) -> list[tuple[int, int]]: ...
