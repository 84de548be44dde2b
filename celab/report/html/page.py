"""Template, style and script → one file that loads nothing.

The data are in the page as JSON that is not run. In it `<`, `>` and `&` are escaped, so that no
text can close its element; so are characters that control a terminal or the direction of text, for
those who read the file itself, and lone surrogates, which UTF-8 cannot encode.

A module of `templates` names what it takes from others in `import` lines, as JavaScript's modules
do, and marks what others may take by `export`. The script of a page has its first module and all
that this one needs, in one function: the page loads nothing, so the lines of `import` and the word
`export` go. Modules may need each other in a circle, as long as none uses a name of a later one
while the page is loaded. `make lint` reads each module by itself.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from celab.base.dicts import JsonObject, Variables
from celab.base.text.escapes import dump_json
from celab.base.version import __version__
from celab.base.view import palette, tables
from celab.base.view.templating import isolated, templates_of
from celab.evaluation.errors import SENTENCES, diff
from celab.evaluation.producers import kinds_of_texts
from celab.metrics.explaining.explanation import REASONS
from celab.metrics.registry import digits_of
from celab.report.html.drawings import spaced
from celab.report.html.localization import Words, load_texts, playground_translations, translations
from celab.report.html.views import ERROR_TITLES

STYLE = ("style.css", "systems.css", "marks.css", "segments.css", "print.css")
SCRIPT = "main.js"  # the first module; `modules_of` finds the others
META_SCRIPT = "meta.js"  # the page of `celab meta`
BOARD_STYLE = ("style.css", "board.css", "print.css")
BOARD_SCRIPT = "board-page.js"  # the page of `celab board`
# The pages of `celab check` and `celab terms`: sections of the report, and a list without scores.
UNSCORED_STYLE = (
    "style.css",
    "systems.css",
    "marks.css",
    "segments.css",
    "unscored.css",
    "print.css",
)
UNSCORED_SCRIPT = "unscored.js"
# The playground of `celab serve`: the report's view of a segment, and fields to type in.
PLAYGROUND_STYLE = ("style.css", "marks.css", "segments.css", "playground.css")
PLAYGROUND_SCRIPT = "playground-main.js"
_MARKUP = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


@cache
def environment() -> Environment:
    """Return the templates of pages with their filters."""
    templates = templates_of(PackageLoader("celab.report.html"))
    templates.filters["said"] = lambda sentence, words: words.say(*sentence)
    templates.filters["phrased"] = lambda phrase, words: words.phrase(phrase)
    templates.globals["bold"] = lambda text: Markup("<b>{}</b>").format(isolated(text))
    templates.globals["scripted"] = Markup('<span class="scripted">{}</span>').format
    templates.globals["kinds"] = kinds_of_texts
    templates.filters["spaced"] = spaced
    return templates


def rendered(
    template: str,
    view: Variables,
    data: JsonObject,
    blocks: Mapping[str, str] | None = None,
    styles: tuple[str, ...] = STYLE,
    first_script: str = SCRIPT,
    *,
    connects: bool = False,
    language: str = "en",
) -> str:
    """Return the whole file.

    `data` is what the script reads, beside the texts of the page's languages; `blocks` are data
    that it reads when they are needed: JSON by the ids of its elements.
    Only a page that `connects` may send requests, to its own server.
    """
    said = {"language": language, "words": translations("zh")}
    style = palette.style_sheet() + _joined(styles)
    script = script_of(first_script)
    page = (
        environment()
        .get_template(template)
        .render(
            **view,
            words=Words(language),
            version=__version__,
            policy=policy(style, script, connects),
            style=Markup(style),
            script=Markup(script),
            data=Markup(as_json(said | data)),
            blocks={name: Markup(block) for name, block in (blocks or {}).items()},
        )
    )
    return page + "\n"


def playground(data: JsonObject) -> tuple[str, str]:
    """Return the page of `celab serve`, and its policy; `data` is what it offers to choose from."""
    words = {"words": playground_translations(), "messages": load_texts("zh-messages")}
    data = data | words | {"digits": digits_of("celab")}
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


def policy(style: str, script: str, connects: bool = False) -> str:
    """Return the content security policy: only this style and this script."""
    connect = "connect-src 'self'; " if connects else ""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; {connect}"
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


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(names: tuple[str, ...]) -> str:
    templates = environment()
    assert templates.loader is not None
    return "".join(templates.loader.get_source(templates, name)[0] for name in names)


CONSTANTS = "constants.js"  # made here, of what Python knows
# The pages of `celab check` and `celab terms` have a view of their own, under the same names.
_INSTEAD = {"unscored.js": {"report-view.js": "unscored-view.js"}}
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def script_of(first: str) -> str:
    """Return the script of the page whose first module is named."""
    parts = (_EXPORT.sub("", _IMPORT.sub("", source_of(name))) for name in modules_of(first))
    return f'"use strict";\n(() => {{\n{"".join(parts)}}})();\n'


def modules_of(first: str) -> list[str]:
    """Return the names of a module and of all that it needs; each comes after those it imports."""
    return list(dict.fromkeys(_needed(first, first, set())))


def imports_of(name: str, first: str = "") -> dict[str, list[str]]:
    """Return what a module imports, in a page: names by the module that exports them."""
    instead, imported = _INSTEAD.get(first, {}), dict[str, list[str]]()
    for names, module in _IMPORT.findall(source_of(name)):
        taken = imported.setdefault(instead.get(module, module), [])
        taken += [name.strip() for name in names.split(",") if name.strip()]
    return imported


def source_of(name: str) -> str:
    """Return the text of a module."""
    if name == CONSTANTS:
        return _constants()
    return PackageLoader("celab.report.html").get_source(Environment(), name)[0]


def _needed(name: str, first: str, seen: set[str]) -> Iterator[str]:
    seen.add(name)
    for module in imports_of(name, first):
        if module not in seen:
            yield from _needed(module, first, seen)
    yield name


def _constants() -> str:
    """Return what the scripts share with Python.

    States and titles by mark, reasons why words are not matched by number, and escapes
    of tables.
    """
    states = {match.mark: state for state, match in palette.MATCHES.items()}
    titles = {match.mark: match.title for match in palette.MATCHES.values()}
    errors = {state: match.title for state, match in palette.ERRORS.items()}
    constants = {
        "STATES": states,
        "TITLES": titles,
        "ERRORS": errors,
        "REASONS": REASONS,
        "ERROR_TITLES": ERROR_TITLES,
        "ERROR_SENTENCES": SENTENCES,
        "CJK": _character_class(diff.CJK),
        "UNSPACED": _character_class(diff.UNSPACED),
        "LATEX": tables.LATEX,
        "MARKDOWN": tables.MARKDOWN,
    }
    return "".join(
        f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items()
    )


def _character_class(ranges: diff.Ranges) -> str:
    """Return ranges of characters as JavaScript writes them in a regular expression."""
    return "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in ranges)
