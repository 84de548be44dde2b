"""Output formats: a view → text, TSV, Markdown, LaTeX, or HTML of a notebook.

An output format of all results is a renderer in `RENDERERS`; a line in `TABLES` makes it a flag of
the commands. The command line loads this module for its help, so it loads no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from celab.base.frozen import dataclass
from celab.base.view.tables import (
    Drawing,
    Line,
    Listing,
    Part,
    Table,
    View,
    latex,
    latex_line,
    markdown,
    markdown_line,
    text,
    text_line,
    tsv,
)


@dataclass(frozen=True, slots=True)
class Format:
    """A renderer: how an output format writes a table, a line, a listing and a drawing."""

    table: Callable[[Table], str]
    line: Callable[[Line], str]
    listing: Callable[[Listing], str] = lambda listing: ""
    drawing: Callable[[Drawing], str] = lambda drawing: ""

    def __call__(self, view: View) -> str:
        """Return the whole view, ending in a line end."""
        return "\n".join(filter(None, map(self._part, view.parts)))

    def _part(self, part: Part) -> str:
        if isinstance(part, Listing):
            return self.listing(part)
        if isinstance(part, Drawing):
            return self.drawing(part)
        if not isinstance(part, Table):
            return self.lines(part)
        title = f"{self.line(Line((part.title,), 'title'))}\n" if part.title else ""
        return title + self.table(part) + self.lines(part.below)

    def lines(self, lines: Sequence[Line]) -> str:
        """Return lines one below the other."""
        return "".join(map(self.line, lines))


def _record(view: View) -> str:
    table = view.record or next(iter(view.tables), None)
    return "" if table is None else tsv(table)


def _notebook(view: View) -> str:
    from celab.base.view.templating import rendered

    return rendered(view)


RENDERERS: dict[str, Callable[[View], str]] = {
    "text": Format(text, text_line, lambda listing: listing.text, lambda x: x.text()),
    "tsv": _record,
    "markdown": Format(markdown, markdown_line),
    "latex": Format(latex, latex_line),
    "notebook": _notebook,
}

# Formats of tables that have a flag of this name, and their names in help.
TABLES = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}
