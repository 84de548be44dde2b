"""The profile of errors → a table of systems by kinds, and lines about it; the page's data."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from celab.base.dicts import JsonObject
from celab.base.view import cells
from celab.base.view.cells import Cell, p_text
from celab.base.view.tables import Part, Table, View, line

if TYPE_CHECKING:
    from celab.evaluation.errors.profile import ErrorProfile

DIGITS = 1  # of rates
ABOUT = "edits per 1,000 characters of the reference; they are differences, not errors"
SENTENCES = {
    "omitted": "text of the reference that the output lacks",
    "replaced": "text of the reference that the output has otherwise",
    "latin": "Latin words that the reference lacks",
    "number": "digits that are not those of the reference",
    "added": "text of the output that the reference lacks",
    "punctuation": "signs alone",
    "moved": "text that both have, in different places",
    "term": "a term of the glossary that the output misses",
}


def view_of(profile: ErrorProfile) -> View:
    """Return systems by kinds; TSV has a row per system and kind, with intervals."""
    record = Table(
        ["system", "kind", "count", "rate", "low", "high"],
        [
            [
                *(cells.name(row.system), row.kind, str(row.count)),
                *(cells.score(value, None) for value in (row.rate, row.low, row.high)),
            ]
            for row in profile.rates
        ],
    )
    meanings = [line(f"{kind}: {SENTENCES[kind]}") for kind in profile.kinds]
    return View([rate_table(profile), [line(ABOUT), *meanings]], record)


def summary(profile: ErrorProfile) -> list[Part]:
    """Return systems by kinds, for a view of something else."""
    return [rate_table(profile), [line(ABOUT)]]


def pair_summary(profile: ErrorProfile, a: str, b: str) -> list[Part]:
    """Return kinds by two systems, with the p-value of their difference."""
    rows: list[list[Cell | str]] = [
        [
            x.kind,
            *(cells.score(rate, DIGITS) for rate in (x.a, x.b)),
            cells.difference(x.a - x.b, DIGITS),
            cells.p_value(x.p, mark="*" * x.significant),
        ]
        for x in profile.compare(a, b)
    ]
    headings = ["kind of difference", a, b, "diff", "p"]
    return [Table(headings, rows, right=range(1, len(headings))), [line(ABOUT)]]


def rate_table(profile: ErrorProfile) -> Table:
    """Return the rates of systems by kinds."""
    rates = {(row.system, row.kind): row.rate for row in profile.rates}
    rows: list[list[Cell]] = [
        [cells.name(name), *(cells.score(rates[name, kind], DIGITS) for kind in profile.kinds)]
        for name in profile.systems
    ]
    headings = ["system", *profile.kinds]
    return Table(headings, rows, right=range(1, len(headings)))


def page_data(profile: ErrorProfile, systems: list[str]) -> JsonObject:
    """Return what the script of a page needs of the profile.

    `errors` has the kinds, and for each system and kind count, rate, low and high. `pairs` has for
    systems 0 and 1, 0 and 2, … 1 and 2, …, and each kind, p as text and whether it is significant.
    """
    rows = {
        (row.system, row.kind): [row.count, *(round(x, 4) for x in (row.rate, row.low, row.high))]
        for row in profile.rates
    }
    kinds = profile.kinds
    return {
        "errors": {
            "kinds": list(kinds),
            "rates": [[rows[name, kind] for kind in kinds] for name in systems],
            "pairs": [
                [[p_text(x.p), x.significant] for x in profile.compare(a, b)]
                for a, b in combinations(systems, 2)
            ],
        }
    }
