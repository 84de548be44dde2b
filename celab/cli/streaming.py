"""`celab score --segments` of plain text: scored batch by batch, whatever its length.

Scores do not depend on the batches. Standard output, pipes and devices get the rows of each batch
when it is scored; a file appears under its name when all are.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import EncodingError, InputError, Text, spell
from celab.base.run import Progress
from celab.cli import inputs, outputs, progress, terminal
from celab.cli.flags import as_flag
from celab.metrics.registry import digits_of, title_of

if TYPE_CHECKING:
    from celab.cli.score import ScoreRequest
    from celab.cli.terminal import Outcome
    from celab.evaluation.checks.outputs import Outputs, StreamedOutputs
    from celab.evaluation.lengths import Lengths
    from celab.evaluation.references import StreamedReferences
    from celab.metrics.base import Metric
    from celab.metrics.formulas import RunningScore
    from celab.metrics.scores import Score


def _is_possible(request: ScoreRequest, files: inputs.Files) -> bool:
    """Return whether the output is one table of plain text, and no flag needs all texts at once."""
    is_plain = request.inputs.format in (None, "plain")
    is_tsv = request.output.table in (None, "tsv")
    systems = files.systems or [files.default or ""]
    has_pair = len(systems) == 1 and bool(systems[0]) and bool(files.refs)
    has_pair &= not any(map(os.path.isdir, files.refs))  # of documents
    is_read_once = (*files.refs, *systems).count("-") < 2
    return (
        is_tsv and is_plain and has_pair and is_read_once and not any(request.given_in("batches"))
    )


def score(metric: Metric, files: inputs.Files, request: ScoreRequest) -> Outcome | None:
    """Score segments and write them; None if a file must be read as a whole."""
    if not _is_possible(request, files):
        return None
    refs, systems = files.refs, files.systems or [files.default or ""]
    from celab.corpus.join import short_names
    from celab.corpus.lines import open_lines
    from celab.corpus.reading import encodings_of, with_encodings
    from celab.evaluation.references import StreamedReferences, streamed_lines

    encodings = encodings_of(request.inputs.encoding)
    paths = [(path, encodings["ref"]) for path in refs]
    opened = open_lines([*paths, (systems[0], encodings["hyp"])], request.limits)
    if opened is None:
        return None
    *ref_files, hyp = opened
    checked = _checked(metric, request)
    name = hyp.name if hyp.path == "-" else short_names([hyp.path])[0]
    references = StreamedReferences(name, short_names([ref.path for ref in ref_files]))
    looker = _Looker(metric, files, [hyp, *ref_files], references, request)
    try:
        running = _write_segments(metric, ref_files, hyp, looker, checked, request)
    except EncodingError as error:
        sides = {"ref": refs, "hyp": systems, "source": []}
        raise with_encodings(error, sides, encodings, request.limits) from None
    except InputError as error:
        default = None if request.inputs.systems else systems[0]
        raise inputs.with_usage(request, error, default) from None
    remarks = [] if checked is None else checked.remarks(name, digits_of(metric.name))
    following = [*remarks]
    if not metric.has_empty_references:
        following += streamed_lines(references)
    if not request.output.quiet and (value := running.value) is not None:
        title = title_of(metric.signature)
        following.insert(0, outputs.score_line(name, [(title, value, digits_of(metric.name))]))
    names = [ref.name for ref in ref_files]
    read = inputs.describe_input(f"hypothesis {hyp.name}", names, hyp.n_read)
    read += inputs.multi_system_hint(request)
    return outputs.end(request, "", read, hyp.n_read - running.n_scored, following=following)


def _write_segments(
    metric: Metric,
    refs: Sequence[io.LineFile],
    hyp: io.LineFile,
    look: _Looker,
    checked: StreamedOutputs | None,
    request: ScoreRequest,
) -> RunningScore:
    """Write the table; return the score of all segments.

    `look` sees each batch before its rows are written. `checked` learns which outputs are not
    translations, for the last column.
    """
    from celab.base.run import STREAM_BATCH
    from celab.corpus.lines import batches, check_lines
    from celab.evaluation.lengths import Lengths
    from celab.metrics.formulas import RunningScore

    total = check_lines([hyp, *refs])
    running, score = RunningScore(), None
    output = request.output.output
    is_hidden = request.output.quiet or _is_on_terminal(output)
    with _opened(output) as write, progress.show(total or 0, quiet=is_hidden) as bar:
        if bar is not None:
            bar.is_estimate = total is None
        n_before, held = 0, ""
        try:
            for hyps, sides in batches(
                hyp, refs, STREAM_BATCH, blank_refs=metric.has_empty_references
            ):
                look(n_before, hyps, sides)
                if score is None:
                    score = metric.scorer(sides, keep=False)
                batch = None if checked is None else checked.look(hyps, sides)
                lengths = Lengths.of_texts({"": hyps}, sides)
                scored = score(hyps, sides, _from(n_before, bar))
                if checked is not None and batch is not None:
                    checked.add(scored, batch, lengths)
                rows = _table(scored, n_before, batch, lengths)
                if output is not None and not n_before:
                    outputs.check_replaceable("--output", output, "tsv", request, rows)
                running.add(scored)
                held += rows
                if running.has_tokens:  # else the rows may be those of an error
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
def _opened(output: str | None) -> Iterator[Callable[[str], None]]:
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


def _from(n_before: int, bar: Progress | None) -> Progress | None:
    """Return the progress of a batch, before which there are `n_before` segments."""
    return bar and (lambda n_done, _=None: bar(n_before + n_done))


def _is_on_terminal(output: str | None) -> bool:
    """Return whether rows are shown in a terminal, where a bar would be between them."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def _estimate(files: Sequence[io.LineFile]) -> int | None:
    """Return about how many lines there are, from the size of a file; None if all are pipes."""
    shares = ((file, file.share_read()) for file in files)
    return next((round(file.n_read / share) for file, share in shares if share), None)


