"""Data and a metric → a call for each partition; and the functions that workers run.

The driver makes the scorer, from the first references if the metric looks at them, and pickles it;
each worker process unpickles it once. A worker writes a partition's file atomically under a name
made from the partition's number, so a partition that is scored twice, because a worker was lost or
slow, is written once.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import pickle
import signal
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from celab.base import io
from celab.base.errors import CelabError, InputError, OptionError, SentenceError, install_command
from celab.base.options import LIMITS, Limits
from celab.base.run import STREAM_BATCH
from celab.base.text.scripts import warn_if_japanese
from celab.distributed import partitions
from celab.metrics.base import Metric, Scorer
from celab.metrics.celab import TeslaCelab
from celab.metrics.scores import Score

if TYPE_CHECKING:
    from dask.dataframe import DataFrame as DaskFrame
    from dask.delayed import Delayed
    from pandas import DataFrame

    Data: TypeAlias = (
        DataFrame | DaskFrame | io.AnyPath | Sequence[io.AnyPath] | Mapping[str, io.AnyPath]
    )
    Rows: TypeAlias = partitions.Partition | DataFrame

SCHEDULER_TIMEOUT_SECONDS = 10.0
_LANGUAGE_SAMPLE_ROWS = 1000
FIGURES = ("score", "precision", "recall")
# A distributed.Client; its own types allow for asynchronous use as well.
Client: TypeAlias = Any
# Names of columns; the hypothesis comes before the references.
Names = tuple[str, ...]


class Job:
    """Partitions and delayed scorer; `meta` is an empty frame with the columns of the result."""

    def __init__(
        self,
        data: Data,
        metric: Metric | None,
        hypothesis: str,
        references: Sequence[str],
        keep: Sequence[str],
        client: Client | None,
        partition_size: int,
        limits: Limits = LIMITS,
    ) -> None:
        frames = import_dask("dask.dataframe")  # a missing extra is named first
        if isinstance(references, str) or isinstance(keep, str):
            raise OptionError("references or keep is a str; it must be a sequence of column names")
        if not references:
            raise InputError("references is empty; it must name at least one column")
        for name in keep:
            if name in FIGURES:
                raise InputError(
                    f"column {name!r} cannot be kept, because the scores have that name; rename it"
                )
        if not isinstance(partition_size, int) or partition_size < 1:
            raise OptionError(
                f"partition_size is {partition_size!r}; it must be a whole number of 1 or more"
            )
        self.client = client
        if client is None:
            with contextlib.suppress(ValueError):  # there is none
                self.client = import_dask("distributed").get_client()
        if self.client is not None:
            _check_versions(self.client)
        self.names, self.kept = (hypothesis, *references), tuple(keep)
        self.parts, meta = _partitions(data, self.names, self.kept, partition_size, limits)
        self.meta = meta.assign(**dict.fromkeys(FIGURES, 0.0)).iloc[:0]
        metric = (metric or TeslaCelab()).with_run(jobs=1)
        beginning_of_refs = self._beginning(metric)
        self._warn_of_japanese(metric, isinstance(data, frames.DataFrame))
        pickled = pickle.dumps(metric.scorer(beginning_of_refs, cache_references=False))
        self.scorer = import_dask("dask").delayed(pickled, name=f"scorer-{uuid.uuid4().hex}")

    def calls(self, what: Callable[..., object], *settings: object) -> Iterator[Delayed]:
        """Return delayed calls of `what`, one for each partition.

        Files are read and scored in one call, so that rows do not travel in between.
        """
        call, run = import_dask("dask").delayed(what), uuid.uuid4().hex
        for n, part in enumerate(self.parts):
            yield call(part, n, self.names, *settings, dask_key_name=f"partition-{n}-{run}")

    def _beginning(self, metric: Metric) -> list[list[str]]:
        # The first references, where the metric looks at them.
        sides: list[list[str]] = [[] for _ in self.names]
        if metric.depends_on_references:
            for call in self.calls(beginning, STREAM_BATCH):
                (texts,) = iter_results([call], self.client)
                sides = [side + more for side, more in zip(sides, texts, strict=True)]
                if len(sides[0]) >= STREAM_BATCH:
                    break
        return sides[1:]

    def _warn_of_japanese(self, metric: Metric, is_lazy: bool) -> None:
        # Only the first partition is read, and not if computing it may take long.
        if metric.treats_text_as_chinese and not is_lazy:
            (sides,) = iter_results(
                islice(self.calls(beginning, _LANGUAGE_SAMPLE_ROWS), 1), self.client
            )
            warn_if_japanese(*sides, where=", ".join(self.names))


def _check_versions(client: Client) -> None:
    # A worker without celab dies when it gets a task, and so does the next one that gets it.
    with _connected():
        machines = client.get_versions(packages=["celab"])
    ours = machines["client"]["packages"]["celab"]
    for name, machine in {"the scheduler": machines["scheduler"], **machines["workers"]}.items():
        if (theirs := machine["packages"]["celab"]) != ours:
            raise OptionError(
                f"{name} has celab {theirs or 'not installed'}, the driver has {ours}; celab"
                " with the extra dask must be installed everywhere in the same version"
            )


def _partitions(
    data: Data, names: Names, kept: Names, n_rows: int, limits: Limits
) -> tuple[Sequence[Delayed | partitions.Partition], DataFrame]:
    # The partitions, and an empty frame of the columns that are kept.
    frames, pandas = import_dask("dask.dataframe"), import_dask("pandas")
    needed = list(dict.fromkeys((*names, *kept)))
    if isinstance(data, pandas.DataFrame):
        data = frames.from_pandas(data, chunksize=n_rows, sort=False)
    if isinstance(data, frames.DataFrame):
        partitions.check_columns(needed, list(data.columns), "the data frame")
        return data[needed].to_delayed(), data[list(kept)]._meta
    if isinstance(data, Mapping):
        partitions.check_columns(needed, list(data), "the mapping of text files")
        parts = partitions.text_parts({name: data[name] for name in needed}, n_rows, limits)
    elif isinstance(data, str | os.PathLike | Sequence):
        parts = partitions.parquet_parts(data, needed, n_rows)
    else:
        raise InputError(
            f"data is of type {type(data).__name__}; it must be a data frame, the path of Parquet,"
            " or a mapping from columns to text files"
        )
    if not kept:
        return parts, pandas.DataFrame(index=pandas.RangeIndex(0, name="row"))
    return parts, parts[0].read()[list(kept)]


def iter_results(calls: Iterable[Delayed], client: Client | None) -> Iterator[Any]:
    """Yield the results of delayed calls, in the order in which they arrive."""
    if client is None:
        yield from import_dask("dask").compute(*calls, scheduler="threads")
        return
    with _connected():
        yield from _results_of(client, list(calls))


def _results_of(client: Client, calls: list[Delayed]) -> Iterator[Any]:
    distributed = import_dask("distributed")
    futures = client.compute(calls)
    try:
        for future, result in distributed.as_completed(
            futures, loop=client.loop, with_results=True
        ):
            if isinstance(result, import_dask("distributed.client").FutureCancelledError):
                raise result  # it comes as a result
            future.release()  # if its worker is lost later, it need not be scored again
            yield result
    except distributed.KilledWorker as error:
        raise InputError(
            f"{error.task} failed, because every worker that ran it was lost;"
            " smaller partitions need less memory"
        ) from None
    finally:
        client.cancel(futures)


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    """Raise an `InputError` if the scheduler does not answer any more, or cancels the work."""
    cancelled = import_dask("distributed.client").FutureCancelledError
    try:
        yield
    except (import_dask("distributed").comm.CommClosedError, TimeoutError, cancelled):
        raise InputError(
            "the Dask scheduler was lost, or has cancelled the work; run the command again"
        ) from None


def connect(scheduler: str | None = None, workers: int = 1) -> Client:
    """Yield a client of the scheduler at that address, or of new workers on this machine only."""
    local = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": None,
        "silence_logs": logging.CRITICAL,
        # dask serves its state even without a dashboard; 0 is any free port.
        "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0", "dashboard": False},
    }
    at = (
        local if scheduler is None else {"address": scheduler, "timeout": SCHEDULER_TIMEOUT_SECONDS}
    )
    make, client = import_dask("distributed").Client, None
    for name in ("distributed", "distributed.client"):  # an error is the line of the command
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with _undisturbed():
            client = make(set_as_default=False, **at)
        return client
    except KeyboardInterrupt:
        if client is not None:
            client.close()
        raise
    except (OSError, ValueError) as error:
        raise OptionError(
            f"scheduler {scheduler!r} does not answer ({error}); it must be the address of a"
            " running Dask scheduler, such as tcp://127.0.0.1:8786"
        ) from None


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay signals, because half-started workers can neither be used nor stopped."""
    arrived: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, _: arrived.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


