"""`celab score` of texts that need not fit into memory: batch by batch, or on the workers of Dask.

`--segments` of plain text is scored batch by batch, whatever its length. Scores do not depend on
the batches. Standard output, pipes and devices get the rows of each batch when it is scored; a file
appears under its name when all are.

With `--engine dask`, text files, or Parquet with the columns that `--ref-fields` and `--hyp-fields`
name, go to `celab.distributed`; the scores come back without texts, and are reported like others.
`--output` is a folder for the scores of the segments as Parquet: FOLDER, or FOLDER/METRIC/SYSTEM if
there are several metrics or systems.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from celab.base import io
from celab.base.arguments import Arguments
from celab.base.errors import (
    TIME_LIMIT_HINT,
    EncodingError,
    InputError,
    OptionError,
    SolverError,
    Text,
)
from celab.base.messages import finding, note, warn
from celab.base.run import STREAM_BATCH, Progress
from celab.cli import loading, output_files, progress, terminal
from celab.cli.score_request import ScoreRequest
from celab.cli.terminal import Outcome
from celab.corpus import Segment
from celab.corpus.formats import nul_warning, plain_text_warning, texts_warning
from celab.corpus.join import check_names, short_names
from celab.corpus.lines import batches, check_lines, open_lines
from celab.corpus.reading import encodings_of, with_encodings
from celab.findings.references import StreamedReferences, streamed_lines
from celab.findings.references.shifts import shift_warnings
from celab.findings.translations.outputs import Outputs, StreamedOutputs
from celab.findings.translations.screening import Lengths
from celab.metrics.base import Metric
from celab.metrics.formulas import RunningScore
from celab.metrics.registry import digits_of, title_of
from celab.metrics.scores import Score
from celab.systems.reported import SystemScores


def _is_pair(files: loading.InputFiles) -> bool:
    """Return whether there are references and one system, each a file that is read once."""
    systems = files.systems or [files.default or ""]
    has_pair = len(systems) == 1 and bool(systems[0]) and bool(files.refs)
    has_pair &= not any(map(os.path.isdir, files.refs))  # folders hold documents
    return has_pair and (*files.refs, *systems).count("-") < 2


def score(metric: Metric, files: loading.InputFiles, request: ScoreRequest) -> Outcome | None:
    """Score segments and write them; None if a file must be read as a whole."""
    if not _is_pair(files):
        return None
    refs, systems = files.refs, files.systems or [files.default or ""]
    encodings = encodings_of(request.inputs.encoding)
    paths = [(path, encodings["ref"]) for path in refs]
    opened = open_lines([*paths, (systems[0], encodings["hyp"])], request.limits)
    if opened is None:
        return None
    *ref_files, hyp = opened
    checked = _make_output_checks(metric, request)
    name = hyp.name if hyp.path == "-" else short_names([hyp.path])[0]
    references = StreamedReferences(name, short_names([ref.path for ref in ref_files]))
    warnings = _BatchWarnings(metric, files, [hyp, *ref_files], references, request)
    try:
        running = _write_segments(metric, ref_files, hyp, warnings, checked, request)
    except EncodingError as error:
        sides = {"ref": refs, "hyp": systems, "source": []}
        raise with_encodings(error, sides, encodings, request.limits) from None
    except InputError as error:
        default = None if request.inputs.systems else systems[0]
        raise loading.with_advice(request, error, default) from None
    if checked is not None:
        finding(*checked.lines(name, digits_of(metric.name)))
    if not metric.has_empty_references:
        finding(*streamed_lines(references))
    if (value := running.value) is not None:
        title = title_of(metric.signature)
        note(output_files.score_line(name, [(title, value, digits_of(metric.name))]))
    names = [ref.name for ref in ref_files]
    note(loading.describe_input(f"hypothesis {hyp.name}", names, hyp.n_read))
    note(loading.multi_system_hint(request))
    return output_files.finish(request, "", hyp.n_read - running.n_scored)


def _write_segments(
    metric: Metric,
    refs: Sequence[io.LineFile],
    hyp: io.LineFile,
    warn_of: _BatchWarnings,
    checked: StreamedOutputs | None,
    request: ScoreRequest,
) -> RunningScore:
    """Write the table; return the score of all segments.

    `warn_of` sees each batch before its rows are written. `checked` learns which outputs are not
    translations, for the last column.
    """
    total = check_lines([hyp, *refs])
    running, score = RunningScore(), None
    output = request.output.output
    is_hidden = request.output.quiet or _is_on_terminal(output)
    with _open_output(output) as write, progress.show(total or 0, quiet=is_hidden) as bar:
        if bar is not None:
            bar.is_estimate = total is None
        n_before, held = 0, ""
        try:
            for hyps, sides in batches(
                hyp, refs, STREAM_BATCH, blank_refs=metric.has_empty_references
            ):
                warn_of(n_before, hyps, sides)
                if score is None:
                    # Weights that depend on the references are fixed by the first batch, as
                    # `Metric.scorer` documents, so that the size of batches changes no score.
                    score = metric.scorer(sides, cache_references=False)
                batch = None if checked is None else checked.add_batch(hyps, sides)
                lengths = Lengths.of_texts({"": hyps}, sides)
                scored = score(hyps, sides, _offset_progress(n_before, bar))
                if checked is not None and batch is not None:
                    checked.add(scored, batch, lengths)
                rows = _table(scored, n_before, batch, lengths)
                if output is not None and not n_before:
                    output_files.check_replaceable("--output", output, "tsv", request, rows)
                running.add(scored)
                held += rows
                # Until a reference has a token, CER and MER of all segments may be an error; rows
                # are held back, so that no output precedes it.
                if running.has_tokens:
                    write(held)
                    held = ""
                n_before = hyp.n_read
                if bar is not None:
                    bar(n_before, total or _estimate([*refs, hyp]))
                del hyps, sides, scored, batch, lengths  # before the next are read
            running.value  # noqa: B018  # an error comes before the file is complete
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted after {n_before:,} segments") from None
    return running


@contextlib.contextmanager
def _open_output(output: str | None) -> Iterator[Callable[[str], None]]:
    """Return the function that writes rows to a file, or to standard output."""
    if output is None:
        yield terminal.write
        return
    with contextlib.ExitStack() as stack:
        with io.writing(output):
            file = stack.enter_context(io.open_atomic(output))

        def write(rows: str) -> None:
            with io.writing(output):
                file.write(rows.encode())
                file.flush()

        yield write
        with io.writing(output):
            stack.close()


def _offset_progress(n_before: int, bar: Progress | None) -> Progress | None:
    """Return a progress callback that adds the `n_before` segments of earlier batches."""
    if bar is None:
        return None
    return lambda n_done, _=None: bar(n_before + n_done)


def _is_on_terminal(output: str | None) -> bool:
    """Return whether rows are shown in a terminal, where a bar would be between them."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def _estimate(files: Sequence[io.LineFile]) -> int | None:
    """Return about how many lines there are, from the size of a file; None if all are pipes."""
    shares = ((file, file.share_read()) for file in files)
    return next((round(file.n_read / share) for file, share in shares if share), None)


