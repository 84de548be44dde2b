"""`celab-score --segments` on text of any length: read, scored and written batch by batch.

Scores do not depend on the batches. With `--output FILE` the table grows in `FILE.partial`, which
becomes FILE when all is done. If the work is interrupted, that stays, with a note of the settings
beside it (`FILE.partial.json`), and `--resume` goes on from the last whole row: with the same
settings on the same files, or it refuses.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from celab import files
from celab.cli import progress, terminal
from celab.errors import InputError

if TYPE_CHECKING:
    from celab.corpus.lines import LineFile
    from celab.metrics.base import Metric, Score


def write_segments(
    metric: Metric,
    refs: Sequence[LineFile],
    hyp: LineFile,
    *,
    output: str | None,
    resume: bool,
    quiet: bool,
) -> tuple[int, int]:
    """The whole table, to stdout or to a file: how many segments it has, and how many skipped."""
    from celab.corpus.lines import batches
    from celab.normalize import LOOKED_AT

    partial, n_before, n_skipped = None, 0, 0
    if output is not None:
        settings = {"signature": metric.signature, "files": [file.name for file in (*refs, hyp)]}
        partial = _Partial(output, settings, resume)
        n_before, n_skipped = partial.n_segments, partial.n_skipped
    n_done, score = n_before, None
    try:
        with progress.ProgressBar(quiet=quiet) as bar, partial or contextlib.nullcontext():
            for hyps, sides in batches(hyp, refs, LOOKED_AT):
                score = score or metric.stream(hyps, sides)
                if hyp.n_read <= n_before:
                    continue
                first = hyp.n_read - len(hyps)
                scored = score(hyps, sides)
                rows = [_header(scored)] if n_done == 0 else []
                rows += list(_rows(scored, first))[n_done - first :]
                n_skipped += int((~scored.segments.scored[n_done - first :]).sum())
                (partial.write if partial else terminal.write)("".join(rows))
                n_done = hyp.n_read
                bar(n_done)
    except KeyboardInterrupt:
        how = f"; --resume goes on from there in {output}" if output and n_done else ""
        raise KeyboardInterrupt(f"interrupted after {n_done:,} segments{how}") from None
    if hyp.n_read < n_before:
        raise InputError(
            f"{hyp.name} has {hyp.n_read} lines, but {n_before} are in {output}.partial;"
            " --resume must be given the files of the first run"
        )
    if partial:
        partial.finish()
    return n_done, n_skipped


def _header(score: Score) -> str:
    names = ("segment", "score", "precision", "recall")
    return "\t".join(names[: 1 + score.segments.figures.shape[1]]) + "\n"


def _rows(score: Score, n_before: int) -> Iterator[str]:
    for number, row in enumerate(score.segments.figures.tolist(), n_before + 1):
        cells = ("" if math.isnan(value) else f"{value:.6f}" for value in row)
        yield "\t".join([str(number), *cells]) + "\n"


class _Partial:
    """`FILE.partial`, and the note beside it: how many segments are in it, and how many skipped."""

    def __init__(self, path: str, settings: Mapping[str, object], resume: bool) -> None:
        self.path, self.partial, self.note = path, f"{path}.partial", f"{path}.partial.json"
        resume = resume and os.path.exists(self.note)
        if resume:
            self._check(settings)
        n_rows = self.n_skipped = size = 0
        with _writable(self.partial):
            self.file: IO[bytes] = open(self.partial, "a+b" if resume else "w+b")  # noqa: SIM115
            self.file.seek(0)
            for row in self.file:
                if row.endswith(b"\n"):  # a crash may leave half a row
                    n_rows += 1
                    self.n_skipped += row.endswith(b"\t\n")
                    size += len(row)
            self.file.truncate(size if n_rows > 1 else 0)
        self.n_segments = max(0, n_rows - 1)  # without the header
        if not resume:
            files.write(self.note, json.dumps(settings, ensure_ascii=False) + "\n")

    def write(self, text: str) -> None:
        """The next rows."""
        with _writable(self.partial):
            self.file.write(text.encode())
            self.file.flush()

    def finish(self) -> None:
        """The file gets its name."""
        with _writable(self.path):
            os.replace(self.partial, self.path)
            os.unlink(self.note)

    def __enter__(self) -> _Partial:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def _check(self, settings: Mapping[str, object]) -> None:
        try:
            with open(self.note, encoding="utf-8") as file:
                noted = json.load(file)
            made = f"{noted['signature']} of {' '.join(noted['files'])}"
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{self.note} cannot be read; start again, without --resume") from None
        if noted != settings:
            raise InputError(
                f"{self.partial} was made with {made}; --resume must have the same settings and"
                " files"
            )


@contextlib.contextmanager
def _writable(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror})") from None
