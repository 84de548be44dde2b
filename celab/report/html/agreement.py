"""Correlation with human judgments → an HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from celab.agreement.results import (
    CORRELATION_DIGITS,
    TITLES,
    Evaluation,
    about,
    figure_tables,
    notes,
    titles_of,
    verdict,
)
from celab.base.arguments import Variables
from celab.report.html.drawings import Axis, Box, axis, named_points
from celab.report.html.page import META_SCRIPT, Words, rendered
from celab.report.html.views import INTERVAL_WIDTH
from celab.tables import cells
from celab.tables.cells import Phrase, listed
from celab.tables.table import Table

TITLE = Phrase("celab: metrics against human judgments")
OverviewRow = tuple[str, str, float, float, float]  # set, metric, value, lower and upper end
SCATTER = (420, 360)
SCATTER_MARGIN = 46  # room for the labels of the axes
TEXT = 11  # the size of letters in drawings
# With more points, names are shown where the pointer is.
MAX_NAMED_POINTS = 30


@dataclass(frozen=True, slots=True)
class Against:
    """One metric against human scores: (name, human score, metric score) of each system.

    `errors` has the standard errors of both scores of each system, `agreement` a line of text.
    """

    name: str
    systems: Sequence[tuple[str, float, float]]
    higher_is_better: bool = True
    errors: Sequence[tuple[float | None, float | None]] = ()
    agreement: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One set of the page: its name, drawings, tables with captions, remarks, and the verdict.

    >>> Section(name="wmt24", metrics=[], remarks=["1 system"]).remarks
    ['1 system']
    """

    name: str
    metrics: Sequence[Against]
    tables: Sequence[tuple[str, Table]] = ()
    remarks: Sequence[str] = ()
    verdict: Sequence[str] = ()
    signatures: Sequence[tuple[str, str]] = ()  # pairs of a metric's name and signature

    @property
    def scatters(self) -> list[Variables]:
        """The drawing of each metric."""
        return [scatter(metric) for metric in self.metrics]


def meta_page(
    sections: Sequence[Section],
    overview: Mapping[str, Sequence[OverviewRow]] | None = None,
    *,
    title: str = TITLE,
    report_lang: str = "en",
    command: str | None = None,
) -> str:
    """Return a page with each metric plotted against human scores of the same systems.

    Parameters:
        sections: the sets; one alone needs no name.
        overview: by its title, each figure of all metrics on all sets, to show first.
        title: title of the page.
        report_lang: language of the page itself, `en` or `zh`; its reader can change it. Texts that
            are a `celab.tables.cells.Phrase` are said in it.
        command: the command that makes the page again, which its end shows.

    >>> metric = Against("celab", [("a", 70.0, 0.6), ("b", 55.0, 0.4)])
    >>> meta_page([Section(name="", metrics=[metric])]).count("<svg")
    1
    """
    view = {
        "title": Words(report_lang).plain(title),
        "heading": title,
        "overview": [_overview(*figure) for figure in (overview or {}).items()],
        "sections": sections,
        "command": command,
    }
    return rendered("meta.html.j2", view, {}, first_script=META_SCRIPT, language=report_lang)


def evaluations_page(
    *evaluations: Evaluation, report_lang: str = "en", command: str | None = None
) -> str:
    """Return the tables with drawings as an HTML page: an overview, then each data set.

    `report_lang` is the language of the page, `en` or `zh`; its reader can change it. `command` is
    the command that makes the page again.
    """
    overview: dict[str, Sequence[OverviewRow]] = {
        Phrase(title): rows
        for name, title in TITLES.items()
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
    }
    names = listed([evaluation.dataset.name for evaluation in evaluations])
    title = Phrase("celab: metrics against human judgments, {0}", names)
    sections = [_section(evaluation) for evaluation in evaluations]
    if len(sections) == 1:
        sections = [replace(sections[0], name="")]
    return meta_page(sections, overview, title=title, report_lang=report_lang, command=command)


