"""Outputs of a command, written when all work is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from celab.base import io
from celab.base.run import Run
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.cli import inputs, output_files, progress
from celab.cli.flags import flag
from celab.cli.metrics import options_of
from celab.cli.terminal import Outcome

if TYPE_CHECKING:
    from celab.base.view.tables import View
    from celab.cli.command import Request
    from celab.cli.groups import Output
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.systems.scored import Scored
    from celab.evaluation.tables import Gate


class WritingRequest(output_files.Writing, Protocol):
    """A request of a command that has `--output`."""

    @property
    def output(self) -> Output:
        """What is printed or written."""


def write(request: WritingRequest, report: str) -> str:
    """Write the report to `--output` if that is given; return what is left for stdout."""
    path = request.output.output
    if path is None:
        return report
    output_files.check_replaceable("--output", path, request.output_format, request, report)
    io.write(path, report)
    return ""


def write_html(campaign: Campaign, request: Request) -> None:
    """Write the report that `--html` asks for."""
    with progress.show(title="explaining", quiet=request.output.quiet) as bar:
        campaign.html(
            request.report.html,
            explained=request.report.explained,
            lang=request.metrics.lang,
            progress=bar,
            jobs=Run(jobs=request.metrics.given.get("jobs") or 0).threads,
            flags=explain_flags(campaign, request),
            report_lang=request.report.report_lang or "en",
        )


def explain_flags(campaign: Campaign, request: Request) -> dict[str, list[str]] | None:
    """Return the options of `celab explain` for each metric; None if it cannot read the files."""
    corpus, options = campaign.corpus, request.inputs
    files = [*corpus.ref_files, *map(corpus.file_of, corpus.systems)]
    if not corpus.by_line or not all(map(os.path.isfile, files)):
        return None
    flags = {}
    for name in (name for name, metric in campaign.metrics.items() if metric.explained_by):
        flags[name] = [
            word
            for option, value in [
                *((option, request.metrics.given.get(option)) for option in options_of(name)),
                ("encoding", options.encoding),
                ("align", options.align),
                ("text_documents", options.text_documents),
                ("unwrap", options.unwrap),
                ("documents", options.documents if options.align else None),
            ]
            if option != "jobs"
            for word in _words(flag(option), value)
        ]
    return flags


def _words(name: str, value: object) -> list[str]:
    # A flag and its value as words of a command; none if it was not set.
    if value is None or value is False:
        return []
    values = value if isinstance(value, list | tuple) else [] if value is True else [value]
    return [name, *map(str, values)]


def score_line(system: str, scores: Iterable[tuple[str, float, int]]) -> str:
    """Return the line with a system's scores, from titles, scores and numbers of decimals.

    >>> score_line("A", [("TESLA-CELAB", 0.46718, 4), ("chrF2", 30.123, 2)])
    'A: TESLA-CELAB = 0.4672, chrF2 = 30.12'
    """
    figures = (f"{title} = {shown(cells.score(value, n))}" for title, value, n in scores)
    return f"{system}: {', '.join(figures)}"


def score_lines(scored: Scored, digits: int | None) -> Iterator[str]:
    """Yield a line for each system with its scores by all metrics."""
    for system in scored.system_names:
        scores = (by_system[system] for by_system in scored.scores.values() if system in by_system)
        figures = [
            (score.name, score.score, score.digits if digits is None else digits)
            for score in scores
        ]
        yield score_line(system, figures)


def describe_read(request: Request, campaign: Campaign) -> str:
    """Return the remark about the input of a campaign; it may have been meant otherwise."""
    read = inputs.describe_corpus(campaign.corpus)
    is_single = len(campaign.corpus.systems) == 1
    return read + inputs.multi_system_hint(request) if is_single else read


def end(
    request: Request,
    text: str,
    read: str,
    n_skipped: int = 0,
    *,
    following: Iterable[str] = (),
    gate: Gate | None = None,
    view: Callable[[], View] | None = None,
) -> Outcome:
    """Return the end of a command.

    Parameters:
        request, text: of the command, and what is printed on standard output.
        read: what was read, which `--quiet` omits.
        n_skipped: segments without a score.
        following: lines for standard error, after the output.
        gate: the gate of the command, if it has one. One that failed takes precedence over
            segments that were skipped.
        view: what a step summary shows.
    """
    parts = [] if request.output.quiet else [read]
    if n_skipped:
        plural = "s" * (n_skipped > 1)
        parts.append(f"{n_skipped} segment{plural} skipped, because no optimum was proved")
    lines, code = [*following], 3 if n_skipped else 0
    if gate is not None:
        from celab.cli import gates

        lines += gates.lines(request, gate, view)
        code = gates.EXIT_FAILED if gate.failed else code
    return Outcome(text, "; ".join(parts), code, request.warnings, lines)
