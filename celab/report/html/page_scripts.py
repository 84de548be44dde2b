"""Modules → the script of a page.

A module of `templates` names what it takes from others in `import` lines, as JavaScript's modules
do, and marks what others may take by `export`. The script of a page has its first module and all
that this one needs, in one function: the page loads nothing, so the lines of `import` and the word
`export` go. Modules may need each other in a circle, as long as none uses a name of a later one
while the page is loaded. `make lint` reads each module by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jinja2 import Environment, PackageLoader

from celab.base.view import palette, tables
from celab.evaluation.errors import diff_units
from celab.evaluation.errors.profile import SENTENCES
from celab.metrics.explaining.explanation import REASONS
from celab.report.html.error_table import TITLES

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
        "ERROR_TITLES": TITLES,
        "ERROR_SENTENCES": SENTENCES,
        "CJK": _character_class(diff_units.CJK),
        "UNSPACED": _character_class(diff_units.UNSPACED),
        "LATEX": tables.LATEX,
        "MARKDOWN": tables.MARKDOWN,
    }
    return "".join(
        f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items()
    )


def _character_class(ranges: diff_units.Ranges) -> str:
    """Return ranges of characters as JavaScript writes them in a regular expression."""
    return "".join(f"\\u{{{first:x}}}-\\u{{{last:x}}}" for first, last in ranges)
