"""The HTML page of `celab terms`: systems, terms in their context, and misses."""

from __future__ import annotations

import os
from collections.abc import Iterator

from celab.base.arguments import JsonObject, Variables
from celab.report.html.drawings import axis
from celab.report.html.findings import findings_data, findings_in, glossary_of, on_page
from celab.report.html.page import Evidence, named_systems, texts_data, unscored_page
from celab.report.html.views import PageSection, terms_view
from celab.tables import cells
from celab.tables.cells import Phrase, quantity
from celab.terminology.occurrences import SOURCE
from celab.terminology.results import ACCURACY_DIGITS, TermFigures, TermResult

INTERVAL_WIDTH, INTERVAL_MARGIN = 200, 14
# The sections of the page, in their order; the report has the terms, too.
SECTIONS = (
    PageSection(
        "accuracy",
        "Systems and references",
        lambda page: page["accuracy"],
        is_open=lambda page: True,
    ),
    PageSection("terms", "Terms", lambda page: page["terms"], is_open=lambda page: True),
    PageSection("listing", "Misses", lambda page: page["listing"]),
    PageSection("notes", "Data and notes", lambda page: page["notes"] or page["signature"]),
)


def terms_page(result: TermResult, *, report_lang: str = "en", command: str | None = None) -> str:
    """Return the page of a glossary that was checked; its first language is `en` or `zh`."""
    data = _data(result)
    page: Variables = {
        "sentences": [*sentences(result, data)],
        "accuracy": _accuracy(result),
        "terms": terms_view(data),
        "listing": {"title": "Misses"} if result.misses else None,
        "notes": [*notes(result)],
        "signature": result.signature,
        "about": about(result),
        "command": command,
    }
    heading = Phrase("celab terms: {0}", named_systems(data["systems"]))
    return unscored_page(result.corpus, heading, SECTIONS, page, data, report_lang=report_lang)


def _data(result: TermResult) -> JsonObject:
    """Return the data of the script; the system with the highest accuracy is the first."""
    systems = [figures.name for figures in result.systems]
    uses = result.uses.occurrences(systems)
    rows = [on_page(use, systems.index(use.system)) for use in uses]
    texts = texts_data(result.corpus, result.lang, systems, {x[:2] for x in rows})
    return texts | glossary_of(result.uses) | findings_data(rows, len(systems))


def _accuracy(result: TermResult) -> Variables:
    """Return a row for each system and reference, and the axis of their intervals."""
    groups = [result.systems, result.references]
    ends = [end for group in groups for figures in group for end in figures.interval]
    return {
        "axis": axis(ends, INTERVAL_MARGIN, INTERVAL_WIDTH - INTERVAL_MARGIN),
        "width": INTERVAL_WIDTH,
        "groups": [[_row(figures) for figures in group] for group in groups if group],
    }


def _row(figures: TermFigures) -> Variables:
    behind = figures.behind
    return {
        "name": figures.name,
        "figures": figures,
        "accuracy": cells.score(figures.accuracy, ACCURACY_DIGITS, "page"),
        "interval": cells.interval(figures.interval, ACCURACY_DIGITS, "page"),
        "p": "" if behind is None else cells.p_value(behind.p, behind.least_p),
        "consistency": cells.score(figures.consistency, ACCURACY_DIGITS, "page"),
    }


def sentences(result: TermResult, data: JsonObject) -> Iterator[Evidence]:
    """Yield what was found, with links to its evidence; `data` is that of the page's script."""
    yield Evidence(result.sentence, "accuracy", Phrase("Systems"))
    term, _ = data["glossary"][0]
    kinds = [x.kind for x in findings_in(data) if x.value == 0]
    n_missed = len(kinds) - kinds.count("right")
    if not n_missed:
        yield Evidence(Phrase("No occurrence is missed."), "terms", Phrase("Terms"))
    else:
        worst = Phrase(
            "{0} is missed most often, in {1} of {2} places over all systems.",
            *(term, f"{n_missed:,}", f"{len(kinds):,}"),
        )
        yield Evidence(worst, "terms", Phrase("Occurrences of {0}", term), {"term": "0"})
    yield from _renderings(result)


def _renderings(result: TermResult) -> Iterator[Evidence]:
    """Yield a sentence on forbidden terms, or else on terms rendered in several ways."""
    n_forbidden = sum(figures.forbidden for figures in result.systems)
    if n_forbidden:
        most = max(figures.forbidden for figures in result.systems)
        names = [figures.name for figures in result.systems if figures.forbidden == most]
        values = f"{n_forbidden:,}", named_systems(names), f"{most:,}"
        if n_forbidden == 1:
            text = Phrase("A forbidden term is used once, by {0}.", names[0])
        elif len(names) > 1:
            text = Phrase("Uses of forbidden terms: {0}, of which {1} have {2} each.", *values)
        else:
            text = Phrase("Uses of forbidden terms: {0}, of which {1} has {2}.", *values)
        link = Phrase("Misses")
        has_misses = any(miss.forbidden for miss in result.misses)
        yield Evidence(text, "listing", link, {"use": "forbidden"} if has_misses else None)
        return
    most = max(figures.varied for figures in result.systems)
    if most:
        tied = [figures for figures in result.systems if figures.varied == most]
        text = Phrase(
            "{0} renders {1} of {2} repeated terms in several ways within a document.",
            *(tied[0].name, f"{most:,}", f"{tied[0].repeated:,}"),
        )
        if len(tied) > 1:
            text = Phrase(
                "{0} each render {1} of their repeated terms in several ways within a document.",
                *(named_systems([figures.name for figures in tied]), f"{most:,}"),
            )
        yield Evidence(text, "accuracy", Phrase("Several renderings"))


def about(result: TermResult) -> Phrase:
    """Return the number of terms that occur, and of their occurrences."""
    n_places = max((figures.occurrences for figures in result.systems), default=0)
    terms = Phrase("{0} of {1} terms occur", str(len(result.terms)), str(result.n_terms))
    places = Phrase("{0} times in {1}", str(n_places), quantity(result.n_segments, "segment"))
    return Phrase("{0}: {1}, {2}", os.path.basename(result.glossary), terms, places)


def notes(result: TermResult) -> Iterator[Phrase]:
    """Yield how the figures were computed."""
    if result.rule != SOURCE:
        yield Phrase(
            "Without a source, a term occurs where the first reference has one of its targets."
        )
    elif result.inflected:
        yield Phrase("Terms are looked for in the source, with inflected forms.")
    else:
        yield Phrase("Terms are looked for in the source as they are written.")
    yield Phrase(
        "Right: occurrences with a target term of their own. Intervals: {0} resamples of the"
        " segments with a term, seed {1}.",
        *(str(result.n_resamples), str(result.seed)),
    )
    yield Phrase("p: two-sided, against {0}.", result.systems[0].name)
    yield Phrase(
        "Consistency: share of the most frequent rendering where a term is rendered twice or more"
        " in a document."
    )
