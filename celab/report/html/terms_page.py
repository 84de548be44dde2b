"""How systems follow a glossary → an HTML page: systems, terms in their context, and misses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject, Variables
from celab.base.view import cells
from celab.base.view.cells import Phrase, shown
from celab.evaluation.terms.results import DIGITS, document_table
from celab.report.html import terms_sentences
from celab.report.html.drawings import axis
from celab.report.html.findings import findings_data, glossary_of, on_page
from celab.report.html.unscored import named_systems, texts_data, unscored_page
from celab.report.html.views import PageSection, terms_view

if TYPE_CHECKING:
    from celab.base.view.tables import Table
    from celab.evaluation.terms.results import TermFigures, TermResult

WIDTH, MARGIN = 200, 14  # of the drawing of an interval
HEADINGS = {"document": "Document", "term": "Term", "share": "Share", "renderings": "Renderings"}
# The sections of the page, in their order; the report has the terms, too.
SECTIONS = (
    PageSection("sentences", "Result", lambda page: page["sentences"]),
    PageSection("accuracy", "Systems", lambda page: page["accuracy"]),
    PageSection("terms", "Terms", lambda page: page["terms"]),
    PageSection("varied", "Several renderings", lambda page: page["varied"]),
    PageSection("listing", "Misses", lambda page: page["listing"]),
)


def terms_page(result: TermResult, *, report_lang: str = "en") -> str:
    """Return the page of a glossary that was checked; its first language is `en` or `zh`."""
    data = _data(result)
    page: Variables = {
        "sentences": [*terms_sentences.sentences(result, data)],
        "accuracy": _accuracy(result),
        "terms": terms_view(data),
        "varied": _varied(result),
        "listing": {"title": "Misses"} if result.misses else None,
        "notes": [*terms_sentences.notes(result)],
        "signature": result.signature,
        "about": terms_sentences.about(result),
    }
    heading = Phrase("celab terms: {0}", named_systems(data["systems"]))
    return unscored_page(result.corpus, heading, SECTIONS, page, data, report_lang=report_lang)


def _data(result: TermResult) -> JsonObject:
    """Return the data of the script; the system with the highest accuracy is the first."""
    systems = [figures.name for figures in result.systems]
    rows = result.uses.occurrences(systems)
    found = [on_page(row, systems.index(row.system)) for row in rows]
    texts = texts_data(result.corpus, result.lang, systems, {x[:2] for x in found})
    return texts | glossary_of(result.uses) | findings_data(found, len(systems))


def _accuracy(result: TermResult) -> Variables:
    """Return a row for each system and reference, and the axis of their intervals."""
    groups = [result.systems, result.references]
    ends = [end for group in groups for figures in group for end in figures.interval]
    return {
        "axis": axis(ends, MARGIN, WIDTH - MARGIN),
        "width": WIDTH,
        "groups": [[_row(figures) for figures in group] for group in groups if group],
    }


def _varied(result: TermResult) -> Table | None:
    """Return the terms that a system renders in several ways, with the headings of a page."""
    table = document_table(result, DIGITS)
    headings = [HEADINGS.get(text, text) for text in table.headings]
    return replace(table, headings=headings) if table.rows else None


def _row(figures: TermFigures) -> Variables:
    return {
        "name": figures.name,
        "figures": figures,
        "accuracy": shown(cells.score(figures.accuracy, DIGITS), "page"),
        "interval": shown(cells.interval(figures.interval, DIGITS), "page"),
        "p": shown(cells.p_value(figures.p), "page"),
        "consistency": shown(cells.score(figures.consistency, DIGITS), "page"),
    }
