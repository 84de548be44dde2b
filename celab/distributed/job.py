"""Jobs: data and a metric → partitions, not read yet, and what is to be done with each.

The lexicon is sent ahead here, and the beginning of every column looked at if the metric has to;
`done` then runs the partitions on the client's workers, or in threads.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from celab.distributed import sources
from celab.distributed.parcel import send
from celab.distributed.recipe import looks, recipe_of, scripts_of
from celab.distributed.work import Columns, Task, check_names, first_texts
from celab.errors import InputError, OptionError
from celab.metrics.base import Metric
from celab.metrics.celab import TeslaCelab
from celab.normalize import LOOKED_AT

PATIENCE = 10.0  # seconds until a scheduler must have answered


class Job:
    """Partitions and task; `meta` is an empty frame with the columns of the result."""

    def __init__(
        self, data: Any, metric: Metric | None, columns: Columns, client: Any, partition_size: int
    ) -> None:
        dask("dask.dataframe")  # all that is missing is missing from the start
        check_names(columns)
        if not isinstance(partition_size, int) or partition_size < 1:
            raise OptionError(
                f"partition_size is {partition_size!r}; it must be a whole number from 1"
            )
        metric = TeslaCelab() if metric is None else metric
        self.client = client if client is not None else _present_client()
        self.parts, kept = _partitions(data, columns, partition_size)
        recipe, parcel = recipe_of(metric)
        if parcel is not None:
            send(parcel, self.client)
        self.task = Task(recipe, columns, self._scripts(metric, columns))
        self.meta = kept.assign(score=0.0, precision=0.0, recall=0.0).iloc[:0]

    def each(self, what: Callable[..., Any], **settings: Any) -> list[Any]:
        """`what` is to be done with every partition."""
        do = partial(what, task=self.task, **settings)
        run = uuid.uuid4().hex
        return [
            _lazy(partial(do, number=n), part, f"partition-{n}-{run}")
            for n, part in enumerate(self.parts)
        ]

    def _scripts(self, metric: Metric, columns: Columns) -> tuple[str, ...] | None:
        if not looks(metric):
            return None
        frames: list[Any] = []
        n_rows = 0
        for part in self.parts:
            if n_rows >= LOOKED_AT:
                break
            first = partial(_first_rows, columns=columns.texts, most=LOOKED_AT - n_rows)
            frames += done([_lazy(first, part, f"beginning-{uuid.uuid4().hex}")], self.client)
            n_rows += len(frames[-1])
        return scripts_of(metric, first_texts(frames, columns.texts, LOOKED_AT))


def _lazy(do: Callable[..., Any], part: Any, name: str) -> Any:
    # A partition of files is read and scored in one task, or the rows could travel in between.
    # Partials, because Dask looks for lazy things in the fields of every dataclass it is given.
    delayed = dask("dask").delayed
    if isinstance(part, sources.TextPart | sources.ParquetPart):
        return delayed(partial(_of_file, do, part))(dask_key_name=name)
    return delayed(do)(part, dask_key_name=name)


def _of_file(do: Callable[..., Any], part: sources.Part) -> Any:
    return do(part.read(), where=part.where)


def _first_rows(frame: Any, columns: Sequence[str], most: int, where: str = "") -> Any:
    return frame[list(dict.fromkeys(columns))].iloc[:most]


def _partitions(data: Any, columns: Columns, n_rows: int) -> tuple[Sequence[Any], Any]:
    """The partitions, and an empty frame of the columns that are kept."""
    frames, pandas = dask("dask.dataframe"), dask("pandas")
    if isinstance(data, pandas.DataFrame):
        data = frames.from_pandas(data, chunksize=n_rows, sort=False)
    if isinstance(data, frames.DataFrame):
        sources.check_columns(columns.needed, list(data.columns), "the data frame")
        return data[list(columns.needed)].to_delayed(), data[list(columns.kept)]._meta
    found: Sequence[sources.Part]
    if isinstance(data, Mapping):
        sources.check_columns(columns.needed, list(data), "the mapping of text files")
        found = sources.text_parts({name: data[name] for name in columns.needed}, n_rows)
    elif isinstance(data, str | os.PathLike | Sequence):
        found = sources.parquet_parts(data, columns.needed, n_rows)
    else:
        raise InputError(
            f"data is a {type(data).__name__}; it must be a data frame, the path of Parquet, or a"
            " mapping from columns to text files"
        )
    kept = found[0].read()[list(columns.kept)] if columns.kept else _nothing_kept()
    return found, kept.iloc[:0]


def _nothing_kept() -> Any:
    pandas = dask("pandas")
    return pandas.DataFrame(index=pandas.RangeIndex(0, name="row"))


def done(parts: Sequence[Any], client: Any) -> Iterator[Any]:
    """The results, in the order in which they come."""
    if client is None:
        yield from dask("dask").compute(*parts, scheduler="threads")
        return
    theirs = dask("distributed")
    futures = client.compute(list(parts))
    try:
        for _, result in theirs.as_completed(futures, loop=client.loop, with_results=True):
            yield result
    except theirs.KilledWorker as error:
        raise InputError(
            f"{error.task} was given up, because every worker that had it was lost;"
            " smaller partitions need less memory"
        ) from None
    finally:
        client.cancel(futures)


def _present_client() -> Any:
    try:
        return dask("distributed").get_client()
    except ValueError:  # there is none
        return None


@contextlib.contextmanager
def connected(scheduler: str | None = None, workers: int = 1) -> Iterator[Any]:
    """A client of the scheduler at that address, or of so many new workers on this machine."""
    theirs = dask("distributed")
    if scheduler is None:
        with (
            theirs.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=40
            ) as cluster,
            theirs.Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    try:
        client = theirs.Client(scheduler, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"scheduler {scheduler!r} does not answer ({error}); it must be the address of a"
            " running dask scheduler, such as tcp://127.0.0.1:8786"
        ) from None
    with client:
        yield client


def dask(module: str) -> Any:
    """One of the modules that the extra brings."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise OptionError(
            f"{error.name} is not installed, and work on Dask needs it: pip install celab[dask]"
        ) from None
