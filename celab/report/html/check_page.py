"""Outputs that were checked → an HTML page: kinds, what must survive, references, and the texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject, Variables
from celab.base.view.phrases import Phrase
from celab.evaluation.findings.rules import find_all
from celab.report.html import check_sentences, findings
from celab.report.html.unscored import named_systems, texts_data, unscored_page
from celab.report.html.views import PageSection

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs

# The sections of the page, in their order; the report has most of them.
SECTIONS = (
    PageSection("sentences", "Result", lambda page: page["sentences"]),
    PageSection("outputs", "Not translations", lambda page: page["outputs"]),
    PageSection("findings", "Tags and lengths", lambda page: page["findings"]),
    PageSection("references", "References", lambda page: page["references"]),
    PageSection("sides", "Equal and shifted", lambda page: page["sides"]),
    PageSection("listing", "Texts", lambda page: page["listing"]),
)


def check_page(checked: Outputs, *, report_lang: str = "en") -> str:
    """Return the page of outputs that were checked; its first language is `en` or `zh`."""
    checked = _with_findings(checked)
    assert checked.corpus is not None
    heading = Phrase("celab check: {0}", named_systems([*checked.systems]))
    data = _data(checked)
    page: Variables = {
        "sentences": [*check_sentences.sentences(checked)],
        "outputs": checked.view().tables[0],
        "findings": checked.table.of("markup").table() if checked.has_source else None,
        "references": _copies(checked) or None,
        "sides": [*check_sentences.remarks(checked)] or None,
        "listing": {"title": "Texts"} if any(data["hyps"]) else None,
        "notes": _notes(checked),
        "signature": "",
        "about": None,
    }
    return unscored_page(checked.corpus, heading, SECTIONS, page, data, report_lang=report_lang)


def _with_findings(checked: Outputs) -> Outputs:
    """Return the outputs with what must survive translation, also if it was not looked for."""
    if checked.table.of("markup").checks or checked.corpus is None:
        return checked
    return replace(checked, table=checked.table.joined(find_all(checked.corpus, checked.lang)))


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
    rows = [*findings.of_outputs(checked)]
    if corpus.source is not None:
        rows += findings.of_markup(checked.table.of("markup"), corpus.source)
    texts = texts_data(corpus, checked.lang, systems, {row[:2] for row in rows})
    return texts | findings.findings_data(rows, len(systems))
