"""The columns of a board: a row for each cell."""

from __future__ import annotations

from celab.base.view.record import Field, Record, fields

RECORD = Record(
    *fields("name", "set", "system", "version", "metric"),
    *fields("number", "score", "low", "high", "change", "p"),
    Field("mark", "text"),
)
