"""`celab-score --segments` on text of any length: read, scored and written batch by batch.

Scores do not depend on the batches. With `--output FILE` the table grows in `FILE.partial`, which
becomes FILE when all is done. After an interruption it stays, with a note in `FILE.partial.json`,
and `--resume` continues after the last batch in the note; without it, rows that are there stop the
command, unless `--overwrite` starts again. The note has one JSON object per line:

    {"signature": …, "files": [{"name": …, "size": …, "time": …}, …]}           the settings
    {"segments": 10000, "skipped": 0, "sums": […], "bytes": …, "digest": …, "files": […]}
                                                                                after each batch
    {"misaligned": "hyp.gz has 9 lines but ref.gz has 10"}                      if it was noticed

`bytes` and `digest` are of the rows written so far, `sums` are those of the statistics that the
score of the corpus is computed from, and `files` has the digests of the lines that were scored. If
the settings or these lines are no longer the same, or files were not aligned, `--resume` refuses. A
FILE that is no regular file (a pipe, a device) gets the rows directly, and there is nothing to
resume.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import IO, TYPE_CHECKING, NamedTuple

from celab.base import io
from celab.base.dicts import JsonObject
from celab.base.errors import InputError, OptionError
from celab.base.json_files import (
    JsonError,
    List,
    Number,
    Object,
    Optional,
    ShapeError,
    Text,
    Whole,
    check,
    parse_json,
)
from celab.base.progress import Progress
from celab.cli import progress, terminal
from celab.metrics.running import RunningScore

if TYPE_CHECKING:
    from celab.evaluation.checks.outputs import Outputs, StreamedOutputs
    from celab.metrics.base import Metric
    from celab.metrics.scores import Score


class Written(NamedTuple):
    """The numbers of segments that were written and skipped, and the score of all."""

    n_segments: int
    n_skipped: int
    score: RunningScore


def write_segments(
    metric: Metric,
    refs: Sequence[io.LineFile],
    hyp: io.LineFile,
    *,
    look: Callable[[int, Sequence[str], Sequence[Sequence[str]]], None],
    output: str | None,
    resume: bool,
    overwrite: bool,
    quiet: bool,
    outputs: StreamedOutputs | None = None,
) -> Written:
    """Write the table to stdout or to a file.

    `look` sees each batch of hypotheses and references, and the number of those before it, before
    its rows are written. `outputs` learns which are not translations, for the last column.
    """
    from celab.base.run import STREAM_BATCH
    from celab.corpus.lines import MisalignedError, batches, check_lines

    total = check_lines([hyp, *refs])
    files = [*refs, hyp]
    settings = f"{metric.signature}{' --no-check' * (outputs is None)}"
    with contextlib.ExitStack() as stack:
        table = _open_table(output, resume, overwrite, settings, files, stack)
        n_before, written, score = table.written.n_segments, table.written, None
        is_hidden = quiet or _is_on_terminal(output)
        bar = stack.enter_context(progress.ProgressBar(total or 0, quiet=is_hidden))
        bar.is_estimate = total is None
        try:
            for hyps, sides in batches(hyp, refs, STREAM_BATCH):
                look(hyp.n_read - len(hyps), hyps, sides)
                if score is None:
                    score = metric.scorer(sides, keep=False)
                batch = None if outputs is None else outputs.look(hyps, sides)
                if hyp.n_read <= n_before:
                    if hyp.n_read == n_before:
                        table.check(files)
                    bar.forget(hyp.n_read)
                    continue
                scored = score(hyps, sides, _from(hyp.n_read - len(hyps), bar))
                if outputs is not None and batch is not None:
                    outputs.add(scored, batch)
                table.write(_table(scored, written.n_segments, batch))
                written = _add(written, scored)
                if len(hyps) == STREAM_BATCH:  # the last batch may grow, and is then another
                    table.note(written, files)
                bar(hyp.n_read, total or _estimate(files))
                del hyps, sides, scored, batch  # before the next are read
        except KeyboardInterrupt:
            raise _interrupted(written.n_segments, table) from None
        except MisalignedError as error:
            table.note_misaligned(str(error))
            raise
        if hyp.n_read < n_before:
            raise InputError(
                f"{hyp.name} has {hyp.n_read} lines, but {n_before} are in {output}.partial;"
                f" {_AGAIN}"
            )
        table.finish()
    return written


def _from(n_before: int, bar: Progress) -> Progress:
    """Return the progress of a batch, before which there are `n_before` segments."""
    return lambda n_done, _=None: bar(n_before + n_done)


def _add(written: Written, scored: Score) -> Written:
    written.score.add(scored)
    n_skipped = int((~scored.segments.scored).sum())
    n_segments = written.n_segments + len(scored.segments)
    return Written(n_segments, written.n_skipped + n_skipped, written.score)


def _interrupted(n_done: int, table: _Table) -> KeyboardInterrupt:
    hint = "; --resume continues from there" if isinstance(table, _Partial) and n_done else ""
    return KeyboardInterrupt(f"interrupted after {n_done:,} segments{hint}")


def _is_on_terminal(output: str | None) -> bool:
    """Return whether rows are shown in a terminal, where a bar would be between them."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def _estimate(files: Sequence[io.LineFile]) -> int | None:
    """Return about how many lines there are, from the size of a file; None if all are pipes."""
    shares = ((file, file.share_read()) for file in files)
    return next((round(file.n_read / share) for file, share in shares if share), None)


