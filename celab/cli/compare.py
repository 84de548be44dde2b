"""`celab compare`: two systems by several metrics → how they differ, how sure it is, and where.

It parses, reads, scores, compares and reports, in this order, and writes only when all of it has
succeeded. `celab.evaluation.comparison` defines the figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.cli import inputs, metrics, outputs, progress, terminal
from celab.cli.arguments import Parser, add_limits, refuse_together
from celab.cli.loading import load

if TYPE_CHECKING:
    from celab.evaluation.comparison import PairComparison

COMMAND = "celab compare"
USAGE = "{0} REF A B, {0} -r REF... -s A B, or one file that holds them all"
METRICS = "celab,chrf,bleu"
TABLES = ("tsv", "markdown", "latex")


def main(argv: Sequence[str] | None = None, command: str = COMMAND) -> int:
    """Run the command; return its exit code."""
    return terminal.run(command, run, argv, command)


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="-r -s -m --lang --lexicon --segments --details --json --markdown --html -o",
        example=f"{command} ref.zh A.zh B.zh",
        usage=f"{command} [options] REF A B\n       {command} [options] -r REF... -s A B",
        description="Compares two systems by several metrics: difference, 95% interval, two-sided"
        " p-value, wins and losses, the segments that differ most, scores by length and document.",
        epilog=f"The default metrics are {METRICS.replace(',', ', ')}. Files are read as by celab"
        " score, which compares more than two systems.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="reference, then the two systems")
    inputs.add_files(parser)
    add = parser.group("Comparison")
    add("--segments K", "segments to show for either system", default=5, between=(0, 1_000_000))
    add(
        "--test",
        "significance test (default: bootstrap)",
        choices=("bootstrap", "randomization"),
        default="bootstrap",
    )
    add("--resamples N", "number of resamples", default=1000, between=(40, 1_000_000))
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add = parser.group("Output")
    add(
        "--details",
        "all figures and segments; by every metric, length and document, with references",
    )
    add("--json", "print JSON, with every digit")
    for name, spelled in zip(TABLES, ("TSV", "Markdown", "LaTeX"), strict=True):
        add(f"--{name}", f"print {spelled} tables")
    add("--html FILE", "also write an HTML report of both systems")
    add(
        "--explained N",
        "number of segments that --html explains",
        default=10_000,
        between=(0, 1_000_000),
    )
    add(
        "--report-lang",
        "language of the --html report (default: en); its reader can change it",
        choices=("en", "zh"),
        default="en",
    )
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    inputs.add_slow(parser)
    metrics.add_metrics(parser, METRICS)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    arguments = metrics.parse(_parser(command), argv)
    refuse_together(arguments, *combinations(("details", "json", *TABLES), 2))
    inputs.complete(arguments)
    refs, systems = inputs.paths(arguments, USAGE, n_systems=2)
    _check_roles(arguments, refs, systems)
    arguments.metric = arguments.metric or [METRICS]
    files = inputs.Files(refs, systems, None)
    metrics_by_name, texts, notices = load(arguments, files)
    if len(texts.systems) != 2:
        n = len(texts.systems)
        raise OptionError(
            f"{n} system{'s' * (n != 1)} given; {command} takes two, and celab score -r REF..."
            " -s SYSTEM... any number"
        )
    inputs.check_time(arguments, metrics_by_name, texts)
    from celab.evaluation.campaign import Campaign

    total = 2 * len(metrics_by_name) * len(texts.segments)
    with progress.ProgressBar(total, quiet=arguments.quiet) as bar:
        runs = progress.Runs(bar)
        scored = Campaign(texts).score(metrics_by_name, lang=arguments.lang, progress=runs)
    compared = scored.compare(
        *scored.corpus.systems,
        test=arguments.test,
        n_resamples=arguments.resamples,
        seed=arguments.seed,
        most_different=arguments.segments,
    )
    report = _report(compared, arguments)
    if arguments.html is not None:
        test = {"n_resamples": arguments.resamples, "seed": arguments.seed}
        outputs.write_html(scored.test(arguments.test, **test), arguments)
    return outputs.write(arguments, report), *outputs.ending(arguments, scored, notices)


def _check_roles(
    arguments: argparse.Namespace, refs: Sequence[str], systems: Sequence[str]
) -> None:
    """Raise unless it is clear which files are references; a third system looks like one."""
    has_roles = (arguments.references, arguments.systems, arguments.test_set) != (None, None, None)
    if has_roles or len(refs) < 2:
        return
    files = [*refs, *systems]
    raise OptionError(
        f"{len(files)} files are given, and only with three is it clear which is the reference;"
        f" for several references, use {arguments.program} -r {' '.join(refs)} -s"
        f" {' '.join(systems)}, and for more than two systems, celab score -r {refs[0]} -s"
        f" {' '.join(files[1:])}"
    )


def _report(compared: PairComparison, arguments: argparse.Namespace) -> str:
    from celab.report import pair

    if arguments.json:
        return compared.to_json() + "\n"
    kind = next((name for name in TABLES if getattr(arguments, name)), None)
    if kind:
        return pair.tables(compared, kind)
    return pair.text(compared) if arguments.details else pair.brief(compared)


if __name__ == "__main__":
    sys.exit(main())
