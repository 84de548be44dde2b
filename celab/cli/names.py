"""Names that an option takes: a shell completes them, and help and errors list them.

`celab.metrics.options` has those of lexicons and languages.
"""

from __future__ import annotations

from collections.abc import Iterable

from celab.evaluation import tables
from celab.metrics.registry import METRICS


def metric_names() -> Iterable[str]:
    """Return the names of metrics."""
    return METRICS


def source_names() -> Iterable[str]:
    """Return the names of sources of lexicons that can be fetched."""
    from celab.lexicon.fetch import KNOWN

    return KNOWN


def kinds_of_findings() -> Iterable[str]:
    """Return the names of all kinds of findings."""
    return tables.kinds_of()


def kinds_of_texts() -> Iterable[str]:
    """Return the names of the kinds of findings that need nothing but texts."""
    return tables.kinds_of_texts()


def kinds_of_terms() -> Iterable[str]:
    """Return the names of the kinds of findings about terms."""
    return tables.kinds_of("terms")