def _table(score: Score, n_before: int, outputs: Outputs | None, lengths: Lengths) -> str:
    """Return the rows of a batch, with a header before the first."""
    numbers = range(n_before + 1, n_before + len(score.segments) + 1)
    keys = [Segment("", str(number)) for number in numbers]
    scored = SystemScores([""], keys, lengths, scores={"": {"": score}}, outputs=outputs)
    table = scored.render("tsv", level="segment")
    return table[table.index("\n") + 1 :] if n_before else table


def _make_output_checks(metric: Metric, request: ScoreRequest) -> StreamedOutputs | None:
    if request.report.no_check:
        return None
    return StreamedOutputs(request.metrics.lang or metric.language)


class _BatchWarnings:
    """Warns about batches of texts; `files` are the hypothesis and the references."""

    def __init__(
        self,
        metric: Metric,
        paths: loading.InputFiles,
        files: Sequence[io.LineFile],
        references: StreamedReferences,
        request: ScoreRequest,
    ) -> None:
        self.metric, self.paths, self.files, self.request = metric, paths, files, request
        self.references = references
        self.warned: set[str] = set()  # files, about which there is one warning each

    def __call__(self, n_before: int, hyps: Sequence[str], sides: Sequence[Sequence[str]]) -> None:
        """Look at a batch of hypotheses and references; `n_before` come before it."""
        named_sides = [
            (file.name, texts) for file, texts in zip(self.files, (hyps, *sides), strict=True)
        ]
        for (name, _), warning in zip(
            named_sides, self._warnings(n_before, named_sides), strict=True
        ):
            if warning and name not in self.warned:
                self.warned.add(name)
                warn(warning)
        if not self.request.report.no_check:
            shifts = self.references.add_batch(hyps, sides, [file.name for file in self.files])
            warn(*shift_warnings(shifts))

    def _warnings(
        self, n_before: int, named_sides: Sequence[tuple[str, Sequence[str]]]
    ) -> list[Text]:
        """Return a warning, or "", about each file.

        On the first batch, look at formats, and warn about languages and likely systems, too.
        """
        if n_before:
            return [nul_warning(*side, n_before) for side in named_sides]
        request = self.request
        loading.warn_of_languages([self.metric], named_sides)
        hyps, *sides = (texts for _, texts in named_sides)
        systems = self.paths.systems or [self.paths.default or ""]
        hints = loading.likely_systems(request, self.paths.refs, systems, sides, [hyps])
        warn(*hints, is_hint=True)
        warnings_by_file: list[Text] = [texts_warning(*side) for side in named_sides]
        if request.inputs.format is not None:
            return warnings_by_file
        beginnings = ("\n".join([*texts[:1000], ""]) for _, texts in named_sides)
        return [
            plain_text_warning(file.path, file.name, beginning) or warning
            for file, beginning, warning in zip(
                self.files, beginnings, warnings_by_file, strict=True
            )
        ]


