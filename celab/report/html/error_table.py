"""The profile of errors → the variables of its section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from celab.base.dicts import JsonObject, Variables
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.base.view.phrases import Phrase, listed
from celab.evaluation.errors.view import DIGITS, SENTENCES

WIDTH = 60  # of the greatest bar of a column
MOST_CATEGORIES = 8  # of people, those that they marked most often
TITLES = {
    "omitted": "Omitted",
    "replaced": "Replaced",
    "latin": "Latin left",
    "number": "Number",
    "added": "Added",
    "punctuation": "Punctuation",
    "moved": "Moved",
    "term": "Term missed",
}
PUNISHED = ("omitted", "replaced", "latin")  # by people, in this order
FAINT = ("added", "punctuation", "moved")  # what costs nothing has less ink


def errors_view(browsed: JsonObject) -> Variables:
    """Return systems in the order of their ranks by the first metric, and a cell for each kind."""
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
            "title": TITLES[kind],
            "sentence": SENTENCES[kind],
            "is_faint": kind in FAINT,
        }
        for kind in kinds
    ]
    return {
        "kinds": shown_kinds,
        "rows": rows,
        "most": _most(errors, names),
        "people": _people(browsed, ranked),
    }


def _people(browsed: JsonObject, ranked: Sequence[int]) -> Variables | None:
    """Return counts of marked errors by system and people's own categories; None without any."""
    counts = Counter((row[5], row[0]) for row in browsed.get("spans", []) if row[5])
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
                    "width": round(WIDTH * counts[name, i] / greatest[name], 1),
                }
                for name in categories
            ],
        }
        for i in ranked
    ]
    return {"categories": categories, "n_more": len(totals) - len(categories), "rows": rows}


def _cell(kind: str, row: list[float], most: float) -> Variables:
    count, rate, *ends = row
    low, high = (round(WIDTH * end / most, 1) for end in ends)
    return {
        "kind": kind,
        "count": f"{count:,}",
        "rate": shown(cells.score(rate, DIGITS)),
        "ends": [shown(cells.score(end, DIGITS)) for end in ends],
        "width": round(WIDTH * rate / most, 1),
        "low": low,
        "high": high,
        "is_faint": kind in FAINT,
    }


def _most(errors: JsonObject, names: list[str]) -> list[Phrase]:
    """Return which systems have most of what people punish; those with equal figures share it."""
    texts = {
        "omitted": "Most is omitted by {0} ({1}).",
        "replaced": "Most is replaced by {0} ({1}).",
        "latin": "Most Latin is left by {0} ({1}).",
    }
    if len(names) < 2:
        return [Phrase("Differences of the outputs from the reference.")]
    sentences = []
    for kind in PUNISHED:
        rates = [row[errors["kinds"].index(kind)][1] for row in errors["rates"]]
        if max(rates) > 0:
            figures = [shown(cells.score(rate, DIGITS)) for rate in rates]
            most = shown(cells.score(max(rates), DIGITS))
            first = [name for name, figure in zip(names, figures, strict=True) if figure == most]
            sentences.append(Phrase(texts[kind], _named(first), most))
    return sentences or [Phrase("Differences of the outputs from the reference.")]


def _named(names: list[str]) -> str:
    """Return names in a sentence.

    >>> _named(["A", "B", "C"])
    'A, B and C'
    """
    *first, last = names
    return Phrase("{0} and {1}", listed(first), last) if first else last
