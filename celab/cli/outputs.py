"""Outputs of a command, written when all work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.run import Run
from celab.cli import inputs, progress, terminal
from celab.cli.arguments import flag
from celab.cli.metric_names import options_of
from celab.cli.metrics import warn

if TYPE_CHECKING:
    from celab.cli.requests import ReportRequest, Request, TextRequest
    from celab.corpus import Corpus
    from celab.evaluation.reviews import Reviews
    from celab.evaluation.systems.campaign import Campaign


def write(request: TextRequest, report: str) -> str:
    """Write the report to `--output` if that is given; return what is left for stdout."""
    if request.output is None:
        return report
    io.write(request.output, report)
    return ""


def read_reviews(request: ReportRequest, texts: Corpus, notices: list[str]) -> Reviews | None:
    """Return the reviews of `--reviews`, and warn of those whose outputs are not there."""
    if request.reviews is None:
        return None
    from celab.evaluation import reviews as reading

    reviews = reading.read_reviews(request.reviews, texts, request.limits)
    warn(notices, reviews.warnings, request.strict)
    return reviews


def write_html(campaign: Campaign, request: ReportRequest, reviews: Reviews | None = None) -> None:
    """Write the report that `--html` asks for."""
    with progress.ProgressBar(title="explaining", quiet=request.quiet) as bar:
        campaign.html(
            request.html,
            explained=request.explained,
            lang=request.lang,
            progress=bar,
            jobs=Run(jobs=request.given.get("jobs") or 0).threads,
            flags=explain_flags(campaign, request),
            report_lang=request.report_lang or "en",
            reviews=reviews,
        )


def explain_flags(campaign: Campaign, request: TextRequest) -> dict[str, list[str]] | None:
    """Return the options of `celab explain` for each metric; None if it cannot read the files."""
    corpus = campaign.corpus
    files = [*corpus.ref_files, *map(corpus.file_of, corpus.systems)]
    if not corpus.by_line or not all(map(os.path.isfile, files)):
        return None
    flags = {}
    for name in (name for name, metric in campaign.metrics.items() if metric.explains):
        flags[name] = [
            word
            for option, value in [
                *((option, request.given.get(option)) for option in options_of(name)),
                ("encoding", request.encoding),
                ("align", request.align),
                ("text_documents", request.text_documents),
                ("documents", request.documents if request.align else None),
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


def ending(request: TextRequest, campaign: Campaign, notices: Iterable[str]) -> tuple[str, int]:
    """Print warnings; return the remark about a campaign and the exit code."""
    read = inputs.describe_corpus(campaign.corpus)
    if len(campaign.corpus.systems) == 1:
        read += inputs.multi_system_hint(request)
    return remark(request, read, notices, campaign.n_skipped)


def remark(request: Request, read: str, notices: Iterable[str], n_skipped: int) -> tuple[str, int]:
    """Print warnings; return the remark and the exit code. `--quiet` omits what was read."""
    for notice in notices:
        terminal.remark(f"{request.program}: warning: {notice}")
    parts = [] if request.quiet else [read]
    if n_skipped:
        plural = "s" * (n_skipped > 1)
        parts.append(f"{n_skipped} segment{plural} skipped, because no optimum was proved")
    return "; ".join(parts), 3 if n_skipped else 0
