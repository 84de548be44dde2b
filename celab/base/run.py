"""Options of running a metric: threads, solver, time limit, treatment of unproved values.

None of this can move a score, because every score is a proved optimum, so none of it is part of a
signature. Where `on_error="skip"` leaves segments out, the score's signature says how many.

>>> Run(jobs=2).solver
'auto'
>>> Run(solver="fast")
Traceback (most recent call last):
celab.base.errors.OptionError: solver is 'fast'; choose from auto, highs, check
"""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, Protocol, TypeVar, get_args

from celab.base.errors import TIME_LIMIT_HINT, Setting, SolverError
from celab.base.options import Options, option

T = TypeVar("T")
Solver = Literal["auto", "highs", "check"]
OnError = Literal["raise", "skip"]
TIME_LIMIT = 60.0  # seconds for each stage of a pair
# Segments that a stream reads at once. `weights="references"` looks at the first so many, so that a
# stream need not be read to its end.
STREAM_BATCH = 10_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RunOptions(Options):
    """Options that every metric shares."""

    jobs: int = option(
        1,
        "number of threads, and of processes for slow analysis; 0: all cores",
        between=(0, 1024),
    )
    solver: Solver = option(
        "auto",
        "solver; auto: exact reduction, HiGHS for the rest; highs: full linear program; check:"
        " both, compared",
        choices=get_args(Solver),
    )
    time_limit: float = option(
        TIME_LIMIT,
        "time limit per pair, in seconds; for the kernels, and for each program that HiGHS solves",
        between=(1e-9, 1e9),
    )
    on_error: OnError = option(
        "raise",
        "treatment of a segment without a proved optimum: raise an error, or skip and count it",
        choices=get_args(OnError),
    )


@dataclass(frozen=True, kw_only=True)
class Run(RunOptions):
    """The options, and what follows from them."""

    @property
    def skips(self) -> bool:
        """Whether a value that is not proved is left out instead of being an error."""
        return self.on_error == "skip"

    @property
    def threads(self) -> int:
        """Number of threads on this machine."""
        if self.jobs:
            return self.jobs
        if hasattr(os, "sched_getaffinity"):
            # A container or a batch system may allow fewer cores than the machine has.
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1

    def map_in_order(self, work: Callable[[T], object], items: Sequence[T]) -> Iterator[T]:
        """Call `work` on every item, in threads; yield each item when all up to it are done.

        Threads help because the kernels release the interpreter's lock. If one fails, or the
        caller is interrupted, the others are stopped, and this waits for them.
        """
        if self.threads == 1 or len(items) < 2:
            for item in items:
                work(item)
                yield item
            return
        from concurrent.futures import ThreadPoolExecutor  # loads much

        from celab._native.watch import Stop

        stop = Stop()
        pool = ThreadPoolExecutor(min(self.threads, len(items)), initializer=stop.follow)
        try:
            # Each thread says what it says to who listens here.
            done = [pool.submit(copy_context().run, work, item) for item in items]
            for item, future in zip(items, done, strict=True):
                future.result()
                yield item
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def blocked_interrupts() -> Iterator[None]:
    """Start processes within this: they never see Ctrl-C, which a terminal sends to them, too."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def batches(n: int, size: int) -> list[slice]:
    """Return slices of at most `size` that together make `range(n)`.

    >>> batches(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]


def pair_namer(first: int, r: int) -> Callable[[int], str]:
    """Return a function that names pairs in errors: reference `r`, segments from `first`."""
    return lambda p: f"segment {first + p + 1}, reference {r + 1}"


class TooLong(SolverError):
    """A pair needs more memory than it may have."""


def unproved(pair_name: str, error: Exception, time_limit: float) -> SolverError:
    """Return the error for a pair that a kernel could not prove: out of time, or of memory."""
    if isinstance(error, TimeoutError):
        return out_of_time(pair_name, time_limit)
    kind = TooLong if isinstance(error, OverflowError) else SolverError
    return kind(str(error), place=pair_name)


def out_of_time(pair_name: str, time_limit: float) -> SolverError:
    """Return the error for a program that was not proved within its time limit."""
    return SolverError(
        f"no optimum was proved in {time_limit:g} s",
        place=pair_name,
        hint=(
            *TIME_LIMIT_HINT,
            ", or ",
            Setting("on_error", "skip"),
            " to leave such segments out",
        ),
    )


# Python's garbage collector, paused while many small objects without cycles are made.


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the collector, which would walk through all objects again and again.

    >>> with paused_collector():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Progress of long work: how its callers follow it, and how it is added up from parts.


class Progress(Protocol):
    """Called with how much of a work is done and, if this is known, how much there is in total.

    All calls come from the thread that started the work, and the numbers never decrease.
    """

    def __call__(self, n_done: int, total: int | None = None, /) -> object:
        """Take note of the progress."""


def split(
    progress: Progress | None, total: int, shares: Sequence[int]
) -> list[Progress] | list[None]:
    """Return the progress of each part of a work of `total` units, done one after the other.

    `shares` are the sizes of the parts in relation to each other. A part may count in units of its
    own if it gives its total, else it counts in those of the whole.

    >>> first, second = split(print, 10, [1, 1])
    >>> first(1, 2)
    2 10
    >>> second(3)
    8 10
    """
    if progress is None:
        return [None] * len(shares)
    ends = [0, *accumulate(shares)]
    starts = [total * end // (ends[-1] or 1) for end in ends]
    return [_part(progress, total, *span) for span in pairwise(starts)]


def _part(progress: Progress, total: int, start: int, end: int) -> Progress:
    def report(n_done: int, n_part: int | None = None, /) -> None:
        n_units = n_done if n_part is None else (end - start) * n_done // max(1, n_part)
        progress(min(start + n_units, end), total)

    return report
