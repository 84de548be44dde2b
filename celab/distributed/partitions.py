"""Files → partitions that workers read.

    text      one file per column, cut at every n-th line end, which the driver looks for
    Parquet   one or more files, cut between row groups; the driver reads only their footers

The driver and all workers must see the files under the same path. Lines end as they do in
`celab.corpus`; text must be plain UTF-8, because a compressed file cannot be read from its middle.
Rows are numbered from 0 through all files, in the order in which they are given.
"""

from __future__ import annotations

import glob
import os
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from celab.base import io
from celab.base.errors import InputError
from celab.base.options import LIMITS, Limits
from celab.corpus.join import check_counts

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from pyarrow import Table

T = TypeVar("T")
_SHARED = "a file that the driver and all workers see under this path"


@dataclass(frozen=True, slots=True)
class Partition:
    """Rows of files, which a worker reads; `where` names them in messages."""

    columns: Callable[[], Mapping[str, Series]]
    where: str
    first: int
    n_rows: int

    def read(self) -> DataFrame:
        """Return a pandas data frame, with the numbers of the rows as its index."""
        import pandas

        columns = self.columns()
        for name, values in columns.items():
            if len(values) != self.n_rows:
                raise InputError(
                    f"{self.where} had {self.n_rows} rows, but {len(values)} of {name!r} are left;"
                    " files must not change until all is scored"
                )
        rows = pandas.RangeIndex(self.first, self.first + self.n_rows, name="row")
        return pandas.DataFrame({name: series.set_axis(rows) for name, series in columns.items()})


def text_parts(
    files: Mapping[str, io.AnyPath], n_rows: int, limits: Limits = LIMITS
) -> list[Partition]:
    """Return files with equally many lines, one per column, in parts of at most `n_rows` lines."""
    paths = {column: os.path.abspath(path) for column, path in files.items()}
    cut_columns = {column: _cut(path, n_rows, limits) for column, path in paths.items()}
    check_counts([(paths[column], n) for column, (_, n) in cut_columns.items()], "line")
    n_lines = next(n for _, n in cut_columns.values())
    if n_lines == 1:
        for path in paths.values():
            io.read_lines(path, None, limits)  # refuses lines that all end in CR
    parts = []
    for i, start in enumerate(range(0, n_lines, n_rows)):
        spans = {
            column: (paths[column], cuts[i], cuts[i + 1])
            for column, (cuts, _) in cut_columns.items()
        }
        n = min(n_rows, n_lines - start)
        where = f"lines {start + 1} to {start + n}"
        parts.append(Partition(partial(_text_columns, spans, start), where, start, n))
    return parts


def _cut(path: str, n_rows: int, limits: Limits) -> tuple[list[int], int]:
    # Return the start of each part, then the end of the file; and the number of lines.
    if path.lower().endswith(io.COMPRESSED):
        raise InputError(
            f"{path} is compressed, so workers cannot read it in parts; it must be plain text or"
            " Parquet"
        )
    n_lines = 0
    with io.reading(path, InputError, "a text file"), open(path, "rb") as file:
        cuts = [file.seek(len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else 0)]
        while True:
            try:
                lengths = list(map(len, islice(io.input_lines(file, limits, n_lines), n_rows)))
            except io.TooLarge as excess:
                raise io.limit_error(excess, path, limits, n_lines) from None
            if not lengths:
                break
            cuts.append(cuts[-1] + sum(lengths))
            n_lines += len(lengths)
    if not n_lines:
        raise InputError(f"{path} is empty; it must have at least one line")
    return cuts, n_lines


def _text_columns(spans: Mapping[str, tuple[str, int, int]], first: int) -> dict[str, Series]:
    # A span is a path, the first byte and the byte after the last.
    import pandas

    columns = {}
    for column, (path, begin, end) in spans.items():
        with (
            io.reading(path, InputError, _SHARED, f"it must be {_SHARED}"),
            open(path, "rb") as file,
        ):
            file.seek(begin)
            data = file.read(end - begin)
        try:
            columns[column] = pandas.Series(io.split_lines(data.decode()), dtype=object)
        except UnicodeDecodeError as error:
            line = first + data[: error.start].count(b"\n") + 1
            raise InputError(
                f"{path}, line {line}: byte 0x{data[error.start]:02X} is not part of a UTF-8"
                " character; the text must be UTF-8"
            ) from None
    return columns


def parquet_parts(
    paths: io.AnyPath | Sequence[io.AnyPath], columns: Sequence[str], n_rows: int
) -> list[Partition]:
    """Return row groups in parts of at most `n_rows` rows, or of one group if that has more."""
    from pyarrow.parquet import read_metadata

    sources = [paths] if isinstance(paths, str | os.PathLike) else paths
    parts: list[Partition] = []
    start = 0
    for path in (file for source in sources for file in _parquet_files(os.path.abspath(source))):
        footer = _parquet(read_metadata, path, "Parquet")
        check_columns(columns, footer.schema.to_arrow_schema().names, path)
        sizes = (footer.row_group(group).num_rows for group in range(footer.num_row_groups))
        ends = [*accumulate(sizes, initial=0)]
        begin = 0
        while begin < footer.num_row_groups:
            end = max(begin + 1, bisect_right(ends, ends[begin] + n_rows) - 1)
            read = partial(_parquet_columns, path, range(begin, end), columns)
            where = f"{path}, row groups {begin + 1} to {end}"
            parts.append(Partition(read, where, start + ends[begin], ends[end] - ends[begin]))
            begin = end
        start += ends[-1]
    if not start:
        raise InputError(f"{', '.join(map(str, sources))}: no rows; at least one is needed")
    return parts


def _parquet_files(path: str) -> list[str]:
    if os.path.isdir(path):
        path = os.path.join(glob.escape(path), "*.parquet")
    matches = [path] if os.path.exists(path) else sorted(glob.glob(path))
    if not matches:
        raise InputError(
            f"{path}: no such file; give a Parquet file, a folder of *.parquet, or a pattern"
        )
    return matches


def _parquet_columns(path: str, groups: range, columns: Sequence[str]) -> dict[str, Series]:
    from pyarrow.parquet import ParquetFile

    def read(source: str | BinaryIO) -> Table:
        with ParquetFile(source) as file:
            left = [group for group in groups if group < file.num_row_groups]
            return file.read_row_groups(left, columns=list(columns))

    table = _parquet(read, path, _SHARED)
    check_columns(columns, table.column_names, path)
    return dict(table.to_pandas(ignore_metadata=True).items())


def _parquet(read: Callable[[str | BinaryIO], T], path: str, right: str) -> T:
    from pyarrow import ArrowException

    try:
        if path.encode("utf-8", "replace").decode() == path:
            return read(path)
        with open(path, "rb") as file:  # PyArrow takes names in UTF-8 only
            return read(file)
    except (OSError, ArrowException) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path} cannot be read ({reason}); it must be {right}") from None


def check_columns(wanted: Sequence[str], there: Sequence[str], where: str) -> None:
    """Raise `InputError` if one is missing."""
    for column in wanted:
        if column not in there:
            raise InputError(
                f"{where} has no column {column!r}; choose from {', '.join(map(str, there))}"
            )
