"""`celab terms`: a glossary and systems → whether they follow it, where not, and how consistently.

It parses, reads, checks and reports, in this order, and writes only when all of it has succeeded.
`celab.evaluation.terms.terms` defines the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.base.numbers import RESAMPLES
from celab.cli import inputs, metrics, output_files, outputs, progress, requests, terminal
from celab.cli.arguments import Parser, add_limits
from celab.cli.loading import load
from celab.cli.requests import ReportRequest

if TYPE_CHECKING:
    from celab.base.view.tables import Detail
    from celab.evaluation.terms.results import TermResult
    from celab.metrics.base import Metric
    from celab.statistics.significance import Test

COMMAND = "celab terms"
USAGE = "{0} GLOSSARY --source SRC -r REF... -s SYSTEM..., or {0} GLOSSARY REF... HYP"
LEVELS = ("system", "term", "document", "miss")


@dataclass(frozen=True, kw_only=True)
class TermsRequest(ReportRequest):
    """Request of `celab terms`."""

    exclusive = (("json", "table"),)

    glossary: str = ""
    level: str = "system"
    test: Test = "bootstrap"
    no_explain: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.glossary:
            raise OptionError(f"no glossary is given; use {USAGE.format(self.program)}")

    @property
    def looks_for_terms(self) -> bool:
        """Whether terms of a glossary are looked for: always."""
        return True


def _parser(command: str = COMMAND) -> Parser:
    parser = Parser(
        command,
        common="--source -r -s --lang --details --json --html -o",
        example=f"{command} glossary.tsv --source src.en -r ref.zh -s A.zh B.zh",
        usage=f"{command} [options] GLOSSARY --source SRC -r REF... -s SYSTEM...\n"
        f"       {command} [options] GLOSSARY REF... HYP",
        description="Checks whether systems render the terms of a glossary as it says: accuracy,"
        " forbidden terms and consistency by system and term, and what stands there instead.",
        epilog="A glossary is TSV or CSV (source term, target terms separated by |, and optionally"
        " forbidden terms and a note), or the JSON of WMT's terminology tasks. Terms are looked for"
        " in the source; without one, in the first reference, by their targets. The other files"
        " are read as by celab score.",
    )
    parser.add_argument(
        "glossary", nargs="?", metavar="GLOSSARY", help="terms and their translations"
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="references and the hypothesis")
    inputs.add_files(parser, unwraps=False)
    inputs.add_source_language(parser)
    add = parser.group("Figures")
    add(
        "--test",
        "significance test against the best system (default: bootstrap)",
        choices=("bootstrap", "randomization"),
        default="bootstrap",
    )
    add("--resamples N", "number of resamples", default=1000, between=RESAMPLES)
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add("--no-explain", "do not look for what stands in the place of missed terms")
    add = parser.group("Output")
    add(
        "--level",
        "level to report (default: system); term, document (terms rendered in several ways) and"
        " miss are one table",
        choices=LEVELS,
        default="system",
    )
    add("--details", "all rows of all tables")
    add("--json", "print JSON, with every digit")
    parser.add_tables(add, "print {} tables")
    add("--html FILE", "also write all of it as an HTML page")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    output_files.add_overwrite(add)
    add("-q --quiet", "suppress status messages and progress")
    add_limits(parser)
    metrics.add_metrics(parser)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(TermsRequest, _parser(command), argv)
    files = inputs.files_of(request, USAGE)
    by_name, texts, notices = load(request, files, _check_metrics, needs_refs=False)
    from celab.evaluation.terms.terms import terms

    (metric,) = by_name.values()
    with progress.ProgressBar(0, "explaining", "misses", quiet=request.quiet) as bar:
        result = terms(
            inputs.read_glossary(request, request.glossary),
            texts,
            lang=request.lang,
            source_lang=request.source_lang,
            explain=not request.no_explain,
            metric=metric,
            test=request.test,
            n_resamples=request.resamples,
            seed=request.seed,
            progress=bar,
        )
    if request.html is not None:
        result.html(request.html)
    written = outputs.write(request, _report(result, request))
    return written, *outputs.remark(request, inputs.describe_corpus(texts), notices, 0)


def _report(result: TermResult, request: TermsRequest) -> str:
    from celab.base.view.renderers import RENDERERS
    from celab.base.view.tables import ViewOptions

    if request.json:
        return result.to_json() + "\n"
    detail: Detail = "full" if request.details else "normal"
    options = ViewOptions(detail, request.level, request.digits)
    return RENDERERS[request.output_format](result.view(options))


def _check_metrics(metrics: Mapping[str, Metric]) -> None:
    """Raise unless there is one metric."""
    if len(metrics) > 1:
        raise OptionError(f"{len(metrics)} metrics are given; give one")


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
