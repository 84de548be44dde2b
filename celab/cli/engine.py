"""`--engine dask`: the flags of `celab-score` that bring more machines, and what it does with them.

Text files, or Parquet whose columns are named by `--ref-fields` and `--hyp-fields`, go to
`celab.distributed`; the score of each system by each metric comes back. `--output` is a folder
then, which gets the scores of the segments as Parquet: FOLDER, or FOLDER/METRIC/SYSTEM if there are
several metrics or systems.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from celab.cli import progress
from celab.errors import OptionError
from celab.version import __version__

if TYPE_CHECKING:
    from celab.distributed.totals import Total
    from celab.metrics.base import Metric

ENGINES = ("local", "dask")
OWN = ("scheduler", "partition_size")
# What needs all segments in one place, or a format that is no plain text; by what is not given.
LOCAL = {
    "explain": None, "html": None, "tsv": False, "markdown": False, "latex": False, "test": None,
    "source": None, "encoding": None, "skip_missing": False, "source_field": None,
    "only_refs": None, "only_systems": None, "resume": False,
}  # fmt: skip


def add_engine(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    group = parser.add_argument_group("more than one machine")
    group.add_argument(
        "--engine", choices=ENGINES, default="local",
        help="local: this process (default); dask: the workers of a Dask cluster, which read plain"
        " text files or Parquet by themselves (extra dask)",
    )  # fmt: skip
    group.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="dask: of the scheduler, such as tcp://10.0.0.1:8786 (default: start as many workers"
        " on this machine as --jobs says)",
    )  # fmt: skip
    group.add_argument(
        "--partition-size", type=int, metavar="ROWS",
        help="dask: how many segments a worker takes at once (default: 100000)",
    )  # fmt: skip


def chosen(arguments: argparse.Namespace) -> bool:
    """Whether Dask is to do the work; raises if other flags say something else."""
    if arguments.engine != "dask":
        for flag in OWN:
            if getattr(arguments, flag) is not None:
                raise OptionError(f"{_spelt(flag)} is given; it goes with --engine dask only")
        return False
    for flag, absent in LOCAL.items():
        if getattr(arguments, flag) not in (absent, None):
            raise OptionError(f"{_spelt(flag)} is given; it goes with --engine local only")
    if arguments.level != "system":
        raise OptionError(
            f"--level is {arguments.level}; --engine dask writes segments to --output and shows"
            " systems only"
        )
    if arguments.format not in (None, "plain"):
        raise OptionError(
            f"--format is {arguments.format}; --engine dask reads plain text and Parquet only"
        )
    return True


def run(
    arguments: argparse.Namespace,
    made: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
) -> str:
    """What to write to stdout; without systems, the references are Parquet that holds all."""
    from celab import distributed
    from celab.distributed.job import connected

    data, hyps, columns = _data(arguments, refs, systems)
    keep = [name for name in (arguments.id_field, arguments.document_field) if name is not None]
    several = len(made) * len(hyps) > 1
    found: dict[str, dict[str, Total]] = {hyp: {} for hyp in hyps}
    with connected(arguments.scheduler, getattr(arguments, "jobs", 1)) as client:
        for name, metric in made.items():
            for hyp in hyps:
                folder = arguments.output
                if folder is not None and several:
                    folder = os.path.join(folder, name, os.path.basename(hyp))
                with _Bar(arguments.quiet) as bar:
                    found[hyp][name] = distributed.total(
                        data, metric=metric, hypothesis=hyp, references=columns, keep=keep,
                        output=folder, client=client, progress=bar.tell,
                        partition_size=_size(arguments, distributed.PARTITION_SIZE),
                    )  # fmt: skip
    if arguments.json:
        return _json(found)
    return "".join(_lines(found, arguments.brief))


def _data(
    arguments: argparse.Namespace, refs: Sequence[str], systems: Sequence[str]
) -> tuple[Any, list[str], list[str]]:
    """What `celab.distributed` reads, and the columns of hypotheses and references in it."""
    if not systems:
        hyps = (arguments.hyp_fields or "hypothesis").split(",")
        return list(refs), hyps, (arguments.ref_fields or "reference").split(",")
    for flag in ("ref_fields", "hyp_fields", "id_field", "document_field"):
        if getattr(arguments, flag) is not None:
            raise OptionError(
                f"{_spelt(flag)} is given beside text files; it names a column of Parquet, which"
                " is given alone"
            )
    if not refs:
        raise OptionError("no references are given; there must be one at least")
    for path in (*refs, *systems):
        if path == "-":
            raise OptionError(
                "standard input (-) is given; --engine dask needs files that all workers see"
            )
    # A column is called as its file, so that messages name the file.
    return {path: path for path in (*refs, *systems)}, list(systems), list(refs)


def _size(arguments: argparse.Namespace, default: int) -> int:
    return default if arguments.partition_size is None else int(arguments.partition_size)


def _lines(found: Mapping[str, Mapping[str, Total]], brief: bool) -> Iterator[str]:
    for hyp, by_metric in found.items():
        for total in by_metric.values():
            digits = 2 if total.precision is None else 4
            line = f"{total.score:.{digits}f}" if brief else str(total)
            yield f"{hyp}\t{line}\n" if len(found) > 1 and not brief else f"{line}\n"


def _json(found: Mapping[str, Mapping[str, Total]]) -> str:
    systems = []
    for hyp, by_metric in found.items():
        metrics: dict[str, dict[str, Any]] = {}
        for name, total in by_metric.items():
            metrics[name] = {"score": total.score}
            if total.precision is not None:
                metrics[name] |= {"precision": total.precision, "recall": total.recall}
            metrics[name] |= {"signature": total.signature, "n_segments": total.n_rows}
        systems.append({"name": hyp, "metrics": metrics})
    report = {"celab_version": __version__, "systems": systems}
    return json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n"


def _spelt(flag: str) -> str:
    return f"--{flag.replace('_', '-')}"


class _Bar(progress.ProgressBar):
    """A bar of partitions, for who wants to see it."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(0, "scoring", "partitions")
        self.is_welcome = progress.is_welcome(quiet)

    def __enter__(self) -> _Bar:
        return self

    def tell(self, n_done: int, n_partitions: int) -> None:
        """So many are done."""
        if self.is_welcome:
            self(n_done, n_partitions)
