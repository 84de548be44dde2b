"""Plain text a few lines at a time, for files that do not fit into memory and for pipes.

The rules of `join` hold: all files must have equally many lines, and a line may be blank in some of
the references but not in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celab.base import io
from celab.base.options import LIMITS, Limits
from celab.corpus.formats import is_plain_text
from celab.corpus.formats.utterances import may_have_ids, seem_timed
from celab.corpus.join import blank_line_error, blank_numbers, blank_rows, check_counts

_LINES_AT_ONCE = 1000  # lines of a file that are looked at together


def open_lines(
    paths: Sequence[tuple[str, str | None]], limits: Limits = LIMITS
) -> list[io.LineFile] | None:
    """Open references and then the hypothesis for streaming; None if any must be read whole.

    They are given with their encodings.
    """
    files: list[io.LineFile] = []
    for number, (path, encoding) in enumerate(paths, start=1):
        role = "hyp" if number == len(paths) else "ref"
        file = io.LineFile(path, encoding, limits, role)
        files.append(file)
        # A later one may be a pipe with nothing to read yet.
        is_plain = file.has_byte_lines and is_plain_text(path, file.start)
        if not is_plain or may_have_ids(file.start, may_end=file.may_end):
            break
        if seem_timed(file.start.split("\n", _LINES_AT_ONCE)):
            break
    else:
        return files
    for file in files:
        file.close()
    return None


def check_lines(files: Sequence[io.LineFile]) -> int | None:
    """Return the number of lines; None if it takes as long to count them as to read them.

    Raises `InputError` if files whose lines are quickly counted have different numbers.
    """
    counts = [(file.name, file.count_lines()) for file in files]
    known = [(name, count) for name, count in counts if count]
    if len({count for _, count in known}) > 1:
        blank = {file.name: blank_numbers(file.lines(_LINES_AT_ONCE)) for file in files}
        if max(count for _, count in known) - min(count for _, count in known) <= _LINES_AT_ONCE:
            for file in files:
                blank[file.name] += _rest_of_blank(file)
    check_counts(
        known,
        "line",
        n_systems=int(bool(counts[0][1])),
        find_blank=lambda: [blank[name] for name, _ in known],
    )
    return known[0][1] if known else None


def _rest_of_blank(file: io.LineFile) -> list[int]:
    """Read a file to its end; return the numbers of its blank lines from here on."""
    numbers = []
    while lines := file.lines(_LINES_AT_ONCE):
        numbers += blank_numbers(lines, file.n_read - len(lines) + 1)
    return numbers


def batches(
    hyp: io.LineFile, refs: Sequence[io.LineFile], n_lines: int, *, blank_refs: bool = False
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield hypotheses and references, `n_lines` of each at a time.

    With `blank_refs`, a line may be blank in all references.
    """
    files = [hyp, *refs]
    while True:
        hyps, *sides = (file.lines(n_lines) for file in files)
        if any(len(side) != len(hyps) for side in sides):
            # The message says how many lines each has, and which are blank after the shortest.
            n_first = min(map(len, (hyps, *sides)))
            blank_lines = [
                blank_numbers(side[n_first:], file.n_read - len(side) + n_first + 1)
                + _rest_of_blank(file)
                for file, side in zip(files, (hyps, *sides), strict=True)
            ]
            counts = [(file.name, file.n_read) for file in files]
            check_counts(counts, "line", n_systems=1, find_blank=blank_lines.copy)
        if not hyps:
            return
        if not blank_refs and (blank := blank_rows(sides)):
            line = hyp.n_read - len(hyps) + blank[0] + 1
            raise blank_line_error(f"line {line}", [ref.name for ref in refs])
        yield hyps, sides
        del hyps, sides  # free them before the next batch is read
