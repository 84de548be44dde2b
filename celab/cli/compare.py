"""`celab compare`: two systems by several metrics → how they differ, how sure it is, and where.

It parses, reads, scores, compares and reports, in this order, and writes only when all of it has
succeeded. `celab.systems.pair` defines the figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from celab.base.arguments import Arguments
from celab.base.errors import OptionError
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import dump_json
from celab.cli import loading, output_files, progress, terminal
from celab.cli.command import command
from celab.cli.explain import wants_color
from celab.cli.flags import number
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.option_groups import (
    GateOptions,
    JudgeOptions,
    OutputOptions,
    ReportOptions,
    SignificanceOptions,
    TermOptions,
    WarningOptions,
    format_rules,
    text_rules,
    texts_group,
)
from celab.cli.requests import CampaignRequest
from celab.cli.rules import Rule, conflict, needs, refuse
from celab.cli.terminal import Outcome
from celab.corpus.options import Inputs
from celab.findings.differences import ErrorProfile, pair_summary
from celab.findings.finding import Gate, join_gates, kinds_of
from celab.metrics.base import Metric
from celab.statistics.significance import Test
from celab.systems.baseline import Baseline, not_worse
from celab.systems.campaign import Campaign
from celab.systems.pair import PairComparison
from celab.systems.pair import results as pair
from celab.tables.cells import quantity
from celab.tables.formats import render
from celab.tables.table import Part

METRICS = "celab,chrf,bleu"


@dataclass(frozen=True, kw_only=True)
class CompareRequest(CampaignRequest):
    """Request of `celab compare`."""

    usages = "{0} REF A B, {0} -r REF... -s A B, or one file that holds them all"
    heading = "Output"

    texts: Inputs = texts_group(without=["lang", "text"], files="reference, then the two systems")
    segments: int = option(
        3, "segments to show for either system", metavar="K", between=(0, 1_000_000)
    )
    tests: SignificanceOptions = option_group(SignificanceOptions)
    fail_if_worse: bool = option(
        False,
        "exit code 1 if the second system is significantly behind the first by the first metric",
        group="Gate",
    )
    margin: float | None = option(
        None,
        "with --fail-if-worse: exit code 1 also if it is behind by more than this, regardless of p",
        metavar="SCORE",
        convert=number,
        group="Gate",
    )
    gate: GateOptions = option_group(
        GateOptions,
        fail_on="exit code 1 if the second system has a finding of one of these kinds where the"
        " first has none, separated by commas: {kinds}; docs/ci.md",
    )
    baseline: str | None = option(
        None,
        "JSON of celab score --json --segments in place of the first system; its metrics are the"
        " default",
        metavar="FILE",
        group="Gate",
    )
    details: bool = option(
        False,
        "all figures and segments; by metric, length, document and kind of difference, with"
        " references",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        without=["digits"],
        color="when to use colors (default: auto); auto: in a terminal",
    )
    report: ReportOptions = option_group(
        ReportOptions, without=["plot"], html="also write an HTML report of both systems"
    )
    terms: TermOptions = option_group(TermOptions)
    judges: JudgeOptions = option_group(JudgeOptions)
    limits: Limits = option_group(Limits)
    time: WarningOptions = option_group(WarningOptions, only=["slow"])
    metrics: Metrics = metrics_group(METRICS)

    @property
    def usage(self) -> str:
        """A line of usage, for messages."""
        if self.baseline is None:
            return super().usage
        program = f"{self.program} --baseline FILE"
        return f"{program} REF NEW, or {program} -r REF... -s NEW"

    @staticmethod
    def rules(r: CompareRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield from format_rules(r.output)
        yield conflict(r.details, r.output.json, r.output.tables)
        yield needs(r.margin, r.fail_if_worse)
        yield refuse(_negative_margin)
        yield conflict(r.gate.fail_on, r.report.no_check)
        yield conflict(
            r.baseline, r.report.html, because="a report needs the texts of both systems"
        )
        yield needs(r.report.report_lang, r.report.html)
        yield needs(r.report.explained, r.report.html)
        yield needs(r.terms.source_lang, r.terms.terms)
        yield needs(r.judges.count_from, r.judges.scores, r.judges.human, r.judges.spans)
        yield from text_rules(r.texts)


def _negative_margin(request: CompareRequest) -> str:
    margin = request.margin
    is_wrong = margin is not None and margin < 0
    return f"--margin is {margin:g}; it must be a number of 0 or more" if is_wrong else ""


@command(
    CompareRequest,
    "compare",
    usage="[options] REF A B\n[options] -r REF... -s A B",
    common="-r -s -m --lang --lexicon --segments --details --json --markdown --html -o",
    example="{0} ref.zh A.zh B.zh",
    description="Compares two systems by several metrics: difference, 95% interval, two-sided"
    " p-value, wins and losses, the segments that differ most, scores by length and document.",
    epilog=f"The default metrics are {METRICS.replace(',', ', ')}. Files are read as by celab"
    " score, which compares more than two systems.",
)
def main(request: CompareRequest) -> Outcome:
    """Compare two systems, and return what to print."""
    baseline = _baseline(request)
    if baseline is not None and not request.metrics.names:
        request = replace(request, metrics=replace(request.metrics, names=baseline.metrics))
    n_expected = 2 if baseline is None else 1
    files = loading.files_of(request, n_expected)._replace(default=None)
    _check_roles(request, files.refs, files.systems)
    if request.fail_if_worse or request.gate.fail_on:
        output_files.check_gate(request, None if baseline is None else _kinds_of_baselines())
    metrics_by_name, texts = loading.load(request, files, lambda made: _check_margin(request, made))
    if len(texts.systems) != n_expected:
        n, takes = len(texts.systems), "two" if baseline is None else "one with --baseline"
        raise OptionError(
            f"{quantity(n, 'system')} given; {request.program} takes {takes}, and celab score"
            " -r REF... -s SYSTEM... any number"
        )
    campaign, tests = Campaign(texts, metrics=metrics_by_name), request.tests
    if request.gate.fail_on:
        output_files.check_gate_texts(request, texts, metrics_by_name)
    campaign, glossary = loading.prepare(campaign, request)
    check, lang = not request.report.no_check, request.metrics.target_of(metrics_by_name)
    then = "checking outputs" if check else ""
    with progress.show(then=then, quiet=request.output.quiet) as bar:
        scored = campaign.score(campaign.metrics, lang=lang, progress=bar, check=check)
    if glossary is not None:
        scored = loading.add_terms(scored, glossary, request)
    test: Test = tests.test or "bootstrap"
    settings: Arguments = tests.resampling | {"test": test, "most_different": request.segments}
    if baseline is None:
        settings |= output_files.gate_settings(request)
        compared = scored.compare(*scored.corpus.systems, **settings)
    else:
        compared = baseline.compare(scored, **settings)
    gate = output_files.with_untested(_gate(compared, request), texts)
    profile = _profile(scored, request) if baseline is None else None
    report = _report(compared, request, gate, profile)
    output_files.tell_found(scored)
    output_files.tell_read(request, texts)
    if request.report.html is not None:
        scored = scored.test(test, **tests.resampling)
    text = output_files.write_with_page(request, report, scored)
    return output_files.finish(
        request, text, scored.n_skipped, gate=gate, summary=lambda: _summary(compared)
    )


def _check_margin(request: CompareRequest, metrics_by_name: Mapping[str, Metric]) -> None:
    if request.margin is not None:
        output_files.check_scale(request, "margin", request.margin, metrics_by_name)


def _baseline(request: CompareRequest) -> Baseline | None:
    if request.baseline is None:
        return None
    return Baseline.read(request.baseline)


def _profile(campaign: Campaign, request: CompareRequest) -> ErrorProfile | None:
    if not request.details:
        return None
    target = request.metrics.target_of(campaign.metrics)
    return campaign.error_profile(lang=target, **request.tests.resampling)


def _kinds_of_baselines() -> list[str]:
    return [kind.name for kind in kinds_of("outputs").values() if kind.verdict]


def _gate(compared: PairComparison, request: CompareRequest) -> Gate | None:
    outcomes, kinds = [], request.gate.fail_on
    if request.fail_if_worse:
        outcomes.append(not_worse(compared, margin=request.margin))
    if kinds:
        outcomes.append(output_files.with_judged(compared.gate(kinds), request, compared.spans))
    return join_gates(outcomes)


def _summary(compared: PairComparison) -> list[Part]:
    """Return the figures of a step summary."""
    return [pair.metric_table(compared), [*pair.notes(compared)]]


def _check_roles(request: CompareRequest, refs: Sequence[str], systems: Sequence[str]) -> None:
    """Raise unless it is clear which files are references; a third system looks like one."""
    options = request.inputs
    is_clear = options.has_roles or options.test_set is not None or len(refs) < 2
    if is_clear or request.baseline is not None:
        return
    files = [*refs, *systems]
    raise OptionError(
        f"it is not clear which of {len(files)} files are references; use {request.program} -r"
        f" {' '.join(refs)} -s {' '.join(systems)}, or for more than two systems celab score -r"
        f" {refs[0]} -s {' '.join(files[1:])}"
    )


def _report(
    compared: PairComparison,
    request: CompareRequest,
    gate: Gate | None,
    profile: ErrorProfile | None,
) -> str:
    if request.output.json:
        return dump_json(compared.to_dict() | ({} if gate is None else {"gate": gate.facts()}))
    if request.output.table:
        return compared.render(request.output.table)
    if request.details:
        more = [] if profile is None else pair_summary(profile, *profile.systems)
        return render([*compared.tables("full"), *more], all_rows=True)
    color = wants_color(request.output)
    text = render(pair.brief_parts(compared, color=color))
    return terminal.Colored(text) if color else text