def import_dask(module: str) -> Any:
    """Import a module of the extra `dask`."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise OptionError(
            f"{error.name} is not installed, and scoring on Dask needs it:"
            f" {install_command('dask')}"
        ) from None


# ---- what a worker does ----


def beginning(part: Rows, number: int, names: Names, n_rows: int) -> list[list[str]]:
    """Return the first texts of each side."""
    return _read(part, number, names, n_rows)[1]


def scored(part: Rows, number: int, names: Names, kept: Names, pickled: bytes) -> DataFrame:
    """Return a data frame: index, kept columns and scores of a partition."""
    return _scored(part, number, names, kept, pickled)[0]


def recorded(
    part: Rows, number: int, names: Names, kept: Names, pickled: bytes, folder: str | None
) -> tuple[int, Score | None]:
    """Return number and score of a partition, None without rows; write the frame to the folder."""
    frame, score = _scored(part, number, names, kept, pickled)
    if folder is not None:
        data = frame.to_parquet(index=True, compression="zstd")
        io.write(os.path.join(folder, file_name(number)), data)
    return number, score


def file_name(number: int) -> str:
    """Return the file with a partition's scores."""
    return f"part-{number:05}.parquet"


def _scored(
    part: Rows, number: int, names: Names, kept: Names, pickled: bytes
) -> tuple[DataFrame, Score | None]:
    frame, (hyps, *refs), place = _read(part, number, names)
    result, score = frame[list(kept)].copy(), None
    figures = np.full((len(frame), len(FIGURES)), np.nan)
    if len(frame):
        scorer = _unpickled(pickled)
        try:
            score = scorer(hyps, refs)
        except SentenceError as error:
            column = f"row {error.sentence}, column {names[error.stream or 0]}"
            raise InputError(f"{place}, {column}: {error.what}") from None
        except CelabError as error:
            raise error.within(f"{place}, columns {', '.join(names)}") from None
        known = score.segments.figures  # BLEU and its like have no precision and recall
        figures[:, : known.shape[1]] = known
    result[list(FIGURES)] = figures
    return result, score


def _read(
    part: Rows, number: int, names: Names, n_rows: int | None = None
) -> tuple[DataFrame, list[list[str]], str]:
    # The rows, the texts of each side with "" for null references, and what messages call them.
    place = f"partition {number}"
    if isinstance(part, partitions.Partition):
        part, place = part.read(), f"{place} ({part.where})"
    sides: list[list[str]] = []
    for name in names:
        column = part[name].iloc[:n_rows]
        texts = column.astype(object).where(column.notna(), "" if sides else None).tolist()
        for row, text in enumerate(texts, 1):
            if not isinstance(text, str):
                seen = "is null" if text is None else f"holds a {type(text).__name__}"
                raise InputError(
                    f"{place}, row {row}: column {name!r} {seen}; it must hold text, which may be"
                    " empty"
                )
        sides.append(texts)
    return part, sides, place


@lru_cache(maxsize=16)
def _unpickled(pickled: bytes) -> Scorer:
    try:
        scorer: Scorer = pickle.loads(pickled)
    except CelabError as error:
        raise error.within("a worker cannot load the driver's metric") from None
    return scorer
