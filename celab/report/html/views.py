"""Sections of pages, as variables of their templates: tables and charts that need no script.

To add a section to the page of a campaign, write its template, `templates/section-NAME.html.j2`,
and add a `PageSection` to `SECTIONS` here. The contents of the page follow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from celab.base.dicts import JsonObject, Variables
from celab.base.frozen import dataclass
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.evaluation.producers import of_texts
from celab.evaluation.tables import Finding, Findings
from celab.report.html.answer import answer, costs_of, evidence_of, links_of
from celab.report.html.drawings import Axis, Box, axis, histograms, named_points
from celab.report.html.error_table import errors_view
from celab.report.html.findings import findings_in, outputs_table, sections_of
from celab.statistics.significance import FEWEST_SEGMENTS, LEVEL, SIGNIFICANT

if TYPE_CHECKING:
    from celab.base.view.tables import Table
    from celab.evaluation.systems.campaign import Campaign
    from celab.evaluation.tables import Comparison

INTERVAL_WIDTH = 200
HISTOGRAM = (180, 26)
SCATTER = (420, 360)
MARGIN = 46  # of a scatter, for the labels of its axes
TEXT = 11  # the size of letters in drawings
MOST_NAMED = 30  # points with their names always in sight


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


@dataclass(frozen=True, slots=True)
class Overview:
    """One figure of all metrics on all sets: (set, metric, value, lower and upper end).

    >>> Overview("Pearson of systems", [("wmt24", "chrf", 0.63, 0.44, 0.77)]).title
    'Pearson of systems'
    """

    title: str
    rows: Sequence[tuple[str, str, float, float, float]]


@dataclass(frozen=True, slots=True)
class Section:
    """One set of the page: its name, drawings, tables with captions, remarks, and the verdict.

    >>> Section("wmt24", [Against("chrf", [("a", 70.0, 0.6)])], remarks=["1 system"]).remarks
    ['1 system']
    """

    name: str
    metrics: Sequence[Against]
    tables: Sequence[tuple[str, Table]] = ()
    remarks: Sequence[str] = ()
    verdict: Sequence[str] = ()
    signatures: Sequence[tuple[str, str]] = ()  # of metrics, by their names


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of the page of a campaign, drawn by the template `section-NAME.html.j2`.

    `view` returns the variable `view` of the template, or None to leave the section out. It gets
    the variables of the page, or if the section is there for each metric, those of the metric.
    The template also has `heading`, the id of its `<h2>`, and all variables of the page. `chinese`
    has texts of the section by their English text, if they are not in `zh.json`.
    """

    name: str
    title: str  # in the contents, where there is room for a word or two
    view: Callable[[Variables], object]
    per_metric: bool = False
    chinese: Mapping[str, str] = field(default_factory=dict)

    def heading(self, place: int) -> str:
        """Return the id of the heading, for the metric at that place."""
        return f"{self.name}-{place}" if self.per_metric else f"{self.name}-heading"

    def drawn(self, variables: Variables, place: int = 0) -> Variables | None:
        """Return what the page needs to draw the section, or None."""
        view = self.view(variables)
        if view is None:
            return None
        template = f"section-{self.name}.html.j2"
        return {"template": template, "heading": self.heading(place), "view": view}


def of_campaign(campaign: Campaign, browsed: JsonObject) -> Variables:
    """Return the variables of the template; `browsed` is the data of the script."""
    metrics = [
        _metric(campaign, data) | evidence_of(campaign, data, browsed)
        for data in browsed["metrics"]
    ]
    for view in metrics:
        view["costs"] = costs_of(view)
        view["others"] = [other for other in metrics if other is not view]
    page = {
        "metrics": metrics,
        "corpus": campaign.corpus,
        "documents": browsed["documents"],
        "buckets": browsed["buckets"],
        "level": f"{LEVEL:.0%}",
        "significant": f"{SIGNIFICANT:.2g}",
        "fewest": str(FEWEST_SEGMENTS),
        "outputs": _outputs(campaign),
        "findings": _findings(browsed),
        "references": _references(campaign),
        "lengths": campaign.lengths,
        "judges": judges_ranked(browsed.get("judges", [])),
        "span_summary": browsed.get("span_summary"),
        "terms": terms_view(browsed),
        "errors": errors_view(browsed),
    }
    blocks: list[Variables] = []
    # Two systems are compared first, and ranked after that.
    is_pair = len(browsed["systems"]) == 2
    ordered = (
        sorted(SECTIONS, key=lambda x: x.name not in ("answer", "pair")) if is_pair else SECTIONS
    )
    for per_metric, group in groupby(ordered, key=attrgetter("per_metric")):
        sections = list(group)
        for place, metric in enumerate(metrics if per_metric else [None]):
            drawn = [section.drawn(metric or page, place) for section in sections]
            if shown := [*filter(None, drawn)]:
                blocks.append({"metric": metric, "place": place, "sections": shown})
    headings = {section["heading"] for block in blocks for section in block["sections"]}
    contents = [
        {"heading": section.heading(0), "title": section.title}
        for section in ordered
        if section.heading(0) in headings
    ]
    return page | {"blocks_of_sections": blocks, "contents": contents}


