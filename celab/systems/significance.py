"""Significance tests for the difference between two systems.

Both tests are two-sided. They take any numbers that belong to segments: the scores of segments by
any metric, or, with an `aggregate`, the statistics that a corpus score is made of. `celab.compare`
and `Campaign.test` use the same functions; `celab.statistics.significance` defines them.

If fewer than 20 segments differ, both give the exact p-value, from all exchanges of the two
systems' outputs, and `test` is "exact"; if fewer than 100 differ, both are approximate
randomization. With fewer than 20 segments in all, no difference is called significant, regardless
of p.

>>> import celab
>>> metric = celab.TeslaCelab()
>>> refs = [["买雨伞", "去北京", "你好吗"]]
>>> a = metric.corpus_score(["买伞", "去北京", "你好"], refs)
>>> b = metric.corpus_score(["卖伞", "去", "好"], refs)
>>> celab.significance.paired_randomization(a, b, n_resamples=200).n_segments
3
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from celab.base.arrays import I64
from celab.base.errors import InputError, OptionError, Setting
from celab.base.text.sequences import common_index, items_of, plain_text
from celab.metrics.judge_score import check_comparable
from celab.metrics.scores import Score
from celab.statistics import resampling
from celab.statistics.difference import Difference
from celab.statistics.documents import documents_to_draw
from celab.statistics.resampling import Aggregate
from celab.statistics.significance import paired_test

__all__ = ["Difference", "paired_bootstrap", "paired_randomization"]


def paired_bootstrap(
    a: ArrayLike | Score,
    b: ArrayLike | Score,
    aggregate: Aggregate | None = None,
    *,
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    documents: Sequence[str] | None = None,
) -> Difference:
    """Test by paired bootstrap: p < 0.05 if and only if the 95% interval does not hold 0.

    Where fewer than 100 segments differ, p comes from randomization instead (exact if fewer than 20
    do), and may disagree with the interval.

    Parameters:
        a, b: for each segment a number, or a row of k numbers; or a `Score`.
        aggregate: sums of these numbers and the number of segments → a score (default: the mean).
            It must not be given with a `Score`, which has its own.
        n_resamples: number of resamples, 40 or more.
        seed: random seed.
        documents: the document of each segment, to draw and exchange documents instead of segments,
            for talks and stories, whose segments depend on each other.

    >>> result = paired_bootstrap([0.5, 0.7, 0.9], [0.4, 0.8, 0.5])
    >>> round(result.value, 4), result.p < 0.05, result.interval[0] > 0
    (0.1333, False, False)
    """
    return _test(
        "bootstrap", a, b, aggregate, n_resamples=n_resamples, seed=seed, documents=documents
    )


def paired_randomization(
    a: ArrayLike | Score,
    b: ArrayLike | Score,
    aggregate: Aggregate | None = None,
    *,
    n_resamples: int = resampling.N_RESAMPLES,
    seed: int = resampling.SEED,
    documents: Sequence[str] | None = None,
) -> Difference:
    """Test by approximate randomization; parameters as in `paired_bootstrap`.

    The interval is that of the paired bootstrap, and may disagree with p where p is close to 0.05.

    >>> paired_randomization([0.5, 0.7, 0.9], [0.5, 0.7, 0.9]).p
    1.0
    """
    return _test(
        "randomization", a, b, aggregate, n_resamples=n_resamples, seed=seed, documents=documents
    )


def _documents(documents: Sequence[str], n_segments: int) -> I64:
    """Return the document of each segment, as a number."""
    names = [*map(plain_text, items_of(documents, "documents"))]
    if len(names) != n_segments:
        raise InputError(
            f"there are {len(names)} documents and {n_segments} segments; give one for each segment"
        )
    return documents_to_draw([str(name or "") for name in names])


def _is_score(side: object) -> TypeGuard[Score]:
    return hasattr(side, "statistics") and hasattr(side, "aggregate")


def _test(
    test: str,
    a: ArrayLike | Score,
    b: ArrayLike | Score,
    aggregate: Aggregate | None,
    *,
    n_resamples: int,
    seed: int,
    documents: Sequence[str] | None,
) -> Difference:
    scores = {name: side for name, side in (("a", a), ("b", b)) if _is_score(side)}
    if len(scores) == 2:
        check_comparable(scores)
    if scores and aggregate is not None:
        raise OptionError(
            (Setting("aggregate"), f" is given, but {' and '.join(scores)} have their own"),
            hint="leave it out, or give numbers instead of a Score",
        )
    if scores:
        aggregate = next(iter(scores.values())).aggregate
    sides = []
    for name, side in (("a", a), ("b", b)):
        if _is_score(side):
            side = side.statistics
        try:
            sides.append(np.asarray(side, np.float64))
        except (TypeError, ValueError, OverflowError):
            kind = type(side).__name__
            raise InputError(
                f"{name} is of type {kind}; it must be a Score, or have a number for each segment"
            ) from None
    if sides[0].shape != sides[1].shape or sides[0].ndim not in (1, 2) or not len(sides[0]):
        raise InputError(
            f"a has the shape {sides[0].shape} and b {sides[1].shape}; both must have the"
            " same shape, with one row per segment, and at least one"
        )
    common_index([("a", a), ("b", b)])
    statistics = np.stack(sides).reshape(2, len(sides[0]), -1)
    kept = ~np.isnan(statistics).any(axis=(0, 2))  # segments that were not skipped
    drawn = None if documents is None else _documents(documents, statistics.shape[1])[kept]
    statistics = statistics[:, kept]
    result = paired_test(
        statistics,
        aggregate or resampling.mean,
        test=test,
        n_resamples=n_resamples,
        seed=seed,
        documents=drawn,
    )
    digits = max((score.digits for score in scores.values()), default=4)
    return result.difference(digits=digits)
