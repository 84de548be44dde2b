"""Many machines: a Dask data frame, Parquet or text → scores, by partitions (extra `dask`).

    sources   paths → partitions that workers read by themselves
    parcel    the lexicon, sent to each worker once, by its digest
    recipe    how a worker makes the driver's metric, and shows by its signature that it did
    work      a partition → its scores, and what the driver learns of it
    job       data and metric → partitions and what is to be done with each; Dask's own calls
    totals    what all partitions together make

A segment's scores are those of `corpus_score`, bit for bit: no segment depends on another, but for
`script="auto"`, which the driver decides by the first 10,000 texts of a column for all partitions.
A worker that is lost loses nothing: its partitions are done again, and a file of scores is whole
under a name made of its partition's number, or not there.

Without a Dask client, the work is done in threads of this process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from celab.errors import OptionError

if TYPE_CHECKING:
    from celab.distributed.job import Job
    from celab.distributed.totals import Total
    from celab.metrics.base import Metric

__all__ = ["PARTITION_SIZE", "score", "total"]

PARTITION_SIZE = 100_000  # rows: seconds of work, and some ten megabytes


def score(
    data: Any,
    *,
    metric: Metric | None = None,
    hypothesis: str = "hypothesis",
    references: Sequence[str] = ("reference",),
    keep: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    client: Any = None,
    partition_size: int = PARTITION_SIZE,
) -> Any:
    """A Dask data frame with the columns `score`, `precision` and `recall`, and those to `keep`.

    `data` is a Dask or pandas data frame; or the path of a Parquet file, a folder or pattern of
    them, or a list of such; or text files, as a mapping from columns to paths. References that are
    null or blank are absent. `metric` is `TeslaCelab()` if none is given. Nothing is scored until
    the frame is asked for, unless there is an `output`: a folder that gets one Parquet file for
    each partition, and `_celab.json` when all are written. `client` is Dask's present client if
    none is given. Only files and pandas frames are cut by `partition_size`.
    """
    from celab.distributed.job import dask
    from celab.distributed.work import scored

    if output is not None:
        total(
            data, metric=metric, hypothesis=hypothesis, references=references, keep=keep,
            output=output, client=client, partition_size=partition_size,
        )  # fmt: skip
        pattern = os.path.join(os.path.abspath(output), "part-*.parquet")
        return dask("dask.dataframe").read_parquet(pattern)
    job = _job(data, metric, hypothesis, references, keep, client, partition_size)
    frames = job.each(scored)
    return dask("dask.dataframe").from_delayed(frames, meta=job.meta, verify_meta=False)


def total(
    data: Any,
    *,
    metric: Metric | None = None,
    hypothesis: str = "hypothesis",
    references: Sequence[str] = ("reference",),
    keep: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    client: Any = None,
    partition_size: int = PARTITION_SIZE,
    progress: Callable[[int, int], object] | None = None,
) -> Total:
    """The score of all rows, computed now; the arguments are those of `score`.

    `progress` is told how many partitions are done, and of how many.
    """
    from celab.distributed import totals
    from celab.distributed.job import done
    from celab.distributed.work import recorded

    job = _job(data, metric, hypothesis, references, keep, client, partition_size)
    folder = None if output is None else totals.new_folder(output)
    records = []
    for record in done(job.each(recorded, folder=folder), job.client):
        records.append(record)
        if progress is not None:
            progress(len(records), len(job.parts))
    found = totals.total_of(records, len(references))
    if folder is not None:
        totals.finish(folder, found)
    return found


def _job(
    data: Any, metric: Metric | None, hypothesis: str, references: Sequence[str],
    keep: Sequence[str], client: Any, partition_size: int,
) -> Job:  # fmt: skip
    from celab.distributed.job import Job
    from celab.distributed.work import Columns

    if isinstance(references, str) or isinstance(keep, str):
        raise OptionError("references and keep are sequences of columns; a str was given")
    columns = Columns(hypothesis, tuple(references), tuple(keep))
    return Job(data, metric, columns, client, partition_size)
