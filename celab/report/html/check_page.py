"""Outputs that were checked → an HTML page: kinds, what must survive, references, and the texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject, Variables
from celab.base.view.phrases import Phrase
from celab.evaluation.findings.rules import find_all
from celab.evaluation.findings.view import page_data as findings_data
from celab.report.html import check_sentences
from celab.report.html.data import COPIED
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
        "listing": _listing(data),
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
    systems = [*checked.systems]
    kinds = _kinds(checked, systems)
    assert checked.corpus is not None
    findings = findings_data(checked.table.of("markup"), checked.corpus.source)
    outputs = {(system, place) for system, place, *_ in findings.get("findings", ())}
    for by_system in kinds.values():
        outputs |= {(number, place) for number, of in enumerate(by_system) for place in of}
    texts = texts_data(checked.corpus, checked.lang, systems, outputs)
    return texts | ({"kinds": kinds} if kinds else {}) | findings


def _kinds(checked: Outputs, systems: list[str]) -> dict[str, list[list[int]]]:
    """Return the places of outputs by kind, for each system; those in a reference are a kind."""
    kinds: dict[str, list[list[int]]] = {}
    for number, system in enumerate(systems):
        for row in checked.table.of("outputs").where(system=system).rows:
            kinds.setdefault(row.kind, [[] for _ in systems])[number].append(row.segment or 0)
    for copy in checked.references:
        places = kinds.setdefault(COPIED, [[] for _ in systems])[systems.index(copy.system)]
        places[:] = sorted({*places, *copy.places})
    order = [*(check.name for check in checked.table.checks), COPIED]
    return {kind: kinds[kind] for kind in order if kind in kinds}


def _listing(data: JsonObject) -> Variables | None:
    """Return which filters the list has; None if there is nothing to list."""
    if not any(data["hyps"]):
        return None
    return {"title": "Texts", "filters": [name for name in ("kinds", "findings") if name in data]}