def _table(score: Score, n_before: int, outputs: Outputs | None, lengths: Lengths) -> str:
    """Return the rows of a batch, with a header before the first."""
    from celab.base.view.tables import RENDERERS, ViewOptions
    from celab.corpus import Segment
    from celab.evaluation.systems.view import SystemScores

    numbers = range(n_before + 1, n_before + len(score.segments) + 1)
    keys = [Segment("", str(number)) for number in numbers]
    scored = SystemScores([""], keys, lengths, scores={"": {"": score}}, outputs=outputs)
    table = RENDERERS["tsv"](scored.view(ViewOptions(level="segment")))
    return table[table.index("\n") + 1 :] if n_before else table


def _checked(metric: Metric, request: ScoreRequest) -> StreamedOutputs | None:
    from celab.evaluation.checks.outputs import StreamedOutputs

    if request.report.no_check:
        return None
    return StreamedOutputs(request.metrics.lang or metric.language)


class _Looker:
    """Warns about batches of texts; `files` are the hypothesis and the references."""

    def __init__(
        self,
        metric: Metric,
        paths: inputs.Files,
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
                self.request.warnings.add([spell(warning, as_flag)])
        if not self.request.report.no_check:
            from celab.evaluation.references.copies import shift_warnings

            shifts = self.references.look(hyps, sides, [file.name for file in self.files])
            self.request.warnings.add(shift_warnings(shifts))

    def _warnings(
        self, n_before: int, named_sides: Sequence[tuple[str, Sequence[str]]]
    ) -> list[Text]:
        """Return a warning about each file, which may be empty; the first batch tells more."""
        from celab.corpus.text_warnings import nul_warning, plain_text_warning, texts_warning

        if n_before:
            return [nul_warning(*side, n_before) for side in named_sides]
        request = self.request
        request.warnings.add(inputs.script_mismatches([self.metric], named_sides))
        hyps, *sides = (texts for _, texts in named_sides)
        systems = self.paths.systems or [self.paths.default or ""]
        hints = inputs.likely_systems(request, self.paths.refs, systems, sides, [hyps])
        request.warnings.add_hints(hints)
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
