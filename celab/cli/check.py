"""`celab check`: references and systems → outputs that may not be translations, by system and kind.

It parses, reads, checks and reports, in this order. `celab.findings.translations` defines the
kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from celab.base import io
from celab.base.errors import OptionError
from celab.base.languages import language_code
from celab.base.messages import finding, note, warn
from celab.base.options import Limits, option, option_group
from celab.base.text.escapes import dump_json
from celab.base.text.scripts import script_warnings
from celab.cli import align, loading, names, output_files
from celab.cli.command import command
from celab.cli.option_groups import (
    WRITTEN_LANGUAGE,
    GateOptions,
    OutputOptions,
    ReportOptions,
    format_rules,
    text_rules,
    texts_group,
)
from celab.cli.requests import Request
from celab.cli.rules import Rule, conflict, needs
from celab.cli.terminal import Outcome
from celab.corpus import Corpus
from celab.corpus.options import Inputs
from celab.findings import accepted, wrong_script
from celab.findings.finding import Gate, Subject, kinds_of_texts
from celab.findings.references import check_references
from celab.findings.references.shifts import shift_warnings
from celab.findings.translations.outputs import Outputs
from celab.tables.cells import quantity
from celab.tables.table import Part
from celab.tables.view import line

MAX_LISTED = 100  # findings in a step summary


@dataclass(frozen=True, kw_only=True)
class CheckRequest(Request):
    """Request of `celab check`."""

    usages = (
        "{0} REF... HYP, {0} -r REF... -s SYSTEM..., {0} -s SYSTEM... with --source or bilingual"
        " files, or one file that is bilingual or holds them all"
    )
    heading = "Output"

    texts: Inputs = texts_group(
        without=["text"], lang=WRITTEN_LANGUAGE, source="source text, compared with each output"
    )
    filters: bool = option(
        False,
        "also report lost numbers and damaged addresses; needs a source; they do not make an"
        " output wrong",
        group="Check",
    )
    strict: bool = option(False, "exit code 1 if an output may not be a translation", group="Check")
    gate: GateOptions = option_group(GateOptions, fail_on={"known_names": names.kinds_of_texts})
    accept: str | None = option(
        None,
        "file of accepted findings, which are not counted; accepted findings that are gone are"
        " named",
        metavar="FILE",
        group="Gate",
    )
    write_accepted: str | None = option(
        None,
        "also write all findings into this file, for --accept",
        metavar="FILE",
        file="output",
        group="Gate",
    )
    segments: bool = option(
        False,
        "a line per finding: system, segment (from 1), kind, text, form; TSV, or a table such as"
        " --markdown",
    )
    unwrap_to: str | None = option(
        None,
        "also write the unwrapped outputs, a line each, in this folder",
        metavar="FOLDER",
        file="folder",
    )
    output: OutputOptions = option_group(
        OutputOptions,
        without=["color", "digits"],
        json="print JSON, with all findings",
        tables="print a {} table",
        quiet="suppress status messages",
    )
    page: ReportOptions = option_group(
        ReportOptions, only=["html", "report_lang"], html="also write an HTML page"
    )
    limits: Limits = option_group(Limits)

    @staticmethod
    def rules(r: CheckRequest) -> Iterator[Rule]:
        """Yield what excludes what, and what needs what."""
        yield from format_rules(r.output)
        yield conflict(r.segments, r.output.json)
        yield conflict(r.gate.fail_on, r.strict)
        yield needs(r.page.report_lang, r.page.html)
        yield from text_rules(r.texts)

    @property
    def output_format(self) -> str:
        """Format of `--output`, or of standard output."""
        is_listed = self.segments and self.output.table is None
        return "tsv" if is_listed else self.output.format


@command(
    CheckRequest,
    "check",
    usage="[options] REF... HYP\n[options] -r REF... -s SYSTEM...\n[options] BILINGUAL_FILE",
    common="-r -s --source --lang --segments --filters --json --html --strict -o",
    example="{0} -r ref.zh -s A.zh B.zh --source src.en",
    description="Finds outputs that may not be translations: empty, refused, wrapped, copied, in"
    " another language, repeated, too long or too short; and, with a source, placeholders and"
    " tags that are lost or added.",
    epilog="Files are read as by celab score. No score depends on what is found. Languages are"
    " told apart by script, so German instead of English is not found.",
)
def main(request: CheckRequest) -> Outcome:
    """Check all outputs, and return what to print."""
    files = loading.files_of(request)
    if request.strict or request.gate.fail_on:
        output_files.check_gate(request)
    options = request.inputs
    needs_refs = options.test_set is not None or bool(files.refs and files.systems)
    texts = loading.read(request, files, needs_refs=needs_refs)
    _check_sides(request, texts)
    lang = language_code(options.lang) or texts.lang or "zh"
    _warn_of_languages(request, texts, lang)
    warn(*shift_warnings(check_references(texts, lang).shifts))
    kinds = kinds_of_texts()
    filters = request.filters or any(not kinds[kind].verdict for kind in request.gate.fail_on)
    accepted_findings = None if request.accept is None else accepted.read(request.accept)
    checked = Outputs.of_corpus(texts, lang, filters=filters, findings=True)
    if request.write_accepted is not None:
        io.write(request.write_accepted, accepted.dump(checked.table))
    if accepted_findings is not None:
        name = io.display_name(request.accept or "")
        checked = _without_accepted(checked, accepted_findings, name)
    if request.unwrap_to is not None:
        inside = texts if options.unwrap else loading.told_unwrapped(texts.unwrap())
        align.write_files(request, "--unwrap-to", align.files_in(request.unwrap_to, inside))
    gate = output_files.with_untested(_gate(checked, request), texts)
    text = output_files.write(request, _report(checked, request, gate))
    if request.page.html is not None:
        checked.html(
            request.page.html,
            report_lang=request.page.report_lang or "en",
            command=output_files.command_text(request),
        )
    note(*loading.describe_corpus(texts))
    return output_files.finish(request, text, gate=gate, summary=lambda: _summary(checked, request))


def _without_accepted(
    checked: Outputs, accepted_findings: Sequence[accepted.AcceptedFinding], name: str
) -> Outputs:
    """Return the findings that are not accepted, and report the accepted ones."""
    remaining = accepted.Accepted.of(accepted_findings, checked.table)
    note(f"{name}: {quantity(remaining.n_accepted, 'finding')} accepted")
    finding(remaining.gone_line(name), remaining.unchecked_line(name))
    return replace(checked, table=remaining.table)


def _summary(checked: Outputs, request: CheckRequest) -> list[Part]:
    """Return the counts of a step summary, and the findings that let the gate fail."""
    kinds = request.gate.fail_on
    findings = checked.table.where(kind=kinds) if kinds else checked.flagged
    first = findings.with_rows(findings.rows[:MAX_LISTED])
    n_more = len(findings) - len(first)
    more = [line(f"{n_more} more; --segments lists all")] if n_more else []
    listed: list[Part] = [first.listing(check=False).whole(), more]
    return [*checked.tables(), *(listed if findings else [])]


def _check_sides(request: CheckRequest, texts: Corpus) -> None:
    """Raise if a source or a reference is missing that outputs, `--filters` or the gate need."""
    if texts.source is None and not texts.refs:
        raise OptionError(
            "no reference is given, and the files have no source; add -r REF, or --source FILE"
        )
    subject = Subject(corpus=texts, filters=True)
    optional = [kind for kind in kinds_of_texts().values() if not kind.verdict]
    if request.filters and texts.source is None and not any(map(subject.is_looked_for, optional)):
        raise OptionError("--filters is given without a source; add --source FILE")
    if request.gate.fail_on:
        output_files.check_gate_texts(request, texts)
    if wrong_script.KIND.name in request.gate.fail_on:
        subject = Subject(corpus=texts, lang=request.inputs.written_lang)
        if not any(wrong_script.script_of(subject, name) for name in texts.systems):
            raise OptionError(
                f"--fail-on is {wrong_script.KIND.name}, but nothing says how the language is"
                " written; add --lang, such as --lang zh-Hant"
            )


def _warn_of_languages(request: CheckRequest, texts: Corpus, lang: str) -> None:
    """Warn about files in another script than the target language's.

    A reference alone is the wrong file, which `--strict` makes an error. Outputs may be findings,
    and files that all are in another script may be in a language that has no metric.
    """
    sides, n_systems = loading.sides_of(texts), len(texts.systems)
    of_all, of_systems, of_refs = (
        [*script_warnings(lang, some, texts.count_traits)]
        for some in (sides, sides[:n_systems], sides[n_systems:])
    )
    warn(*of_all, is_hint=bool(of_systems or not of_refs))


def _gate(checked: Outputs, request: CheckRequest) -> Gate | None:
    kinds = request.gate.fail_on
    return checked.gate(kinds or None) if kinds or request.strict else None


def _report(checked: Outputs, request: CheckRequest, gate: Gate | None) -> str:
    if request.output.json:
        return dump_json(checked.to_dict() | ({} if gate is None else {"gate": gate.facts()}))
    is_tsv = request.output_format == "tsv"
    level = "finding" if request.segments else "system" if is_tsv else None
    return checked.render(request.output_format, level=level)
