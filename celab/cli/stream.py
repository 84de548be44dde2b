"""`celab stream`: candidates on standard input → one score per line on standard output.

For tuning (Z-MERT) and interactive use. The references are loaded once;
`celab.nbest.references` defines the line protocol. Requests that have arrived are scored
together, and none waits for the next. The command ends with the input (exit code 0) or on a broken
pipe (141).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import BufferedReader
from typing import cast

from celab.base.errors import InputError, OptionError, describe
from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.cli import loading, terminal
from celab.cli.arguments import NO_ALIGN
from celab.cli.command import command
from celab.cli.flags import as_flag
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import OutputOptions
from celab.cli.requests import Request
from celab.cli.terminal import Outcome
from celab.metrics.registry import METRICS
from celab.nbest.references import ERROR, Lines, LoadedReferences, read_references, reply
from celab.tables.cells import quantity

MAX_BYTES_AT_ONCE = 65_536  # read, hence scored, together


@dataclass(frozen=True, kw_only=True)
class StreamRequest(Request):
    """Request of `celab stream`."""

    heading = "Requests and replies"

    references: tuple[str, ...] = option(
        (), "references", metavar="REF", is_argument=True, nargs="*"
    )
    from_one: bool = option(False, "count segments from 1")
    details: bool = option(False, "reply with score, precision and recall, tab-separated")
    encoding: str | None = option(
        None,
        "encoding of the references, such as gb18030 (default: UTF-8); requests are always in"
        " UTF-8",
        metavar="NAME",
    )
    status: OutputOptions = option_group(
        OutputOptions, only=["quiet"], quiet="suppress status messages"
    )
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group()


@command(
    StreamRequest,
    "stream",
    usage="[options] REF...",
    common="-m --lang --lexicon --from-one --details --quiet",
    example="printf '0\\t买雨伞\\n' | {0} ref.zh",
    description="Scores candidates as they come: one request per line on standard input, one"
    " score per line on standard output. A request is SEGMENT<TAB>TEXT or SEGMENT ||| TEXT;"
    " SEGMENT is a line of the references, counted from 0.",
    epilog="Requests are in UTF-8. The reply is the score, or ERROR and a message. REF are text"
    " files with one segment per line. A request has at most 65536 bytes, or --max-line if that is"
    " less; the reply to a longer one is ERROR.",
    refused=NO_ALIGN,
)
def main(request: StreamRequest) -> Outcome:
    """Answer until the input ends."""
    if not request.references:
        raise OptionError(f"no references are given; use {request.program} REF...")
    if "-" in request.references:
        raise OptionError("- is given, but standard input has the requests; REF must be files")
    name = request.metrics.single_name()
    if request.details and not METRICS[name].has_rates:
        raise OptionError(f"--details is given, but {name} has no precision and recall")
    if sys.stdin is None:
        raise InputError("standard input is closed; requests are read from it")
    metrics_by_name = request.metrics.make()
    sides = read_references(request.references, request.encoding, request.limits)
    named_sides = [*zip(request.references, sides, strict=True)]
    loading.warn_of_languages(metrics_by_name.values(), named_sides)
    references = LoadedReferences(metrics_by_name[name], sides, first=int(request.from_one))
    # Messages are printed now, because the end of the requests may be hours away.
    terminal.print_messages("warning", "finding", "note", program=request.program)
    n_requests, n_errors = _answer(references, 3 if request.details else 1, request.limits.max_line)
    counts = ((n_requests, "request"), (n_errors, "error"))
    summary = ", ".join(quantity(count, unit) for count, unit in counts)
    note(summary, references.signature)
    return Outcome()


def _answer(references: LoadedReferences, n_figures: int, max_line: int) -> tuple[int, int]:
    """Reply to all requests; return the numbers of requests and of errors."""
    requests = cast(BufferedReader, sys.stdin.buffer)
    lines, n_requests, n_errors = Lines(max_line), 0, 0
    while True:
        piece = requests.read1(MAX_BYTES_AT_ONCE)  # blocks only if nothing is available
        batch = lines.whole(piece) if piece else lines.last()
        if batch:
            replies = [
                reply(describe(row, as_flag) if isinstance(row, Exception) else row[:n_figures])
                for row in references.answers(batch, lines.max_bytes)
            ]
            n_requests += len(replies)
            n_errors += sum(line.startswith(ERROR) for line in replies)
            terminal.write("".join(replies))
        if not piece:
            return n_requests, n_errors
