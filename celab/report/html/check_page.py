"""Outputs that were checked → an HTML page: kinds, what must survive, references, and the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject, Variables
from celab.base.view.cells import Phrase
from celab.evaluation.tables import Subject
from celab.report.html import check_sentences
from celab.report.html.findings import findings_in, of_table, outputs_table, sections_of
from celab.report.html.unscored import named_systems, texts_data, unscored_page
from celab.report.html.views import PageSection

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs

# The sections of the page, in their order; the report has most of them.
SECTIONS = (
    PageSection("sentences", "Result", lambda page: page["sentences"]),
    PageSection("listing", "Texts", lambda page: page["listing"]),
    PageSection("outputs", "Not translations", lambda page: page["outputs"]),
    PageSection("findings", "Findings", lambda page: page["findings"]),
    PageSection("references", "References", lambda page: page["references"]),
    PageSection("sides", "Equal and shifted", lambda page: page["sides"]),
)


def check_page(checked: Outputs, *, report_lang: str = "en") -> str:
    """Return the page of outputs that were checked; its first language is `en` or `zh`."""
    checked = checked.completed
    assert checked.corpus is not None
    heading = Phrase("celab check: {0}", named_systems([*checked.systems]))
    data = _data(checked)
    page: Variables = {
        "sentences": [*check_sentences.sentences(checked)],
        "outputs": outputs_table(checked.table),
        "findings": sections_of(checked.table, [each.name for each in checked.others]),
        "references": _copies(checked) or None,
        "sides": [*check_sentences.remarks(checked)] or None,
        "listing": {"title": "Texts"} if any(data["hyps"]) else None,
        "notes": _notes(checked),
        "signature": "",
        "about": None,
    }
    return unscored_page(checked.corpus, heading, SECTIONS, page, data, report_lang=report_lang)


def _notes(checked: Outputs) -> list[Phrase]:
    if not checked.has_reference:
        return [Phrase("Without a reference, only empty and repeated outputs are decided.")]
    notes = [
        Phrase(
            "Other languages are told apart by their script: German instead of English is not"
            " found."
        )
    ]
    if not checked.has_source:
        notes.append(
            Phrase("Without a source, neither copies of it nor placeholders and tags are decided.")
        )
    return notes


def _copies(checked: Outputs) -> list[Variables]:
    """Return the references that were probably made from a system."""
    return [
        {
            "name": row.name,
            "system": row.system,
            "n_copies": str(row.copies + row.near),
            "n_segments": str(checked.n_segments),
            "others": None if row.others_in_all is None else str(row.others_in_all),
            "without": None,
        }
        for row in checked.references
    ]


def _data(checked: Outputs) -> JsonObject:
    corpus, systems = checked.corpus, checked.table.systems
    assert corpus is not None
    said = of_table(checked.table, Subject(corpus, checked.lang, filters=True))
    outputs = {row[:2] for row in findings_in(said | {"systems": systems})}
    return texts_data(corpus, checked.lang, systems, outputs) | said
