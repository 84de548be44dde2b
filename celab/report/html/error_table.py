"""The profile of errors → the variables of its section."""

from __future__ import annotations

from celab.base.dicts import JsonObject, Variables
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.evaluation.errors.view import DIGITS, SENTENCES

WIDTH = 60  # of the greatest bar of a column
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
    return {"kinds": shown_kinds, "rows": rows, "most": _most(errors, names)}


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


def _most(errors: JsonObject, names: list[str]) -> list[tuple[str, ...]]:
    """Return which system has most of what people punish, as texts with their values."""
    texts = {
        "omitted": "Most is omitted by {0} ({1}).",
        "replaced": "Most is replaced by {0} ({1}).",
        "latin": "Most Latin is left by {0} ({1}).",
    }
    if len(names) < 2:
        return [("Differences of the outputs from the reference.",)]
    sentences: list[tuple[str, ...]] = []
    for kind in PUNISHED:
        rates = [row[errors["kinds"].index(kind)][1] for row in errors["rates"]]
        if max(rates) > 0:
            name = names[rates.index(max(rates))]
            sentences.append((texts[kind], name, shown(cells.score(max(rates), DIGITS))))
    return sentences or [("Differences of the outputs from the reference.",)]
