"""Templates of HTML, for notebooks and pages: all text is escaped, and names are isolated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from celab.base.signature import Signature
from celab.base.text.escapes import escape_controls, visible
from celab.tables import cells, sentences
from celab.tables.palette import SHOWN, shown_state
from celab.tables.table import Part, Table
from celab.tables.view import Drawing, Name

# Figures of pages, which have signs that plain text lacks.
_PAGE_FIGURES = {
    "score": partial(cells.score, look="page"),
    "interval": partial(cells.interval, look="page"),
    "p_value": cells.p_value,
}


def templates_of(loader: BaseLoader) -> Environment:
    """Return templates with the filters for cells, names and signatures."""
    templates = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    templates.filters["isolated"] = isolated
    templates.filters["breakable"] = _breakable
    templates.globals["SAID"] = sentences
    templates.globals["cells"] = _PAGE_FIGURES
    templates.filters["p_text"] = cells.p_text
    templates.filters["written"] = _written
    templates.filters["signature"] = _signature
    templates.tests["signature"] = lambda text: isinstance(text, Signature)
    return templates


def _visible(value: object) -> object:
    """Return a value of a template as the reader may see it: controls in text as escapes."""
    return (
        escape_controls(value)
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


def _written(text: str) -> Markup:
    """Return a text of a table or a part of a line; a name is isolated."""
    return isolated(text) if isinstance(text, Name) else Markup(escape(escape_controls(text)))


def _breakable(signature: str) -> Markup:
    """Return a signature that is broken into lines only between its parts."""
    return Markup("|<wbr>").join(escape_controls(part) for part in signature.split("|"))


def isolated(text: str) -> Markup:
    """Return a name or a text whose direction cannot reorder what stands beside it."""
    return Markup("<bdi>{}</bdi>").format(escape_controls(text))


def _signature(text: str, style: str = "") -> Markup:
    """Return a line with a signature that is broken between its parts, not after a hyphen in one.

    Without a style the parts have a class, for pages, whose policy allows no style of an element.
    """
    attribute = Markup('style="{}"').format(style) if style else Markup('class="part"')
    parts = re.findall(r"[^|]*\||[^|]+", escape_controls(text))
    return Markup("").join(Markup("<span {}>{}</span>").format(attribute, x) for x in parts)


# Results → fragments of HTML for notebooks, by the template `notebook.html.j2`.
#
# A fragment needs no script and no style sheet. Its colors can be read on light and on dark pages,
# and marks repeat what they show. All text is escaped, and names are isolated.


def notebook_html(parts: Iterable[Part]) -> str:
    """Return the HTML that a notebook shows of tables, drawings and lines."""
    blocks: list[tuple[str, object]] = []
    folded: dict[str, list[tuple[str, object]]] = {}
    for part in parts:
        if not isinstance(part, Table):
            blocks.append(("drawing" if isinstance(part, Drawing) else "lines", part))
        elif part.is_shown and not part.on_request:
            block = ("texts" if part.text else "table", part)
            if part.fold and part.fold not in folded:
                folded[part.fold] = []
                blocks.append(("fold", (part.fold, folded[part.fold])))
            (folded[part.fold] if part.fold else blocks).append(block)
    template = _templates().get_template("notebook.html.j2")
    return template.render(blocks=blocks, matches=SHOWN, shown_state=shown_state, visible=visible)


@cache
def _templates() -> Environment:
    return templates_of(PackageLoader("celab.tables"))