def score_by_dask(
    request: ScoreRequest,
    metrics_by_name: Mapping[str, Metric],
    refs: Sequence[str],
    systems: Sequence[str],
) -> tuple[SystemScores, str]:
    """Return the scores of all systems and what was read.

    Without `systems`, `refs` are Parquet files with the columns of references and systems.
    """
    from celab import distributed
    from celab.distributed.job import connect

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
    size = request.partition_size
    settings: Arguments = {
        "references": columns,
        "keep": [str(name) for name in (options.fields.id, options.fields.document) if name],
        "limits": request.limits,
        "partition_size": distributed.PARTITION_SIZE if size is None else size,
    }
    scores: dict[str, dict[str, Score]] = {name: {} for name in metrics_by_name}
    n_rows = 0
    workers = request.metrics.run.threads
    with connect(request.scheduler, workers) as client:
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
                    hint=TIME_LIMIT_HINT,
                )
    read = f"hypothesis {hyps[0]}" if len(hyps) == 1 else f"{len(hyps)} systems"
    return SystemScores(names, scores=scores), loading.describe_input(read, columns, n_rows)


def _data(
    request: ScoreRequest, refs: Sequence[str], systems: Sequence[str]
) -> tuple[Any, list[str], list[str]]:
    """Return the input of `celab.distributed`, and its hypothesis and reference columns."""
    if not systems:
        fields = request.inputs.fields
        hyps = [*map(str, fields.hyp or ("hypothesis",))]
        return list(refs), hyps, [*map(str, fields.ref or ("reference",))]
    if fields := request.inputs.fields:
        raise OptionError(f"{fields.flags} is given with text files; it is for Parquet files")
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
