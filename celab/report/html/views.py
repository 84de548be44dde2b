"""Sections of pages, as variables of their templates: tables and charts that need no script.

To add a section to the page of a campaign, write its template, `templates/section-NAME.html.j2`,
and add a `PageSection` to `SECTIONS` here. The contents of the page follow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from operator import attrgetter

import numpy as np

from celab.base.arguments import JsonObject, Variables
from celab.evaluation.checks.outputs import Outputs
from celab.evaluation.errors import DIGITS, SENTENCES
from celab.evaluation.judges.ranks import RankComparison
from celab.evaluation.systems.campaign import Campaign
from celab.evaluation.systems.scored import Comparison
from celab.evaluation.tables import Finding, Findings, of_texts
from celab.metrics.scores import Score
from celab.report.html.answer import answer, costs_of, evidence_of, links_of
from celab.report.html.drawings import axis, histograms
from celab.report.html.findings import findings_in, outputs_table, sections_of
from celab.statistics.difference import MIN_SEGMENTS, SIGNIFICANT
from celab.statistics.significance import LEVEL
from celab.tables import cells
from celab.tables.cells import Phrase, listed, shown
from celab.tables.view import Table

INTERVAL_WIDTH = 200
HISTOGRAM = (180, 26)


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


def of_campaign(
    campaign: Campaign, browsed: JsonObject, rankings: Mapping[str, RankComparison]
) -> Variables:
    """Return the variables of the template; `browsed` is the data of the script."""
    metrics = [
        _metric(campaign, data) | evidence_of(campaign, data, browsed, rankings.get(data["key"]))
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
        "fewest": str(MIN_SEGMENTS),
        "outputs": _outputs(campaign),
        "findings": _findings(browsed),
        "references": copies_view(campaign.outputs, next(iter(campaign.scores.values()))),
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
            if filled := [*filter(None, drawn)]:
                blocks.append({"metric": metric, "place": place, "sections": filled})
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
    outputs = {x[:4] for x in findings_in(browsed)}  # a kind may have several pieces
    rows = tuple(Finding(names[x], *where) for x, *where in sorted(outputs))  # type: ignore[arg-type]
    drawn = [each for each in of_texts() if each.name != "outputs" and each.is_fault]
    kinds = (replace(kind, check=each.name) for each in drawn for kind in each.kinds.values())
    table = Findings(rows, tuple(names[i] for i in ranked), (), tuple(kinds))
    return sections_of(table, [each.name for each in drawn])


def copies_view(
    checked: Outputs | None, by_system: Mapping[str, Score] | None = None
) -> list[Variables] | None:
    """Return the systems that references were probably made from; None if there are none.

    With the scores of systems, a row has that of its system without the copies, and the difference.
    """
    if checked is None or not checked.references:
        return None
    left = np.setdiff1d(np.arange(checked.n_segments), checked.noticed.copied_places)
    rows = []
    for row in checked.references:
        without = None
        if by_system and len(left):
            score = by_system[row.system]
            others = score.of_segments(left)
            change = cells.difference(others - score.score, score.digits)
            without = [shown(cells.score(others, score.digits)), shown(change)]
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


BAR_WIDTH = 60  # of the greatest bar of a column
MOST_CATEGORIES = 8  # of people, those that they marked most often
ERROR_TITLES = {
    "omitted": "Omitted",
    "replaced": "Replaced",
    "latin": "Latin left",
    "number": "Number",
    "added": "Added",
    "punctuation": "Punctuation",
    "moved": "Moved",
    "term": "Term missed",
}
# What people punish, in this order: the sentences on the systems that have most of it, for one that
# has significantly more than all others, and for one that has not.
MOST = {
    "omitted": (
        "Most is omitted by {0} ({1}).",
        "Most is omitted by {0} ({1}), not significantly more than by {2}.",
    ),
    "replaced": (
        "Most is replaced by {0} ({1}).",
        "Most is replaced by {0} ({1}), not significantly more than by {2}.",
    ),
    "latin": (
        "Most Latin is left by {0} ({1}).",
        "Most Latin is left by {0} ({1}), not significantly more than by {2}.",
    ),
}
MOST_NAMES = 2  # of systems that have not significantly less
FAINT = ("added", "punctuation", "moved")  # what costs nothing has less ink


def errors_view(browsed: JsonObject) -> Variables | None:
    """Return systems in the order of their ranks by the first metric, and a cell for each kind.

    Of two systems, the comparison has the kinds, so that only the most frequent edits and the
    categories of people are left; None if there are none.
    """
    errors, names = browsed["errors"], browsed["systems"]
    ranked = browsed["metrics"][0].get("ranked", range(len(names)))
    kinds = errors["kinds"]
    greatest = [max(row[k][3] for row in errors["rates"]) or 1.0 for k in range(len(kinds))]
    rows = [
        {
            "name": names[i],
            "number": i,
            "cells": [
                _cell(kind, row, most)
                for kind, row, most in zip(kinds, errors["rates"][i], greatest, strict=True)
            ],
        }
        for i in ranked
    ]
    shown_kinds = [
        {
            "title": ERROR_TITLES[kind],
            "sentence": SENTENCES[kind],
            "is_faint": kind in FAINT,
        }
        for kind in kinds
    ]
    people = _people(browsed, ranked)
    frequent = [(names[i], errors["frequent"][i]) for i in ranked] if "frequent" in errors else []
    view: Variables = {"rows": [], "people": people, "frequent": frequent}
    if len(names) == 2:
        return view if people or frequent else None
    return view | {"kinds": shown_kinds, "rows": rows, "most": _most(errors, names)}


def _people(browsed: JsonObject, ranked: Sequence[int]) -> Variables | None:
    """Return counts of marked errors by system and people's own categories; None without any."""
    marked = (x for x in findings_in(browsed) if x.check == "people")
    counts = Counter((x.kind, x.system) for x in marked if x.kind)
    totals: Counter[str] = Counter()
    for (category, _), n in counts.items():
        totals[category] += n
    categories = [name for name, _ in totals.most_common(MOST_CATEGORIES)]
    if not categories:
        return None
    greatest = {name: max(counts[name, i] for i in ranked) for name in categories}
    rows = [
        {
            "name": browsed["systems"][i],
            "number": i,
            "cells": [
                {
                    "category": name,
                    "count": f"{counts[name, i]:,}",
                    "width": round(BAR_WIDTH * counts[name, i] / greatest[name], 1),
                }
                for name in categories
            ],
        }
        for i in ranked
    ]
    return {"categories": categories, "n_more": len(totals) - len(categories), "rows": rows}


