"""Template, style and script → one file that loads nothing.

The data are in the page as JSON that is not run. In it `<`, `>` and `&` are escaped, so that no
text can close its element; so are characters that control a terminal or the direction of text, for
those who read the file itself, and lone surrogates, which UTF-8 cannot encode.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from celab.base import cells
from celab.base.dicts import JsonObject, Variables
from celab.base.signature import Signature
from celab.base.text.escapes import dump_json, escape_controls
from celab.base.version import __version__
from celab.metrics.explanation import REASONS
from celab.metrics.registry import digits_of
from celab.report import palette, tables
from celab.report.html.drawings import spaced
from celab.report.html.words import Words, translations

STYLE = ("style.css", "systems.css", "marks.css", "segments.css", "reviews.css", "print.css")
# Joined in this order to one script, in which each part sees those before it.
SCRIPT = (
    "figures.js",
    "dom.js",
    "saying.js",
    "state.js",
    "language.js",
    "reviews.js",
    "diff.js",
    "spans.js",
    "terms.js",
    "judges.js",
    "filters.js",
    "rows.js",
    "sentences.js",
    "unmatched.js",
    "arithmetic.js",
    "versus.js",
    "svg.js",
    "documents.js",
    "buckets.js",
    "scatter.js",
    "ngrams.js",
    "pair.js",
    "chips.js",
    "facets.js",
    "grid.js",
    "segment.js",
    "board.js",
    "copying.js",
    "takeaway.js",
    "review-panel.js",
    "to-playground.js",
    "finding.js",
    "main.js",
)
# The page of `celab meta`, with the report's menus.
META_SCRIPT = ("figures.js", "dom.js", "saying.js", "svg.js", "copying.js", "meta.js")
# The playground of `celab serve`: the report's view of a segment, and fields to type in.
PLAYGROUND_STYLE = ("style.css", "marks.css", "segments.css", "playground.css")
PLAYGROUND_SCRIPT = (
    "figures.js",
    "dom.js",
    "diff.js",
    "sentences.js",
    "unmatched.js",
    "arithmetic.js",
    "versus.js",
    "svg.js",
    "playground-problems.js",
    "playground.js",
    "playground-texts.js",
    "playground-settings.js",
    "playground-pair.js",
    "playground-picture.js",
    "playground-tour.js",
    "playground-attempts.js",
    "playground-code.js",
    "playground-report.js",
    "playground-main.js",
)
_MARKUP = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


@cache
def environment() -> Environment:
    """Return the templates with their filters."""
    templates = Environment(
        loader=PackageLoader("celab.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    templates.filters["isolated"] = _isolated
    templates.filters["said"] = lambda sentence, words: words.say(*sentence)
    templates.globals["bold"] = lambda text: Markup("<b>{}</b>").format(_isolated(text))
    templates.globals["scripted"] = Markup('<span class="scripted">{}</span>').format
    templates.filters["spaced"] = spaced
    templates.filters["breakable"] = _breakable
    templates.globals["cells"] = cells
    templates.filters["p_text"] = cells.p_text
    templates.filters["written"] = _written
    templates.filters["signature"] = _signature
    templates.tests["signature"] = lambda text: isinstance(text, Signature)
    templates.filters["shown"] = lambda cell: cells.shown(cell, "page")
    return templates


def _visible(value: object) -> object:
    """Return a value of a template as the reader may see it: controls in text as escapes."""
    return (
        escape_controls(value)
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


def _written(cell: cells.Cell | str) -> Markup:
    """Return a cell of a table or a part of a line in plain text, with its marks in HTML."""
    is_name = isinstance(cell, tables.Name) or (
        isinstance(cell, cells.Cell) and cell.kind == "name"
    )
    text = cells.shown(cell)
    written = _isolated(text) if is_name else Markup(escape(escape_controls(text)))
    if isinstance(cell, str):
        return written
    if cell.best:
        written = Markup("<b>{}</b>").format(written)
    return written + (Markup("<sup>{}</sup>").format(cell.cluster) if cell.cluster else "")


def _breakable(signature: str) -> Markup:
    """Return a signature that is broken into lines only between its parts."""
    return Markup("|<wbr>").join(escape_controls(part) for part in signature.split("|"))


def _isolated(text: str) -> Markup:
    """Return a name or a text whose direction cannot reorder what stands beside it."""
    return Markup("<bdi>{}</bdi>").format(escape_controls(text))


def _signature(text: str, style: str = "") -> Markup:
    """Return a line with a signature that is broken between its parts, not after a hyphen in one.

    Without a style the parts have a class, for pages, whose policy allows no style of an element.
    """
    attribute = Markup('style="{}"').format(style) if style else Markup('class="part"')
    parts = re.findall(r"[^|]*\||[^|]+", escape_controls(text))
    return Markup("").join(Markup("<span {}>{}</span>").format(attribute, x) for x in parts)


def rendered(
    template: str,
    view: Variables,
    data: JsonObject | None = None,
    blocks: Mapping[str, str] | None = None,
    styles: tuple[str, ...] = STYLE,
    scripts: tuple[str, ...] = SCRIPT,
    *,
    connects: bool = False,
    language: str = "en",
) -> str:
    """Return the whole file; a page without data has no script either.

    `blocks` are data that the script reads when they are needed: JSON by the ids of its elements.
    Only a page that `connects` may send requests, to its own server.
    """
    style = palette.style_sheet() + _joined(styles)
    script = f'"use strict";\n(() => {{\n{_constants()}{_joined(scripts)}}})();\n'
    page = (
        environment()
        .get_template(template)
        .render(
            **view,
            words=Words(language, switchable=data is not None),
            version=__version__,
            policy=policy(style, None if data is None else script, connects),
            style=Markup(style),
            script=None if data is None else Markup(script),
            data=None if data is None else Markup(as_json(data)),
            blocks={name: Markup(block) for name, block in (blocks or {}).items()},
        )
    )
    return page + "\n"


def rendered_view(view: tables.View) -> str:
    """Return the tables and lines of a view, for a page."""
    blocks = [
        ("table" if isinstance(part, tables.Table) else "lines", part)
        for part in view.parts
        if not isinstance(part, tables.Listing | tables.Drawing)
    ]
    return environment().get_template("view.html.j2").render(blocks=blocks)


def view_page(view: tables.View, title: str) -> str:
    """Return a whole page with the tables and lines of a view."""
    return rendered("result.html.j2", {"title": title, "content": Markup(rendered_view(view))})


def playground(data: JsonObject) -> tuple[str, str]:
    """Return the page of `celab serve`, and its policy; `data` is what it offers to choose from."""
    data = data | {"words": translations("zh"), "digits": digits_of("celab")}
    page = rendered(
        "playground.html.j2",
        {"title": "TESLA-CELAB"},
        data,
        None,
        PLAYGROUND_STYLE,
        PLAYGROUND_SCRIPT,
        connects=True,
    )
    return page, policy_of(page)


def policy(style: str, script: str | None, connects: bool = False) -> str:
    """Return the content security policy: only this style and this script."""
    run = "'none'" if script is None else _digest(script)
    connect = "connect-src 'self'; " if connects else ""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {run}; {connect}"
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def policy_of(page: str) -> str:
    """Return the policy of a page, for the header with which it is sent."""
    match = re.search(r'"Content-Security-Policy" content="([^"]+)"', page)
    assert match is not None
    return f"{html.unescape(match[1])}; frame-ancestors 'none'"


def as_json(data: object) -> str:
    """Return JSON that is safe inside an HTML element."""
    return dump_json(data, separators=(",", ":"))[:-1].translate(_MARKUP)


def _constants() -> str:
    """Return what the scripts share with Python.

    States and titles by mark, reasons why words are not matched by number, and escapes of tables.
    """
    states = {match.mark: state for state, match in palette.MATCHES.items()}
    titles = {match.mark: match.title for match in palette.MATCHES.values()}
    errors = {state: match.title for state, match in palette.ERRORS.items()}
    constants = {
        "STATES": states,
        "TITLES": titles,
        "ERRORS": errors,
        "REASONS": REASONS,
        "LATEX": tables.LATEX,
        "MARKDOWN": tables.MARKDOWN,
    }
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(names: tuple[str, ...]) -> str:
    templates = environment()
    assert templates.loader is not None
    return "".join(templates.loader.get_source(templates, name)[0] for name in names)
