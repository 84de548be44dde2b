"""References: batches of reference sides, read once for all systems compared with them.

Reading numbers the tokens, finds the lexicon words and indexes both. Hypotheses are read with a
vocabulary of their own, whose parent is that of the references; theirs is not written to any more,
so threads may share it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from celab._native.tokens import Sentences
    from celab._native.vocabulary import Vocabulary

MOST_KEPT = 8192  # sentences, of about 6 kB each


class Batch(NamedTuple):
    """The same segments of all reference sides."""

    vocabulary: Vocabulary
    sides: list[Sentences]


class References:
    """Reads batches, and keeps those asked for last."""

    def __init__(
        self,
        read: Callable[[list[str], Vocabulary], Sentences],
        vocabulary: Callable[[], Vocabulary],
    ) -> None:
        self._read = read
        self._vocabulary = vocabulary
        self._kept: dict[tuple[tuple[str, ...], ...], Batch] = {}  # the oldest first
        self._n_kept = 0
        self._lock = Lock()

    def batch(self, sides: list[list[str]]) -> Batch:
        """Prepared sentences of each side, as the kernels want them."""
        key = tuple(map(tuple, sides))
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._kept[key] = found  # now the newest
                return found
        vocabulary = self._vocabulary()
        found = Batch(vocabulary, [self._read(side, vocabulary) for side in sides])
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._n_kept += _size(key)
            while self._n_kept > MOST_KEPT:
                oldest = next(iter(self._kept))
                del self._kept[oldest]
                self._n_kept -= _size(oldest)
        return found

    def forget(self) -> None:
        """Keeps nothing of what was read so far."""
        with self._lock:
            self._kept.clear()
            self._n_kept = 0


def _size(key: tuple[tuple[str, ...], ...]) -> int:
    return sum(map(len, key))
