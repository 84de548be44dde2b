"""`celab terms`: a glossary and systems → whether they follow it, where not, and how consistently.

It parses, reads, checks and reports, in this order, and writes only when all of it has succeeded.
`celab.terminology.api` defines the figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from celab.base.errors import OptionError
from celab.base.messages import note
from celab.base.options import Limits, option, option_group
from celab.base.run import paused_collector
from celab.base.text.escapes import dump_json
from celab.cli import loading, output_files
from celab.cli.command import command
from celab.cli.flags import number
from celab.cli.loading import check_single, load
from celab.cli.metrics import Metrics, metrics_group
from celab.cli.names import kinds_of_terms
from celab.cli.option_groups import (
    GateOptions,
    OutputOptions,
    ReportOptions,
    SignificanceOptions,
    TermOptions,
    format_rules,
    text_rules,
    texts_group,
)
from celab.cli.requests import Request
from celab.cli.rules import Rule, needs
from celab.cli.terminal import Outcome
from celab.corpus.options import Inputs
from celab.findings.finding import Gate
from celab.tables.view import Detail
from celab.terminology.api import terms
from celab.terminology.results import TermResult

LEVELS = ("system", "term", "miss")


def _rate(text: str) -> float:
    rate = number(text)
    if not 0 <= rate <= 1:
        raise argparse.ArgumentTypeError(f"{text} is given; it must be from 0 to 1")
    return rate


@dataclass(frozen=True, kw_only=True)
class TermsRequest(Request):
    """Request of `celab terms`."""

    usages = "{0} GLOSSARY --source SRC -r REF... -s SYSTEM..., or {0} GLOSSARY REF... HYP"
    heading = "Output"

    glossary: str = option(
        "", "terms and their translations", metavar="GLOSSARY", is_argument=True, nargs="?"
    )
    texts: Inputs = texts_group(
        without=["unwrap", "lang", "text"], files="references and the hypothesis"
    )
    source: TermOptions = option_group(TermOptions, only=["source_lang"])
    tests: SignificanceOptions = option_group(
        SignificanceOptions,
        without=["resample_by"],
        test="significance test against the system with the highest accuracy (default: bootstrap)",
    )
    gate: GateOptions = option_group(GateOptions, fail_on={"known_names": kinds_of_terms})
    fail_under: float | None = option(
        None,
        "exit code 1 if the accuracy of a system is lower than this, from 0 to 1",
        metavar="RATE",
        convert=_rate,
        group="Gate",
    )
    level: str = option(
        "system",
        "level to report (default: system); term and miss print only that table",
        choices=LEVELS,
    )
    details: bool = option(False, "all rows of all tables")
    output: OutputOptions = option_group(OutputOptions, without=["color", "digits"])
    page: ReportOptions = option_group(
        ReportOptions, only=["html", "report_lang"], html="also write an HTML page"
    )
    limits: Limits = option_group(Limits)
    metrics: Metrics = metrics_group()

    @staticmethod
    def rules(r: TermsRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield from format_rules(r.output)
        yield needs(r.page.report_lang, r.page.html)
        yield from text_rules(r.texts)


@command(
    TermsRequest,
    "terms",
    usage="[options] GLOSSARY --source SRC -r REF... -s SYSTEM...\n[options] GLOSSARY REF... HYP",
    common="--source -r -s --lang --details --json --html -o",
    example="{0} glossary.tsv --source src.en -r ref.zh -s A.zh B.zh",
    description="Checks whether systems render the terms of a glossary as it says: accuracy,"
    " forbidden terms and consistency by system and term.",
    epilog="A glossary is TSV or CSV (source term, target terms separated by |, and optionally"
    " forbidden terms and a note), or the JSON of WMT's terminology tasks. Terms are looked for"
    " in the source; without one, in the first reference, by their targets. The other files"
    " are read as by celab score.",
)
def main(request: TermsRequest) -> Outcome:
    """Check whether the systems follow the glossary, and return what to print."""
    if not request.glossary:
        raise OptionError(f"no glossary is given; use {request.usage}")
    files = loading.files_of(request)
    kinds, min_accuracy = request.gate.fail_on, request.fail_under
    is_gated = bool(kinds) or min_accuracy is not None
    if is_gated:
        output_files.check_gate(request)
    by_name, texts = load(request, files, check_single, needs_refs=False)
    (metric,) = by_name.values()
    result = terms(
        loading.read_glossary(request, request.glossary),
        texts,
        lang=request.metrics.lang,
        source_lang=request.source.source_lang,
        metric=metric,
        test=request.tests.test or "bootstrap",
        **request.tests.resampling,
    )
    gate = result.gate(kinds, least=min_accuracy) if is_gated else None
    gate = output_files.with_untested(gate, texts)
    written = output_files.write(request, _report(result, request, gate))
    if request.page.html is not None:
        result.html(
            request.page.html,
            report_lang=request.page.report_lang or "en",
            command=output_files.command_text(request),
        )
    note(*loading.describe_corpus(texts))
    return output_files.finish(request, written, gate=gate, summary=result.tables)


def _report(result: TermResult, request: TermsRequest, gate: Gate | None) -> str:
    if request.output.json:
        with paused_collector():
            return dump_json(result.to_dict() | ({} if gate is None else {"gate": gate.facts()}))
    detail: Detail = "full" if request.details else "normal"
    level = None if request.level == "system" else request.level
    return result.render(request.output_format, detail=detail, level=level)
