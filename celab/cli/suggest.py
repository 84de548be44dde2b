"""`celab lexicon suggest`: systems → the pairs of words that their lexicon misses most."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.cli import inputs, metrics, outputs, progress, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.loading import load
from celab.cli.requests import TextRequest

if TYPE_CHECKING:
    from celab.metrics.base import Metric

COMMAND = "celab lexicon suggest"
USAGE = "{0} REF... HYP, or {0} -r REF... -s SYSTEM..."


@dataclass(frozen=True, kw_only=True)
class SuggestRequest(TextRequest):
    """Request of `celab lexicon suggest`."""

    most: int
    min_segments: int
    json: bool = False


def _parser(command: str = COMMAND) -> Parser:
    from celab.evaluation.suggestions import MIN_SEGMENTS, MOST

    parser = Parser(
        command,
        common="-r -s --most --min-segments --lang --profile --lexicon --json -o",
        example=f"{command} -r ref.zh -s A.zh B.zh -o mine.tsv",
        usage=f"{command} [options] REF... HYP\n       {command} [options] -r REF... -s SYSTEM...",
        description="Lists the pairs of words whose absence from the lexicon costs systems most:"
        " what their scores would gain if the two were synonyms, exactly, the largest gain first."
        " Delete the lines whose words do not mean the same; then use the file with"
        " --lexicon cilin --lexicon FILE.",
        epilog="Files are read as by celab score.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="references and the hypothesis")
    inputs.add_files(parser, unwraps=False)
    add = parser.group("Output")
    add("--most N", "number of pairs", between=(1, 100_000), default=MOST)
    add(
        "--min-segments N",
        "only pairs seen in N segments or more, without handles, URLs and numbers; with 1, all",
        between=(1, 1_000_000),
        default=MIN_SEGMENTS,
    )
    add("--json", "print JSON")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    metrics.add_metrics(parser)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(SuggestRequest, _parser(command), argv)
    by_name, texts, notices = load(request, inputs.files_of(request, USAGE), _check_metrics)
    from celab.evaluation.suggestions import suggest

    (metric,) = by_name.values()
    with progress.ProgressBar(0, "explaining", "outputs", quiet=request.quiet) as bar:
        suggestions = suggest(
            metric,
            texts,
            most=request.most,
            min_segments=request.min_segments,
            progress=bar,
        )
    text = suggestions.to_json(indent=2) + "\n" if request.json else str(suggestions)
    written = outputs.write(request, text)
    read = inputs.describe_corpus(texts)
    if suggestions.n_left_out and not suggestions.pairs:
        read += "; --min-segments 1 also tries the pairs that were left out"
    return written, *outputs.remark(request, read, notices, 0)


def _check_metrics(metrics: Mapping[str, Metric]) -> None:
    """Raise unless there is one metric."""
    if len(metrics) > 1:
        raise OptionError(f"{len(metrics)} metrics are given; give one")


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
