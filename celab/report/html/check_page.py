"""Outputs that were checked → an HTML page: kinds, what must survive, references, and the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from celab.base.arguments import JsonObject, Variables
from celab.corpus.model import list_names
from celab.findings.finding import Subject
from celab.findings.references import MIN_SEGMENTS, MixedScripts
from celab.findings.references.shifts import Shift
from celab.findings.references.twins import Twins
from celab.findings.translations.outputs import Outputs
from celab.findings.translations.sentence import counted_kinds, sentence, with_most
from celab.report.html.findings import findings_in, of_table, outputs_table, sections_of
from celab.report.html.page import Evidence, named_systems, texts_data, unscored_page
from celab.report.html.views import PageSection, copies_view, counts_of
from celab.tables.cells import Phrase
from celab.tables.sentences import COPIES_IN_REFERENCE

# The sections of the page, in their order; the report has most of them.
SECTIONS = (
    PageSection(
        "outputs",
        "Outputs that look broken",
        lambda page: page["outputs"],
        summary=lambda page: counts_of(page["outputs"]),
        is_open=lambda page: True,
    ),
    PageSection("listing", "Texts", lambda page: page["listing"], is_open=lambda page: True),
    PageSection("findings", "Findings", lambda page: page["findings"]),
    PageSection("references", "References", lambda page: page["references"]),
    PageSection("sides", "Equal and shifted", lambda page: page["sides"]),
    PageSection("notes", "Data and notes", lambda page: page["notes"]),
)


def check_page(checked: Outputs, *, report_lang: str = "en", command: str | None = None) -> str:
    """Return the page of outputs that were checked; its first language is `en` or `zh`."""
    checked = checked.completed
    assert checked.corpus is not None
    heading = Phrase("celab check: {0}", named_systems([*checked.systems]))
    data = _data(checked)
    page: Variables = {
        "sentences": [*sentences(checked)],
        "outputs": outputs_table(checked.table),
        "findings": sections_of(checked.table, [each.name for each in checked.other_producers]),
        "references": copies_view(checked),
        "sides": [*remarks(checked)] or None,
        "listing": {"title": "Texts"} if any(data["hyps"]) else None,
        "notes": _notes(checked),
        "signature": "",
        "about": None,
        "command": command,
    }
    return unscored_page(checked.corpus, heading, SECTIONS, page, data, report_lang=report_lang)


def _notes(checked: Outputs) -> list[Phrase]:
    notes = [
        Phrase(
            "Other languages are told apart by their script: German instead of English is not"
            " found."
        )
    ]
    if not checked.has_reference:
        notes.append(
            Phrase("Without a reference, outputs that are too long or too short are not found.")
        )
    if not checked.has_source:
        notes.append(
            Phrase("Without a source, neither copies of it nor placeholders and tags are decided.")
        )
    return notes


def _data(checked: Outputs) -> JsonObject:
    corpus, systems = checked.corpus, checked.table.systems
    assert corpus is not None
    said = of_table(checked.table, Subject(corpus=corpus, lang=checked.lang, filters=True))
    outputs = {row[:2] for row in findings_in(said | {"systems": systems})}
    return texts_data(corpus, checked.lang, systems, outputs) | said


def sentences(checked: Outputs) -> Iterator[Evidence]:
    """Yield what was found with links to its evidence, then what was not found."""
    link = Phrase("Which they are")
    of_outputs = sentence(checked.flagged, checked.n_segments, checked.n_decided)
    said = [Evidence(of_outputs, "outputs" if checked.flagged else "", link)]
    if checked.missing:
        said.append(Evidence(_missing(checked), "findings", Phrase("Findings")))
    if checked.has_source:
        section = "findings" if checked.table.of("markup") else ""
        said.append(Evidence(_findings(checked), section, Phrase("Findings")))
    if checked.has_reference and checked.n_segments >= MIN_SEGMENTS:
        said.append(_references(checked))
    yield from sorted(said, key=lambda evidence: not evidence.section)


def _missing(checked: Outputs) -> Phrase:
    numbers = {name: len(segments) for name, segments in checked.missing.items()}
    first, most, _ = with_most(numbers)
    n = sum(numbers.values())
    if n == 1:
        return Phrase("1 output is missing, that of {0}.", first)
    if most == n:
        return Phrase("{0} outputs are missing, all of {1}.", f"{n:,}", first)
    return Phrase("{0} outputs are missing, {2} of {1}.", f"{n:,}", first, f"{most:,}")


def _findings(checked: Outputs) -> Phrase:
    findings = checked.table.of("markup")
    if not findings:
        return Phrase("No placeholder or tag is lost or added, and no output is too long.")
    rows = findings.count("system", "segment")
    by_system = Counter(system for system, _ in rows)
    kinds = counted_kinds(findings.count("kind"), findings)
    first, most, is_tie = with_most({name: by_system[name] for name in checked.systems})
    n = f"{len(rows):,}"
    if len(rows) == 1:
        return Phrase("1 output of {1} loses or adds what must survive: {0}.", kinds, first)
    if most == len(rows):
        return Phrase("{0} outputs of {2} lose or add what must survive: {1}.", n, kinds, first)
    values = n, kinds, first, f"{most:,}"
    if is_tie:
        return Phrase("{0} outputs lose or add what must survive: {1}; {2} have {3} each.", *values)
    return Phrase("{0} outputs lose or add what must survive: {1}; {2} has {3} of them.", *values)


def _references(checked: Outputs) -> Evidence:
    """Return the gravest problem of the references, or a sentence that there is none."""
    link = Phrase("References")
    others = [*remarks(checked)]
    if others:
        return Evidence(others[0], "sides", link)
    if checked.references:
        row = checked.references[0]
        copies = Phrase(
            COPIES_IN_REFERENCE,
            *(row.name, str(row.copies + row.near), str(checked.n_segments), row.system),
        )
        return Evidence(copies, "references", link)
    nothing = Phrase("No finding in the references: no copies, equal files or shifted lines.")
    return Evidence(nothing, "", link)


def remarks(checked: Outputs) -> Iterator[Phrase]:
    """Yield a sentence on each run of shifted lines, equal sides and mixed scripts."""
    yield from map(_shift, checked.shifts)
    yield from map(_twins, checked.twins)
    yield from map(_scripts, checked.scripts)


def _shift(shift: Shift) -> Phrase:
    values = shift.name, shift.reference, str(shift.first), str(shift.last)
    if not shift.offset:
        order = "Most segments of {0} fit others of {1} better: are they in another order?"
        return Phrase(order, *values[:2])
    if shift.offset > 0:
        if shift.is_to_end:
            later = "{0} fits {1} one segment later from segment {2} on: is one missing there?"
            return Phrase(later, *values)
        until = "{0} fits {1} one segment later from segment {2} to {3}: is one missing there?"
        return Phrase(until, *values)
    if shift.is_to_end:
        earlier = "{0} fits {1} one segment earlier from segment {2} on: is one doubled there?"
        return Phrase(earlier, *values)
    until = "{0} fits {1} one segment earlier from segment {2} to {3}: is one doubled there?"
    return Phrase(until, *values)


def _twins(pair: Twins) -> Phrase:
    values = (*pair.names, str(pair.equal), str(pair.segments))
    if pair.kind == "references":
        equal = "References {0} and {1} are equal in {2} of {3} segments: is one given twice?"
    elif pair.kind == "systems":
        equal = "Systems {0} and {1} are equal in {2} of {3} segments: are they one system?"
    else:
        equal = (
            "{0} and the outputs of {1} are equal in {2} of {3} segments: is the reference given"
            " as a system?"
        )
    return Phrase(equal, *values)


def _scripts(mixed: MixedScripts) -> Phrase:
    values = list_names(mixed.systems), mixed.reference
    if mixed.script == "Simplified":
        return Phrase(
            "{0}: Traditional characters, where {1} has Simplified ones; BLEU, chrF and TER score"
            " them as different.",
            *values,
        )
    return Phrase(
        "{0}: Simplified characters, where {1} has Traditional ones; BLEU, chrF and TER score them"
        " as different.",
        *values,
    )