def partials(output: str) -> list[str]:
    """Return the paths of `FILE.partial` and its note, beside a link's target; none for a pipe."""
    with io.writing(output):
        real = os.path.realpath(output)
        return [] if io.is_special(output) else [f"{real}.partial", f"{real}.partial.json"]


def _table(score: Score, n_before: int, outputs: Outputs | None) -> str:
    """Return the rows of a batch, with a header before the first."""
    from celab.base.view.renderers import RENDERERS
    from celab.base.view.tables import ViewOptions
    from celab.corpus import Segment
    from celab.evaluation.systems.scored import SystemScores

    numbers = range(n_before + 1, n_before + len(score.segments) + 1)
    keys = [Segment("", str(number)) for number in numbers]
    scored = SystemScores([""], keys, scores={"": {"": score}}, outputs=outputs)
    table = RENDERERS["tsv"](scored.view(ViewOptions(level="segment")))
    return table[table.index("\n") + 1 :] if n_before else table


def _open_table(
    output: str | None,
    resume: bool,
    overwrite: bool,
    signature: str,
    inputs: Sequence[io.LineFile],
    stack: contextlib.ExitStack,
) -> _Table:
    """Return the table that takes the rows; the stack closes it."""
    if output is None:
        return _Table(terminal.write)
    if paths := partials(output):
        return stack.enter_context(_Partial(output, paths, signature, inputs, resume, overwrite))
    if resume:
        raise OptionError(f"--output is {output}, a pipe or a device; there is nothing to resume")
    stack.enter_context(io.writing(output))
    file = stack.enter_context(io.open_atomic(output))

    def write(rows: str) -> None:
        file.write(rows.encode())
        file.flush()

    return _Table(write)


