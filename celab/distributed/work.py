"""Work: a partition in, its scores out; what a worker does, and what it reports to the driver.

A worker writes a partition's file under a name of its own and then renames it. The last name comes
from the partition's number, so a partition that is done twice, because a worker was lost or only
slow, is there once.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from celab.analysis.model import SentenceError
from celab.distributed.recipe import Recipe, scores_of
from celab.errors import CelabError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from celab.metrics.base import Score
    from celab.statistics.resampling import Aggregate

    F64 = NDArray[np.float64]

FIGURES = ("score", "precision", "recall")
UNFINISHED = ".tmp"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold what; `kept` go into the output as they are."""

    hypothesis: str
    references: tuple[str, ...]
    kept: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Hypothesis first."""
        return self.hypothesis, *self.references

    @property
    def needed(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys((*self.texts, *self.kept)))


@dataclass(frozen=True, slots=True)
class Task:
    """All that is the same for every partition."""

    recipe: Recipe
    columns: Columns
    scripts: tuple[str, ...] | None = None  # what each side becomes, where the metric must be told


@dataclass(frozen=True, slots=True)
class Record:
    """What the driver learns of a partition: sums, from which the score of all is made."""

    number: int
    n_rows: int
    figures: F64  # sums of score, precision and recall, or of the score alone
    statistics: F64
    score: float | None  # of this partition
    signature: str
    aggregate: Aggregate | None
    file: str | None


def scored(frame: Any, task: Task, number: int, where: str = "") -> Any:
    """The scores of a partition, beside its index and the columns that are kept."""
    return _scored(frame, task, number, where)[0]


def recorded(
    frame: Any, task: Task, number: int, where: str = "", folder: str | None = None
) -> Record:
    """The same, written to the folder, if there is one, and summed up."""
    result, score = _scored(frame, task, number, where)
    file = None
    if folder is not None:
        file = file_name(number)
        _write(result, folder, file)
    if score is None:
        return Record(number, 0, np.zeros(0), np.zeros(0), None, "", None, file)
    return Record(
        number, len(result), score.segments.figures.sum(axis=0), score.statistics.sum(axis=0),
        score.score, score.signature, score.aggregate, file,
    )  # fmt: skip


def file_name(number: int) -> str:
    """Of a partition's scores."""
    return f"part-{number:05}.parquet"


def _scored(frame: Any, task: Task, number: int, where: str) -> tuple[Any, Score | None]:
    place = f"partition {number}" + (f" ({where})" if where else "")
    columns = task.columns
    result = frame[list(columns.kept)].copy()
    score = None
    if len(frame):
        hyps = texts_of(frame, columns.hypothesis, place, absent=False)
        refs = [texts_of(frame, name, place) for name in columns.references]
        score = _score(task, hyps, refs, place)
    for column, name in enumerate(FIGURES):
        known = score is not None and column < score.segments.figures.shape[1]
        result[name] = score.segments.figures[:, column] if known and score else np.nan
        result[name] = result[name].astype(np.float64)
    return result, score


def _score(task: Task, hyps: list[str], refs: list[list[str]], place: str) -> Score:
    of = f"{place}, columns {', '.join(task.columns.texts)}"
    try:
        return scores_of(task.recipe, hyps, refs, task.scripts)
    except SentenceError as error:
        column = task.columns.texts[error.stream or 0]
        raise InputError(f"{place}, row {error.sentence}, column {column}: {error.what}") from None
    except CelabError as error:
        raise type(error)(f"{of}: {error}") from None


def texts_of(frame: Any, column: str, place: str, *, absent: bool = True) -> list[str]:
    """A column as a list of str, with "" for what is null, if anything may be."""
    series = frame[column]
    missing = series.isna().to_numpy(bool)
    if missing.any() and not absent:
        raise InputError(
            f"{place}, row {int(missing.argmax()) + 1}: column {column!r} is null;"
            " a hypothesis must be a text, which may be empty"
        )
    texts: list[str] = series.astype(object).tolist()
    for row in np.flatnonzero(missing).tolist():
        texts[row] = ""
    for row, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(
                f"{place}, row {row}: column {column!r} holds a {type(text).__name__};"
                " it must hold text"
            )
    return texts


def _write(frame: Any, folder: str, file: str) -> None:
    import pyarrow
    from pyarrow import parquet

    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{file}.", suffix=UNFINISHED)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written by a worker ({error.strerror});"
            " it must lie where the driver and all workers see it"
        ) from None
    os.close(handle)
    try:
        table = pyarrow.Table.from_pandas(frame, preserve_index=True)
        parquet.write_table(table, name, compression="zstd")
        os.chmod(name, 0o644)  # mkstemp's files are for their maker alone
        os.replace(name, os.path.join(folder, file))
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise InputError(f"{folder}/{file} cannot be written ({error})") from None
        raise


def check_names(columns: Columns) -> None:
    """Raises `InputError` where the output could not have all columns."""
    if not columns.references:
        raise InputError("references is empty; it must name one column at least")
    for name in columns.kept:
        if name in FIGURES:
            raise InputError(f"column {name!r} cannot be kept; the scores have that name")


def first_texts(frames: Sequence[Any], columns: Sequence[str], most: int) -> list[list[str]]:
    """The first texts of each column, from partitions in their order."""
    found: list[list[str]] = [[] for _ in columns]
    for number, frame in enumerate(frames):
        for side, column in zip(found, columns, strict=True):
            side += texts_of(frame, column, f"partition {number}")[: most - len(side)]
    return found
