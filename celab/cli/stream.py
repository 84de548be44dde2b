"""`celab-stream`: candidates on standard input → a score a line on standard output, as they come.

For tuning (Z-MERT) and for programs that ask now and then. The references are loaded once. The line
protocol is that of `celab.reranking.requests`:

    2<TAB>买伞        or    2 ||| 买伞        a candidate of segment 2, counted from 0
    0.8717948717948718                       its score
    ERROR the segment is 9; …                a request that is none; the stream goes on

There is one reply a request, in order, and no other line. All requests that have come are scored
together, but none waits for the next: as soon as a line has come, its reply is on its way.

The command ends with the input, with exit code 0, or quietly with 141 when nobody reads any more.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BufferedReader
from typing import TYPE_CHECKING, cast

from celab.cli import metrics, terminal
from celab.cli.arguments import Parser
from celab.errors import CelabError, InputError, OptionError

if TYPE_CHECKING:
    from celab.reranking.references import References

COMMAND = "celab-stream"
MOST_AT_ONCE = 65_536  # bytes that are read, hence scored, together


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    return terminal.run(COMMAND, lambda: _work(argv))


def _parser() -> Parser:
    parser = Parser(
        COMMAND,
        usage=f"{COMMAND} [options] REF...",
        description="Scores candidates as they come: requests on standard input, a score a line on"
        " standard output.",
        epilog="A request is a line, SEGMENT<TAB>TEXT or SEGMENT ||| TEXT, in UTF-8; SEGMENT is the"
        " line of the references, counted from 0. The reply is a line with the score, or ERROR and"
        " what is wrong. REF are text files, one segment a line. With --script auto, candidates"
        " are made Simplified if the references, taken together, are Traditional.",
    )
    parser.add_argument("references", nargs="*", metavar="REF", help="the references")
    group = parser.add_argument_group("the stream")
    group.add_argument("--from-one", action="store_true", help="segments are counted from 1")
    group.add_argument(
        "--details",
        action="store_true",
        help="reply with score, precision and recall, tabs between",
    )
    group.add_argument(
        "--encoding", metavar="NAME",
        help="of the references, such as gb18030 (default: UTF-8); requests are always UTF-8",
    )  # fmt: skip
    group.add_argument("--quiet", action="store_true", help="no remarks")
    metrics.add_metrics(parser)
    return parser


def _work(argv: Sequence[str] | None) -> tuple[str, str]:
    """Answers until the input ends; gives no more text, and what to remark on stderr."""
    given = metrics.gathered(sys.argv[1:] if argv is None else argv)
    arguments = _parser().parse_intermixed_args(given)
    if not arguments.references:
        raise OptionError(f"no references are given; use {COMMAND} REF...")
    if "-" in arguments.references:
        raise OptionError("- is standard input, which brings the requests; REF must be files")
    (name, *more) = metrics.names_of(arguments.metric)
    if more:
        raise OptionError(f"--metric is {', '.join([name, *more])}; there must be one metric")
    if arguments.details and name in metrics.THEIRS:
        raise OptionError(f"--details is given, but {name} has no precision and recall")
    if sys.stdin is None:
        raise InputError("standard input is closed; it must bring the requests")
    made, notices = metrics.made(arguments)
    from celab.reranking.references import References, read_references

    sides = read_references(arguments.references, arguments.encoding)
    references = References(made[name], sides)
    if notices and not arguments.quiet:  # now, because the end may be hours away
        terminal.remark(f"{COMMAND}: {'; '.join(notices)}")
    n_requests, n_errors = _answer(
        references, int(arguments.from_one), 3 if arguments.details else 1
    )
    if arguments.quiet:
        return "", ""
    said = f"{_counted(n_requests, 'request')}, {_counted(n_errors, 'error')}"
    return "", f"{said}; {references.signature}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _answer(references: References, first: int, n_figures: int) -> tuple[int, int]:
    """Replies to all requests; how many there were, and how many were in error."""
    from celab.reranking.requests import Lines, reply

    requests = cast(BufferedReader, sys.stdin.buffer)
    lines, n_requests, n_errors = Lines(), 0, 0
    while True:
        piece = requests.read1(MOST_AT_ONCE)  # what is there; it waits only if there is nothing
        some = lines.whole(piece) if piece else lines.last()
        if some:
            rows = _rows(some, references, first)
            n_requests += len(rows)
            n_errors += sum(isinstance(row, CelabError) for row in rows)
            terminal.write(
                "".join(
                    reply(row if isinstance(row, CelabError) else row[:n_figures]) for row in rows
                )
            )
        if not piece:
            return n_requests, n_errors


def _rows(
    lines: Sequence[bytes], references: References, first: int
) -> list[list[float] | CelabError]:
    """For each line its figures, or what is wrong."""
    from celab.reranking.requests import parsed

    rows: list[list[float] | CelabError] = []
    places, segments, texts = [], [], []
    for place, line in enumerate(lines):
        try:
            segment, text = parsed(line, references.n_segments, first)
        except InputError as error:
            rows.append(error)
            continue
        rows.append([])
        places.append(place)
        segments.append(segment)
        texts.append(text)
    if texts:
        found = references.rows(segments, texts)
        for place, row in zip(places, found, strict=True):
            rows[place] = row
    return rows


if __name__ == "__main__":
    sys.exit(main())