def _metric(campaign: Campaign, data: JsonObject) -> Variables:
    key = data["key"]
    by_system, comparison = campaign.scores[key], campaign.comparisons.get(key)
    names = list(by_system)
    if comparison is not None:
        by_system = {name: by_system[name] for name in comparison.systems}  # the best first
    intervals = {
        name: campaign.interval(key, name) or score.interval() for name, score in by_system.items()
    }
    ends = [end for interval in intervals.values() if interval for end in interval]
    return data | {
        "names": names,
        "of_system": by_system,
        "comparison": comparison,
        "intervals": intervals,
        "axis": axis(ends, 8, INTERVAL_WIDTH - 8),
        "width": INTERVAL_WIDTH,
        "n_explained": data["explained"],
        "n_pairs": sum(map(len, data["scores"])),
    }


def _outputs(campaign: Campaign) -> Table | None:
    """Return systems by kinds of outputs that are not translations; None if there are none."""
    checked = campaign.outputs
    if checked is None or not checked.n_flagged:
        return None
    comparison = next(iter(campaign.comparisons.values()), None)
    flagged = checked.flagged
    return outputs_table(replace(flagged, systems=comparison.systems) if comparison else flagged)


def _findings(browsed: JsonObject) -> list[Variables] | None:
    """Return systems by kinds of what is wrong otherwise; None if nothing is found."""
    names = browsed["systems"]
    ranked = browsed["metrics"][0].get("ranked", range(len(names)))
    found = {x[:4] for x in findings_in(browsed)}  # a kind may have several pieces
    rows = tuple(Finding(names[x], *where) for x, *where in sorted(found))  # type: ignore[arg-type]
    drawn = [each for each in of_texts() if each.name != "outputs" and each.is_fault]
    kinds = (replace(kind, check=each.name) for each in drawn for kind in each.kinds.values())
    table = Findings(rows, tuple(names[i] for i in ranked), (), tuple(kinds))
    return sections_of(table, [each.name for each in drawn])


def _references(campaign: Campaign) -> list[Variables] | None:
    """Return the systems that references were probably made from; None if there are none."""
    checked = campaign.outputs
    if checked is None or not checked.references:
        return None
    by_system = next(iter(campaign.scores.values()))
    left = np.setdiff1d(np.arange(checked.n_segments), checked.noticed.copied_places)
    rows = []
    for row in checked.references:
        score = by_system[row.system]
        others = score.of_segments(left)
        figures = (
            cells.score(others, score.digits),
            cells.difference(others - score.score, score.digits),
        )
        rows.append(
            {
                "name": row.name,
                "system": row.system,
                "n_copies": str(row.copies + row.near),
                "n_segments": str(checked.n_segments),
                "others": None if row.others_in_all is None else str(row.others_in_all),
                "without": [shown(figure) for figure in figures] if len(left) else None,
            }
        )
    return rows


def terms_view(browsed: JsonObject) -> Variables | None:
    """Return terms by systems: how many are right, in how many ways; None without a glossary.

    Systems have their numbers in the data, and are in the order of their ranks by the first metric
    if the page has scores.
    """
    if "glossary" not in browsed:
        return None
    names = browsed["systems"]
    ranked = browsed["metrics"][0].get("ranked", range(len(names)))
    right: Counter[tuple[object, int]] = Counter()
    total: Counter[object] = Counter()
    ways: defaultdict[tuple[object, int], set[str | None]] = defaultdict(set)
    for x in findings_in(browsed):
        if x.check == "terms":
            total[x.value] += x.system == 0
            right[x.value, x.system] += x.kind == "right"
            if x.kind in ("right", "forbidden"):
                ways[x.value, x.system].add(x.note)
    rows = [
        {
            "term": term,
            "targets": targets,
            "n": total[k],
            "systems": [(i, right[k, i], len(ways[k, i])) for i in ranked],
        }
        for k, (term, targets) in enumerate(browsed["glossary"])
    ]
    return {"systems": [names[i] for i in ranked], "rows": rows}


