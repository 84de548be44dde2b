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

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from celab.base.dicts import JsonObject, Variables
from celab.base.result import Result
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.base.view import palette, tables
from celab.base.view.templating import isolated, templates_of
from celab.evaluation.errors import diff_units
from celab.evaluation.judges.annotations import NON_TRANSLATION, POINTS, PUNCTUATION
from celab.metrics.explaining.explanation import REASONS
from celab.metrics.registry import digits_of
from celab.report.html.drawings import spaced
from celab.report.html.error_table import TITLES
from celab.report.html.localization import Words, translations

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
    "errors.js",
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
    "columns.js",
    "copying.js",
    "takeaway.js",
    "review-table.js",
    "review-panel.js",
    "to-playground.js",
    "finding.js",
    "main.js",
)
# The page of `celab meta`, with the report's menus.
META_SCRIPT = ("figures.js", "dom.js", "saying.js", "svg.js", "copying.js", "meta.js")
# The page of `celab board`, likewise.
BOARD_STYLE = ("style.css", "board.css", "print.css")
BOARD_SCRIPT = ("figures.js", "dom.js", "saying.js", "svg.js", "copying.js", "board-page.js")
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
    """Return the templates of pages with their filters."""
    templates = templates_of(PackageLoader("celab.report.html"))
    templates.filters["said"] = lambda sentence, words: words.say(*sentence)
    templates.globals["bold"] = lambda text: Markup("<b>{}</b>").format(isolated(text))
    templates.globals["scripted"] = Markup('<span class="scripted">{}</span>').format
    templates.filters["spaced"] = spaced
    return templates


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


def result_page(result: Result, *, title: str) -> str:
    """Return a whole page with what is shown of a result."""
    return view_page(result.view(tables.ViewOptions(detail="full")), title)


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

    States and titles by mark, reasons why words are not matched by number, points of MQM, and
    escapes of tables.
    """
    states = {match.mark: state for state, match in palette.MATCHES.items()}
    titles = {match.mark: match.title for match in palette.MATCHES.values()}
    errors = {state: match.title for state, match in palette.ERRORS.items()}
    constants = {
        "STATES": states,
        "TITLES": titles,
        "ERRORS": errors,
        "REASONS": REASONS,
        "ERROR_TITLES": TITLES,
        "POINTS": POINTS | {"non-translation": NON_TRANSLATION, "punctuation": PUNCTUATION},
        "CJK": _character_class(diff_units.CJK),
        "UNSPACED": _character_class(diff_units.UNSPACED),
        "LATEX": tables.LATEX,
        "MARKDOWN": tables.MARKDOWN,
    }
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items())


def _character_class(ranges: diff_units.Ranges) -> str:
    """Return ranges of characters as JavaScript writes them in a regular expression."""
    return "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in ranges)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(names: tuple[str, ...]) -> str:
    templates = environment()
    assert templates.loader is not None
    return "".join(templates.loader.get_source(templates, name)[0] for name in names)
