"""Sources: paths → partitions that workers read by themselves.

    text      one file a column, cut at every n-th line end, which the driver looks for
    Parquet   one or more files, cut between row groups; the driver reads only their footers

The driver and all workers must see the files under the same path. Lines end as they do in
`celab.corpus`; text must be plain UTF-8, because a compressed file cannot be read from its middle.
Rows are numbered from 0 through all files, in the order in which they are given.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from celab.corpus import DECOMPRESS
from celab.corpus.files import lines_of
from celab.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

AnyPath = str | os.PathLike[str]
_CHUNK = 1 << 24
_MARK = b"\xef\xbb\xbf"
_ELSEWHERE = "it must lie where the driver and all workers see it"


class Part(Protocol):
    """One partition of files."""

    def read(self) -> Any:
        """Its rows as a pandas data frame."""

    @property
    def where(self) -> str:
        """What messages call it."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """The same lines of several files, each given by its bytes."""

    spans: tuple[tuple[str, str, int, int], ...]  # column, path, first byte, byte after the last
    first: int
    n_rows: int

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"lines {self.first + 1} to {self.first + self.n_rows}"

    def read(self) -> Any:
        """A column for each file."""
        import pandas

        columns = {column: self._lines(path, *span) for column, path, *span in self.spans}
        return pandas.DataFrame(columns, index=_index(self), dtype=object)

    def _lines(self, path: str, begin: int, end: int) -> list[str]:
        try:
            with open(path, "rb") as file:
                file.seek(begin)
                data = file.read(end - begin)
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}); {_ELSEWHERE}") from None
        if begin == 0:
            data = data.removeprefix(_MARK)
        try:
            lines = lines_of(data.decode())
        except UnicodeDecodeError as error:
            line = self.first + data[: error.start].count(b"\n") + 1
            raise InputError(
                f"{path}, line {line}: byte 0x{data[error.start]:02X} is not part of a UTF-8"
                " character; the text must be UTF-8"
            ) from None
        if len(lines) != self.n_rows:
            raise InputError(
                f"{path} has changed: {self.where} were {self.n_rows}, and are {len(lines)} now;"
                " it must stay as it is until all is scored"
            )
        return lines


@dataclass(frozen=True, slots=True)
class ParquetPart:
    """Some row groups of one file."""

    path: str
    groups: tuple[int, ...]
    columns: tuple[str, ...]
    first: int
    n_rows: int

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"{self.path}, row groups {self.groups[0] + 1} to {self.groups[-1] + 1}"

    def read(self) -> Any:
        """The columns that are asked for."""
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(self.path) as file:
                table = file.read_row_groups(list(self.groups), columns=list(self.columns))
        except (OSError, ArrowInvalid) as error:
            raise InputError(f"{self.path} cannot be read ({error}); {_ELSEWHERE}") from None
        frame = table.to_pandas(ignore_metadata=True)
        frame.index = _index(self)
        return frame


def _index(part: TextPart | ParquetPart) -> Any:
    import pandas

    return pandas.RangeIndex(part.first, part.first + part.n_rows, name="row")


def text_parts(files: Mapping[str, AnyPath], n_rows: int) -> list[TextPart]:
    """Files of as many lines, one a column, in parts of at most `n_rows` lines."""
    paths = {column: os.path.abspath(path) for column, path in files.items()}
    cuts: dict[str, NDArray[np.int64]] = {}
    counts: dict[str, int] = {}
    for column, path in paths.items():
        cuts[column], counts[column] = _cut(path, n_rows)
    (first, n_lines), *others = counts.items()
    for column, n in others:
        if n != n_lines:
            raise InputError(
                f"{paths[first]} has {n_lines} lines, {paths[column]} has {n}; they must agree"
            )
    return [
        TextPart(
            tuple((c, p, int(cuts[c][i]), int(cuts[c][i + 1])) for c, p in paths.items()),
            start,
            min(n_rows, n_lines - start),
        )
        for i, start in enumerate(range(0, n_lines, n_rows))
    ]


def _cut(path: str, n_rows: int) -> tuple[NDArray[np.int64], int]:
    # Where each part begins, with the end of the file behind them, and the number of lines.
    if os.path.splitext(path)[1].lower() in DECOMPRESS:
        raise InputError(
            f"{path} is compressed, so no worker can read its middle; it must be plain text, or"
            " Parquet"
        )
    cuts, n_lines, at, last, head = [np.zeros(1, np.int64)], 0, 0, b"\n", b""
    try:
        with open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == 0x0A)
                cuts.append(at + 1 + ends[n_rows - 1 - n_lines % n_rows :: n_rows])
                n_lines += len(ends)
                at += len(chunk)
                last, head = chunk[-1:], head or chunk[: len(_MARK)]
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}); it must be a text file"
        ) from None
    if not at or (at == len(_MARK) and head == _MARK):
        raise InputError(f"{path} is empty; it must have at least one line")
    n_lines += last != b"\n"
    found = np.concatenate(cuts)
    return (found if found[-1] == at else np.append(found, at)), n_lines


def parquet_parts(
    paths: AnyPath | Sequence[AnyPath], columns: Sequence[str], n_rows: int
) -> list[ParquetPart]:
    """Row groups in parts of at most `n_rows` rows, or of one group if that has more."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_metadata

    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    parts: list[ParquetPart] = []
    start = 0
    for path in (file for one in given for file in _parquet_files(os.path.abspath(one))):
        try:
            found = read_metadata(path)
        except (OSError, ArrowInvalid) as error:
            raise InputError(f"{path} cannot be read ({error}); it must be Parquet") from None
        check_columns(columns, found.schema.to_arrow_schema().names, path)
        sizes = [found.row_group(group).num_rows for group in range(found.num_row_groups)]
        for groups in _together(sizes, n_rows):
            size = sum(sizes[group] for group in groups)
            parts.append(ParquetPart(path, groups, tuple(columns), start, size))
            start += size
    if not start:
        raise InputError(f"{', '.join(map(str, given))}: no rows; there must be one at least")
    return parts


def _parquet_files(path: str) -> list[str]:
    if os.path.isdir(path):
        path = os.path.join(glob.escape(path), "*.parquet")
    if os.path.exists(path):
        return [path]
    found = sorted(glob.glob(path))
    if not found:
        raise InputError(
            f"{path} does not exist; it must be a Parquet file, a folder of *.parquet, or a pattern"
        )
    return found


def _together(sizes: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Neighbours that together are no more than `most`; one that is more stays alone.

    >>> _together([2, 2, 0, 5, 1], 4)
    [(0, 1, 2), (3,), (4,)]
    """
    found: list[list[int]] = []
    total = most
    for place, size in enumerate(sizes):
        if total + size > most or not found:
            found.append([])
            total = 0
        found[-1].append(place)
        total += size
    return [tuple(places) for places in found]


def check_columns(wanted: Sequence[str], there: Sequence[str], where: str) -> None:
    """Raises `InputError` if one is missing."""
    for column in wanted:
        if column not in there:
            raise InputError(
                f"{where} has no column {column!r}; it must be one of: {', '.join(map(str, there))}"
            )
