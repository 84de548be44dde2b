"""`--engine dask`: distributed scoring for `celab score`.

Text files, or Parquet with the columns that `--ref-fields` and `--hyp-fields` name, go to
`celab.distributed`; the scores come back without texts, and are reported like any others.
`--output` is a folder for the scores of the segments as Parquet: FOLDER, or FOLDER/METRIC/SYSTEM if
there are several metrics or systems.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from celab.base import io
from celab.base.dicts import Arguments
from celab.base.errors import LONGER, OptionError, SolverError
from celab.cli import inputs, progress
from celab.cli.flags import flag

if TYPE_CHECKING:
    from celab.cli.score import ScoreRequest
    from celab.evaluation.systems.view import SystemScores
    from celab.metrics.base import Metric
    from celab.metrics.scores import Score

# Options of columns, which text files have not.
PARQUET = ("ref_fields", "hyp_fields", "id_field", "document_field")


def run(
    request: ScoreRequest,
    metrics_by_name: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
) -> tuple[SystemScores, str]:
    """Return the scores of all systems and what was read.

    Without `systems`, `refs` are Parquet files of all.
    """
    from celab import distributed
    from celab.corpus.join import check_names, short_names
    from celab.distributed.job import connect
    from celab.evaluation.systems.view import SystemScores

    data, hyps, columns = _data(request, refs, systems)
    names = hyps if not systems else short_names(hyps)
    options = request.inputs
    if options.names is not None:
        check_names(options.names, names)
        names = list(options.names)
    name_by_hyp = dict(zip(hyps, names, strict=True))
    labels = [os.path.basename(hyp) if systems else hyp for hyp in hyps]  # columns have no folders
    files = io.file_names(labels)
    folder_by_hyp = {hyp: files[label] for hyp, label in zip(hyps, labels, strict=True)}
    size = request.engine.partition_size
    settings: Arguments = {
        "references": columns,
        "keep": [str(name) for name in (options.fields.id, options.fields.document) if name],
        "limits": request.limits,
        "partition_size": distributed.PARTITION_SIZE if size is None else size,
    }
    scores: dict[str, dict[str, Score]] = {name: {} for name in metrics_by_name}
    n_rows = 0
    workers = request.metrics.run.threads
    with connect(request.engine.scheduler, workers) as client, request.warnings.reading():
        for (name, metric), hyp in product(metrics_by_name.items(), hyps):
            folder = request.output.output
            if folder is not None and len(metrics_by_name) * len(hyps) > 1:
                folder = os.path.join(folder, name, folder_by_hyp[hyp])
            quiet = request.output.quiet
            with progress.show(0, "scoring", "partitions", quiet=quiet) as bar:
                score = scores[name][name_by_hyp[hyp]] = distributed.total(
                    data,
                    metric=metric,
                    hypothesis=hyp,
                    output=folder,
                    client=client,
                    progress=bar,
                    **settings,
                )
            n_rows = len(score.segments)
            if score.n_skipped == n_rows:
                raise SolverError(
                    f"no segment has a proved score by {name}, all were skipped",
                    place=hyp,
                    hint=LONGER,
                )
    read = f"hypothesis {hyps[0]}" if len(hyps) == 1 else f"{len(hyps)} systems"
    return SystemScores(names, scores=scores), inputs.describe_input(read, columns, n_rows)


def _data(
    request: ScoreRequest, refs: Sequence[str], systems: Sequence[str]
) -> tuple[Any, list[str], list[str]]:
    """Return the input of `celab.distributed`, and its hypothesis and reference columns."""
    if not systems:
        fields = request.inputs.fields
        hyps = [*map(str, fields.hyp or ("hypothesis",))]
        return list(refs), hyps, [*map(str, fields.ref or ("reference",))]
    for name in PARQUET:
        if request.is_given(name):
            raise OptionError(f"{flag(name)} is given with text files; it is for Parquet files")
    if not refs:
        raise OptionError("no references are given; at least one is needed")
    if "-" in (*refs, *systems):
        raise OptionError(
            "standard input (-) is given; --engine dask needs files that all workers can read"
        )
    if request.output.output is not None and len(set(map(os.path.basename, systems))) < len(
        systems
    ):
        raise OptionError("two systems have the same file name; --output needs a folder for each")
    # A column is called as its file, so that messages name the file; a name must be UTF-8.
    column_by_path = {
        path: path.encode("utf-8", "backslashreplace").decode() for path in (*refs, *systems)
    }
    columns = {name: path for path, name in column_by_path.items()}
    if len(columns) < len(column_by_path):
        raise OptionError("two file names are the same when printed; rename one of them")
    return (
        columns,
        [column_by_path[path] for path in systems],
        [column_by_path[path] for path in refs],
    )
