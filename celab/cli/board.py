"""`celab board`: stored results → one board of test sets, systems and versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from celab.base import io
from celab.base.errors import OptionError
from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import dump_json
from celab.cli import output_files
from celab.cli.command import command
from celab.cli.option_groups import OutputOptions, ReportOptions, SignificanceOptions, format_rules
from celab.cli.requests import Request
from celab.cli.rules import Rule, needs
from celab.cli.terminal import Outcome
from celab.systems.board import board
from celab.tables.cells import quantity


@dataclass(frozen=True, kw_only=True)
class BoardRequest(Request):
    """Request of `celab board`."""

    heading = "Comparison"

    results: tuple[str, ...] = option(
        (),
        "JSON of celab score --json, or folders of it",
        metavar="RESULTS",
        is_argument=True,
        nargs="*",
    )
    order: str | None = option(
        None,
        "file with a version per line, the oldest first (default: natural order of their names)",
        metavar="FILE",
    )
    against: str | None = option(
        None,
        "version that all others are compared with (default: the version before each)",
        metavar="VERSION",
        file="none",
    )
    tests: SignificanceOptions = option_group(
        SignificanceOptions, only=["seed"], seed={"group": "Comparison"}
    )
    fail_if_worse: bool = option(
        False,
        "exit code 1 if the score of the newest version has declined significantly on a test set",
    )
    retired: tuple[str, ...] = option(
        (),
        "with --fail-if-worse: test set, system or metric to leave out, because the newest version"
        " has no results of it",
        metavar="NAME",
        repeats=True,
        file="none",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        without=["color"],
        json="print JSON, with a record per score",
        tables="print {} tables",
    )
    page: ReportOptions = option_group(
        ReportOptions, only=["html", "report_lang"], html="also write an HTML page"
    )
    limits: Limits = option_group(Limits)

    @staticmethod
    def rules(r: BoardRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield from format_rules(r.output)
        yield needs(r.retired, r.fail_if_worse)
        yield needs(r.page.report_lang, r.page.html)


@command(
    BoardRequest,
    "board",
    usage="[options] RESULTS...",
    common="--against --order --fail-if-worse --json --tsv --html -o",
    example="{0} results/ --html board.html",
    description="Shows results of many test sets, systems and versions together, and marks"
    " changes that are significant.",
    epilog="Results are files of celab score --json --segments --label set=NAME --label"
    " version=NAME. Without labels, the references are the set and the system is the version.",
)
def main(request: BoardRequest) -> Outcome:
    """Make the board, and return what to print."""
    if not request.results:
        raise OptionError(f"no results are given; use {request.program} RESULTS")
    if request.fail_if_worse:
        output_files.check_gate(request)
    order = None
    if request.order is not None:
        lines = io.read_lines(request.order, None, request.limits)
        order = [line for line in map(str.strip, lines) if line]
    result = board(request.results, order=order, against=request.against, seed=request.tests.seed)
    gate = result.gate(retired=request.retired) if request.fail_if_worse else None
    if request.output.json:
        data = result.to_dict() | ({} if gate is None else {"gate": gate.facts()})
        text = dump_json(data)
    else:
        text = result.render(request.output_format, digits=request.output.digits)
    text = output_files.write(request, text)
    if request.page.html is not None:
        result.html(
            request.page.html,
            report_lang=request.page.report_lang or "en",
            command=output_files.command_text(request),
        )
    sizes = [(len(result.sets), "test set"), (len(result.versions), "version")]
    note(", ".join(quantity(n, noun) for n, noun in sizes))
    return output_files.finish(request, text, gate=gate, summary=result.tables)
