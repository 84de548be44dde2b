"""Segments in batches, by one thread or several: the kernels release the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor


def batches(n_segments: int, size: int) -> list[slice]:
    """Slices of at most `size` segments; the last ends where the segments end.

    >>> batches(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(i, min(i + size, n_segments)) for i in range(0, n_segments, size)]


def in_threads(run: Callable[[slice], None], todo: list[slice], jobs: int) -> Iterator[slice]:
    """Runs the batches, and hands each out when it and all before it are done."""
    if jobs == 1 or len(todo) == 1:
        for batch in todo:
            run(batch)
            yield batch
        return
    pool = ThreadPoolExecutor(min(jobs, len(todo)))
    try:
        for batch, _ in zip(todo, pool.map(run, todo), strict=True):
            yield batch
    finally:
        pool.shutdown(cancel_futures=True)
