"""Write the tables of options in docs/*.md from the fields that declare them; `make docs` runs it.

    python docs/make_options.py

A table stands between `<!-- options: NAME -->` and `<!-- end of options -->`, and `TABLES` says
which options it has. Names are those of flags; default, values and meaning are those of
`option` (`celab/base/options.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from celab.base.options import Limits, Options, Size, info_of
from celab.base.run import RunOptions
from celab.cli.flags import flag
from celab.cli.option_groups import SignificanceOptions
from celab.corpus.model import Fields
from celab.corpus.options import Inputs
from celab.metrics import options

DOCS = Path(__file__).resolve().parent
TABLES: dict[str, tuple[type, ...]] = {
    "celab": (options.TeslaCelabData, options.TeslaCelabOptions),
    "run": (RunOptions,),
    "tesla-m": (options.WordData, options.TeslaMOptions),  # but for --lang, which "celab" has
    "tesla-s": (options.TeslaSOptions,),
    "cremer": (options.CremerOptions,),
    "texts": (Inputs, Fields, Limits),
    "tests": (SignificanceOptions,),
}
BLOCK = re.compile(r"(<!-- options: ([\w-]+) -->\n).*?(\n<!-- end of options -->)", re.DOTALL)
_DEFAULT = re.compile(r" \(default: ([^()]*)\)")


def written(page: str) -> str:
    """Return the text of a page with its tables as the fields have them."""
    return BLOCK.sub(lambda block: f"{block[1]}{_table(*TABLES[block[2]])}{block[3]}", page)


def _table(*kinds: type) -> str:
    rows = [row for kind in kinds for row in _rows(kind)]
    lines = ["", "| option | default | values | meaning |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def _rows(kind: type) -> Iterator[list[str]]:
    for spec in fields(kind):
        is_elsewhere = kind is options.WordData and spec.name == "lang"
        if "option" not in spec.metadata or info_of(spec).is_argument or is_elsewhere:
            continue
        info = info_of(spec)
        names = ", ".join(f"`{name}`" for name in info.flags or (flag(spec.name),))
        meaning = _DEFAULT.sub("", info.help)
        cells = [names, _default(kind, spec), _values(spec), meaning]
        yield [cell.replace("|", r"\|") for cell in cells]


def _default(kind: type, spec: Field[Any]) -> str:
    default, in_help = info_of(spec).default, _DEFAULT.search(info_of(spec).help)
    if in_help:
        return in_help[1]
    if default is None or default is False or default == ():
        return ""
    others = kind.other_defaults(spec.name) if issubclass(kind, Options) else ""
    return f"`{default}`{others}"


def _values(spec: Field[Any]) -> str:
    choices, between = info_of(spec).choices, info_of(spec).between
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    if not between:
        return ""
    return " to ".join(map(_number, between))


def _number(value: float) -> str:
    if isinstance(value, Size):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


if __name__ == "__main__":
    for path in sorted(DOCS.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        if written(page) != page:
            path.write_text(written(page), encoding="utf-8")
