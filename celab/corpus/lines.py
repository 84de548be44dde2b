"""Plain text a few lines at a time, for files that do not fit into memory and for pipes.

The rules of `join` hold: all files must have equally many lines, and a line may be blank in some of
the references but not in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from celab.base import io
from celab.base.options import LIMITS, Limits
from celab.corpus.formats.tables import is_header
from celab.corpus.join import blank_line_error, blank_rows, check_counts


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
        is_table = io.suffix_of(path) == ".tsv" and is_header(file.first_line)
        if not file.is_plain or is_table:  # a later one may be a pipe with nothing to read yet
            break
    else:
        return files
    for file in files:
        file.close()
    return None


def batches(
    hyp: io.LineFile, refs: Sequence[io.LineFile], n_lines: int
) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield hypotheses and references, `n_lines` of each at a time."""
    files = [hyp, *refs]
    while True:
        hyps, *sides = (file.lines(n_lines) for file in files)
        if any(len(side) != len(hyps) for side in sides):
            for file in files:  # the message says how many lines each has
                while file.lines(n_lines):
                    pass
            check_counts([(file.name, file.n_read) for file in files], "line")
        if not hyps:
            return
        if blank := blank_rows(sides):
            line = hyp.n_read - len(hyps) + blank[0] + 1
            raise blank_line_error(f"line {line}", [ref.name for ref in refs])
        yield hyps, sides
        del hyps, sides  # free them before the next batch is read
