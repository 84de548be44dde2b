"""`celab lexicon suggest`: systems → the pairs of words that their lexicon misses most."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from celab.base.errors import OptionError
from celab.cli import inputs, metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, limits_of

COMMAND = "celab lexicon suggest"
USAGE = "{0} REF... HYP, or {0} -r REF... -s SYSTEM..."


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """Run the command; return its exit code."""
    return terminal.run(command, run, argv, command)


def _parser(command: str = COMMAND) -> Parser:
    from celab.evaluation.suggestions import MOST

    parser = Parser(
        command,
        common="-r -s --most --lang --profile --lexicon --json -o",
        example=f"{command} -r ref.zh -s A.zh B.zh -o mine.tsv",
        usage=f"{command} [options] REF... HYP\n       {command} [options] -r REF... -s SYSTEM...",
        description="Lists the pairs of words whose absence from the lexicon costs systems most:"
        " what their scores would gain if the two were synonyms, exactly, the largest gain first."
        " Delete the lines whose words do not mean the same; then use the file with"
        " --lexicon cilin --lexicon FILE.",
        epilog="Files are read as by celab score.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="references and the hypothesis")
    inputs.add_files(parser)
    add = parser.group("Output")
    add("--most N", "number of pairs", between=(1, 100_000), default=MOST)
    add("--json", "print JSON")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    metrics.add_metrics(parser)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    arguments = metrics.parse(_parser(command), argv)
    inputs.complete(arguments)
    refs, systems = inputs.paths(arguments, USAGE)
    default = None if systems else inputs.default_system(arguments)
    outputs.check(
        {"--output": arguments.output},
        [*refs, *systems, arguments.source, arguments.documents, *metrics.input_files(arguments)],
    )
    by_name, notices = metrics.make_metrics(arguments)
    if len(by_name) > 1:
        raise OptionError(f"{len(by_name)} metrics are given; give one")
    texts = inputs.read(arguments, refs, systems, default, limits_of(arguments))
    metrics.warn(notices, inputs.doubts(arguments, by_name, texts), arguments.strict)
    from celab.evaluation.suggestions import suggest

    (metric,) = by_name.values()
    with progress.ProgressBar(0, "explaining", "outputs", quiet=arguments.quiet) as bar:
        suggestions = suggest(metric, texts, most=arguments.most, progress=bar)
    text = suggestions.to_json(indent=2) + "\n" if arguments.json else str(suggestions)
    written = outputs.write(arguments, text)
    return written, *outputs.remark(arguments, inputs.describe_corpus(texts), notices, 0)


if __name__ == "__main__":
    sys.exit(main())
