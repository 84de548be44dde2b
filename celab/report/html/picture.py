"""The picture of a report: dot plots on shared rows, the metric and a judge side by side.

Color says only which systems may be first; a hollow dot is a score without outputs that look
broken.
"""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.arguments import Variables
from celab.people.disagreement import PEOPLE
from celab.report.html.drawings import Axis, dot_axis, dot_labels
from celab.report.html.headline import judge_scale, label_of
from celab.systems.results import Comparison
from celab.systems.verdict import first_of, scale_of
from celab.tables import cells
from celab.tables.cells import Phrase

MIN_GAP = 2  # percent of the width between two dots that can be told apart


def picture(metric: Variables) -> Variables:
    """Return dot plots with a row per system: of the metric and, if there is one, of a judge."""
    costs, names = metric["costs"], metric["names"]
    by_system, comparison = metric["of_system"], metric["comparison"]
    first = {*first_of(comparison)} if comparison and not comparison.too_few else set()
    n = max(metric["digits"] - 1, 0)
    values = [end for ends in metric["intervals"].values() if ends for end in ends]
    values += [score.score for score in by_system.values()]
    values += [cost["value"] for cost in costs.values() if cost["value"] == cost["value"]]
    across = dot_axis(values)
    judge, theirs = metric["judge"], None
    comparison_of_judge: Comparison | None = metric["judge_comparison"]
    if judge is not None and any(x is not None for x in judge["systems"]):
        known = [x for x in judge["systems"] if x is not None]
        known += [end for ends in judge["intervals"] if ends for end in ends]
        theirs = dot_axis(known)
    firsts: set[str] = set()
    if comparison_of_judge is not None and not comparison_of_judge.too_few:
        firsts = {*first_of(comparison_of_judge)}
    rows = []
    digits = 3 if judge is not None and judge_scale(judge) == 1 else 1
    for name, score in by_system.items():
        number, cost = names.index(name), costs.get(name)
        ends = metric["intervals"][name]
        row: Variables = {
            "name": name,
            "number": number,
            "metric": _dot(across, score.score, ends, n, name in first),
            "judge": None,
            "cost": cost,
            "ghost": None,
        }
        if cost is not None and cost["value"] == cost["value"]:
            place = across.place(cost["value"])
            if abs(place - row["metric"]["at"]) >= MIN_GAP:
                row["ghost"] = place
        if theirs is not None and (value := judge["systems"][number]) is not None:
            row["judge"] = _dot(theirs, value, judge["intervals"][number], digits, name in firsts)
        rows.append(row)
    top = None if judge is None else judge_scale(judge)
    return {
        "rows": rows,
        "axis": dot_labels(across),
        "judge_axis": None if theirs is None else dot_labels(theirs),
        "label": label_of(metric),
        "scale": Phrase("0–{0}", str(scale_of(metric["digits"]))) if metric["higher"] else None,
        "judge": None
        if judge is None or theirs is None
        else Phrase("People")
        if judge["key"] == PEOPLE
        else judge["name"],
        "judge_scale": Phrase("mean, 0–{0}", str(top)) if top else None,
        "has_costs": any(row["cost"] for row in rows),
        "has_ghosts": any(row["ghost"] is not None for row in rows),
        "is_tested": bool(first or firsts),
    }


def _dot(
    across: Axis, value: float, ends: Sequence[float] | None, digits: int, may_be_first: bool
) -> Variables:
    place = across.place
    whisker = interval = None
    if ends is not None and None not in ends:
        whisker = [across.place(end) for end in ends]
        interval = tuple(cells.score(end, digits, "page") for end in ends)
    return {
        "at": place(value),
        "ends": whisker,
        "text": cells.score(value, digits, "page"),
        "interval": interval,
        "may_be_first": may_be_first,
    }