def _section(evaluation: Evaluation) -> Section:
    against = []
    if len(human := evaluation.human) > 1:
        for name, metric in evaluation.metrics.items():
            systems = [(system, human[system], metric.scores[system]) for system in human]
            errors = [(evaluation.human_errors.get(s), metric.errors.get(s)) for s in human]
            r = metric.figures["pearson"]
            figures = (
                cells.score(r.value, CORRELATION_DIGITS),
                cells.interval(r.interval, CORRELATION_DIGITS),
            )
            agreed = " ".join(filter(None, figures))
            title = titles_of(evaluation)[name]
            agreed = "" if r.value is None else f"r = {agreed}"
            against.append(Against(title, systems, metric.higher_is_better, errors, agreed))
    titles = titles_of(evaluation)
    tables = [(table.title, _with_titles(table, titles)) for table in figure_tables(evaluation)]
    lines = [about(evaluation), *notes(evaluation, titles)]
    signatures = [(titles[name], metric.signature) for name, metric in evaluation.metrics.items()]
    name = evaluation.dataset.name
    return Section(
        name=name,
        metrics=against,
        tables=tables,
        remarks=lines,
        verdict=verdict(evaluation),
        signatures=signatures,
    )


def _with_titles(table: Table, titles: Mapping[str, str]) -> Table:
    """Return the table with display names instead of the names of metrics."""
    first, *others = (
        replace(column, heading=titles.get(column.heading, column.heading))
        for column in table.shown_columns
    )

    def name(row: Any) -> str:
        own = first.value(row)
        return titles.get(own, own)

    return replace(table, columns=[replace(first, value=name), *others])


def _overview(title: str, rows: Sequence[OverviewRow]) -> Variables:
    """Return the chart of a figure: all metrics and sets on the same axis."""
    across = axis((x for row in rows for x in row[2:]), 8, INTERVAL_WIDTH - 8)
    sets: dict[str, list[list[object]]] = {}
    for dataset, *row in rows:
        sets.setdefault(dataset, []).append(row)
    return {"title": title, "axis": across, "width": INTERVAL_WIDTH, "sets": sets}


def _fit(x: list[float], y: list[float], across: Axis, up: Axis) -> list[float] | None:
    """Return the line of least squares, within the frame of the drawing."""
    if len(set(x)) < 2:
        return None
    slope, start = np.polyfit(x, y, 1).tolist()
    ends = [min(x), max(x)]
    if slope:  # where it would leave the frame, it ends
        edges = sorted((value - start) / slope for value in (up.low, up.high))
        ends = [max(ends[0], edges[0]), min(ends[1], edges[1])]
    return [f(v) for v in ends for f in (across.place, lambda v: up.place(start + slope * v))]


def scatter(metric: Against) -> Variables:
    """Return the drawing of one metric."""
    width, height = SCATTER
    errors = metric.errors or [(None, None)] * len(metric.systems)
    both = [system[1] for system in metric.systems], [system[2] for system in metric.systems]
    bars = [[(row[k] or 0.0) for row in errors] for k in (0, 1)]
    ends = [
        [value + side * error for value, error in zip(*pair, strict=True) for side in (-1, 1)]
        for pair in zip(both, bars, strict=True)
    ]
    across = axis(ends[0], SCATTER_MARGIN, width - 12)
    up = axis(ends[1], height - SCATTER_MARGIN, 12)
    placed = [(n, across.place(human), up.place(score)) for n, human, score in metric.systems]
    points = named_points(
        placed,
        Box(SCATTER_MARGIN, 12, width - SCATTER_MARGIN - 12, height - SCATTER_MARGIN - 12),
        TEXT,
    )
    for point, (_, human, score) in zip(points, metric.systems, strict=True):
        point.update(human=f"{human:.4g}", score=f"{score:.4g}")
    for point, (_, human, score), (wide, high) in zip(points, metric.systems, errors, strict=True):
        if wide is not None:
            point["across"] = across.place(human - wide), across.place(human + wide)
        if high is not None:
            point["up"] = up.place(score - high), up.place(score + high)
    return {
        "agreement": metric.agreement,
        "fit": _fit(*both, across, up),
        "name": metric.name,
        "higher": metric.higher_is_better,
        "points": points,
        "named": len(points) <= MAX_NAMED_POINTS,
        "across": across.labels,
        "up": up.labels,
        "width": width,
        "height": height,
        "margin": SCATTER_MARGIN,
    }
