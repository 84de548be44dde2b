"""The first step: paths → aligned segments. The only room that opens text files.

A file is UTF-8, plain or compressed (by its suffix), and `-` is standard input. A line ends at LF
and nowhere else: U+2028, U+0085, form feed and a lone CR are characters of the line they stand in,
because a hypothesis that holds one must not slip out of step with its references. One CR before an
LF belongs to the line end, and a leading byte order mark to no line. Blank lines are data.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from celab.errors import InputError
from celab.tokens import is_blank

DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Hypotheses and one list per reference file, all of one length, with names for messages."""

    hyps: list[str]
    refs: list[list[str]]
    hyp_name: str
    ref_names: list[str]


def read(ref_paths: Sequence[str], hyp_path: str) -> Corpus:
    """Reads all files and sees to it that every line can be scored."""
    paths = [hyp_path, *ref_paths]
    n_stdin = sum(path == "-" for path in paths)
    if n_stdin > 1:
        raise InputError(
            f"standard input (-) is given {n_stdin} times; it can be read only once, "
            "so all but one of them must be files"
        )
    hyps, *refs = [read_lines(path) for path in paths]
    corpus = Corpus(hyps, refs, name_of(hyp_path), [name_of(path) for path in ref_paths])
    _check_counts(corpus)
    _check_references(corpus)
    return corpus


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of one file, without their ends."""
    path = os.fspath(path)
    data = _decompressed(_bytes_of(path), path).removeprefix(codecs.BOM_UTF8)
    if not data:
        raise InputError(f"{name_of(path)} is empty; it must have at least one line")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name_of(path)}, line {line}: byte 0x{data[error.start]:02X} is not part of a UTF-8 "
            "character; the text must be UTF-8"
        ) from None
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:  # an LF ends a line, so nothing after the last one is no line
        lines.pop()
    return lines


def name_of(path: str) -> str:
    """What messages call the file."""
    return "standard input" if path == "-" else path


def _bytes_of(path: str) -> bytes:
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; give the path of a file instead of -")
        return sys.stdin.buffer.read()
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist; it must be a text file, or - for standard input"
        ) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; it must be a text file") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system call takes
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}); it must be a readable file") from None


def _decompressed(data: bytes, path: str) -> bytes:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in DECOMPRESS:
        return data
    try:
        return DECOMPRESS[suffix](data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise InputError(
            f"{path} cannot be decompressed ({error}); it must be a whole, undamaged {suffix} file"
        ) from None


def _check_counts(corpus: Corpus) -> None:
    counts = [len(lines) for lines in (corpus.hyps, *corpus.refs)]
    if len(set(counts)) > 1:
        first, *rest = zip((corpus.hyp_name, *corpus.ref_names), counts, strict=True)
        seen = [f"{first[0]} has {first[1]} line{'s' * (first[1] != 1)}"]
        seen += [f"{name} has {count}" for name, count in rest]
        raise InputError(f"{', '.join(seen)}; they must agree")


def _check_references(corpus: Corpus) -> None:
    for number, lines in enumerate(zip(*corpus.refs, strict=True), start=1):
        if all(map(is_blank, lines)):
            raise InputError(
                f"line {number} is blank in {' and '.join(corpus.ref_names)}; "
                "at least one reference must have text there"
            )