class _Table:
    """Rows written to a stream; nothing can be resumed."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write
        self.written = Written(0, 0, RunningScore())  # before this run

    def note(self, written: Written, inputs: Sequence[io.LineFile]) -> None:
        """Note that all rows so far are written."""

    def note_misaligned(self, problem: str) -> None:
        """Note that the files do not have equally many lines."""

    def check(self, inputs: Sequence[io.LineFile]) -> None:
        """Raise if the lines that were scored before have changed."""

    def finish(self) -> None:
        """Rename the file to its final name."""


class _Partial(_Table):
    """`FILE.partial`, and the note beside it: how many segments are in it, and how many skipped.

    Nothing in either is changed before the first row is written.
    """

    def __init__(
        self,
        output: str,
        paths: Sequence[str],
        signature: str,
        inputs: Sequence[io.LineFile],
        resume: bool,
        overwrite: bool,
    ) -> None:
        self.written = Written(0, 0, RunningScore())
        self.path, (self.partial, self.note_path) = os.path.realpath(output), paths
        self.settings: JsonObject = {"signature": signature, "files": [*map(_facts, inputs)]}
        self.size, self.digest, self._started = 0, hashlib.blake2b(digest_size=32), False
        self.scored: list[str] = []  # digests of the lines whose rows are kept
        with contextlib.ExitStack() as stack:
            with io.writing(self.partial):
                self.file = stack.enter_context(_own(self.partial))
                free = io.try_lock(self.file.fileno(), without=True)
                if not free or not os.path.samefile(self.file.fileno(), self.partial):
                    raise OSError(errno.EBUSY, "another process is writing it")
            with io.writing(self.note_path):
                self.notes = stack.enter_context(_own(self.note_path))
            if resume:
                self._read_notes(signature)
            elif not overwrite:
                self._check_empty()
            self._stack = stack.pop_all()

    def write(self, rows: str) -> None:
        """Write the next rows."""
        data = rows.encode()
        with io.writing(self.partial):
            self._start()
            self.file.write(data)
            self.file.flush()
        self.digest.update(data)
        self.size += len(data)

    def note(self, written: Written, inputs: Sequence[io.LineFile]) -> None:
        self._note(
            {
                "segments": written.n_segments,
                "skipped": written.n_skipped,
                "sums": written.score.sums,
                "bytes": self.size,
                "digest": self.digest.hexdigest(),
                "files": [file.digest for file in inputs],
            }
        )

    def note_misaligned(self, problem: str) -> None:
        if self._started or self.written.n_segments:
            self._note({"misaligned": problem})

    def check(self, inputs: Sequence[io.LineFile]) -> None:
        then = zip(inputs, self.settings["files"], self.scored, strict=True)
        for file, facts, digest in then:
            if file.digest != digest:
                raise InputError(
                    f"{file.name} has changed since its first {file.n_read:,} lines were scored"
                    f" ({_describe(facts)} then, {_describe(_facts(file))} now); {_AGAIN}"
                )

    def finish(self) -> None:
        with io.writing(self.path):
            self._start()
            io.complete(self.file, self.path)
            if os.name == "nt":  # which renames no open file
                self._stack.close()
            os.replace(self.partial, self.path)
            self._stack.close()
            os.unlink(self.note_path)

    def __enter__(self) -> _Partial:
        return self

    def __exit__(self, *_: object) -> None:
        is_empty = not self.file.closed and not os.fstat(self.file.fileno()).st_size
        self._stack.close()
        if is_empty:
            for path in (self.partial, self.note_path):
                with contextlib.suppress(OSError):
                    os.unlink(path)

    def _start(self) -> None:
        if not self._started:
            self._started = True
            for file in (self.file, self.notes):  # each is positioned after what is kept
                file.truncate()
            if not self.written.n_segments:
                self._note(self.settings)

    def _note(self, line: JsonObject) -> None:
        with io.writing(self.note_path):
            self.notes.write(json.dumps(line).encode() + b"\n")
            self.notes.flush()

    def _read_notes(self, signature: str) -> None:
        """Find the batches whose rows are complete; a crash may leave half a line in each."""
        from celab.base.run import STREAM_BATCH

        names = [facts["name"] for facts in self.settings["files"]]
        line = self.notes.readline(MAX_LINE)
        if not line.endswith(b"\n") and len(line) < MAX_LINE:
            self._check_ours()
            self.notes.seek(0)
            return
        try:
            noted = parse_json(line)
            check(noted, _SETTINGS)
        except (JsonError, ShapeError) as error:
            raise InputError(f"{self.note_path} cannot be read ({error}); {_AGAIN}") from None
        before = noted["signature"], [facts["name"] for facts in noted["files"]]
        if before != (signature, names):
            raise InputError(
                f"{self.partial} was made with {before[0]} of {' '.join(before[1])};"
                " --resume needs the same settings and files"
            )
        self.settings, end = noted, self.notes.tell()
        while line := self.notes.readline(MAX_LINE):
            try:
                batch = parse_json(line)
                if problem := _misalignment(batch):
                    raise InputError(
                        f"{self.partial} was made of files that are not aligned ({problem});"
                        f" correct them, then {_AGAIN}"
                    )
                check(batch, _BATCH)
            except (JsonError, ShapeError):
                break
            is_next = (
                batch["segments"] == self.written.n_segments + STREAM_BATCH
                and batch["skipped"] <= batch["segments"]
                and len(batch["files"]) == len(names)
            )
            digest = self._digest_up_to(batch["bytes"]) if is_next else None
            if digest is None or digest.hexdigest() != batch["digest"]:
                break
            n_segments, n_skipped = batch["segments"], batch["skipped"]
            running = RunningScore(batch.get("sums"), n_segments - n_skipped)
            self.written = Written(n_segments, n_skipped, running)
            self.digest, self.size, self.scored = digest, batch["bytes"], batch["files"]
            end += len(line)
        self.file.seek(self.size)
        self.notes.seek(end)

    def _check_empty(self) -> None:
        """Raise if there are rows, which would be lost."""
        if not os.fstat(self.file.fileno()).st_size:
            return
        self._check_ours()
        n_segments = max(0, sum(block.count(b"\n") for block in _blocks(self.file)) - 1)
        raise InputError(
            f"{self.partial} has {n_segments:,} segments of an interrupted run; add --resume to"
            " continue it, or --overwrite to start again"
        )

    def _check_ours(self) -> None:
        """Raise if the file does not begin as rows do."""
        start = self.file.read(len(_HEADER))
        self.file.seek(0)
        if not _HEADER.startswith(start):
            raise InputError(
                f"{self.partial} is not of an interrupted run; choose another --output, or give"
                " --overwrite, without --resume, to replace it"
            )

    def _digest_up_to(self, size: int) -> hashlib.blake2b | None:
        """Return the digest of the first `size` bytes of the rows, or None if there are fewer."""
        if not self.size <= size <= os.fstat(self.file.fileno()).st_size:
            return None
        digest, n_left = self.digest.copy(), size - self.size
        while n_left and (data := self.file.read(min(n_left, _AT_ONCE))):
            digest.update(data)
            n_left -= len(data)
        return digest


MAX_LINE = 1 << 20  # bytes of a line of the note
_HEADER = b"segment\t"  # how the rows begin
_AGAIN = "start again, with --overwrite instead of --resume"
_AT_ONCE = 1 << 20  # bytes
_SETTINGS = Object(
    {
        "signature": Text(),
        "files": List(
            Object({"name": Text(), "size": Optional(Whole()), "time": Optional(Whole(-(1 << 63)))})
        ),
    }
)
_BATCH = Object(
    {
        "segments": Whole(),
        "skipped": Whole(),
        "bytes": Whole(),
        "digest": Text("[0-9a-f]{64}"),
        "files": List(Text("[0-9a-f]{64}")),
    },
    optional={"sums": Optional(List(Number()))},  # of statistics; earlier versions lack them
)
_FACTS = ("name", "size", "time")


def _misalignment(line: object) -> str:
    """Return what a line of the note says about files that are not aligned, or ""."""
    problem = line.get("misaligned") if isinstance(line, dict) else None
    return problem if isinstance(problem, str) else ""


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_AT_ONCE):
        yield block


def _facts(file: io.LineFile) -> JsonObject:
    """Return name, size and time of a file, to notice changes; standard input has only a name."""
    size = time = None
    if file.path != "-":
        with contextlib.suppress(OSError):
            status = os.stat(file.path)
            size, time = status.st_size, status.st_mtime_ns
    return dict(zip(_FACTS, (file.name, size, time), strict=True))


def _describe(facts: JsonObject) -> str:
    try:
        when = datetime.fromtimestamp(facts["time"] // 10**9)
    except (TypeError, ValueError, OverflowError, OSError):
        return "of unknown time"
    return f"{facts['size']} bytes of {when}"


def _own(path: str) -> IO[bytes]:
    return open(io.open_regular(path, os.O_CREAT), "r+b")
