"""The section on differences from the reference: systems by kinds, and the most frequent kind.

Rates are per 1,000 characters of the reference. Of several systems each kind has a scale of its
own, on which they can be compared; of one system all kinds share a scale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from celab.base.arguments import JsonObject, Variables
from celab.findings.differences import RATE_DIGITS, SENTENCES
from celab.report.html.findings import findings_in
from celab.tables import cells
from celab.tables.cells import Phrase, listed

MAX_BAR_WIDTH = 60  # the longest bar of a column
# The categories that people marked most often.
MAX_HUMAN_CATEGORIES = 8
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
# Kinds of edits that people punish, in this order, with sentences on the systems with most of them:
# for a system with significantly more than all others, and for several.
KIND_SENTENCES = {
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
MAX_SYSTEMS_NAMED = 2
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
    if len(names) == 1:
        _share_scale(rows[0]["cells"], errors["rates"][0])
    return view | {"kinds": shown_kinds, "rows": rows, "most": _most(errors, names)}


def _share_scale(of_kinds: list[Variables], rates: list[list[float]]) -> None:
    """Give the kinds of one system places in percent of a scale that all share."""
    most = max(row[3] for row in rates) or 1.0
    for cell, (_, rate, low, high) in zip(of_kinds, rates, strict=True):
        ends = zip(("share", "from", "to"), (rate, low, high), strict=True)
        cell |= {name: round(100 * end / most, 1) for name, end in ends}
        cell |= {
            name: round(MAX_BAR_WIDTH * end / most, 1)
            for name, end in zip(("width", "low", "high"), (rate, low, high), strict=True)
        }


def _people(browsed: JsonObject, ranked: Sequence[int]) -> Variables | None:
    """Return counts of marked errors by system and people's own categories; None without any."""
    marked = (x for x in findings_in(browsed) if x.check == "people")
    counts = Counter((x.kind, x.system) for x in marked if x.kind)
    totals: Counter[str] = Counter()
    for (category, _), n in counts.items():
        totals[category] += n
    categories = [name for name, _ in totals.most_common(MAX_HUMAN_CATEGORIES)]
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
                    "width": round(MAX_BAR_WIDTH * counts[name, i] / greatest[name], 1),
                }
                for name in categories
            ],
        }
        for i in ranked
    ]
    return {"categories": categories, "n_more": len(totals) - len(categories), "rows": rows}


def _cell(kind: str, row: list[float], most: float) -> Variables:
    count, rate, *ends = row
    low, high = (round(MAX_BAR_WIDTH * end / most, 1) for end in ends)
    return {
        "kind": kind,
        "count": f"{count:,}",
        "rate": cells.score(rate, RATE_DIGITS),
        "ends": [cells.score(end, RATE_DIGITS) for end in ends],
        "width": round(MAX_BAR_WIDTH * rate / most, 1),
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
    for kind, (flat, unsure) in KIND_SENTENCES.items():
        place = errors["kinds"].index(kind)
        rates = dict(zip(names, (row[place][1] for row in errors["rates"]), strict=True))
        if max(rates.values()) > 0:
            figures = {name: cells.score(rate, RATE_DIGITS) for name, rate in rates.items()}
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
    n_more = len(names) - MAX_SYSTEMS_NAMED
    if n_more <= 0:
        return _named(names)
    shortened = listed(names[:MAX_SYSTEMS_NAMED])
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
