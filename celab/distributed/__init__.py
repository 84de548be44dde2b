"""Scoring on the workers of a Dask cluster, partition by partition (extra `dask`).

    partitions  files → partitions that workers read
    job         data and metric → a call for each partition → its scores

Scores are those of `corpus_score`, bit for bit: no segment depends on another, but for
`weights="references"`, which the driver takes from the first 10,000 texts of a column. The metric
is pickled; its lexicon travels by name and digest, so workers need the lexicon's file or package.
If a worker is lost, others score its partitions, and a partition's file is complete or not there.

Without a Dask client, threads of this process do the work.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import InputError
from celab.base.options import LIMITS, Limits
from celab.base.run import Progress
from celab.base.version import __version__
from celab.distributed import job as jobs
from celab.distributed.job import FIGURES, Client, Job
from celab.metrics.base import Metric
from celab.metrics.scores import Score

if TYPE_CHECKING:
    from dask.dataframe import DataFrame as DaskFrame

    # Loads Dask.
    from celab.distributed.job import Data

__all__ = ["PARTITION_SIZE", "score", "total"]

PARTITION_SIZE = 100_000  # seconds of work, and some ten megabytes


def score(
    data: Data,
    *,
    metric: Metric | None = None,
    hypothesis: str = "hypothesis",
    references: Sequence[str] = ("reference",),
    keep: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    client: Client | None = None,
    partition_size: int = PARTITION_SIZE,
    limits: Limits = LIMITS,
) -> DaskFrame:
    """Return a Dask data frame: the columns `score`, `precision`, `recall`, and those in `keep`.

    `data` is a Dask or pandas data frame; or the path of a Parquet file, a folder or pattern of
    them, or a list of such; or text files, as a mapping from columns to paths. References that are
    null or blank are absent. The default `metric` is `TeslaCelab()`. Nothing is scored until the
    frame is computed, unless there is an `output`: a folder that gets one Parquet file for each
    partition, and `_celab.json` when all are written. The default `client` is Dask's current one.
    `partition_size` is for files and pandas frames; `limits` are of the lines of text files, and of
    the lines of one file in a partition.
    """
    job = Job(
        data=data,
        metric=metric,
        hypothesis=hypothesis,
        references=references,
        keep=keep,
        client=client,
        partition_size=partition_size,
        limits=limits,
    )
    frames = jobs.import_dask("dask.dataframe")
    if output is None:
        calls = list(job.calls(jobs.scored, job.kept, job.scorer))
        lazy: DaskFrame = frames.from_delayed(calls, meta=job.meta, verify_meta=False)
        return lazy
    _total(job, output, None)
    written: DaskFrame = frames.read_parquet(
        os.path.join(os.path.abspath(output), "part-*.parquet")
    )
    return written


def total(
    data: Data,
    *,
    metric: Metric | None = None,
    hypothesis: str = "hypothesis",
    references: Sequence[str] = ("reference",),
    keep: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    client: Client | None = None,
    partition_size: int = PARTITION_SIZE,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
) -> Score:
    """Return the `Score` of all rows, as `corpus_score` does; the arguments are those of `score`.

    `progress` is called with (done, total), which count partitions.
    """
    job = Job(
        data=data,
        metric=metric,
        hypothesis=hypothesis,
        references=references,
        keep=keep,
        client=client,
        partition_size=partition_size,
        limits=limits,
    )
    return _total(job, output, progress)


def _total(
    job: Job,
    output: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> Score:
    folder = None if output is None else _new_folder(output)
    calls = job.calls(jobs.recorded, job.kept, job.scorer, folder)
    scores: dict[int, Score | None] = {}
    for number, part in jobs.iter_results(calls, job.client):
        scores[number] = part
        if progress is not None:
            progress(len(scores), len(job.parts))
    parts = [scores[number] for number in range(len(job.parts))]
    if not any(parts):
        raise InputError("there are no rows; at least one is needed")
    whole = Score.joined([part for part in parts if part is not None])
    if folder is not None:
        _finish(folder, whole, parts)
    return whole


def _new_folder(output: str | os.PathLike[str]) -> str:
    folder = Path(os.path.abspath(output))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(
            f"output {folder} cannot be used ({error.strerror}); it must be a writable folder"
        ) from None
    if there:
        raise InputError(f"output {folder} contains {there[0]}; it must be new or empty")
    return str(folder)


def _finish(folder: str, whole: Score, parts: Sequence[Score | None]) -> None:
    # Removes what lost workers left; `_celab.json` marks the output as complete.
    for unfinished in Path(folder).glob(".celab-*.tmp"):
        unfinished.unlink(missing_ok=True)
    partitions = [
        {
            "file": jobs.file_name(number),
            "n_rows": len(part.segments) if part else 0,
            "score": _number(part.score) if part else None,
        }
        for number, part in enumerate(parts)
    ]
    summary = {
        "celab_version": __version__,
        **{name: _number(getattr(whole, name)) for name in FIGURES},
        "n_rows": len(whole.segments),
        "n_skipped": whole.n_skipped,
        "n_references": whole.n_references,
        "signature": whole.signature,
        "partitions": partitions,
    }
    io.write(Path(folder, "_celab.json"), json.dumps(summary, ensure_ascii=False, indent=1) + "\n")


def _number(value: float | None) -> float | None:
    # Null where all segments were skipped, or where a metric has no such figure.
    return None if value is None or math.isnan(value) else value
