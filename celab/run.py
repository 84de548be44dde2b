"""How a metric is run: threads, solver, time limit, and what happens to values not proved.

None of this can move a score, because every score is a proved optimum, so none of it is part of a
signature. Where `on_error="skip"` leaves segments out, the score's signature says how many.

>>> Run(jobs=2).solver
'auto'
>>> Run(solver="fast")
Traceback (most recent call last):
celab.errors.OptionError: solver is 'fast'; it must be one of: auto, highs, check
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from celab.options import Options, option

T = TypeVar("T")
TIME_LIMIT = 60.0  # seconds for one linear program


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Options):
    """Settings that every metric shares."""

    jobs: int = option(
        1, "threads, and processes for a slow analysis of many sentences", between=(1, 1024)
    )
    solver: str = option(
        "auto", "auto: the exact reduction; highs: the whole program; check: both, compared",
        choices=("auto", "highs", "check"),
    )  # fmt: skip
    time_limit: float = option(
        TIME_LIMIT, "seconds that HiGHS may take for one program", between=(1e-9, 1e9)
    )
    on_error: str = option(
        "raise", "where no optimum is proved: raise an error, or skip the segment and count it",
        choices=("raise", "skip"),
    )  # fmt: skip

    @property
    def skips(self) -> bool:
        """Whether a value that is not proved is left out instead of being an error."""
        return self.on_error == "skip"

    def each(self, work: Callable[[T], object], items: Sequence[T]) -> Iterator[T]:
        """Calls `work` on every item, in threads, and yields each when all up to it are done.

        Threads help because the kernels release the interpreter's lock.
        """
        if self.jobs == 1 or len(items) < 2:
            for item in items:
                work(item)
                yield item
            return
        pool = ThreadPoolExecutor(min(self.jobs, len(items)))
        try:
            for item, _ in zip(items, pool.map(work, items), strict=True):
                yield item
        finally:
            pool.shutdown(cancel_futures=True)


def batches(n: int, size: int) -> list[slice]:
    """Slices of at most `size` that together make `range(n)`.

    >>> batches(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]


def pair_namer(first: int, r: int) -> Callable[[int], str]:
    """What errors call the pairs of reference `r` in a batch whose first segment is `first`."""
    return lambda p: f"segment {first + p + 1}, reference {r + 1}"
