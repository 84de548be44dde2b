"""Sections of pages, as variables of their templates: tables and charts that need no script.

To add a section to the page of a campaign, write its template, `templates/section-NAME.html.j2`,
and add a `PageSection` to `SECTIONS` here. The contents of the page follow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np

from celab.base.arguments import JsonObject, Variables
from celab.findings.finding import Finding, Findings, of_texts
from celab.findings.translations.outputs import Outputs
from celab.metrics.scores import Score
from celab.people.disagreement import RankComparison
from celab.report.html.answer import answer, costs_of, evidence_of
from celab.report.html.differences import errors_view
from celab.report.html.drawings import axis, histograms
from celab.report.html.findings import findings_in, kinds_of, outputs_table, sections_of
from celab.report.html.marked_errors import marks_view
from celab.statistics.difference import MIN_SEGMENTS, SIGNIFICANT
from celab.statistics.documents import SIGNATURE_KEY
from celab.statistics.significance import CONFIDENCE
from celab.systems.campaign import Campaign
from celab.systems.results import Comparison
from celab.systems.verdict import Verdict
from celab.tables import cells, sentences
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.table import Table

INTERVAL_WIDTH = 200
HISTOGRAM = (180, 26)


SCRIPTED = ("pair", "segments", "listing")  # sections that only the page's script fills


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the evidence of a page, drawn by the template `section-NAME.html.j2`.

    `view` returns the variable `view` of the template, or None to leave the section out. It gets
    the variables of the page, or if the section is there for each metric, those of the metric.
    `summary` returns what stands beside the title while the section is closed; it gets the
    variables of the page. The template also has `heading`, the id of its title, and all variables
    of the page. `chinese` has texts of the section by their English text, if they are not in
    `zh.json`.
    """

    name: str
    title: str
    view: Callable[[Variables], object]
    _: KW_ONLY
    per_metric: bool = False
    summary: Callable[[Variables], str | None] = lambda page: None
    is_open: Callable[[Variables], bool] = lambda page: False
    chinese: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The id of its title."""
        return f"{self.name}-heading"

    def drawn(self, page: Variables, metrics: Sequence[Variables] = ()) -> Variables | None:
        """Return the data of the section for the page, or None.

        `views` has the place and the view of each metric that has one, or the only view.
        """
        of_metrics = metrics if self.per_metric else [page]
        views = [self.view(variables) for variables in of_metrics]
        if all(view is None for view in views):
            return None
        return {
            "name": self.name,
            "template": f"section-{self.name}.html.j2",
            "heading": self.heading,
            "title": self.title,
            "summary": self.summary(page),
            "is_open": self.is_open(page),
            "per_metric": self.per_metric,
            "is_scripted": self.name in SCRIPTED,
            "views": [(place, view) for place, view in enumerate(views) if view is not None],
        }


def of_campaign(
    campaign: Campaign,
    browsed: JsonObject,
    rankings: Mapping[str, RankComparison],
    verdicts: Mapping[str, Verdict | None],
    command: str | None = None,
) -> Variables:
    """Return the variables of the template; `browsed` is the data of the script."""
    metrics = [
        _metric(campaign, data)
        | evidence_of(campaign, data, browsed, rankings.get(data["key"]), verdicts[data["key"]])
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
        "level": f"{CONFIDENCE:.0%}",
        "significant": f"{SIGNIFICANT:.2g}",
        "fewest": str(MIN_SEGMENTS),
        "outputs": _outputs(campaign),
        "findings": _findings(browsed),
        "references": copies_view(campaign.outputs, next(iter(campaign.scores.values()))),
        "lengths": campaign.lengths,
        "judges": judges_ranked(browsed.get("judges", [])),
        "span_summary": browsed.get("span_summary"),
        "marks": marks_view(campaign, metrics[0]),
        "terms": terms_view(browsed),
        "errors": errors_view(browsed),
        "is_pair": len(browsed["systems"]) == 2,
        "command": command,
    }
    return page | {
        "answers": [answer(metric) for metric in metrics],
        "parts": [*filter(None, (section.drawn(page, metrics) for section in SECTIONS))],
    }


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
        "by_document": any(x.signature.part(SIGNATURE_KEY) for x in by_system.values()),
        "axis": axis(ends, 8, INTERVAL_WIDTH - 8),
        "width": INTERVAL_WIDTH,
        "n_references": len(campaign.corpus.refs),
        "n_explained": data["explained"],
        "n_pairs": sum(map(len, data["scores"])),
    }


def _outputs(campaign: Campaign) -> Table | None:
    """Return the table of systems by kinds of broken outputs; None without any."""
    checked = campaign.outputs
    if checked is None or not checked.n_flagged:
        return None
    comparison = next(iter(campaign.comparisons.values()), None)
    flagged = checked.flagged
    return outputs_table(replace(flagged, systems=comparison.systems) if comparison else flagged)


def _findings(browsed: JsonObject) -> list[Variables] | None:
    """Return the tables of systems by other kinds of findings; None without any."""
    names = browsed["systems"]
    ranked = browsed["metrics"][0].get("ranked", range(len(names)))
    outputs = {x[:4] for x in findings_in(browsed)}  # a kind may have several pieces
    rows = tuple(Finding(names[x], *where) for x, *where in sorted(outputs))  # type: ignore[arg-type]
    drawn = [each for each in of_texts() if each.name != "outputs" and each.is_fault]
    kinds = (replace(kind, check=each.name) for each in drawn for kind in each.kinds.values())
    table = Findings(rows, tuple(names[i] for i in ranked), (), tuple(kinds))
    return sections_of(table, [each.name for each in drawn])


def copies_view(
    checked: Outputs | None, by_system: Mapping[str, Score] | None = None
) -> list[Variables] | None:
    """Return the systems that references were probably made from; None without any.

    With the scores of systems, a row has that of its system without the copies, and the difference.
    """
    if checked is None or not checked.references:
        return None
    left = np.setdiff1d(np.arange(checked.n_segments), checked.reference_problems.copied_places)
    rows = []
    for row in checked.references:
        without = None
        if by_system and len(left):
            score = by_system[row.system]
            others = score.of_segments(left)
            change = cells.difference(others - score.score, score.digits)
            without = [cells.score(others, score.digits), change]
        rows.append(
            {
                "name": row.name,
                "system": row.system,
                "n_copies": str(row.copies + row.near),
                "n_segments": str(checked.n_segments),
                "others": None if row.others_in_all is None else str(row.others_in_all),
                "without": without,
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
        low, median, high = (cells.score(value, n_digits, "page") for value in quartiles)
        places = comparison.ranks[i].tolist() if comparison else (1, 1)
        is_first = i == 0 or groups[i] != groups[i - 1]
        rows.append(
            {
                "name": name,
                "number": metric["names"].index(name),
                "score": of_system[name],
                "rank": cells.ranks(places, "page"),
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
    return {"rows": rows, "axis": across.labels, "width": width, "height": height}


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
    sentences.COPIES_OF_SYSTEM: ("{1} 条参考译文中有 {0} 条与 {2} 的译文相同或只略有改动"),
    sentences.KEEPS_RANK: "{0}；去掉这些句段，它仍排第 {1}。",
    sentences.CHANGES_RANK: ("{0}；去掉这些句段，它排第 {1}，而不是第 {2}。"),
    "References made from outputs": "由系统译文改成的参考译文",
    sentences.COPIES_IN_REFERENCE: ("{0}：{2} 个句段中有 {1} 个与 {3} 的译文相同或只略有改动。"),
    sentences.OTHER_SYSTEMS: "其他系统至多 {0} 个。",
    sentences.WITHOUT_COPIES: ("去掉所有参考译文中的这些句段，{0} 为 {1}（{2}）。"),
    sentences.CHOOSE_COPIES: ("在输出的筛选项中选“参考译文照抄”可列出它们。"),
}


def _pairs_summary(page: Variables) -> Phrase:
    n = len(page["corpus"].systems)
    n_pairs = n * (n - 1) // 2
    if n_pairs == 1:
        return Phrase("1 pair of systems")
    return Phrase("{0} pairs of systems", f"{n_pairs:,}")


def counts_of(table: Table) -> str:
    """Return the kinds of such a table with their counts, for a sentence."""
    return listed([Phrase("{1} ({0})", n, Phrase(kind)) for kind, n in kinds_of(table)])


def _columns_summary(page: Variables) -> str:
    others = [metric["name"] for metric in page["metrics"][1:]]
    return listed([Phrase("scores"), Phrase("intervals"), Phrase("lengths"), *others])


def _marks_summary(page: Variables) -> Phrase:
    view = page["marks"]
    n = f"{view['n_marks']:,}"
    if not view["n_without_place"]:
        return Phrase("{0} marks", n)
    return Phrase("{0} marks, {1} of them without a place", n, f"{view['n_without_place']:,}")


# The parts of the evidence of a campaign, in their order.
SECTIONS = (
    PageSection(
        "scoreboard", "All figures", _scoreboard, per_metric=True, summary=_columns_summary
    ),
    PageSection(
        "spans", "Errors marked by people", lambda page: page["marks"], summary=_marks_summary
    ),
    PageSection(
        "outputs",
        "Outputs that look broken",
        lambda page: page["outputs"],
        summary=lambda page: counts_of(page["outputs"]),
    ),
    PageSection(
        "pair",
        "A against B",
        lambda page: page["metrics"][0]["comparison"],
        is_open=lambda page: page["is_pair"],
    ),
    PageSection(
        "errors",
        "Kinds of differences",
        lambda page: page["errors"],
        summary=lambda page: Phrase("per 1,000 characters of the reference"),
    ),
    PageSection("references", "References", lambda page: page["references"], chinese=_COPIES),
    PageSection(
        "findings",
        "Findings",
        lambda page: page["findings"],
        summary=lambda page: listed([Phrase(each["producer"].title) for each in page["findings"]]),
    ),
    PageSection(
        "terms",
        "Terms",
        lambda page: page["terms"],
        summary=lambda page: quantity(len(page["terms"]["rows"]), "term"),
    ),
    PageSection(
        "matrix",
        "All pairs: p-values",
        lambda metric: metric["comparison"],
        per_metric=True,
        summary=_pairs_summary,
    ),
    PageSection(
        "segments",
        "Segments",
        lambda page: {},
        summary=lambda page: quantity(len(page["corpus"].segments)),
    ),
    PageSection(
        "data",
        "Data and command",
        lambda page: {},
        summary=lambda page: Phrase("files, settings, signatures"),
    ),
)
