"""Parquet files → JSON Lines, an object per row, whose number is that of its line.

Columns of bytes, such as pictures, are left out. PyArrow reads the file; it is not a dependency.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from celab.base.errors import InputError
from celab.base.options import LIMITS, Limits
from celab.corpus.formats.json_text import dump_rows

if TYPE_CHECKING:
    from pyarrow import DataType

_BATCH = 1000  # rows


def parquet_text(data: bytes, name: str, limits: Limits = LIMITS) -> str:
    """Return the rows of a Parquet file as JSON Lines."""
    lines = dump_rows(_rows(data, name), name, limits)
    if not lines:
        raise InputError(f"{name} has no rows; at least one is needed")
    return "\n".join(lines)


def _rows(data: bytes, name: str) -> Iterator[dict[str, object]]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"{name} is a Parquet file, which needs PyArrow",
            hint="pip install pyarrow, or write the file as JSON Lines",
        ) from None
    try:
        with ParquetFile(BytesIO(data)) as file:
            columns = [column.name for column in file.schema_arrow if not _is_binary(column.type)]
            for batch in file.iter_batches(_BATCH, columns=columns):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{name} cannot be read ({reason}); it must be a whole, undamaged Parquet file"
        ) from None


def _is_binary(kind: DataType) -> bool:
    from pyarrow import types

    if types.is_struct(kind):
        return any(_is_binary(field.type) for field in kind)
    return bool(types.is_binary(kind) or types.is_large_binary(kind))
