"""Views → fragments of HTML for notebooks, by the template `notebook.html.j2`.

A fragment needs no script and no style sheet. Its colors can be read on light and on dark pages,
and marks repeat what they show. All text is escaped, and names are isolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, PackageLoader

from celab.base.text.escapes import visible
from celab.base.view.palette import SHOWN, shown_state
from celab.base.view.tables import Drawing, Listing, Part, Table, View
from celab.base.view.templating import templates_of


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


@cache
def _templates() -> Environment:
    return templates_of(PackageLoader("celab.base.view"))


def _drawn(blocks: Sequence[tuple[str, object]]) -> str:
    template = _templates().get_template("notebook.html.j2")
    return template.render(blocks=blocks, matches=SHOWN, shown_state=shown_state, visible=visible)


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
