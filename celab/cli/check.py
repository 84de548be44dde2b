"""`celab check`: references and systems → outputs that are not translations, by system and kind.

It parses, reads, checks and reports, in this order. `celab.evaluation.checks` defines the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from celab.base.errors import OptionError
from celab.base.messages import note, warn
from celab.base.options import Limits, option, part
from celab.base.text.escapes import dump_json
from celab.base.text.scripts import script_warnings
from celab.cli import align, inputs, names, outputs
from celab.cli.command import Request, command
from celab.cli.groups import (
    LANGUAGE,
    FindingGate,
    Page,
    TableOutput,
    Texts,
    format_rules,
    text_rules,
    texts_part,
)
from celab.cli.rules import Rule, conflict, needs
from celab.cli.terminal import Outcome
from celab.corpus import Corpus
from celab.corpus.inputs import Language
from celab.evaluation.checks.outputs import Outputs
from celab.evaluation.references import check_references
from celab.evaluation.references.copies import shift_warnings
from celab.evaluation.tables import Gate, Subject, kinds_of_texts
from celab.tables.view import RENDERERS, View, ViewOptions, line

MOST_LISTED = 100  # findings in a step summary


@dataclass(frozen=True, kw_only=True)
class CheckedTexts(Language, Texts):
    """Texts in a language."""


@dataclass(frozen=True, kw_only=True)
class CheckRequest(Request):
    """Request of `celab check`."""

    usages = (
        "{0} REF... HYP, {0} -r REF... -s SYSTEM..., {0} -s SYSTEM... with --source or bilingual"
        " files, or one file that is bilingual or holds them all"
    )
    heading = "Output"

    texts: CheckedTexts = texts_part(
        CheckedTexts, lang=LANGUAGE, source="source text, compared with each output"
    )
    filters: bool = option(
        False,
        "report lost numbers and damaged addresses, too; needs a source; they are no verdict",
        group="Check",
    )
    strict: bool = option(False, "exit code 1 if an output is not a translation", group="Check")
    gate: FindingGate = part(FindingGate, fail_on={"names": names.kinds_of_texts})
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
    output: TableOutput = part(
        TableOutput,
        json="print JSON, with outputs that are not translations",
        tables="print a {} table",
        quiet="suppress status messages",
    )
    page: Page = part(Page, html="also write an HTML page")
    limits: Limits = part(Limits)

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
        """Format of `--output`, or of what is printed."""
        is_listed = self.segments and self.output.table is None
        return "tsv" if is_listed else self.output.format


@command(
    CheckRequest,
    "check",
    usage="[options] REF... HYP\n[options] -r REF... -s SYSTEM...\n[options] BILINGUAL_FILE",
    common="-r -s --source --lang --segments --filters --json --html --strict -o",
    example="{0} -r ref.zh -s A.zh B.zh --source src.en",
    description="Finds outputs that are not translations: empty, refused, wrapped, copied, in"
    " another language, repeated, too long or too short; and, with a source, placeholders and"
    " tags that are lost or added.",
    epilog="Files are read as by celab score. No score depends on what is found. Languages are"
    " told apart by script, so German instead of English is not found.",
)
def main(request: CheckRequest) -> Outcome:
    """Check all outputs, and return what to print."""
    files = inputs.files_of(request)
    if request.strict or request.gate.fail_on:
        outputs.check_gate(request)
    options = request.inputs
    needs_refs = options.test_set is not None or bool(files.refs and files.systems)
    texts = inputs.read(request, files, needs_refs=needs_refs)
    _check_sides(request, texts)
    lang = options.lang or texts.lang or "zh"
    _warn_of_languages(request, texts, lang)
    warn(*shift_warnings(check_references(texts, lang).shifts))
    kinds = kinds_of_texts()
    filters = request.filters or any(not kinds[kind].verdict for kind in request.gate.fail_on)
    checked = Outputs.of_corpus(texts, lang, filters=filters, findings=True)
    if request.unwrap_to is not None:
        inside = texts if options.unwrap else inputs.told_unwrapped(texts.unwrap())
        align.write_files(request, "--unwrap-to", align.files_in(request.unwrap_to, inside))
    gate = outputs.with_untested(_gate(checked, request), texts)
    text = outputs.write(request, _report(checked, request, gate))
    if request.page.html is not None:
        checked.html(request.page.html, report_lang=request.page.report_lang or "en")
    note(*inputs.describe_corpus(texts))
    return outputs.end(request, text, gate=gate, view=lambda: _summary(checked, request))


def _summary(checked: Outputs, request: CheckRequest) -> View:
    """Return the counts of a step summary, and the findings that let the gate fail."""
    kinds = request.gate.fail_on
    findings = checked.table.where(kind=kinds) if kinds else checked.flagged
    most = findings.with_rows(findings.rows[:MOST_LISTED])
    rest = len(findings) - len(most)
    more = [line(f"{rest} more; --segments lists all")] if rest else []
    return View(
        [*checked.view().parts, most.listing(findings.columns), more]
        if findings
        else checked.view().parts
    )


def _check_sides(request: CheckRequest, texts: Corpus) -> None:
    """Raise if there is no source or no reference, but something that needs one."""
    if texts.source is None and not texts.refs:
        raise OptionError(
            "no reference is given, and the files have no source; add -r REF, or --source FILE"
        )
    subject = Subject(corpus=texts, filters=True)
    optional = [kind for kind in kinds_of_texts().values() if not kind.verdict]
    if request.filters and texts.source is None and not any(map(subject.is_looked_for, optional)):
        raise OptionError("--filters is given without a source; add --source FILE")
    if request.gate.fail_on:
        outputs.check_gate_texts(request, texts)


def _warn_of_languages(request: CheckRequest, texts: Corpus, lang: str) -> None:
    """Warn about files in another script than the target language's.

    A reference alone is the wrong file, which `--strict` makes an error. Outputs may be findings,
    and files that all are in another script may be in a language that has no metric.
    """
    sides, n_systems = inputs.sides_of(texts), len(texts.systems)
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
        return dump_json(checked.to_dict() | ({} if gate is None else {"gate": gate.to_dict()}))
    level = "segment" if request.segments else "system"
    return RENDERERS[request.output_format](checked.view(ViewOptions(level=level)))
