"""Correlation with human judgments → an HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from celab.base.view import cells
from celab.base.view.cells import Phrase, listed, shown
from celab.base.view.tables import Table
from celab.evaluation.meta.results import (
    DIGITS,
    TITLES,
    about,
    figure_tables,
    notes,
    titles_of,
    verdict,
)
from celab.report.html import meta_page
from celab.report.html.views import Against, Overview, Section

if TYPE_CHECKING:
    from celab.evaluation.meta.results import Evaluation


def evaluations_page(*evaluations: Evaluation, report_lang: str = "en") -> str:
    """Return the same tables with drawings as an HTML file: an overview, then each set.

    `report_lang` is the language of the page, `en` or `zh`; its reader can change it.
    """
    overview = [
        Overview(Phrase(TITLES[name]), rows)
        for name in TITLES
        if (
            rows := [
                (
                    evaluation.dataset.name,
                    titles_of(evaluation)[metric],
                    figure.value,
                    *figure.interval,
                )
                for evaluation in evaluations
                for metric, of_metric in evaluation.metrics.items()
                if (figure := of_metric.figures[name]).value is not None and figure.interval
            ]
        )
    ]
    names = listed([evaluation.dataset.name for evaluation in evaluations])
    title = Phrase("celab: metrics against human judgments, {0}", names)
    sections = [_section(evaluation) for evaluation in evaluations]
    if len(sections) == 1:
        (section,) = sections
        return meta_page(
            section.metrics,
            section.tables,
            title=title,
            remarks=section.remarks,
            overview=overview,
            verdict=section.verdict,
            signatures=section.signatures,
            report_lang=report_lang,
        )
    return meta_page((), title=title, overview=overview, more=sections, report_lang=report_lang)


def _section(evaluation: Evaluation) -> Section:
    against = []
    if len(human := evaluation.human) > 1:
        for name, metric in evaluation.metrics.items():
            systems = [(system, human[system], metric.scores[system]) for system in human]
            errors = [(evaluation.human_errors.get(s), metric.errors.get(s)) for s in human]
            r = metric.figures["pearson"]
            figures = (cells.score(r.value, DIGITS), cells.interval(r.interval, DIGITS))
            agreed = " ".join(filter(None, map(shown, figures)))
            title = titles_of(evaluation)[name]
            agreed = "" if r.value is None else f"r = {agreed}"
            against.append(Against(title, systems, metric.higher_is_better, errors, agreed))
    titles = titles_of(evaluation)
    tables = [(table.title, _with_titles(table, titles)) for table in figure_tables(evaluation)]
    lines = [about(evaluation), *notes(evaluation, titles)]
    signatures = [(titles[name], metric.signature) for name, metric in evaluation.metrics.items()]
    name = evaluation.dataset.name
    return Section(name, against, tables, lines, verdict(evaluation), signatures)


def _with_titles(table: Table, titles: Mapping[str, str]) -> Table:
    """Return the table with display names instead of the names of metrics."""
    rows = [[titles.get(shown(row[0]), row[0]), *row[1:]] for row in table.rows]
    return replace(table, headings=[titles.get(name, name) for name in table.headings], rows=rows)
