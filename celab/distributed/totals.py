"""Totals: what the workers report of their partitions → the score of all, and a finished folder.

Sums of partitions are added in the order of the partitions, whichever came first, so that the same
data in the same partitions gives the same digits. `_celab.json` is written last: a folder that has
it is complete.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from celab.distributed.work import UNFINISHED, Record, file_name
from celab.errors import InputError
from celab.metrics.base import NAMES
from celab.version import __version__

SUMMARY = "_celab.json"
_COUNTED = re.compile(r"\bnrefs:\w+")


@dataclass(frozen=True, slots=True)
class PartTotal:
    """One partition; `score` is None if it has no rows."""

    file: str | None
    n_rows: int
    score: float | None


@dataclass(frozen=True, slots=True)
class Total:
    """The score of all rows, and of each partition."""

    score: float
    precision: float | None
    recall: float | None
    n_rows: int
    n_references: int
    signature: str
    partitions: tuple[PartTotal, ...]

    def __str__(self) -> str:
        metric = self.signature.partition("|")[0]
        name = NAMES.get(metric, metric)
        if self.precision is None:
            return f"{name} = {self.score:.2f}  {self.signature}"
        return (
            f"{name} = {self.score:.4f}  P = {self.precision:.4f}"
            f"  R = {self.recall:.4f}  {self.signature}"
        )

    def as_dict(self) -> dict[str, Any]:
        """As it stands in `_celab.json`."""
        return {"celab_version": __version__, **asdict(self)}


def total_of(records: Sequence[Record], n_references: int) -> Total:
    """All partitions together."""
    ordered = sorted(records, key=lambda record: record.number)
    assert [record.number for record in ordered] == list(range(len(ordered)))
    full = [record for record in ordered if record.n_rows]
    if not full:
        raise InputError("there are no rows; at least one is needed")
    n_rows = sum(record.n_rows for record in full)
    figures = np.sum([record.figures for record in full], axis=0) / n_rows
    aggregate = full[0].aggregate
    assert aggregate is not None
    statistics = np.sum([record.statistics for record in full], axis=0)
    has_all = len(figures) == 3
    return Total(
        float(aggregate(statistics, n_rows)),
        float(figures[1]) if has_all else None,
        float(figures[2]) if has_all else None,
        n_rows,
        n_references,
        _signature([record.signature for record in full]),
        tuple(PartTotal(record.file, record.n_rows, record.score) for record in ordered),
    )


def _signature(signatures: Sequence[str]) -> str:
    # sacreBLEU counts the references of the segments, and partitions may differ in that.
    first, *others = dict.fromkeys(signatures)
    return _COUNTED.sub("nrefs:var", first) if others else first


def new_folder(output: str | os.PathLike[str]) -> str:
    """The folder that is to hold the files, which must not hold any yet."""
    folder = Path(os.path.abspath(output))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(
            f"output {folder} cannot be used ({error.strerror}); it must be a folder that can be"
            " written"
        ) from None
    if there:
        raise InputError(f"output {folder} holds {there[0]}; it must be new or empty")
    return str(folder)


def finish(folder: str, found: Total) -> None:
    """Sees to it that every file is there with all its rows, and says so in `_celab.json`."""
    from pyarrow.parquet import read_metadata

    for number, part in enumerate(found.partitions):
        path = Path(folder, file_name(number))
        n_rows = read_metadata(path).num_rows if path.is_file() else None
        if n_rows != part.n_rows:
            raise InputError(
                f"{path} has {n_rows} rows, but {part.n_rows} were scored;"
                " nobody else may write into the folder"
            )
    for path in Path(folder).glob(f".part-*{UNFINISHED}"):  # of workers that were lost
        path.unlink(missing_ok=True)
    text = json.dumps(found.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    unfinished = Path(folder, SUMMARY + UNFINISHED)
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, Path(folder, SUMMARY))
