"""Files that a command writes: checked before any work is done, for all commands in one place.

An output is never an input, no two are the same, and all can be written. Commands whose outputs are
reports and tables also keep a file that exists, unless it is empty or has the mark of our output in
that format (`FILES` in `celab.base.view.renderers`), or `--overwrite` is given. Devices and pipes
are not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Protocol

from celab.base import io
from celab.base.errors import InputError, OptionError
from celab.base.view.renderers import FILES, FileFormat

_MOST_BYTES = 1 << 20  # read at either end of a file, to see whether it is ours
_STREAMS = ("standard input", "standard output", "standard error")  # by number


class Writing(Protocol):
    """A request that may write files."""

    keeps_files: ClassVar[bool]

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
    """Raise unless the outputs of a request can be written, are distinct and are no inputs.

    In commands that keep files, one that exists must have the mark of the output's format.
    """
    paths = request.output_files
    check_files(paths, request)
    for name, path in paths.items() if request.keeps_files else ():
        formats = {"--output": request.output_format, "--html": "html"}
        format = formats.get(name, io.suffix_of(path).removeprefix("."))
        check_replaceable(name, path, format, overwrite=request.overwrite)


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
    """Raise unless a file of a folder, which a flag names, can be written.

    Such files have no mark, so a command that keeps files replaces none with content.
    """
    check_files({flag: path}, request)
    is_kept = request.keeps_files and not request.overwrite
    if is_kept and os.path.exists(path) and os.path.getsize(path):
        raise InputError(
            f"{flag} would replace {path}; choose another folder, or add --overwrite to replace it"
        )


def check_replaceable(name: str, path: str, format: str, *, overwrite: bool) -> None:
    """Raise if a file has the suffix of another format, or exists and is not ours."""
    with io.writing(path):
        if io.is_special(path):
            return
    suffix, file_format = io.suffix_of(path), FILES[format]
    others = {suffix: other for other in FILES.values() for suffix in other.suffixes}
    right = " or ".join(file_format.suffixes)
    if file_format.needs_suffix and suffix not in file_format.suffixes:
        raise OptionError(f"{name} is {path}; the name of {file_format.title} must end in {right}")
    if suffix not in file_format.suffixes and suffix in others:
        raise OptionError(
            f"{name} is {path}, but the output is {file_format.title}, not"
            f" {others[suffix].title}; choose another name or format"
        )
    if not overwrite and not _is_ours(path, file_format):
        raise InputError(
            f"{name} is {path}, which exists and is not {file_format.title} of celab; choose"
            " another name, or add --overwrite to replace it"
        )


def _is_ours(path: str, format: FileFormat) -> bool:
    """Return whether a file is new, empty or has the mark of a format."""
    if not os.path.exists(path):
        return True
    with io.writing(path), open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(_MOST_BYTES)
        file.seek(max(len(start), size - _MOST_BYTES))
        data = start + file.read(_MOST_BYTES)
    return not data or format.is_ours(data.decode("utf-8-sig", "replace"))
