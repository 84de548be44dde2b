"""The columns of a comparison of two systems: all segments, buckets of them, and error spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from celab.base.view.record import Field, Record, fields

if TYPE_CHECKING:
    from celab.evaluation.judges.spans import SpanReport
    from celab.evaluation.pair.comparison import PairComparison

ALL = "all"  # in the column of buckets


class PairRow(NamedTuple):
    """A row of the record; only that of all segments has a test."""

    metric: str
    bucket: str
    value: str
    segments: int
    a: float | None
    b: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    sides: str = ""
    test: str = ""
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    signature: str = ""


def record_of(names: Sequence[str]) -> Record:
    """Return the columns; in a data frame scores have the names of the systems."""
    return Record(
        *fields("text", "metric", "bucket", "value"),
        Field("segments", "integer"),
        Field("a", "number", column=names[0]),
        Field("b", "number", column=names[1]),
        *fields("number", "difference", "low", "high", "p"),
        *fields("text", "sides", "test"),
        *fields("integer", "wins", "ties", "losses"),
        Field("signature", "text"),
    )


def record_rows(compared: PairComparison) -> list[PairRow]:
    """Return a row per metric, below it those of its buckets, and last those of error spans."""
    rows: list[PairRow] = []
    for name, metric in compared.metrics.items():
        scores = (metric.a, metric.b, metric.difference)
        tested = (*metric.interval, metric.p)
        counts = (metric.wins, metric.ties, metric.losses)
        about = (metric.sides, metric.test)
        row = PairRow(name, ALL, "", metric.n_segments, *scores, *tested, *about, *counts)
        rows.append(row._replace(signature=metric.signature))
        for bucket, parts in (("length", metric.by_length), ("document", metric.by_document)):
            rows += [
                PairRow(name, bucket, x.label, x.n_segments, x.a, x.b, x.difference) for x in parts
            ]
    if compared.spans is not None:
        rows += _span_rows(compared.spans, compared.names)
    return rows


def _span_rows(spans: SpanReport, names: Sequence[str]) -> Iterator[PairRow]:
    """Yield the number of spans, and the share of each system's that were seen, by their kind."""
    for counts in spans.counts:
        kind = (counts.category, counts.severity)
        shares = []
        for name in names:
            seen = [
                bool(span.seen)
                for span in spans.spans
                if (span.category, span.severity) == kind
                and span.system == name
                and span.seen is not None
            ]
            shares.append(sum(seen) / len(seen) if seen else None)
        a, b = shares
        difference = None if a is None or b is None else a - b
        label = ", ".join(filter(None, kind))
        yield PairRow(spans.metric, "spans seen", label, counts.spans, a, b, difference)
