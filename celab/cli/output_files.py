"""Files that a command writes: checked in one place for all commands, before any work is done.

An output is never an input, no two are the same, and all can be written. A file that exists is
replaced if it is empty, a device or a pipe, or has the mark of what is written now: a page and a
plot are told by their generator, JSON by its first keys, a table by its heading, a text by a
signature. Everything else needs `--overwrite`; texts have no mark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from celab.base import io
from celab.base.errors import InputError, OptionError

_MOST_BYTES = 1 << 20  # read at either end of a file, to find its mark
_MOST_BEFORE = 8  # lines before the heading of a table
_STREAMS = ("standard input", "standard output", "standard error")  # by number
# Columns of tables that people write, too, such as human scores.
_COMMON = {"system", "document", "segment", "score"}
_SIGNATURE = re.compile(r"^(?:% )?[\w+.-]+\\?\|(?:.*\|)?v(?:ersion)?:[\w.+-]+", re.MULTILINE)


class FileFormat(NamedTuple):
    """What messages call a file of a format, its suffixes, and the mark in its text, if any."""

    title: str
    suffixes: tuple[str, ...]
    mark: Callable[[str], str]


def _constant(mark: str) -> Callable[[str], str]:
    return lambda text: mark if mark in text else ""


def _heading(separator: str) -> Callable[[str], str]:
    def mark(text: str) -> str:
        """Return the first line with columns that are not common, and its number."""
        for number, line in enumerate(text.splitlines()[:_MOST_BEFORE]):
            names = {name.strip() for name in line.strip("| ").split(separator)}
            if len(names) > 1:
                return f"{number} {line.strip()}" if names - _COMMON else ""
        return ""

    return mark


FILES = {
    "text": FileFormat("a text report", (), lambda text: "|" * bool(_SIGNATURE.search(text))),
    "tsv": FileFormat("a TSV table", (".tsv",), _heading("\t")),
    "markdown": FileFormat("Markdown", (".md", ".markdown"), _heading("|")),
    "latex": FileFormat("LaTeX", (".tex",), _heading("&")),
    "html": FileFormat(
        "an HTML report", (".html", ".htm"), _constant('<meta name="generator" content="celab ')
    ),
    "json": FileFormat(
        "JSON", (".json",), lambda text: " ".join(re.findall(r'"(\w+)"\s*:', text)[:3])
    ),
    "svg": FileFormat("a plot", (".svg",), _constant(">celab</dc:title>")),
    "png": FileFormat("a plot", (".png",), _constant("Software\0celab")),
    "pdf": FileFormat("a plot", (".pdf",), _constant("/Creator (celab)")),
    "lex": FileFormat("a lexicon", (".lex", ".tsv"), _constant("celab-lexicon ")),
    "pivot": FileFormat("a pivot table", (".pivot",), _constant("CELABPV")),
}


class Writing(Protocol):
    """A request that may write files."""

    @property
    def overwrite(self) -> bool:
        """Whether files that exist are replaced whatever they are."""

    @property
    def output_format(self) -> str:
        """Format of `--output`."""

    @property
    def output_files(self) -> dict[str, str]:
        """The files to write, by flag."""

    def input_files(self) -> Iterator[str]:
        """Yield all files that may be read."""


def check(request: Writing) -> None:
    """Raise unless the outputs of a request can be written and may be replaced."""
    check_files(request.output_files, request)
    for name, path in request.output_files.items():
        formats = {"--output": request.output_format, "--html": "html"}
        format = formats.get(name, io.suffix_of(path).removeprefix("."))
        check_replaceable(name, path, format, request)


def check_files(
    files: Mapping[str, str | None], request: Writing, others: Iterable[io.AnyPath] = ()
) -> None:
    """Raise unless files, by what messages call them, can be written, are distinct and no inputs.

    Inputs are all files of the request, and `others`. The streams of the process are taken, too.
    """
    if not any(path is not None for path in files.values()):
        return
    inputs = {io.identity_of(path): f"input {path}" for path in (*request.input_files(), *others)}
    inputs[io.identity_of(0)] = _STREAMS[0]
    taken = {io.identity_of(number): _STREAMS[number] for number in (2, 1)}
    for name, path in files.items():
        if path is None:
            continue
        if not path or "\0" in path:
            raise OptionError(f"{name} is {path!r}; it must be the path of a file")
        with io.writing(path):
            io.check_writable(path)
            identity = io.identity_of(path)
            is_stream = io.descriptor_of(path) is not None
        label = inputs.get(identity) or (None if is_stream else taken.get(identity))
        if identity is not None and label:
            raise InputError(f"{name} is {path}, which is the same file as {label}; choose another")
        taken[identity] = f"{name} {path}"


def check_file_in_folder(flag: str, path: str, request: Writing) -> None:
    """Raise unless a file of a folder, which a flag names, can be written; it has no mark."""
    check_files({flag: path}, request)
    check_replaceable(f"a file of {flag}", path, "", request)


def check_replaceable(
    name: str, path: str, format: str, request: Writing, text: str | None = None
) -> None:
    """Raise if a file has the suffix of another format, or exists and lacks the mark of `text`.

    Before the text is known, any mark of the format is accepted.
    """
    with io.writing(path):
        if io.is_special(path):
            return
        existing = _ends_of(path)
    if file_format := FILES.get(format):
        for each in (path, os.path.realpath(path)):  # a link and its target
            _check_suffix(name, each, format)
    if not existing or request.overwrite:
        return
    mark = file_format.mark(existing) if file_format else ""
    if not mark or (file_format and text is not None and mark != file_format.mark(text)):
        other = f" and is not {file_format.title} of this kind" if file_format else ""
        raise InputError(
            f"{name} is {path}, which exists{other}; choose another name, or add --overwrite to"
            " replace it"
        )


def _check_suffix(name: str, path: str, format: str) -> None:
    suffix, (title, suffixes, _) = io.suffix_of(path), FILES[format]
    if suffix in suffixes:
        return
    if format == "html":
        right = " or ".join(suffixes)
        raise OptionError(f"{name} is {path}; the name of {title} must end in {right}")
    for other in FILES.values():
        if suffix in other.suffixes:
            raise OptionError(
                f"{name} is {path}, but the output is {title}, not {other.title}; choose another"
                " name or format"
            )


def _ends_of(path: str) -> str:
    """Return the beginning and the end of a file; "" if there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, "rb") as file:
        start = file.read(_MOST_BYTES)
        file.seek(max(len(start), os.fstat(file.fileno()).st_size - _MOST_BYTES))
        return (start + file.read(_MOST_BYTES)).decode("utf-8-sig", "replace")
