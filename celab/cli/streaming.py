"""`celab score --segments` of plain text: scored batch by batch, whatever its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import InputError, Text, spell
from celab.cli import inputs, outputs
from celab.cli.flags import as_flag
from celab.metrics.registry import digits_of, title_of

if TYPE_CHECKING:
    from celab.cli.outcome import Outcome
    from celab.cli.score import ScoreRequest
    from celab.evaluation.checks.outputs import StreamedOutputs
    from celab.evaluation.references.looks import StreamedReferences
    from celab.metrics.base import Metric


def _is_possible(request: ScoreRequest, files: inputs.Files) -> bool:
    """Return whether the output is one table of plain text, and no flag needs all texts at once."""
    is_plain = request.inputs.format in (None, "plain")
    is_tsv = request.output.table in (None, "tsv")
    systems = files.systems or [files.default or ""]
    has_pair = len(systems) == 1 and bool(systems[0]) and bool(files.refs)
    is_read_once = (*files.refs, *systems).count("-") < 2
    return (
        is_tsv and is_plain and has_pair and is_read_once and not any(request.given_in("batches"))
    )


def score(metric: Metric, files: inputs.Files, request: ScoreRequest) -> Outcome | None:
    """Score segments and write them; None if a file must be read as a whole."""
    if not _is_possible(request, files):
        return None
    refs, systems = files.refs, files.systems or [files.default or ""]
    from celab.cli.segments import write_segments
    from celab.corpus.lines import open_lines
    from celab.corpus.reading import encodings_of
    from celab.corpus.system_names import short_names
    from celab.evaluation.checks.view import streamed_remarks
    from celab.evaluation.references.looks import StreamedReferences
    from celab.evaluation.references.view import streamed_lines

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
        written = write_segments(
            metric,
            ref_files,
            hyp,
            look=looker,
            outputs=checked,
            output=request.output.output,
            resume=request.resume,
            overwrite=request.overwrite,
            quiet=request.output.quiet,
        )
    except InputError as error:
        default = None if request.inputs.systems else systems[0]
        raise inputs.with_usage(request, error, default) from None
    remarks = streamed_remarks(name, checked, digits_of(metric.name))
    following = [*remarks, *streamed_lines(references)]
    if not request.output.quiet and (value := written.score.value) is not None:
        title = title_of(metric.signature)
        following.insert(0, outputs.score_line(name, [(title, value, digits_of(metric.name))]))
    names = [ref.name for ref in ref_files]
    read = inputs.describe_input(f"hypothesis {hyp.name}", names, written.n_segments)
    read += inputs.multi_system_hint(request)
    return replace(outputs.end(request, "", read, written.n_skipped), following=following)


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
            from celab.evaluation.references.view import shift_warnings

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
