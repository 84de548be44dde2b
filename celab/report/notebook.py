"""Views → fragments of HTML for notebooks, by the template `notebook.html.j2`.

A fragment needs no script and no style sheet. Its colors can be read on light and on dark pages,
and marks repeat what they show. All text is escaped, and names are isolated.
"""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.text.escapes import visible
from celab.report.alignment import LinkTable, coverage_table
from celab.report.html.page import environment
from celab.report.palette import SHOWN, shown_state
from celab.report.tables import Drawing, Listing, Part, Table, View


def rendered(view: View) -> str:
    """Return the HTML that a notebook shows."""
    blocks: list[tuple[str, object]] = []
    folded: dict[str, list[tuple[str, object]]] = {}
    for part in view.parts:
        if isinstance(part, Listing) and part.table is None:
            continue
        fold = _fold(part)
        if fold and fold not in folded:
            folded[fold] = []
            blocks.append(("fold", (fold, folded[fold])))
        (folded[fold] if fold else blocks).append(_block(part))
    return _drawn(blocks)


def _drawn(blocks: Sequence[tuple[str, object]]) -> str:
    template = environment().get_template("notebook.html.j2")
    return template.render(
        blocks=blocks,
        matches=SHOWN,
        shown_state=shown_state,
        visible=visible,
        coverage=coverage_table,
        linked=linked,
    )


def _fold(part: Part) -> str:
    table = part.table if isinstance(part, Listing) else part
    return table.fold if isinstance(table, Table) else ""


def _block(part: Part) -> tuple[str, object]:
    """Return what the template draws, and how."""
    if isinstance(part, Listing):
        return "texts", part.table
    if isinstance(part, Drawing):
        return "drawing", part
    return ("table" if isinstance(part, Table) else "lines"), part


def linked(links: LinkTable, right: int) -> Table:
    """Return a table of links, with one column aligned to the right."""
    rows = [["".join(piece.text for piece in cell) for cell in row] for row in links.rows]
    return Table(links.headings, rows, right=[right])
