"""`celab-score --segments` on text of any length: read, scored and written batch by batch.

Scores do not depend on the batches. With `--output FILE` the table grows in `FILE.partial`, which
becomes FILE when all is done. If the work is interrupted, that stays, with a note beside it
(`FILE.partial.json`) of the settings and of how far it came, and `--resume` goes on from there:
with the same settings on the same files, or it refuses.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from celab.cli import files, progress, terminal
from celab.errors import InputError

if TYPE_CHECKING:
    from celab.corpus.lines import LineFile
    from celab.metrics.base import Metric, Score

HEADER = "segment\tscore\tprecision\trecall\n"
HEADER_OF_SCORE = "segment\tscore\n"


@dataclass(frozen=True, slots=True)
class Done:
    """How far the work came."""

    n_segments: int
    n_skipped: int = 0


def write_segments(
    metric: Metric,
    refs: Sequence[LineFile],
    hyp: LineFile,
    *,
    output: str | None,
    resume: bool,
    quiet: bool,
) -> Done:
    """The whole table, to stdout or to a file."""
    from celab.corpus.lines import batches
    from celab.normalize import LOOKED_AT

    names = [file.name for file in (*refs, hyp)]
    out = ToFile(output, metric.signature, names) if output else None
    n_before = out.begin(resume) if out else 0
    write: Callable[[str, int], object] = out.write if out else _to_stdout
    bar = progress.ProgressBar(0) if progress.is_welcome(quiet) else None
    score = None
    n_done, n_skipped = n_before, 0
    try:
        with bar or contextlib.nullcontext(), out or contextlib.nullcontext():
            for hyps, sides in batches(hyp, refs, LOOKED_AT):
                score = score or metric.stream(hyps, sides)
                if hyp.n_read <= n_before:
                    continue
                found = score(hyps, sides)
                first = hyp.n_read - len(hyps)
                write(_header(found) * (first == 0) + "".join(_rows(found, first)), hyp.n_read)
                n_done = hyp.n_read
                n_skipped += found.n_skipped
                if bar is not None:
                    bar(n_done)
    except KeyboardInterrupt:
        how = f"; --resume goes on from there in {output}" if output and n_done else ""
        raise Interrupted(f"interrupted after {n_done:,} segments{how}") from None
    if hyp.n_read < n_before:
        raise InputError(
            f"{hyp.name} has {hyp.n_read} lines, but {n_before} are in {output}.partial;"
            " --resume must be given the files of the first run"
        )
    if out:
        out.finish()
    return Done(n_done, n_skipped)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with how far the work had come."""


def _header(score: Score) -> str:
    return HEADER if score.segments.figures.shape[1] == 3 else HEADER_OF_SCORE


def _rows(score: Score, n_before: int) -> Iterator[str]:
    for number, row in enumerate(score.segments.figures.tolist(), n_before + 1):
        cells = ("" if math.isnan(value) else f"{value:.6f}" for value in row)
        yield "\t".join([str(number), *cells]) + "\n"


def _to_stdout(text: str, n_done: int) -> None:
    terminal.write(text)


class ToFile:
    """`FILE.partial`, and the note beside it."""

    def __init__(self, path: str, signature: str, names: Sequence[str]) -> None:
        self.path = path
        self.partial, self.note = f"{path}.partial", f"{path}.partial.json"
        self.settings = {"signature": signature, "files": list(names)}
        self.file: IO[bytes] | None = None

    def begin(self, resume: bool) -> int:
        """Opens the file; returns how many segments are in it already."""
        n_done = 0
        size = 0
        if resume and os.path.exists(self.note):
            told = self._told()
            n_done, size = told["segments"], told["bytes"]
        with _writable(self.partial):
            self.file = open(self.partial, "r+b" if size else "wb")  # noqa: SIM115
            if self.file.seek(0, os.SEEK_END) < size:
                raise InputError(
                    f"{self.partial} is shorter than {self.note} says; start again, without"
                    " --resume"
                )
            self.file.truncate(size)
            self.file.seek(size)
        return n_done

    def write(self, text: str, n_done: int) -> None:
        """The next rows, and then the note, so that it never says more than is there."""
        assert self.file is not None
        with _writable(self.partial):
            self.file.write(text.encode())
            self.file.flush()
            size = self.file.tell()
        told = {**self.settings, "segments": n_done, "bytes": size}
        files.write(self.note, json.dumps(told, ensure_ascii=False) + "\n")

    def finish(self) -> None:
        """The file gets its name."""
        with _writable(self.path):
            os.replace(self.partial, self.path)
            if os.path.exists(self.note):
                os.unlink(self.note)

    def __enter__(self) -> ToFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()

    def _told(self) -> dict[str, Any]:
        try:
            with open(self.note, encoding="utf-8") as file:
                told: dict[str, Any] = json.load(file)
            settings = {key: told[key] for key in self.settings}
            right = isinstance(told["segments"], int) and isinstance(told["bytes"], int)
        except (OSError, ValueError, KeyError, TypeError):
            right, settings = False, {}
        if not right:
            raise InputError(f"{self.note} cannot be read; start again, without --resume") from None
        if settings != self.settings:
            raise InputError(
                f"{self.partial} was made with {settings['signature']} of"
                f" {' '.join(settings['files'])}; --resume must have the same settings and files"
            )
        return told


@contextlib.contextmanager
def _writable(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror})") from None
