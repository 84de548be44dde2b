"""Outputs of a command: paths are checked before any work is done, and written after it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.run import Run
from celab.cli import inputs, progress, terminal
from celab.cli.arguments import flag
from celab.cli.metric_names import options_of

if TYPE_CHECKING:
    from celab.cli.requests import ReportRequest, Request, TextRequest
    from celab.evaluation.campaign import Campaign

_STDIN = 0  # the number of standard input among the open files


def check(outputs: Mapping[str, str | None], sources: Iterable[io.AnyPath | None]) -> None:
    """Raise unless the outputs, by flag, can be written, are distinct and are no inputs.

    An input folder counts as all files in it; `-` is standard input.
    """
    label_by_file = {
        _identity(path): "standard input" if path == _STDIN else f"input {path}"
        for path in _files(sources)
    } | {None: ""}
    for name, path in outputs.items():
        if path is None:
            continue
        if not path or "\0" in path:
            raise OptionError(f"{name} is {path!r}; it must be the path of a file")
        with io.writing(path):
            _check_writable(path)
            identity = _identity(path)
        if label_by_file.get(identity):
            raise InputError(
                f"{name} is {path}, which is the same file as {label_by_file[identity]};"
                " choose another"
            )
        label_by_file[identity] = f"{name} {path}" if identity is not None else ""


def _files(sources: Iterable[io.AnyPath | None]) -> Iterable[io.AnyPath | int]:
    for path in sources:
        if path is not None and os.path.isdir(path):
            with contextlib.suppress(OSError):
                yield from (entry.path for entry in os.scandir(path))
        elif path is not None:
            yield _STDIN if path == "-" else path


def _identity(path: io.AnyPath | int) -> object:
    """Return an identifier of a regular file under any of its names; None for others."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None if isinstance(path, int) else os.path.realpath(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _check_writable(path: str) -> None:
    special = io.is_special(path)
    if io.descriptor_of(path) is not None:
        return
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError
    is_writable = special or os.access(folder, os.W_OK | os.X_OK)
    if not is_writable or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def write(request: TextRequest, report: str) -> str:
    """Write the report to `--output` if that is given; return what is left for stdout."""
    if request.output is None:
        return report
    io.write(request.output, report)
    return ""


def write_html(campaign: Campaign, request: ReportRequest) -> None:
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
