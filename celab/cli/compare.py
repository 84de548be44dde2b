"""`celab compare`: two systems by several metrics → how they differ, how sure it is, and where.

It parses, reads, scores, compares and reports, in this order, and writes only when all of it has
succeeded. `celab.evaluation.comparison` defines the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.cli import inputs, judges, metrics, outputs, progress, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.loading import load
from celab.cli.requests import TABLES, ReportRequest

if TYPE_CHECKING:
    from celab.evaluation.comparison import PairComparison, Test
    from celab.evaluation.judges.spans import SpanReport

COMMAND = "celab compare"
USAGE = "{0} REF A B, {0} -r REF... -s A B, or one file that holds them all"
METRICS = "celab,chrf,bleu"


@dataclass(frozen=True, kw_only=True)
class CompareRequest(ReportRequest):
    """What `celab compare` is asked to do."""

    default_metrics = METRICS
    exclusive = tuple(combinations(("details", "json", *TABLES), 2))

    test: Test = "bootstrap"
    segments: int = 5


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
    judges.add_judges(parser)
    add_limits(parser)
    inputs.add_slow(parser)
    metrics.add_metrics(parser, METRICS)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(CompareRequest, _parser(command), argv)
    refs, systems = inputs.paths(request, USAGE, n_systems=2)
    _check_roles(request, refs, systems)
    files = inputs.Files(refs, systems, None)
    metrics_by_name, texts, notices = load(request, files)
    if len(texts.systems) != 2:
        n = len(texts.systems)
        raise OptionError(
            f"{n} system{'s' * (n != 1)} given; {command} takes two, and celab score -r REF..."
            " -s SYSTEM... any number"
        )
    inputs.check_time(request, metrics_by_name, texts)
    from celab.evaluation.campaign import Campaign

    campaign = judges.with_judges(Campaign(texts, metrics=metrics_by_name), request)
    with progress.ProgressBar(quiet=request.quiet) as bar:
        scored = campaign.score(metrics_by_name, lang=request.lang, progress=bar)
    compared = scored.compare(
        *scored.corpus.systems,
        test=request.test,
        n_resamples=request.resamples,
        seed=request.seed,
        most_different=request.segments,
    )
    report = _report(compared, request, scored.spans)
    if request.html is not None:
        test = {"n_resamples": request.resamples, "seed": request.seed}
        outputs.write_html(scored.test(request.test, **test), request)
    return outputs.write(request, report), *outputs.ending(request, scored, notices)


def _check_roles(request: CompareRequest, refs: Sequence[str], systems: Sequence[str]) -> None:
    """Raise unless it is clear which files are references; a third system looks like one."""
    if request.has_roles or request.test_set is not None or len(refs) < 2:
        return
    files = [*refs, *systems]
    raise OptionError(
        f"{len(files)} files are given, and only with three is it clear which is the reference;"
        f" for several references, use {request.program} -r {' '.join(refs)} -s"
        f" {' '.join(systems)}, and for more than two systems, celab score -r {refs[0]} -s"
        f" {' '.join(files[1:])}"
    )


def _report(compared: PairComparison, request: CompareRequest, spans: SpanReport | None) -> str:
    from celab.report import pair

    if request.json:
        return judges.with_spans_data(compared.to_dict(), spans)
    if request.table:
        return pair.tables(compared, request.table)
    text = pair.text(compared) if request.details else pair.brief(compared)
    return text if spans is None else f"{text}\n{spans}\n"


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