def _cell(kind: str, row: list[float], most: float) -> Variables:
    count, rate, *ends = row
    low, high = (round(BAR_WIDTH * end / most, 1) for end in ends)
    return {
        "kind": kind,
        "count": f"{count:,}",
        "rate": shown(cells.score(rate, DIGITS)),
        "ends": [shown(cells.score(end, DIGITS)) for end in ends],
        "width": round(BAR_WIDTH * rate / most, 1),
        "low": low,
        "high": high,
        "is_faint": kind in FAINT,
    }


def _most(errors: JsonObject, names: list[str]) -> list[Phrase]:
    """Return which systems have most of what people punish, and which have not significantly less.

    Systems with equal figures share the first place.
    """
    if len(names) < 2:
        return [Phrase("Differences of the outputs from the reference.")]
    sentences = []
    for kind, (flat, unsure) in MOST.items():
        place = errors["kinds"].index(kind)
        rates = dict(zip(names, (row[place][1] for row in errors["rates"]), strict=True))
        if max(rates.values()) > 0:
            figures = {name: shown(cells.score(rate, DIGITS)) for name, rate in rates.items()}
            ordered = sorted(names, key=rates.__getitem__, reverse=True)
            most = figures[ordered[0]]
            first = [name for name in names if figures[name] == most]
            apart = _apart(errors, names, place, ordered[0])
            close = [name for name in ordered if name not in {*first, *apart}]
            values = (_named(first), most, *([_shortened(close)] if close else []))
            sentences.append(Phrase(unsure if close else flat, *values))
    return sentences or [Phrase("Differences of the outputs from the reference.")]


def _apart(errors: JsonObject, names: list[str], place: int, name: str) -> set[str]:
    """Return the systems whose rate of a kind differs significantly from that of a system."""
    pairs = zip(combinations(names, 2), errors["pairs"], strict=True)
    return {
        other
        for pair, of_kinds in pairs
        if name in pair and of_kinds[place][1]
        for other in pair
        if other != name
    }


def _shortened(names: list[str]) -> str:
    """Return at most two names in a sentence, and how many more there are.

    >>> _shortened(["A", "B"]), _shortened(["A", "B", "C"]), _shortened(["A", "B", "C", "D"])
    ('A and B', 'A, B and another system', 'A, B and 2 other systems')
    """
    n_more = len(names) - MOST_NAMES
    if n_more <= 0:
        return _named(names)
    shortened = listed(names[:MOST_NAMES])
    if n_more == 1:
        return Phrase("{0} and another system", shortened)
    return Phrase("{0} and {1} other systems", shortened, str(n_more))


def _named(names: list[str]) -> str:
    """Return names in a sentence.

    >>> _named(["A", "B", "C"])
    'A, B and C'
    """
    *first, last = names
    return Phrase("{0} and {1}", listed(first), last) if first else last
