"""Findings about markup → the data of a page."""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.dicts import JsonObject
from celab.evaluation.findings.marking import finding_spans
from celab.evaluation.tables import Findings


def page_data(found: Findings, source: Sequence[str] | None) -> JsonObject:
    """Return what the script of a page needs of findings; nothing if there are none.

    `findings` has for each: numbers of system and segment, from 0, the kind, what is lost and what
    is added, and the places of both, in characters of source and output, or null.
    """
    if source is None or not found:
        return {}
    numbers = {system: number for number, system in enumerate(found.systems)}
    rows = [
        [numbers[x.system], x.segment, x.kind, *x.value, *finding_spans(x, source[x.segment or 0])]
        for x in found.rows
    ]
    return {"findings": rows}
