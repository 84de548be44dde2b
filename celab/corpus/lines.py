"""Plain text a few lines at a time, for files that are longer than memory or have no end yet.

The rules of `files` and `join` hold: a line ends at LF, all files must have equally many, and one
may be blank in some of the references but not in all. What cannot be read so (markup, JSON, UTF-16)
is not streamed; its beginning goes back to where it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celab.corpus import files
from celab.errors import InputError
from celab.tokens import is_blank

HEAD = 1 << 16  # bytes that are looked at to tell what a file is


class LineFile:
    """One file, opened; `is_plain` says whether it can be read in this way."""

    def __init__(self, path: str, encoding: str | None) -> None:
        self.path, self.name = path, files.name_of(path)
        self.codec = files.codec_of(encoding) or "utf-8"
        self.n_read = 0
        self.stream = files.open_stream(path)
        self.head = files.peeked(self.stream, path, HEAD)
        start = self.head.removeprefix(files.UTF8_MARK).lstrip()[:1]
        marked = any(self.head.startswith(mark) for mark in files.WIDE_MARKS)
        wide = self.codec.startswith(("utf-16", "utf-32", "utf_16", "utf_32"))
        self.is_plain = start not in (b"<", b"{") and not marked and not wide

    def lines(self, n_lines: int) -> list[str]:
        """The next lines, at most so many; fewer only at the end."""
        data = files.next_lines(self.stream, self.path, n_lines)
        if self.n_read == 0:
            if not data or data == [files.UTF8_MARK]:
                raise InputError(f"{self.name} is empty; it must have at least one line")
            data[0] = data[0].removeprefix(files.UTF8_MARK)
        found = []
        for line in data:
            self.n_read += 1
            try:
                text = line.decode(self.codec)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name}, line {self.n_read}: byte 0x{line[error.start]:02X} is not part"
                    f" of a character of {self.codec}; the text must be {self.codec}"
                ) from None
            found.append(text.removesuffix("\n").removesuffix("\r"))
        return found


def open_lines(paths: Sequence[str], encoding: str | None) -> list[LineFile] | None:
    """All files, or None if any of them cannot be streamed; nothing is lost then."""
    opened = [LineFile(path, encoding) for path in paths]
    if all(file.is_plain for file in opened):
        return opened
    for file in opened:
        files.give_back(file.stream, file.path)
    return None


def batches(
    hyp: LineFile, refs: Sequence[LineFile], n_lines: int, first: int = 0
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Hypotheses and references, `n_lines` of each at a time, from line `first` on."""
    every = [hyp, *refs]
    for file in every:
        for n_skipped in _in_steps(first, n_lines):
            file.lines(n_skipped)
    while True:
        sides = [file.lines(n_lines) for file in every]
        if len({len(side) for side in sides}) > 1:
            for file in every:  # how many there are of each is part of the message
                while file.lines(n_lines):
                    pass
            seen = [f"{file.name} has {file.n_read}" for file in every]
            seen[0] += f" line{'s' * (every[0].n_read != 1)}"
            raise InputError(f"{', '.join(seen)}; they must agree")
        if not sides[0]:
            return
        _check_references(refs, sides[1:], hyp.n_read - len(sides[0]))
        yield sides[0], sides[1:]


def _in_steps(n_lines: int, step: int) -> Iterator[int]:
    while n_lines > 0:
        yield min(step, n_lines)
        n_lines -= step


def _check_references(refs: Sequence[LineFile], sides: Sequence[list[str]], n_before: int) -> None:
    for number, texts in enumerate(zip(*sides, strict=True), n_before + 1):
        if all(map(is_blank, texts)):
            raise InputError(
                f"line {number} is blank in {' and '.join(ref.name for ref in refs)}; "
                "at least one reference must have text there"
            )
