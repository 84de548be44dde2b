"""Gates of commands: `--fail-if-worse`, `--fail-under`, `--fail-on`, `celab check --strict`.

A gate that fails gives exit code 1, and a line on standard error says why. If `GITHUB_ACTIONS` is
set, there is an annotation as well, and a Markdown table is appended to `GITHUB_STEP_SUMMARY`; the
annotation is on standard error, too, so that standard output can be a file of JSON.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from celab.base import io
from celab.base.errors import OptionError, suggest
from celab.cli import output_files
from celab.cli.arguments import NAMES

if TYPE_CHECKING:
    from celab.base.view.tables import View
    from celab.cli.command import Request
    from celab.corpus import Corpus
    from celab.evaluation.tables import FindingKind, Gate

GITHUB, SUMMARY = "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"  # environment variables
EXIT_FAILED = 1
_ESCAPED = {"%": "%25", "\r": "%0D", "\n": "%0A"}


# What kinds of findings may need, and how a command is given it.
NEEDED = {
    "source": "a source; add --source FILE",
    "reference": "a reference; add -r REF",
    "glossary": "a glossary; add --terms FILE",
    "spans": "error spans; add --spans FILE",
}


def check(request: Request, known: Collection[str] | None = None) -> None:
    """Raise before any work is done if a gate cannot be decided.

    The summary of GitHub must be writable, and `--fail-on` name kinds that the command looks for,
    or those that are `known`.
    """
    output_files.check_files({SUMMARY: _summary_path()}, request)
    if not request.is_given("fail_on"):
        return
    known = known or [*NAMES[request.flags["fail_on"].facts["names"]]()]
    for kind in request.gate.fail_on:
        if kind not in known:
            raise OptionError("fail_on", kind, suggest(kind, known))


def check_texts(request: Request, texts: Corpus) -> None:
    """Raise if the texts, or the other files, lack what the kinds of `--fail-on` need."""
    given = {
        "source": texts.source is not None,
        "reference": bool(texts.refs),
        "glossary": request.is_given("terms"),
        "spans": request.is_given("spans"),
    }
    kinds = _kinds(request)
    for need, advice in NEEDED.items():
        needing = [kind.name for kind in kinds if need in kind.needs.split()]
        if needing and not given[need]:
            raise OptionError(f"--fail-on is {','.join(needing)}, which needs {advice}")


def asked_for(request: Request) -> dict[str, bool]:
    """Return the arguments of `Campaign.findings` that kinds of `--fail-on` need."""
    kinds = _kinds(request)
    return {
        "differences": any("profile" in kind.needs.split() for kind in kinds),
        "filters": any(not kind.verdict for kind in kinds),
    }


def _kinds(request: Request) -> list[FindingKind]:
    if not request.gate.fail_on:
        return []
    from celab.evaluation.producers import kinds_of

    known = kinds_of()
    return [known[name] for name in request.gate.fail_on]


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
