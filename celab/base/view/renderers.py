"""Output formats: a view → text, TSV, Markdown, LaTeX, or HTML of a notebook.

An output format of all results is a renderer in `RENDERERS`; a line in `TABLES` makes it a flag of
the commands, and one in `FILES` says what marks its files as ours. The command line loads this
module for its help, so it loads no NumPy.
"""

from __future__ import annotations

import re
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
    from celab.base.view.notebook import rendered

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


# ---- files -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How files of an output format are named, and how those that celab wrote are recognized.

    Attributes:
        title: what messages call such a file.
        suffixes: endings of names, in lower case; no other format has them.
        is_ours: whether a text, the beginning and the end of a file, has the mark of our output.
            It may have been edited since.
        needs_suffix: whether the names of files must have one of the suffixes.
    """

    title: str
    suffixes: tuple[str, ...]
    is_ours: Callable[[str], bool]
    needs_suffix: bool = False


# Headings that only our tables have together. Those of segments by a metric without precision and
# recall, unchecked, are not among them: they are also the headings of human scores.
_HEADINGS = (
    {"score", "precision", "recall"},
    {"segment", "score", "output"},
    {"document", "score"},
    {"system", "other-language", "not translations"},
    {"system", "no translation", "refusals"},  # of version 0.4
    {"system", "segment", "kind", "text"},
    {"system", "accuracy", "forbidden", "consistency"},
    {"term", "targets", "of", "accuracy"},
    {"system", "term", "share", "renderings"},
    {"segment", "system", "term", "targets", "instead"},
)
_MOST_BEFORE = 6  # lines before the headings of a table
_SIGNATURE = re.compile(r"^(?:% )?[\w+.-]+\\?\|(?:.*\|)?v(?:ersion)?:[\w.+-]+", re.MULTILINE)
_NUMBER = re.compile(r"\s*-?\d+(?:\.\d+)?\s*")
CREATOR = "celab"  # in the metadata of plots
_GENERATOR = '<meta name="generator" content="celab '
# How the JSON of campaigns, comparisons, outputs, explanations and terms begins.
_JSON = re.compile(
    r'\s*\{\s*"(?:format"\s*:\s*\d+,\s*"celab_version"|names"\s*:\s*\[[^\]]*\],\s*"n_segments"'
    r'|n_segments"\s*:\s*\d+,\s*"has_source"|explanations"\s*:\s*\['
    r'|systems"\s*:\s*\[\s*\{\s*"name"\s*:\s*"[^"]*",\s*"accuracy")'
)


def _has_headings(text: str, separator: str, most_before: int = _MOST_BEFORE) -> bool:
    lines = text.split("\n", most_before + 1)[: most_before + 1]
    return any(_are_ours(re.split(separator, line.strip("\r"))) for line in lines)


def _are_ours(cells: Sequence[str]) -> bool:
    names = {cell.strip() for cell in cells}
    has_signature = any(name.partition(" ")[0] == "signature" for name in names)
    is_of_documents = "segment" not in names
    return has_signature or any(
        headings <= names and (is_of_documents or headings != {"document", "score"})
        for headings in _HEADINGS
    )


def _is_text(text: str) -> bool:
    is_number = _NUMBER.fullmatch(text) is not None and "\n" not in text.strip()
    return is_number or bool(_SIGNATURE.search(text)) or _has_headings(text, "  +|\t")


def _is_markdown(text: str) -> bool:
    is_document = text.lstrip().startswith(("#", "---"))  # which may quote a table of ours
    return not is_document and (bool(_SIGNATURE.search(text)) or _has_headings(text, r"\|"))


def _is_latex(text: str) -> bool:
    is_part = text.lstrip().startswith(("%", r"\begin{tabular}"))  # no document of its own
    return is_part and (bool(_SIGNATURE.search(text)) or _has_headings(text, r"&|\\\\"))


# Formats of files. A file that exists is replaced only by one of its own format, if it is ours.
FILES = {
    "text": FileFormat("a text report", (), _is_text),
    "tsv": FileFormat("a TSV table", (".tsv",), lambda text: _has_headings(text, "\t", 0)),
    "markdown": FileFormat("Markdown", (".md", ".markdown"), _is_markdown),
    "latex": FileFormat("LaTeX", (".tex",), _is_latex),
    "html": FileFormat(
        "an HTML report", (".html", ".htm"), lambda text: _GENERATOR in text, needs_suffix=True
    ),
    "json": FileFormat("JSON", (".json",), lambda text: _JSON.match(text) is not None),
    "svg": FileFormat("a plot", (".svg",), lambda text: f">{CREATOR}</dc:title>" in text),
    "png": FileFormat("a plot", (".png",), lambda text: f"Software\0{CREATOR}" in text),
    "pdf": FileFormat("a plot", (".pdf",), lambda text: f"/Creator ({CREATOR})" in text),
}
