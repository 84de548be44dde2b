"""`celab compare`: two systems by several metrics → how they differ, how sure it is, and where.

It parses, reads, scores, compares and reports, in this order, and writes only when all of it has
succeeded. `celab.evaluation.pair.comparison` defines the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from celab.base.dicts import Arguments
from celab.base.errors import OptionError
from celab.base.numbers import RESAMPLES
from celab.base.text.escapes import dump_json
from celab.cli import (
    gates,
    inputs,
    judges,
    metrics,
    output_files,
    outputs,
    progress,
    requests,
    terminal,
)
from celab.cli.arguments import Parser, add_limits, number
from celab.cli.explain import wants_color
from celab.cli.loading import load
from celab.cli.requests import ReportRequest

if TYPE_CHECKING:
    from celab.evaluation.pair.comparison import PairComparison
    from celab.evaluation.systems.baseline import Baseline
    from celab.evaluation.systems.gate import Gate
    from celab.statistics.significance import Test

COMMAND = "celab compare"
USAGE = "{0} REF A B, {0} -r REF... -s A B, or one file that holds them all"
BASELINE_USAGE = "{0} --baseline FILE REF NEW, or {0} --baseline FILE -r REF... -s NEW"
METRICS = "celab,chrf,bleu"


@dataclass(frozen=True, kw_only=True)
class CompareRequest(ReportRequest):
    """Request of `celab compare`."""

    default_metrics = METRICS
    exclusive = tuple(combinations(("details", "json", "table"), 2))

    test: Test = "bootstrap"
    segments: int = 5
    fail_if_worse: bool = False
    margin: float | None = None
    baseline: str | None = None
    color: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.margin is not None and not self.fail_if_worse:
            raise OptionError("--margin is given without --fail-if-worse, which it is for")
        if self.margin is not None and self.margin < 0:
            raise OptionError(f"--margin is {self.margin:g}; it must be a number of 0 or more")
        if self.baseline is not None and self.html is not None:
            raise OptionError(
                "--baseline and --html are both given; a report needs the texts of both systems"
            )


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
    add("--resamples N", "number of resamples", default=1000, between=RESAMPLES)
    add("--seed N", "random seed", default=12345, between=(0, 2**32))
    add = parser.group("Gate")
    add(
        "--fail-if-worse",
        "exit code 1 if the second system scores significantly worse by the first metric",
    )
    add(
        "--margin SCORE",
        "with --fail-if-worse: exit code 1 also if it scores worse by more than this, whatever p"
        " is",
        type=number,
    )
    add(
        "--baseline FILE",
        "JSON of celab score --json --segments in place of the first system; its metrics are the"
        " default",
    )
    add = parser.group("Output")
    add(
        "--details",
        "all figures and segments; by every metric, length and document, with references",
    )
    add("--json", "print JSON, with every digit")
    parser.add_tables(add, "print {} tables")
    add("--html FILE", "also write an HTML report of both systems")
    add(
        "--explained N",
        "number of outputs that --html explains, shared by the metrics",
        default=2_000,
        between=(0, 1_000_000),
    )
    add(
        "--report-lang",
        "language of the --html report (default: en); its reader can change it",
        choices=("en", "zh"),
    )
    add("--reviews FILE", "reviews that were saved in an HTML report, to show in this one")
    add("-o --output FILE", "output file, written atomically (default: stdout)")
    output_files.add_overwrite(add)
    add(
        "--color",
        "use colors in the texts (default: auto, only in a terminal)",
        choices=("auto", "always", "never"),
        default="auto",
    )
    add(
        "--no-check",
        "do not look for outputs that are no translations, nor for copies in references",
    )
    add("-q --quiet", "suppress status messages and progress")
    inputs.add_terms(parser)
    judges.add_judges(parser)
    add_limits(parser)
    inputs.add_slow(parser)
    metrics.add_metrics(parser, METRICS)
    return parser


def run(argv: Sequence[str] | None, command: str) -> tuple[str, str, int]:
    """Return the text for stdout, the remark for stderr and the exit code."""
    request = requests.read(CompareRequest, _parser(command), argv)
    baseline = _baseline(request)
    if baseline is not None and not request.has_metrics:
        request = replace(request, metric=baseline.metrics)
    n_expected = 2 if baseline is None else 1
    usage = USAGE if baseline is None else BASELINE_USAGE
    refs, systems = inputs.paths(request, usage, n_systems=n_expected)
    _check_roles(request, refs, systems)
    if request.fail_if_worse:
        gates.check_summary(request)
    files = inputs.Files(refs, systems, None)
    metrics_by_name, texts, notices = load(request, files)
    if len(texts.systems) != n_expected:
        n, takes = len(texts.systems), "two" if baseline is None else "one with --baseline"
        raise OptionError(
            f"{n} system{'s' * (n != 1)} given; {command} takes {takes}, and celab score -r REF..."
            " -s SYSTEM... any number"
        )
    if not request.no_check:
        doubts = inputs.shift_doubts(texts, inputs.language_of(request, metrics_by_name))
        metrics.warn(notices, doubts, request.strict)
    inputs.check_time(request, metrics_by_name, texts)
    reviews = outputs.read_reviews(request, texts, notices)
    glossary = None if request.terms is None else inputs.read_glossary(request, request.terms)
    from celab.evaluation.references import view as references
    from celab.evaluation.systems.campaign import Campaign

    campaign = inputs.with_judges(Campaign(texts, metrics=metrics_by_name), request)
    with progress.ProgressBar(quiet=request.quiet) as bar:
        scored = campaign.score(
            metrics_by_name,
            lang=request.lang,
            progress=bar,
            check=not request.no_check,
        )
    if glossary is not None:
        scored = scored.add_terms(glossary, lang=request.lang, source_lang=request.source_lang)
    test: Arguments = {"n_resamples": request.resamples, "seed": request.seed}
    settings = test | {"test": request.test, "most_different": request.segments}
    if baseline is None:
        compared = scored.compare(*scored.corpus.systems, **settings)
    else:
        compared = baseline.compare(scored, **settings)
    gate = _gate(compared, request)
    report = _report(compared, request, gate)
    if request.html is not None:
        outputs.write_html(scored.test(request.test, **test), request, reviews)
    text, ending = outputs.write(request, report), outputs.ending(request, scored, notices)
    if scored.outputs is not None:
        by_system = next(iter(scored.scores.values()))
        noticed = scored.outputs.noticed
        terminal.following.extend(references.lines(noticed, len(texts.segments), by_system))
    return text, *_outcome(compared, request, gate, ending)


def _baseline(request: CompareRequest) -> Baseline | None:
    if request.baseline is None:
        return None
    from celab.evaluation.systems.baseline import Baseline

    return Baseline.read(request.baseline)


def _gate(compared: PairComparison, request: CompareRequest) -> Gate | None:
    if not request.fail_if_worse:
        return None
    from celab.evaluation.systems.gate import not_worse

    return not_worse(compared, margin=request.margin)


def _outcome(
    compared: PairComparison, request: CompareRequest, gate: Gate | None, ending: tuple[str, int]
) -> tuple[str, int]:
    from celab.base.view.tables import View
    from celab.evaluation.pair import view as pair

    view = View([pair.summary(compared), [*pair.notes(compared)]])
    return gates.outcome(request, gate, view, ending)


def _check_roles(request: CompareRequest, refs: Sequence[str], systems: Sequence[str]) -> None:
    """Raise unless it is clear which files are references; a third system looks like one."""
    is_clear = request.has_roles or request.test_set is not None or len(refs) < 2
    if is_clear or request.baseline is not None:
        return
    files = [*refs, *systems]
    raise OptionError(
        f"{len(files)} files are given, and only with three is it clear which is the reference;"
        f" for several references, use {request.program} -r {' '.join(refs)} -s"
        f" {' '.join(systems)}, and for more than two systems, celab score -r {refs[0]} -s"
        f" {' '.join(files[1:])}"
    )


def _report(compared: PairComparison, request: CompareRequest, gate: Gate | None) -> str:
    from celab.base.view.renderers import RENDERERS
    from celab.base.view.tables import ViewOptions

    if request.json:
        return dump_json(compared.to_dict() | ({} if gate is None else {"gate": gate.to_dict()}))
    if request.table:
        return RENDERERS[request.table](compared.view())
    if request.details:
        return RENDERERS["text"](compared.view(ViewOptions(detail="full")))
    color = wants_color(request.color, request.output)
    shown = RENDERERS["text"](compared.view(ViewOptions(detail="brief", color=color)))
    return terminal.Colored(shown) if color else shown


main = terminal.entry(run, COMMAND)

if __name__ == "__main__":
    sys.exit(main())
