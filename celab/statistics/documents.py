"""Documents as the units of resampling: statistics of segments → those of documents.

Segments of a talk or a story are not independent, so intervals and tests that draw segments are too
narrow. Drawing documents takes their segments together (a cluster bootstrap): a score depends on
sums over segments alone, so a document is the sum of its rows, with the number of its segments as
one more statistic. All functions of `resampling` and `significance` then work on documents as they
do on segments. Documents are numbered in the order in which they come, so that a document for each
segment gives the same draws as segments.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from celab.base.arrays import F64, I64
from celab.base.errors import InputError, OptionError, Setting
from celab.base.messages import warn
from celab.statistics import resampling
from celab.statistics.resampling import Aggregate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ResampleBy = Literal["segment", "document"]
UNITS: tuple[ResampleBy, ...] = ("segment", "document")
MIN_DOCUMENTS = 10  # intervals from fewer documents are too narrow
SIGNATURE_KEY = "resample"  # its value in signatures is `document`


def check_unit(resample_by: str) -> None:
    """Raise `OptionError` if there is no such unit."""
    if resample_by not in UNITS:
        raise OptionError("resample_by", resample_by, f"choose from {', '.join(UNITS)}")


def number_documents(names: Sequence[Hashable]) -> I64:
    """Return the document of each segment as a number, from 0 in order of appearance.

    >>> number_documents(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)


def documents_to_draw(names: Sequence[str]) -> I64:
    """Return the number of the document of each segment; warn if they are few.

    A segment without a document, or a single document, is an `InputError`.
    """
    setting = Setting("resample_by", "document")
    if nameless := sum(not name for name in names):
        lacking = "no segment has" if nameless == len(names) else f"{nameless} segments have no"
        raise InputError(
            (setting, f" needs documents, and {lacking} one"),
            hint=("give them by ", Setting("documents"), ", or as a column of the texts"),
        )
    numbers = number_documents(names)
    n_documents = int(numbers.max(initial=-1)) + 1
    if n_documents < 2:
        raise InputError((setting, " needs two documents or more, and all segments are of one"))
    if n_documents < MIN_DOCUMENTS:
        warn(
            f"intervals are of {n_documents} documents: with fewer than {MIN_DOCUMENTS}, they are"
            " too narrow",
            is_hint=True,
        )
    return numbers


def units_to_draw(resample_by: str, names: Sequence[str]) -> I64 | None:
    """Return the number of the document of each segment if documents are drawn, or None."""
    check_unit(resample_by)
    return documents_to_draw(names) if resample_by == "document" else None


def sum_documents(values: F64, documents: I64) -> F64:
    """Return the sums of values of segments, which are on the last axis, for each document.

    >>> sum_documents(np.array([[1.0, 2.0, 4.0]]), np.array([7, 3, 7])).tolist()
    [[5.0, 2.0]]
    """
    numbers = number_documents(documents.tolist())
    rows = values.reshape(-1, len(numbers))
    sums = np.array([np.bincount(numbers, row) for row in rows])
    return sums.reshape(*values.shape[:-1], -1)


def score_documents(aggregate: Aggregate, sums: F64, n_documents: int) -> F64:
    """Return the score of the segments of documents; their number is the last of the sums."""
    n_segments: Any = sums[..., -1]  # one number for each row of sums
    return aggregate(sums[..., :-1], n_segments)


def weights(
    n_segments: int, n_resamples: int, seed: int, documents: I64 | None = None
) -> Iterator[F64]:
    """Yield weights of segments, a row for each resample; with documents, the document's weight."""
    if documents is None:
        yield from resampling.chunks(n_segments, n_resamples, seed)
        return
    numbers = number_documents(documents.tolist())
    for of_documents in resampling.chunks(int(numbers.max()) + 1, n_resamples, seed):
        yield np.ascontiguousarray(of_documents[:, numbers])


def group_statistics(
    statistics: ArrayLike, aggregate: Aggregate, documents: ArrayLike | None
) -> tuple[F64, Aggregate]:
    """Return the statistics of documents, systems × documents × k, and the score of their sums.

    `statistics` is systems × segments × k, or systems × segments; `documents` has a number for each
    segment. Without documents, both are returned as they are.

    >>> grouped, aggregate = group_statistics([[0.5, 0.25, 1.0]], resampling.mean, [0, 0, 1])
    >>> grouped.tolist(), aggregate(np.array([1.75, 3.0]), 2).round(4).tolist()
    ([[[0.75, 2.0], [1.0, 1.0]]], 0.5833)
    """
    if documents is None:
        return np.asarray(statistics, np.float64), aggregate
    checked = resampling.checked_statistics(statistics)  # k × systems × segments
    numbers = np.asarray(documents, np.int64)
    if len(numbers) != checked.shape[2]:
        raise InputError(
            f"there are {len(numbers)} documents and {checked.shape[2]} segments; give one for each"
            " segment"
        )
    if aggregate is resampling.mean:
        checked = checked[:1]
    sums = sum_documents(checked, numbers)
    sizes = sum_documents(np.ones(len(numbers)), numbers)
    counted = np.concatenate((sums, np.broadcast_to(sizes, (1, *sums.shape[1:]))))
    # A mean is the ratio of the sum to the number of segments, whose exact test is faster.
    is_mean = aggregate is resampling.mean
    of_documents = resampling.ratio if is_mean else partial(score_documents, aggregate)
    return np.moveaxis(counted, 0, -1), of_documents
