"""What is noticed about references → lines, and a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from celab.base.view import cells
from celab.base.view.cells import Cell, shown
from celab.base.view.tables import Table, View, line

if TYPE_CHECKING:
    from celab.evaluation.references.looks import (
        ReferenceCopies,
        References,
        StreamedReferences,
    )
    from celab.evaluation.references.mixed_scripts import MixedScripts
    from celab.evaluation.references.shifts import Shift
    from celab.evaluation.references.twins import Twins
    from celab.evaluation.systems.scored import Scored
    from celab.metrics.scores import Score

MOST_LISTED = 3  # names in a line


def lines(
    references: References, n_segments: int, scores: Mapping[str, Score] | None = None
) -> Iterator[str]:
    """Yield a line about each reference with copies, about twins and about mixed scripts.

    `scores` are those of the systems by the first metric, if they are known. Shifted lines are
    warnings (`shift_warnings`).
    """
    same = {pair.names for pair in references.twins if pair.kind == "reference-and-system"}
    for pair in references.twins:
        yield twins_line(pair)
    rows = [row for row in references.copies if (row.name, row.system) not in same]
    for name, of_reference in groupby(sorted(rows, key=_by_name), key=_by_name):
        yield copies_line(name, [*of_reference], n_segments, scores, references.copied_places)
    for mixed in references.scripts:
        yield scripts_line(mixed)


def remarks(scored: Scored) -> Iterator[str]:
    """Yield the lines about the references of scored systems."""
    if scored.outputs is not None:
        by_system = next(iter(scored.scores.values()))
        yield from lines(scored.outputs.noticed, scored.outputs.n_segments, by_system)


def _by_name(row: ReferenceCopies) -> str:
    return row.name


def copies_line(
    name: str,
    rows: Sequence[ReferenceCopies],
    n_segments: int,
    scores: Mapping[str, Score] | None,
    dropped: Sequence[int] | np.ndarray,
) -> str:
    """Return the line about a reference: how many segments are copies, and scores without them."""
    number = len({place for row in rows for place in row.places})
    kind = "copies"
    if any(row.near for row in rows):
        kind = "copies or close edits" if any(row.copies for row in rows) else "close edits"
    text = f"{name}: {number} of {n_segments} segments are {kind} of {_owners(rows)} outputs"
    if (others := rows[0].others_in_all) is not None:
        text += f" (other systems: at most {others})"
    if parts := list(_without(rows, n_segments, scores or {}, dropped)):
        text += f"; without them {', '.join(parts)}"
    return text


def _owners(rows: Sequence[ReferenceCopies]) -> str:
    if len(rows) == 1:
        return f"{rows[0].system}'s"
    counted = [f"{row.system}'s ({row.copies + row.near})" for row in rows[:MOST_LISTED]]
    more = len(rows) - MOST_LISTED
    if more > 0:
        return f"{', '.join(counted)} and {more} other systems'"
    return f"{', '.join(counted[:-1])} or {counted[-1]}"


def _without(
    rows: Sequence[ReferenceCopies],
    n_segments: int,
    scores: Mapping[str, Score],
    dropped: Sequence[int] | np.ndarray,
) -> Iterator[str]:
    """Yield the scores of the named systems without the copies of all references."""
    left = np.setdiff1d(np.arange(n_segments), np.asarray(dropped, np.int64))
    for row in rows[:MOST_LISTED]:
        score = scores.get(row.system)
        others = math.nan if score is None else score.of_segments(left)
        if score is not None and not math.isnan(others):
            value = shown(cells.score(others, score.digits))
            gain = shown(cells.difference(others - score.score, score.digits))
            yield f"{row.system} has {value} ({gain})"


def twins_line(pair: Twins) -> str:
    """Return the line about two sides that are equal in almost all segments."""
    a, b = pair.names
    number = f"{pair.equal} of {pair.segments}" if pair.equal < pair.segments else "all"
    number += f" {pair.segments}" * (pair.equal == pair.segments)
    equal = f"are equal in {number} segments"
    if pair.kind == "references":
        return f"references {a} and {b} {equal}: is one reference given twice?"
    if pair.kind == "systems":
        return f"systems {a} and {b} {equal}: are they one system?"
    return f"{a} and the outputs of {b} {equal}: is the reference given as a system?"


def scripts_line(mixed: MixedScripts) -> str:
    """Return the line about systems in the other Chinese script."""
    systems = list_names(mixed.systems)
    are = "is" if len(mixed.systems) == 1 else "are"
    return (
        f"{systems} {are} in {mixed.other_script} characters, {mixed.reference} in {mixed.script}:"
        " TESLA-CELAB and TESLA-M convert them, BLEU, chrF and TER do not and score them as"
        " different; convert one side first"
    )


def list_names(names: Sequence[str]) -> str:
    """Return a few names.

    >>> list_names(["A", "B"]), list_names(["A", "B", "C", "D", "E"])
    ('A and B', 'A, B, C and 2 more')
    """
    if len(names) > MOST_LISTED + 1:
        return f"{', '.join(names[:MOST_LISTED])} and {len(names) - MOST_LISTED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def shift_warnings(shifts: Sequence[Shift]) -> Iterator[str]:
    """Yield a warning about each run of shifted lines; files with the same run share one."""

    def run(shift: Shift) -> tuple[object, ...]:
        return shift.offset, str(shift.first), str(shift.last), shift.is_to_end

    for _, group in groupby(sorted(shifts, key=lambda shift: str(run(shift))), key=run):
        same = [*group]
        yield shift_warning([shift.name for shift in same], same[0])


def streamed_lines(streamed: StreamedReferences) -> Iterator[str]:
    """Yield the lines about references of segments that were read batch by batch."""
    for row in streamed.copies():
        yield copies_line(row.name, [row], streamed.n_segments, None, row.places)


def dropped_lines(references: References, n_segments: int) -> Iterator[str]:
    """Yield a line about each reference whose copies are dropped, or one that there are none."""
    if not references.copies:
        yield "no segment is dropped: no reference has copies of a system's outputs"
    for name, rows in groupby(sorted(references.copies, key=_by_name), key=_by_name):
        yield f"{copies_line(name, [*rows], n_segments, None, ())}; dropped for all systems"


def shift_warning(names: Sequence[str], shift: Shift) -> str:
    """Return the warning about a run of shifted lines in one file or more."""
    unit = "line" if isinstance(shift.first, int) else "segment"
    fit = "fits" if len(names) == 1 else "fit"
    where, lost = ("later", "missing") if shift.offset > 0 else ("earlier", "doubled")
    until = "on" if shift.is_to_end else f"to {unit} {shift.last}"
    return (
        f"{list_names(names)} {fit} {shift.reference} one {unit} {where} from {unit}"
        f" {shift.first} {until}: is a {unit} {lost} there?"
    )


def view_of(references: References) -> View:
    """Return a table of copies, and lines about twins, shifted lines and scripts."""
    texts = [
        *map(twins_line, references.twins),
        *shift_warnings(references.shifts),
        *map(scripts_line, references.scripts),
    ]
    return View([table(references.copies), [line(text) for text in texts]])


def table(copies: Sequence[ReferenceCopies]) -> Table:
    """Return a row for each reference and system that is named."""
    headings = ["reference", "system", "copies", "near", "others", "p", "segments"]
    rows: list[list[Cell | str]] = [
        [
            cells.name(row.name),
            cells.name(row.system),
            cells.count(row.copies),
            cells.count(row.near),
            cells.count(row.others),
            cells.p_text(row.p),
            ",".join(map(str, row.segments)),
        ]
        for row in copies
    ]
    return Table(headings, rows, right=range(2, 6))