def _scoreboard(metric: Variables) -> Variables:
    """Return a row for each system: rank, group, interval, segment scores, all other metrics."""
    of_system, n_digits = metric["of_system"], metric["digits"]
    width, height = HISTOGRAM
    scores = [score.segments.scores for score in of_system.values()]
    across = axis(np.concatenate(scores).tolist(), 4, width - 4)
    comparison: Comparison | None = metric["comparison"]
    groups = comparison.groups.tolist() if comparison else [1] * len(scores)
    rows = []
    for i, (name, row, bars) in enumerate(
        zip(of_system, scores, histograms(scores, across, height), strict=True)
    ):
        quartiles = np.quantile(row, (0.25, 0.5, 0.75)).tolist()
        low, median, high = (shown(cells.score(value, n_digits), "page") for value in quartiles)
        places = comparison.ranks[i].tolist() if comparison else (1, 1)
        is_first = i == 0 or groups[i] != groups[i - 1]
        rows.append(
            {
                "name": name,
                "number": metric["names"].index(name),
                "score": of_system[name],
                "rank": cells.ranks(*places),
                "group": None,
                "interval": metric["intervals"][name],
                "bars": bars,
                "quartiles": [*map(across.place, quartiles)],
                "median": median,
                "low": low,
                "high": high,
                "cost": metric["costs"].get(name),
            }
        )
        if is_first:
            rows[-1]["group"] = {"number": groups[i], "size": groups.count(groups[i])}
    links = links_of(metric)
    return {"rows": rows, "axis": across.labels, "width": width, "height": height, "links": links}


def judges_ranked(judges: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the judges with `ranks`: the rank of each system that a judge has scored, or None."""
    ranked = []
    for judge in judges:
        sign = 1 if judge["higher"] else -1
        known = [sign * score for score in judge["systems"] if score is not None]
        ranks = [
            None if score is None else 1 + sum(other > sign * score for other in known)
            for score in judge["systems"]
        ]
        ranked.append(judge | {"ranks": ranks})
    return ranked


_COPIES = {
    "References": "参考译文",
    "{0} of {1} references are copies or close edits of outputs of {2}": (
        "{1} 条参考译文中有 {0} 条与 {2} 的译文相同或只略有改动"
    ),
    "{0}; without them it keeps rank {1}.": "{0}；去掉这些句段，它仍排第 {1}。",
    "{0}; without them it has rank {1} instead of {2}.": (
        "{0}；去掉这些句段，它排第 {1}，而不是第 {2}。"
    ),
    "References made from outputs": "由系统译文改成的参考译文",
    "{0}: {1} of {2} segments are copies or close edits of outputs of {3}.": (
        "{0}：{2} 个句段中有 {1} 个与 {3} 的译文相同或只略有改动。"
    ),
    "Other systems: at most {0}.": "其他系统至多 {0} 个。",
    "Without the copies in all references, {0} has {1} ({2}).": (
        "去掉所有参考译文中的这些句段，{0} 为 {1}（{2}）。"
    ),
    "Choose “reference-copy” among the filters of outputs to list them.": (
        "在输出的筛选项中选“参考译文照抄”可列出它们。"
    ),
}

# The sections of the page of a campaign, in their order.
SECTIONS = (
    PageSection("answer", "Result", answer, per_metric=True),
    PageSection("scoreboard", "Systems", _scoreboard, per_metric=True),
    PageSection("pair", "A against B", lambda page: page["metrics"][0]["comparison"]),
    PageSection("errors", "Kinds of differences", lambda page: page["errors"]),
    PageSection("outputs", "Not translations", lambda page: page["outputs"]),
    PageSection("references", "References", lambda page: page["references"], chinese=_COPIES),
    PageSection("findings", "Findings", lambda page: page["findings"]),
    PageSection("spans", "Marked by people", lambda page: page["span_summary"]),
    PageSection("terms", "Terms", lambda page: page["terms"]),
    PageSection("matrix", "Significance", lambda metric: metric["comparison"], per_metric=True),
    PageSection("segments", "Segments", lambda page: {}),
)


def overview(figures: Sequence[Overview]) -> list[Variables]:
    """Return a chart for each figure, of every metric on every set, all on the same axis."""
    drawn = []
    for figure in figures:
        across = axis((x for row in figure.rows for x in row[2:]), 8, INTERVAL_WIDTH - 8)
        sets: dict[str, list[list[object]]] = {}
        for dataset, *row in figure.rows:
            sets.setdefault(dataset, []).append(row)
        drawn.append({"title": figure.title, "axis": across, "width": INTERVAL_WIDTH, "sets": sets})
    return drawn


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
    across = axis(ends[0], MARGIN, width - 12)
    up = axis(ends[1], height - MARGIN, 12)
    placed = [(n, across.place(human), up.place(score)) for n, human, score in metric.systems]
    points = named_points(placed, Box(MARGIN, 12, width - MARGIN - 12, height - MARGIN - 12), TEXT)
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
        "named": len(points) <= MOST_NAMED,
        "across": across.labels,
        "up": up.labels,
        "width": width,
        "height": height,
        "margin": MARGIN,
    }
