"""Gates of commands: `--fail-if-worse`, `--fail-under`, `celab check --strict`.

A gate that fails gives exit code 1, and a line on standard error says why. If `GITHUB_ACTIONS` is
set, there is an annotation as well, and a Markdown table is appended to `GITHUB_STEP_SUMMARY`; the
annotation is on standard error, too, so that standard output can be a file of JSON.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import suggest
from celab.cli import output_files

if TYPE_CHECKING:
    from celab.base.view.tables import View
    from celab.cli.requests import Request
    from celab.evaluation.tables import Gate

GITHUB, SUMMARY = "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"  # environment variables
EXIT_FAILED = 1
_ESCAPED = {"%": "%25", "\r": "%0D", "\n": "%0A"}


def kinds_in(text: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the kinds of findings that `--fail-on` names, separated by commas."""
    kinds = tuple(text.split(","))
    for kind in kinds:
        if kind not in known:
            raise argparse.ArgumentTypeError(f"{kind!r} is given; {suggest(kind, known)}")
    return kinds


def check_summary(request: Request) -> None:
    """Raise before any work is done if the summary of GitHub cannot be written."""
    output_files.check_files({SUMMARY: _summary_path()}, request)


def lines(request: Request, gate: Gate, view: Callable[[], View] | None) -> Iterator[str]:
    """Yield lines that say how a gate ended; write the summary of GitHub, which has the view."""
    result = f"gate {'failed' if gate.failed else 'passed'}: {gate.reason}"
    if gate.failed or not request.output.quiet:
        yield f"{request.program}: {result}"
    if os.environ.get(GITHUB):
        kind = "error" if gate.failed else "notice"
        yield f"::{kind} title={request.program}::{_escaped(result)}"
        if (path := _summary_path()) is not None and view is not None:
            _append(path, f"{_title(request, result)}\n{_table(view())}\n")


def _summary_path() -> str | None:
    return os.environ.get(SUMMARY) if os.environ.get(GITHUB) else None


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(sign, sign) for sign in text)


def _title(request: Request, result: str) -> str:
    from celab.base.view.tables import Line, markdown_line

    return f"### {markdown_line(Line((f'{request.program}: {result}',)))}"


def _table(view: View) -> str:
    from celab.base.view.renderers import RENDERERS

    return RENDERERS["markdown"](view)


def _append(path: str, text: str) -> None:
    with io.writing(path), open(path, "a", encoding="utf-8") as file:
        file.write(text)
