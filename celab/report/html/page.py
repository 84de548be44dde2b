"""Template, style and script → one file that loads nothing.

The data are in the page as JSON that is not run. In it `<`, `>` and `&` are escaped, so that no
text can close its element; so are U+2028 and U+2029, which end a line in older scripts, and lone
surrogates, which UTF-8 cannot encode.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from celab.version import __version__

STYLE = ("style.css",)
# Joined in this order to one script, in which each part sees those before it.
SCRIPT = ("dom.js", "state.js", "rows.js", "sentences.js", "arithmetic.js", "segment.js", "main.js")
_ESCAPED = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("celab.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(template: str, view: dict[str, Any], data: dict[str, Any] | None = None) -> str:
    """The whole file; a page without data has no script either."""
    style, script = _joined(STYLE), f'"use strict";\n(() => {{\n{_joined(SCRIPT)}}})();\n'
    page = _environment().get_template(template).render(
        **view,
        version=__version__,
        policy=policy(style, None if data is None else script),
        style=Markup(style),
        script=None if data is None else Markup(script),
        data=None if data is None else Markup(as_json(data)),
    )  # fmt: skip
    return page + "\n"


def policy(style: str, script: str | None) -> str:
    """The content security policy: only this style and this script."""
    run = "'none'" if script is None else _digest(script)
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {run}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def as_json(data: dict[str, Any]) -> str:
    """JSON that is safe inside an HTML element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _joined(names: tuple[str, ...]) -> str:
    templates = _environment()
    assert templates.loader is not None
    return "".join(templates.loader.get_source(templates, name)[0] for name in names)
